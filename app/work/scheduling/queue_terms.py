"""On what terms the queue takes up work: whose it is, who is asked, what holds it back."""

from __future__ import annotations

from collections.abc import Callable

from app.core.errors import TavernkeepError
from app.core.operations import GONE, OFF, Operation, OperationSpec
from app.core.translation import tr
from app.llm.backends.specs import SILLYTAVERN, parse_spec
from app.settings.values import Settings
from app.work.chats.open_chats import OpenChats
from app.work.models.active_model import ActiveModel
from app.work.planning.staleness import renewed


class QueueTerms:
    """models: which one does what kind of work. holds: why nothing that asks a model is begun now,
    "" when it can be. takes_all: a command does the work of its own chat only.
    """

    def __init__(
        self,
        chats: OpenChats,
        settings: Settings,
        models: Callable[[], ActiveModel],
        holds: Callable[[Operation], str],
        *,
        takes_all: bool,
    ) -> None:
        self._chats = chats
        self._settings = settings
        self._models = models
        self._holds = holds
        self._takes_all = takes_all

    def asked(self, spec: OperationSpec) -> str:
        """Whose server does a piece of work: of SillyTavern's own connection, each tavern's is
        another.
        """
        model = self._models().writer(spec.kind).spec
        who = parse_spec(model)
        if who.kind != SILLYTAVERN:
            return who.server
        found = (chat for chat in self._chats.all if chat.chat_id == spec.chat)
        chat = next(found, None)
        return "" if chat is None else f"{model} {chat.chat.user_folder}"

    async def as_of_now(self, spec: OperationSpec) -> OperationSpec:
        """Work that is done again: by the model of now, of its story as it is."""
        try:
            chat = await self._chats.complete_by_id(spec.chat)
        except TavernkeepError:
            return spec  # who does it says why
        now = renewed(spec, chat.story, chat.settings(), self._models().writing())
        return now[0] if now else spec

    def is_ours(self, spec: OperationSpec) -> bool:
        """Whether it is done in this run.

        Not before that is planned: what an earlier run left would begin before what now goes first.
        """
        return self._takes_all or self._chats.has_planned(spec.chat)

    def held_back(self, operation: Operation) -> str:
        """Why it is not begun, "" when it can be."""
        if self._settings.in_force("chat_off", chat_id=operation.spec.chat).value:
            return tr(OFF)
        if any(c.is_gone for c in self._chats.all if c.chat_id == operation.spec.chat):
            return tr(GONE)
        # Asked of hundreds of operations at each change of one: what is dear comes last.
        held = self._holds(operation)
        return held if held and not self._models().is_free(operation.spec.kind) else ""
