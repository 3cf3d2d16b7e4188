"""The one object that the window and the headless commands are given."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.core.errors import ChatUnreadable, NoTavern, PromptUnusable, StoreError, UsageError
from app.core.operations import OFF
from app.core.paths import Folders, places_of
from app.core.translation import tr
from app.parts import Parts, StartOptions, open_parts
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.settings.models import KIND_MODELS
from app.settings.program import OF_WINDOW, ProgramSettings
from app.settings.values import ValueInForce
from app.story.story import ChatRef, Story
from app.troubles import Troubles
from app.views.memory_view import MemoryView
from app.views.story_change import StoryChange
from app.views.taverns import Tavern
from app.watched_parts import WatchedParts
from app.work.chats.open_chat import OpenChat
from app.work.demo.demo_story import demo_chat, give_demo, is_demo
from app.work.pages.answered_turn import AnsweredTurn
from app.work.planning.staleness import is_outdated
from app.work.queue.waiting import NOBODY_PLAYS

BACKUP_LOOK_SECONDS = 600.0
_OF_WRITERS = frozenset(
    {"backend", "prompt_preset", "generation_budget", "reasoning_marks", *KIND_MODELS}
)


class Companion(WatchedParts):
    """Everything Tavernkeep does, for whoever shows it.

    Use `open_companion`. What it tells by signals: `News`. What it has for each subject: `Wiring`;
    how that is doing: `WatchedParts`.
    """

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._front = NOBODY_PLAYS  # as the queue was told last
        self._troubles = Troubles(self._library, self._chats, self.prompts, self.trouble)
        self._connect()

    # --- life

    async def start(self) -> None:
        """Look for taverns and begin to work. Raises NoTavern for a place that was given."""
        await self.remote.load()
        await self._load_library()
        await self.prompts.look()
        await self.use.load()
        await self.tokens.load()
        await self._corrections.load()
        await self._names.load()
        await self._follow_tokens()
        if not self.is_reading_only:
            await self._queue.start()
        if self._parts.options.watch:
            await self._library.watch()
            await self._link.start(self._library.taverns, self.remote.ports)
            self.remote.start()
            self._tasks.spawn(self.prompts.watch(), name="watching the prompts")
            self._tasks.spawn(self._back_up(), name="backing up")
        self._is_started = True
        self._announce_health()

    async def _back_up(self) -> None:
        told = ""
        while True:
            try:
                await self._store.back_up_if_due()
                told = ""
            except StoreError as error:
                if str(error) != told:
                    self.trouble.emit((self.folders.backups, str(error)))
                told = str(error)
            await asyncio.sleep(BACKUP_LOOK_SECONDS)

    async def _load_library(self) -> None:
        if self._parts.options.tavern is not None:
            await self._library.load(self._parts.options.tavern)
            return
        configured = ProgramSettings(self.settings).tavern
        self._tavern_problem = ""
        try:
            await self._library.load(*places_of(configured))
        except NoTavern as error:  # a drive that is not plugged in must not keep us from starting
            self._tavern_problem = str(error)

    def _connect(self) -> None:
        self._room.changed.connect(self._announce_health)
        self._room.changed.connect(lambda _: self._queue.look())
        self.use.changed.connect(lambda _: self._queue.look())
        self._chats.changed.connect(self._on_story_changed)
        self._scheduler.catch_up_changed.connect(self.catch_up_changed.emit)
        self._scheduler.catch_up_changed.connect(self._announce_health)
        self._chats.failed.connect(self._troubles.on_chat_failed)
        self._chats.recovered.connect(self.trouble_over.emit)
        self._chats.recovered.connect(self._announce_health)
        self._library.gone_changed.connect(self._announce_health)
        self._chats.renamed.connect(self.chat_renamed.emit)
        if not self.is_reading_only:
            self._chats.renamed.connect(lambda paths: self.guard.follow_rename(*paths))
        self._next_prompts.changed.connect(self.slots_changed.emit)
        self._performers.recaps.progress.connect(self.progress.emit)
        self._queue.changed.connect(self.operations_changed.emit)
        self._queue.changed.connect(self._announce_health)
        self._library.changed.connect(self.library_changed.emit)
        self._library.changed.connect(self._announce_health)
        self._library.chat_touched.connect(self._chats.reread_soon)
        self._library.chat_touched.connect(self._mirror_soon)
        if not self.is_reading_only:
            self._library.chat_touched.connect(self.guard.look_soon)
        self.guard.alarm.connect(self.chat_alarm.emit)
        self.guard.over.connect(self.chat_alarm_over.emit)
        self.guard.standing_changed.connect(self._announce_health)
        self.guard.failed.connect(self._troubles.on_chat_failed)
        self._performers.memory.failed.connect(self._troubles.on_memory_failed)
        self._mirror.changed.connect(self._announce_health)
        self._link.changed.connect(self._on_link_changed)
        self._link.page_came.connect(self._on_page_came)
        self._link.refresh_asked.connect(self._caretaker.refresh)
        self._caretaker.opened.connect(self._publish)
        self._caretaker.opened.connect(self._look_who_plays)
        self._caretaker.failed.connect(self._troubles.on_chat_failed)
        self._link.refused.connect(self._troubles.on_slot_refused)
        self._link.context_changed.connect(self._on_context_changed)
        self._link.page_came.connect(self.tokens.on_page_came)
        self._link.answered.connect(self._on_turn_answered)
        self.models.tested.connect(self._on_tested)
        self.tokens.changed.connect(self._on_tokens_changed)
        self._away_recaps.told.connect(self.away_recap.emit)
        self._away_recaps.over.connect(self.away_recap_over.emit)
        self.prompts.broken.connect(self._troubles.on_prompt_broken)
        self.health_changed.connect(self.page.follow)

    async def aclose(self) -> None:
        """Stop at once and cleanly: what is under way is taken up at the next start."""
        await self.search.aclose()
        await self.guard.rest()
        self.guard.close()
        await self._mirror.aclose()
        await self.page_requests.aclose()
        await self.page.aclose()
        await self._link.aclose()
        self._chats.close()
        await self._tasks.aclose()
        await self._performers.memory.aclose()
        await self.models.aclose()

    # --- what there is

    @property
    def taverns(self) -> tuple[Tavern, ...]:
        """All data folders of SillyTavern that were found."""
        return self._library.taverns

    @property
    def chats_in_pages(self) -> tuple[Path, ...]:
        """Files of the chats that SillyTavern's pages show now."""
        return self._link.shown

    @property
    def demo(self) -> ChatRef:
        """The story that comes with Tavernkeep."""
        return demo_chat()

    def host_of(self, chat: ChatRef) -> str:
        """Host of the page that a chat comes from, "" where its file is SillyTavern's own."""
        hosts = {tavern.user_folder: tavern.host for tavern in self.taverns}
        return "" if chat.user_folder is None else hosts.get(chat.user_folder, "")

    def story(self, path: Path) -> Story | None:
        """The newest story of an open chat."""
        chat = self._chats.get(path)
        return None if chat is None else chat.story

    def find_chat(self, text: str) -> Path:
        """The chat meant: a file, or the title of one in a tavern. Raises UsageError."""
        return self._library.find(text)

    def memory(self, path: Path, *, until: int | None = None, at: int | None = None) -> MemoryView:
        """What an open chat remembers; see MemoryQueries.view."""
        return self.remembered.view(path, until=until, at=at)

    async def index_all(self, told: Callable[[int], None]) -> int:
        """Let `search` find all chats, also those that were never opened; gives how many could not
        be read. told: how many are done.
        """
        return await self.search.index_all([chat.path for chat in self._library.chats], told)

    async def open_story(self, path: Path, *, until: int | None = None) -> Story:
        """Look after a chat: read it, find its scenes, queue its recaps. Raises ChatUnreadable."""
        prepare = None
        if is_demo(path) and not self.is_reading_only:
            prepare = self._give_demo
            if until is not None:
                await prepare(await self._chats.glance(path))
                prepare = None
        try:
            chat = await self._chats.open(path, until=until, prepare=prepare)
        except ChatUnreadable as error:
            await self._library.miss(path)
            if not self.is_away(path):
                raise
            raise ChatUnreadable(self.folder_gone) from error
        self._chats.show(path)
        if self._parts.options.watch and not is_demo(path):
            self._away_recaps.open(path)
            self.guard.follow(path)
        self._announce_health()
        return chat.story

    def is_away(self, path: Path) -> bool:
        """Whether a chat is gone with the folder of its SillyTavern, which is told by itself."""
        return self._library.is_away(path)

    async def _give_demo(self, chat: OpenChat) -> None:
        story, settings, count = chat.story, chat.settings(), self._prompt_counter.count
        keeps = self._chats.keeps_memory
        if await give_demo(self._store, story, settings, count, keeps_memory=keeps):
            await chat.refresh()

    async def settled(self, path: Path, *, until: int | None = None) -> Story:
        """The story when nothing is left to do for now; see Completion."""
        story = await self._completion.settled(path, until=until)
        await self._next_prompts.settled()
        return story

    async def finished(self, path: Path, *, until: int | None = None) -> tuple[Story, list[str]]:
        """The story when all work on it has ended, and what failed; see Completion."""
        done = await self._completion.finished(path, until=until)
        await self._next_prompts.settled()
        return done

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as slots are counted. From any thread; the first count takes longer."""
        return self._prompt_counter.count(text)

    def inclusion_limit(self, path: Path) -> int:
        """Tokens that all message recaps of an open chat may take together."""
        chat = self._chats.required(path)
        return chat.inclusion_rules(chat.settings()).limit_tokens

    def look_after_newest(self) -> None:
        """Open the newest chat of each tavern, where that costs nothing."""
        if self.models.writing().asks_nobody:
            self._caretaker.look_after_newest(self.taverns)

    async def sync(self) -> None:
        """Look at everything again, now, and give the pages their slots anew."""
        await self._load_library()
        self._caretaker.refresh_all()

    # --- slots

    async def slots(
        self,
        path: Path,
        *,
        until: int | None = None,
        total: int | None = None,
        turn: Turn | None = None,
    ) -> SlotSet:
        """What the next prompt of a chat gets; see NextPrompts.of."""
        return await self._next_prompts.of(path, until=until, total=total, turn=turn)

    async def next_prompt(self, path: Path, responder: str = "") -> SlotSet:
        """What a reply in a chat would get now; see NextPrompts.expected."""
        return await self._next_prompts.expected(path, responder)

    # --- settings

    async def put_setting(
        self, name: str, value: Any, *, path: Path | None = None, noted_in: Path | None = None
    ) -> None:
        """Change a setting, for one chat when `path` is given; see SettingChanges.put."""
        await self._changes.put(name, value, path=path, noted_in=noted_in)

    async def reset_setting(
        self, name: str, *, path: Path | None = None, noted_in: Path | None = None
    ) -> None:
        """Let a setting's default hold again; see SettingChanges.reset."""
        await self._changes.reset(name, path=path, noted_in=noted_in)

    def setting(self, name: str, *, path: Path | None = None) -> ValueInForce:
        """A setting as it holds for all chats, or for an open one."""
        return self._changes.in_force(name, path=path)

    async def _follow_setting(self, name: str) -> None:
        """Work by the settings as they are now."""
        if name in OF_WINDOW:
            self.settings_changed.emit(name)
            return
        if name in _OF_WRITERS:
            self._model_problem = ""
            try:
                self.models.renew(is_chosen=name == "backend", is_of_kind=name in KIND_MODELS)
                self._queue.ask_another()
            except (PromptUnusable, UsageError) as error:  # edited by hand, or of another version
                self._model_problem = str(error)
        if name == "chat_off":
            self._rest_where_off()
        if name.startswith("daily_cap"):
            await self.use.hold_again()  # another limit is the user's newest word
            self._queue.look()
        if name == "embeddings":
            await self._performers.memory.follow_embeddings()
        if name == "tavern":
            await self._load_library()
        await self.turns.follow_setting(name)
        for chat in self._chats.all:
            if self._chats.get(chat.chat.path) is chat:  # else closed while others were refreshed
                await self._chats.refresh(chat)
                self._publish(chat)
                self._mirror_soon(chat.chat.path)
        self.settings_changed.emit(name)
        self._announce_health()
        await self._next_prompts.settled()

    def _rest_where_off(self) -> None:
        """What runs for a chat that is off stops at once, and what it held may go on elsewhere."""
        for chat in self._chats.all:
            if chat.is_off:
                self._queue.outdate_running(chat.chat_id, lambda _: True, tr(OFF))
        self._queue.look()

    def _on_story_changed(self, change: StoryChange) -> None:
        chat = self._chats.get(change.chat.path)
        if chat is not None:
            self._finders.follow(chat)
            self._publish(chat)
            if change.first_message is not None:
                story, settings, writing = chat.story, chat.settings(), self.models.writing()
                self._queue.outdate_running(
                    chat.chat_id, lambda spec: is_outdated(spec, story, settings, writing)
                )
        self._mirror_soon(change.chat.path)
        self.story_changed.emit(change)
        self._announce_health()

    def _on_link_changed(self, _: None) -> None:
        self._caretaker.look_after_shown(self._link.shown)
        self._mirror.on_pages_changed()
        self._look_who_plays()
        self._announce_health()

    def _look_who_plays(self, _: object = None) -> None:
        """What SillyTavern shows now goes first."""
        front = self._queue.in_front()
        if front != self._front:
            self._front = front
            self._queue.look()

    def _on_page_came(self, _: object) -> None:
        self._tasks.spawn(self._queue.try_away(), name="asking the page that came")

    def _mirror_soon(self, path: Path) -> None:
        """Write what the chat lacks, where the user wants that; commands only look."""
        chat = self._chats.get(path)
        is_ours = self._parts.options.watch and not self.is_reading_only
        if chat is not None and is_ours and not chat.is_off and not is_demo(path):
            self._mirror.soon(chat)

    def _on_context_changed(self, chat: OpenChat) -> None:
        self._tasks.spawn(chat.refresh(), name="counting for another context")

    def _on_turn_answered(self, answered: AnsweredTurn) -> None:
        self.tokens.hear(answered.request.tokenizer)

    def _on_tested(self, spec: str) -> None:
        if spec == self.models.spec:  # what its work would take is said by its own speed
            chats = {chat.chat_id for chat in self._chats.all}
            self._tasks.spawn(self._chats.plan_again(chats), name="planning for a tested model")

    def _on_tokens_changed(self, _: None) -> None:
        self._tasks.spawn(self._follow_tokens(), name="counting for another model")

    async def _follow_tokens(self) -> None:
        """Count messages and slots as SillyTavern's model does now."""
        await self._chats.recount(self._prompt_counter.base, self._prompt_counter.factor)
        await self._chats.follow_connection(self._prompt_counter.tokenizer.name)
        for chat in self._chats.all:
            self._publish(chat)


# 8 parameters: what a start can be told; all but the folders by name.
@asynccontextmanager
async def open_companion(
    folders: Folders,
    *,
    tavern: Path | None = None,
    llm: str | None = None,
    watch: bool = True,
    asks_first: bool = False,
    keeps_memory: bool = False,
    reads_to_the_end: bool | None = None,
    is_safe: bool = False,
) -> AsyncIterator[Companion]:
    """A running companion, closed cleanly at the end; arguments as in parts.StartOptions.

    Raises StoreError when the data folder cannot be used, AlreadyRunning when another program
    follows SillyTavern from it.
    """
    options = StartOptions(tavern, llm, watch, asks_first, keeps_memory, reads_to_the_end, is_safe)
    async with open_parts(folders, options) as parts:
        companion = Companion(parts)
        try:
            await companion.start()
            yield companion
        finally:
            await companion.aclose()
