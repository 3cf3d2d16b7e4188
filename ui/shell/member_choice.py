"""Whose prompt is shown of a group: each member gets what they know."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr
from app.story.story import ChatKind
from ui.controls.fields import Choice
from ui.core.session import Session

WIDEST = 220  # px
TIP = N_("In a group each member gets a prompt of their own. Choose whose is shown.")


class MemberChoice(Choice):
    """One of a group's members, followed by all pages; hidden in any other chat."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(tr("Member"), parent)
        self._session = session
        self._is_offered = True
        self.setMaximumWidth(WIDEST)
        self.setToolTip(tr(TIP))
        self.activated.connect(self._on_activated)
        session.chat_opened.connect(self.follow)
        session.slots_changed.connect(self.follow)
        self.follow()

    def offer(self, is_offered: bool) -> None:
        """Whether what is shown may be another member's."""
        self._is_offered = is_offered
        is_shown = is_offered and self.count() > 1
        if not is_shown or self.parentWidget() is not None:  # without one it were a window
            self.setVisible(is_shown)

    def follow(self, _news: object = None) -> None:
        """Show who may answer, and whose prompt the pages show."""
        story = self._session.story
        is_group = story is not None and story.chat.kind is ChatKind.GROUP
        names = list(dict.fromkeys(story.chat.speakers)) if story is not None and is_group else []
        if names != [self.itemText(index) for index in range(self.count())]:
            self.clear()
            self.addItems(names)
        self.setCurrentText(self._session.slots.responder)
        self.offer(self._is_offered)

    def _on_activated(self, index: int) -> None:
        self._session.choose_member(self.itemText(index))
