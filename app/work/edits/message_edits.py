"""What the user does to message recaps: each command is one step that can be taken back by name."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.operations import PRIORITY_ASKED, OperationSpec
from app.core.translation import N_, tr
from app.sillytavern.chat_file import ChatSnapshot
from app.store.store import Store
from app.store.stories.recaps import MESSAGE_MARK_FIELDS
from app.story import message_data
from app.story.message_data import Mark
from app.story.messages import Message, MessageRecap, digest
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.planning.message_recap_planner import message_recap_specs, missing_recaps
from app.work.planning.writing import Writing

Do = Callable[[OpenChat, str, Callable[[], Any]], Awaitable[None]]

_LABELS = {
    (Mark.EXCLUDED, True): (N_("leave out recap of #{n}"), N_("leave out {n} messages")),
    (Mark.EXCLUDED, False): (
        N_("stop leaving out recap of #{n}"),
        N_("stop leaving out {n} messages"),
    ),
    (Mark.REMEMBERED, True): (N_("remember recap of #{n}"), N_("remember {n} messages")),
    (Mark.REMEMBERED, False): (
        N_("stop remembering recap of #{n}"),
        N_("stop remembering {n} messages"),
    ),
}
# As older versions wrote them into the history, for those who read it in another language.
OLD_LABELS = (
    N_("leave out"),
    N_("stop leaving out"),
    N_("remember"),
    N_("stop remembering"),
    N_("edit of a message's recap"),
    N_("clear the recap of a message"),
    N_("recap of the previous swipe"),
)


class MessageEdits:
    """Writes, edits, clears and marks message recaps; `path` is that of an open chat.

    `anchors` are of messages; those that are gone are passed over. Raises UsageError for a chat
    that is not open.
    """

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        enqueue: Callable[[Sequence[OperationSpec]], Awaitable[None]],
        writing: Callable[[], Writing],
        do: Do,
    ) -> None:
        self._store = store
        self._chats = chats
        self._enqueue = enqueue
        self._writing = writing
        self._do = do

    async def write(self, path: Path, anchors: Sequence[str]) -> None:
        """Write the recaps of these messages anew, whatever the settings say."""
        chat = self._chats.required(path)
        await self._ask_for(chat, self._messages(chat, anchors))

    async def write_missing(self, path: Path) -> None:
        """Write the recaps of all messages that lack one, newest first, whatever the limits."""
        chat = self._chats.required(path)
        await self._ask_for(chat, missing_recaps(chat.story, chat.settings())[::-1])

    def missing(self, path: Path) -> int:
        """How many messages `write_missing` would write recaps of."""
        chat = self._chats.required(path)
        return len(missing_recaps(chat.story, chat.settings()))

    async def edit(self, path: Path, anchor: str, text: str) -> None:
        """Put the user's own words in place of a message's recap; "" removes it.

        A recap that was removed is not written again unasked.
        """
        chat = self._chats.required(path)
        messages = self._messages(chat, [anchor])
        old = chat.story.message_recaps.get(anchor, MessageRecap())
        if not messages or text == old.text:
            return
        recap = message_data.edited(old, text, messages[0])
        label = N_("edit of the recap of #{n}").format(n=chat.index_of(anchor))
        await self._save(chat, label, {anchor: recap})

    async def clear(self, path: Path, anchors: Sequence[str]) -> None:
        """Take recaps away with their marks and errors, of one message or of many.

        None is written for these messages again unasked.
        """
        chat = self._chats.required(path)
        recaps = {
            message.anchor: message_data.cleared(message)
            for message in self._messages(chat, anchors)
        }
        held = chat.story.message_recaps
        recaps = {anchor: new for anchor, new in recaps.items() if held.get(anchor) != new}
        if recaps:
            one, many = N_("clear recap of #{n}"), N_("clear {n} recaps")
            label = _named(chat, one, many, recaps)
            await self._save(chat, label, recaps)

    async def mark(
        self, path: Path, anchors: Sequence[str], mark: Mark, value: bool | None = None
    ) -> None:
        """Set or lift a mark on messages: leave their recaps out, or remember them.

        value: None sets it on those that lack it, and lifts it only where all of them have it
        (spec/auto-recap.md §1.7).
        """
        chat = self._chats.required(path)
        messages = self._messages(chat, anchors)
        made = message_data.toggled(chat.story.message_recaps, messages, mark, value)
        if not made:
            return
        is_set = getattr(next(iter(made.values())), mark.value)
        one, many = _LABELS[mark, is_set]
        label = _named(chat, one, many, made)
        await self._save(chat, label, made, only=MESSAGE_MARK_FIELDS)

    async def previous_swipe(self, path: Path, anchor: str) -> MessageRecap | None:
        """The recap of the swipe before the one shown; None for the first, or where it has none.

        Raises ChatUnreadable.
        """
        chat = self._chats.required(path)
        story, snapshot = await chat.reading()
        index = chat.index_of(anchor)
        if index is None:
            return None
        hashes = await asyncio.to_thread(_swipe_hashes, snapshot, index)
        recaps = self._store.recaps
        records = await self._store.run(lambda: recaps.message_records(chat.chat_id, anchor))
        found = message_data.of_previous_swipe(records, hashes, story.messages[index].swipe)
        return found if found is not None and (found.text or found.error) else None

    async def take_from_previous_swipe(self, path: Path, anchor: str) -> None:
        """Let the recap of the swipe before count for the one shown, too. Raises UsageError."""
        found = await self.previous_swipe(path, anchor)
        if found is None or not found.text:
            raise UsageError(tr("The previous swipe has no recap."))
        chat = self._chats.required(path)
        made = message_data.taken_over(found, self._messages(chat, [anchor])[0])
        label = N_("recap of #{n} from the previous swipe").format(n=chat.index_of(anchor))
        await self._save(chat, label, {anchor: made})

    async def _ask_for(self, chat: OpenChat, messages: Sequence[Message]) -> None:
        again = str(time.time_ns())
        await self._enqueue(
            message_recap_specs(
                messages,
                chat.chat_id,
                self._writing(),
                priority=PRIORITY_ASKED,
                again=again,
                places=chat.story.places,
            )
        )

    async def _save(
        self,
        chat: OpenChat,
        label: str,
        recaps: dict[str, MessageRecap],
        *,
        only: Sequence[str] | None = None,
    ) -> None:
        save, chat_id = self._store.recaps.save_message_recaps, chat.chat_id
        if only is None:
            await self._do(chat, label, lambda: save(chat_id, recaps))
        else:
            await self._do(chat, label, lambda: save(chat_id, recaps, only=only))

    def _messages(self, chat: OpenChat, anchors: Sequence[str]) -> list[Message]:
        wanted = frozenset(anchors)
        return [message for message in chat.story.messages if message.anchor in wanted]


def _named(chat: OpenChat, one: str, many: str, made: Collection[str]) -> str:
    """A label that names the one message, or says how many they are. made: their anchors."""
    if len(made) == 1:
        return one.format(n=chat.index_of(next(iter(made))))
    return many.format(n=len(made))


def _swipe_hashes(snapshot: ChatSnapshot, index: int) -> list[str]:
    """Content hashes of all swipes' texts, in order; none where the line is there no more."""
    number = int(snapshot.line_numbers[index])
    try:
        swipes = json.loads(snapshot.path.read_bytes().split(b"\n")[number - 1])["swipes"]
    except (OSError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        return []
    if not isinstance(swipes, list):
        return []
    return [digest(text) if isinstance(text, str) else "" for text in swipes]
