"""Settings as a file: written to take along, and taken over from one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal

from app.health import count_of
from ui.controls.buttons import Button, ButtonRole
from ui.dialogs import choose_file, choose_new_file
from ui.session import Session
from ui.settings.sections import Section
from ui.settings.tavern import FactRow

KINDS = "Tavernkeep's settings (*.json)"
NAME = "Tavernkeep settings.json"
FACT = "What holds for all chats. Without keys, folders, and what single chats have of their own."


class FilesSection(Section):
    """Signals:
    taken_over: settings came from a file.
    """

    taken_over = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__("Settings file", "Take your settings to another machine, or keep a copy.")
        self._session = session
        self.write = Button("Export to a file")
        self.write.clicked.connect(self._on_write)
        self.read = Button("Import from a file", role=ButtonRole.QUIET)
        self.read.clicked.connect(self._on_read)
        self.row = FactRow("Settings", FACT)
        self.row.row.addWidget(self.read)
        self.row.row.addWidget(self.write)
        self.add_row(self.row)

    def _on_write(self) -> None:
        self._session.do(self._write(), name="exporting settings")

    async def _write(self) -> None:
        start = _documents() / NAME
        target = await choose_new_file(self.window(), "Export settings", start, KINDS)
        if target is not None:
            await self._session.companion.settings_file.save(target)
            self._session.told.emit(f"Written: {target.name}")

    def _on_read(self) -> None:
        self._session.do(self._read(), name="importing settings")

    async def _read(self) -> None:
        source = await choose_file(self.window(), "Import settings", _documents(), KINDS)
        if source is None:
            return
        files = self._session.companion.settings_file
        new = await files.read(source)
        left = f" {count_of(new.unknown, 'setting')} of another version were left." * bool(
            new.unknown
        )
        if not new.values:
            self.row.fact.setText(f"All is as the file says already.{left}")
            return
        kept = await files.take_over(new)
        changed = count_of(len(new.values), "setting")
        self.row.fact.setText(f"Changed: {changed}.{left} What held before is kept in {kept}.")
        self.taken_over.emit()


def _documents() -> Path:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(found) if found else Path.home()
