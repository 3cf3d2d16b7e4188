"""Reads a chat's JSONL file, whole or only what changed since the last reading."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import is_
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.core.errors import ChatUnreadable, reason_of
from app.core.translation import tr, trn
from app.sillytavern.chat_line import (
    BOM,
    ChatLine,
    LineDecoder,
    UnreadableLine,
    is_header,
    load_json,
)
from app.sillytavern.group_metadata import group_metadata
from app.story.story import LineProblem

# Enough to see what is wrong; a file that is no chat at all would give one for each line.
MAX_PROBLEMS = 100

_READ_ATTEMPTS = 3
# FAT keeps times to two seconds: a file written that recently may change without a new time.
_SETTLED_NS = 2_000_000_000
_BLOCK = 1 << 18  # bytes that are digested at once; other threads wait a tenth of a millisecond
_LOOKED_AT = 4  # blocks at the end of what was read before, for one who looks only there


class _Block(NamedTuple):
    """A block of a chat file, counted from behind its first line. digest: of its bytes. lines: that
    end before its end; resumes: offset behind the last of them.
    """

    digest: int
    lines: int
    resumes: int


class _Kept(NamedTuple):
    """What is taken over from the last reading, behind the first line: `at` so many messages.

    first, until: which of its messages.
    """

    at: int
    first: int
    until: int
    numbers: NDArray[np.int64]
    digests: NDArray[np.int64]


_NOTHING_KEPT = _Kept(0, 0, 0, np.empty(0, np.int64), np.empty(0, np.int64))


class Stamp(NamedTuple):
    """What the file system said of the file when it was read. is_settled: old enough to trust."""

    mtime_ns: int
    size: int
    inode: int
    is_settled: bool = False

    def is_same(self, other: Stamp) -> bool:
        """Whether both were taken of one state, as far as the file system can tell."""
        return self[:3] == other[:3]


@dataclass(frozen=True, slots=True, eq=False)
class ChatSnapshot:
    """A chat file as it was at one moment.

    header: first line's object, {} when there is none; for an old group chat its metadata comes
    from the group's file. header_digest: of that line. line_numbers: line in the file, from 1,
    parallel to lines. line_digests: one per line of the file; digests are good within this process
    only. flawed: those of the lines that `problems` is about. blocks: by which a part that did not
    change is known.
    is_compared: false where only the file's end was, and its beginning is taken for what it was.
    kept: so many lines, from the first, at least, are those of the snapshot it was read behind.
    """

    path: Path
    header: dict[str, Any]
    has_header: bool
    header_digest: int | None
    lines: tuple[ChatLine, ...]
    line_numbers: NDArray[np.int64]
    line_digests: NDArray[np.int64]
    problems: tuple[LineProblem, ...]
    stamp: Stamp
    flawed: frozenset[int] = frozenset()
    blocks: tuple[_Block, ...] = ()
    is_compared: bool = True
    kept: int = 0

    @property
    def chat_metadata(self) -> dict[str, Any]:
        """SillyTavern's data of the whole chat, with those of extensions."""
        metadata = self.header.get("chat_metadata")
        return metadata if isinstance(metadata, dict) else {}

    @property
    def integrity(self) -> str:
        """SillyTavern's slug of the chat, "" when it has none. Old branches share it."""
        slug = self.chat_metadata.get("integrity")
        return slug if isinstance(slug, str) else ""


def read_chat(
    path: Path, previous: ChatSnapshot | None = None, *, is_end_enough: bool = False
) -> ChatSnapshot:
    """The chat in `path`; blocks, so call it in an executor.

    previous: the last snapshot of the same chat. Lines that did not change keep their objects, and
    a file that did not change gives `previous` itself. Broken lines are skipped and reported in
    `problems`. The file is never written. Raises ChatUnreadable when nothing can be read.

    is_end_enough: where a long chat went on, and its last thousand messages or so are what they
    were, the others are taken for the same at once. Whoever asks for that reads again without it:
    then all of them are compared.
    """
    try:
        # Opening a pipe would wait for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ChatUnreadable(tr("{path} is a folder or a device, not a chat file.", path=path))
        with path.open("rb") as file:
            stamp = stamp_of(os.fstat(file.fileno()))
            if (
                previous is not None
                and previous.path == path
                and (previous.is_compared or is_end_enough)
                and previous.stamp.is_settled
                and previous.stamp.is_same(stamp)
            ):
                return previous
            return _read_steadily(path, file, stamp, previous, is_end_enough=is_end_enough)
    except OSError as error:
        raise ChatUnreadable(_why_unreadable(path, error)) from error


def stamp_of(status: os.stat_result) -> Stamp:
    """The stamp of a file; settled when its last change is a while ago."""
    age = time.time_ns() - status.st_mtime_ns
    return Stamp(status.st_mtime_ns, status.st_size, status.st_ino, age > _SETTLED_NS)


