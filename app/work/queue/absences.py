"""Who was not there when they were asked: one operation asks again for all that need them. Pure."""

from __future__ import annotations

from collections.abc import Callable, Collection

from app.core.operations import Operation, OperationSpec

Asked = Callable[[OperationSpec], str]


class Absences:
    """Those who are away, each with the operation that found it.

    Each operation of a long backlog would find the same, one after the other, again and again.

    asked: who is asked for a piece of work, "" where that is not known.
    """

    def __init__(self, asked: Asked) -> None:
        self._asked = asked
        self._found: dict[str, Operation] = {}

    def note(self, operation: Operation) -> None:
        """Whom this one asks is away; its error says so, and it asks again when it is due."""
        if who := self._asked(operation.spec):
            self._found[who] = operation

    def why(self, operation: Operation, waiting: Collection[int]) -> str:
        """That this one need not ask, since another one does so; "" when it may.

        waiting: numbers of what is not done yet.
        """
        if not self._found:
            return ""
        found = self._found.get(self._asked(operation.spec))
        if found is None or found.id == operation.id or found.id not in waiting:
            return ""
        return found.error

    def over(self, operation: Operation) -> None:
        """Whom this one asks is there again, or is to be asked at once."""
        self._found.pop(self._asked(operation.spec), None)

    def clear(self) -> None:
        """All may be there again."""
        self._found.clear()
