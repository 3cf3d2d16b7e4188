"""The commands of pages that are not in front: the palette finds them, and they lead there."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from ui.controls.labels import words_of
from ui.controls.page_commands import ON_CHOSEN
from ui.controls.timers import once
from ui.core.actions import ALSO_CALLED
from ui.core.session import Session
from ui.program.pages import PAGES, command_icons
from ui.shell.command_palette import FarCommand

PATIENCE_MS = 4_000  # for a page to have what a command of it is about


class FarCommands(QObject):
    """Knows what can be done on every page, and goes there to do it. Owned by the desk.

    shown: the pages that were made so far, by their key. show_page: brings one to the front.
    """

    def __init__(
        self,
        session: Session,
        shown: Mapping[str, QWidget],
        show_page: Callable[[str], object],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._shown = shown
        self._show_page = show_page
        self._all: tuple[FarCommand, ...] = ()
        self._awaited: QAction | None = None
        self._at: QWidget | None = None  # the page that has it
        self._late = once(self, PATIENCE_MS, self._give_up)

    def of_others(self, key: str) -> tuple[FarCommand, ...]:
        """What can be done on all pages but this one; without a chat, on those that need none."""
        self._all = self._all or tuple(one for page in PAGES for one in _commands_of(page))
        has_chat = self._session.path is not None
        return tuple(
            one for one in self._all if one.page != key and (has_chat or PAGES[one.page].is_bare)
        )

    def go(self, command: FarCommand) -> None:
        """Bring its page to the front and do it, as soon as that page is ready for it.

        What acts on something chosen there is left to whoever sees what that is.
        """
        self._forget()
        self._show_page(command.page)
        page = self._shown.get(command.page)
        icons = command_icons(page)
        action = icons[command.place][0] if command.place < len(icons) else None
        if action is None or action.property(ON_CHOSEN):
            self._say_where(command.name)
        elif action.isEnabled():
            action.trigger()
        else:
            self._awaited, self._at = action, page
            action.enabledChanged.connect(self._on_enabled)
            self._late.start()

    def _on_enabled(self, is_enabled: bool) -> None:
        action, page = self._awaited, self._at
        if is_enabled and action is not None:
            self._forget()
            if page is not None and page.isVisible():
                action.trigger()

    def _give_up(self) -> None:
        action = self._awaited
        self._forget()
        if action is not None:
            self.say_why(action)

    def say_why(self, action: QAction) -> None:
        """Say of a command of the page in front, or of the window, why it does nothing now."""
        if action.property(ON_CHOSEN):
            self._say_where(words_of(action))
            return
        said = tr("“{command}” is not available here right now.", command=words_of(action))
        self._session.told.emit(said)

    def _say_where(self, name: str) -> None:
        self._session.told.emit(tr("“{command}” applies to what you select here.", command=name))

    def _forget(self) -> None:
        self._late.stop()
        if self._awaited is not None:
            self._awaited.enabledChanged.disconnect(self._on_enabled)
            self._awaited = None


def _commands_of(page: str) -> tuple[FarCommand, ...]:
    """What can be done on a page, without making it: that takes a while, and reads its chat."""
    spec = PAGES[page]
    if spec.commands is None:
        return ()
    owner = QWidget()
    made = spec.commands(owner)
    found = tuple(
        FarCommand(page, place, tr(spec.title), words_of(action), icon, _also(action))
        for place, (action, icon) in enumerate(made.items())
    )
    owner.deleteLater()
    return found


def _also(action: QAction) -> str:
    return str(action.property(ALSO_CALLED) or "")
