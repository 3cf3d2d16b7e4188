"""Asks for longer texts from any page, after saying what each takes."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr
from app.views.text_offers import TextOffer, TextRequest
from ui.core.actions import ALSO_CALLED
from ui.core.session import Session
from ui.memories.commands import TEXT_COMMANDS
from ui.memories.text_offers import cost_words
from ui.shell.notice import Notice

KEY = "asked text: "  # of offers in the notice


class AskedTexts(QObject):
    """The actions, for the command palette."""

    def __init__(self, session: Session, notice: Notice, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._notice = notice
        self.actions: dict[TextRequest, QAction] = {}
        self.icons: dict[QAction, str] = {}
        for request, command in TEXT_COMMANDS.items():
            action = QAction(tr(command.name), self)
            action.setProperty(ALSO_CALLED, tr(command.also))
            action.triggered.connect(partial(self._on_asked, request))
            self.actions[request] = action
            self.icons[action] = command.icon
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)
        self._refresh()

    def _refresh(self) -> None:
        companion, path = self._session.companion, self._session.path
        can_ask = path is not None and not companion.is_reading_only
        for action in self.icons:
            action.setEnabled(can_ask)

    def _on_chat_opened(self, _story: object) -> None:
        for request in TextRequest:
            self._notice.withdraw(f"{KEY}{request}")
        self._refresh()

    def _on_asked(self, request: TextRequest) -> None:
        offer = self._offer(request)
        if offer is None:
            return
        if offer.why_not:
            self._notice.offer(f"{KEY}{request}", offer.why_not)
            return
        name = tr(TEXT_COMMANDS[request].name)
        sentence = tr("{what}: {cost}.", what=name, cost=cost_words(offer))
        self._notice.offer(f"{KEY}{request}", sentence, way_on=name)

    def _offer(self, request: TextRequest) -> TextOffer | None:
        companion, path = self._session.companion, self._session.path
        if path is None or companion.story(path) is None:
            return None
        return next(o for o in companion.texts.offers(path) if o.request is request)

    def _on_acted(self, key: str) -> None:
        path = self._session.path
        if path is not None and key.startswith(KEY):
            request = TextRequest(key.removeprefix(KEY))
            self._session.do(self._ask(request), name=N_("asking for a text"))

    async def _ask(self, request: TextRequest) -> None:
        path = self._session.path
        if path is not None:
            await self._session.companion.texts.ask(path, request)
            self._session.told.emit(tr("It is next in line; the page Work shows it."))
