"""What the extension MemoryBooks keeps in SillyTavern's lorebooks; read, never written.

Shapes, from its public code (version 8.6): a lorebook is `worlds/NAME.json` with `entries` by
number. An entry of the extension has `stmemorybooks: true`, the text in `content`, its title in
`comment`, the indexes of its first and last message in `STMB_start` and `STMB_end` (numbers, both
inclusive) and the chat's file name in `STMB_chatId`; entries of before 2025 lack the last three.
One made of others has `stmbSummary: true` (before: `stmbArc`), and switches these off
(`disabledBySummaryId`). Of a copy for another lorebook `STMB_canonical` is false.
The lorebook is the chat's own (`world_info` in its metadata), or the one chosen in
`STMemoryBooks.manualLorebook`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.loose_json import Json
from app.sillytavern.extensions.ranged_recaps import (
    MOST_MESSAGES,
    RangedRecap,
    RangedRecaps,
    apart,
    name_of,
)
from app.sillytavern.json_file import load_object
from app.story.recaps import MEMORY_BOOKS
from app.views.findings import Omission

LONGEST_FILE_NAME = 200
MOST_BOOKS = 20
_ARC_TYPES = frozenset({"arc", "chapter", "book", "legend", "series", "epic"})


def find_memory_books(
    user_folder: Path,
    chat_metadata: Json,
    title: str,
    length: int,
    is_others: Callable[[str], bool],
) -> RangedRecaps:
    """What its lorebooks hold of a chat of so many messages. Blocks.

    title: the chat's file name without its ending. is_others: whether a chat of this name is there
    and is another one.
    """
    entries: list[Json] = []
    for name in book_names(chat_metadata):
        book = load_object(user_folder / "worlds" / f"{name}.json")
        entries += _entries(book)
    return memories_of(entries, title, length, is_others)


def book_names(chat_metadata: Json) -> tuple[str, ...]:
    """Names of the lorebooks that the extension may have written for a chat."""
    own = loose.object_at(chat_metadata, "STMemoryBooks")
    named = [chat_metadata.get("world_info"), own.get("manualLorebook")]
    named += loose.object_at(own, "manualCharacterLorebooks").values()
    names = dict.fromkeys(filter(_is_file_name, map(loose.text, named)))
    return tuple(names)[:MOST_BOOKS]


def memories_of(
    entries: Sequence[Json], title: str, length: int, is_others: Callable[[str], bool]
) -> RangedRecaps:
    """What entries of lorebooks tell of a chat; entries of something else are passed over."""
    left_out: Counter[Omission] = Counter()
    found: list[RangedRecap] = []
    written = [
        entry
        for entry in entries
        if entry.get("stmemorybooks") is True and entry.get("STMB_canonical") is not False
    ]
    chats = [loose.text(entry.get("STMB_chatId")) for entry in written]
    own = _own_name(set(chats), title, is_others)
    for entry, chat in zip(written, chats, strict=True):
        why = Omission.OTHER_CHAT if chat and chat != own else _why_not(entry)
        if why is not None:
            left_out[why] += 1
            continue
        first, last = _index(entry.get("STMB_start")), _index(entry.get("STMB_end"))
        text = loose.text(entry.get("content"))
        found.append(RangedRecap(first, last, name_of(loose.text(entry.get("comment"))), text))
    return apart(MEMORY_BOOKS, found, left_out, length)


def _own_name(names: Collection[str], title: str, is_others: Callable[[str], bool]) -> str:
    """The name under which entries are of this chat: its own, or the one that it had before.

    A chat that was renamed leaves its old name behind, which no chat has any more. A branch has
    its parent's entries from the parent, as far as both are the same.
    """
    if title in names:
        return title
    left = [name for name in names if name and not is_others(name)]
    return left[0] if len(left) == 1 else title


def _why_not(entry: Json) -> Omission | None:
    kind = loose.text(entry.get("type")).lower()
    if entry.get("stmbSummary") is True or entry.get("stmbArc") is True or kind in _ARC_TYPES:
        return Omission.HIGHER
    told_by_another = entry.get("disabledBySummaryId", entry.get("disabledByArcId"))
    if entry.get("disable") is True and told_by_another is None:
        return Omission.OFF
    return None


def _index(value: Any) -> int:
    """The index of a message, -1 for what is none."""
    is_index = loose.is_number(value) and value == int(value) and 0 <= value <= MOST_MESSAGES
    return int(value) if is_index else -1


def _entries(book: Mapping[str, Any]) -> Iterator[Json]:
    """Of a lorebook: by number, or in a list as in older files."""
    held = book.get("entries")
    listed = held if isinstance(held, list) else [v for _, v in _items(held)]
    return loose.objects(loose.sequence(listed))


def _items(held: Any) -> Iterator[tuple[str, Any]]:
    return loose.items_of(held) if isinstance(held, dict) else iter(())


def _is_file_name(name: str) -> bool:
    """Whether a lorebook may be called so: nothing that leads to another folder."""
    return (
        0 < len(name) <= LONGEST_FILE_NAME
        and not name.startswith(".")
        and not any(sign in '/\\:*?"<>|' or not sign.isprintable() for sign in name)
    )
