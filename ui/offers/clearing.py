"""Forgets everything that is known of a chat, after saying how much that is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from app.core.translation import N_, amount, roughly, tr, trn
from app.story.clearance import Clearance, as_shown
from app.views.asked_cost import AskedCost
from ui.core.session import Session
from ui.shell.notice import Notice

CLEARING = "clearing"
NOTHING = N_("Nothing to clear: this chat has no recaps and no breaks.")


def clearing_sentence(shown: Clearance, cost: AskedCost) -> str:
    """What the user loses, what stays, what brings it back, and what making it anew takes."""
    said = [
        tr(
            "This deletes {parts} of this chat, also what you wrote yourself.",
            parts=joined(shown.parts),
        ),
        tr("Messages and memories stay. Undo brings all of it back."),
    ]
    if cost.kept:
        said.append(tr("What the model has answered for the same text comes back by itself."))
    if cost.requests:
        said += [_takes(cost), tr("It is asked only when you say so.")]
    return " ".join(said)


def _takes(cost: AskedCost) -> str:
    what = [tr("about {tokens} tokens", tokens=roughly(cost.tokens))]
    if cost.price is not None:
        what.append(tr("about {price} at your prices", price=amount(cost.price)))
    if cost.searches:
        searches = trn(
            "{n} of them to find where scenes end",
            "{n} of them to find where scenes end",
            cost.searches,
        )
        what.insert(0, searches)
    requests = trn("{n} request", "{n} requests", cost.requests)
    cost_words = ", ".join(what)
    if cost.kept:
        return tr(
            "The rest takes {requests} to the model, {cost}.", requests=requests, cost=cost_words
        )
    return tr(
        "Making it anew takes {requests} to the model, {cost}.", requests=requests, cost=cost_words
    )


class Clearing(QObject):
    """Says what would go, and lets it go when the user says so. It is one step for undo."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)

    def begin(self) -> None:
        """Count what there is, and offer to clear it."""
        if self._session.path is not None:
            self._session.do(self._offer(self._session.path), name=N_("counting what there is"))

    async def _offer(self, path: Path) -> None:
        found = await self._session.companion.edits.clearance(path)
        story = self._session.story
        if not found:
            self._session.told.emit(tr(NOTHING))
        elif path == self._session.path and story is not None:
            cost = await self._session.companion.command_costs.of_all_anew(path)
            sentence = clearing_sentence(as_shown(found, story), cost)
            self._notice.offer(CLEARING, sentence, way_on=tr("Clear them all"))

    async def _clear(self, path: Path) -> None:
        story = self._session.story
        gone = await self._session.companion.edits.clear_all(path)
        shown = gone if story is None else as_shown(gone, story)
        self._session.told.emit(tr("Cleared: {parts}", parts=joined(shown.parts)))

    def _on_acted(self, key: str) -> None:
        if key == CLEARING and self._session.path is not None:
            self._session.do(self._clear(self._session.path), name=N_("clearing the chat"))

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(CLEARING)


def joined(parts: tuple[str, ...]) -> str:
    """ "a, b and c"."""
    *most, last = parts
    return tr("{most} and {last}", most=", ".join(most), last=last) if most else last
