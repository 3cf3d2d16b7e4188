"""What a reader sees of many memories: found by a query, sorted, each under its heir. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from app.core.translation import N_, tr, tr_in
from app.memory.documents.search_words import letters_of, state_called, with_fields
from app.memory.lifecycle.by_hand import without_twins
from app.memory.records import Grounding, Memory, Tier
from app.memory.standing import Ground, Standing, Status
from app.memory.tiers.table import KEPT_BY_CHARACTER, THREADS, TIERS
from app.memory.tiers.tier import THAT, Say, in_english
from app.story.recaps import BUILT_IN

SECRET = "secret"  # a word of the query for what is hidden from somebody
OPEN, RESOLVED = N_("Open"), N_("Resolved or gone")  # threads
MOST_NAMES = 300  # that the ledger is grouped by
LOST = (Status.STALE, Status.WITHDRAWN)

_TERM = re.compile(
    r'(-?)(?:(who|of|kind|tier|type|is|before|after|scene):)?("[^"]*"?|\S+)', re.IGNORECASE
)


class Show(StrEnum):
    """Which memories are shown beside those that hold."""

    ENDED = "ended"
    ASIDE = "aside"  # gave way to others, and may well be true
    LOST = "lost"  # stale or withdrawn
    WAITING = "waiting"
    REJECTED = "rejected"


class Order(StrEnum):
    """What rows are sorted by."""

    STORY = "story"
    TEXT = "text"
    IMPORTANCE = "importance"
    CONFIDENCE = "confidence"
    SOURCES = "sources"
    USED = "used"


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query. field: "" for the text."""

    field: str
    value: str
    is_not: bool = False


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a reader wants to see, and in which order.

    tier: None for all. show: beside what holds. ground: of the open chat, whose own come before
    those of its character's other chats; None where all are alike. only_here: its own alone.
    folded: groups whose rows are put away. scenes: by number, the ids of what a scene gave, where
    the query names one.
    """

    tier: Tier | None = None
    query: tuple[Term, ...] = ()
    show: frozenset[Show] = frozenset({Show.ENDED, Show.ASIDE, Show.LOST, Show.WAITING})
    only_pinned: bool = False
    only_builtin: bool = False
    only_here: bool = False
    ground: Ground | None = None
    order: Order = Order.STORY
    is_descending: bool = False
    folded: frozenset[str] = frozenset()
    scenes: Mapping[int, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row:
    """A line: the head of a group (standing is None), or a memory.

    group: name of the group that it heads or is in. count: of a head, the rows that hold; of a
    memory, those that it replaced and that follow it. is_under: it follows its heir. is_last: of
    those that follow one heir.
    """

    group: str
    standing: Standing | None = None
    tier: Tier | None = None
    count: int = 0
    is_under: bool = False
    is_last: bool = False
    is_folded: bool = False


@dataclass(frozen=True, slots=True)
class Arranged:
    """Rows to show. held: how many hold, by tier. statuses: how many of each, of all tiers; both of
    what alone is to be shown. aside: of those that ended, what only gave way to others. pinned,
    builtin, here: of all.
    """

    rows: tuple[Row, ...] = ()
    held: Mapping[Tier, int] = field(default_factory=dict)
    statuses: Mapping[Status, int] = field(default_factory=dict)
    pinned: int = 0
    builtin: int = 0
    here: int = 0
    found: int = 0
    aside: int = 0


def sentence_of(memory: Memory) -> str:
    """A memory as one sentence for people, in their language."""
    return _sentence(memory, tr, tr_in("begins a clause", "that"))


def english_sentence_of(memory: Memory) -> str:
    """The same for what models read, and for files."""
    return _sentence(memory, in_english, THAT)


def _sentence(memory: Memory, say: Say, that: str) -> str:
    """that: what a clause begins with in the language of `say`. A story may be told in another:
    "Mara weiß: The letter is forged", not "Mara weiß that the letter is forged".
    """
    return TIERS[memory.tier].told(memory, say, that)


def sentence_in(row: Row, memory: Memory) -> str:
    """The same under the head of its group, which says what it is about where that is its name."""
    if memory.tier is Tier.STATE_LEDGER and row.group == memory.subject:
        field = tr(memory.field.replace("_", " "))
        return f"{field[:1].upper()}{field[1:]}: {memory.text}"
    return sentence_of(memory)


def read_query(text: str) -> tuple[Term, ...]:
    """`who:Mara kind:secret before:#412 is:stale -rumour "forged letter"`, as its terms."""
    terms = []
    for sign, name, value in _TERM.findall(with_fields(text)):
        value = value.strip('"').casefold().strip()
        field = name.casefold()
        if value:
            terms.append(Term(field, state_called(value) if field == "is" else value, bool(sign)))
    return tuple(terms)


def arranged(standings: Sequence[Standing], wanted: Wanted) -> Arranged:
    """What of these is shown, group by group, what was replaced right under its heir."""
    held: Counter[Tier] = Counter()
    statuses: Counter[Status] = Counter()
    pinned = builtin = here = aside = 0
    standings = _without_twins(standings)
    for standing in standings:
        if standing.is_active:
            pinned += standing.memory.is_pinned
            builtin += standing.memory.made_by == BUILT_IN
            here += _is_here(standing, wanted)
        if _is_let_through(standing, wanted):
            statuses[standing.status] += 1
            aside += standing.is_set_aside
            held[standing.memory.tier] += standing.is_active
    found = [standing for standing in standings if _is_wanted(standing, wanted)]
    rows: list[Row] = []
    for name, tier, members in _groups(found, wanted):
        is_folded = name in wanted.folded
        count = sum(standing.is_active for standing in members)
        if name == RESOLVED:
            count = len(members)
        rows.append(Row(name, tier=tier, count=count, is_folded=is_folded))
        if not is_folded:
            rows += _members(name, members, wanted)
    counts = (pinned, builtin, here, len(found), aside)
    return Arranged(tuple(rows), dict(held), dict(statuses), *counts)


def in_place(found: Arranged, shown: Sequence[Row], by_id: Mapping[str, Standing]) -> Arranged:
    """What was found, in the rows that are shown: each keeps its place, and what is new waits. What
    is there no more leaves. by_id: how all memories stand now.
    """
    heads = {row.group: row for row in found.rows if row.standing is None}
    rows = []
    for row in shown:
        if row.standing is None:
            rows.append(heads.get(row.group, row))
        elif row.standing.memory.id in by_id:
            rows.append(replace(row, standing=by_id[row.standing.memory.id]))
    return replace(found, rows=tuple(rows))


def heir_of(standing: Standing, by_id: Mapping[str, Standing]) -> Standing | None:
    """What took its place, followed to the one that stands last; None when nothing did."""
    seen = {standing.memory.id}
    now, heir = standing, None
    while now.ending is not None and now.ending.by and now.ending.by not in seen:
        after = by_id.get(now.ending.by)
        if after is None:
            break
        seen.add(now.ending.by)
        now = heir = after
    return heir


def chain_of(standing: Standing, by_id: Mapping[str, Standing]) -> tuple[Standing, ...]:
    """The history of a memory, oldest first: all that its heir replaced, and the heir."""
    top = heir_of(standing, by_id) or standing
    before: dict[str, list[Standing]] = {}
    for other in by_id.values():
        if other.ending is not None and other.ending.by:
            before.setdefault(other.ending.by, []).append(other)
    chain, waiting, seen = [], [top], {top.memory.id}
    while waiting:
        now = waiting.pop()
        chain.append(now)
        for other in before.get(now.memory.id, ()):
            if other.memory.id not in seen:
                seen.add(other.memory.id)
                waiting.append(other)
    return tuple(sorted(chain, key=lambda s: (s is top, s.start)))


def _groups(
    found: Sequence[Standing], wanted: Wanted
) -> Iterable[tuple[str, Tier | None, list[Standing]]]:
    if wanted.tier in THREADS:
        named = ((OPEN, True), (RESOLVED, False))
        for name, is_open in named:
            members = [s for s in found if (s.ending is None or s.is_active) is is_open]
            if members:
                yield name, wanted.tier, members
        return
    if wanted.tier is Tier.STATE_LEDGER:
        by_name: dict[str, list[Standing]] = {}
        for standing in found:
            by_name.setdefault(standing.memory.subject, []).append(standing)
        if len(by_name) <= MOST_NAMES:
            for name in sorted(by_name, key=str.casefold):
                yield name, Tier.STATE_LEDGER, by_name[name]
            return
    by_tier: dict[Tier, list[Standing]] = {}
    for standing in found:
        by_tier.setdefault(standing.memory.tier, []).append(standing)
    for tier, spec in TIERS.items():
        if tier in by_tier:
            yield spec.words.name, tier, by_tier[tier]


def _members(name: str, members: Sequence[Standing], wanted: Wanted) -> list[Row]:
    by_id = {standing.memory.id: standing for standing in members}
    under: dict[str, list[Standing]] = {}
    tops = []
    for standing in members:
        heir = heir_of(standing, by_id) if standing.status is Status.ENDED else None
        # Two that replaced each other would be under one another for ever.
        if heir is None or heir_of(heir, by_id) is not None:
            tops.append(standing)
        else:
            under.setdefault(heir.memory.id, []).append(standing)
    tops.sort(key=_key(wanted.order), reverse=wanted.is_descending)
    if wanted.order is Order.STORY:
        # Of a long story many more ended than hold, and most of them at its beginning.
        # What other chats say began before this one did, and would fill the first screen.
        tops.sort(key=lambda top: (top.status is Status.ENDED, not _is_here(top, wanted)))
    rows = []
    for top in tops:
        older = under.get(top.memory.id, [])
        older.sort(key=lambda s: s.start, reverse=True)
        tier = top.memory.tier
        rows.append(Row(name, top, tier, count=len(older)))
        rows += [
            Row(name, one, tier, is_under=True, is_last=place == len(older))
            for place, one in enumerate(older, 1)
        ]
    return rows


def _key(order: Order) -> Callable[[Standing], tuple[object, ...]]:
    match order:
        case Order.TEXT:
            return lambda s: (sentence_of(s.memory).casefold(),)
        case Order.IMPORTANCE:
            return lambda s: (s.memory.importance, s.start)
        case Order.CONFIDENCE:
            return lambda s: (s.memory.confidence, s.start)
        case Order.SOURCES:
            return lambda s: (len(s.memory.sources), s.start)
        case Order.USED:
            return lambda s: (s.memory.recalls, s.start)
        case _:
            return lambda s: (s.start,)


def _is_wanted(standing: Standing, wanted: Wanted) -> bool:
    memory = standing.memory
    if wanted.tier is not None and memory.tier is not wanted.tier:
        return False
    return (
        _is_let_through(standing, wanted)
        and _is_shown(standing, wanted.show)
        and all(_fits(standing, term, wanted.scenes) is not term.is_not for term in wanted.query)
    )


def _is_let_through(standing: Standing, wanted: Wanted) -> bool:
    """Whether it is one of those that alone are shown and counted."""
    memory = standing.memory
    return (
        (memory.is_pinned or not wanted.only_pinned)
        and (memory.made_by == BUILT_IN or not wanted.only_builtin)
        and (not wanted.only_here or _is_here(standing, wanted))
    )


def _without_twins(standings: Sequence[Standing]) -> Sequence[Standing]:
    """Of those that wait and say the same word for word the first: one word answers them all."""
    waiting = [s.memory for s in standings if s.status is Status.WAITING]
    _first, twins = without_twins(waiting, ())
    if not twins:
        return standings
    ids = {memory.id for memory in twins}
    return [standing for standing in standings if standing.memory.id not in ids]


def _is_here(standing: Standing, wanted: Wanted) -> bool:
    return wanted.ground is None or wanted.ground.tells(standing.memory)


def _is_shown(standing: Standing, show: frozenset[Show]) -> bool:
    match standing.status:
        case Status.ACTIVE:
            return True
        case Status.ENDED:
            return (Show.ASIDE if standing.is_set_aside else Show.ENDED) in show
        case Status.WAITING:
            return Show.WAITING in show
        case Status.REJECTED:
            return Show.REJECTED in show
        case Status.LATER:
            return False
        case _:
            return Show.LOST in show


def is_about(memory: Memory, part: str) -> bool:
    """Whether somebody in it is called so; part: of a name, casefolded."""
    names = (memory.subject, memory.target, memory.told_by, *memory.entities)
    return any(part in name.casefold() for name in names)


def _fits(standing: Standing, term: Term, scenes: Mapping[int, frozenset[str]]) -> bool:
    memory = standing.memory
    match term.field:
        case "who":
            return is_about(memory, term.value)
        case "of":
            return _is_of(memory, term.value)
        case "kind" | "tier" | "type":
            return _is_kind(memory, term.value)
        case "is":
            return _is_so(standing, term.value)
        case "before" | "after" | "scene":
            number = term.value.lstrip("#")
            if not number.isdecimal():
                return False
            place = int(number)
            if term.field == "scene":
                return memory.id in scenes.get(place, ())
            return standing.start < place if term.field == "before" else standing.start > place
        case _:
            return term.value in f"{sentence_of(memory)} {memory.detail}".casefold()


def _is_of(memory: Memory, part: str) -> bool:
    """Whether it is one of somebody's own: they were there, feel it, or hold it. part: of a name,
    casefolded. Where nobody noted who was there, it is everybody's.
    """
    if memory.tier not in KEPT_BY_CHARACTER:
        return False
    if TIERS[memory.tier].is_witnessed:
        names = memory.witnessed_by
        return not names or any(part in name.casefold() for name in names)
    return part in memory.subject.casefold()


def _is_kind(memory: Memory, word: str) -> bool:
    if word.rstrip("s") in (SECRET, tr_in("after kind: in a search", "secret").rstrip("s")):
        return memory.type == "hiding"
    ours = (memory.type, memory.field.replace("_", " "), TIERS[memory.tier].words.name)
    names = (memory.field, memory.tier.value, *ours, *map(tr, ours))
    wanted = letters_of(word.rstrip("s") or word)
    return bool(wanted) and any(letters_of(name).startswith(wanted) for name in names if name)


def _is_so(standing: Standing, word: str) -> bool:
    memory = standing.memory
    match word:
        case "pinned":
            return memory.is_pinned
        case "yours":
            return memory.grounding is Grounding.YOURS
        case "built-in" | "builtin":
            return memory.made_by == BUILT_IN
        case "lost":
            return standing.status in LOST
        case "merged":
            return memory.is_consolidated
        case "aside" | "set aside":
            return standing.is_set_aside
        case "ended":
            return standing.status is Status.ENDED and not standing.is_set_aside
        case _:
            return standing.status.value == word
