"""The chats that are being looked after, and the work that each of them needs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from app.core.errors import OperationOutdated, TavernkeepError, UsageError
from app.core.operations import MEMORY_KINDS, Operation, OperationKind
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.prompt.tokens import TokenCounter
from app.settings.scenes import SceneSettings
from app.settings.values import Settings
from app.sillytavern.data_folders import chat_ref_for
from app.store.prompt_facts import PromptFacts
from app.store.store import Store
from app.store.stories.chats import split_name, view_name
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story
from app.views.story_change import StoryChange
from app.work.chats.around import Around
from app.work.chats.bursts import Bursts
from app.work.chats.open_chat import OpenChat
from app.work.chats.token_count_cache import TokenCountCache
from app.work.planning.break_planner import HEURISTIC

log = logging.getLogger(__name__)

# Events come often and several for one change; SillyTavern saves a moment after most of them.
REFRESH_SECONDS = 0.3
LONGEST_REFRESH_SECONDS = 1.0
# The page tells of a chat's new name some time after the file has it; until then it only misses.
RENAME_SECONDS = 5.0
VIEWS_KEPT = 20  # of chats seen as if they ended earlier


class OpenChats:
    """Opens chats once, reads them again when told, and plans what they lack.

    Signals:
        changed: a story became different.
        failed: (path, sentence) a chat could not be read; its last story is kept.
        recovered: a chat of which that was told can be read again.
        read: an open chat as its file is now.
        renamed: (old path, new path) an open chat goes on under another name.
        deleted: an open chat whose file is gone, as far as can be told for good.
    """

    def __init__(
        self,
        store: Store,
        counter: TokenCounter,
        packs: Sequence[LanguagePack],
        settings: Settings,
        tasks: TaskSupervisor,
        *,
        around: Around | None = None,
    ) -> None:
        self._store = store
        self._packs = packs
        self._settings = settings
        self._tasks = tasks
        self._token_counts = TokenCountCache(store, counter)
        self._chats: dict[tuple[Path, int | None], OpenChat] = {}
        # Gone with the last who waits: pages may name chats without end that are not there.
        self._opening: WeakValueDictionary[tuple[Path, int | None], asyncio.Lock] = (
            WeakValueDictionary()
        )
        self._rereading: dict[Path, bool] = {}
        self._comparing: dict[OpenChat, asyncio.Task[None]] = {}
        self._completing: dict[OpenChat, asyncio.Task[None]] = {}
        self._bursts = Bursts(LONGEST_REFRESH_SECONDS)
        self._failures = Bursts(RENAME_SECONDS)
        around = around or Around()
        self.follow = around.follow
        self.keeps_memory = around.keeps_memory
        self._writing = around.writing
        self._connection = around.connection
        self._reads_to_the_end = around.reads_to_the_end
        self.shown: Path | None = None  # in the window
        self.changed: Signal[StoryChange] = Signal("changed")
        self.failed: Signal[tuple[Path, str]] = Signal("failed")
        self.recovered: Signal[Path] = Signal("recovered")
        self._failed: set[Path] = set()
        self.read: Signal[OpenChat] = Signal("read")
        self.renamed: Signal[tuple[Path, Path]] = Signal("renamed")
        self.deleted: Signal[OpenChat] = Signal("deleted")

    @property
    def all(self) -> tuple[OpenChat, ...]:
        """The chats that are looked after now."""
        found = (self.get(path) for path in self.paths)
        return tuple(chat for chat in found if chat is not None)

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of all open chats."""
        return tuple({path for path, _ in self._chats})

    @property
    def last_read(self) -> tuple[Story, float, str] | None:
        """The chat that is shown, else read last; when (epoch seconds), and what failed then."""
        newest = max(self._chats.values(), key=lambda chat: chat.last_read, default=None)
        chat = self._chats.get((self.shown, None), newest) if self.shown else newest
        if chat is None:
            return None
        # What was missed for a moment only is told to nobody.
        failure = chat.failure if chat.chat.path in self._failed else ""
        return chat.story, chat.last_read, failure

    def show(self, path: Path) -> None:
        """This chat is the one that the window shows from now on."""
        self.shown = path

    def has_planned(self, chat_id: int) -> bool:
        """Whether the chat with this number in the store is open, and what it lacks is queued."""
        return any(chat.chat_id == chat_id and chat.is_planned for chat in self._chats.values())

    def get(self, path: Path, until: int | None = None) -> OpenChat | None:
        """An open chat, None when it is not open."""
        return self._chats.get((path, until))

    def required(self, path: Path, until: int | None = None) -> OpenChat:
        """An open chat. Raises UsageError when it is not open."""
        chat = self.get(path, until)
        if chat is None:
            raise UsageError(tr("This chat is not open."))
        return chat

    async def open(
        self,
        path: Path,
        *,
        until: int | None = None,
        prepare: Callable[[OpenChat], Awaitable[None]] | None = None,
    ) -> OpenChat:
        """The chat in `path`, read and planned; a long one is planned when it is complete.

        prepare: done with it before it is planned. Raises ChatUnreadable.
        """
        chat = await self._read(path, until)
        if prepare is not None:
            await prepare(chat)
        await self.plan(chat)
        return chat

    async def _read(self, path: Path, until: int | None) -> OpenChat:
        key = (path, until)
        opening = self._opening.setdefault(key, asyncio.Lock())
        async with opening:
            chat = self._chats.get(key)
            if chat is not None:
                await chat.reading(is_end_enough=True)
                self._tell_reading(key, chat)
                self._compare(key, chat)
                return chat
            if until is not None:  # what it begins with has to be known, and costs nothing
                await self._read(path, None)
            chat = await self._make(path, until)
            await chat.read()
            if until is None:
                await self._take_settings(chat)
            if chat.memory_problem:
                self.failed.emit((path, chat.memory_problem))
            self._take_in(key, chat)
            self._tell_reading(key, chat)
            return chat

    async def _take_settings(self, chat: OpenChat) -> None:
        """A branch or a copy has what was set for the chat that it begins as."""
        number, settings = chat.chat_id, self._store.settings
        own = await self._store.run(lambda: settings.of_chat(number))
        if self._settings.replace_chat(number, own):
            await chat.refresh()

    def _tell_reading(self, key: tuple[Path, int | None], chat: OpenChat) -> None:
        if key[1] is None:
            self.read.emit(chat)

    async def glance(self, path: Path) -> OpenChat:
        """The chat in `path`, read, but looked after no longer unless it was already.

        Raises ChatUnreadable.
        """
        chat = self._chats.get((path, None))
        if chat is None:
            chat = await self._make(path, None)
            await chat.read()
        return chat

    def _take_in(self, key: tuple[Path, int | None], chat: OpenChat) -> None:
        """A renamed chat goes on under its new name; nobody looks after the old one any more."""
        olds = [old for old, other in self._chats.items() if other.chat_id == chat.chat_id]
        for old in olds:
            del self._chats[old]
        self._chats[key] = chat
        for path, _ in olds:
            if self.shown == path:
                self.shown = key[0]
            self.renamed.emit((path, key[0]))

    async def by_id(self, chat_id: int) -> OpenChat:
        """The chat with this number in the store, opened when need be."""
        for chat in self._chats.values():
            if chat.chat_id == chat_id:
                return chat
        stored = await self._store.run(lambda: self._store.chats.path_of(chat_id))
        if stored is None:
            raise TavernkeepError(tr("The chat of this job is no longer known."))
        path, until = split_name(stored)
        if not await asyncio.to_thread(path.exists) and _has_home(path):
            raise OperationOutdated(tr("Its chat was deleted."))
        return await self.open(path, until=until)

    async def complete_by_id(self, chat_id: int) -> OpenChat:
        """The same for work on it, which is not to begin with estimates."""
        chat = await self.by_id(chat_id)
        await chat.complete()
        return chat

    async def refresh(self, chat: OpenChat) -> None:
        """After a change in the store: make the story anew and plan."""
        await chat.refresh()
        await self.plan(chat)

    async def recount(self, counter: TokenCounter, factor: float) -> None:
        """Count all messages as another model does; factor: its tokens for one of the counter's."""
        if self._token_counts.follow(counter, factor):
            for chat in tuple(self._chats.values()):
                await chat.recount()

    async def follow_connection(self, connection: str) -> None:
        """SillyTavern is connected to another model: its prompts hold what they held with that."""
        for chat in tuple(self._chats.values()):
            number = chat.chat_id
            read = partial(self._store.prompt_facts.of, number, connection)
            if chat.take_facts(await self._store.run(read)):
                await chat.refresh()

    async def refresh_all_of(self, chat: OpenChat) -> None:
        """The same where what the chat's character keeps may have changed: in all its chats."""
        for one in dict.fromkeys((chat, *self._akin_to(chat))):
            await self.refresh(one)

    def _akin_to(self, chat: OpenChat) -> list[OpenChat]:
        """The open chats that tell of what this chat's character keeps, or whose memories it
        tells of.
        """
        owner = chat.chat.owner_key
        if not owner:
            return []
        return [
            other
            for other in self._chats.values()
            if (key := other.chat.owner_key)
            and (key == owner or owner in other.keepers or key in chat.keepers)
        ]

    async def plan(self, chat: OpenChat) -> None:
        """Queue what the story lacks, once it is complete."""
        if not chat.is_complete:
            self._complete(chat)
        elif self.follow is not None:
            await self.follow(chat)
            chat.end_planning()

    def _complete(self, chat: OpenChat) -> None:
        """Count and search behind the opening of a long chat, and plan then."""
        if chat not in self._completing:
            task = self._tasks.spawn(self._completed(chat), name="completing a chat")
            self._completing[chat] = task
            task.add_done_callback(lambda _: self._completing.pop(chat))

    async def _completed(self, chat: OpenChat) -> None:
        try:
            is_planned = False
            while not is_planned:
                await chat.complete()
                if self.follow is not None:
                    await self.follow(chat)
                    chat.end_planning()
                is_planned = chat.is_complete  # it may have gone on meanwhile
        except TavernkeepError as error:  # the next plan tries again
            log.debug("completing a chat: %s", type(error).__name__)

    async def plan_again(self, chat_ids: Collection[int]) -> None:
        """Queue what these chats lack, those of them that are open."""
        for chat in tuple(self._chats.values()):
            if chat.chat_id in chat_ids:
                await self.plan(chat)

    def _settings_of(self, chat_id: int) -> Mapping[str, Any]:
        """The settings of a chat; where there is no model, cues find the breaks whatever is set."""
        settings = self._settings.for_chat(chat_id)
        writing = self._writing() if self._writing is not None else None
        if writing is not None and writing.of(OperationKind.DETECT_BREAKS).is_free:
            settings[SceneSettings.scene_detector.name] = HEURISTIC
        return settings

    async def after(self, operation: Operation) -> None:
        """An operation ended: show what it made, plan what comes next."""
        for chat in tuple(self._chats.values()):
            if chat.chat_id == operation.spec.chat:
                await self.refresh(chat)
                if operation.spec.kind in MEMORY_KINDS:
                    for other in self._akin_to(chat):
                        if other is not chat:
                            await other.refresh()

    def set_round(self, path: Path, *, is_on: bool) -> None:
        """The members of a group answer one another in this chat, or have done so."""
        chat = self.get(path)
        if chat is not None and chat.set_round(is_on=is_on) and not is_on:
            self._tasks.spawn(self._after_round(path, chat), name="after a group's round")

    async def _after_round(self, path: Path, chat: OpenChat) -> None:
        self.reread_soon(path)
        await self.plan(chat)  # also where the file already had all of it

    def close(self) -> None:
        """Read nothing again."""
        self._bursts.close()
        self._failures.close()

    def reread_soon(self, path: Path) -> None:
        """The file may have changed, or is about to. What comes in bursts is read once."""
        if (path, None) in self._chats:
            self._bursts.after(REFRESH_SECONDS, path, partial(self.reread, path))

    def reread(self, path: Path) -> None:
        """Read an open chat again now. Several calls while one reading runs make one more."""
        if path in self._rereading:
            self._rereading[path] = True
            return
        chat = self._chats.get((path, None))
        if chat is not None:
            self._rereading[path] = False
            self._tasks.spawn(self._reread(path, chat), name="reading a chat")

    async def _reread(self, path: Path, chat: OpenChat) -> None:
        try:
            again = True
            while again:
                self._rereading[path] = False
                try:
                    has_news = await chat.read(is_end_enough=True)
                    was_gone = chat.set_gone(is_gone=False)
                    self._tell_recovered(path)
                    if has_news or was_gone:
                        self._tell_reading((path, None), chat)
                        await self.plan(chat)
                    self._compare((path, None), chat)
                except TavernkeepError as error:
                    is_there = await asyncio.to_thread(path.exists)
                    chat.set_gone(is_gone=not is_there)
                    tell = partial(self._tell_failure, path, chat, str(error))
                    self._failures.after(0.0 if is_there else RENAME_SECONDS, path, tell)
                again = self._rereading[path]
        finally:
            del self._rereading[path]

    def _compare(self, key: tuple[Path, int | None], chat: OpenChat) -> None:
        """Where only the end of a long file was looked at, read all of it behind that."""
        if not chat.is_compared and chat not in self._comparing:
            task = self._tasks.spawn(self._compared(key, chat), name="comparing a chat")
            self._comparing[chat] = task
            task.add_done_callback(lambda _: self._comparing.pop(chat))

    async def settled(self) -> None:
        """Wait until nothing is left to compare and to complete."""
        while tasks := (*self._comparing.values(), *self._completing.values()):
            await asyncio.wait(tasks)

    async def _compared(self, key: tuple[Path, int | None], chat: OpenChat) -> None:
        try:
            while not chat.is_compared:
                if await chat.read():
                    self._tell_reading(key, chat)
                    await self.plan(chat)
        except TavernkeepError as error:  # the next reading tells of it
            log.debug("comparing a chat: %s", type(error).__name__)

    def _tell_failure(self, path: Path, chat: OpenChat, sentence: str) -> None:
        if self.get(path) is chat and chat.failure:
            if chat.is_gone and path not in self._failed:
                self._tasks.spawn(self._await_file(path, chat), name="waiting for a chat's file")
            self._failed.add(path)
            self.failed.emit((path, sentence))
            if chat.is_gone and _has_home(path):
                self.deleted.emit(chat)

    async def _await_file(self, path: Path, chat: OpenChat) -> None:
        """Who listens to a folder that was moved away hears nothing of the one there now."""
        await chat.until_there(path)
        self.reread(path)

    def _tell_recovered(self, path: Path) -> None:
        if path in self._failed:
            self._failed.discard(path)
            self.recovered.emit(path)

    async def _make(self, path: Path, until: int | None) -> OpenChat:
        chats, branching = self._store.chats, self._store.branching
        stored = str(path) if until is None else view_name(path, until)
        reference = await asyncio.to_thread(chat_ref_for, path)
        connection = self._connection() or None

        def unit() -> tuple[int, PromptFacts]:
            number = chats.id_of(stored)
            facts = self._store.prompt_facts.of(chats.id_of(str(path)), connection)
            if facts.context is None:
                facts = self._store.prompt_facts.of(chats.id_of(str(path)))
            if until is not None:
                source = chats.id_of(str(path))
                chats.copy_knowledge(source, number, before=until + 1)
                crosses = self._store.memory_modes.policy(reference.owner_key).crosses_chats
                owners = [reference.owner_key] if reference.owner_key and crosses else []
                branching.take_over(source, number, "", view_of=owners)
                chats.forget_all_views_but_newest(VIEWS_KEPT)
            return number, facts

        chat_id, facts = await self._store.run(unit)
        chat = OpenChat(
            reference,
            chat_id,
            self._store,
            self._token_counts,
            self._packs,
            self._settings_of,
            self.changed.emit,
            until=until,
        )
        chat.take_facts(facts)
        chat.keep_memory(is_on=self.keeps_memory, to_the_end=self._reads_to_the_end)
        return chat


def _has_home(path: Path) -> bool:
    """Whether the folder of all chats is there: else nobody deleted this one, it was moved away."""
    return path.parent.parent.is_dir()
