"""What every source of generated text has in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model.

    system: instructions, the stable part first. prompt: the task with its input.
    max_output_tokens: what the answer may take, reasoning included. json: ask for a JSON object.
    """

    system: str
    prompt: str
    max_output_tokens: int = 1024
    json: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, reasoning already stripped off into its own field.

    truncated: the model stopped at a length limit, or only reasoning came. Token counts are the
    server's where it says them, else None.
    """

    text: str
    reasoning: str = ""
    truncated: bool = False
    prompt_tokens: int | None = None
    output_tokens: int | None = None


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
        """How many tokens prompt and answer may take together."""

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        """Answer the request; `on_text` hears the text so far. Cancelling the task ends it at once.

        Raises BackendError of the kind that fits; never retries by itself.
        """

    async def aclose(self) -> None:
        """Give back connections."""
