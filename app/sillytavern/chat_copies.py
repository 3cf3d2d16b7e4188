"""Copies of chat files, kept apart from SillyTavern and from our database."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from app.core.errors import TavernError, WriteRefused, reason_of
from app.core.translation import tr
from app.sillytavern.chat_contents import Contents, ContentsReader, marks_of
from app.sillytavern.copy_mark import refuse_copy
from app.sillytavern.copy_thinning import KeptCopy, only_in, staying
from app.sillytavern.guarded_write import LONGEST_NAME, write_file_atomically
from app.views.chat_copies import ChatCopy

MOST_BYTES = 2_000_000_000  # on disk, for all chats together
MOST_CHAT_BYTES = 1_000_000_000  # of one chat, unpacked
_LEVEL = 1  # text shrinks to a fourth at once; more takes ten times as long
_ENDING = ".jsonl.gz"
_REST = "-rest"  # in the name of what is left of older copies
_NAME = re.compile(r"(\d{8}-\d{6})(-rest)?(?:-\d+)?_(\d+)\.jsonl\.gz")


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
        # What the copies hold of one chat, the last one that was asked about.
        self._reading = threading.RLock()
        self._read_of: Path | None = None
        self._reader = ContentsReader()
        self._contents: dict[Path, Contents] = {}

    def of(self, chat: Path) -> tuple[ChatCopy, ...]:
        """What is kept of a chat, newest first; what a clock dated that was set back since comes
        last, and behind all what is left of copies that are not there any more.
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

    def keep(
        self, chat: Path, data: bytes, moment: float, *, needed: Collection[Path] = ()
    ) -> ChatCopy:
        """Keep a chat's bytes. needed: copies that are not thinned out. Raises OSError."""
        made = _write(self._folder_of(chat), data, moment)
        with contextlib.suppress(OSError):  # one copy too many does no harm
            self._thin_out(made.path.parent, moment, needed)
            self._bound(moment)
        return made

    def contents(self, chat: Path, data: bytes) -> Contents:
        """What these bytes hold, which are of the chat now, or were."""
        with self._reading:
            return self._reader_of(self._folder_of(chat)).read(data)

    def held(self, copy: ChatCopy) -> Contents:
        """What a copy holds. Raises TavernError."""
        with self._reading:
            reader = self._reader_of(copy.path.parent)
            found = self._contents.get(copy.path)
            if found is None:
                found = self._contents[copy.path] = reader.read(self.read(copy))
            return found

    def _reader_of(self, folder: Path) -> ContentsReader:
        if folder != self._read_of:
            self._read_of, self._reader, self._contents = folder, ContentsReader(), {}
        return self._reader

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
        words = tr("messages of older copies") if copy.is_rest else tr("as of {clock}", clock=clock)
        ending = f" - {words}"
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

    def _thin_out(self, folder: Path, now: float, needed: Collection[Path]) -> None:
        with self._reading:
            copies = _copies_in(folder, now)
            held = self._all_held(copies)
            rests = [copy for copy in copies if copy.is_rest]
            left = marks_of(held[rest.path].contents for rest in rests if rest.path in held)
            whole = {copy.path: held[copy.path] for copy in copies if copy.path in held}
            for rest in rests:
                whole.pop(rest.path, None)
            kept = staying(whole, now, needed=needed, elsewhere=left)
            self._let_go(folder, [copy for copy in copies if copy.path in whole.keys() - kept])

    def _all_held(self, copies: Iterable[ChatCopy]) -> dict[Path, KeptCopy]:
        """What copies hold; one that cannot be read is left alone, and is not among them."""
        found: dict[Path, KeptCopy] = {}
        for copy in copies:
            with contextlib.suppress(TavernError):
                found[copy.path] = KeptCopy(copy.moment, self.held(copy))
        return found

    def _let_go(self, folder: Path, going: Collection[ChatCopy]) -> None:
        """Remove copies of a chat; messages that nothing else has are put together before."""
        if not going:
            return
        gone = {copy.path for copy in going}
        with self._reading:
            staying_ones = [copy for copy in _copies_in(folder, 0.0) if copy.path not in gone]
            stays = self._all_held(staying_ones)
            marks = marks_of(kept.contents for kept in stays.values())
            if last := only_in(self._all_held(going), marks):
                by_path = {copy.path: copy for copy in going}
                self._put_aside(folder, [(by_path[path], places) for path, places in last])
            for copy in going:
                copy.path.unlink(missing_ok=True)
                self._contents.pop(copy.path, None)

    def _put_aside(self, folder: Path, last: Sequence[tuple[ChatCopy, tuple[int, ...]]]) -> None:
        before = [copy for copy in _copies_in(folder, 0.0) if copy.is_rest]
        moment = max(copy.moment for copy, _ in last)
        header = self.first_line(last[0][0])
        lines = [line for rest in before for line in self.read(rest).rstrip(b"\n").split(b"\n")[1:]]
        for copy, places in last:
            of_copy = self.read(copy).split(b"\n")
            lines += [of_copy[place] for place in places]
        _write(folder, b"\n".join((header, *lines)), moment, kind=_REST)
        for rest in before:
            rest.path.unlink(missing_ok=True)

    def _bound(self, now: float) -> None:
        """Drop the oldest where all take too much, but never a chat's only one."""
        by_chat = {
            folder: _copies_in(folder, now)
            for folder in {path.parent for path in self._folder.glob(f"*/*/*/*{_ENDING}")}
        }
        total = sum(copy.bytes for copies in by_chat.values() for copy in copies)
        spare = [copy for of in by_chat.values() for copy in of[1:] if not copy.is_rest]
        going: dict[Path, list[ChatCopy]] = {}
        for copy in sorted(spare, key=_age(now)):
            if total <= self._most_bytes:
                break
            going.setdefault(copy.path.parent, []).append(copy)
            total -= copy.bytes
        for folder, copies in going.items():
            self._let_go(folder, copies)


