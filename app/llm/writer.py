"""What the queue asks for: breaks and recaps, whoever writes them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from app.llm.page_line import PageLine
from app.story.answers import BreakAnswer
from app.story.lore import LoreEntry
from app.story.messages import Message

if TYPE_CHECKING:
    from app.llm.asking import Generating
    from app.llm.correction import Corrections
    from app.llm.memory_model import MemoryModel
    from app.llm.meter import Meter
    from app.story.scene_cues.language import LanguagePack

T_co = TypeVar("T_co", covariant=True)
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Written(Generic[T_co]):
    """What was written, and what it took: tokens of all prompts and answers, 0 without a model.

    reasoning: of the model's last answer, split off it. left_out: entries that a model wrote and
    that are not in the value, for want of room.
    """

    value: T_co
    prompt_tokens: int = 0
    output_tokens: int = 0
    reasoning: str = ""
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SceneDraft:
    """A scene's recap before it is kept. name: "" when the model gave none. text: never empty.
    stored: with its lore, in ST-Auto-Recap's form, "" when it was not made in stages.
    """

    name: str
    text: str
    stored: str = ""


class KeptAnswers(Protocol):
    """Answers of models by what was asked, so that work that broke off goes on where it was."""

    async def get(self, key: str) -> str | None:
        """The answer that was kept, None when none was."""

    async def keep(self, key: str, answer: str) -> None:
        """Keep an answer."""


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
    ) -> Written[SceneDraft]:
        """Recap a scene. previous: the running recap up to it. tokens: the recap's length, about:
        what a model wrote beyond it is asked for once more, shorter, and kept otherwise.

        staging: where it is to be made in stages; then the recap tells what `previous` does not.
        """

    async def running_recap(
        self,
        previous: str,
        scene_name: str,
        scene_text: str,
        *,
        tokens: int,
        pinned: Sequence[str] = (),
        on_text: OnText | None = None,
    ) -> Written[str]:
        """Fold one scene recap into the running recap; previous is "" for the first.

        pinned: sentences of it that stay.
        """

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

    async def aclose(self) -> None:
        """Give back connections."""


def make_writer(
    spec: str,
    *,
    count_tokens: Callable[[str], int],
    api_key: str | None = None,
    prompts_dir: Path | None = None,
    context_tokens: int | None = None,
    page: PageLine | None = None,
    meter: Meter | None = None,
    corrections: Corrections | None = None,
    packs: Sequence[LanguagePack] = (),
    generating: Generating | None = None,
) -> RecapWriter:
    """The writer for a backend's spec. Opens no connection yet.

    api_key: of the server. prompts_dir: the user's own prompt
    files, each replacing the shipped one of its name. context_tokens: else what the server says.
    page: where SillyTavern's own connection is asked; without it that one is away. meter: hears of
    every request. corrections: what backends are known to count. packs: of the languages that
    answers are known by. generating: how long answers may be with their reasoning.
    Raises UsageError for a spec that makes no sense, PromptUnusable for a prompt file.
    """
    # Imported when needed: numpy for the one, the servers' side for the other.
    from app.llm.specs import BUILTIN, make_backend, parse_spec

    parsed = parse_spec(spec)
    if parsed.kind == BUILTIN:
        from app.llm.builtin import BuiltinWriter

        return BuiltinWriter(count_tokens=count_tokens)
    from app.llm.model_writer import ModelWriter
    from app.llm.prompt_files import load_prompts

    backend = make_backend(parsed, api_key=api_key, context_tokens=context_tokens, page=page)
    prompts = load_prompts(prompts_dir)
    return ModelWriter(
        backend,
        prompts,
        count_tokens=count_tokens,
        meter=meter,
        corrections=corrections,
        packs=packs,
        generating=generating,
    )
