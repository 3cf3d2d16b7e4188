"""A backlog: what working it off takes, and how far that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.operations import OperationKind, Worked
from app.story.break_search import SearchCost


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """What reading the rest of a chat for its memory takes; the token counts are estimates.

    first, last: indexes of the messages that were not read yet. waiting: how many come behind them
    that are read when the story goes on.
    """

    messages: int = 0
    requests: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    passes: int = 0
    first: int = 0
    last: int = 0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class CatchUpPlan:
    """Work on a backlog, before it begins; the token counts are estimates.

    scenes: closed scenes without a recap, from message `first` to `last`. requests: calls to the
    model, folds included. search: what looking for scene breaks takes first, counted in; the
    scenes that it finds are not known yet. reading: for memory, counted in, too. seconds:
    expected; is_guessed: nothing was measured yet, so as of any middling model. price: by the
    user's own prices, None without any. beside: so many of the folds are asked for with a scene's
    recap, or of nobody. fold_tokens: of prompts and answers that fold. of_each: requests that one
    operation of a kind takes, where that is not one. is_tested: the time is as of a test of the
    model. parts: what RECAPS and MEMORY take alone, each as a plan; empty where there is only one
    of them. agreed: requests of an earlier plan that the user said yes to, where this is what was
    found beyond them; 0 else. read_in: name of another chat that shares messages and is worked off
    now, "" for none. messages: recapped one by one, where that waits for the user's word, too;
    message_tokens: of their prompts and answers. texts: requests that follow from the reading at
    most, such as portraits and summaries, not counted in; text_tokens: likewise.
    """

    scenes: int
    first: int
    last: int
    requests: int
    prompt_tokens: int
    output_tokens: int
    folds: int = 0
    beside: int = 0
    fold_tokens: tuple[int, int] = (0, 0)
    search: SearchCost = field(default_factory=SearchCost)
    reading: ReadingCost = field(default_factory=ReadingCost)
    seconds: float | None = None
    price: float | None = None
    is_guessed: bool = False
    is_tested: bool = False
    of_each: Mapping[OperationKind, int] = field(default_factory=dict)
    parts: Mapping[str, CatchUpPlan] = field(default_factory=dict)
    read_in: str = ""
    agreed: int = 0
    messages: int = 0
    message_tokens: tuple[int, int] = (0, 0)
    texts: int = 0
    text_tokens: int = 0

    @property
    def has_parts(self) -> bool:
        """Whether there are recaps to write and messages to read, which can be had alone."""
        return bool(self.reading.requests) and self.requests > self.reading.requests

    def of_part(self, part: str) -> CatchUpPlan:
        """What a part takes: RECAPS or MEMORY; anything else is all of it."""
        return self.parts.get(part, self)

    @property
    def by_kind(self) -> Mapping[OperationKind, int]:
        """Requests of each kind of work."""
        folds = self.folds - self.beside
        others = folds + self.search.requests + self.reading.requests + self.messages
        return {
            OperationKind.SCENE_RECAP: self.requests - others,
            OperationKind.RUNNING_RECAP: folds,
            OperationKind.DETECT_BREAKS: self.search.requests,
            OperationKind.MEMORY_PASS: self.reading.requests,
            OperationKind.MESSAGE_RECAP: self.messages,
        }

    @property
    def tokens(self) -> Mapping[OperationKind, tuple[int, int]]:
        """Tokens of prompts and answers of each kind of work."""
        beside = {
            OperationKind.RUNNING_RECAP: self.fold_tokens,
            OperationKind.DETECT_BREAKS: (self.search.prompt_tokens, self.search.output_tokens),
            OperationKind.MEMORY_PASS: (self.reading.prompt_tokens, self.reading.output_tokens),
            OperationKind.MESSAGE_RECAP: self.message_tokens,
        }
        prompt = self.prompt_tokens - sum(read for read, _ in beside.values())
        output = self.output_tokens - sum(written for _, written in beside.values())
        return {OperationKind.SCENE_RECAP: (prompt, output), **beside}

    @property
    def operations(self) -> int:
        """Pieces of work, however many requests each takes."""
        found = self.scenes + self.folds + self.search.requests
        return found + self.reading.passes + self.messages

    def requests_in(self, worked: Worked) -> tuple[int, int]:
        """Requests of what was done, and of what failed, counted as those of the plan; of what is
        asked for beside others, that which was asked for alone after all.
        """
        each = [
            (n, ended) if (n := self.of_each.get(kind, 1)) else (1, worked.paid.get(kind, (0, 0)))
            for kind, ended in worked.by_kind.items()
        ]
        done, failed = (sum(n * ended[place] for n, ended in each) for place in (0, 1))
        return done, failed


@dataclass(frozen=True, slots=True)
class CatchUpProgress:
    """How far a catch-up is. title: of the chat.

    done, failed, left: requests, counted as those of the plan that was said yes to; what runs is
    left. elapsed: seconds of work, pauses and the
    time between two runs left out. remaining: seconds, None while nothing was measured, or nothing
    is answered. is_stopping: only what runs is still finished. is_held: what is asked for fails and
    is tried again later. why: what it waits for, in one sentence, "" for nothing but its turn.
    part: as in CatchUp. tokens, requests: that all work on the chat took since it was begun, also
    what the plan could not name. agreed: requests that the plan named at first, 0 for none.
    """

    chat: int
    title: str
    done: int
    failed: int
    left: int
    elapsed: float
    remaining: float | None
    is_stopping: bool = False
    is_held: bool = False
    why: str = ""
    part: str = ""
    tokens: int = 0
    requests: int = 0
    agreed: int = 0

    @property
    def share(self) -> float:
        """What is done of the work, 0 to 1; what failed is not."""
        return self.done / max(1, self.done + self.failed + self.left)
