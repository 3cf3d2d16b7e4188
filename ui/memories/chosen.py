"""Does with the memories that are chosen what the page's actions say."""

from __future__ import annotations

from collections.abc import Container, Sequence

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from app.memory.documents.browsing import sentence_of
from app.memory.standing import Standing, Status
from ui.memories.commands import MemoryCommands
from ui.memories.hands import MemoryHands
from ui.memories.listing.table import MemoryTable


class Chosen(QObject):
    """The chosen rows of a table, and the commands on them.

    Signals:
        message_asked: anchor of the first message that a memory comes from.
    """

    message_asked = Signal(str)

    def __init__(self, table: MemoryTable, commands: MemoryCommands, hands: MemoryHands) -> None:
        super().__init__(table)
        self._table, self._commands, self._hands = table, commands, hands
        self._gone: dict[str, None] = {}  # that were chosen when they went
        for action, slot in (
            (commands.pin, self._on_pin),
            (commands.resolve, self._on_resolve),
            (commands.reopen, self._on_reopen),
            (commands.approve, self._on_approve),
            (commands.reject, self._on_reject),
            (commands.delete, self._on_delete),
            (commands.jump, self._on_jump),
            (commands.copy, self._on_copy),
        ):
            action.triggered.connect(slot)
        for level, action in zip((3, 2, 1), commands.importance, strict=True):
            action.setProperty("level", level)
            action.triggered.connect(self._on_importance)
        table.menu_asked.connect(self._open_menu)
        table.jump_asked.connect(self._on_jump_row)

    @property
    def standings(self) -> tuple[Standing, ...]:
        """The memories that are chosen, in the order of the table."""
        rows = map(self._table.memories.standing, self._table.chosen_rows)
        return tuple(standing for standing in rows if standing is not None)

    @property
    def ids(self) -> list[str]:
        """Of the memories that are chosen."""
        return [standing.memory.id for standing in self.standings]

    def choose_again(self, ids: Sequence[str], row: int, there: Container[str]) -> bool:
        """Choose in new rows what was chosen, or what came back with undo; else a row near it.
        Gives whether something came back.

        row: where the cursor was. there: ids of all memories, also of those that are not shown.
        """
        back = [memory_id for memory_id in self._gone if memory_id in there]
        deleted = [memory_id for memory_id in ids if memory_id not in there]
        self._gone |= dict.fromkeys(deleted)
        for memory_id in back:
            del self._gone[memory_id]
        self._table.choose(tuple(back or ids), scrolls=bool(back))
        if not self._table.chosen_rows:
            # What was deleted hands the next press of Del on to nothing that nobody has read.
            is_deleted = len(deleted) == len(ids)
            self._table.choose_near(row, chooses=row < 0 or (bool(ids) and not is_deleted))
        return bool(back)

    def _on_pin(self) -> None:
        chosen = self.standings
        pinned = not all(standing.memory.is_pinned for standing in chosen)
        changed = [s.memory.id for s in chosen if s.memory.is_pinned is not pinned]
        self._hands.pin(changed, pinned=pinned)

    def _on_importance(self) -> None:
        action = self.sender()
        if action is not None:
            self._hands.set_importance(self.ids, int(action.property("level")))

    def _on_resolve(self) -> None:
        for memory_id in self.ids:
            self._hands.resolve(memory_id)

    def _on_reopen(self) -> None:
        for memory_id in self.ids:
            self._hands.reopen(memory_id)

    def _on_approve(self) -> None:
        statuses = (Status.WAITING, Status.REJECTED)
        self._hands.approve([s.memory.id for s in self.standings if s.status in statuses])

    def _on_reject(self) -> None:
        self._hands.reject([s.memory.id for s in self.standings if s.status is Status.WAITING])

    def _on_delete(self) -> None:
        self._hands.delete(self.ids)

    def _on_copy(self) -> None:
        QGuiApplication.clipboard().setText(
            "\n".join(sentence_of(standing.memory) for standing in self.standings)
        )

    def _on_jump(self) -> None:
        if self._table.chosen_rows:
            self._on_jump_row(self._table.chosen_rows[0])

    def _on_jump_row(self, row: int) -> None:
        standing = self._table.memories.standing(row)
        if standing is not None:
            places = self._table.memories.ground.places
            known = [s.anchor for s in standing.memory.evidence if s.anchor in places]
            if known:
                self.message_asked.emit(min(known, key=places.__getitem__))

    def _open_menu(self, point: QPoint) -> None:
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addActions(self._commands.of_chosen())
        levels = [action for action in self._commands.importance if action.isEnabled()]
        if levels:
            menu.addSeparator()
            menu.addActions(levels)
        # Never exec(): it would hold up every other task.
        menu.popup(point)
