"""Keeps copies of the chats that SillyTavern writes, and raises the alarm when one shrinks."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from app.core.errors import ChatUnreadable, TavernError, reason_of
from app.core.resources import RESOURCES
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr, trn
from app.sillytavern.chat_copies import ChatCopies
from app.sillytavern.chat_file import read_chat
from app.sillytavern.data_folders import chat_ref_for
from app.sillytavern.guarded_write import integrity_of
from app.story.messages import combined_digest
from app.story.story import ChatRef
from app.views.chat_copies import ChatAlarm, ChatCopy, CopyComparison
from app.work.chats.bursts import Bursts
from app.work.chats.guarding.chat_losses import LOST_LINES, loss_of

SETTLE_SECONDS, LONGEST_SECONDS = 0.5, 3.0  # SillyTavern saves several times for one message
GONE_SECONDS = 10.0  # a renamed chat is missed for a moment
LONGEST_WORDS = 120  # characters of a message, where it is only named
MOST_HEADER = 50_000_000  # bytes of a first line


class ChatGuard:
    """Copies of chats, made while SillyTavern writes them.

    A copy is made of each state that is seen, so that nothing of it can be lost, whatever happens
    to the file; most go again as others come. Each is held against what was there just before, and
    against the last whole one where that was broken itself. Nothing of SillyTavern's is changed: a
    copy is restored as a chat of its own.

    name: what a chat is called in sentences; its file's name unless something is set.

    Signals:
        alarm: a chat lost messages, cannot be read any more, or is gone.
        over: a chat of which an alarm was raised has all again that it had.
        standing_changed: `standing` says something else.
        failed: (path, sentence) a copy could not be made.
    """

    def __init__(
        self,
        folder: Path,
        tasks: TaskSupervisor,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._copies = ChatCopies(folder, clock=clock)
        self._tasks = tasks
        self._clock = clock
        self._bursts = Bursts(LONGEST_SECONDS)
        self._gone = Bursts(GONE_SECONDS)
        self._looks: set[asyncio.Task[None]] = set()
        self._looking: dict[Path, asyncio.Lock] = {}
        self._told: dict[Path, int] = {}  # copies that were named in an alarm: lost then
        self._alarms: dict[Path, ChatAlarm] = {}  # the last one of each chat, until it is over
        self._unseen: set[Path] = set()  # chats with an alarm whose copies nobody looked at
        self._followed: Path | None = None
        self.name: Callable[[Path], str] = lambda chat: chat.stem
        self._seen: set[Path] = set()  # chats that were looked at in this run
        self._last: dict[Path, Path] = {}  # copies made in this run, whatever their dates say
        self.alarm: Signal[ChatAlarm] = Signal("alarm")
        self.over: Signal[Path] = Signal("over")
        self.standing_changed: Signal[None] = Signal("standing_changed")
        self.failed: Signal[tuple[Path, str]] = Signal("failed")

    @property
    def standing(self) -> str:
        """What a chat lost, first the one that is open, until it is over or its copies were looked
        at; "" for nothing.
        """
        alarm = self.alarm_left
        return "" if alarm is None else alarm.sentence

    @property
    def alarm_left(self) -> ChatAlarm | None:
        """The alarm that `standing` tells."""
        first = self._followed if self._followed in self._unseen else next(iter(self._unseen), None)
        return None if first is None else self._alarms.get(first)

    def look_at_copies(self, chat: Path) -> None:
        """Somebody looks at what there is of a chat: its alarm has led to that."""
        if chat in self._unseen:
            self._unseen.discard(chat)
            self.standing_changed.emit(None)

    def follow(self, chat: Path) -> None:
        """A chat is opened, and the one before it is left."""
        left, self._followed = self._followed, chat
        if left is not None and left != chat:
            self._keep(self._tasks.spawn(self._rest(left), name="keeping a chat that is left"))
        self.look_soon(chat)

    async def rest(self) -> None:
        """The program ends: keep what came since the last copies."""
        if self._followed is not None:
            await self._rest(self._followed)

    async def _rest(self, chat: Path) -> None:
        async with self._looking.setdefault(chat, asyncio.Lock()):
            try:
                await asyncio.to_thread(self._keep_last, chat)
            except FileNotFoundError:
                return  # deleted or renamed, which is looked at where it is seen
            except OSError as error:
                self._tell_failure(chat, error)

    def _keep_last(self, chat: Path) -> None:
        """Copy what is new. A chat that lost something is for `_look`, which says so."""
        if RESOURCES in chat.parents:
            return
        newest, data = self._newest(chat), chat.read_bytes()
        if newest is None or self._read(newest) == data or self._loss(chat, data, newest):
            return
        self._keep_copy(chat, data)

    def _keep_copy(self, chat: Path, data: bytes, *named: ChatCopy) -> None:
        """named: copies that are to be there as long as their alarm stands."""
        alarms = (alarm.copy for alarm in self._alarms.values() if alarm.chat == chat)
        needed = {copy.path for copy in (*named, *alarms)}
        made = self._copies.keep(chat, data, self._clock(), needed=needed)
        self._last[chat] = made.path

    def look_soon(self, chat: Path) -> None:
        """A chat's file was written or removed."""
        if RESOURCES not in chat.parents:
            self._bursts.after(SETTLE_SECONDS, chat, lambda: self._spawn(chat))

    def _spawn(self, chat: Path) -> None:
        self._keep(self._tasks.spawn(self.look(chat), name="guarding a chat"))

    def _keep(self, look: asyncio.Task[None]) -> None:
        self._looks.add(look)
        look.add_done_callback(self._looks.discard)

    async def look(self, chat: Path) -> None:
        """Compare a chat with its newest copy; keep a new one where it is due."""
        async with self._looking.setdefault(chat, asyncio.Lock()):
            try:
                alarm, is_over = await asyncio.to_thread(self._look, chat)
            except FileNotFoundError:
                self._gone.after(GONE_SECONDS, chat, lambda: self._spawn_search(chat))
                return
            except OSError as error:
                self._tell_failure(chat, error)
                return
        if is_over and chat in self._alarms:
            self._told.pop(self._alarms.pop(chat).copy.path, None)
            self.over.emit(chat)
            self.look_at_copies(chat)
        self._tell(alarm)

    def _tell_failure(self, chat: Path, error: OSError) -> None:
        sentence = tr(
            "No copy of {chat} could be saved ({reason}). The chat itself is unchanged.",
            chat=chat.name,
            reason=reason_of(error),
        )
        self.failed.emit((chat, sentence))

    def _spawn_search(self, chat: Path) -> None:
        self._keep(self._tasks.spawn(self._search(chat), name="looking for a chat that is gone"))

    async def _search(self, chat: Path) -> None:
        """A chat that is still gone was deleted, unless it goes on under another name."""
        self._tell(await asyncio.to_thread(self._missed, chat))

    def chat_of(self, path: Path) -> ChatRef:
        """The chat of a file, in a tavern or outside; nothing has to exist. Blocks."""
        return chat_ref_for(path)

    def _missed(self, chat: Path) -> ChatAlarm | None:
        newest = self._newest(chat)
        # Where the folder of all chats is gone, nobody deleted this one: it was moved away.
        if newest is None or chat.exists() or not chat.parent.parent.is_dir():
            return None
        try:
            identity = _identity(self._copies.read(newest))
        except TavernError:
            return None
        others = chat.parent.glob(f"*{chat.suffix}") if chat.parent.is_dir() else ()
        if identity and any(_identity_of(other) == identity for other in others):
            return None
        sentence = trn(
            "“{chat}” was deleted. There is a copy with {n} message.",
            "“{chat}” was deleted. There is a copy with {n} messages.",
            newest.messages,
            chat=self.name(chat),
        )
        return ChatAlarm(chat, newest, sentence, is_gone=True)

    def _look(self, chat: Path) -> tuple[ChatAlarm | None, bool]:
        """What there is to say of a chat, and whether what its alarm says is over."""
        newest, data = self._newest(chat), chat.read_bytes()
        is_new, is_first = newest is None or self._read(newest) != data, chat not in self._seen
        self._seen.add(chat)
        alarm, is_over = None, False
        if newest is not None and (is_new or is_first):
            alarm, is_over = self._loss(chat, data, newest), self._is_over(chat, data)
        if is_new:
            self._keep_copy(chat, data, *([alarm.copy] if alarm else []))
        return alarm, is_over

    def _is_over(self, chat: Path, data: bytes) -> bool:
        """Whether a chat has again what it had when the copy was made that its alarm names."""
        alarm = self._alarms.get(chat)
        if alarm is None:
            return False
        try:
            then = self._copies.held(alarm.copy)
        except TavernError:
            return True  # nobody can go back to that
        now = self._copies.contents(chat, data)
        return loss_of(self.name(chat), then, alarm.copy.moment, now) is None

    def _loss(self, chat: Path, data: bytes, newest: ChatCopy) -> ChatAlarm | None:
        """What a chat lost since the newest copy, or since the last whole one where that is not."""
        now = self._copies.contents(chat, data)
        found: ChatAlarm | None = None
        for copy in self._to_compare(chat, newest):
            loss = loss_of(self.name(chat), self._copies.held(copy), copy.moment, now)
            if loss is not None and (found is None or loss.lost > found.lost):
                found = ChatAlarm(chat, copy, loss.sentence, lost=loss.lost)
        return found

    def _to_compare(self, chat: Path, newest: ChatCopy) -> Iterator[ChatCopy]:
        for copy in (newest, *(c for c in self._copies.of(chat) if c != newest and not c.is_rest)):
            try:
                is_whole = self._copies.held(copy).is_whole
            except TavernError:
                continue
            if copy == newest or is_whole:
                yield copy
            if is_whole:
                return

    def _read(self, copy: ChatCopy) -> bytes:
        try:
            return self._copies.read(copy)
        except TavernError:
            return b""  # another is due

    def _newest(self, chat: Path) -> ChatCopy | None:
        """The copy that was made last, None for none."""
        copies = [copy for copy in self._copies.of(chat) if not copy.is_rest]
        last = self._last.get(chat)
        return next((copy for copy in copies if copy.path == last), copies[0] if copies else None)

    def _tell(self, alarm: ChatAlarm | None) -> None:
        if alarm is None:
            return
        told = self._told.get(alarm.copy.path)
        if told is None or alarm.lost >= told + LOST_LINES:
            self._told[alarm.copy.path] = alarm.lost
            self._alarms[alarm.chat] = alarm
            self.alarm.emit(alarm)
            if not alarm.is_gone:  # a chat may be deleted on purpose; its copies stay in the list
                self._unseen.add(alarm.chat)
                self.standing_changed.emit(None)

    # --- going back

    async def copies(self, chat: Path) -> tuple[ChatCopy, ...]:
        """What is kept of a chat, newest first."""
        return await asyncio.to_thread(self._copies.of, chat)

    async def gone(self, chat: Path) -> tuple[Path, ...]:
        """Chats beside this one of which only copies are left, the newest first."""
        return await asyncio.to_thread(self._copies.gone, chat)

    def follow_rename(self, old: Path, new: Path) -> None:
        """A chat goes on under another name: what was kept of it is found under that, too."""
        self._keep(self._tasks.spawn(self._take_along(old, new), name="keeping a renamed chat"))

    async def _take_along(self, old: Path, new: Path) -> None:
        async with self._looking.setdefault(new, asyncio.Lock()):
            try:
                if not await asyncio.to_thread(old.exists):
                    await asyncio.to_thread(self._copies.move, old, new)
            except OSError as error:
                self._tell_failure(new, error)

    async def compare(self, chat: Path, copy: ChatCopy) -> CopyComparison:
        """What only a copy has, and what only the chat has. Raises TavernError."""
        return await asyncio.to_thread(self._compared, chat, copy)

    def _compared(self, chat: Path, copy: ChatCopy) -> CopyComparison:
        with tempfile.TemporaryDirectory() as folder:
            unpacked = Path(folder, "chat.jsonl")
            unpacked.write_bytes(self._copies.read(copy))
            then = read_chat(unpacked).lines
        try:
            now = read_chat(chat).lines
        except ChatUnreadable:
            now = ()
        left = Counter(line.content_hash for line in now)
        lost: list[str] = []
        for line in then:
            if left[line.content_hash]:
                left[line.content_hash] -= 1
            else:
                lost.append(
                    f"{line.name}: {' '.join(line.text[: LONGEST_WORDS * 4].split())}"[
                        :LONGEST_WORDS
                    ]
                )
        kept, added = len(then) - len(lost), left.total()
        return CopyComparison(copy, kept, tuple(lost), added, *self._elsewhere(chat, copy))

    def _elsewhere(self, chat: Path, copy: ChatCopy) -> tuple[int, ChatCopy | None]:
        """How many messages are in neither of the two, but in other copies, and the newest one."""
        known, newest, count = set(self._copies.held(copy).marks), None, 0
        with suppress(OSError):
            known |= self._copies.contents(chat, chat.read_bytes()).marks
        for other in self._copies.of(chat):
            with suppress(TavernError):
                held = self._copies.held(other)
                if missing := held.missing_in(known):
                    newest, count = newest or other, count + len(missing)
                    known |= held.marks
        return count, newest

    async def restore(self, chat: Path, copy: ChatCopy) -> Path:
        """Write a copy beside the chat, as a chat of its own. Raises TavernError, WriteRefused."""
        return await asyncio.to_thread(self._copies.restore, copy, chat)

    async def settled(self) -> None:
        """Look at what waits to be looked at, now, and wait for it."""
        self._bursts.flush()
        self._gone.flush()
        await asyncio.gather(*self._looks)

    def close(self) -> None:
        """Look at nothing any more."""
        self._bursts.close()
        self._gone.close()


def _identity(data: bytes) -> str:
    """What a chat keeps through a renaming: its slug, else the moment of its first message."""
    header, _, rest = data.partition(b"\n")
    return integrity_of(header) or combined_digest(
        rest.partition(b"\n")[0].decode("utf-8", "replace")
    )


def _identity_of(chat: Path) -> str:
    try:
        with chat.open("rb") as file:
            return _identity(file.readline(MOST_HEADER) + file.readline(MOST_HEADER))
    except OSError:
        return ""
