"""Takes in what other extensions left of a chat, after saying what that is, and what is not."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, tr
from app.work.chats.findings import Findings
from ui.core.session import Session
from ui.offers.clearing import joined
from ui.shell.notice import Notice

TAKING_IN = "taking in"
NOTHING = N_("No other extension left anything of this chat that is not known here.")


class TakingIn(QObject):
    """Says what there is, and takes it in when the user says so. It is one step for undo."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)

    def begin(self) -> None:
        """Look for it, and offer to take it in."""
        if self._session.path is not None:
            self._session.do(self._offer(self._session.path), name=N_("reading the chat"))

    async def _offer(self, path: Path) -> None:
        found = await self._session.companion.edits.extension.found(path)
        if not found:
            self._session.told.emit(" ".join((tr(NOTHING), *left_out_sentences(found))))
        elif path == self._session.path:
            sentences = (
                tr("Not known here yet:"),
                *taken_sentences(found),
                *left_out_sentences(found),
                tr("Taking this in is one step, which undo takes back."),
            )
            self._notice.offer(TAKING_IN, " ".join(sentences), way_on=tr("Take it in"))

    async def _take_in(self, path: Path) -> None:
        taken = await self._session.companion.edits.extension.take_in(path)
        said = tr("Taken in: {parts}", parts=joined(taken.parts)) if taken else tr(NOTHING)
        self._session.told.emit(said)

    def _on_acted(self, key: str) -> None:
        if key == TAKING_IN and self._session.path is not None:
            self._session.do(self._take_in(self._session.path), name=N_("taking it in"))

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(TAKING_IN)


def taken_sentences(found: Findings) -> tuple[str, ...]:
    """What there is to take in, a sentence for each extension."""
    return tuple(
        tr("From {extension}: {parts}.", extension=one.whose, parts=joined(one.parts))
        for one in found.of
        if one
    )


def left_out_sentences(found: Findings) -> tuple[str, ...]:
    """What is not taken in and why, a sentence for each extension."""
    return tuple(
        tr("Not taken from {extension}: {reasons}.", extension=one.whose, reasons=joined(reasons))
        for one in found.of
        if (reasons := one.reasons)
    )
