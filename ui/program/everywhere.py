"""What is at hand on every page: the history of changes, search in all chats, health, help."""

from __future__ import annotations

import platform
from collections.abc import Coroutine
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QUrl, Signal, qVersion
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from app.core.errors import UsageError
from app.core.part_health import HealthItem
from app.core.translation import N_, retold, tr, trn
from app.story.story import ChatRef
from app.views.health_report import Facts, Remedy, remedy_for, report_of
from app.views.journal import AT_FIRST
from app.views.search_results import Findings, Hit
from ui.core.actions import Actions
from ui.core.chat_words import chat_title, owner_words
from ui.core.session import Session
from ui.offers.sync_news import chat_count
from ui.shell.command_palette import CommandPalette
from ui.shell.frame import Frame
from ui.shell.setting_entries import PROGRAM

if TYPE_CHECKING:
    from ui.shell.health_sheet import HealthSheet
    from ui.shell.help_sheet import HelpSheet
    from ui.shell.history_sheet import HistorySheet
    from ui.shell.search_sheet import SearchSheet

# What an action of the window does about a part that is not well.
ACTIONS = {
    Remedy.SEE_PROMPT: "page.prompt",
    Remedy.CHOOSE_CHAT: "chats",
    Remedy.READ_AGAIN: "sync",
    Remedy.SEE_COPIES: "copies",
    Remedy.GO_ON: "pause",
    Remedy.SEE_WORK: "page.work",
}
SECTIONS = {
    Remedy.INSTALL_BRIDGE: "SillyTavern",
    Remedy.SHOW_CODE: "SillyTavern",
    Remedy.CHOOSE_MODEL: N_("Model"),
}


