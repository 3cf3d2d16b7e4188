"""The icon in the system's tray: how things are, a way back to the window, and notices."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from app.core.operations import FINISHED, Operation, OperationStatus
from app.core.part_health import PARTS, Light
from app.core.translation import N_, tr, trn
from app.settings.program import ProgramSettings
from ui.controls.labels import menu_text
from ui.core.actions import Actions
from ui.core.session import Session
from ui.theme import current_tokens
from ui.theme.icons import icon_pixmap
from ui.theme.style import rounded

if TYPE_CHECKING:
    from app.core.part_health import Health

LONG_SECONDS = 60.0  # work that took less is not worth a notice
SIDE = 64
DOT = 20.0
LONGEST_STATE = 60  # characters: a menu is as wide as its longest line
TITLE = "Tavernkeep"
# Desktops read markup in notices, and a server's sentence may be quoted in one.
NO_MARKUP = str.maketrans("<>", "‹›")
HERE = N_(
    "Tavernkeep keeps working in the background. Click the lantern to open the window; its menu "
    "quits."
)


class Tray(QObject):
    """There while the user wants it and the system has a tray.

    is_available: whether there is one. clock: seconds that only grow.
    """

    def __init__(
        self,
        session: Session,
        actions: Actions,
        window: QWidget,
        *,
        is_available: Callable[[], bool] = QSystemTrayIcon.isSystemTrayAvailable,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(window)
        self._session = session
        self._actions = actions
        self._window = window
        self._is_available = is_available
        self._clock = clock
        self._has_left = False
        self._busy_since: float | None = None
        self._bad: frozenset[str] = frozenset()
        self._shown_state: tuple[bool, bool, str] | None = None
        self.icon = QSystemTrayIcon(self)
        self._menu = QMenu(window)
        self._state = self._menu.addAction("")
        self._state.triggered.connect(self._on_state)
        self._menu.addSeparator()
        self._menu.addAction(tr("Show the window")).triggered.connect(self.show_window)
        self._menu.addAction(actions["pause"])
        self._menu.addSeparator()
        self._menu.addAction(actions["quit"])
        self.icon.setContextMenu(self._menu)
        self.icon.activated.connect(self._on_activated)
        self.icon.messageClicked.connect(self.show_window)
        session.health_changed.connect(self._on_health_changed)
        session.operations_changed.connect(self._on_operations_changed)
        self._bad = _bad_parts(session.companion.health)
        self.follow()

    @property
    def keeps_running(self) -> bool:
        """Whether a closed window leaves Tavernkeep running in the tray."""
        is_wanted = ProgramSettings(self._session.companion.settings).close_to_tray
        return is_wanted and not self._has_left and self._is_available()

    def follow(self) -> None:
        """Be there, or not, as the settings say now."""
        self._shown_state = None
        self._show_health(self._session.companion.health)
        self.icon.setVisible(self.keeps_running)
        if not self.keeps_running and not self._window.isVisible():
            self.show_window()  # else there would be no way back to it

    def show_window(self) -> None:
        """Put the window in front."""
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
        window.show()
        window.raise_()
        window.activateWindow()

    def tell_where(self) -> None:
        """Say where a closed window went; who closes it for the first time may look for it."""
        self.icon.showMessage(TITLE, tr(HERE), QSystemTrayIcon.MessageIcon.Information)

    def leave(self) -> None:
        """Go away for good: a window that is closed then is closed."""
        self._has_left = True
        self.icon.hide()

    def _on_state(self) -> None:
        """Show what the state is about: the work, or all parts with what can be done."""
        self.show_window()
        self._actions["health" if self._bad else "page.work"].trigger()

    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason is QSystemTrayIcon.ActivationReason.Trigger:
            self.show_window()

    def _on_health_changed(self, health: Health) -> None:
        self._show_health(health)
        bad = _bad_parts(health)
        fresh, self._bad = bad - self._bad, bad
        for part in PARTS:
            if part in fresh:
                self._tell(getattr(health, part).sentence, QSystemTrayIcon.MessageIcon.Warning)
                return

    def _show_health(self, health: Health) -> None:
        bad = [getattr(health, part).sentence for part in PARTS if part in _bad_parts(health)]
        state = (bad or [health.queue.sentence])[0]
        works = health.queue.light is Light.WORKING
        if (shown := (bool(bad), works, state)) == self._shown_state:
            return  # it is told with each message, and an icon is drawn anew
        self._shown_state = shown
        self.icon.setIcon(QIcon(lantern(is_bad=bool(bad), works=works)))
        self.icon.setToolTip(f"{TITLE}: {state.translate(NO_MARKUP)}")
        cut = state if len(state) <= LONGEST_STATE else f"{state[:LONGEST_STATE].rstrip()}…"
        self._state.setText(menu_text(cut))

    def _on_operations_changed(self, operations: tuple[Operation, ...]) -> None:
        runs = any(op.status is OperationStatus.RUNNING for op in operations)
        is_left = runs or any(op.status not in FINISHED for op in operations)
        if runs and self._busy_since is None:
            self._busy_since = self._clock()
        if is_left or self._busy_since is None:
            return
        took, self._busy_since = self._clock() - self._busy_since, None
        if took < LONG_SECONDS:
            return
        failed = sum(op.status is OperationStatus.FAILED for op in operations)
        words = trn(
            "All work is done; {n} job failed.", "All work is done; {n} jobs failed.", failed
        )
        words = words if failed else tr("All work is done.")
        self._tell(words, QSystemTrayIcon.MessageIcon.Information)

    def _tell(self, sentence: str, kind: QSystemTrayIcon.MessageIcon) -> None:
        """Say something outside of the window, to whoever does not look at it."""
        wanted = ProgramSettings(self._session.companion.settings).tray_notices
        if wanted and self.icon.isVisible() and not self._window.isActiveWindow():
            self.icon.showMessage(TITLE, sentence.translate(NO_MARKUP), kind)


def lantern(*, is_bad: bool, works: bool) -> QPixmap:
    """The icon: lit while all is well, red where the user is needed, with a dot while it works."""
    t = current_tokens()
    pixmap = icon_pixmap("lantern", t.failed.fill if is_bad else t.accent, SIDE)
    if is_bad or not works:
        return pixmap
    shown = QPixmap(pixmap)  # the other one is kept for whoever asks for it next
    painter = QPainter(shown)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    dot = QRectF(SIDE - DOT, SIDE - DOT, DOT, DOT)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    rounded(painter, dot.adjusted(-4, -4, 4, 4), DOT, t.accent)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    rounded(painter, dot, DOT / 2, t.included.fill)
    painter.end()
    return shown


def _bad_parts(health: Health) -> frozenset[str]:
    return frozenset(part for part in PARTS if getattr(health, part).light is Light.BAD)
