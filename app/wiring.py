"""Makes all parts of the program, and gives each what it needs of the others."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from app.core.operations import NO_ROOM, Operation, OperationKind, OperationSpec, Outcome
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.llm.backends.page_line import telling_of
from app.llm.tokenizer import KNOWN_RANKS, counter_for
from app.memory.reading.left_out import SETTING as MEMORY_LEFT_OUT
from app.news import News
from app.parts import Parts
from app.prompt.model_tokens import ModelCounter
from app.settings.program import ProgramSettings
from app.work.chats.around import Around
from app.work.chats.caretaker import Caretaker
from app.work.chats.chat_names import ChatNames
from app.work.chats.disk_space import Room
from app.work.chats.guarding.chat_guard import ChatGuard
from app.work.chats.library import Library
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.asked_recaps import AskedRecaps
from app.work.edits.extension_settings import ExtensionSettings
from app.work.edits.memory_edits import MemoryEdits
from app.work.edits.prompt_edits import PromptEdits
from app.work.edits.reading_bounds import ReadingBounds
from app.work.edits.recap_pins import RecapPins
from app.work.edits.replacing import Replacing
from app.work.edits.setting_changes import SettingChanges
from app.work.edits.settings_file import SettingsFile
from app.work.edits.story_edits import StoryEdits
from app.work.edits.story_lore import StoryLore
from app.work.edits.user_files import UserFiles
from app.work.jobs.performers import Performers
from app.work.jobs.services import JobServices
from app.work.models.active_model import ActiveModel, WriterServices
from app.work.models.kept_corrections import KeptCorrections
from app.work.models.metering import ModelMeter
from app.work.pages.away_recap import AwayRecaps
from app.work.pages.bridge_setup import BridgeSetup
from app.work.pages.link import BridgeLink
from app.work.pages.page_requests import PageRequests
from app.work.pages.page_side import PageSide
from app.work.pages.page_tokens import PageTokens
from app.work.pages.remote_setup import RemoteSetup
from app.work.pages.restoring import Restoring
from app.work.pages.turn_history import TurnHistory
from app.work.prompts.budgeting import Budgeting
from app.work.prompts.next_prompts import NextPrompts, Renewed
from app.work.prompts.prompting import Prompting
from app.work.prompts.reaching import Reaching
from app.work.prompts.recap_texts import RecapTexts
from app.work.prompts.turn_finders import TurnFinders
from app.work.queries.export import StoryExport
from app.work.queries.memory_queries import MemoryQueries
from app.work.queries.searching import Search
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.waiting import Front
from app.work.scheduling.branch_reading import BranchReading
from app.work.scheduling.break_search import ModelBreakSearch
from app.work.scheduling.command_costs import CommandCosts
from app.work.scheduling.completion import Completion
from app.work.scheduling.orders import Orders
from app.work.scheduling.played_chats import played_chats
from app.work.scheduling.queue_terms import QueueTerms
from app.work.scheduling.scheduler import Scheduler
from app.work.scheduling.text_requests import TextRequests
from app.work.scheduling.wanted_texts import WantedTexts
from app.work.scheduling.work_to_do import WorkToDo

if TYPE_CHECKING:
    from app.releases.release_look import ReleaseLook


class Wiring(News, ABC):
    """The parts, made and joined; nothing runs yet.

    edits: what the user does to open stories. prompts: what the user does with prompts.
    lore: what scenes gave for a lorebook. memories: what the user does to memories.
    remembered: what chats remember, who knows what, and who tells too much. search: finds words in
    all chats. exports: what is given away. files: those that lie where the user wants them.
    models: which model writes, and others to choose. texts: longer texts that are asked for.
    breaks: the model's search for scene breaks. work: the queue and the catch-ups, in the user's
    hands. use: what models were asked for, and the cap of a day. page: badge and marks in
    SillyTavern's page. page_requests: what the user asks of us in it. orders: what its slash
    commands want of the program. wanted_texts: texts to write. budgets: tries and sets them.
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
        self.prompts = PromptEdits(
            self.folders.data / "prompts",
            preset=lambda: ProgramSettings(self.settings).prompt_preset,
            use=lambda name: self._changes.put("prompt_preset", name),
            changed=lambda: self._follow_setting("prompt_preset"),
            is_reading_only=lambda: self.is_reading_only,
        )
        self._make_ground(parts)
        self._make_queue(parts)
        self._make_workers(parts)
        self._make_hands(parts)
        self._make_page_side()

    def _make_ground(self, parts: Parts) -> None:
        """The chats, and the line to SillyTavern's pages."""
        self._library = Library(self._tasks, lambda: self.remote.copies)
        self._finders = TurnFinders(
            lambda texts: self._performers.memory.vectors_of(texts),
            parts.packs,
            self.settings,
            self._tasks,
            self._publish,
        )
        self._prompting = Prompting(
            self._prompt_counter.count,
            parts.packs,
            self._library.macros_of,
            lambda: self.models.writer(OperationKind.MEMORY_PASS).spec,
            self._finders.finders,
            lambda texts: self.tokens.want(texts),
        )
        to_the_end = parts.options.reads_to_the_end
        around = Around(
            writing=lambda: self.models.writing(),
            follow=lambda chat: self._branches.follow(chat),
            connection=lambda: self._prompt_counter.tokenizer.name,
            keeps_memory=parts.options.keeps_memory,
            reads_to_the_end=not parts.options.watch if to_the_end is None else to_the_end,
        )
        self._chats = OpenChats(
            self._store, self._counter, parts.packs, self.settings, self._tasks, around=around
        )
        self._next_prompts = NextPrompts(
            self._chats, self._prompting, self._tasks, self._answering_in
        )
        self.recap_texts = RecapTexts(self._chats, parts.packs, self._prompt_counter.count)
        self.reaching = Reaching(
            self._store,
            self._chats,
            self._next_prompts,
            lambda chat, responder: self.budgets.card_tokens(chat, responder),
        )
        self._caretaker = Caretaker(self._chats, self._tasks)
        self._link = BridgeLink(
            self._chats,
            self._next_prompts.for_turn,
            lambda: ProgramSettings(self.settings).own_connection_beside,
        )
        self._next_prompts.renewed.connect(self._on_renewed)

    def _make_queue(self, parts: Parts) -> None:
        """What is to be done, the model that does it, and what it may cost."""
        self.use = ModelMeter(self._store, self.settings, is_held=parts.options.watch)
        terms = QueueTerms(
            self._chats,
            self.settings,
            lambda: self.models,
            self._held,
            takes_all=parts.options.watch,
        )
        self._queue = OperationQueue(
            self._store,
            self._perform,
            self._chats.after,
            self._tasks,
            in_scope=terms.is_ours,
            holds=terms.held_back,
            asked=terms.asked,
            renewed=terms.as_of_now,
            in_front=self._in_front,
            is_patient=parts.options.asks_first,
        )
        self._queue.ending.connect(parts.lock.say_ending)
        services = WriterServices(
            self._counter, self.prompts.folder, self._link, self.use, parts.keys, parts.packs
        )
        self.models = ActiveModel(
            parts.options.llm, self.settings, services, self._queue, self._tasks
        )

    def _make_workers(self, parts: Parts) -> None:
        """Those who do what is queued, and who decides what that is."""
        services = JobServices(
            self._store,
            self._chats.complete_by_id,
            self.models.writer,
            self.models.writing,
            self._counter.count,
            parts.packs,
        )
        self._performers = Performers(services, self.settings, parts.keys)
        self._scheduler = Scheduler(
            self._store,
            self._queue,
            self._enqueue,
            self.models.writing,
            lambda kind: self.models.writer(kind).label,
            lambda: self.use.tariff,
            self._next_prompts.taken,
            asks_first=parts.options.asks_first,
        )
        self._branches = BranchReading(self._store, self._scheduler, self._chats, self._tasks)
        self.command_costs = CommandCosts(
            self._chats, lambda: self.models.writing(), self._scheduler.estimates, parts.packs
        )
        self._names = ChatNames(self._store, self._library)
        self._chats.read.connect(self._names.note)
        self._chats.deleted.connect(self._on_deleted)
        self.work = WorkToDo(
            self._queue,
            self._scheduler,
            self._chats,
            lambda: self.is_reading_only,
            self._names,
            self._branches,
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
        self.files = UserFiles()
        self.lore = StoryLore(self._store, self._chats, self.settings)
        self._make_texts()
        self.budgets = Budgeting(
            self._store,
            self._chats,
            self.settings,
            self._prompting,
            self._counter,
            lambda: self._follow_setting("budgets"),
            lambda: self.is_reading_only,
            self.reaching.newest,
        )
        self.pins = RecapPins(self._store, self._chats, self.settings, lambda: self.is_reading_only)
        self.replacing = Replacing(
            self._store, self._chats, self.settings, lambda: self.is_reading_only
        )
        self.reading_bounds = ReadingBounds(
            self._store,
            self._chats,
            self.settings,
            lambda: self._follow_setting(MEMORY_LEFT_OUT),
            lambda: self.is_reading_only,
        )
        self.memories = MemoryEdits(self._store, self._chats, lambda: self.is_reading_only)
        self.exports = StoryExport(
            lambda path, until: self.remembered.view(path, until=until), parts.packs
        )
        self.search = Search(
            self._store, self._chats, self._tasks, self._performers.memory.vectors_of
        )
        self._chats.read.connect(self.search.follow)
        self._changes = SettingChanges(
            self._store, self.settings, self._chats, self.prompts, self._follow_setting
        )
        kept_in, follow = self.folders.backups / "settings", self._follow_setting
        self.settings_file = SettingsFile(self.settings, self._store, self._chats, follow, kept_in)
        self.their_settings = ExtensionSettings(self.settings, self._chats, self.settings_file)
        takes_in = self.budgets.take_in, self.settings_file.take_in, self.breaks.take_in
        self.edits = StoryEdits(
            self._store,
            self._chats,
            self._enqueue,
            self.models.writing,
            AskedRecaps(self._queue),
            self._scheduler.hold,
            takes_in,
        )

    def _make_texts(self) -> None:
        """Longer texts that are asked for."""
        self.texts = TextRequests(
            self._chats, self._enqueue, self.models.writing, self._counter.count
        )
        self.wanted_texts = WantedTexts(
            self._chats,
            self.texts,
            self.remembered.read_now,
            self.work,
            lambda: self.is_reading_only,
        )

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
        self.turns = TurnHistory(
            self._store,
            self._chats,
            self._link,
            self._prompt_counter.count,
            self._tasks,
            is_reading_only=lambda: self.is_reading_only,
            around=lambda: self._prompt_counter.tokenizer.around,
        )
        self._away_recaps = AwayRecaps(
            self._store,
            self._chats,
            self._link,
            self.models.idle_memory,
            self._counter.count,
            self._tasks,
            shown=self.recap_texts.shown,
            noted=self._queue.note_beside,
        )
        self._mirror = Mirror(self._store, self._link, backups=self.folders.backups / "chats")
        self.page = PageSide(self._link, self._chats, self.settings, lambda: self.work.to_do)
        self.orders = Orders(
            self.work,
            self._changes.put,
            self._next_prompts.expected,
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
            self.wanted_texts.ask,
            self.orders.do,
        )
        self.bridge = BridgeSetup(self._link)
        self.remote = RemoteSetup(
            self.folders.data / "remote", self._link, self._library.follow_copies
        )
        self.guard = ChatGuard(self.folders.backups / "copies", self._tasks)
        self.restoring = Restoring(self.guard, self._link, self.folders.backups / "groups")

    @cached_property
    def releases(self) -> ReleaseLook:
        """Asks for newer versions of this program, when the user says so."""
        from app.releases.release_look import ReleaseLook  # hardly a start needs it

        return ReleaseLook()

    @property
    def is_reading_only(self) -> bool:
        """Whether we only show: another program works in this data folder, or safe mode is on."""
        return self._parts.options.is_safe or not self._parts.lock.is_held

    async def _enqueue(self, specs: Sequence[OperationSpec]) -> None:
        if not self.is_reading_only:
            await self._queue.add(specs)

    async def _perform(self, operation: Operation) -> Outcome:
        chat = await self._chats.by_id(operation.spec.chat)
        with telling_of(chat.chat.user_folder):
            return await self._performers.perform(operation)

    def _in_front(self) -> Front:
        return played_chats(self._chats, self._link.shown, self._scheduler.catch_ups.is_followed)

    def _held(self, operation: Operation) -> str:
        held = tr(NO_ROOM) if self._room.sentence else self.use.holds(operation)
        return held or self._queue.patience.why(operation)

    def _on_deleted(self, chat: OpenChat) -> None:
        forgetting = self._queue.forget_chat(chat.chat_id)
        self._tasks.spawn(forgetting, name="letting go of a deleted chat's work")

    def _publish(self, chat: OpenChat) -> None:
        if self._chats.get(chat.chat.path) is chat:
            self._next_prompts.renew(chat)

    def _answering_in(self, chat: OpenChat) -> Sequence[tuple[str, str]]:
        """Who may answer next in a group's chat that SillyTavern shows or has played."""
        is_played = chat.chat.path in self._link.shown or chat.context_tokens
        return self._library.answering_in(chat.chat) if is_played else ()

    def _on_renewed(self, made: Renewed) -> None:
        if self._chats.get(made.chat.chat.path) is made.chat:
            self._link.publish(made.chat, made.slots, made.members)

    @abstractmethod
    async def _follow_setting(self, name: str) -> None:
        """Work by the settings as they are now. name: of the one that was put."""
