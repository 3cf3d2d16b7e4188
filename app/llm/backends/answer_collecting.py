"""Gathers the pieces of a streamed answer, within bounds, and makes the answer of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.llm.backends.backend import Answer, Request
from app.llm.backends.reasoning import strip_reasoning, visible_text

CHARACTERS_PER_TOKEN = 12  # more than any tokenizer's mean, so only a runaway is cut
SHORTEST_BOUND = 8192
SHOWN_EVERY_SECONDS = 0.1


class Collector:
    """One answer in the making. allowed: tokens that may be generated, None: what the answer may
    take.

    Separate reasoning is kept apart from the start (rule 1); reasoning inside of the text is
    taken off by the rules of `reasoning`.
    """

    def __init__(
        self,
        request: Request,
        on_text: Callable[[str], None] | None,
        allowed: int | None = None,
    ) -> None:
        self._allowed = request.max_output_tokens if allowed is None else allowed
        self._limit = self._allowed * CHARACTERS_PER_TOKEN + SHORTEST_BOUND
        self._marks = request.marks
        self._on_text = on_text
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._size = 0
        self._shown_at = -1.0
        self.is_complete = False  # the server said that this is the end
        self.is_cut = False  # it stopped at a length
        self.prompt_tokens: int | None = None
        self.output_tokens: int | None = None

    @property
    def has_text(self) -> bool:
        return self._size > 0

    @property
    def is_full(self) -> bool:
        """Whether it is longer than any answer to this request can be."""
        return self._size > self._limit

    def add(self, text: object, reasoning: object = None) -> None:
        """One more piece; what is no text counts as none."""
        if isinstance(reasoning, str) and reasoning:
            self._reasoning.append(reasoning)
            self._size += len(reasoning)
        if isinstance(text, str) and text:
            self._text.append(text)
            self._size += len(text)
            self._show()

    def count(self, prompt_tokens: object, output_tokens: object) -> None:
        """Token counts as the server says them."""
        if isinstance(prompt_tokens, int) and prompt_tokens >= 0:
            self.prompt_tokens = prompt_tokens
        if isinstance(output_tokens, int) and output_tokens >= 0:
            self.output_tokens = output_tokens

    def answer(self, *, can_be_longer: bool = False) -> Answer:
        """What came, reasoning apart. can_be_longer: whether more could be generated for it."""
        stripped = strip_reasoning("".join(self._text)[: self._limit], self._marks)
        reasoning = "".join(self._reasoning)
        if stripped.reasoning:
            reasoning = f"{reasoning}\n{stripped.reasoning}" if reasoning else stripped.reasoning
        only_reasoning = not stripped.text and bool(reasoning)
        return Answer(
            text=stripped.text,
            reasoning=reasoning.strip(),
            truncated=self.is_cut or self.is_full or stripped.is_truncated or only_reasoning,
            prompt_tokens=self.prompt_tokens,
            output_tokens=self.output_tokens,
            allowed_tokens=self._allowed,
            can_be_longer=can_be_longer,
        )

    def _show(self) -> None:
        """Tell the listener, some times a second: stripping all of the text each time would cost
        more with each piece."""
        if self._on_text is None:
            return
        now = asyncio.get_running_loop().time()
        if now - self._shown_at >= SHOWN_EVERY_SECONDS:
            self._shown_at = now
            self._on_text(visible_text("".join(self._text), self._marks))
