"""Recaps that an extension made of a run of messages, and why some of them cannot be taken over."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from app.story.scenes import automatic_name
from app.views.findings import Omission

LONGEST_RECAP = 20_000  # characters; what is longer is no recap
LONGEST_TITLE = 500  # characters that are looked at
MOST_MESSAGES = 5_000_000  # behind which no message number is believed
# "[001] - ", "(12) ", "#003: ", "004 - ": the running number that a title begins with.
_NUMBER = re.compile(
    r"\s*(?:\[\s*#?\d{1,6}\s*\]|\(\s*#?\d{1,6}\s*\)|#?\d{1,6}(?=\s*[-:.]))\s*[-:.]?\s*"
)


@dataclass(frozen=True, slots=True)
class RangedRecap:
    """first, last: indexes of the messages it tells, both inclusive. created: seconds since the
    epoch, 0 where it is not known.
    """

    first: int
    last: int
    name: str
    text: str
    created: float = 0.0


@dataclass(frozen=True, slots=True)
class RangedRecaps:
    """What one extension left of a chat: recaps that do not overlap, in their order; several of the
    same messages are versions, the newest last. left_out: how many were not taken, and why.
    """

    made_by: str
    recaps: tuple[RangedRecap, ...] = ()
    left_out: Mapping[Omission, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.recaps or self.left_out)


def unmet(recap: RangedRecap, length: int) -> Omission | None:
    """Why a recap cannot be one of a chat of so many messages, None where it can."""
    if not recap.text:
        return Omission.EMPTY
    if len(recap.text) > LONGEST_RECAP:
        return Omission.TOO_LONG
    if not 0 <= recap.first <= recap.last:
        return Omission.NO_RANGE
    return Omission.BEHIND_END if recap.last >= length else None


def apart(
    made_by: str, recaps: Iterable[RangedRecap], left_out: Mapping[Omission, int], length: int
) -> RangedRecaps:
    """Those that can stand beside each other in a chat of so many messages.

    Of two that overlap the one counts that begins first, of those the shorter one.
    """
    counted = Counter(left_out)
    held: dict[tuple[int, int], dict[str, RangedRecap]] = {}
    for recap in recaps:
        why = unmet(recap, length)
        if why is not None:
            counted[why] += 1
            continue
        held.setdefault((recap.first, recap.last), {})[recap.text] = recap
    kept: list[RangedRecap] = []
    for (first, _), versions in sorted(held.items()):
        if kept and first <= kept[-1].last:
            counted[Omission.OVERLAP] += len(versions)
        else:
            kept += sorted(versions.values(), key=lambda version: version.created)
    return RangedRecaps(made_by, tuple(kept), dict(counted))


def name_of(title: str) -> str:
    """The name of a scene in a title that may begin with a running number."""
    title = " ".join(title[:LONGEST_TITLE].split())
    return automatic_name(_NUMBER.sub("", title, count=1) if _NUMBER.match(title) else title)
