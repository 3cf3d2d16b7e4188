"""Who was not there when they were asked, or too busy: nobody else asks them meanwhile. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from app.core.errors import BackendBusy, BackendError
from app.core.operations import Operation, OperationSpec
from app.core.translation import tr
from app.llm.backends.retries import LONGEST_ASKED_SECONDS, MAX_ATTEMPTS, retry_delay

Asked = Callable[[OperationSpec], str]
# An answer that breaks off is paid for: so many in a row are enough.
BROKEN_IN_A_ROW = 3
# So many in a row that cost nothing; with the waits between them that is a quarter of an hour.
BUSY_IN_A_ROW = MAX_ATTEMPTS


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Faults in a row of one who answers. until: seconds since the epoch, as nobody asks before.
    of: numbers of the operations that met them: one alone may be what is wrong.
    """

    why: str
    until: float
    times: int
    broken: int
    of: frozenset[int]


class Absences:
    """Those who are away, each with the operation that found it.

    Each operation of a long backlog would find the same, one after the other, again and again.

    asked: who is asked for a piece of work, "" where that is not known.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._found: dict[str, Operation] = {}
        self._troubles: dict[str, _Trouble] = {}

    def note(self, operation: Operation) -> None:
        """Whom this one asks is away; its error says so, and it asks again when it is due."""
        if who := self._asked(operation.spec):
            self._found[who] = operation

    def note_trouble(self, operation: Operation, error: BackendError, *, now: float) -> str:
        """Whom this one asks is there and cannot answer: all wait who ask them, as long as they
        want, or longer each time. now: seconds since the epoch.

        Gives why there is no use in asking on at all, "" while there is.
        """
        who = self._asked(operation.spec)
        if not who:
            return ""
        last = self._troubles.get(who)
        times = last.times + 1 if last else 1
        is_broken = error.was_sent and not isinstance(error, BackendBusy)
        broken = (last.broken if last else 0) + is_broken
        # Once as long as the one that failed waits; then a little less, so that another one asks.
        delay = retry_delay(max(1, min(times, MAX_ATTEMPTS) - 1), error) or 0.0
        of = (last.of if last else frozenset()) | {operation.id}
        self._troubles[who] = _Trouble(error.cause, now + delay, times, broken, of)
        if len(of) == 1 or (broken < BROKEN_IN_A_ROW and times < BUSY_IN_A_ROW):
            return ""
        return tr("{n} requests in a row failed. The last one: {why}", n=times, why=error)

    def due(self, *, now: float) -> float | None:
        """When the next of those may be asked who could not answer; None where there is none."""
        return min((one.until for one in self._troubles.values() if one.until > now), default=None)

    def why(self, operation: Operation, waiting: Collection[int], *, now: float) -> str:
        """That this one need not ask, since another one does so, or nobody may yet; "" when it may.

        waiting: numbers of what is not done yet. now: seconds since the epoch.
        """
        if not self._found and not self._troubles:
            return ""
        trouble = self._troubles.get(self._asked(operation.spec))
        if trouble is not None and now < trouble.until <= now + LONGEST_ASKED_SECONDS:
            return trouble.why
        found = self._found.get(self._asked(operation.spec))
        if found is None or found.id == operation.id or found.id not in waiting:
            return ""
        return found.error

    def over(self, operation: Operation) -> None:
        """Whom this one asks is there again, or is to be asked at once."""
        who = self._asked(operation.spec)
        self._found.pop(who, None)
        self._troubles.pop(who, None)

    def clear(self) -> None:
        """All may be there again."""
        self._found.clear()

    def forget_troubles(self) -> None:
        """All are asked at once, whatever they said."""
        self._troubles.clear()
