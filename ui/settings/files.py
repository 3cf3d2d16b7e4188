"""Settings as a file: written to take along, and taken over from one."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QStandardPaths, Signal

from app.core.translation import N_, tr, trn
from app.views.offered_settings import NewSettings
from ui.controls.buttons import Button, ButtonRole
from ui.controls.setting_sections import Section
from ui.core.dialogs import choose_file, choose_new_file
from ui.core.session import Session
from ui.settings.fact_row import FactRow

KINDS = N_("Tavernkeep's settings (*.json)")
NAME = N_("Tavernkeep settings.json")
FACT = N_("The settings for all chats, without keys, folders and the settings of single chats.")


class FilesSection(Section):
    """Signals:
    taken_over: settings came from a file.
    """

    taken_over = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(
            tr("Settings file"), tr("Move your settings to another computer, or keep a copy.")
        )
        self._session = session
        self.write = Button(tr("Export to a file"))
        self.write.clicked.connect(self._on_write)
        self.read = Button(tr("Import from a file"), role=ButtonRole.QUIET)
        self.read.clicked.connect(self._on_read)
        self.back = Button(tr("Undo the import"), icon="undo", role=ButtonRole.QUIET)
        self.back.clicked.connect(self._on_back)
        self.back.hide()
        self.anyway = Button(tr("Import it anyway"), role=ButtonRole.QUIET)
        self.anyway.clicked.connect(self._on_anyway)
        self.anyway.hide()
        self._doubtful: NewSettings | None = None
        self.row = FactRow(tr("Settings"), tr(FACT))
        self.row.row.addWidget(self.back)
        self.row.row.addWidget(self.anyway)
        self.row.row.addWidget(self.read)
        self.row.row.addWidget(self.write)
        self.add_row(self.row)
        session.replayed.connect(self._on_replayed)

    def _on_write(self) -> None:
        self._session.do(self._write(), name=N_("exporting settings"))

    async def _write(self) -> None:
        start = _documents() / tr(NAME)
        target = await choose_new_file(self.window(), tr("Export settings"), start, tr(KINDS))
        if target is not None:
            await self._session.companion.settings_file.save(target)
            self._session.told.emit(tr("Written: {name}", name=target.name))

    def _on_read(self) -> None:
        self._ask_no_more()
        self._session.do(self._read(), name=N_("importing settings"))

    async def _read(self) -> None:
        source = await choose_file(self.window(), tr("Import settings"), _documents(), tr(KINDS))
        if source is None:
            return
        new = await self._session.companion.settings_file.read(source)
        if new.warnings:
            self._doubtful = new
            self.row.fact.setText(" ".join((*new.warnings, tr("Nothing has been changed yet."))))
            self.anyway.show()
        else:
            await self._take_over(new)

    def _ask_no_more(self) -> None:
        self._doubtful = None
        self.anyway.hide()

    def _on_anyway(self) -> None:
        new = self._doubtful
        self._ask_no_more()
        if new is not None:
            self._session.do(self._take_over(new), name=N_("importing settings"))

    async def _take_over(self, new: NewSettings) -> None:
        files = self._session.companion.settings_file
        left = trn(
            "{n} setting of another version was left out.",
            "{n} settings of another version were left out.",
            new.unknown,
        )
        said = [left] if new.unknown else []
        if not new.values:
            self.row.fact.setText(" ".join((tr("All settings already match the file."), *said)))
            return
        kept = await files.take_over(new, path=self._session.path)
        changed = trn("Changed: {n} setting.", "Changed: {n} settings.", len(new.values))
        said.append(tr("Your previous settings are saved in {kept}.", kept=kept))
        self.row.fact.setText(" ".join((changed, *said)))
        self.back.setVisible(files.can_take_back)
        self._session.refresh()
        self.taken_over.emit()

    def _on_back(self) -> None:
        self._session.do(self._take_back(), name=N_("undoing the import"))

    async def _take_back(self) -> None:
        self.back.hide()
        path = self._session.path
        count = await self._session.companion.settings_file.take_back(path=path)
        self.row.fact.setText(trn("Unchanged: {n} setting.", "Unchanged: {n} settings.", count))
        self._session.refresh()
        self.taken_over.emit()

    def _on_replayed(self) -> None:
        can_take_back = self._session.companion.settings_file.can_take_back
        if can_take_back is self.back.isHidden():
            self.row.fact.setText(tr(FACT))
            self.back.setVisible(can_take_back)


def _documents() -> Path:
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return Path(found) if found else Path.home()
