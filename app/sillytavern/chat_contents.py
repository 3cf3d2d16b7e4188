"""What the bytes of a chat hold: its messages by what they say and when, and what is broken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from app.sillytavern.chat_line import BOM, UnreadableLine, is_header, load_json

Marks = tuple[int, ...]  # any of which tells a message from all others

_NO_MARKS: Marks = ()


@dataclass(frozen=True)
class Contents:
    """A chat as it was once.

    lines: marks of the message in each line of the file, none for one that is no message. Hiding,
    a recap, another swipe or an edit make no other message of it. broken: lines that cannot be
    read. begins, ends: whether the first and the last one can. content: digest of all behind the
    first line. Marks and digests are good within this process only.
    """

    lines: tuple[Marks, ...] = ()
    broken: int = 0
    begins: bool = False
    ends: bool = False
    content: int = 0

    @cached_property
    def size(self) -> int:
        """How many messages can be read."""
        return sum(map(bool, self.lines))

    @property
    def is_whole(self) -> bool:
        """Whether all of it can be read."""
        return self.begins and not self.broken

    @cached_property
    def marks(self) -> frozenset[int]:
        """Those of all messages."""
        return frozenset(mark for marks in self.lines for mark in marks)

    def missing_in(self, known: Set[int]) -> list[int]:
        """Lines whose messages are none of those with these marks."""
        return [
            place
            for place, marks in enumerate(self.lines)
            if marks and not any(mark in known for mark in marks)
        ]


def marks_of(many: Iterable[Contents]) -> frozenset[int]:
    """Marks of all messages of all."""
    return frozenset[int]().union(*(contents.marks for contents in many))


class _Line(NamedTuple):
    """texts: marks of what it says, in all swipes. moment: of when, 0 for unknown."""

    texts: Marks = _NO_MARKS
    moment: int = 0
    dated: Marks = _NO_MARKS
    is_broken: bool = False
    is_header: bool = False


_BLANK, _BROKEN, _HEADER = _Line(), _Line(is_broken=True), _Line(is_header=True)


class _Message(Struct, gc=False):
    mes: str
    name: Any = ""
    is_user: Any = False
    send_date: Any = ""
    swipes: Any = None


class ContentsReader:
    """Reads states of one chat; a line that was read before costs little more than its digest."""

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(_Message).decode
        self._lines: dict[int, _Line] = {}

    def read(self, data: bytes) -> Contents:
        """What a chat's file holds that has these bytes."""
        raw = data.rstrip(b"\n").split(b"\n") if data else []
        lines = [self._line(line, is_first=not place) for place, line in enumerate(raw)]
        if not lines:
            return Contents()
        # A date that stands at several messages, as imports have it, tells none of them.
        dates = Counter(line.moment for line in lines if line.moment)
        marks = tuple(
            line.dated if line.moment and dates[line.moment] == 1 else line.texts for line in lines
        )
        body = data.rstrip(b"\n").partition(b"\n")[2] if lines[0].is_header else data
        return Contents(
            marks,
            sum(line.is_broken for line in lines),
            begins=not lines[0].is_broken and not raw[0].isspace(),
            ends=not lines[-1].is_broken,
            content=hash((body, lines[0].is_broken)),
        )

    def _line(self, raw: bytes, *, is_first: bool) -> _Line:
        digest = hash((raw, is_first))
        line = self._lines.get(digest)
        if line is None:
            line = self._lines[digest] = self._read(raw, is_first=is_first)
        return line

    def _read(self, raw: bytes, *, is_first: bool) -> _Line:
        if is_first:
            raw = raw.removeprefix(BOM)
            if b'"chat_metadata"' in raw or b'_name"' in raw:
                try:
                    if is_header(load_json(raw)[0]):
                        return _HEADER
                except UnreadableLine:
                    return _BROKEN
        if not raw or raw.isspace():
            return _BLANK
        try:
            message = self._decode(raw)
            texts: tuple[Any, Any] = (message.mes, message.swipes)
            name, is_user = message.name, message.is_user
            date = message.send_date
        except (msgspec.MsgspecError, RecursionError, ValueError):
            try:
                held, _ = load_json(raw)
            except UnreadableLine:
                return _BROKEN
            if not isinstance(held, dict):
                return _BROKEN
            if "mes" not in held:
                return _BLANK
            texts, name, is_user = (held.get("mes"), held.get("swipes")), held.get("name"), ""
            date = held.get("send_date")
        return _marked(raw, texts, (str(name), bool(is_user), date))


def _marked(raw: bytes, texts: tuple[Any, Any], sent: tuple[str, bool, Any]) -> _Line:
    first, swipes = texts
    said = (first, *(swipes if isinstance(swipes, list) else ()))
    marks = tuple(dict.fromkeys(hash(text) for text in said if isinstance(text, str) and text))
    date = sent[2]
    # Older versions date to the minute, in which one may say several things.
    is_dated = isinstance(date, (str, int, float)) and sum(map(str.isdigit, str(date))) >= 13
    moment = hash(sent) if is_dated else 0
    if not marks:  # a picture alone
        marks = (hash(raw),)
        return _Line(marks, moment, (moment,) if moment else marks)
    return _Line(marks, moment, (*marks, moment) if moment else marks)
