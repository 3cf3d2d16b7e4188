"""Keeps copies of the chats that SillyTavern writes, and raises the alarm when one shrinks."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import chain
from pathlib import Path

from app.core.errors import ChatUnreadable, TavernError, reason_of
from app.core.moments import moment_text
from app.core.resources import RESOURCES
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import number, tr, trn
from app.sillytavern.chat_copies import ChatCopies, line_count
from app.sillytavern.chat_file import read_chat
from app.sillytavern.chat_line import BOM, UnreadableLine, load_json
from app.sillytavern.data_folders import chat_ref_for
from app.sillytavern.guarded_write import integrity_of
from app.story.messages import combined_digest
from app.story.story import ChatRef
from app.views.chat_copies import ChatAlarm, ChatCopy, CopyComparison
from app.work.chats.bursts import Bursts

SETTLE_SECONDS, LONGEST_SECONDS = 2.0, 10.0  # SillyTavern saves several times for one message
GONE_SECONDS = 10.0  # a renamed chat is missed for a moment
KEEP_SECONDS = 3600.0  # between copies of a chat that goes on slowly
KEEP_LINES = 20  # that came since the newest copy
LONGEST_WORDS = 120  # characters of a message, where it is only named
MOST_HEADER = 50_000_000  # bytes of a first line
READ_WHOLE = 2_000_000  # bytes of a chat of which each line is read
LOST_LINES, LOST_SHARE = 10, 0.1  # fewer are taken to be what the user deleted


class ChatGuard:
    """Copies of chats, made while SillyTavern writes them.

    A copy is made of a chat that has none, after an hour, after KEEP_LINES new lines, and when it
    is left for another or the program ends; so not much more than that can be lost, whatever
    happens to the file. Then the words are compared too,
    and at once where another chat took this one's place. Nothing of SillyTavern's is changed: a
    copy is restored as a chat of its own.

    name: what a chat is called in sentences; its file's name unless something is set.

    Signals:
        alarm: a chat lost messages, cannot be read any more, or is gone.
        over: a chat of which an alarm was raised has all again that it had.
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
        self._told: set[Path] = set()  # copies that an alarm was raised about
        self._alarms: dict[Path, ChatAlarm] = {}  # the last one of each chat, until it is over
        self._followed: Path | None = None
        self.name: Callable[[Path], str] = lambda chat: chat.stem
        self._seen: dict[Path, int] = {}  # lines of a chat when it was looked at last in this run
        self._last: dict[Path, Path] = {}  # copies made in this run, whatever their dates say
        self.alarm: Signal[ChatAlarm] = Signal("alarm")
        self.over: Signal[Path] = Signal("over")
        self.failed: Signal[tuple[Path, str]] = Signal("failed")

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
        """Copy a chat that has grown. One that lost something is for `_look`, which says so."""
        if RESOURCES in chat.parents:
            return
        newest, data = self._newest(chat), chat.read_bytes()
        seen = max(self._seen.get(chat, 0), newest.lines if newest else 0)
        if newest is None or line_count(data) < seen:
            return
        if _trouble(self.name(chat), data, newest, seen):
            return
        try:
            then = self._copies.read(newest)
        except TavernError:
            then = b""
        if then != data and not _losses(self.name(chat), then, data, newest):
            self._last[chat] = self._copies.keep(chat, data, self._clock()).path

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
                alarm = await asyncio.to_thread(self._look, chat)
            except FileNotFoundError:
                self._gone.after(GONE_SECONDS, chat, lambda: self._spawn_search(chat))
                return
            except OSError as error:
                self._tell_failure(chat, error)
                return
        before = self._alarms.get(chat)
        if before is not None and await asyncio.to_thread(self._keep_whole, before):
            del self._alarms[chat]
            self._told.discard(before.copy.path)
            self.over.emit(chat)
        self._tell(alarm)

    def _keep_whole(self, alarm: ChatAlarm) -> bool:
        """Whether the chat has again what it had when the copy was made that an alarm names. It is
        kept then: the newest copy is what was left of it.
        """
        try:
            data, then = alarm.chat.read_bytes(), self._copies.read(alarm.copy)
        except (OSError, TavernError):
            return False
        name = self.name(alarm.chat)
        is_long_enough = not _trouble(name, data, alarm.copy, alarm.lines)
        is_whole = is_long_enough and not _losses(name, then, data, alarm.copy)
        if not is_whole or _unreadable_lines(data) > _unreadable_lines(then):
            return False
        self._last[alarm.chat] = self._copies.keep(alarm.chat, data, self._clock()).path
        return True

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

    def _look(self, chat: Path) -> ChatAlarm | None:
        newest = self._newest(chat)
        data = chat.read_bytes()
        trouble, is_due, lines = "", True, line_count(data)
        seen, self._seen[chat] = self._seen.get(chat, lines), lines
        if newest is not None:
            trouble = _trouble(self.name(chat), data, newest, seen)
            if trouble and self._is_copy_of(newest, data):
                return None  # it was so when it was first seen: there is nothing to go back to
            if not trouble:
                then = self._older(newest, data)
                is_due, trouble = then != data, _losses(self.name(chat), then, data, newest)
            if not trouble and (broken := _unreadable_lines(data)):
                trouble = self._broken_since(chat, newest, broken)
        if trouble or is_due:
            # What is left after a loss is kept as well, but never in place of what was.
            self._last[chat] = self._copies.keep(chat, data, self._clock()).path
        if newest is None or not trouble:
            return None
        return ChatAlarm(chat, newest, trouble, lines=max(seen, newest.lines))

    def _broken_since(self, chat: Path, newest: ChatCopy, broken: int) -> str:
        """What is wrong with a chat of which so many lines cannot be read, and that its newest copy
        can; "" where that is no better.
        """
        try:
            lost = broken - _unreadable_lines(self._copies.read(newest))
        except TavernError:
            return ""
        if lost <= 0:
            return ""
        return trn(
            "{n} line of “{chat}” can no longer be read. The copy from {clock} still has it.",
            "{n} lines of “{chat}” can no longer be read. The copy from {clock} still has them.",
            lost,
            chat=self.name(chat),
            clock=moment_text(newest.moment),
        )

    def _is_copy_of(self, copy: ChatCopy, data: bytes) -> bool:
        try:
            return self._copies.read(copy) == data
        except TavernError:
            return False

    def _newest(self, chat: Path) -> ChatCopy | None:
        """The copy that was made last, None for none."""
        copies = self._copies.of(chat)
        last = self._last.get(chat)
        return next((copy for copy in copies if copy.path == last), copies[0] if copies else None)

    def _older(self, newest: ChatCopy, data: bytes) -> bytes:
        """What the newest copy holds, where it is time for another; else the same as now.

        A chat that another one has taken the place of is looked at at once.
        """
        is_time = (
            line_count(data) >= newest.lines + KEEP_LINES
            or abs(self._clock() - newest.moment) >= KEEP_SECONDS  # a clock may be set back
        )
        try:
            if not is_time and integrity_of(self._copies.first_line(newest)) == integrity_of(data):
                return data
            return self._copies.read(newest)
        except TavernError:
            return b""  # another is due

    def _tell(self, alarm: ChatAlarm | None) -> None:
        if alarm is not None and alarm.copy.path not in self._told:
            self._told.add(alarm.copy.path)
            self._alarms[alarm.chat] = alarm
            self.alarm.emit(alarm)

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
        return CopyComparison(copy, len(then) - len(lost), tuple(lost), left.total())

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


