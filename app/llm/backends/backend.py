"""What every source of generated text has in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

CHARACTERS_PER_TOKEN = 3  # of a prompt that nobody counted


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    system: instructions, the stable part first. prompt: the task with its input.
    max_output_tokens: what the answer may take without reasoning. json: ask for a JSON object.
    generation_tokens: what may be generated with the reasoning, 0: no more than the answer.
    prompt_tokens: about what system and prompt take, 0 where nobody counted. is_longer: the answer
    before this one was cut at its length. marks: more pairs of marks around reasoning.
    """

    system: str
    prompt: str
    max_output_tokens: int = 1024
    json: bool = False
    generation_tokens: int = 0
    prompt_tokens: int = 0
    is_longer: bool = False
    marks: tuple[tuple[str, str], ...] = ()

    @property
    def prompt_estimate(self) -> int:
        """Tokens of system and prompt, rather too many than too few."""
        return self.prompt_tokens or (len(self.system) + len(self.prompt)) // CHARACTERS_PER_TOKEN


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, reasoning already stripped off into its own field.

    truncated: the model stopped at a length limit, or only reasoning came. Token counts are the
    server's where it says them, else None. allowed_tokens: what could be generated, 0 where nobody
    says. can_be_longer: whether the same request may generate more.
    """

    text: str
    reasoning: str = ""
    truncated: bool = False
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    allowed_tokens: int = 0
    can_be_longer: bool = False


class Backend(Protocol):
    """A source of generated text. One request at a time."""

    @property
    def label(self) -> str:
        """Short name for people: "built-in", "llama3.1:8b"."""

    @property
    def spec(self) -> str:
        """The form that `parse_spec` reads: builtin, ollama:MODEL[@URL], openai:MODEL@URL,
        sillytavern[:PROFILE].
        """

    @property
    def context_tokens(self) -> int:
        """How many tokens prompt and answer may take together, apart from reasoning."""

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer the request; `on_text` hears the text so far. Cancelling the task ends it at once.

        Raises BackendError of the kind that fits; never retries by itself.
        """

    async def aclose(self) -> None:
        """Give back connections."""


@runtime_checkable
class ListsModels(Protocol):
    """A backend whose server has several models."""

    async def list_models(self) -> tuple[str, ...]:
        """Their names, sorted. Raises BackendError."""
