"""The window: up at once as an empty frame, brought to life when the companion runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QKeyCombination,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QCloseEvent,
    QGuiApplication,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.core.tasks import TaskSupervisor
from app.core.translation import N_, tr
from app.settings.program import ProgramSettings
from ui.controls.timers import once
from ui.core.actions import Actions
from ui.core.window_state import WindowState, read_state
from ui.program.early_keys import EarlyKeys
from ui.program.front_door import TOKEN, Knock
from ui.shell.frame import Frame
from ui.theme.focus import FocusRing, ask_for_menu
from ui.theme.source import ThemeSource

if TYPE_CHECKING:
    from app.companion import Companion
    from ui.first_run.wizard import FirstRun
    from ui.offers.restarting import PatientRestart
    from ui.program.closing import LossWarning
    from ui.program.desk import Desk

SIZE = QSize(1360, 860)
SMALLEST = QSize(640, 480)
MENU_KEYS = QKeyCombination(Qt.KeyboardModifier.ShiftModifier, Qt.Key.Key_F10)
TITLE_BAR = 32  # what the system puts over a window, about: its last row has to stay in sight


class MainWindow(QWidget):
    """Shows the frame at once; `attach` brings it to life.

    Signals:
        closed: the user closed the window; whoever owns it ends the program.
    """

    closed = Signal()

    def __init__(self, theme: ThemeSource, tasks: TaskSupervisor) -> None:
        super().__init__()
        self._theme = theme
        self._tasks = tasks
        self._state = WindowState()
        self.desk: Desk | None = None
        self.first_run: FirstRun | None = None  # while it is shown
        self._wizard: FirstRun | None = None
        self._is_quitting = False
        self._is_over = False  # shut for good: it never comes back
        self.is_to_start_again = False
        self._loss_warning: LossWarning | None = None  # while it is shown
        self._restart: PatientRestart | None = None
        self._handed_over: Path | None = None  # by a second start, before there was a desk
        self.actions_ = Actions(self)
        self._early_keys = EarlyKeys(self.actions_)
        self.frame = Frame(self.actions_)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.frame)
        self.setWindowTitle("Tavernkeep")
        self.setMinimumSize(SMALLEST)
        self.resize(SIZE.boundedTo(self.screen().availableSize() - QSize(0, TITLE_BAR)))
        self.frame.bar.show_page("story")
        self.frame.header.show_place(tr("Story"), "")
        self.frame.header.left_toggled.connect(self.frame.navigator_split.toggle)
        self.actions_["pane.left"].triggered.connect(self.frame.navigator_split.toggle)
        self.actions_["quit"].triggered.connect(self.quit)
        self.actions_["restart"].triggered.connect(self.start_again)
        self.actions_["setup"].triggered.connect(self.set_up)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.closed.connect(self._on_closed)
        self._ring = FocusRing(application, self)

    # Life

    def attach(self, companion: Companion) -> None:
        """Bring the window to life with a companion that runs."""
        from ui.offers.restarting import PatientRestart
        from ui.program.desk import Desk

        desk = Desk(self, self.frame, self.actions_, companion, self._theme, self._tasks)
        self.desk = desk
        self._restart = PatientRestart(desk.session, self.frame.notice, self._go_to_start_again)
        self._restore(ProgramSettings(companion.settings).window_state)
        page = self._state.page
        desk.show_page(page if page in self.frame.page_buttons else "story")

    async def detach(self) -> None:
        """End what the window has under way; to be called before the companion stops."""
        if self.desk is not None:
            self.desk.tray.leave()
            self.desk.session.close()
        await self._tasks.aclose()

    def show_page(self, key: str) -> None:
        """Put a page on the stage."""
        if self.desk is not None:
            self.desk.show_page(key)

    @property
    def page(self) -> QWidget | None:
        """The page on the stage."""
        return self.frame.stack.currentWidget()

    def begin(self, chat: Path | None = None) -> None:
        """Open a chat, else the one that was shown last; offer a newcomer what comes first."""
        if self.desk is None:
            return
        chat = self._handed_over or chat
        is_last = chat is None and bool(self._state.last_chat)
        if is_last:
            chat = Path(self._state.last_chat)
        self.desk.banners.first_steps.declines_bridge = self._state.declines_bridge
        self.desk.banners.trim_notice.told = list(self._state.told_cuts)
        self.desk.banners.cap_notice.told = self._state.told_cap
        if chat is None and not self._state.is_set_up:
            self.set_up()
            return
        self.desk.banners.first_steps.begin(opens_demo=chat is None)
        if chat is not None:
            self.open_path(chat, by_itself=is_last)
            self.desk.session.reading.connect(self._on_first_read)
        else:
            self._early_keys.follow()

    def _on_first_read(self, is_reading: bool) -> None:
        """The chat is shown next, unless it cannot be read."""
        if not is_reading and self.desk is not None:
            self.desk.session.reading.disconnect(self._on_first_read)
            once(self, 0, self._early_keys.follow).start()

    def set_up(self) -> None:
        """Show the steps of the first run in place of the pages, until they are over."""
        from ui.first_run.wizard import FirstRun

        layout = self.layout()
        if self.desk is None or layout is None or self.first_run is not None:
            return
        if self._wizard is None:  # it stays: what it has under way may end later than it
            self._wizard = FirstRun(self.desk.session)
            self._wizard.closed.connect(self._on_set_up)
            self._wizard.folder_wanted.connect(self.desk.choose_tavern)
            layout.addWidget(self._wizard)
        if not self._state.is_set_up:
            self.desk.session.companion.work.wait_for_word()
        self.first_run = self._wizard
        self.desk.banners.page_chat.is_held = True
        self.first_run.begin()
        self.frame.hide()
        self.first_run.show()
        self.first_run.take_focus()

    def _on_set_up(self) -> None:
        wizard, self.first_run = self.first_run, None
        if self.desk is None or wizard is None:
            return
        is_first, self._state.is_set_up = not self._state.is_set_up, True
        wizard.hide()
        self.frame.show()
        steps, session = self.desk.banners.first_steps, self.desk.session
        steps.declines_bridge = steps.declines_bridge or wizard.was_bridge_skipped
        if is_first:
            steps.begin(opens_demo=session.path is None)
        begun = wizard.chat.chosen if wizard.chat.is_begun else None
        if is_first:
            path = None if begun is None else begun.path
            work = session.companion.work.begin(path, wizard.chat.part)
            session.do(work, name=N_("catching up"))
        elif begun is not None and session.plan is not None:
            session.catch_up(wizard.chat.part)
        self.desk.show_page("story")
        self.desk.banners.page_chat.is_held = False
        kept = session.companion.put_setting("window_state", self.current_state().to_text())
        session.do(kept, name=N_("saving that setup is done"))

    def open_path(self, path: Path, *, by_itself: bool = False) -> None:
        """Read the chat at `path` and show it; see Session.open_path."""
        if self.desk is not None:
            session = self.desk.session
            session.do(session.open_path(path, by_itself=by_itself), name=N_("opening the chat"))

    def on_knocked(self, knock: Knock) -> None:
        """Somebody started Tavernkeep again with the same data folder."""
        if knock.token:
            os.environ[TOKEN] = knock.token  # Qt's Wayland reads it when a window comes forward
        self.come_forward(knock.chat)

    def come_forward(self, chat: Path | None = None) -> None:
        """Stand in front of other windows, as after a second start, and open the chat it named."""
        if self._is_over:
            return
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()
        if chat is not None and self.desk is not None:
            self.show_page("story")
            self.open_path(chat)
        elif chat is not None:
            self._handed_over = chat

    # What is remembered

    def _restore(self, text: str) -> None:
        state = self._state = read_state(text)
        if state.geometry:
            self.restoreGeometry(QByteArray.fromBase64(state.geometry.encode("ascii", "ignore")))
            self._stand_at(QPoint(state.left, state.top))
        split = self.frame.navigator_split
        split.set_pane_width(state.navigator_width)
        split.set_open(state.navigator_open)
        self.frame.set_inspector_wish(state.inspector_width, state.inspector_open)

    def _stand_at(self, place: QPoint) -> None:
        """Stand where the frame stood: by its geometry alone Qt puts it lower, since it takes the
        title bar for higher than many are.
        """
        is_framed = self.frameGeometry().top() < self.geometry().top()
        screen = QGuiApplication.screenAt(place)
        wanted = QRect(place, self.frameGeometry().size())
        is_free = not self.windowState() & (
            Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen
        )
        if is_framed and is_free and screen and screen.availableGeometry().contains(wanted):
            self.move(place)

    def current_state(self) -> WindowState:
        """What is to be remembered until the next run."""
        path = self.desk.session.path if self.desk is not None else None
        width, is_open = self.frame.inspector_wish
        return WindowState(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode("ascii"),
            left=self.pos().x(),
            top=self.pos().y(),
            page=self.desk.page_key if self.desk is not None else self._state.page,
            navigator_width=self.frame.navigator_width,
            navigator_open=self.frame.navigator_split.is_open,
            inspector_width=width,
            inspector_open=is_open,
            last_chat=str(path) if path is not None else self._state.last_chat,
            declines_bridge=self.desk is not None and self.desk.banners.first_steps.declines_bridge,
            is_set_up=self._state.is_set_up,
            knows_tray=self._state.knows_tray,
            told_cuts=self.desk.banners.trim_notice.told if self.desk is not None else [],
            told_cap=self.desk.banners.cap_notice.told if self.desk is not None else "",
        )

    # Events

    def focusNextPrevChild(self, forward: bool) -> bool:
        focused = QApplication.focusWidget()
        # Qt calls this, too, when what has the focus is hidden or disabled; that is no key.
        if focused is not None and focused.isVisible() and focused.isEnabled():
            self._ring.announce_key()
        return super().focusNextPrevChild(forward)

    def event(self, event: QEvent) -> bool:
        if self.desk is None and event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # commands have nobody to follow them yet: their keys come as others do
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What nobody on the page wants of Escape puts the notice over it away; Shift+F10 is the
        menu key.
        """
        if event.key() == Qt.Key.Key_Escape and self.frame.notice.can_close:
            self.frame.notice.close_shown()
        elif event.keyCombination() == MENU_KEYS and (focused := QApplication.focusWidget()):
            ask_for_menu(focused)  # where the system does not make it the menu key by itself
        elif self.desk is None:
            self._early_keys.take(event)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.desk is not None:
            self.desk.fit_panes()
        else:
            self.frame.fit_panes(self.width(), page="story")

    def quit(self) -> None:
        """Close for good, also where a closed window would stay in the tray."""
        self._is_quitting = True
        self.close()

    def start_again(self) -> None:
        """Close for good, to be started again with what was chosen for the next start, once what a
        model is asked for now has come.
        """
        if self._restart is None:
            self._go_to_start_again()
        else:
            self._restart.begin()

    def _go_to_start_again(self) -> None:
        self.is_to_start_again = True
        self.quit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.desk is not None and self.desk.tray.keeps_running and not self._is_quitting:
            event.ignore()
            self.hide()
            if not self._state.knows_tray:
                self._state.knows_tray = True
                self.desk.tray.tell_where()
            return
        if self._is_loss_asked():
            event.ignore()
            return
        event.accept()
        self.closed.emit()

    def _on_closed(self) -> None:
        self._is_over = True

    def _is_loss_asked(self) -> bool:
        """Whether closing waits for a word, since what a full disk does not take would be lost."""
        if self.desk is None or not self.desk.session.companion.room.sentence:
            return False
        if self._loss_warning is None:
            from ui.program.closing import LossWarning

            self._loss_warning = LossWarning(self.desk.session.companion, self)
            self._loss_warning.accepted.connect(self.closed)
            self._loss_warning.rejected.connect(self._on_staying)
            self._loss_warning.open()
        return True

    def _on_staying(self) -> None:
        self._loss_warning = None
        self._is_quitting = self.is_to_start_again = False

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self._theme.tokens.chrome)
