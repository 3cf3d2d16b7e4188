"""How a model is shown what is remembered: short lists, numbered where it answers by number.

Entries of tiers that have numbers count from 1, each tier for itself. What an answer calls by
number is found again in `ids`, ids of memories in the order of their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from app.memory.records import Memory, Tier
from app.memory.similarity import words
from app.memory.tiers.claims import Mention
from app.memory.tiers.memory_lines import HEADING
from app.memory.tiers.table import NUMBERED, PLAIN, TIERS

NOTHING = "Nothing yet."
NOTHING_NEW = "Nothing."
NAMES = "Names: "
ENDED_MEMORIES = "No longer so:"

# After plain memories: what an answer may mean by number, then the others.
_IN_ORDER = sorted(
    (spec for spec in TIERS.values() if not spec.is_plain), key=lambda spec: not spec.is_numbered
)
PLAIN_RANK = min(TIERS[tier].rank for tier in PLAIN)
_HEADINGS = tuple(dict.fromkeys(spec.heading for spec in TIERS.values()))

OPEN_SECRETS = frozenset({"hiding", "unaware", "believes"})
SECRET_COUNTS, OLDEST_SECRETS = 1.0, 4
SPOKEN_OF = 0.25  # closeness from which on the new messages speak of an entry
MUCH_SPOKEN_OF, MOST_SPOKEN_OF = 1.0, 4  # memories that are listed since the messages speak of them
SMALL_ROOM, OTHERS_SHARE = 300, 0.4  # of what a larger room has more, what is not numbered gets so

CountTokens = Callable[[str], int]
Ids = Mapping[Tier, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Known:
    """text: as prompts show it. ids: of numbered entries by tier, the first has number 1."""

    text: str
    ids: Ids


class KnownForBlock(NamedTuple):
    """What is known in two parts: base_text stays the same as long as a block begins at the same
    message, news_text says what changed since. ids: as in Known, numbered through both parts.
    """

    base_text: str
    news_text: str
    ids: Ids


def known(
    memories: Sequence[Memory],
    *,
    limit: int,
    count: CountTokens,
    names: Sequence[Mention] = (),
    about: str = "",
) -> Known:
    """Show memories that hold, in the order given.

    limit: tokens that the text may take, as `count` counts; what matters least is left out, what
    has numbers last of all. names: whom and what the story calls by name. about: text of
    the messages that are read; what shares its rarer words is shown before others.
    """
    shown = _within(memories, limit - count(_named(names, limit, count)), count, about)
    text = _joined(_parts(shown, {}))
    # What the lists spell out already is not listed again.
    others = [mention for mention in names if mention.name not in text]
    text = _joined([text, _named(others, limit, count)])
    return Known(text or NOTHING, {tier: _ids(shown, tier) for tier in NUMBERED})


# 8 parameters: what is shown to a model, and how much of it; by name.
def known_for_block(
    base: Sequence[Memory],
    now: Sequence[Memory],
    *,
    limit: int,
    count: CountTokens,
    names: Sequence[Mention] = (),
    still_so: Collection[str] = (),
    about: str = "",
    now_about: str = "",
) -> KnownForBlock:
    """Show what held when a block began, and what changed until now.

    What was noted since is listed too, since an answer is to say where it has changed; and of what
    was left out of the first text the numbered entries that the new messages are about.
    What changes seldom comes first, so that texts of later blocks begin alike.
    base_text depends on base, names, limit and about alone. limit: tokens that each of the two
    texts may take; see `known`. An entry of base that reads otherwise now is one that ended and a
    new one. still_so: ids of those that are no longer kept although they are as true as before.
    about, now_about: text of the block's first messages, and of those that are new.
    """
    first = known(base, limit=limit, count=count, names=names, about=about)
    before = {(memory.id, line_of(memory)) for memory in base}
    still = {(memory.id, line_of(memory)) for memory in now}
    shown = _within(base, limit - count(_named(names, limit, count)), count, about)
    new = [memory for memory in now if (memory.id, line_of(memory)) not in before]
    left = [memory for memory in shown if (memory.id, line_of(memory)) not in still]
    gone = [memory for memory in left if memory.id not in still_so]
    ended = _ended(gone, new, first)
    room = limit - count(_joined(ended))
    fresh = _within([*new, *_missed(base, shown, still, now_about)], room, count, now_about)
    parts = _parts(fresh, first.ids)
    return KnownForBlock(
        first.text,
        _joined([*parts, *ended]) or NOTHING_NEW,
        {tier: (*ids, *_ids(fresh, tier)) for tier, ids in first.ids.items()},
    )


def line_of(memory: Memory) -> str:
    """One memory as it is listed, without its number."""
    return TIERS[memory.tier].line(memory)


def _parts(memories: Sequence[Memory], before: Ids) -> list[str]:
    """The lists with their headings. before: what has numbers already."""
    parts = [_listed(HEADING, [line_of(m) for m in memories if m.tier in PLAIN])]
    for spec in _IN_ORDER:
        mine = [memory for memory in memories if memory.tier is spec.tier]
        if spec.is_numbered:
            lines = _numbered(mine, len(before.get(spec.tier, ())))
        else:
            lines = spec.listed(mine) if spec.listed else list(map(line_of, mine))
        parts.append(_listed(spec.heading, lines))
    return [part for part in parts if part]


def _ended(gone: Sequence[Memory], new: Sequence[Memory], first: Known) -> list[str]:
    """What of the shown base no longer holds. A value that has a new one says so by that."""
    replaced = {(m.tier, key(m)) for m in new if (key := TIERS[m.tier].key) is not None}
    lines: list[str] = []
    for memory in gone:
        spec = TIERS[memory.tier]
        if spec.is_numbered or (spec.key and (memory.tier, spec.key(memory)) in replaced):
            continue
        lines.append(spec.cleared(memory) if spec.cleared else line_of(memory))
    numbers = (
        _numbers(spec.ended_heading, first.ids[spec.tier], [m for m in gone if m.tier is spec.tier])
        for spec in _IN_ORDER
        if spec.is_numbered
    )
    parts = [*numbers, _listed(ENDED_MEMORIES, lines)]
    return [part for part in parts if part]


def _missed(
    base: Sequence[Memory],
    shown: Sequence[Memory],
    still: Collection[tuple[str, str]],
    about: str,
) -> list[Memory]:
    """What an answer may have to end and is not shown: entries of base that hold, and of which the
    new messages speak; of memories the few of which they speak most.
    """
    there = {memory.id for memory in shown}
    missed = [
        (near, place)
        for place, (memory, near) in enumerate(zip(base, closeness(base, about), strict=True))
        if near >= SPOKEN_OF
        and memory.id not in there
        and memory.tier in (NUMBERED | PLAIN)
        and (memory.id, line_of(memory)) in still
    ]
    spoken = sorted(((n, p) for n, p in missed if base[p].tier in PLAIN), reverse=True)
    few = {place for near, place in spoken[:MOST_SPOKEN_OF] if near >= MUCH_SPOKEN_OF}
    return [base[p] for _, p in missed if base[p].tier in NUMBERED or p in few]


def _within(
    memories: Sequence[Memory], limit: int, count: CountTokens, about: str
) -> tuple[Memory, ...]:
    """Those that fit, in the order given: by tier, plain memories of all together, then pinned, by
    weight, by what `about` speaks of, and new ones first. Numbered entries leave some of a larger
    room to the others.
    """
    order = _best_first(memories, about)
    headings = sum(map(count, _HEADINGS)) + 10  # blank lines
    room = limit - (headings if memories else 0)
    kept: set[int] = set()

    def take(places: Sequence[int], room: int) -> int:
        for place in places:
            cost = count(f"{len(memories)}. {line_of(memories[place])}\n")
            if place not in kept and cost <= room:
                room -= cost
                kept.add(place)
        return room

    numbered = [place for place in order if memories[place].tier in NUMBERED]
    others = [place for place in order if memories[place].tier not in NUMBERED]
    reserved = max(0, int((room - SMALL_ROOM) * OTHERS_SHARE)) if others else 0
    left = take(others, take(numbered, room - reserved) + reserved)
    take(numbered, left)
    return tuple(memory for place, memory in enumerate(memories) if place in kept)


def _best_first(memories: Sequence[Memory], about: str) -> list[int]:
    """Places of the memories. Of open secrets the oldest count more: the story turns on them. What
    came to light a moment ago may weigh more than a small lasting fact.
    """
    secrets = [place for place, memory in enumerate(memories) if memory.type in OPEN_SECRETS]
    worth = [
        memory.importance + near
        for memory, near in zip(memories, closeness(memories, about), strict=True)
    ]
    for place in secrets:
        worth[place] += SECRET_COUNTS
    for place in secrets[:OLDEST_SECRETS]:
        worth[place] += SECRET_COUNTS
    return sorted(
        range(len(memories)),
        key=lambda place: (
            PLAIN_RANK if memories[place].tier in PLAIN else TIERS[memories[place].tier].rank,
            not memories[place].is_pinned,
            -worth[place],
            TIERS[memories[place].tier].rank,
            -place,
        ),
    )


def closeness(memories: Sequence[Memory], about: str) -> list[float]:
    """How much a text speaks of each, 0 to 2: by words that they share and few matters have. The
    more people have their own entry on a matter the more the story turns on it, so it counts once.
    """
    if not about:
        return [0.0] * len(memories)
    said = words(about)
    told = [words(f"{m.subject} {m.target} {m.text}") & said for m in memories]
    by_proposition: dict[str, frozenset[str]] = {}
    for memory, shared in zip(memories, told, strict=True):
        proposition = " ".join(memory.text.casefold().split())
        by_proposition[proposition] = by_proposition.get(proposition, frozenset()) | shared
    holders = Counter(word for shared in by_proposition.values() for word in shared)
    return [
        min(2.0, sum(1 / holders[word] for word in one if len(word) > 2 or not word.isascii()))
        for one in told
    ]


def _named(names: Sequence[Mention], limit: int, count: CountTokens) -> str:
    """The names, as many as a quarter of the room holds."""
    told = [f"{n.name} ({n.type})" if n.type != "unknown" else n.name for n in names]
    room = limit // 4 - count(NAMES)
    fitting = 0
    for name in told:
        room -= count(f"{name}, ")
        if room < 0:
            break
        fitting += 1
    return NAMES + ", ".join(told[:fitting]) if fitting else ""


def _numbered(memories: Sequence[Memory], after: int) -> list[str]:
    return [f"{n}. {line_of(memory)}" for n, memory in enumerate(memories, after + 1)]


def _numbers(label: str, ids: Sequence[str], gone: Sequence[Memory]) -> str:
    numbers = [str(ids.index(memory.id) + 1) for memory in gone]
    return label + ", ".join(numbers) if numbers else ""


def _listed(heading: str, lines: Sequence[str]) -> str:
    return "\n".join((heading, *lines)) if lines else ""


def _joined(parts: Iterable[str]) -> str:
    return "\n\n".join(part for part in parts if part)


def _ids(memories: Sequence[Memory], tier: Tier) -> tuple[str, ...]:
    return tuple(memory.id for memory in memories if memory.tier is tier)
