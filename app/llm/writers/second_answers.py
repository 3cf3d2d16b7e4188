"""Whether a model is asked once more where its answer is too long."""

from __future__ import annotations

IN_VAIN = 2  # second answers in a row that were no shorter
EVERY = 10  # such a model is tried again each so many times


class SecondAnswers:
    """What second answers of one model have been worth for one kind of work. A small model often
    repeats itself: then each answer would cost two requests, and be as long as before.
    """

    def __init__(self) -> None:
        self._in_vain = 0
        self._left = 0

    def is_due(self) -> bool:
        """Whether to ask once more for what came too long; counts what is left as it is."""
        if self._in_vain < IN_VAIN:
            return True
        self._left = (self._left + 1) % EVERY
        return self._left == 0

    def take(self, *, is_shorter: bool) -> None:
        """A second answer came, or none that could be used."""
        self._in_vain = 0 if is_shorter else self._in_vain + 1
