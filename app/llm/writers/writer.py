"""What the queue asks for: breaks and recaps, whoever writes them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.written import KeptAnswers, OnText, Written
from app.story.answers.task_answers import BreakAnswer
from app.story.lore_entries.lore import LoreEntry
from app.story.messages import Message


@dataclass(frozen=True, slots=True)
class SceneDraft:
    """A scene's recap before it is kept. name: "" when the model gave none. text: never empty.
    stored: with its lore, in ST-Auto-Recap's form, "" when it was not made in stages. beside: key
    and text of the answer that folds in what was given as `beside`, for `running_recap` to find;
    None where none came.
    """

    name: str
    text: str
    stored: str = ""
    beside: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Merge:
    """What is merged: a scene's recap into the running one, which is "" before the first. tokens:
    room of the result. pinned: sentences of it that stay.
    """

    previous: str
    scene_name: str
    scene_text: str
    tokens: int
    pinned: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Staging:
    """A scene recap is to be made in stages. known_lore: of the scenes before it."""

    kept: KeptAnswers
    known_lore: Sequence[LoreEntry] = ()


class RecapWriter(Protocol):
    """Writes what the operations need; one call at a time.

    Each call raises BackendError of the kind that fits and changes nothing by itself; cancelling
    it ends the request at once. `on_text` hears readable text so far, on the event loop's thread.
    """

    @property
    def label(self) -> str:
        """Short name for people, as Backend.label."""

    @property
    def spec(self) -> str:
        """The form `parse_spec` reads."""

    @property
    def prompt_version(self) -> str:
        """Part of an operation's key: another one writes other texts."""

    @property
    def versions(self) -> Mapping[str, str]:
        """The same for each kind of operation by itself, where they differ."""

    @property
    def folds_beside(self) -> bool:
        """Whether one request may recap a scene and fold an earlier one in: a model's, and not
        where the user wrote the prompt for either.
        """

    @property
    def context_tokens(self) -> int | None:
        """What prompt and answer may take together; None where it is not known (yet)."""

    @property
    def memory(self) -> MemoryModel | None:
        """The same model, asked for memories; None where there is no model."""

    async def scene_recap(
        self,
        messages: Sequence[Message],
        *,
        previous: str,
        tokens: int,
        on_text: OnText | None = None,
        staging: Staging | None = None,
        beside: Merge | None = None,
    ) -> Written[SceneDraft]:
        """Recap a scene. previous: the running recap up to it. tokens: the recap's length, about:
        what a model wrote beyond it is asked for once more, shorter, and kept otherwise.

        staging: where it is to be made in stages; then the recap tells what `previous` does not.
        beside: of an earlier scene, which the same request may ask for, too.
        """

    async def running_recap(
        self, merge: Merge, *, kept: KeptAnswers | None = None, on_text: OnText | None = None
    ) -> Written[str]:
        """Fold one scene recap into the running recap. kept: where its answer may be already."""

    async def message_recap(
        self, message: Message, *, context: Sequence[Message] = (), on_text: OnText | None = None
    ) -> Written[str]:
        """One sentence for one message. context: the messages before it, oldest first."""

    async def find_break(
        self,
        messages: Sequence[Message],
        *,
        first: int = 0,
        last: int | None = None,
        barred: Collection[int] = (),
        forced: bool = False,
        on_text: OnText | None = None,
    ) -> Written[BreakAnswer]:
        """The place in `messages` of the LAST message of the old scene, None where none ends.

        first, last: the eligible indexes, both inclusive (None: up to the end); the others are
        only read (spec/auto-recap.md §4.9). barred: those of them that are not eligible all the
        same. forced: a message has to be named (§4.10).
        """

    async def find_breaks(
        self, messages: Sequence[Message], *, wanted: Collection[int]
    ) -> Written[tuple[BreakAnswer, ...]]:
        """The places in `messages` of all messages that end a scene, each of them `wanted`."""

    async def aclose(self) -> None:
        """Give back connections."""
