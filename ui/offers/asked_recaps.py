"""Says what many recaps take that one command asks for, and waits for the word."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from PySide6.QtCore import QObject

from app.core.translation import N_, amount, roughly, tr, trn
from app.views.asked_cost import Asked, AskedCost
from ui.core.session import Session
from ui.shell.notice import Notice

MANY_RECAPS = "many recaps"
# So few requests are begun at once: who asks for them sees what they ask for.
FEW = 5
COMMAND = N_("changing the story")
SENT = "message_recaps_inject"
UNSENT = N_(
    "They are shown below the messages, but do not go into the prompt: the setting “Put message "
    "recaps into the prompt” is off."
)

Begin = Callable[[], Coroutine[Any, Any, object]]


TAKES = {
    Asked.MESSAGES: N_("Recapping these messages takes {requests} to the model, about {cost}."),
    Asked.SCENES: N_("Recapping these scenes takes {requests} to the model, about {cost}."),
    Asked.RUNNING: N_(
        "Rebuilding the running recap from this scene on takes {requests} to the model, about "
        "{cost}."
    ),
}


def asked_sentence(cost: AskedCost, *, is_paused: bool = False, is_unsent: bool = False) -> str:
    """What it takes, before the user says yes. is_unsent: recaps of messages go into no prompt."""
    requests = trn("{n} request", "{n} requests", cost.requests)
    tokens = tr("{tokens} tokens", tokens=roughly(cost.tokens))
    known = [tokens]
    if cost.price is not None:
        known.append(tr("about {price} at your prices", price=amount(cost.price)))
    said = tr(TAKES[cost.of], requests=requests, cost=", ".join(known))
    is_first = cost.of is not Asked.RUNNING
    order = tr("These come before everything else in the queue.") if is_first else ""
    paused = tr("Work is paused; this starts when you resume.") if is_paused else ""
    unsent = tr(UNSENT) if is_unsent and cost.of is Asked.MESSAGES else ""
    return " ".join(filter(None, (said, unsent, order, paused)))


class AskedRecaps(QObject):
    """One question at a time, about the chat that is shown."""

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._begin: Begin | None = None
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)

    def ask(self, cost: AskedCost, begin: Begin) -> None:
        """Do it where it is little, else say what it takes first."""
        if cost.requests <= FEW:
            self._session.do(begin(), name=COMMAND)
            return
        self._begin = begin
        is_paused = self._session.companion.work.is_paused
        path = self._session.path
        is_sent = bool(self._session.companion.setting(SENT, path=path).value)
        sentence = asked_sentence(cost, is_paused=is_paused, is_unsent=not is_sent)
        is_running = cost.of is Asked.RUNNING
        way_on = tr("Make it again") if is_running else tr("Write the recaps")
        self._notice.offer(MANY_RECAPS, sentence, way_on=way_on)

    def _on_acted(self, key: str) -> None:
        begin = self._begin
        if key == MANY_RECAPS and begin is not None:
            self._begin = None
            self._session.do(begin(), name=COMMAND)

    def _on_chat_opened(self, _story: object) -> None:
        self._begin = None
        self._notice.withdraw(MANY_RECAPS)
