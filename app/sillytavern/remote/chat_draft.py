"""A chat's copy while it is brought up to date: what it has, and what it has still to ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.core.errors import CopyRefused
from app.core.translation import tr
from app.sillytavern.remote.page_answers import (
    BATCH_BYTES,
    MARKS_AT_ONCE,
    LineMark,
    check_line,
    check_size,
    mark_of,
)

HEADER = -1  # stands where an index does


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines to ask for: `count` from `first` on. bytes: of all of them together."""

    first: int
    count: int
    bytes: int

    @property
    def is_whole(self) -> bool:
        """Whether an answer can hold it; a longer line comes in pieces."""
        return self.bytes <= BATCH_BYTES


@dataclass(frozen=True, slots=True)
class CopiedChat:
    """A chat as it was copied. header: JSON of its metadata. lines: its messages, a line each."""

    header: bytes
    lines: tuple[bytes, ...]


class ChatDraft:
    """Takes the lines that a page says it has, from our own copy where that has them.

    header, marks: what the page says. Raises CopyRefused where that is too much.
    """

    def __init__(
        self, header: LineMark, marks: Sequence[LineMark], have: CopiedChat | None
    ) -> None:
        check_size((header, *marks))
        self._marks = (header, *marks)
        old = (have.header, *have.lines) if have is not None else ()
        known = {mark_of(line): line for line in old}
        self._lines = [known.get(mark) for mark in self._marks]

    @property
    def missing(self) -> int:
        """How many lines are not there yet."""
        return self._lines.count(None)

    def batches(self) -> Iterator[Batch]:
        """What to ask for now, in order; nothing when all is there. The header is asked alone."""
        first, count, size = 0, 0, 0
        for place, (line, (_, bytes_)) in enumerate(zip(self._lines, self._marks, strict=True)):
            is_wanted = line is None
            fits = size + bytes_ <= BATCH_BYTES and count < MARKS_AT_ONCE
            if count and (not is_wanted or not fits or first == 0):
                yield Batch(first + HEADER, count, size)
                count, size = 0, 0
            if is_wanted:
                first = first if count else place
                count, size = count + 1, size + bytes_
        if count:
            yield Batch(first + HEADER, count, size)

    def take(self, batch: Batch, lines: Sequence[bytes]) -> bool:
        """Take the lines of a batch. Gives whether they are those that the page had told of: where
        not, the chat has changed meanwhile, and none is kept. Raises CopyRefused for what is none.
        """
        if len(lines) != batch.count:
            raise CopyRefused(tr("The page sent messages it was not asked for."))
        start = batch.first - HEADER
        for line in lines:
            check_line(line)
        if any(mark_of(line) != self._marks[start + at] for at, line in enumerate(lines)):
            return False
        self._lines[start : start + batch.count] = lines
        return True

    def partly(self) -> CopiedChat:
        """The lines that are there, for another try: not in any order that is the chat's."""
        header, *lines = (line or b"" for line in self._lines)
        return CopiedChat(header, tuple(line for line in lines if line))

    def done(self) -> CopiedChat:
        """The whole chat. Raises ValueError while lines are missing."""
        lines = [line for line in self._lines if line is not None]
        if len(lines) != len(self._lines):
            raise ValueError("lines are missing")
        return CopiedChat(lines[0], tuple(lines[1:]))


def encoded_lines(texts: Sequence[str]) -> list[bytes]:
    """Texts as bytes. Raises CopyRefused for what no text of a file can be."""
    try:
        return [text.encode("utf-8") for text in texts]
    except UnicodeEncodeError:
        raise CopyRefused(tr("The page sent something that is not a message.")) from None