def _read_steadily(
    path: Path,
    file: BinaryIO,
    stamp: Stamp,
    previous: ChatSnapshot | None,
    *,
    is_end_enough: bool,
) -> ChatSnapshot:
    """Read again while somebody writes into the open file (SillyTavern itself never does)."""
    for _ in range(_READ_ATTEMPTS):
        file.seek(0)
        reading = _Reading(path, previous)
        reading.read(file, is_end_enough=is_end_enough)
        after = stamp_of(os.fstat(file.fileno()))
        if after.is_same(stamp):
            break
        stamp = after._replace(is_settled=False)
    return reading.snapshot(stamp)


class _Reading:
    """One pass over a file."""

    def __init__(self, path: Path, previous: ChatSnapshot | None) -> None:
        self._path = path
        self._previous = previous
        self._decoder = LineDecoder()
        self._kept = _NOTHING_KEPT
        self._lines: list[ChatLine] = []
        self._numbers: list[int] = []
        self._digests: list[int] = []
        self._is_compared = True
        self._header: dict[str, Any] | None = None
        self._header_digest: int | None = None
        self._problems: list[LineProblem] = []
        self._flawed: list[int] = []
        self._blocks: list[_Block] = []

    def read(self, file: BinaryIO, *, is_end_enough: bool) -> None:
        """Read all lines; those that the previous snapshot knows cost only their digest, and blocks
        of the file that are the same not even that.
        """
        # The header has data that change with each saving; blocks are counted from behind it.
        if header := file.readline():
            self._take(1, header.removesuffix(b"\n"), {})
        start = file.tell()
        count = self._keep_blocks(file, start, is_end_enough=is_end_enough)
        known = _known_lines(self._previous, behind=count + 1 if count else 0)
        # A plain loop on purpose: between two lines other threads may run, while one C call over
        # the whole file would hold the GIL and freeze the window.
        for number, line in enumerate(self._lines_behind(file, start), count + 2):
            self._take(number, line, known)

    def _take(self, number: int, line: bytes, known: Mapping[int, ChatLine]) -> None:
        line_digest = hash(line)
        self._digests.append(line_digest)
        chat_line = known.get(line_digest)
        if chat_line is None:
            self._read_line(number, line, line_digest)
        else:
            self._lines.append(chat_line)
            self._numbers.append(number)

    def _keep_blocks(self, file: BinaryIO, start: int, *, is_end_enough: bool) -> int:
        """Take over the lines behind the first that lie in blocks which did not change; gives how
        many, and leaves the file behind them.
        """
        before = self._previous
        # What has problems is read again, to report them.
        if before is None or before.problems or before.has_header != (self._header is not None):
            return 0
        passed = self._passed_over(file, start, before.blocks) if is_end_enough else 0
        file.seek(start + passed * _BLOCK)
        self._blocks += before.blocks[:passed]
        for block in before.blocks[passed:]:
            if hash(file.read(_BLOCK)) != block.digest:
                break
            self._blocks.append(block)
        self._is_compared = not passed
        # The last one may end in the middle of a line that goes on now: its rest is read as lines.
        kept = self._blocks[-1] if self._blocks else _Block(0, 0, 0)
        file.seek(start + kept.resumes)
        if kept.lines:
            ends = np.searchsorted(before.line_numbers, (1, kept.lines + 1), side="right")
            first, last = ends.tolist()
            self._kept = _Kept(
                len(self._lines),
                first,
                last,
                before.line_numbers[first:last],
                before.line_digests[1 : kept.lines + 1],
            )
        return kept.lines

    def _passed_over(self, file: BinaryIO, start: int, blocks: Sequence[_Block]) -> int:
        """How many blocks need no look where the end is enough: those before the last ones that
        were full, if these are what they were.
        """
        first = len(blocks) - 1 - _LOOKED_AT
        if first <= 0:
            return 0
        file.seek(start + first * _BLOCK)
        for block in blocks[first:-1]:
            if hash(file.read(_BLOCK)) != block.digest:
                return 0
        return first

    def _lines_behind(self, file: BinaryIO, start: int) -> Iterator[bytes]:
        """The lines behind the blocks that were kept; those blocks that are new are digested on the
        way, for the next reading.
        """
        last = self._blocks[-1] if self._blocks else _Block(0, 0, 0)
        at = len(self._blocks) * _BLOCK
        file.seek(start + last.resumes)
        begun = [file.read(at - last.resumes)]  # of a line whose end is still to come
        while block := file.read(_BLOCK):
            end = block.rfind(b"\n") + 1
            last = _Block(
                hash(block), last.lines + block.count(b"\n"), at + end if end else last.resumes
            )
            self._blocks.append(last)
            at += len(block)
            first, *lines = block.split(b"\n")
            begun.append(first)
            if lines:
                yield b"".join(begun)
                begun = [lines.pop()]
                yield from lines
        if rest := b"".join(begun):
            yield rest

    def _read_line(self, number: int, line: bytes, line_digest: int) -> None:
        if number == 1:
            line = line.removeprefix(BOM)
        if not line or line.isspace():
            return
        try:
            is_first = not (self._kept.until or self._lines)
            if self._header is None and is_first and self._read_header(line, line_digest):
                return
            chat_line, flaw = self._decoder.decode(line)
        except UnreadableLine as error:
            told = tr(
                "Line {number} of {name} {what}; it is left out, the rest is shown.",
                number=number,
                name=self._path.name,
                what=tr(str(error)),
            )
            self._report(number, line_digest, told)
            return
        if flaw:
            name = self._path.name
            told = tr("Line {number} of {name} {what}.", number=number, name=name, what=tr(flaw))
            self._report(number, line_digest, told)
        self._lines.append(chat_line)
        self._numbers.append(number)

    def _read_header(self, line: bytes, line_digest: int) -> bool:
        before = self._previous
        self._header_digest = line_digest
        if before is not None and before.header_digest == line_digest:
            self._header = before.header
            return True
        # No message comes near this: the check keeps a first message from being decoded twice.
        if b'"chat_metadata"' not in line and b'_name"' not in line:
            return False
        value, _ = load_json(line)
        if not is_header(value):
            return False
        self._header = value
        return True

    def _report(self, number: int, line_digest: int, sentence: str) -> None:
        self._flawed.append(line_digest)
        if len(self._problems) < MAX_PROBLEMS:
            self._problems.append(LineProblem(number, sentence))

    def snapshot(self, stamp: Stamp) -> ChatSnapshot:
        """What was read; raises ChatUnreadable when there are lines but none is of a chat."""
        if self._problems and not (self._kept.until or self._lines) and self._header is None:
            raise ChatUnreadable(
                tr(
                    "{path} contains no readable chat. {sentence} The file is unchanged.",
                    path=self._path,
                    sentence=self._problems[0].sentence,
                )
            )
        more = len(self._flawed) - len(self._problems)
        if more:
            text = trn(
                "{name} has {n} more line with problems.",
                "{name} has {n} more lines with problems.",
                more,
                name=self._path.name,
            )
            self._problems.append(LineProblem(0, text))
        kept = self._kept
        lines, kept_lines = self._all_lines()
        return self._or_previous(
            ChatSnapshot(
                path=self._path,
                header=group_metadata(self._path) if self._header is None else self._header,
                has_header=self._header is not None,
                header_digest=None if self._header is None else self._header_digest,
                lines=lines,
                line_numbers=_around(kept.numbers, self._numbers, kept.at),
                line_digests=_around(kept.digests, self._digests, 1),
                problems=tuple(self._problems),
                stamp=stamp,
                flawed=frozenset(self._flawed),
                blocks=tuple(self._blocks),
                is_compared=self._is_compared,
                kept=kept_lines,
            )
        )

    def _all_lines(self) -> tuple[tuple[ChatLine, ...], int]:
        """The messages, and how many, from the first, are surely those of the last reading."""
        kept, read, before = self._kept, self._lines, self._previous
        old = () if before is None or kept.at else before.lines
        rest = old[kept.until :] if kept.until else ()
        # What goes on is put behind the lines that there were, as they are: copying them is most of
        # what a message costs in a long chat.
        if rest and len(read) >= len(rest) and all(map(is_, rest, read)):
            return old + tuple(read[len(rest) :]), len(old)
        old_part = () if before is None else before.lines[kept.first : kept.until]
        lines = tuple(read[: kept.at]) + old_part + tuple(read[kept.at :])
        return lines, 0 if kept.at else kept.until

    def _or_previous(self, snapshot: ChatSnapshot) -> ChatSnapshot:
        """The previous snapshot, at most with a newer stamp, when no line differs."""
        before = self._previous
        if (
            before is None
            or before.path != snapshot.path
            or not np.array_equal(before.line_digests, snapshot.line_digests)
            or (not snapshot.has_header and before.header != snapshot.header)
        ):
            return snapshot
        if before.stamp == snapshot.stamp and before.is_compared == snapshot.is_compared:
            return before
        return replace(before, stamp=snapshot.stamp, is_compared=snapshot.is_compared)


