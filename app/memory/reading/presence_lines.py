"""Reading who comes, goes and is where, and what is said or shown before whom."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from app.memory.names import LONGEST_NAME, name_in
from app.memory.tiers.claims import PresenceLine
from app.memory.tiers.epistemic import LONGEST_TEXT, parties_of
from app.memory.tiers.lines import Line, content_in, is_copied

ENTER, LEAVE, PRESENT, SAID, SHOWN = "enter", "leave", "present", "said", "shown"
MOVES = (ENTER, LEAVE, PRESENT)
OPEN = (SAID, SHOWN)  # what whoever is there learns
TAGS: Mapping[str, str] = MappingProxyType(
    {
        **{word: word for word in (*MOVES, *OPEN)},
        **dict.fromkeys(("enters", "entered", "arrives", "arrived", "comes"), ENTER),
        **dict.fromkeys(("leaves", "left", "exit", "exits", "exited", "departs"), LEAVE),
        **dict.fromkeys(("says", "say"), SAID),
        **dict.fromkeys(("shows", "show"), SHOWN),
    }
)
MOST_PEOPLE = 12
_TO = re.compile(r"\s+(?:to|before)\s+", re.IGNORECASE)


def presence_lines(line: Line, kind: str) -> tuple[PresenceLine, ...]:
    """What a line says, once for each person who moves; () where it names nobody, and where
    nothing is said or shown.
    """
    if is_copied(line.content) or not line.sources:
        return ()
    head, bar, rest = line.content.partition("|")
    if not bar:
        head, _, rest = line.content.partition(":")
    content = content_in(rest)
    if kind in MOVES:
        place = content_in(content or line.value("place", "at", "in"))
        if len(place) > LONGEST_NAME or (kind == PRESENT and not place):
            return ()
        return tuple(
            PresenceLine(kind, name, place, sources=line.sources) for name in _people(head)
        )
    doer, *to = _TO.split(head, maxsplit=1)
    who = name_in(doer)
    if not who or not any(map(str.isalnum, content)) or len(content) > LONGEST_TEXT:
        return ()
    named = to[0] if to else line.value("to", "before")
    return (PresenceLine(kind, who, "", _people(named), content, line.sources),)


def _people(text: str) -> tuple[str, ...]:
    named = (name_in(part) for part in parties_of(text)) if text.strip() else ()
    return tuple(dict.fromkeys(name for name in named if name))[:MOST_PEOPLE]
