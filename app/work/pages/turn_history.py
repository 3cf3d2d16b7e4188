"""The turns of open chats as they were really sent: kept, shown, compared."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.core.errors import UsageError
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.prompt.prefix import prefix_break
from app.prompt.sent_room import fixed_of
from app.prompt.slots import Slot
from app.prompt.turns import (
    FinalPrompt,
    SentPart,
    SentTurn,
    Wire,
    going_on_from,
    told_memories,
    turn_of,
)
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge.bridge_protocol import Sent, WireSlot
from app.sillytavern.bridge.bridge_socket import Page
from app.store.store import Store
from app.views.turn_view import TurnView
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages.answered_turn import AnsweredTurn
from app.work.pages.link import BridgeLink

log = logging.getLogger(__name__)

KEEP = "sent_prompts_kept"
WAITING_TURNS = 32  # whose prompts may still be reported
LONGEST_HUNG = 24 * 3600.0  # seconds for which a program may have been stopped


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A turn whose prompt is not reported yet. saving: None for one that was only prepared for:
    nothing may come of it. connection: by which it was sent, as its tokenizer is named.
    """

    chat: OpenChat
    turn: SentTurn
    saving: asyncio.Task[SentTurn] | None
    connection: str


class TurnHistory:
    """Keeps the last turns of each chat, and the prompts they were sent with where that is wanted.

    around: tokens that SillyTavern counts of a message of a chat completion beside its text.

    Signals:
        changed: the chat that had a turn.
    """

    # 7 parameters: wiring.py alone makes it.
    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        link: BridgeLink,
        count: Callable[[str], int],
        tasks: TaskSupervisor,
        *,
        is_reading_only: Callable[[], bool],
        around: Callable[[], int] = lambda: 0,
    ) -> None:
        self._store = store
        self._chats = chats
        self._count = count
        self._tasks = tasks
        self._is_reading_only = is_reading_only
        self._around = around
        self._waiting: dict[tuple[str, str], _Waiting] = {}
        # Of pages that did not wait for their slots: these are made still.
        self._reported: dict[tuple[str, str], Sent] = {}
        self.changed: Signal[Path] = Signal("changed")
        link.answered.connect(self._on_answered)
        link.sent.connect(self._on_sent)

    async def turns(self, path: Path) -> tuple[SentTurn, ...]:
        """The turns of an open chat, newest first, without their prompts. Raises UsageError."""
        chat_id = self._chats.required(path).chat_id
        return await self._store.run(lambda: self._store.turns.of(chat_id))

    async def view(self, path: Path, number: int) -> TurnView:
        """One turn of an open chat beside the one before. Raises UsageError where it is gone."""
        chat_id, turns = self._chats.required(path).chat_id, self._store.turns
        turn, before = await self._store.run(
            lambda: (turns.whole(number), turns.before(chat_id, number))
        )
        if turn is None:
            raise UsageError(tr("This turn is no longer stored."))
        if before is None:
            return TurnView(turn, None, None)
        broken = await asyncio.to_thread(prefix_break, before, turn, self._count)
        return TurnView(turn, before, broken)

    async def forget(self, path: Path) -> None:
        """Drop what is kept of an open chat's turns. Raises UsageError."""
        chat_id = self._chats.required(path).chat_id
        await self._store.run(lambda: self._store.turns.forget(chat_id))
        self.changed.emit(path)

    async def follow_setting(self, name: str) -> None:
        """Drop prompts that are not to be kept any more."""
        if name != KEEP or self._is_reading_only():
            return
        for path in self._chats.paths:
            chat = self._chats.get(path)
            if chat is not None and not chat.settings()[KEEP]:
                await self._store.run(partial(self._store.turns.forget_prompts, chat.chat_id))
                self.changed.emit(path)

    # --- what pages tell

    def _on_answered(self, answered: AnsweredTurn) -> None:
        request, chat = answered.request, answered.chat
        turn = turn_of(
            answered.slots,
            moment=_moment_of(request.asked),
            generation=request.kind,
            responder=request.responder or answered.slots.responder,
            context=request.context,
            messages=request.messages,
        )
        said = [(one.name, one.text) for one in request.said]
        turn = going_on_from(turn, chat.story.messages, said)
        if self._is_reading_only():
            return
        saving = None
        if request.context and answered.is_made:
            saving = self._tasks.spawn(
                self._save(chat, turn, request.tokenizer), name="keeping a turn"
            )
        while len(self._waiting) >= WAITING_TURNS:
            del self._waiting[next(iter(self._waiting))]
        waiting = _Waiting(chat, turn, saving, request.tokenizer)
        report = self._reported.pop((answered.page.id, request.id), None)
        if report is None:
            self._waiting[answered.page.id, request.id] = waiting
        else:
            self._tasks.spawn(self._take(waiting, report), name="keeping a prompt")

    async def _save(self, chat: OpenChat, turn: SentTurn, connection: str) -> SentTurn:
        store = self._store

        def unit() -> int:
            if turn.context:
                store.prompt_facts.save(
                    chat.chat_id, connection, turn.responder, turn.context, turn.moment
                )
            return store.turns.save(chat.chat_id, turn)

        number = await store.run(unit)
        self.changed.emit(chat.chat.path)
        return replace(turn, id=number)

    def _on_sent(self, heard: tuple[Page, Sent]) -> None:
        page, report = heard
        waiting = self._waiting.pop((page.id, report.turn), None)
        if waiting is not None:
            self._tasks.spawn(self._take(waiting, report), name="keeping a prompt")
            return
        while len(self._reported) >= WAITING_TURNS:
            del self._reported[next(iter(self._reported))]
        self._reported[page.id, report.turn] = report

    async def _take(self, waiting: _Waiting, report: Sent) -> None:
        chat = waiting.chat
        connection = waiting.connection
        kept = await (waiting.saving or self._save(chat, waiting.turn, connection))
        turn = await asyncio.to_thread(_with_report, kept, report, self._count)
        told = await asyncio.to_thread(told_memories, kept, turn)
        story = chat.story
        fixed = await asyncio.to_thread(
            fixed_of, turn, story.messages, story.message_tokens, self._count, self._around()
        )
        chat.fixed_tokens[turn.responder] = fixed
        if not chat.settings()[KEEP]:
            turn = replace(turn, prompt=None)
        store = self._store

        def unit() -> None:
            store.turns.change(turn)
            if turn.context:
                store.prompt_facts.save(
                    *(chat.chat_id, connection, turn.responder, turn.context, turn.moment),
                    fixed=fixed,
                )
            store.memories.count_recalls(told)

        await store.run(unit)
        self.changed.emit(chat.chat.path)


