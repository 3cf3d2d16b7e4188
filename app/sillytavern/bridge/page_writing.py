"""Asks a page of SillyTavern to change its open chat, and to save it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any
from zlib import crc32

import msgspec

from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.chat_edit import LineEdit
from app.sillytavern.chat_line import ChatLine

# A question to one page: (kind, parameters) -> its answer. Raises BridgeError.
Ask = Callable[[str, dict[str, Any]], Awaitable[dict[str, Any]]]

BATCH_BYTES = 256 * 1024
Saved = Mapping[str, int | str]  # what the file of a chat holds, as `saved_state` tells a page


def line_checksum(line: ChatLine) -> int:
    """What the page's `messageChecksum` gives for the same message."""
    parts = (line.name, line.text, str(int(line.is_hidden)), str(line.swipe))
    return crc32("\0".join(parts).encode("utf-8"))


def saved_state(lines: Sequence[ChatLine], integrity: str) -> Saved:
    """What a page must hold before it saves: otherwise it would overwrite what others wrote.

    The sum is what the page's `chatChecksum` gives for the same messages.
    """
    total = 0
    for line in lines:
        shown = "\0".join((line.name, line.text, str(line.swipes)))
        total = (total * 31 + crc32(shown.encode("utf-8"))) & 0xFFFFFFFF
    return {"count": len(lines), "sum": total, "integrity": integrity}


# 7 parameters: what the page's request holds.
async def set_extras(
    ask: Ask,
    chat: ChatIdentity,
    lines: Sequence[ChatLine],
    edits: Mapping[int, LineEdit],
    metadata: Mapping[str, Any],
    *,
    save: bool = True,
    saved: Saved | None = None,
) -> list[int]:
    """Change message data in the page, which then saves; `is_hidden` of the edits is left out.

    lines: the messages as the file has them. edits: by index of the message. saved: their state;
    a page that does not hold it changes nothing. Gives the indexes of messages that are not the
    same in the page, which left them as they are. Raises BridgeError.
    """
    missed: list[int] = []
    wire = [
        {
            "index": index,
            "hash": line_checksum(lines[index]),
            "extra": edit.extra,
            "swipes": edit.every_swipe,
        }
        for index, edit in sorted(edits.items())
        if edit.extra or edit.every_swipe
    ]
    batches = list(_batches(wire)) or [[]]
    for number, batch in enumerate(batches, 1):
        is_last = number == len(batches)
        params = {
            "chat": msgspec.to_builtins(chat),
            "edits": batch,
            "metadata": dict(metadata) if is_last else {},
            "save": save and is_last,
            "saved": saved,
        }
        answer = await ask("set_extras", params)
        missed += [index for index in answer.get("missed", ()) if isinstance(index, int)]
    return missed


async def hide(
    ask: Ask,
    chat: ChatIdentity,
    lines: Sequence[ChatLine],
    *,
    ranges: Sequence[tuple[int, int]],
    unhide: Sequence[tuple[int, int]],
    saved: Saved | None = None,
) -> None:
    """Hide and show messages with SillyTavern's own commands, then have it saved.

    ranges, unhide: first and last index, inclusive. saved: see `set_extras`. Raises BridgeError,
    also when the messages at their ends are not the same in the page; then nothing was hidden.
    """
    ends = sorted({index for range_ in (*ranges, *unhide) for index in range_})
    params = {
        "chat": msgspec.to_builtins(chat),
        "ranges": [list(range_) for range_ in ranges],
        "unhide": [list(range_) for range_ in unhide],
        "checks": [[index, line_checksum(lines[index])] for index in ends],
        "saved": saved,
    }
    await ask("hide", params)


def _batches(edits: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for edit in edits:
        size += len(msgspec.json.encode(edit))
        batch.append(edit)
        if size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
