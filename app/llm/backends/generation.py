"""How much a model may generate with its reasoning, within what its context leaves."""

from __future__ import annotations

import re

from app.llm.backends.backend import Answer, Request

# What servers say of their context when they refuse a request.
TOLD = re.compile(
    r"(?:context[ _-](?:length|size|window)|n_ctx)\D{1,24}?(\d{3,7})(?![.\d])", re.IGNORECASE
)
NUMBER = re.compile(r"(?<![\d.])\d{3,7}(?![\d.]\d)")
LEAST_CONTEXT = 512
CHARACTERS_PER_TOKEN = 3  # of reasoning: rather too many tokens than too few
SPREAD = 1.5  # the next reasoning may be so much longer than the longest that was seen


class GenerationRoom:
    """What one model may generate: the budget of a request, within what its context leaves.

    context: tokens that prompts with their answers are made for. told: the whole context, where
    the server tells it.
    """

    def __init__(self, context: int, *, told: int | None = None) -> None:
        self.context = context
        self.told = told
        self.has_reasoned = False
        self._longest_reasoning = 0  # tokens
        self._most: int | None = None  # more was refused

    @property
    def context_tokens(self) -> int:
        """What prompt and answer may take together. Where a model that reasons has little context,
        the rest of it is left to the reasoning.
        """
        if self.told is None or not self._longest_reasoning:
            return self.context
        reasoning = min(self.told // 2, int(self._longest_reasoning * SPREAD))
        return min(self.context, self.told - reasoning)

    def allowed(self, request: Request) -> int:
        """Tokens that may be generated for a request; never less than its answer."""
        bounds = (request.generation_tokens, self._most, self.left(request))
        most = min(bound for bound in bounds if bound is not None)
        return max(request.max_output_tokens, most)

    def left(self, request: Request) -> int | None:
        """What the prompt leaves of the context; None where no context is told."""
        return None if self.told is None else self.told - request.prompt_estimate

    def can_exceed(self, request: Request, allowed: int) -> bool:
        """Whether the same request might generate more than was allowed."""
        left = self.left(request)
        return self._most is None and (left is None or left > allowed)

    def learn(self, answer: Answer) -> None:
        """See whether the model reasons, and how long."""
        if answer.reasoning:
            self.has_reasoned = True
            tokens = len(answer.reasoning) // CHARACTERS_PER_TOKEN
            self._longest_reasoning = max(self._longest_reasoning, tokens)

    def lower(self, request: Request, refusal: str) -> bool:
        """Ask for less after a refusal of what was allowed; false where less makes no sense."""
        before = self.allowed(request)
        if before <= request.max_output_tokens:
            return False
        found = TOLD.search(refusal)
        if found and self.told is None and int(found[1]) >= LEAST_CONTEXT:
            self.told = int(found[1])
            self.context = min(self.context, self.told)
            if self.allowed(request) < before:
                return True
        named = [int(number) for number in NUMBER.findall(refusal)]
        lower = [number for number in named if request.max_output_tokens < number < before]
        is_first = self._most is None  # a number that was no limit is believed once
        self._most = max(lower if is_first else (), default=request.max_output_tokens)
        return True