def _moment_of(asked: float) -> float:
    """When a turn was, which may be some time ago; of a page whose clock is another, now."""
    now = time.time()
    return asked if now - LONGEST_HUNG <= asked <= now else now


def _with_report(turn: SentTurn, report: Sent, count: Callable[[str], int]) -> SentTurn:
    """The turn as the page set it, with the prompt that came of it."""
    made = {slot.key: slot for slot in turn.slots}
    slots = tuple(_as_set(slot, made.get(slot.key), count) for slot in report.slots if slot.text)
    expected = {slot.key: slot.text for slot in turn.slots if slot.text}
    found = {slot.key: slot.text for slot in slots}
    is_late = expected != found
    # Of a slot that came too late nothing is known but its text.
    contents = tuple(one for one in turn.contents if found.get(one.key) == expected.get(one.key))
    parts = tuple(SentPart(p.role, p.text, p.length, p.mark) for p in report.parts)
    order, wire = _places(turn.slots), Wire(report.wire)
    return replace(
        turn,
        slots=tuple(sorted(slots, key=lambda slot: order.get(slot.key, len(order)))),
        contents=contents,
        is_late=is_late,
        prompt=FinalPrompt(wire, parts),
        wire=wire,
    )


def _places(slots: tuple[Slot, ...]) -> Mapping[str, int]:
    return {slot.key: place for place, slot in enumerate(slots)}


def _as_set(wire: WireSlot, made: Slot | None, count: Callable[[str], int]) -> Slot:
    """A slot as the page has it; figures as it was made, where it is the one that was made."""
    position, role = Position.NONE, Role.SYSTEM
    if wire.position in tuple(Position) and wire.role in tuple(Role):
        position, role = Position(wire.position), Role(wire.role)
    is_same = made is not None and made.text == wire.text
    tokens = made.tokens if made is not None and is_same else count(wire.text)
    budget = max(made.budget, tokens) if made is not None else tokens
    # What was left out of a slot that the page had from before is not known; nothing of it is cut.
    full = max(tokens, made.full_tokens) if made is not None and is_same else tokens
    return Slot(
        wire.key,
        position,
        wire.depth,
        role,
        wire.scan,
        wire.text,
        tokens,
        budget,
        full,
        made.macro if made is not None else "",
    )
