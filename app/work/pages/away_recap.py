"""Notices when somebody comes back to a story, and tells them once what happened before."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from app.core.errors import AnswerUnusable, BackendError, TavernkeepError
from app.core.operations import OperationKind, OperationSpec
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, speaking, tr, trn
from app.llm.backends.page_line import telling_of
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.meter import RequestUse, noting
from app.memory.documents.away import Stored, absence, is_due, spoken, without_model
from app.settings.memory import MemorySettings
from app.store.kept_answers import KeptInStore
from app.store.store import Store
from app.story.story import Story
from app.views.away_recap import AwayRecap
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages.absence import away_recap, stored_of
from app.work.pages.link import BridgeLink

log = logging.getLogger(__name__)

SAVE_EVERY_SECONDS = 30.0
# The window and the page are seldom opened in the same moment: who sees it in one of them finds
# it in the other as well.
STILL_NEW_SECONDS = 600.0
# Who asked for it is shown it when the reply is there that was being written meanwhile.
SHOW_AGAIN_SECONDS, SHOW_TIMES = 2.0, 60
WRITING = N_("{model} is writing the story so far …")


class Noted(Protocol):
    """Keeps a request that was asked beside the queue among the work that ended."""

    async def __call__(
        self, spec: OperationSpec, uses: Sequence[RequestUse], *, begun: float, in_vain: str = ""
    ) -> None: ...


def recap_title(seconds: float) -> str:
    """How long ago it was; -1 where that is not said."""
    if seconds < 0:
        return tr("Previously")
    return tr("Previously · {time} ago", time=absence(seconds))


def card_in(language: str, *, seconds: float, text: Callable[[], str]) -> dict[str, str]:
    """What SillyTavern's page shows, in its own language. seconds: as above."""
    with speaking(language):
        return {"title": recap_title(seconds), "text": text()}


