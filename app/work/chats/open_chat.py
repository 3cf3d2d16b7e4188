"""One chat that is being looked after: reads it, keeps its story, finds its scenes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from app.core.errors import TavernkeepError
from app.memory.lifecycle.policy import Pause, Policy, settings_under
from app.memory.records import Memory, Remembered
from app.memory.standing import Ground, LastStandings, Standing
from app.settings.program import ProgramSettings
from app.settings.recaps import RecapSettings
from app.settings.scenes import SceneSettings
from app.sillytavern.chat_diff import messages_of
from app.sillytavern.chat_file import ChatSnapshot, read_chat
from app.sillytavern.company import Company, Keeper
from app.store.prompt_facts import PromptFacts
from app.store.store import Store
from app.story.anchors import align_behind, known_after, retired_after
from app.story.inclusion import Decided, Inclusion, InclusionRules
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack
from app.story.scenes import scenes_after, scenes_of
from app.story.story import ChatRef, LineProblem, Recapped, Story
from app.work.chats.doubtful_places import DoubtfulPlaces
from app.work.chats.found_breaks import CueBreaks
from app.work.chats.importing.first_import import find_origin, import_extras, take_over_memories
from app.work.chats.importing.memory_import import take_in
from app.work.chats.known_messages import ChatReading, alike, first_difference, remember
from app.work.chats.memory_scope import Recall, Recalled
from app.work.chats.stored_story import StoredStory
from app.work.chats.story_change import OnStoryChange, change_between
from app.work.chats.token_count_cache import TokenCountCache
from app.work.chats.wanted_work import WantedWork
from app.work.planning.break_planner import MODEL


class OpenChat(WantedWork):
    """Keeps the newest frozen story of one chat.

    until: sees the chat as if this message were its last, None for all of it. Reading and
    refreshing wait for each other; `story` is replaced as a whole and never changed.
    """

    # 8 parameters: what a chat is made with; OpenChats alone makes one.
    def __init__(
        self,
        chat: ChatRef,
        chat_id: int,
        store: Store,
        token_counts: TokenCountCache,
        packs: Sequence[LanguagePack],
        settings: Callable[[int], Mapping[str, Any]],
        on_change: OnStoryChange,
        *,
        until: int | None = None,
    ) -> None:
        super().__init__()
        self.chat = chat
        self.chat_id = chat_id
        self.story = Story(chat)
        self.context_tokens: int | None = None  # as SillyTavern said it for its last turn
        # By responder: of its last prompt, what was neither slots nor chat.
        self.fixed_tokens: dict[str, int] = {}
        self._recalled: Recalled | None = None
        self._company = Company()
        self.keepers: Mapping[str, Keeper] = {}  # of what was lived through elsewhere, by key
        self._ground = Ground.of(chat_id, ())
        self._standings = LastStandings()
        self._ground_of: tuple[Message, ...] | None = None
        self._ground_with: Recalled | None = None
        self.memory_problem = ""  # why what another program remembered was not taken in
        self._has_new_memories = False
        self._store = store
        self._stored = StoredStory(store)
        self._recall_of = Recall(store)
        self._token_counts = token_counts
        self._cues = CueBreaks(store, packs)
        self._doubts = DoubtfulPlaces(packs)
        self._settings = settings
        self._on_change = on_change
        self._until = until
        self._reading: ChatReading | None = None
        self._has_news = False  # messages changed, and `read` did not say so yet
        self._is_counted = True
        self._decided = Decided()
        self.last_read = 0.0  # seconds since the epoch
        self.failure = ""  # why the last reading failed, "" when it did not
        self._lock = asyncio.Lock()

    async def read(self, *, is_end_enough: bool = False) -> bool:
        """Take in what the file holds now; true when messages changed since it last said so.

        is_end_enough: as of `read_chat`; while `is_compared` is false, it is to be read once more.
        Raises ChatUnreadable or StoreError; the story is as before then, and the next reading
        begins where this one did.
        """
        async with self._lock:
            await self._try_to_read(is_end_enough=is_end_enough)
            has_news, self._has_news = self._has_news, False
            return has_news

    async def _try_to_read(self, *, is_end_enough: bool) -> None:
        try:
            is_changed = await self._read(is_end_enough=is_end_enough)
        except TavernkeepError as error:
            self.failure = str(error)
            raise
        self.failure = ""
        self._has_news |= is_changed

    @property
    def is_complete(self) -> bool:
        """Whether the tokens of all messages are counted, and all were searched for breaks.

        A long chat is shown with estimates, and with the breaks that are known, until it is.
        """
        return self._is_counted and self._cues.is_searched

    async def complete(self) -> None:
        """Count and search what a long chat was shown without; it can be read meanwhile.

        Raises StoreError.
        """
        while not self.is_complete:
            if not self._cues.is_searched:
                await self._search()
            if not self._is_counted:
                await self._token_counts.count(self.story.messages)
                async with self._lock:
                    await self._count()

    @property
    def is_compared(self) -> bool:
        """Whether all of the file was compared, and not its end alone."""
        return self._reading is None or self._reading.snapshot.is_compared

    async def _read(self, *, is_end_enough: bool) -> bool:
        last = self._reading
        snapshot = await asyncio.to_thread(
            read_chat,
            self.chat.path,
            last.snapshot if last else None,
            is_end_enough=is_end_enough,
        )
        self.last_read = time.time()
        is_changed = False
        if last is not None and snapshot.lines is last.snapshot.lines:
            self._reading = replace(last, snapshot=snapshot)
        else:
            reading, messages, head = await self._identified(snapshot, last)
            first = first_difference(self.story.messages, messages, head)
            is_changed = first is not None
            if last is not None and is_changed:
                self.search = replace(self.search, has_news=True)
            if last is None or is_changed or snapshot.problems != self.story.problems:
                await self._take(messages, snapshot.problems, first)
            self._reading = reading
        return is_changed

    async def _take(
        self, messages: tuple[Message, ...], problems: tuple[LineProblem, ...], first: int | None
    ) -> None:
        # What stands before the first change is counted already.
        same = (len(messages) if first is None else first) if self._is_counted else 0
        new = messages[same:]
        # A long chat is shown with estimates first, and with counts when they are there.
        tokens, is_counted = await self._token_counts.quickly(new)
        counts = self.story.message_tokens[:same] + tokens
        head = len(messages) if first is None else first
        story = replace(
            self.story,
            messages=messages,
            problems=problems,
            message_tokens=counts,
            places=self.story.places.after(messages, head),
        )
        self._show(await self._completed(story, head), first)
        self._is_counted = is_counted

    async def _count(self) -> None:
        await self._token_counts.count(self.story.messages)
        counts, _ = await self._token_counts.quickly(self.story.messages)
        story = replace(self.story, message_tokens=counts)
        self._show(await self._completed(story, len(story.messages)), None, inclusion=True)
        self._is_counted = True

    async def recount(self) -> None:
        """Count the messages anew: they are counted otherwise than before."""
        if self._reading is not None:
            self._is_counted = False
            await self.complete()

    async def reading(self, *, is_end_enough: bool = False) -> tuple[Story, ChatSnapshot]:
        """The story and the reading that it shows, line by line. Raises ChatUnreadable.

        What is new in it is still new for who asks `read`, and plans by its answer.
        """
        async with self._lock:
            await self._try_to_read(is_end_enough=is_end_enough)
            assert self._reading is not None
            return self.story, self._reading.snapshot

    @property
    def locked_persona(self) -> str:
        """Picture of the persona that SillyTavern has locked this chat to, "" for none."""
        locked = self._reading.snapshot.chat_metadata.get("persona") if self._reading else ""
        return locked if isinstance(locked, str) else ""

    def take_facts(self, facts: PromptFacts) -> bool:
        """Count by what was learned of this chat's prompts; says whether another number of tokens
        goes into one now.
        """
        if facts.context is None:
            return False
        self.fixed_tokens = dict(facts.fixed)
        return self.hear_context(facts.context)

    def hear_context(self, tokens: int) -> bool:
        """SillyTavern said how much a prompt may hold; whether that is another number."""
        before, self.context_tokens = self.context_tokens, tokens
        return tokens != before

    async def refresh(self) -> None:
        """Take in what the store holds now."""
        async with self._lock:
            self._show(await self._completed(self.story, len(self.story.messages)), None)

    @property
    def is_off(self) -> bool:
        """Whether the user wants neither work nor telling here."""
        return ProgramSettings(self.prompt_settings()).chat_off

    def settings(self) -> Mapping[str, Any]:
        """The settings as they hold for work on this chat, which the policy bounds."""
        return settings_under(self.policy, self._settings(self.chat_id))

    def prompt_settings(self) -> Mapping[str, Any]:
        """The settings as they hold for this chat's prompts: what may not be added to is told."""
        return self._settings(self.chat_id)

    def index_of(self, anchor: str) -> int | None:
        """Where a message stands now, None when it is gone."""
        return self.story.places.get(anchor)

    async def _identified(
        self, snapshot: ChatSnapshot, last: ChatReading | None
    ) -> tuple[ChatReading, tuple[Message, ...], int]:
        """Give every line its anchor, and remember who is who for the next reading.

        Gives how many messages, from the first, are those of the last reading, too.
        """
        store, seen, head = self._store, snapshot, 0
        if self._until is not None:
            lines = snapshot.lines[: self._until + 1]
            seen = replace(snapshot, lines=lines, kept=min(snapshot.kept, len(lines)))
        is_new = last is None and self._until is None
        is_new = is_new and not await store.run(lambda: store.chats.is_acquainted(self.chat_id))
        if is_new:
            origin = await find_origin(store, self.chat_id, self.chat, snapshot)
            self.chat_id = origin.chat_id
        if last is None:
            known, retired = await store.run(lambda: store.chats.known(self.chat_id))
        else:
            head, retired = alike(last.seen, seen), last.retired
            behind = self.story.messages[head:]
            known = known_after((m.anchor for m in behind), last.seen.lines[head:])
        before, lines = partial(islice, seen.lines, head), seen.lines[head:]
        anchors = await asyncio.to_thread(
            align_behind, before, self.story.places, known, lines, retired
        )
        reading = ChatReading(snapshot, seen, retired_after(known, retired, anchors))
        messages = await asyncio.to_thread(
            messages_of, seen, anchors, last.seen if last else None, self.story.messages, head
        )
        slug = snapshot.integrity
        is_slug_new = self._until is None and (
            self._reading is None or self._reading.snapshot.integrity != slug
        )
        now = known_after(anchors, lines)
        if self._until is None:
            self.note_length(head + len(known), head + len(now))
        await remember(store, self.chat_id, known, now, head, slug if is_slug_new else None)
        if is_new:
            await take_over_memories(store, origin, self.chat.owner_key)
            speakers = SceneSettings(self.settings()).scene_recap_messages
            await import_extras(
                store, self.chat_id, snapshot, messages, chat=self.chat, speakers=speakers
            )
        if self.keeps_memory and last is None and self._until is None:
            self.memory_problem = await take_in(store, self.chat_id, self.chat, snapshot, messages)
        return reading, messages, head

    async def _completed(self, story: Story, head: int) -> Story:
        """The story of these messages with all that the store holds of it.

        head: so many messages, from the first, are those of the story that is shown.
        """
        store, chat_id = self._store, self.chat_id
        found = await store.run(lambda: self._stored.read(chat_id))
        breaks, ranges, recaps, running, message_recaps = found
        self.search = replace(self.search, searched=ranges)
        await self._recall(story.places)
        settings, messages = self._settings(chat_id), story.messages
        wanted = SceneSettings(settings)
        if wanted.scene_breaks_auto and wanted.scene_detector != MODEL:
            breaks = await self._cues.with_new(chat_id, story, breaks, settings)
        else:
            self._cues.is_searched = True
        if breaks is self.story.breaks:
            scenes = scenes_after(self.story.scenes, messages, breaks, head)
        else:
            scenes = scenes_of(messages, breaks)
        story = replace(
            story,
            breaks=breaks,
            scenes=scenes,
            recapped=Recapped.of(scenes, recaps, self.story.recapped),
            recaps=recaps,
            running=running,
            message_recaps=message_recaps,
            has_ranges_in_names=wanted.scene_name_append_range,
        )
        self.search = await self._doubts.taken_in(self.search, story, settings)
        inclusion = await asyncio.to_thread(self._include, story, settings, head)
        return replace(story, inclusion=inclusion).with_names_of(self.story)

    async def _recall(self, places: Mapping[str, int]) -> None:
        """Take in what the store remembers of this chat and of its character."""
        if not self.keeps_memory:
            return
        look, chat_id, owner = self._recall_of.look, self.chat_id, self.chat.owner_key
        is_view = self._until is not None
        company: tuple[Keeper, ...] = ()
        if not is_view:
            folder = str(self.chat.user_folder)
            groups = await self._store.run(lambda: self._recall_of.groups(folder))
            company = await asyncio.to_thread(self._company.of, self.chat, groups)
        found = await self._store.run(
            lambda: look(chat_id, owner, places, is_view=is_view, company=company)
        )
        before = self._recalled
        self._has_new_memories |= before is None or (
            (found.remembered, found.policy, found.pause, found.elsewhere)
            != (before.remembered, before.policy, before.pause, before.elsewhere)
        )
        self.keepers = {keeper.key: keeper for keeper in company}
        self._recalled = found
        is_paused = found.pause is not None
        self.note_read(
            found.read, found.found, found.unreadable, found.forgotten, is_paused=is_paused
        )

    @property
    def remembered(self) -> Remembered:
        """All that is remembered here and may be used."""
        return Remembered() if self._recalled is None else self._recalled.remembered

    @property
    def elsewhere(self) -> tuple[Memory, ...]:
        """What people of this chat lived through elsewhere: known here, and kept there."""
        return () if self._recalled is None else self._recalled.elsewhere

    @property
    def memories(self) -> tuple[Memory, ...]:
        """What is remembered here and what was lived through elsewhere."""
        return (*self.remembered.memories, *self.elsewhere)

    @property
    def policy(self) -> Policy:
        """What may be kept of this chat's character."""
        return Policy.FULL if self._recalled is None else self._recalled.policy

    @property
    def pause(self) -> Pause | None:
        """Since where the chat adds nothing to its memory, None while it does."""
        return None if self._recalled is None else self._recalled.pause

    @property
    def kin(self) -> frozenset[int]:
        """Store numbers of the chats that tell the same story: branches, copies, parents."""
        return frozenset() if self._recalled is None else self._recalled.kin

    def ground(self) -> Ground:
        """What the memories of this chat stand on now."""
        messages, found = self.story.messages, self._recalled
        # It holds every message: made once for each reading, not for each look.
        if self._ground_of is not messages or self._ground_with is not found:
            self._ground_of, self._ground_with = messages, found
            foreign, kin = (found.foreign, found.kin) if found else (None, frozenset[int]())
            self._ground = Ground.at(self.chat_id, self.story.places, foreign, kin)
        return self._ground

    def standings(self) -> tuple[Standing, ...]:
        """How all of `memories` stand at the last message."""
        return self._standings.of(self.memories, self.ground())

    @property
    def character(self) -> str:
        """Who keeps what outlives this chat, "" for nobody."""
        # What is looked at as if it ended earlier keeps what it finds to itself.
        keeps = self._until is None and self.policy.crosses_chats
        return self.chat.owner_key if keeps else ""

    def _show(self, story: Story, first: int | None, *, inclusion: bool = False) -> None:
        """Make this the story, and say what changed. first: the first message that did."""
        old, self.story = self.story, story
        change = change_between(
            old, story, first, inclusion=inclusion, memories=self._has_new_memories
        )
        self._has_new_memories = False
        if change:
            self._on_change(change)

    async def _search(self) -> None:
        """Search a long chat for breaks, part by part; what was found is kept at the end."""
        async with self._lock:
            story, settings = self.story, self._settings(self.chat_id)
        found = await self._cues.far(story, settings)
        async with self._lock:
            now = self.story
            await self._cues.keep(self.chat_id, found, story.messages, now)
            self._show(await self._completed(now, len(now.messages)), None)

    def inclusion_rules(self, settings: Mapping[str, Any]) -> InclusionRules:
        """What the user wants counted, by these settings and the context SillyTavern last said."""
        return RecapSettings(settings).inclusion_rules(self.context_tokens or None)

    def _include(
        self, story: Story, settings: Mapping[str, Any], head: int
    ) -> tuple[Inclusion, ...]:
        if self._decided.messages is not self.story.messages:
            head = 0
        self._decided = self._decided.after(
            story.messages,
            story.message_recaps,
            self.inclusion_rules(settings),
            message_tokens=story.message_tokens,
            count=self._token_counts.counter.count,
            head=head,
        )
        return self._decided.inclusions
