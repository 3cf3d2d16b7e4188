"""The slots of open chats: gives the assembly what it works with, keeps high-water marks, and
knows which macros stand in whose card."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from app.core.operations import OFF
from app.core.translation import tr
from app.llm.backends.hardware_profile import profile_for
from app.llm.backends.page_line import telling_of
from app.memory.similarity import Vectors
from app.memory.standing import Standing
from app.prompt.assembly import ANY_TURN, Prepared, prepared
from app.prompt.generation import Turn
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.prompt.slots import SlotSet
from app.recall.meanings import Meant
from app.recall.messages import MessageIndex
from app.settings.memory import MemorySettings
from app.story.scene_cues.language import LanguagePack
from app.story.story import ChatKind, ChatRef, Story
from app.views.memory_view import MemoryView
from app.work.chats.open_chat import OpenChat
from app.work.queries.derived_knowledge import derived
from app.work.queries.memory_view import memory_view

MOST_UNREAD = 1_000  # messages; no prompt holds more


@dataclass(frozen=True, slots=True)
class Finders:
    """What finds old things of a chat for a turn: by vectors, by words, by what is meant.

    ready: waits until all that the chat says can be found. hear: gets what a turn asks.
    """

    vectors: Callable[[OpenChat], Vectors]
    index: Callable[[OpenChat], MessageIndex | None]
    meant: Callable[[OpenChat], Meant | None]
    ready: Callable[[OpenChat], Awaitable[None]]
    hear: Callable[[OpenChat, Turn], Awaitable[None]]


class Prompting:
    """Makes the slots of each turn. What slots wanted at most is known while a chat is open.

    macros_of: names of our macros in the card of who answers in a chat, as its file says. The page
    knows better which fields it uses: what it said last of somebody counts. backend: the spec of
    the model that keeps the memory. want: is told the texts that are to be counted exactly.
    """

    def __init__(
        self,
        count: Callable[[str], int],
        packs: Sequence[LanguagePack],
        macros_of: Callable[[ChatRef, str], tuple[str, ...]],
        backend: Callable[[], str],
        finders: Finders,
        want: Callable[[Iterable[str]], None],
    ) -> None:
        self._count = count
        self._packs = packs
        self._macros_of = macros_of
        self._backend = backend
        self.finders = finders
        self._want = want
        self._full: MutableMapping[OpenChat, Mapping[str, int]] = WeakKeyDictionary()
        self._presence: MutableMapping[
            OpenChat, tuple[tuple[object, ...], tuple[Standing, ...]]
        ] = WeakKeyDictionary()
        self._named: MutableMapping[OpenChat, dict[str, tuple[str, ...]]] = WeakKeyDictionary()

    async def slots(
        self,
        chat: OpenChat,
        turn: Turn | None = None,
        *,
        total: int | None = None,
        is_ahead: bool = False,
    ) -> SlotSet:
        """The slots of a turn of a chat, as it is when this is called. total: bound for all of
        them together. is_ahead: nobody has asked for them, nor is their size asked of the page.

        They are made in a thread of their own: of a long story it takes longer than a frame.
        """
        if chat.is_off:
            return SlotSet(warnings=(tr(OFF),))
        prepared = self.prepared(chat, turn, total=total)
        made = await asyncio.to_thread(prepared.under, prepared.occasion.settings)
        self._full[chat] = made.full
        if not is_ahead:
            with telling_of(chat.chat.user_folder):
                self._want(slot.text for slot in made.slots)
        return made

    def prepared(
        self,
        chat: OpenChat,
        turn: Turn | None = None,
        *,
        total: int | None = None,
        until: int | None = None,
    ) -> Prepared:
        """A turn of a chat, ready for any budgets. until: the last message that counts, None for
        the last there is.
        """
        turn = self._with_card(chat, turn or ANY_TURN)
        settings = chat.prompt_settings()
        means = Means(
            self._count,
            self._packs,
            self._full.get(chat, {}),
            self.finders.vectors(chat),
            profile=profile_for(settings, self._backend()).profile.key,
            index=self.finders.index(chat),
            meant=self.finders.meant(chat),
        )
        story = chat.story if until is None else _shortened(chat.story, until + 1)
        told = self._recollection(chat, until)
        return prepared(story, settings, means, told=told, turn=turn, total=total)

    def _recollection(self, chat: OpenChat, until: int | None = None) -> Recollection:
        """What a chat remembers now, and what follows of who was there; nothing where memory is
        not kept.
        """
        if not chat.keeps_memory:
            return Recollection()
        view = memory_view(chat, until)
        told = Recollection(
            (*view.memories, *found) if (found := self._derived(chat, view)) else view.memories,
            view.entities,
            view.documents,
            view.ground.chat,
            frozenset(view.kept_by),
            unread_from(chat, len(chat.story.messages) if until is None else until + 1),
            view.ground.kin,
        )
        return told if MemorySettings(chat.prompt_settings()).other_chats_enabled else told.alone

    def _derived(self, chat: OpenChat, view: MemoryView) -> tuple[Standing, ...]:
        """The same until the story, or what is remembered of it, is another."""
        of = (_Same(view.memories), _Same(view.documents), _Same(view.story.messages), view.at)
        known = self._presence.get(chat)
        if known is None or known[0] != of:
            known = self._presence[chat] = (of, derived(view, self._packs).entries)
        return known[1]

    def expected_turn(self, chat: OpenChat, responder: str = "") -> Turn | None:
        """The turn that a reply would be, by what SillyTavern said at the last; None for any turn.
        Of a group, as a reply of one member, or else of who spoke last: what all may be told is
        less than any of them gets.
        """
        names, fixed = chat.chat.speakers, chat.fixed_tokens
        if len(names) > 1 and not responder:
            spoke = (m.name for m in reversed(chat.story.messages) if m.name in names)
            responder = next(spoke, names[0])
        if not chat.context_tokens:
            return Turn(responder) if responder else None
        who = names[0] if len(names) == 1 else ""
        most = max(fixed.values(), default=0)
        return Turn(responder, context=chat.context_tokens, fixed=fixed.get(responder or who, most))

    def ground(self, chat: OpenChat) -> tuple[object, ...]:
        """What every turn of a chat is made with beside its story; equal while none of it became
        another.
        """
        settings, under = chat.prompt_settings(), chat.ground()
        return (
            settings,
            self._with_card(chat, ANY_TURN),
            _Same(self.finders.vectors(chat)),
            _Same(self.finders.index(chat)),
            _Same(self.finders.meant(chat)),
            profile_for(settings, self._backend()).profile.key,
            chat.keeps_memory,
            chat.remembered,
            chat.elsewhere,
            (under.foreign, under.kin),
        )

    def _with_card(self, chat: OpenChat, turn: Turn) -> Turn:
        """The turn with what is known of the responder's card."""
        is_solo = chat.chat.kind is ChatKind.SOLO
        responder = "" if is_solo else turn.responder  # one card, whatever name it goes by
        named = self._named.setdefault(chat, {})
        if turn.card is not None:
            named[responder] = turn.card
            return turn
        if not (is_solo or responder):
            return replace(turn, card=())
        known = named.get(responder)
        return replace(turn, card=self._macros_of(chat.chat, responder) if known is None else known)


class _Same:
    """Equal to another one of the same object only; what is compared by its parts is not."""

    def __init__(self, what: object) -> None:
        self._what = what

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other._what is self._what

    def __hash__(self) -> int:
        return id(self._what)


def unread_from(chat: OpenChat, end: int) -> int | None:
    """Index from which on no model has read the messages, None where one has read the last."""
    read, messages, index = chat.reading_state.extracted, chat.story.messages, end
    while index and index > end - MOST_UNREAD:
        message = messages[index - 1]
        if (message.anchor, message.content_hash) in read:
            break
        index -= 1
    return index if index < end else None


def _shortened(story: Story, length: int) -> Story:
    """The first messages of a story, with the scenes that had closed by then."""
    return replace(
        story,
        messages=story.messages[:length],
        scenes=tuple(scene for scene in story.scenes if scene.is_closed and scene.last < length),
        inclusion=story.inclusion[:length],
        message_tokens=story.message_tokens[:length],
    )
