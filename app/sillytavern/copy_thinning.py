"""Which copies of a chat stay: one of each stretch of time, and what no other one holds. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from app.sillytavern.chat_contents import Contents

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
# Of each of the last six times ten minutes, twelve hours, seven days and eight weeks the fullest.
AGES = ((10 * MINUTE, 6), (HOUR, 12), (DAY, 7), (7 * DAY, 8))
RARE_KEPT = 10  # that are kept whole for messages that no other copy has


@dataclass(frozen=True)
class KeptCopy:
    """What a copy holds, and when it was made (seconds since the epoch)."""

    moment: float
    contents: Contents

    @property
    def fullness(self) -> tuple[int, int, float]:
        """A copy that holds more, or as much and less that is broken, is the better one."""
        return (self.contents.size, -self.contents.broken, self.moment)


def staying(
    copies: Mapping[Path, KeptCopy],
    now: float,
    *,
    needed: Collection[Path] = (),
    elsewhere: Set[int] = frozenset(),
) -> frozenset[Path]:
    """Those to keep: the newest, the fullest of each stretch of time, and a few with messages that
    these do not have.

    Stretches are those of the calendar: a copy that is the best of one stays that until it is too
    old, however many come behind it. now: seconds since the epoch; of copies that a clock dated
    which was set back since, none takes the place of one of the past. needed: to keep in any
    case. elsewhere: marks of messages that need no copy.
    """
    ordered = sorted(copies, key=lambda path: (copies[path].moment <= now, copies[path].moment))
    newest_of = {copies[path].contents.content: path for path in ordered}
    own = [path for path in ordered if newest_of[copies[path].contents.content] == path]
    kept = {path for path in needed if path in own}
    past = [path for path in own if copies[path].moment <= now]
    future = own[: len(own) - len(past)]
    for part, until in ((past, now), (future, max((copies[p].moment for p in future), default=0))):
        kept |= _fullest(part, copies, until)
    kept |= _rare([path for path in own if path not in kept], kept, copies, set(elsewhere))
    return frozenset({*kept, *own[-1:]})


def _rare(
    left: list[Path], kept: Set[Path], copies: Mapping[Path, KeptCopy], known: set[int]
) -> set[Path]:
    """Those with the most messages that no fuller one has. What is left of a chat that was cut or
    broke stands for no fuller copy.
    """
    found: dict[Path, int] = {}
    for path in sorted({*left, *kept}, key=lambda path: copies[path].fullness, reverse=True):
        contents = copies[path].contents
        if path not in kept and (missing := contents.missing_in(known)):
            found[path] = len(missing)
        if path in kept or path in found:
            known |= contents.marks
    ranked = sorted(found, key=lambda path: (found[path], copies[path].moment), reverse=True)
    return set(ranked[:RARE_KEPT])


def only_in(
    going: Mapping[Path, KeptCopy], staying_marks: Set[int]
) -> tuple[tuple[Path, tuple[int, ...]], ...]:
    """Which lines of the copies that go hold messages that nothing else has, each message once;
    those of the fullest copy first. staying_marks: of all that stays.
    """
    known = set(staying_marks)
    found: list[tuple[Path, tuple[int, ...]]] = []
    for path in sorted(going, key=lambda path: going[path].fullness, reverse=True):
        contents, places = going[path].contents, []
        for place in contents.missing_in(known):
            if not any(mark in known for mark in contents.lines[place]):
                places.append(place)
                known.update(contents.lines[place])
        if places:
            found.append((path, tuple(places)))
    return tuple(found)


def _fullest(part: list[Path], copies: Mapping[Path, KeptCopy], until: float) -> set[Path]:
    kept: set[Path] = set()
    for length, number in AGES:
        first = int(until // length) - number
        best: dict[int, Path] = {}
        for path in part:
            stretch = int(copies[path].moment // length)
            before = best.get(stretch)
            if before is None or copies[path].fullness > copies[before].fullness:
                best[stretch] = path
        kept.update(path for stretch, path in best.items() if stretch > first)
    return kept