def _around(kept: NDArray[np.int64], read: list[int], at: int) -> NDArray[np.int64]:
    """The numbers that were read, with the kept ones behind the first `at`."""
    before, behind = np.array(read[:at], np.int64), np.array(read[at:], np.int64)
    return np.concatenate((before, kept, behind))


def _known_lines(previous: ChatSnapshot | None, behind: int) -> dict[int, ChatLine]:
    """Messages of the last reading by the digest of their line; flawed ones are read again.

    behind: line of the file up to which none is wanted.
    """
    if previous is None:
        return {}
    first = int(np.searchsorted(previous.line_numbers, behind, side="right"))
    digests = previous.line_digests[previous.line_numbers[first:] - 1].tolist()
    known = dict(zip(digests, previous.lines[first:], strict=True))
    for line_digest in previous.flawed:
        known.pop(line_digest, None)
    return known


def _why_unreadable(path: Path, error: OSError) -> str:
    match error:
        case FileNotFoundError():
            return tr(
                "The chat {path} is no longer there. It may have been renamed or deleted.",
                path=path,
            )
        case PermissionError():
            return tr(
                "Your user account may not read {path}. Check the file's permissions.", path=path
            )
    return tr(
        "{path} cannot be read ({reason}). The file is unchanged.",
        path=path,
        reason=reason_of(error),
    )
