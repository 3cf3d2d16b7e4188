"""What each member of a group remembers, to be shown by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.core.translation import tr
from app.story.story import ChatKind, Story
from ui.controls.labels import menu_text
from ui.core.session import Session
from ui.memories.whole import WholeCommands


def menu_of_all(
    session: Session, whole: WholeCommands, first: QAction, show: Callable[[str], None]
) -> Callable[[QWidget], QMenu]:
    """Makes the menu of all that is remembered. first: what stands at its head."""

    def menu(parent: QWidget) -> QMenu:
        members = members_menu(session.story, parent, show)
        return whole.menu(parent, [first, members.menuAction()] if members else [first])

    return menu


def members_menu(story: Story | None, parent: QWidget, show: Callable[[str], None]) -> QMenu | None:
    """An entry for each member, None outside of a group. show: their memories, by their name."""
    if story is None or story.chat.kind is not ChatKind.GROUP or not story.chat.speakers:
        return None
    menu = QMenu(tr("What one member remembers"), parent)
    for name in story.chat.speakers:
        menu.addAction(menu_text(name)).triggered.connect(partial(_call, show, name))
    return menu


def _call(show: Callable[[str], None], name: str, _is_checked: bool = False) -> None:
    show(name)
