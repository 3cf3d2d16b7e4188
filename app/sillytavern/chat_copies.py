"""Copies of chat files, kept apart from SillyTavern and from our database."""

from __future__ import annotations

import gzip
import os
import re
import time
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path

from app.core.errors import TavernError, WriteRefused, reason_of
from app.core.translation import tr
from app.sillytavern.copy_mark import refuse_copy
from app.sillytavern.guarded_write import LONGEST_NAME, write_file_atomically
from app.views.chat_copies import ChatCopy

NEWEST_KEPT = 3
DAYS_KEPT, WEEKS_KEPT = 7, 8
MOST_BYTES = 2_000_000_000  # on disk, for all chats together
MOST_CHAT_BYTES = 1_000_000_000  # of one chat, unpacked
_LEVEL = 1  # text shrinks to a fourth at once; more takes ten times as long
_ENDING = ".jsonl.gz"
_NAME = re.compile(r"(\d{8}-\d{6})(?:-\d+)?_(\d+)\.jsonl\.gz")
_DAY, _WEEK = 86_400.0, 7 * 86_400.0


class ChatCopies:
    """A folder of copies, thinned out with their age and bounded as a whole.

    All of it blocks: call it in an executor. clock: seconds since the epoch.
    """

    def __init__(
        self,
        folder: Path,
        *,
        most_bytes: int = MOST_BYTES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._clock = clock

    def of(self, chat: Path) -> tuple[ChatCopy, ...]:
        """What is kept of a chat, newest first; what a clock dated that was set back since comes
        last.
        """
        return _copies_in(self._folder_of(chat), self._clock())

    def gone(self, chat: Path) -> tuple[Path, ...]:
        """Chats that were kept beside this one, of whichever character, and whose files are not
        there any more, deleted or under another name; the one that was kept last is first.
        """
        place, root = self._folder_of(chat).parent.parent, chat.parent.parent
        newest = {
            root / folder.parent.name / f"{folder.name}{chat.suffix}": copies[0].moment
            for folder in place.glob("*/*")
            if (copies := _copies_in(folder, self._clock()))
        }
        missing = (path for path in newest if path != chat and not path.exists())
        return tuple(sorted(missing, key=lambda path: newest[path], reverse=True))

    def move(self, old: Path, new: Path) -> None:
        """A chat goes on under another name, and its copies with it. Raises OSError."""
        target = self._folder_of(new)
        for copy in _copies_in(self._folder_of(old), self._clock()):
            target.mkdir(parents=True, exist_ok=True)
            place = target / copy.path.name
            if not place.exists():
                copy.path.rename(place)

    def keep(self, chat: Path, data: bytes, moment: float) -> ChatCopy:
        """Keep a chat's bytes. Raises OSError."""
        folder = self._folder_of(chat)
        folder.mkdir(parents=True, exist_ok=True)
        lines = line_count(data)
        clock = time.strftime("%Y%m%d-%H%M%S", time.localtime(moment))
        path, number = folder / f"{clock}_{lines}{_ENDING}", 1
        while path.exists():  # in this second, or in the same one of a clock that was set back
            number += 1
            path = folder / f"{clock}-{number}_{lines}{_ENDING}"
        packed = gzip.compress(data, _LEVEL, mtime=int(moment))
        write_file_atomically(path, packed)
        os.utime(path, (moment, moment))
        self._thin_out(folder, moment)
        return ChatCopy(path, moment, lines, len(packed))

    def read(self, copy: ChatCopy) -> bytes:
        """The chat as it was, whole. Raises TavernError."""
        try:
            with gzip.open(copy.path) as file:
                data = file.read(MOST_CHAT_BYTES + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(copy, error) from error
        if len(data) > MOST_CHAT_BYTES:
            raise TavernError(tr("The copy {name} is too large to be a chat.", name=copy.path.name))
        return data

    def first_line(self, copy: ChatCopy) -> bytes:
        """What the chat began with, without unpacking the rest. Raises TavernError."""
        try:
            with gzip.open(copy.path) as file:
                return file.readline(MOST_CHAT_BYTES).rstrip(b"\n")
        except (OSError, EOFError, zlib.error) as error:
            raise _unreadable(copy, error) from error

    def restore(self, copy: ChatCopy, chat: Path) -> Path:
        """Write the copy beside the chat, as a chat of its own; nothing is replaced.

        Raises TavernError, WriteRefused.
        """
        refuse_copy(chat)
        data = self.read(copy)
        clock = time.strftime("%Y-%m-%d %Hh%M", time.localtime(copy.moment))
        ending = f" - {tr('as of {clock}', clock=clock)}"
        target, number = _beside(chat, ending), 1
        while target.exists():
            number += 1
            target = _beside(chat, f"{ending} ({number})")
        try:
            write_file_atomically(target, data)
        except OSError as error:
            raise WriteRefused(
                tr(
                    "{name} could not be written: {reason}. Nothing was changed.",
                    name=target.name,
                    reason=reason_of(error),
                )
            ) from error
        return target

    def _folder_of(self, chat: Path) -> Path:
        # Of several taverns, and of several users, characters may go by one name.
        place = zlib.crc32(os.fsencode(chat.parent.parent))
        return self._folder / f"{place:08x}" / chat.parent.name / chat.stem

    def _thin_out(self, folder: Path, now: float) -> None:
        copies = _copies_in(folder, now)
        # Of a clock that was set back there are copies of its future: they replace none of today.
        past = [copy for copy in copies if copy.moment <= now]
        future = [copy for copy in copies if copy.moment > now]
        kept = wanted(past) | wanted(future)
        for copy in copies:
            if copy not in kept:
                copy.path.unlink(missing_ok=True)
        self._bound(now)

    def _bound(self, now: float) -> None:
        """Drop the oldest where all take too much, but never a chat's only one."""
        by_chat = {
            folder: _copies_in(folder, now)
            for folder in {path.parent for path in self._folder.glob(f"*/*/*/*{_ENDING}")}
        }
        total = sum(copy.bytes for copies in by_chat.values() for copy in copies)
        spare = [copy for copies in by_chat.values() for copy in copies[1:]]
        for copy in sorted(spare, key=_age(now)):
            if total <= self._most_bytes:
                return
            copy.path.unlink(missing_ok=True)
            total -= copy.bytes


def _unreadable(copy: ChatCopy, error: Exception) -> TavernError:
    return TavernError(
        tr("The copy {name} cannot be read: {error}.", name=copy.path.name, error=error)
    )


def wanted(copies: Iterable[ChatCopy]) -> frozenset[ChatCopy]:
    """Those to keep: the newest, one of each of the last days and weeks, and the longest."""
    ordered = sorted(copies, key=lambda copy: copy.moment, reverse=True)
    if not ordered:
        return frozenset()
    now = ordered[0].moment
    kept = {*ordered[:NEWEST_KEPT], max(ordered, key=lambda copy: (copy.lines, copy.moment))}
    for length, number in ((_DAY, DAYS_KEPT), (_WEEK, WEEKS_KEPT)):
        newest: dict[int, ChatCopy] = {}
        for copy in ordered:
            age = int((now - copy.moment) // length)
            if age < number:
                newest.setdefault(age, copy)
        kept.update(newest.values())
    return frozenset(kept)


def line_count(data: bytes) -> int:
    """Lines of a chat file, the last one with or without its end."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _age(now: float) -> Callable[[ChatCopy], tuple[bool, float]]:
    """What copies are sorted by, oldest first; those of a future that the clock has left are."""
    return lambda copy: (copy.moment <= now, copy.moment)


def _copies_in(folder: Path, now: float) -> tuple[ChatCopy, ...]:
    found: list[ChatCopy] = []
    try:
        paths = list(folder.iterdir())
    except OSError:
        return ()
    for path in paths:
        match = _NAME.fullmatch(path.name)
        if match is not None:
            stat = path.stat()
            found.append(ChatCopy(path, stat.st_mtime, int(match[2]), stat.st_size))
    return tuple(sorted(found, key=_age(now), reverse=True))


def _beside(chat: Path, ending: str) -> Path:
    """A name next to the chat's that a file system takes."""
    room = LONGEST_NAME - len(os.fsencode(f"{ending}{chat.suffix}"))
    stem = os.fsencode(chat.stem)[:room].decode("utf-8", "ignore")
    return chat.with_name(f"{stem}{ending}{chat.suffix}")
