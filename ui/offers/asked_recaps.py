"""Says what many recaps take that one command asks for, and waits for the word."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject

from app.core.translation import N_, number, roughly, tr, trn
from app.views.asked_cost import AskedCost
from ui.core.session import Session
from ui.shell.notice import Notice

MANY_RECAPS = "many recaps"
# So few requests are begun at once: who asks for them sees what they ask for.
FEW = 5
COMMAND = N_("changing the story")

Begin = Callable[[], Coroutine[Any, Any, object]]


def asked_sentence(cost: AskedCost, *, of_scenes: bool, is_paused: bool = False) -> str:
    """What it takes, before the user says yes."""
    requests = trn("{n} request", "{n} requests", cost.requests)
    tokens = tr("{tokens} tokens", tokens=roughly(cost.tokens))
    known = [tokens]
    if cost.price is not None:
        known.append(tr("about {price} by your prices", price=number(cost.price, 2)))
    said = (
        tr("Writing the recaps of these scenes takes {requests} to the model, about {cost}.")
        if of_scenes
        else tr("Writing the recaps of these messages takes {requests} to the model, about {cost}.")
    ).format(requests=requests, cost=", ".join(known))
    order = tr("They go before all else that waits.")
    paused = tr("The work is paused: it begins when you go on.") if is_paused else ""
    return " ".join(filter(None, (said, order, paused)))


class AskedRecaps(QObject):
    """One question at a time, about the chat that is shown."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._begin: Begin | None = None
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)

    def ask(self, cost: AskedCost, begin: Begin, of_scenes: bool) -> None:
        """Do it where it is little, else say what it takes first."""
        if cost.requests <= FEW:
            self._session.do(begin(), name=COMMAND)
            return
        self._begin = begin
        is_paused = self._session.companion.work.is_paused
        sentence = asked_sentence(cost, of_scenes=of_scenes, is_paused=is_paused)
        self._notice.offer(MANY_RECAPS, sentence, way_on=tr("Write the recaps"))

    def _on_acted(self, key: str) -> None:
        begin = self._begin
        if key == MANY_RECAPS and begin is not None:
            self._begin = None
            self._session.do(begin(), name=COMMAND)

    def _on_chat_opened(self, _story: object) -> None:
        self._begin = None
        self._notice.withdraw(MANY_RECAPS)
