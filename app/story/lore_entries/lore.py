"""What a story says of its world for good: entries of a lexicon, kept with scene recaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from app.story.recap_texts.recap_text import clean_items, clean_line

UNKNOWN = "unknown"
MOST_ENTRIES = 60
MOST_KEYWORDS = 10
MOST_SENTENCES = 20
LONGEST_NAME = 80
SHORTEST_WORD = 3  # letters of a word by which two entries may be about the same


@dataclass(frozen=True, slots=True)
class LoreEntry:
    """One person, place, group, thing or rule. content: single sentences."""

    type: str
    name: str
    keywords: tuple[str, ...] = ()
    content: tuple[str, ...] = ()

    def line(self) -> str:
        """The entry on one line, as a model reads it."""
        also = f" (also: {', '.join(self.keywords)})" if self.keywords else ""
        return f"[{self.type}] {self.name}{also}: {' '.join(self.content)}"

    def value(self) -> dict[str, Any]:
        """The entry in the form that ST-Auto-Recap keeps (spec/auto-recap.md §5)."""
        return {
            "type": self.type,
            "name": self.name,
            "keywords": list(self.keywords),
            "content": list(self.content),
        }


def read_entries(value: object) -> tuple[LoreEntry, ...]:
    """Entries out of a list as models write it; what is none is left out.

    Keys as in spec/auto-recap.md §5, "Normalisation": type or t, name or n, keywords, k or keys,
    content or c; one text counts as a list of one.
    """
    items = value if isinstance(value, list) else []
    found: dict[tuple[str, str], LoreEntry] = {}
    for item in items:
        entry = _entry(item) if isinstance(item, dict) else None
        if entry is None:
            continue
        key = (entry.type.casefold(), entry.name.casefold())
        old = found.get(key)
        found[key] = entry if old is None else _joined(old, entry)
        if len(found) >= MOST_ENTRIES:
            break
    return tuple(found.values())


def stored_entries(stored: str) -> tuple[LoreEntry, ...]:
    """The entries in a recap as it is stored, ours or ST-Auto-Recap's; none where it has none."""
    try:
        recap = msgspec.json.decode(stored.encode("utf-8", "surrogatepass"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return ()
    if not isinstance(recap, dict):
        return ()
    for stage in ("stage4", "stage2"):
        part = recap.get(stage)
        if isinstance(part, dict) and "entities" in part:
            return read_entries(part["entities"])
    return read_entries(recap.get("setting_lore") or recap.get("entities"))


def related(known: Iterable[LoreEntry], found: Sequence[LoreEntry]) -> tuple[LoreEntry, ...]:
    """Those known entries that may be about the same as one that was found: they share a word of
    name or keywords.
    """
    words = {word for entry in found for word in _words(entry)}
    return tuple(entry for entry in known if not words.isdisjoint(_words(entry)))


def _entry(item: Mapping[str, Any]) -> LoreEntry | None:
    fields = {str(key).strip().lower(): value for key, value in item.items()}
    name = clean_line(_first_text(fields, "name", "n"))[:LONGEST_NAME].strip()
    content = clean_items(_texts(fields, "content", "c"))[:MOST_SENTENCES]
    if not name or not content:
        return None
    keywords = clean_items(_texts(fields, "keywords", "k", "keys"))[:MOST_KEYWORDS]
    return LoreEntry(
        type=clean_line(_first_text(fields, "type", "t"))[:40].strip() or UNKNOWN,
        name=name,
        keywords=tuple(word[:LONGEST_NAME] for word in keywords),
        content=content,
    )


def _joined(one: LoreEntry, other: LoreEntry) -> LoreEntry:
    return LoreEntry(
        one.type,
        one.name,
        clean_items((*one.keywords, *other.keywords))[:MOST_KEYWORDS],
        clean_items((*one.content, *other.content))[:MOST_SENTENCES],
    )


def _first_text(fields: Mapping[str, Any], *keys: str) -> str:
    return next((fields[key] for key in keys if isinstance(fields.get(key), str)), "")


def _texts(fields: Mapping[str, Any], *keys: str) -> Iterator[str]:
    value = next((fields[key] for key in keys if fields.get(key)), ())
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, str):
            yield from item.splitlines()


def _words(entry: LoreEntry) -> set[str]:
    text = " ".join((entry.name, *entry.keywords)).casefold()
    words = ("".join(filter(str.isalnum, word)) for word in text.split())
    return {word for word in words if len(word) >= SHORTEST_WORD} or {entry.name.casefold()}


def lore_text(entry: LoreEntry) -> str:
    """The content, with nothing in it that SillyTavern would run: no macro, no decorator line."""
    lines = (line.replace("{{", "{ {").lstrip("@ ") for line in entry.content)
    return "\n".join(filter(None, lines))