def _write(folder: Path, data: bytes, moment: float, kind: str = "") -> ChatCopy:
    folder.mkdir(parents=True, exist_ok=True)
    lines = line_count(data)
    clock = time.strftime("%Y%m%d-%H%M%S", time.localtime(moment)) + kind
    path, number = folder / f"{clock}_{lines}{_ENDING}", 1
    while path.exists():  # in this second, or in the same one of a clock that was set back
        number += 1
        path = folder / f"{clock}-{number}_{lines}{_ENDING}"
    packed = gzip.compress(data, _LEVEL, mtime=int(moment))
    write_file_atomically(path, packed)
    os.utime(path, (moment, moment))
    return ChatCopy(path, moment, lines, len(packed), is_rest=bool(kind))


def _unreadable(copy: ChatCopy, error: Exception) -> TavernError:
    return TavernError(
        tr("The copy {name} cannot be read: {error}.", name=copy.path.name, error=error)
    )


def line_count(data: bytes) -> int:
    """Lines of a chat file, the last one with or without its end."""
    return data.count(b"\n") + (not data.endswith(b"\n") and bool(data))


def _age(now: float) -> Callable[[ChatCopy], tuple[bool, bool, float]]:
    """What copies are sorted by, oldest first; those of a future that the clock has left are."""
    return lambda copy: (not copy.is_rest, copy.moment <= now, copy.moment)


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
            is_rest = match[2] is not None
            found.append(ChatCopy(path, stat.st_mtime, int(match[3]), stat.st_size, is_rest))
    return tuple(sorted(found, key=_age(now), reverse=True))


def _beside(chat: Path, ending: str) -> Path:
    """A name next to the chat's that a file system takes."""
    room = LONGEST_NAME - len(os.fsencode(f"{ending}{chat.suffix}"))
    stem = os.fsencode(chat.stem)[:room].decode("utf-8", "ignore")
    return chat.with_name(f"{stem}{ending}{chat.suffix}")