class Everywhere(QObject):
    """Opens the sheets over any page, each made when it is first wanted. Owned by the window.

    Signals (of the chat that is shown by then):
        message_wanted: anchor. memory_wanted: its id. setting_wanted: title of a section of the
        settings. place_wanted: name of a setting, as in the palette. folder_wanted: the user is to
        name SillyTavern's folder.
    """

    message_wanted = Signal(str)
    memory_wanted = Signal(str)
    setting_wanted = Signal(str)
    place_wanted = Signal(str)
    folder_wanted = Signal()

    def __init__(self, session: Session, frame: Frame, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._frame = frame
        self._actions = actions
        self._window = window
        actions["history"].triggered.connect(self.open_history)
        actions["search.all"].triggered.connect(self.open_search)
        actions["health"].triggered.connect(self.open_health)
        actions["log"].triggered.connect(self._on_log)
        actions["updates"].triggered.connect(self._on_updates)
        actions["updates"].setEnabled(True)
        actions["help"].triggered.connect(lambda: self.open_help())
        self._chats: dict[Path, ChatRef] = {}
        session.chat_opened.connect(self._on_chat_opened)

    @cached_property
    def history(self) -> HistorySheet:
        """What was done to the chat."""
        from ui.shell.history_sheet import HistorySheet

        sheet = HistorySheet(self._window)
        sheet.change_chosen.connect(self._on_change_chosen)
        return sheet

    @cached_property
    def search_sheet(self) -> SearchSheet:
        """The field that finds words in all chats."""
        from ui.shell.search_sheet import SearchSheet

        sheet = SearchSheet(self._find, self._place_of, self._run_search, self._window)
        sheet.hit_chosen.connect(self._on_hit_chosen)
        sheet.index_wanted.connect(self._on_index_wanted)
        return sheet

    @cached_property
    def health_sheet(self) -> HealthSheet:
        """How each part is doing."""
        from ui.shell.health_sheet import HealthSheet

        sheet = HealthSheet(self._report, self._window)
        sheet.remedy_wanted.connect(self._on_remedy)
        self._session.health_changed.connect(self._on_health_changed)
        return sheet

    @cached_property
    def help_sheet(self) -> HelpSheet:
        """The pages of help."""
        from ui.shell.help_sheet import HelpSheet

        return HelpSheet(self._window)

    def _on_log(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._session.companion.folders.logs)))

    def _on_updates(self) -> None:
        self.place_wanted.emit(PROGRAM)

    def _on_chat_opened(self, _story: object) -> None:
        self._actions["history"].setEnabled(True)

    def open_history(self) -> None:
        """Show what was done to the chat, to go back to."""
        path = self._session.path
        if path is not None:
            self._session.do(self._open_history(path), name=N_("reading the history"))

    async def _open_history(self, path: Path) -> None:
        changes = await self._session.companion.edits.history.entries(path)
        if path == self._session.path:
            self.history.open_below(self._frame.header, changes)

    def _on_change_chosen(self, entry_id: int) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._go_to(path, entry_id), name=N_("going back"))

    async def _go_to(self, path: Path, entry_id: int) -> None:
        history = self._session.companion.edits.history
        labels = {change.id: change for change in await history.entries(path)}
        steps = await history.go_to(path, entry_id)
        if not steps:
            return
        self._session.replayed.emit()
        entry = labels.get(entry_id)
        if entry is not None and entry.is_undone:
            word = trn("Redone: {n} change", "Redone: {n} changes", steps)
        else:
            word = trn("Undone: {n} change", "Undone: {n} changes", steps)
        if entry_id == AT_FIRST:
            where = tr("back to the beginning")
        else:
            where = tr("now at: {command}", command=retold(entry.label) if entry else "")
        self._session.told.emit(f"{word}, {where}")

    def open_help(self, title: str = "", words: str = "") -> None:
        """Show the pages of help. title: of the one that is shown first. words: to mark on it."""
        self.help_sheet.open_over(self._window, title, words)

    # Search

    def serve(self, palette: CommandPalette) -> None:
        """Let the palette find memories of the chat that is shown and pages of help, and lead
        there.
        """
        palette.look_into_memory(self._remember, self._run_search)
        palette.memory_chosen.connect(self.memory_wanted)
        palette.help_chosen.connect(self.open_help)

    async def _remember(self, words: str) -> tuple[Hit, ...]:
        path = self._session.path
        if path is None:
            return ()
        query = f"in:here {words}"
        search = self._session.companion.search
        try:
            findings = await search.find(query, messages=False, by_meaning=False, here=path)
        except UsageError:  # the field is no search alone: not every text in it can be meant as one
            return ()
        return findings.hits

    def open_search(self) -> None:
        """Open the field that finds words in all chats."""
        companion = self._session.companion
        self._chats = {companion.demo.path: companion.demo}
        for tavern in companion.taverns:
            self._chats.update((chat.path, chat) for chat in tavern.chats)
        self.search_sheet.open_over(self._window)

    async def _find(self, query: str) -> Findings:
        from ui.shell.search_sheet import MOST

        # By words alone: a model would be asked at each pause in the typing.
        return await self._session.companion.search.find(
            query, limit=MOST, by_meaning=False, here=self._session.path
        )

    def _run_search(self, search: Coroutine[Any, Any, None]) -> None:
        self._session.do(search, name=N_("searching"))

    def _on_index_wanted(self) -> None:
        self.search_sheet.show_indexing(0, self._to_read())
        self._session.do(self._index(), name=N_("reading all chats"))

    def _to_read(self) -> int:
        return max(1, len(self._chats) - 1)  # the demo story is not among them

    async def _index(self) -> None:
        total = self._to_read()

        def told(done: int) -> None:
            self.search_sheet.show_indexing(min(done, total - 1), total)

        try:
            failed = await self._session.companion.index_all(told)
        finally:
            self.search_sheet.show_indexing(total, total)
        if failed:
            left = trn(
                "{n} chat could not be read and is left out of the search.",
                "{n} chats could not be read and are left out of the search.",
                failed,
            )
            self._session.failed.emit(left)

    def _place_of(self, hit: Hit) -> str:
        from ui.shell.search_sheet import place_words, stem_words

        chat = self._chats.get(hit.chat)
        if chat is None:
            name = stem_words(hit.chat)
        else:
            name = ", ".join(filter(None, (owner_words(chat), chat_title(chat))))
        return place_words(hit, name, is_here=hit.chat == self._session.path)

    def _on_hit_chosen(self, hit: Hit) -> None:
        self._session.do(self._show_hit(hit), name=N_("showing what was found"))

    async def _show_hit(self, hit: Hit) -> None:
        if hit.chat != self._session.path:
            await self._session.open_path(hit.chat)
        if hit.memory_id:
            self.memory_wanted.emit(hit.memory_id)
        else:
            self.message_wanted.emit(hit.anchor)

    # Health

    def open_health(self) -> None:
        """Show how each part is doing, and what can be done about it."""
        self._show_health()
        self.health_sheet.open_above(self._frame.status)

    def _show_health(self) -> None:
        self.health_sheet.show_health(self._session.companion.health, self._remedy)

    def _on_health_changed(self, _health: object) -> None:
        if self.health_sheet.isVisible():
            self._show_health()

    def _remedy(self, item: HealthItem) -> Remedy | None:
        companion = self._session.companion
        has_tavern = bool(companion.taverns)
        return remedy_for(item, has_tavern=has_tavern, is_paused=companion.work.is_paused)

    def _report(self) -> str:
        companion, story = self._session.companion, self._session.story
        versions = {
            "Tavernkeep": companion.bridge.own_version,
            "Python": platform.python_version(),
            "Qt": qVersion(),
            "system": platform.platform(terse=True),
        }
        facts = Facts(
            versions,
            len(companion.taverns),
            chat_count(companion),
            len(companion.chats_in_pages),
            len(story.messages) if story is not None else 0,
            companion.work.operations,
            companion.settings.for_all(),
        )
        return report_of(companion.health, facts)

    def _on_remedy(self, remedy: Remedy) -> None:
        if remedy is Remedy.CHOOSE_FOLDER:
            self.folder_wanted.emit()
        elif remedy is Remedy.PAIR_AGAIN:
            pairing = self._session.companion.bridge.pair_again()
            self._session.do(pairing, name=N_("writing the bridge's password"))
        elif remedy is Remedy.OPEN_PAGE:
            self._session.do(self._open_page(), name=N_("opening SillyTavern"))
        elif remedy in SECTIONS:
            self.setting_wanted.emit(tr(SECTIONS[remedy]))
        else:
            self._actions[ACTIONS[remedy]].trigger()

    async def _open_page(self) -> None:
        companion, story = self._session.companion, self._session.story
        here = [tavern.user_folder for tavern in companion.taverns if not tavern.host]
        shown = story.chat.user_folder if story is not None else None
        if here:
            folder = shown if shown in here and shown is not None else here[0]
            address = await companion.bridge.page_address(folder)
            QDesktopServices.openUrl(QUrl(address))
            self._session.told.emit(
                tr(
                    "Opened {address} in your browser. SillyTavern has to be running.",
                    address=address,
                )
            )

    def show_status(self, key: str) -> bool:
        """Lead from a part's word in the status bar to what mends the part; whether there is
        something that does and no page of the window shows.
        """
        if key != "bridge" or self._remedy(self._session.companion.health.bridge) is None:
            return False
        self.open_health()
        self.health_sheet.rows[key].fix.setFocus(Qt.FocusReason.PopupFocusReason)
        return True
