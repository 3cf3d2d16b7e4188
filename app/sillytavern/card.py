"""Reads character cards: PNG pictures that carry the character as JSON."""

from __future__ import annotations

import base64
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from app.core.errors import reason_of
from app.core.translation import N_, tr
from app.prompt.placement import macros_in

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
# A card with a large embedded lorebook is some megabytes; beyond this it is an attack or a mistake.
MAX_TEXT_BYTES = 32 * 1024 * 1024
MAX_CHUNKS = 100_000

# Keyword of the text chunk, best first: version 3, then versions 1 and 2.
_KEYWORDS = (b"ccv3", b"chara")
_TEXT_CHUNKS = (b"tEXt", b"zTXt", b"iTXt")


@dataclass(frozen=True, slots=True)
class Card:
    """A character as its card describes it.

    avatar: the card's file name, which SillyTavern uses as the character's id. problem: a sentence
    when the card could not be read; name is then the file name without ".png".
    """

    avatar: str
    name: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_mes: str = ""
    mes_example: str = ""
    system_prompt: str = ""
    creator_notes: str = ""
    tags: tuple[str, ...] = ()
    problem: str = ""

    @property
    def macros(self) -> tuple[str, ...]:
        """Names of our macros in the fields that a prompt may hold (spec/smart-memory.md §17)."""
        fields = (self.system_prompt, self.description, self.personality, self.scenario)
        return macros_in((*fields, self.mes_example))


class _BrokenCard(Exception):
    """Why a card cannot be read, to follow "the card X"."""


class CardReader:
    """Reads cards, each file only once until it changes."""

    def __init__(self) -> None:
        self._read: dict[Path, tuple[tuple[int, int], Card]] = {}

    def card(self, path: Path, status: os.stat_result | None = None) -> Card:
        """The card in `path`; never raises for a broken one. status: of the file, if at hand."""
        try:
            status = status or path.stat()
        except OSError as error:
            return _broken(path, tr("cannot be read ({reason})", reason=reason_of(error)))
        stamp = (status.st_mtime_ns, status.st_size)
        known = self._read.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        card = read_card(path)
        self._read[path] = (stamp, card)
        return card


def read_card(path: Path) -> Card:
    """The card in a PNG file, of version 1, 2 or 3; a broken one has its `problem` set."""
    try:
        with path.open("rb") as file:
            return _card(path.name, _character(file))
    except OSError as error:
        return _broken(path, tr("cannot be read ({reason})", reason=reason_of(error)))
    except _BrokenCard as error:
        return _broken(path, str(error))


def _broken(path: Path, reason: str) -> Card:
    return Card(
        path.name,
        path.stem,
        problem=tr(
            "The card {name} {what}, so the character is named after the file.",
            name=path.name,
            what=tr(reason),
        ),
    )


def _character(file: BinaryIO) -> dict[str, Any]:
    """The JSON object of the best text chunk."""
    found: dict[bytes, bytes] = {}
    for keyword, kind, rest in _text_chunks(file):
        # Of all others nothing is unfolded or kept: thousands of them may be in there.
        if keyword in _KEYWORDS and keyword not in found:
            found[keyword] = _plain_text(kind, rest)
    broken = _BrokenCard(N_("contains no character"))
    for keyword in _KEYWORDS:
        if keyword not in found:
            continue
        try:
            value = msgspec.json.decode(base64.b64decode(found[keyword]))
        except (ValueError, msgspec.MsgspecError, RecursionError):
            broken = _BrokenCard(N_("is damaged"))
            continue
        if isinstance(value, dict):
            return value
        broken = _BrokenCard(N_("is damaged"))
    raise broken


def _text_chunks(file: BinaryIO) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Keyword in lower case, kind and content of each text chunk; pictures are skipped unread."""
    if file.read(len(PNG_SIGNATURE)) != PNG_SIGNATURE:
        raise _BrokenCard(N_("is not a PNG picture"))
    for _ in range(MAX_CHUNKS):
        head = file.read(8)
        kind = head[4:]
        if len(head) < 8 or kind == b"IEND":
            return
        size = int.from_bytes(head[:4], "big")
        if kind not in _TEXT_CHUNKS:
            file.seek(size + 4, os.SEEK_CUR)
            continue
        if size > MAX_TEXT_BYTES:
            raise _BrokenCard(N_("is too large"))
        keyword, _, rest = file.read(size).partition(b"\0")
        file.seek(4, os.SEEK_CUR)
        yield keyword.lower(), kind, rest


def _plain_text(kind: bytes, rest: bytes) -> bytes:
    """The text behind a chunk's keyword; SillyTavern writes tEXt, other editors the others."""
    if kind == b"tEXt":
        return rest
    if kind == b"zTXt":
        return _inflated(rest[1:])
    is_compressed, rest = rest[:1] == b"\1", rest[2:]
    text = rest.partition(b"\0")[2].partition(b"\0")[2]
    return _inflated(text) if is_compressed else text


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MAX_TEXT_BYTES)
    except zlib.error:
        raise _BrokenCard(N_("is damaged")) from None
    if inflater.unconsumed_tail:
        raise _BrokenCard(N_("is too large"))
    return text


def _card(avatar: str, character: dict[str, Any]) -> Card:
    """Version 1 has its fields at the top, 2 and 3 in `data`."""
    data = character.get("data")
    fields = data if isinstance(data, dict) else character

    def text(key: str) -> str:
        value = fields.get(key)
        if not isinstance(value, str):
            value = character.get(key)
        return value if isinstance(value, str) else ""

    tags = fields.get("tags")
    return Card(
        avatar=avatar,
        name=text("name").strip() or avatar.removesuffix(".png"),
        description=text("description"),
        personality=text("personality"),
        scenario=text("scenario"),
        first_mes=text("first_mes"),
        mes_example=text("mes_example"),
        system_prompt=text("system_prompt"),
        creator_notes=text("creator_notes") or text("creatorcomment"),
        tags=tuple(tag for tag in tags if isinstance(tag, str)) if isinstance(tags, list) else (),
    )
