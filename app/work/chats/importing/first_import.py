"""A chat is seen for the first time: whose continuation is it, and what did others leave in it?"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.chat_kin import tells_another_story
from app.sillytavern.data_folders import renamed_owner
from app.sillytavern.extensions.message_extras import is_hidden_by_us, other_swipe_recaps
from app.store.store import Store
from app.story.anchors import KnownMessage, common_ends
from app.story.auto_hide import HideState
from app.story.messages import Message, MessageRecap
from app.story.recaps import SceneRecap
from app.story.story import ChatRef
from app.work.chats.importing.extension_recaps import left_by_others
from app.work.chats.importing.other_extensions import ranged_recaps_of
from app.work.chats.importing.ranged_scenes import Held, scenes_from

LAST_MESSAGES = 3


@dataclass(frozen=True, slots=True)
class Origin:
    """The number to go on with, and that of the chat that this one shares its beginning with."""

    chat_id: int
    source: int | None = None


async def find_origin(store: Store, chat_id: int, chat: ChatRef, snapshot: ChatSnapshot) -> Origin:
    """Take over what is known of the chat that this one was; the number to go on with.

    A renamed file keeps its number. A branch, a checkpoint and a copy begin with all that is
    known of the messages they share, and with none of the future behind them
    (spec/sillytavern.md §2: branches name their parent, old ones share its integrity slug).
    """
    chats, slug, path = store.chats, snapshot.integrity, chat.path
    kin = [row for row in await store.run(lambda: chats.with_integrity(slug)) if row[0] != chat_id]
    gone = {number for number, name in kin if not await asyncio.to_thread(Path(name).exists)}
    parent = snapshot.chat_metadata.get("main_chat")
    named = str(path.with_name(f"{parent}.jsonl")) if isinstance(parent, str) else ""
    names = dict(kin)
    renamed = await asyncio.to_thread(
        lambda: {number: renamed_owner(Path(names[number]), chat) for number in gone}
    )

    def unit() -> Origin:
        named_id = chats.id_of(named) if named and chats.is_known(named) else None
        both = {number: chats.known(number) for number, _ in kin}
        if named_id is not None and named_id != chat_id:
            both[named_id] = chats.known(named_id)
        known = {number: present for number, (present, _) in both.items()}
        shared = _Shared(snapshot)
        size = {number: shared.of(*messages) for number, messages in both.items()}
        # Most in common, the newest among equals: a file that was renamed twice left two traces,
        # and a branch that was deleted has its beginning in common with the next one.
        nearest = max(known, key=lambda n: (*size[n], n in gone, n), default=None)
        if nearest in gone and shared.goes_on(known[nearest], is_branch=bool(named)):
            chats.move(nearest, str(path))
            if owner := renamed[nearest]:
                store.memory_modes.rename_character(owner, chat.owner_key)
            return Origin(nearest)
        source = max(known, key=lambda n: (*size[n], n == named_id, n), default=None)
        if source is not None:
            chats.copy_knowledge(source, chat_id, before=len(snapshot.lines), held=shared.held)
            store.settings.inherit(source, chat_id)
        return Origin(chat_id, source)

    return await store.run(unit)


async def take_over_memories(store: Store, origin: Origin, owner: str) -> None:
    """Let a branch begin with what is remembered of the messages it shares, once it is known which
    these are. owner: key of its character.
    """
    source, target = origin.source, origin.chat_id
    if source is not None:
        await store.run(lambda: store.branching.take_over(source, target, owner))


class _Shared:
    """What a file has in common with chats that are known."""

    def __init__(self, snapshot: ChatSnapshot) -> None:
        self._identities = [line.identity for line in snapshot.lines]
        self.held = frozenset(self._identities)

    def of(self, known: Sequence[KnownMessage], retired: Sequence[KnownMessage]) -> tuple[int, int]:
        """How many messages of a chat the file holds, and how many from both ends in order.

        retired: that the chat has lost since. The file is a copy of then where it holds these.
        """
        identities = [message.identity for message in known]
        lost = self._count([message.identity for message in retired])
        return self._count(identities) + lost, sum(common_ends(identities, self._identities))

    def goes_on(self, known: Sequence[KnownMessage], *, is_branch: bool) -> bool:
        """Whether the file is that chat under a new name.

        A branch may have outlived the parent that it shares a slug with: it goes on only with a
        chat whose last messages it holds. Others alone have their slug, whatever became of them.
        """
        last = [message.identity for message in known[-LAST_MESSAGES:]]
        return not is_branch or (bool(last) and self._count(last) == len(last))

    def _count(self, identities: Sequence[str]) -> int:
        return sum(identity in self.held for identity in identities)


async def import_extras(
    store: Store,
    chat_id: int,
    snapshot: ChatSnapshot,
    messages: tuple[Message, ...],
    *,
    chat: ChatRef,
    speakers: str = "both",
) -> None:
    """Take in what recap extensions left of the chat, where we know nothing yet.

    speakers: whose messages scene recaps are made from here, so that imported ones are not taken
    to be outdated. Formats: spec/auto-recap.md §1 and §12, app/sillytavern/extensions. All files
    stay as they are.
    """
    read = partial(left_by_others, is_others=tells_another_story, speakers=speakers)
    left = await asyncio.to_thread(read, snapshot, messages)
    rare = await asyncio.to_thread(_rare_data, snapshot)
    ranged = await asyncio.to_thread(ranged_recaps_of, chat, snapshot)

    def unit() -> None:
        known = store.scenes.breaks(chat_id)
        store.scenes.save(chat_id, [b for b in left.breaks if b.anchor not in known])
        _keep_scene_recaps(store, chat_id, left.scene_recaps)
        if not store.recaps.message_recaps(chat_id):
            for index, other in rare.recaps:
                store.recaps.save_message_recaps(chat_id, {messages[index].anchor: other})
            store.recaps.save_message_recaps(chat_id, dict(left.message_recaps))
        if rare.hidden and not store.hiding.states(chat_id):
            ours = {messages[index].anchor: HideState.HIDDEN for index in rare.hidden}
            store.hiding.save(chat_id, ours)
        if left.running and not store.recaps.running(chat_id).versions:
            store.recaps.import_running(chat_id, left.running, left.current)
        for found in ranged:
            breaks, recaps = store.scenes.breaks(chat_id), store.recaps.scene_recaps(chat_id)
            new, _ = scenes_from(found, Held(messages, breaks, recaps, speakers=speakers))
            store.scenes.save(chat_id, [*new.hidden, *new.breaks])
            store.recaps.import_scene_recaps(chat_id, new.scene_recaps)
        store.chats.set_acquainted(chat_id)

    await store.run(unit)


def _keep_scene_recaps(store: Store, chat_id: int, recaps: Iterable[SceneRecap]) -> None:
    # A branch of a chat that we mirrored holds what it knows of its parent.
    recapped = store.recaps.scene_recaps(chat_id)
    store.recaps.import_scene_recaps(chat_id, [r for r in recaps if r.anchor not in recapped])


@dataclass(frozen=True, slots=True)
class _RareData:
    """What is read from the file's lines, since few messages have it.

    recaps: of swipes that are not shown. hidden: messages that we hid. Each with its index.
    """

    recaps: tuple[tuple[int, MessageRecap], ...]
    hidden: tuple[int, ...]


def _rare_data(snapshot: ChatSnapshot) -> _RareData:
    wanted = {
        number: index
        for index, (line, number) in enumerate(
            zip(snapshot.lines, snapshot.line_numbers.tolist(), strict=True)
        )
        if line.swipes > 1 or line.is_hidden
    }
    recaps: list[tuple[int, MessageRecap]] = []
    hidden: list[int] = []
    for index, text in _lines_again(snapshot, wanted):
        line = snapshot.lines[index]
        if line.swipes > 1:
            recaps += ((index, recap) for recap in other_swipe_recaps(text))
        if line.is_hidden and is_hidden_by_us(text):
            hidden.append(index)
    return _RareData(tuple(recaps), tuple(hidden))


def _lines_again(snapshot: ChatSnapshot, wanted: Mapping[int, int]) -> Iterator[tuple[int, bytes]]:
    """The text of some lines of the file, with the index of each message. wanted: that, by line.

    A line that was saved again since is read again with the next reading, but not for this.
    """
    if not wanted:
        return
    digests = snapshot.line_digests
    with suppress(OSError), snapshot.path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if number in wanted:
                text = line.removesuffix(b"\n")
                if hash(text) == digests[number - 1]:
                    yield wanted[number], text
