"""A list of names, to be switched one by one or written."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.core.translation import tr
from ui.controls.buttons import IconButton, keep_place
from ui.controls.fields import Field
from ui.controls.labels import menu_text

FIELD_WIDTH = 204


class PeopleField(QWidget):
    """Signals:
    changed: the names as one text, by the user.
    """

    changed = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.field = Field(name)
        self.field.setFixedWidth(FIELD_WIDTH)
        self.choose = IconButton("people", tr("Choose: {label}", label=name), is_framed=True)
        self.choose.clicked.connect(self._on_choose)
        keep_place(self.choose)
        self.choose.hide()
        self._offered: tuple[str, ...] = ()
        self.setFocusProxy(self.field)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.field)
        row.addWidget(self.choose)
        self.field.editingFinished.connect(self._on_written)

    @property
    def names(self) -> tuple[str, ...]:
        """Those in the list."""
        return tuple(filter(None, map(str.strip, self.field.text().split(","))))

    def show_text(self, text: str) -> None:
        """Show a list, without telling `changed`; the cursor of one who writes stays."""
        if self.field.text() != text:
            self.field.setText(text)

    def offer(self, names: Sequence[str]) -> None:
        """Offer these to be switched; without any the list is written only."""
        self._offered = tuple(name for name in dict.fromkeys(names) if "," not in name)
        self.choose.setVisible(bool(self._offered))

    def menu(self) -> QMenu:
        """A switch for each that is offered, on where the list holds it."""
        menu, listed = QMenu(self), set(map(str.casefold, self.names))
        for name in self._offered:
            action = menu.addAction(menu_text(name))
            action.setCheckable(True)
            action.setChecked(name.casefold() in listed)
            action.toggled.connect(partial(self._on_switched, name))
        return menu

    def _on_choose(self) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        # Never exec(): it would hold up every other task.
        menu.popup(self.choose.mapToGlobal(QPoint(0, self.choose.height() + 4)))

    def _on_switched(self, name: str, is_on: bool) -> None:
        others = [other for other in self.names if other.casefold() != name.casefold()]
        self.field.setText(", ".join([*others, name] if is_on else others))
        self.changed.emit(self.field.text())

    def _on_written(self) -> None:
        if self.field.isModified():
            self.field.setModified(False)
            self.changed.emit(self.field.text().strip())
