"""How many more tokens a backend counts than we do, learned from what it reports."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.signals import Signal
from app.prompt.model_tokens import KnownTokenizer

PREFIX = "backend:"  # names of backends among those of tokenizers
LEAST_PROMPT = 200  # tokens: in a shorter one, what is put around it weighs too much
# A server that read the beginning of a prompt before may report only the rest of it.
LEAST_SHARE, MOST_SHARE = 0.7, 3.0


class Corrections:
    """By the spec of a backend; for all its writers.

    Signals:
        learned: what is known of one became otherwise; to be kept.
    """

    def __init__(self) -> None:
        self._known: dict[str, KnownTokenizer] = {}
        self.learned: Signal[KnownTokenizer] = Signal("learned")

    def load(self, known: Iterable[KnownTokenizer]) -> None:
        """Take over what was learned before; what is known of other tokenizers is no matter."""
        self._known |= {one.name: one for one in known if one.name.startswith(PREFIX)}

    def factor(self, spec: str) -> float:
        """Tokens of the backend for one of ours. Never less than 1: too long a prompt is refused
        or cut, while one that is too short only leaves room.
        """
        known = self._known.get(PREFIX + spec)
        return 1.0 if known is None else max(1.0, known.factor)

    def learn(self, spec: str, ours: int, reported: int) -> None:
        """A prompt took so many tokens by our count, and so many as the backend says."""
        if ours < LEAST_PROMPT or not LEAST_SHARE <= reported / ours <= MOST_SHARE:
            return
        name = PREFIX + spec
        before = self._known.get(name, KnownTokenizer(name))
        after = before.learned(ours, reported)
        self._known[name] = after
        if after.factor != before.factor or not before.is_learned:
            self.learned.emit(after)
