"""What slots would have taken at replies of the past, made again only where something changed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from app.memory.records import Memory
from app.story.messages import Message, MessageKind
from app.story.scenes import Scene
from app.story.story import Story
from app.views.budget_preview import Need
from app.work.chats.open_chat import OpenChat
from app.work.prompts.prompting import Prompting, unread_from

TURNS_LOOKED_BACK = 24


@dataclass(frozen=True, slots=True)
class _Kept:
    """Needs, and what they were made of. found: by index of the reply, each with the index from
    which on its messages were unread.
    """

    ground: tuple[object, ...]
    story: Story
    memories: tuple[Memory, ...]
    found: Mapping[int, tuple[int | None, Need]]


class BudgetHistory:
    """Looks back over the replies of open chats; a new message costs one look, not all of them."""

    def __init__(self, prompting: Prompting) -> None:
        self._prompting = prompting
        self._kept: MutableMapping[OpenChat, _Kept] = WeakKeyDictionary()

    async def of(
        self, chat: OpenChat, turns: int = TURNS_LOOKED_BACK, responder: str = ""
    ) -> tuple[Need, ...]:
        """What slots would have taken in full at the last replies, oldest first. responder: of a
        group, "" for who spoke last.
        """
        story, memories = chat.story, chat.memories
        ground = self._ground(chat, responder)
        replies = [index for index in story.places.where(is_reply)[-turns:] if index]
        known = await asyncio.to_thread(self._still_true, chat, ground, story)
        found: dict[int, tuple[int | None, Need]] = {}
        # One after the other, so that others get their turn between them.
        for index in replies:
            if index in known:
                found[index] = known[index]
            else:
                found[index] = await asyncio.to_thread(self._need, chat, index, responder)
        if chat.story is story and self._ground(chat, responder) == ground:
            self._kept[chat] = _Kept(ground, story, memories, found)
        return tuple(need for _, need in found.values())

    def _ground(self, chat: OpenChat, responder: str) -> tuple[object, ...]:
        return (*self._prompting.ground(chat), self._prompting.expected_turn(chat, responder))

    def _need(self, chat: OpenChat, index: int, responder: str) -> tuple[int | None, Need]:
        unread = unread_from(chat, index)
        # For a prompt as large as those of now: what it holds of the messages, slots needn't tell.
        turn = self._prompting.expected_turn(chat, responder)
        prepared = self._prompting.prepared(chat, turn, until=index - 1)
        bare = replace(prepared, means=replace(prepared.means, full={}))
        return unread, Need(index, bare.full)

    def _still_true(
        self, chat: OpenChat, ground: tuple[object, ...], story: Story
    ) -> Mapping[int, tuple[int | None, Need]]:
        """What is known of replies before which nothing changed."""
        kept = self._kept.get(chat)
        if kept is None or kept.ground != ground:
            return {}
        before = kept.story
        head = story.places.head_of(before.messages)
        changed = {m.anchor for m in (*before.messages[head:], *story.messages[head:])}
        if _rests_on(kept.memories, changed) or not _is_alike(before, story, head):
            return {}
        return {
            index: (unread, need)
            for index, (unread, need) in kept.found.items()
            if index <= head and unread == unread_from(chat, index)
        }


def _is_alike(before: Story, story: Story, head: int) -> bool:
    """Whether all that prompts before message `head` are made of is the same, but for messages."""
    return (
        before.message_tokens[:head] == story.message_tokens[:head]
        and before.running == story.running
        and _closed(before.scenes, head) == _closed(story.scenes, head)
        and before.recaps == story.recaps
    )


def _closed(scenes: Sequence[Scene], head: int) -> list[Scene]:
    return [scene for scene in scenes if scene.is_closed and scene.last < head]


def _rests_on(memories: Iterable[Memory], anchors: set[str]) -> bool:
    """Whether a memory, or the end of one, has one of these messages for a source."""
    return any(
        source.anchor in anchors
        for memory in memories
        for sources in (memory.sources, *(ending.sources for ending in memory.endings))
        for source in sources
    )


def is_reply(message: Message) -> bool:
    return not message.is_user and message.kind is MessageKind.CHAT
