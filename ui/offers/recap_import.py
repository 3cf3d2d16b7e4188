"""Takes in what other extensions left of a chat, after saying what that is, and what is not."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, tr, trn
from app.views.findings import Findings
from app.views.offered_settings import TheirSettings
from ui.core.session import Session
from ui.offers.clearing import joined
from ui.shell.notice import Notice

RECAP_IMPORT = "taking in"
SETTINGS = "settings of others"
MOST_LABELS = 4  # of settings that are named; of more it is said how many they are
UNDONE = N_("Undo reverses this.")
NOTHING = N_("Other extensions left nothing about this chat that is not known here.")


class RecapImportOffer(QObject):
    """Says what there is, and takes it in when the user says so: what is known of the chat, and the
    settings, each by a notice of its own. Each is one step for undo.
    """

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
        companion = self._session.companion
        found = await companion.edits.extension.found(path)
        settings = await companion.their_settings.found(path)
        if path != self._session.path:
            return
        if settings:  # shown once the other notice is gone
            sentence = "\n".join((*settings_sentences(settings), tr(UNDONE)))
            self._notice.offer(SETTINGS, sentence, way_on=tr("Import the settings"))
        if found:
            sentences = (*taken_sentences(found), *left_out_sentences(found), tr(UNDONE))
            self._notice.offer(RECAP_IMPORT, "\n".join(sentences), way_on=tr("Import"))
        elif not settings:
            sentences = (tr(NOTHING), *left_out_sentences(found), *_left_out_settings(settings))
            self._session.told.emit(" ".join(sentences))

    async def _take_in(self, path: Path) -> None:
        taken = await self._session.companion.edits.extension.take_in(path)
        said = tr("Imported: {parts}", parts=joined(taken.parts)) if taken else tr(NOTHING)
        self._session.told.emit(said)

    async def _take_settings(self, path: Path) -> None:
        taken = await self._session.companion.their_settings.take_over(path)
        said = trn("{n} setting was imported.", "{n} settings were imported.", len(taken.values))
        self._session.told.emit(said)

    def _on_acted(self, key: str) -> None:
        path = self._session.path
        if path is None or key not in (RECAP_IMPORT, SETTINGS):
            return
        work = self._take_in(path) if key == RECAP_IMPORT else self._take_settings(path)
        self._session.do(work, name=N_("importing"))

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(RECAP_IMPORT)
        self._notice.withdraw(SETTINGS)


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
        tr(
            "Not imported from {extension}: {reasons}.",
            extension=one.whose,
            reasons=joined(reasons),
        )
        for one in found.of
        if (reasons := one.reasons)
    )


def settings_sentences(found: TheirSettings) -> tuple[str, ...]:
    """Which settings of Smart Memory are otherwise there, and what is not taken of them."""
    if not found:
        return _left_out_settings(found)
    named = found.labels[:MOST_LABELS]
    more = len(found.labels) - len(named)
    listed = (*named, trn("{n} more", "{n} more", more)) if more else named
    said = tr("Smart Memory settings that differ here: {names}.", names=joined(listed))
    return (said, *_left_out_settings(found))


def _left_out_settings(found: TheirSettings) -> tuple[str, ...]:
    if not found.left_out:
        return ()
    return (
        trn(
            "{n} more setting of Smart Memory has no counterpart here.",
            "{n} more settings of Smart Memory have no counterpart here.",
            found.left_out,
        ),
    )