def _trouble(chat: str, data: bytes, newest: ChatCopy, seen: int) -> str:
    """What is wrong with a chat beside its newest copy, "" for nothing. chat: what it is called.
    seen: lines that it had when it was looked at last; more than the copy has are in none.
    """
    lines = line_count(data)
    known = {"chat": chat, "clock": moment_text(newest.moment)}
    if not lines or not _is_object(data.partition(b"\n")[0]):
        return tr("“{chat}” can no longer be read. There is a copy from {clock}.", **known)
    most = max(seen, newest.lines)
    lost, copied = most - lines, newest.lines - lines
    if lost >= max(LOST_LINES, LOST_SHARE * most):
        if copied < lost:
            return _lost_since(lost, max(0, copied), known)
        return trn(
            "“{chat}” has {n} message fewer than at {clock}. There is a copy from that time.",
            "“{chat}” has {n} messages fewer than at {clock}. There is a copy from that time.",
            lost,
            **known,
        )
    if not _is_object(data.rstrip(b"\n").rpartition(b"\n")[2]):
        return tr("The end of “{chat}” is broken off. There is a copy from {clock}.", **known)
    return ""


def _lost_since(lost: int, copied: int, known: Mapping[str, str]) -> str:
    """Of messages of which the newest copy holds but some. copied: so many of those lost."""
    if not copied:
        return trn(
            "“{chat}” has {n} message fewer than before, and no copy has it.",
            "“{chat}” has {n} messages fewer than before, and no copy has them.",
            lost,
            **known,
        )
    return trn(
        "“{chat}” has {n} message fewer than before. The copy from {clock} has {copied} of them.",
        "“{chat}” has {n} messages fewer than before. The copy from {clock} has {copied} of them.",
        lost,
        copied=number(copied),
        **known,
    )


def _losses(chat: str, then: bytes, data: bytes, newest: ChatCopy) -> str:
    """Of messages that are gone though the chat is no shorter, "" for none."""
    now = set(data.split(b"\n"))
    gone = [line for line in then.split(b"\n")[1:] if line not in now]
    if len(gone) < LOST_LINES:
        return ""
    there = set(chain.from_iterable(map(_texts, now.difference(then.split(b"\n")))))
    lost = sum(there.isdisjoint(_texts(line)) for line in gone)
    if lost < max(LOST_LINES, LOST_SHARE * newest.lines):
        return ""
    return trn(
        "“{chat}” is missing {n} message from {clock}. There is a copy from that time.",
        "“{chat}” is missing {n} messages from {clock}. There is a copy from that time.",
        lost,
        chat=chat,
        clock=moment_text(newest.moment),
    )


def _texts(line: bytes) -> tuple[str, ...]:
    """What a message says, in all its swipes: hiding, a recap or another swipe is no loss."""
    try:
        held, _ = load_json(line)
    except UnreadableLine:
        return ()
    if not isinstance(held, dict):
        return ()
    swipes = held.get("swipes")
    texts = (held.get("mes"), *(swipes if isinstance(swipes, list) else ()))
    return tuple(text for text in texts if isinstance(text, str))


def _unreadable_lines(data: bytes) -> int:
    """How many lines of a chat are none. In a long one only those are read that look broken: it is
    looked at after each message.
    """
    lines = (line.strip().removeprefix(BOM) for line in data.split(b"\n"))
    is_long = len(data) > READ_WHOLE
    return sum(
        not (line[:1] == b"{" and line[-1:] == b"}" and (is_long or _is_object(line)))
        for line in lines
        if line
    )


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(load_json(line.removeprefix(BOM))[0], dict)
    except UnreadableLine:
        return False


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
