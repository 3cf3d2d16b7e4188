"""Wires everything: the one object that the window and the headless commands are given."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.core.errors import NoTavern, PromptUnusable, StoreError, UsageError
from app.core.operations import OFF, Operation, OperationKind, OperationSpec, Outcome
from app.core.part_health import Health
from app.core.paths import Folders
from app.core.resources import RESOURCES
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.llm.tokenizer import KNOWN_RANKS, counter_for
from app.memory.reading.left_out import SETTING as MEMORY_LEFT_OUT
from app.news import News
from app.parts import Parts, StartOptions, open_parts
from app.prompt.choosing.framing import framed
from app.prompt.model_tokens import ModelCounter
from app.prompt.occasion import Turn
from app.prompt.slots import SlotSet
from app.settings.models import KIND_MODELS
from app.settings.values import ValueInForce
from app.sillytavern.data_folders import Tavern, chat_ref_for
from app.story.story import ChatRef, Story
from app.work.chats.caretaker import Caretaker
from app.work.chats.chat_guard import ChatGuard
from app.work.chats.chat_names import ChatNames
from app.work.chats.disk_space import Room
from app.work.chats.library import Library
from app.work.chats.message_indexes import MessageIndexes
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.chats.story_change import StoryChange
from app.work.demo.demo_memories import give_demo_memories
from app.work.demo.demo_recaps import give_demo_recaps
from app.work.edits.extension_settings import ExtensionSettings
from app.work.edits.memory_edits import MemoryEdits
from app.work.edits.prompt_edits import PromptEdits
from app.work.edits.reading_bounds import ReadingBounds
from app.work.edits.recap_pins import RecapPins
from app.work.edits.setting_changes import SettingChanges
from app.work.edits.settings_file import SettingsFile
from app.work.edits.story_edits import StoryEdits
from app.work.edits.story_lore import StoryLore
from app.work.jobs.performers import Performers
from app.work.models.active_model import ActiveModel
from app.work.models.kept_corrections import KeptCorrections
from app.work.models.metering import ModelMeter
from app.work.pages.away_recap import AwayRecaps
from app.work.pages.bridge_setup import BridgeSetup
from app.work.pages.link import AnsweredTurn, BridgeLink
from app.work.pages.page_requests import PageRequests
from app.work.pages.page_side import PageSide
from app.work.pages.page_tokens import PageTokens
from app.work.pages.remote_setup import RemoteSetup
from app.work.pages.turn_history import TurnHistory
from app.work.planning.staleness import is_outdated
from app.work.prompts.budgeting import Budgeting
from app.work.prompts.next_prompts import NextPrompts
from app.work.prompts.prompting import Prompting
from app.work.prompts.reaching import Reaching
from app.work.prompts.turn_vectors import TurnVectors
from app.work.queries.export import StoryExport
from app.work.queries.memory_queries import MemoryQueries
from app.work.queries.memory_view import MemoryView
from app.work.queries.searching import Search
from app.work.queue.operation_queue import OperationQueue
from app.work.scheduling.break_search import ModelBreakSearch
from app.work.scheduling.completion import Completion
from app.work.scheduling.health import health_of
from app.work.scheduling.orders import Orders
from app.work.scheduling.scheduler import Scheduler
from app.work.scheduling.text_requests import MEMORY, TextRequests, text_request
from app.work.scheduling.work_to_do import WorkToDo

_OF_WRITERS = frozenset(
    {"backend", "prompt_preset", "generation_budget", "reasoning_marks", *KIND_MODELS}
)
DEMO_CHATS = RESOURCES / "demo" / "data" / "default-user" / "chats"


class Companion(News):
    """Everything Tavernkeep does, for whoever shows it.

    Use `open_companion`. What it tells by signals: `News`.

    edits: what the user does to open stories. prompts: what the user does with prompts.
    lore: what scenes gave for a lorebook. memories: what the user does to memories.
    remembered: what chats remember, who knows what, and who tells too much. search: finds words in
    all chats. exports: files to give away. models: which model writes, and others to choose.
    texts: longer texts that are asked for.
    breaks: the model's search for scene breaks. work: the queue and the catch-ups, in the user's
    hands. use: what models were asked for, and the cap of a day. page: badge and marks in
    SillyTavern's page. page_requests: what the user asks of us in it. orders: what its slash
    commands want of the program. budgets: tries and sets them.
    turns: prompts as they were sent. tokens: how the tokens of prompts are counted. settings_file:
    settings to take along. their_settings: Smart Memory's. bridge: the extension in each tavern.
    remote: taverns on other machines.
    """

    def __init__(self, parts: Parts) -> None:
        super().__init__()
        self.folders = parts.folders
        self.settings = parts.settings
        self._parts = parts
        self._tasks = TaskSupervisor()
        self._store = parts.store
        self._room = Room(parts.store, self.folders.data, self._tasks)
        self._counter = counter_for()
        self._prompt_counter = ModelCounter(self._counter)  # of SillyTavern's model
        self._tavern_problem = self._model_problem = ""
        self._is_started = False
        self.prompts = PromptEdits(
            self.folders.data / "prompts",
            preset=lambda: str(self.settings["prompt_preset"]),
            use=lambda name: self.put_setting("prompt_preset", name),
            changed=lambda: self._follow_setting("prompt_preset"),
            is_reading_only=lambda: self.is_reading_only,
        )
        self._make_ground(parts)
        self._make_workers(parts)
        self._make_hands(parts)
        self._make_page_side()
        self._connect()

    def _make_ground(self, parts: Parts) -> None:
        """The chats, the line to SillyTavern's pages, the queue and the model."""
        self._library = Library(self._tasks)
        self._prompting = Prompting(
            self._prompt_counter.count,
            parts.packs,
            self._library.macros_of,
            lambda: self.models.writer(OperationKind.MEMORY_PASS).spec,
        )
        self._chats = OpenChats(self._store, self._counter, parts.packs, self.settings, self._tasks)
        self._next_prompts = NextPrompts(self._chats, self._prompting)
        self.reaching = Reaching(self._store, self._chats, self._next_prompts)
        self._caretaker = Caretaker(self._chats, self._tasks)
        self._link = BridgeLink(self._chats, self._next_prompts.for_turn)
        self._link.beside = lambda: str(self.settings["own_connection_beside"])
        self.use = ModelMeter(self._store, self.settings, is_held=parts.options.watch)
        self._queue = OperationQueue(
            self._store,
            self._perform,
            self._chats.after,
            self._tasks,
            in_scope=self._is_ours,
            holds=self._held_back,
        )
        self.models = ActiveModel(
            parts.options.llm,
            self.settings,
            self._counter,
            self.prompts.folder,
            self._link,
            self._queue,
            self._tasks,
            self.use,
            parts.keys,
            parts.packs,
        )
        self._model_problem = self.models.problem

    def _make_workers(self, parts: Parts) -> None:
        """Those who do what is queued, and who decides what that is."""
        self._performers = Performers(
            self._store,
            self._chats,
            self.models,
            self.settings,
            parts.packs,
            self._counter.count,
            parts.keys,
        )
        self._scheduler = Scheduler(
            self._store,
            self._queue,
            self._enqueue,
            self.models.writing,
            lambda kind: self.models.writer(kind).label,
            lambda: self.use.prices,
            asks_first=parts.options.asks_first,
        )
        self._chats.writing = self.models.writing
        self._chats.follow = self._scheduler.follow
        self._names = ChatNames(self._store, self._library)
        self._chats.read.connect(self._names.note)
        self.work = WorkToDo(
            self._queue, self._scheduler, self._chats, lambda: self.is_reading_only, self._names
        )
        self._completion = Completion(
            self._chats, self._queue, self.models.writing, lambda: self.is_reading_only
        )

    def _make_hands(self, parts: Parts) -> None:
        """What the user does to stories, memories and budgets, and asks of them."""
        self.breaks = ModelBreakSearch(self._chats, self.models, parts.packs)
        self.remembered = MemoryQueries(
            self._chats, parts.packs, self._performers.memory.vectors_of
        )
        self.lore = StoryLore(self._store, self._chats, self.settings)
        self.edits = StoryEdits(self._store, self._chats, self._enqueue, self.models.writing)
        self.texts = TextRequests(
            self._chats, self._enqueue, self.models.writing, self._counter.count
        )
        self.budgets = Budgeting(
            self._store,
            self._chats,
            self.settings,
            self._prompting,
            self._counter,
            lambda: self._follow_setting("budgets"),
            lambda: self.is_reading_only,
        )
        self.reaching.card_tokens = self.budgets.card_tokens
        self.budgets.sent = self.reaching.newest
        self.pins = RecapPins(self._store, self._chats, self.settings, lambda: self.is_reading_only)
        self.reading_bounds = ReadingBounds(
            self._store,
            self._chats,
            self.settings,
            lambda: self._follow_setting(MEMORY_LEFT_OUT),
            lambda: self.is_reading_only,
        )
        self.memories = MemoryEdits(self._store, self._chats, lambda: self.is_reading_only)
        self.exports = StoryExport(lambda path, until: self.memory(path, until=until), parts.packs)
        self.search = Search(
            self._store, self._chats, self._tasks, self._performers.memory.vectors_of
        )
        self._chats.read.connect(self.search.follow)
        self._changes = SettingChanges(
            self._store, self.settings, self._chats, self.prompts, self._follow_setting
        )
        copies = self.folders.backups / "settings"
        self.settings_file = SettingsFile(
            self.settings, self._store, self._chats, self._follow_setting, copies
        )
        self.their_settings = ExtensionSettings(self.settings, self._chats, self.settings_file)
        self.edits.takes_in = (
            self.budgets.take_in,
            self.settings_file.take_in,
            self.breaks.take_in,
        )
        self._turn_vectors = TurnVectors(
            self._performers.memory.vectors_of,
            self._tasks,
            lambda: bool(self.settings["embeddings"]),
        )
        self._prompting.vectors = self._turn_vectors.of
        self._turn_vectors.changed.connect(self._publish)
        self._indexes = MessageIndexes(parts.packs, self._tasks)
        self._prompting.index = self._indexes.of
        self._prompting.ready = self._indexes.settled
        self._indexes.changed.connect(self._publish)
        self._chats.keeps_memory = parts.options.keeps_memory
        to_the_end = parts.options.reads_to_the_end
        self._chats.reads_to_the_end = not parts.options.watch if to_the_end is None else to_the_end

    def _make_page_side(self) -> None:
        """What SillyTavern's page is told and asked, and what is written beside it."""
        self.tokens = PageTokens(
            self._store,
            self._prompt_counter,
            self._link,
            counter_for,
            tuple(KNOWN_RANKS),
            self._tasks,
        )
        self._corrections = KeptCorrections(self._store, self.models.corrections, self._tasks)
        self._prompting.want = self.tokens.want
        self.turns = TurnHistory(
            self._store,
            self._chats,
            self._link,
            self._prompt_counter.count,
            self._tasks,
            is_reading_only=lambda: self.is_reading_only,
        )
        self._previously = AwayRecaps(
            self._store,
            self._chats,
            self._link,
            self.models.idle_memory,
            self._counter.count,
            self._tasks,
        )
        self._mirror = Mirror(self._store, self._link, backups=self.folders.backups / "chats")
        self.page = PageSide(self._link, self._chats, self.settings, lambda: self._queue.operations)
        self.orders = Orders(
            self.work,
            self.put_setting,
            self.slots,
            lambda: self.use.cap.spent.tokens,
            lambda: self.is_reading_only,
        )
        self.page_requests = PageRequests(
            self._link,
            self._chats,
            self.page,
            self.edits,
            self.search,
            self.remembered.leaks,
            self._ask_for_text,
            self.orders.do,
        )
        self.bridge = BridgeSetup(self._link)
        self.remote = RemoteSetup(
            self.folders.data / "remote", self._link, self._library.follow_copies
        )
        self._library.copies = lambda: self.remote.copies
        self.guard = ChatGuard(self.folders.backups / "copies", self._tasks)

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
            await self._link.start(self._library.taverns, self.remote.port)
            self.remote.start()
            self._tasks.spawn(self.prompts.watch(), name="watching the prompts")
            self._tasks.spawn(self._back_up(), name="backing up")
        self._is_started = True
        self._announce_health()

    async def _back_up(self) -> None:
        try:
            await self._store.back_up_if_due()
        except StoreError as error:
            self.trouble.emit((self.folders.backups, str(error)))

    async def _load_library(self) -> None:
        if self._parts.options.tavern is not None:
            await self._library.load(self._parts.options.tavern)
            return
        configured = str(self.settings["tavern"])
        self._tavern_problem = ""
        try:
            await self._library.load(Path(configured) if configured else None)
        except NoTavern as error:  # a drive that is not plugged in must not keep us from starting
            self._tavern_problem = str(error)

    @property
    def is_reading_only(self) -> bool:
        """Whether we only show: another program works in this data folder, or safe mode is on."""
        return self._parts.options.is_safe or not self._parts.lock.is_held

    async def _enqueue(self, specs: Sequence[OperationSpec]) -> None:
        if not self.is_reading_only:
            await self._queue.add(specs)

    async def _perform(self, operation: Operation) -> Outcome:
        return await self._performers.perform(operation)

    async def _ask_for_text(self, path: Path, name: str) -> None:
        """Have a longer text written, or all read for memory. name: of a TextRequest, or MEMORY."""
        if self.is_reading_only:
            raise UsageError(tr("Tavernkeep only shows now what there is."))
        if self._chats.required(path).is_off:
            raise UsageError(tr(OFF))
        if name == MEMORY:
            await self.remembered.read_now(path)
        else:
            await self.texts.ask(path, text_request(name))

    def _is_ours(self, spec: OperationSpec) -> bool:
        """A command does the work of its own chat only; what else is queued waits.

        Not before that is planned: what an earlier run left would begin before what now goes first.
        """
        return self._parts.options.watch or self._chats.has_planned(spec.chat)

    def _held_back(self, operation: Operation) -> str:
        if self.settings.in_force("chat_off", chat_id=operation.spec.chat).value:
            return tr(OFF)
        writing = self.models.writing().of(operation.spec.kind)
        return "" if writing.is_free else self.use.holds(operation)

    def _connect(self) -> None:
        self._room.changed.connect(self._announce_health)
        self.use.changed.connect(self._on_use_changed)
        self._chats.changed.connect(self._on_story_changed)
        self._scheduler.catch_up_changed.connect(self.catch_up_changed.emit)
        self._scheduler.catch_up_changed.connect(self._announce_health)
        self._chats.failed.connect(self._on_chat_failed)
        self._chats.recovered.connect(self.trouble_over.emit)
        self._chats.recovered.connect(self._announce_health)
        self._library.gone_changed.connect(self._announce_health)
        self._chats.renamed.connect(self.chat_renamed.emit)
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
        self.guard.failed.connect(self.trouble.emit)
        self._performers.memory.failed.connect(self._on_memory_trouble)
        self._mirror.changed.connect(self._announce_health)
        self._link.changed.connect(self._on_link_changed)
        self._link.page_came.connect(self._on_page_came)
        self._link.refresh_asked.connect(self._caretaker.refresh)
        self._caretaker.opened.connect(self._publish)
        self._caretaker.failed.connect(self.trouble.emit)
        self._link.refused.connect(self._on_slot_refused)
        self._link.context_changed.connect(self._on_context_changed)
        self._link.page_came.connect(self.tokens.on_page_came)
        self._link.answered.connect(self._on_turn_answered)
        self.models.tested.connect(self._on_tested)
        self.tokens.changed.connect(self._on_tokens_changed)
        self._previously.told.connect(self.away_recap.emit)
        self._previously.over.connect(self.away_recap_over.emit)
        self.prompts.broken.connect(self._on_prompt_broken)
        self.health_changed.connect(self.page.follow)

    async def aclose(self) -> None:
        """Stop at once and cleanly: what is under way is taken up at the next start."""
        await self.search.aclose()
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
        return chat_ref_for(next(DEMO_CHATS.glob("*/*.jsonl")))

    @property
    def health(self) -> Health:
        """How each part is doing."""
        return health_of(
            taverns=self.taverns,
            pages=self._link.pages,
            is_listening=self._link.is_listening,
            unplaced=self._link.unplaced_macros,
            unreached=self._link.unreached,
            bridges=self._link.bridges,
            is_seeking=self._link.is_seeking,
            last_read=self._chats.last_read,
            operations=self._queue.operations,
            is_paused=self._queue.is_paused,
            pause_reason=self._queue.pause_reason,
            stopped_before=self._queue.stopped_before,
            catching_up=self.work.catching_up,
            tokens_today=self.use.cap.spent.tokens,
            problem=self._problem,
            no_room=self._room.sentence,
            folder_gone=self.folder_gone if self._library.gone else "",
            writer_label=self.models.writer().label,
            is_writing=self._mirror.is_used,
            unwritten=tuple(self._mirror.waiting.values()),
        )

    @property
    def _problem(self) -> str:
        """What of the settings cannot be followed now; "" when all can."""
        of_keys = self._parts.keys.problem
        of_tavern = "" if self.taverns else self._tavern_problem
        of_settings = of_tavern or self.settings.problem
        return self._model_problem or of_keys or of_settings or self.prompts.problem

    @property
    def folder_gone(self) -> str:
        """A sentence while SillyTavern's folder is not where it was, "" while it is."""
        if not self._library.gone:
            return "" if self.taverns else self._tavern_problem
        return tr(
            "SillyTavern's folder is gone: {folder}. It was moved or renamed, or its drive is not "
            "connected.",
            folder=self._library.gone[0],
        )

    @property
    def room(self) -> Room:
        """Whether the disk takes what is to be kept."""
        return self._room

    @property
    def recovery(self) -> str:
        """What was done at the start about a damaged database, "" where none was."""
        return "" if self._store.recovery is None else self._store.recovery.sentence

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
        if RESOURCES in path.parents and not self.is_reading_only:
            prepare = self._give_demo
            if until is not None:
                await prepare(await self._chats.glance(path))
                prepare = None
        chat = await self._chats.open(path, until=until, prepare=prepare)
        self._chats.shown = path
        if self._parts.options.watch and RESOURCES not in path.parents:
            self._previously.open(path)
            self.guard.look_soon(path)
        self._announce_health()
        return chat.story

    async def _give_demo(self, chat: OpenChat) -> None:
        """Let the demo story have what its authors wrote for it, before work on it is planned."""
        path, count = chat.chat.path, self._prompt_counter.count
        is_new = await give_demo_recaps(self._store, path, chat.story, chat.settings(), count)
        if self._chats.keeps_memory:
            is_new |= await give_demo_memories(self._store, path)
        if is_new:
            await chat.refresh()

    def tell_previously(self, path: Path) -> None:
        """Tell what happened before in a chat, through `away_recap` and in the page."""
        self._previously.ask(path)

    async def settled(self, path: Path, *, until: int | None = None) -> Story:
        """The story when nothing is left to do for now; see Completion."""
        return await self._completion.settled(path, until=until)

    async def finished(self, path: Path, *, until: int | None = None) -> tuple[Story, list[str]]:
        """The story when all work on it has ended, and what failed; see Completion."""
        return await self._completion.finished(path, until=until)

    def count_tokens(self, text: str) -> int:
        """Tokens of a text as slots are counted. From any thread; the first count takes longer."""
        return self._prompt_counter.count(text)

    def running_recap_counter(self, path: Path) -> Callable[[str], int]:
        """Counts a running recap as it stands in the prompt of an open chat, frame and all; to be
        called from any thread.
        """
        template = str(self._chats.required(path).prompt_settings()["running_recap_template"])
        return lambda text: self.count_tokens(framed(text, template, "{{running_recap}}"))

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

    async def next_prompt(self, path: Path) -> SlotSet:
        """What a reply in a chat would get now; see NextPrompts.expected."""
        return await self._next_prompts.expected(path)

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
            self._queue.look()
        if name == "embeddings":
            await self._performers.memory.follow_embeddings()
        if name == "tavern":
            await self._load_library()
        await self.turns.follow_setting(name)
        for path in self._chats.paths:
            chat = self._chats.get(path)
            if chat is not None:
                await self._chats.refresh(chat)
                self._publish(chat)
                self._mirror_soon(path)
        self._announce_health()

    # --- inside

    def _rest_where_off(self) -> None:
        """What runs for a chat that is off stops at once, and what it held may go on elsewhere."""
        for path in self._chats.paths:
            chat = self._chats.get(path)
            if chat is not None and chat.is_off:
                self._queue.outdate_running(chat.chat_id, lambda _: True)
        self._queue.look()

    def _publish(self, chat: OpenChat) -> None:
        if self._chats.get(chat.chat.path) is chat:
            self._link.publish(chat, self._next_prompts.revised(chat))

    def _on_story_changed(self, change: StoryChange) -> None:
        chat = self._chats.get(change.chat.path)
        if chat is not None:
            self._turn_vectors.follow(chat)
            self._indexes.follow(chat)
            self._publish(chat)
            if change.first_message is not None:
                story, settings, writing = chat.story, chat.settings(), self.models.writing()
                self._queue.outdate_running(
                    chat.chat_id, lambda spec: is_outdated(spec, story, settings, writing)
                )
        self._mirror_soon(change.chat.path)
        self.story_changed.emit(change)
        self._announce_health()

    def _on_use_changed(self, _: None) -> None:
        self._queue.look()

    def _on_link_changed(self, _: None) -> None:
        self._caretaker.look_after_shown(self._link.shown)
        self._mirror.on_pages_changed()
        self._announce_health()

    def _on_page_came(self, _: object) -> None:
        self._tasks.spawn(self._queue.try_away(), name="asking the page that came")

    def _mirror_soon(self, path: Path) -> None:
        """Write what the chat lacks, where the user wants that; commands only look."""
        chat = self._chats.get(path)
        is_ours = self._parts.options.watch and not self.is_reading_only
        if chat is not None and is_ours and not chat.is_off and RESOURCES not in path.parents:
            self._mirror.soon(chat)

    def _on_chat_failed(self, trouble: tuple[Path, str]) -> None:
        """What hangs on one folder that is gone is said once, of the folder."""
        if not any(folder in trouble[0].parents for folder in self._library.gone):
            self.trouble.emit(trouble)

    def _on_context_changed(self, chat: OpenChat) -> None:
        self._tasks.spawn(chat.refresh(), name="counting for another context")

    def _on_turn_answered(self, answered: AnsweredTurn) -> None:
        self.tokens.hear(answered.request.tokenizer)

    def _on_tested(self, spec: str) -> None:
        if spec == self.models.spec:  # what its work would take is said by its own speed
            chats = {c.chat_id for p in self._chats.paths if (c := self._chats.get(p)) is not None}
            self._tasks.spawn(self._chats.plan_again(chats), name="planning for a tested model")

    def _on_tokens_changed(self, _: None) -> None:
        self._tasks.spawn(self._follow_tokens(), name="counting for another model")

    async def _follow_tokens(self) -> None:
        """Count messages and slots as SillyTavern's model does now."""
        await self._chats.recount(self._prompt_counter.base, self._prompt_counter.factor)
        await self._chats.follow_connection(self._prompt_counter.tokenizer.name)
        for path in self._chats.paths:
            chat = self._chats.get(path)
            if chat is not None:
                self._publish(chat)

    def _on_prompt_broken(self, sentence: str) -> None:
        self.trouble.emit((self.prompts.folder, sentence))

    def _on_slot_refused(self, refused: tuple[Path, str]) -> None:
        path, key = refused
        sentence = tr(
            "Another extension in SillyTavern already fills {key}, and keeps it. Switch that "
            "extension off ({extension}?) to let Tavernkeep fill it.",
            key=key,
            extension="Smart Memory" if key.startswith("smart_memory") else "ST-Auto-Recap",
        )
        self.trouble.emit((path, sentence))

    def _on_memory_trouble(self, sentence: str) -> None:
        if self._chats.shown is not None:
            self.trouble.emit((self._chats.shown, sentence))

    def _announce_health(self, _: object = None) -> None:
        if self._is_started:
            self.health_changed.emit(self.health)


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
