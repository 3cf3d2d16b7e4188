"""One chat that is being looked after: reads it, keeps its story, finds its scenes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.sillytavern.chat_diff import messages_of
from app.sillytavern.chat_file import ChatSnapshot, read_chat
from app.store.chats import RETIRED
from app.store.store import Store
from app.story.anchors import KnownMessage, align, common_ends, known_after
from app.story.inclusion import Inclusion, InclusionRules, include, limit_in_tokens
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack
from app.story.scene_detection import FoundBreak, detect_breaks
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatRef, Story
from app.work.catch_up import CatchUpPlan
from app.work.first_sight import find_origin, import_extras
from app.work.token_ledger import TokenLedger


@dataclass(frozen=True, slots=True)
class StoryChange:
    """What became different in an open chat.

    first_message: messages from this index on changed, None when no message did.
    """

    chat: ChatRef
    first_message: int | None = None
    scenes: bool = False
    recaps: bool = False
    running: bool = False
    inclusion: bool = False

    def __bool__(self) -> bool:
        return self.first_message is not None or (
            self.scenes or self.recaps or self.running or self.inclusion
        )


Heard = Callable[[StoryChange], None]


class OpenChat:
    """Keeps the newest frozen story of one chat.

    until: sees the chat as if this message were its last, None for all of it. Reading and
    refreshing wait for each other; `story` is replaced as a whole and never changed.
    """

    def __init__(
        self,
        chat: ChatRef,
        chat_id: int,
        store: Store,
        ledger: TokenLedger,
        packs: Sequence[LanguagePack],
        settings: Callable[[int], Mapping[str, Any]],
        heard: Heard,
        *,
        until: int | None = None,
        is_first_sight: bool = False,
    ) -> None:
        self.chat = chat
        self.chat_id = chat_id
        self.is_first_sight = is_first_sight
        self.story = Story(chat)
        self.catch_up: CatchUpPlan | None = None  # waits for the user's word
        self.is_catch_up_wanted = False
        self.context_tokens: int | None = None  # as SillyTavern said it for its last turn
        self._store = store
        self._ledger = ledger
        self._packs = packs
        self._settings = settings
        self._heard = heard
        self._until = until
        self._snapshot: ChatSnapshot | None = None
        self._seen: ChatSnapshot | None = None  # what `story.messages` was made from
        self._positions: dict[str, int] = {}
        self._positions_of: tuple[Message, ...] | None = None
        self._searched: tuple[Message, ...] | None = None  # these hold no more breaks
        self.last_read = 0.0  # seconds since the epoch
        self._known: tuple[KnownMessage, ...] | None = None  # None: not loaded yet
        self._retired: tuple[KnownMessage, ...] = ()
        self._lock = asyncio.Lock()

    async def read(self) -> bool:
        """Take in what the file holds now; true when messages changed. Raises ChatUnreadable."""
        async with self._lock:
            snapshot = await asyncio.to_thread(read_chat, self.chat.path, self._snapshot)
            if snapshot is self._snapshot:
                return False
            if self.is_first_sight:
                self.chat_id = await find_origin(
                    self._store, self.chat_id, self.chat.path, snapshot
                )
            await self._note_integrity(snapshot)
            messages = await self._messages_of(snapshot)
            if self.is_first_sight:
                await import_extras(self._store, self.chat_id, snapshot, messages)
                self.is_first_sight = False
            first = _first_difference(self.story.messages, messages)
            self._snapshot = snapshot
            self.last_read = time.time()
            if first is None and snapshot.problems == self.story.problems:
                return False
            # A long chat is shown with estimates first, and with counts when they are there.
            if await self._ledger.is_quick(messages):
                await self._ledger.count(messages)
            counts = await self._ledger.known_or_estimated(messages)
            self.story = replace(
                self.story, messages=messages, problems=snapshot.problems, message_tokens=counts
            )
            await self._rebuild(first)
            if await self._ledger.count(messages):
                counts = await self._ledger.known_or_estimated(messages)
                self.story = replace(self.story, message_tokens=counts)
                await self._rebuild(None, inclusion=True)
            return True

    async def refresh(self) -> None:
        """Take in what the store holds now."""
        async with self._lock:
            await self._rebuild(None)

    def settings(self) -> Mapping[str, Any]:
        """The settings as they hold for this chat."""
        return self._settings(self.chat_id)

    def index_of(self, anchor: str) -> int | None:
        """Where a message stands now, None when it is gone."""
        if self._positions_of is not self.story.messages:
            self._positions_of = self.story.messages
            self._positions = {m.anchor: index for index, m in enumerate(self.story.messages)}
        return self._positions.get(anchor)

    async def _messages_of(self, snapshot: ChatSnapshot) -> tuple[Message, ...]:
        """Give every line its anchor, and remember who is who for the next reading."""
        if self._until is not None:
            snapshot = replace(snapshot, lines=snapshot.lines[: self._until + 1])
        lines = snapshot.lines
        known = await self._known_messages()
        anchors = await asyncio.to_thread(align, known, lines, self._retired)
        current = known_after(anchors, lines)
        await self._remember(known, current)
        seen, self._seen = self._seen, snapshot
        return await asyncio.to_thread(messages_of, snapshot, anchors, seen, self.story.messages)

    async def _note_integrity(self, snapshot: ChatSnapshot) -> None:
        slug = snapshot.integrity
        if slug and self._until is None and (not self._seen or self._seen.integrity != slug):
            await self._store.run(lambda: self._store.chats.set_integrity(self.chat_id, slug))

    async def _known_messages(self) -> tuple[KnownMessage, ...]:
        if self._known is not None:
            return self._known
        chats, chat_id = self._store.chats, self.chat_id
        known, self._retired = await self._store.run(lambda: chats.known(chat_id))
        self._known = known
        return known

    async def _remember(
        self, known: tuple[KnownMessage, ...], current: tuple[KnownMessage, ...]
    ) -> None:
        changed = [
            (position, message)
            for position, message in enumerate(current)
            if position >= len(known) or known[position] != message
        ]
        gone: list[KnownMessage] = []
        if changed or len(known) != len(current):
            present = {message.anchor for message in current}
            gone = [message for message in known if message.anchor not in present]
            returned = [m for m in self._retired if m.anchor not in present]
            self._retired = (*returned, *gone)
        self._known = current
        if changed or gone:
            rows = changed + [(RETIRED, message) for message in gone]
            await self._store.run(lambda: self._store.chats.save_known(self.chat_id, rows))

    async def _rebuild(self, first_message: int | None, *, inclusion: bool = False) -> None:
        """Make the story anew from its messages and the store, and say what changed."""
        old = self.story
        store, chat_id = self._store, self.chat_id
        breaks, recaps, running, message_recaps = await store.run(
            lambda: (
                store.scenes.breaks(chat_id),
                store.recaps.scene_recaps(chat_id),
                store.recaps.running(chat_id),
                store.recaps.message_recaps(chat_id),
            )
        )
        settings = self._settings(self.chat_id)
        # Only other messages can hold other breaks: what the store changed needs no new look.
        if settings["scene_breaks_auto"] and self._searched is not old.messages:
            self._searched = old.messages
            found = await self._detect(old.messages, breaks, int(settings["scene_minimum_length"]))
            if found:
                await store.run(lambda: store.scenes.save(chat_id, found))
                breaks.update((b.anchor, b) for b in found)
        story = replace(
            old,
            breaks=breaks,
            scenes=scenes_of(old.messages, breaks),
            recaps=recaps,
            running=running,
            message_recaps=message_recaps,
        )
        story = replace(story, inclusion=await asyncio.to_thread(self._include, story, settings))
        self.story = story
        change = StoryChange(
            self.chat,
            first_message,
            scenes=story.scenes != old.scenes,
            recaps=story.recaps != old.recaps or story.message_recaps != old.message_recaps,
            running=story.running != old.running,
            inclusion=inclusion or story.inclusion != old.inclusion,
        )
        if change:
            self._heard(change)

    async def _detect(
        self, messages: tuple[Message, ...], breaks: Mapping[str, SceneBreak], minimum: int
    ) -> list[SceneBreak]:
        """Breaks found behind the last one. The trailing reply may still be swiped: not read."""
        settled = messages if messages and messages[-1].is_user else messages[:-1]
        start = 0
        for index in range(len(settled) - 1, -1, -1):
            mark = breaks.get(settled[index].anchor)
            if mark is not None and mark.is_visible:
                start = index + 1
                break
        found = await asyncio.to_thread(
            detect_breaks, settled, self._packs, start=start, minimum_length=minimum
        )
        return [scene_break_of(b, messages) for b in found if messages[b.last].anchor not in breaks]

    def inclusion_rules(self, settings: Mapping[str, Any]) -> InclusionRules:
        """What the user wants counted, by these settings and the context SillyTavern last said."""
        context = self.context_tokens or int(settings["context_tokens"])
        kind = settings["inclusion_limit_type"]
        return InclusionRules(
            limit_tokens=limit_in_tokens(int(settings["inclusion_limit"]), kind, context),
            long_term_tokens=limit_in_tokens(int(settings["long_term_limit"]), kind, context),
            lag=int(settings["inclusion_lag"]),
            include_user=settings["include_user_messages"],
            include_hidden=settings["include_hidden_messages"],
            include_narrator=settings["include_narrator_messages"],
            minimum_tokens=int(settings["inclusion_minimum_tokens"]),
            skip_oversized=settings["inclusion_skip_oversized"],
        )

    def _include(self, story: Story, settings: Mapping[str, Any]) -> tuple[Inclusion, ...]:
        return include(
            story.messages,
            story.message_recaps,
            self.inclusion_rules(settings),
            message_tokens=story.message_tokens,
            count=self._ledger.counter.count,
        )


def scene_break_of(found: FoundBreak, messages: Sequence[Message]) -> SceneBreak:
    """A break of the heuristic as it is kept."""
    return SceneBreak(
        anchor=messages[found.last].anchor,
        origin=BreakOrigin.HEURISTIC,
        cue=found.cue,
        confidence=found.confidence,
        name=found.name,
    )


def _first_difference(old: Sequence[Message], new: Sequence[Message]) -> int | None:
    """Index of the first message that differs, None when none does."""
    head, _ = common_ends(old, new)
    return None if head == len(old) == len(new) else head
