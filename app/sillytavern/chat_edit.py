"""Changes a few members of a chat file's lines and leaves every other byte as it is.

A line is never decoded and encoded again: the member's value is cut out of the text and the new
one put in its place. Outside of the values that change, key order, number forms, escapes, spaces,
broken characters and members that come twice stay as they were. What is written looks as
JSON.stringify would write it. Where a member comes twice the last one counts, as for JavaScript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from app.sillytavern.chat_line import BOM

Block = Mapping[str, Any]
Blocks = Mapping[str, Block]

_SPACE = re.compile(r"[ \t\n\r]*")
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class LineEdit:
    """What becomes different in one message.

    extra: values by namespace of `extra` and key; other keys of a namespace stay. The namespace is
    then copied whole to the swipe shown. every_swipe: values for each of the other swipes, too.
    Swipe data are never created: only entries of SillyTavern's own `swipe_info` are written
    (spec/auto-recap.md §1.7). is_hidden: `is_system`, None to leave it.
    """

    extra: Blocks = field(default_factory=dict)
    every_swipe: Blocks = field(default_factory=dict)
    is_hidden: bool | None = None

    def __bool__(self) -> bool:
        return bool(self.extra or self.every_swipe or self.is_hidden is not None)


@dataclass(frozen=True, slots=True)
class ChatEdit:
    """What becomes different in a chat file. lines: by number in the file, from 1. metadata: whole
    values by key of `chat_metadata`.
    """

    lines: Mapping[int, LineEdit] = field(default_factory=dict)
    metadata: Block = field(default_factory=dict)


def edited(data: bytes, edit: ChatEdit) -> bytes:
    """The file with the edit made; done twice it is the same as done once.

    Lines that are no JSON object, and metadata for a file without a header, are left alone.
    """
    lines = data.split(b"\n")
    if edit.metadata and b'"chat_metadata"' in lines[0]:
        lines[0] = edited_header(lines[0], edit.metadata)
    for number, line_edit in edit.lines.items():
        if 0 < number <= len(lines):
            lines[number - 1] = edited_line(lines[number - 1], line_edit)
    return b"\n".join(lines)


def edited_line(line: bytes, edit: LineEdit) -> bytes:
    """One message with the edit made. A line that cannot be read comes back as it is."""
    try:
        return _encoded(line, _edited_message(_text(line), edit))
    except _Unreadable:
        return line


def edited_header(line: bytes, metadata: Block) -> bytes:
    """The header with these values in its chat_metadata."""
    try:
        text = _put(_text(line), ("chat_metadata",), _Members(metadata))
        return _encoded(line, text)
    except _Unreadable:
        return line


class _Unreadable(Exception):
    """Not the JSON that it should be."""


class _Member(NamedTuple):
    """Where a member of an object, or an item of a list, has its value."""

    key: str
    start: int
    end: int


def _edited_message(text: str, edit: LineEdit) -> str:
    for namespace, block in edit.extra.items():
        text = _put(text, ("extra", namespace), _Members(block))
    message, _ = _decoded(text, _skip(text, 0))
    if not isinstance(message, dict):
        raise _Unreadable
    infos = message.get("swipe_info")
    if isinstance(infos, list):
        shown = _shown(message, infos)
        for at, info in enumerate(infos):
            if isinstance(info, dict):
                text = _edited_swipe(text, edit, at, is_shown=at == shown)
    if edit.is_hidden is not None and bool(message.get("is_system")) != edit.is_hidden:
        text = _put(text, ("is_system",), edit.is_hidden)
    return text


def _edited_swipe(text: str, edit: LineEdit, at: int, *, is_shown: bool) -> str:
    if is_shown:
        # Both are one record. A copy of single keys would lack what was in `extra` before, and
        # SillyTavern gives `extra` back from here when the user swipes to and fro.
        for namespace in edit.extra:
            whole = _get(text, ("extra", namespace))
            if whole is not None:
                text = _put(text, ("swipe_info", at, "extra", namespace), whole)
        return text
    for namespace, block in edit.every_swipe.items():
        text = _put(text, ("swipe_info", at, "extra", namespace), _Members(block))
    return text


def _shown(message: Mapping[str, Any], infos: Sequence[Any]) -> int:
    swipe = message.get("swipe_id", 0)
    is_place = isinstance(swipe, int) and not isinstance(swipe, bool) and 0 <= swipe < len(infos)
    return int(swipe) if is_place else 0


# --- text with a value in its place


class _Raw(str):
    """JSON text that is put in as it is."""


class _Members(dict[str, Any]):
    """Values for single members of an object; its other members stay."""


def _put(text: str, path: Sequence[str | int], value: Any) -> str:
    """The text with `value` at `path`; objects on the way are made, list items are not."""
    start = _skip(text, 0)
    return text[:start] + _put_at(text, start, path, value)


def _put_at(text: str, at: int, path: Sequence[str | int], value: Any) -> str:
    """The rest of the text from `at` on, where an object or list begins."""
    members, end = _members(text, at)
    key, rest = str(path[0]), path[1:]
    found = next((m for m in reversed(members) if m.key == key), None)
    if found is None:
        if text[at] == "[":
            return text[at:]
        new = f"{_json(key)}:{_nested(rest, value)}"
        return f"{text[at : end - 1]}{',' if members else ''}{new}{text[end - 1 :]}"
    old = text[found.start : found.end]
    if not rest and not isinstance(value, _Members):
        return text[at:] if _is_same(old, value) else _spliced(text, at, found, _json(value))
    if not rest and old[0] == "{":
        for name, member in value.items():
            old = _put_at(old, 0, (name,), member)
        return _spliced(text, at, found, old)
    if rest and old[0] in "{[":
        return text[at : found.start] + _put_at(text, found.start, rest, value)
    if old == "null" and (not rest or isinstance(rest[0], str)):
        return _spliced(text, at, found, _nested(rest, value))
    return text[at:]  # something else stands there: it stays


def _spliced(text: str, at: int, member: _Member, new: str) -> str:
    return text[at : member.start] + new + text[member.end :]


def _get(text: str, path: Sequence[str | int]) -> _Raw | None:
    """The JSON text at `path`."""
    at, end = _skip(text, 0), len(text)
    for key in path:
        if text[at : at + 1] not in ("{", "["):
            return None
        members, _ = _members(text, at)
        found = next((m for m in reversed(members) if m.key == str(key)), None)
        if found is None:
            return None
        at, end = found.start, found.end
    return _Raw(text[at:end])


def _nested(path: Sequence[str | int], value: Any) -> str:
    text = _json(value)
    for key in reversed(path):
        text = f"{{{_json(str(key))}:{text}}}"
    return text


def _members(text: str, at: int) -> tuple[list[_Member], int]:
    """The members of the object or list that begins at `at`, and where it ends."""
    if text[at : at + 1] not in ("{", "["):
        raise _Unreadable
    is_object, closing = text[at] == "{", "}" if text[at] == "{" else "]"
    members: list[_Member] = []
    at = _skip(text, at + 1)
    if text[at : at + 1] == closing:
        return members, at + 1
    while True:
        key = str(len(members))
        if is_object:
            if text[at : at + 1] != '"':
                raise _Unreadable
            key, at = _decoded(text, at)
            at = _skip(text, at)
            if text[at : at + 1] != ":":
                raise _Unreadable
            at = _skip(text, at + 1)
        _, end = _decoded(text, at)
        members.append(_Member(key, at, end))
        at = _skip(text, end)
        if text[at : at + 1] == closing:
            return members, at + 1
        if text[at : at + 1] != ",":
            raise _Unreadable
        at = _skip(text, at + 1)


def _decoded(text: str, at: int) -> tuple[Any, int]:
    try:
        return _decoder.raw_decode(text, at)
    except (ValueError, RecursionError, IndexError):
        raise _Unreadable from None


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    assert match is not None
    return match.end()


def _is_same(old: str, value: Any) -> bool:
    """Whether a stored value means the same already, however it is written."""
    if isinstance(value, _Raw):
        return old == value
    return is_same_json(_decoded(old, 0)[0], value)


def is_same_json(first: Any, second: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0 and never true; key order does not count."""
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            is_same_json(first[key], second[key]) for key in first
        )
    if isinstance(first, list) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(is_same_json, first, second))
    return bool(first == second)


def _json(value: Any) -> str:
    """As JSON.stringify writes it: compact, and only half characters escaped."""
    if isinstance(value, _Raw):
        return str(value)
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


_SURROGATE = re.compile("[\ud800-\udfff]")


def _text(line: bytes) -> str:
    # Bytes that are no UTF-8 come back out as they went in.
    return line.removeprefix(BOM).decode("utf-8", "surrogateescape")


def _encoded(line: bytes, text: str) -> bytes:
    mark = BOM if line.startswith(BOM) else b""
    return mark + text.encode("utf-8", "surrogateescape")
