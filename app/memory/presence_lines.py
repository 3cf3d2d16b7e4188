"""Reading who comes, who goes and who is there: values of the ledger's `location`. Pure.

`[enter] Ann | the mill`, `[leave] Ann | the mill`, `[present] Ann, Bo | the mill`. Whoever leaves
without a word on where to is AWAY.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.memory.claims import Claim, Mention
from app.memory.epistemic_lines import parties_of
from app.memory.lines import Line, content_in, is_copied
from app.memory.names import name_in
from app.memory.records import Tier

ENTER, LEAVE, PRESENT = "enter", "leave", "present"
AWAY = "away"
# Memory.channel of a place that was noted so: one that the ledger gives besides may be a corner of
# the same room.
BY_PRESENCE = "presence"
LONGEST_PLACE = 200
# What models write for our tags.
TAGS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(("enters", "entered", "arrives"), ENTER),
        **dict.fromkeys(("leaves", "left", "exits"), LEAVE),
        "presence": PRESENT,
    }
)


def presence_claims(line: Line, tag: str) -> tuple[Claim, ...]:
    """Where each of those who are named is from then on; none for a line without people, or for
    arrivals and presence without a place.
    """
    people, _, where = line.content.partition("|")
    place = AWAY if tag == LEAVE else content_in(where)[:LONGEST_PLACE]
    if is_copied(line.content) or not any(map(str.isalnum, place)):
        return ()
    names = filter(None, map(name_in, parties_of(people)))
    return tuple(
        Claim(
            Tier.STATE_LEDGER,
            "character",
            place,
            subject=name,
            field="location",
            channel=BY_PRESENCE,
            detail=content_in(where)[:LONGEST_PLACE] if tag == LEAVE else "",
            entities=(Mention(name, "character"),),
            sources=line.sources,
        )
        for name in dict.fromkeys(names)
    )