class AwayRecaps:
    """Tells what happened before when a chat is opened after an absence (spec §18, RECAP).

    model: whom to ask, None to tell what is stored as it is: without a model, and while the one
    there is has something else to do. The text is shown and not kept, and is in no prompt.
    shown: a text about a chat as its readers are shown it; as it is unless something is set.
    noted: is told of each request that was paid for.

    Signals:
        told: an AwayRecap to be shown.
        over: the chat whose recap is of no interest any more, since its story goes on.
    """

    # 8 parameters: wiring.py alone makes it.
    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        link: BridgeLink,
        model: Callable[[], MemoryModel | None],
        count: Callable[[str], int],
        tasks: TaskSupervisor,
        *,
        shown: Callable[[Path, str], str] = lambda _, text: text,
        noted: Noted | None = None,
    ) -> None:
        self._store = store
        self._chats = chats
        self._link = link
        self._model = model
        self._shown = shown
        self._noted = noted
        self._count = count
        self._tasks = tasks
        self._busy: dict[Path, bool] = {}  # what is being told, and whether somebody asked for it
        self._new: dict[Path, tuple[AwayRecap, float]] = {}
        self._saved: dict[Path, float] = {}
        self.told: Signal[AwayRecap] = Signal("told")
        self.over: Signal[Path] = Signal("over")
        link.opened.connect(self.open)
        link.moved_on.connect(self._on_moved_on)
        link.recap_asked.connect(self.ask)

    def open(self, path: Path) -> None:
        """Somebody opens this chat, in a page or in the window."""
        self._begin(path, is_asked=False)

    def ask(self, path: Path) -> None:
        """The user wants to be told, however long they were away."""
        self._begin(path, is_asked=True)

    def _begin(self, path: Path, *, is_asked: bool) -> None:
        if path in self._busy:  # one for each chat at a time
            self._busy[path] = self._busy[path] or is_asked
        else:
            self._busy[path] = is_asked
            self._tasks.spawn(self._tell(path, is_asked=is_asked), name="what happened before")

    def _on_moved_on(self, path: Path) -> None:
        """Who plays on wants no recap, also not the one that is being written, but what they asked
        for.
        """
        if not self._busy.get(path, True):
            del self._busy[path]
        if self._new.pop(path, None) is not None:
            self.over.emit(path)
        if time.monotonic() - self._saved.get(path, -SAVE_EVERY_SECONDS) >= SAVE_EVERY_SECONDS:
            self._tasks.spawn(self._note(path), name="noting that a story is played")

    async def _note(self, path: Path) -> None:
        chat = self._chats.get(path)
        if chat is not None:
            await self._save(chat, time.time())

    async def _tell(self, path: Path, *, is_asked: bool) -> None:
        try:
            recap = await self._recap(path, is_asked=is_asked)
            if recap is None or path not in self._busy:
                return
            self._new[path] = recap, time.monotonic()
            if self._busy[path] and await self._show(recap, times=1):
                return  # who asked has it before them, and the window need not say it too
            self.told.emit(recap)
            await self._show(recap, times=SHOW_TIMES if self._busy[path] else 1)
        except TavernkeepError as error:
            log.debug("What happened before was not told: %s", error)
        finally:
            self._busy.pop(path, None)

    async def _show(self, recap: AwayRecap, *, times: int) -> bool:
        for time_ in range(times):
            if time_:
                await asyncio.sleep(SHOW_AGAIN_SECONDS)
            card = partial(card_in, seconds=recap.seconds, text=lambda: recap.text)
            if await self._link.show_recap(recap.path, card):
                self._new.pop(recap.path, None)
                return True
            if recap.path not in self._link.shown:
                return False  # a page that shows the chat later is told then
        return False

    async def _recap(self, path: Path, *, is_asked: bool) -> AwayRecap | None:
        chat = self._chats.get(path) or await self._chats.open(path)
        if chat.is_off:
            return None
        now = time.time()
        before = await self._last(chat)
        await self._save(chat, now)
        new = self._new.get(path)
        is_new = new is not None and time.monotonic() - new[1] < STILL_NEW_SECONDS
        if new is not None and is_new and not is_asked:
            return new[0]
        settings = chat.settings()
        is_back = is_due(before, now, hours=MemorySettings(settings).away_hours)
        if not is_asked and not (MemorySettings(settings).away_recap and is_back):
            return None
        text = self._shown(path, await self._text(chat, is_asked=is_asked))
        if not text and not is_asked:
            return None
        seconds = now - before if before is not None and is_back else -1
        told = text or missing_words(chat.story)
        return AwayRecap(path, recap_title(seconds), told, seconds)

    async def _text(self, chat: OpenChat, *, is_asked: bool) -> str:
        model = self._model()
        if is_asked and model is not None:  # it may take minutes
            label = model.label
            card = partial(card_in, seconds=-1, text=lambda: tr(WRITING, model=label))
            await self._link.show_recap(chat.chat.path, card)
        begun, failed = time.time(), ""
        with telling_of(chat.chat.user_folder), noting() as taken:
            try:
                kept = KeptInStore(self._store)
                return await away_recap(chat, model, self._count, kept, is_asked=is_asked)
            except BackendError as error:
                log.debug("No model told what happened before: %s", error)
                failed = str(error)
                return _instead(stored_of(chat), error, model.label) if model is not None else ""
            finally:
                if taken and self._noted is not None:
                    await self._noted(_spec(chat), taken, begun=begun, in_vain=failed)

    async def _last(self, chat: OpenChat) -> float | None:
        """When the story was last played; never so long ago as its newest message says.

        None for a chat that is seen for the first time, also where its messages are old.
        """
        last = await self._store.run(lambda: self._store.activity.last(chat.chat_id))
        sent = chat.story.messages[-1].sent if chat.story.messages else ""
        try:
            newest = datetime.fromisoformat(sent)
        except ValueError:  # SillyTavern to 1.14 wrote them for people
            return last
        if newest.tzinfo is None:
            newest = newest.replace(tzinfo=UTC)
        return None if last is None else max(last, newest.timestamp())

    async def _save(self, chat: OpenChat, moment: float) -> None:
        self._saved[chat.chat.path] = time.monotonic()
        await self._store.run(lambda: self._store.activity.save(chat.chat_id, moment))


def _spec(chat: OpenChat) -> OperationSpec:
    """What was asked for, as a row of the work that ended."""
    last = chat.story.messages[-1].anchor if chat.story.messages else ""
    kind = OperationKind.AWAY
    return OperationSpec(kind, chat.chat_id, kind.value, last, N_("Story so far"))


def _instead(stored: Stored, error: BackendError, model: str) -> str:
    """What is kept, where a model told nothing, and why that; "" where nothing is."""
    recap = spoken(stored.recap).strip()
    told = recap or without_model(stored)
    if not told:
        return ""
    why = tr("{model} cannot be asked right now.", model=model)
    if isinstance(error, AnswerUnusable):
        why = tr("The answer of {model} was not usable.", model=model)
    what = (
        tr("This is the running recap.") if recap else tr("This is the recap of the last scenes.")
    )
    return f"{why} {what}\n\n{told}"


def missing_words(story: Story) -> str:
    """Why nothing can be told yet."""
    closed = sum(scene.is_closed for scene in story.scenes)
    if not story.messages:
        return tr("This chat has no messages yet.")
    if not closed:
        return tr("No scene has ended yet; a recap is written when one does.")
    return trn(
        "{n} scene has ended without a recap so far.",
        "{n} scenes have ended without a recap so far.",
        closed,
    )
