"""The slots of single memories: long-term, called up by the moment, session, arcs. Pure.

Source: spec/smart-memory.md §16 (IJ2 to IJ4, IJ6) and §11. What stands at the head of the prompt
is ranked by what a memory is worth at all, not by what was just said: else each turn would change
the beginning of the prompt, and a provider would have to read all of it again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.memory.keywords.calling import LEAST_SHARED, asked_by, said_by
from app.memory.ranking import (
    PROTECTED,
    hybrid,
    ranked,
    utilities,
)
from app.memory.records import Grounding, Memory, Tier
from app.memory.standing import Standing
from app.memory.tiers.table import TIERS
from app.memory.tiers.tier import THAT, in_english
from app.prompt.choosing.choice import called_gain
from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.worth import LASTING, PASSING, VISIBLE
from app.prompt.occasion import Occasion
from app.prompt.rendering.touched import calls, worth_now
from app.prompt.slots import LeftOut, Reason
from app.settings.slot_table import SLOTS, SlotName

SECONDHAND = "[secondhand]"
# What a session's newest entry of each type tells of the scene.
SCENE_STATE: Mapping[str, str] = {
    "scene": "Setting",
    "development": "Shift",
    "detail": "Continuity",
    "revelation": "New",
}
SCENE_NOW = "The scene now:"
EARLIER = "Earlier, as things stood then:"
HAPPENING = "event"  # the type of long-term memory that tells what happened, not what is so
OF_OTHERS = 0.5  # of a long-term memory's worth that only the character's other chats tell
OF_THEN = 0.6  # of a detail's worth that is told as past: the recap tells what came of it
OF_MOMENT = 50.0  # what the moment adds to a memory's rank that doubles its worth
YOURS_RANK, NOW_RANK, OTHER_RANK = range(3)
YOURS_WEIGHS, FIRST_WEIGHS = 10.0, 1.2
ASKED_GAIN = 8.0  # of an old passage that is asked for, against the mean of all lines
CALLED_WEIGHS = 300.0  # of what is most spoken of, against all else that a memory is worth


def long_draft(occasion: Occasion) -> Draft:
    """Long-term memories, the oldest first in the text; of each type a share before any type has
    more. Fresh ones are with those that the moment calls up.
    """
    memories, left_out = _wanted(occasion, Tier.LONG_TERM, at_head=True)
    memories = tuple(standing for standing in memories if not occasion.is_fresh(standing))
    held = [standing.memory for standing in memories]
    best_first = ranked(held, utilities(held, occasion.common))
    worths = {s.memory.id: occasion.worth(s, LASTING, at_head=True) for s in memories}
    worths = _with_floors(best_first, worths, Tier.LONG_TERM)
    for id_ in occasion.told.of_other_chats & worths.keys():
        worths[id_] *= OF_OTHERS
    ranks = _ranks(held)
    past = {s.memory.id for s in memories if _is_past(occasion, s)}
    return _listed(occasion, SlotName.LONG, best_first, memories, left_out, worths, ranks, past)


@dataclass(frozen=True, slots=True)
class CalledUp:
    """Long-term memories that the last messages call up, and fresh ones: best first. held: all.
    gave_way: ids of those that are kept no more since others matter more.
    """

    best_first: tuple[Memory, ...]
    held: tuple[Standing, ...]
    gave_way: frozenset[str] = frozenset()


def call_up(occasion: Occasion) -> CalledUp:
    """What the moment calls up, whatever the long-term slot may hold of it, and what it has room
    for no more.
    """
    kept, _ = _wanted(occasion, Tier.LONG_TERM)
    gave_way = occasion.gave_way(Tier.LONG_TERM) if kept else ()
    old = _spoken_of(occasion, _told_to(occasion, gave_way)[0])
    memories = _in_time((*kept, *old))
    held = [standing.memory for standing in memories]
    found = calls(occasion, held)
    best = max((one.score for one in found.values()), default=0.0) or 1.0
    worth = {
        id_: value + CALLED_WEIGHS * found[id_].score / best
        for id_, value in hybrid(held, occasion.moment, occasion.common).items()
    }
    fresh = {standing.memory.id for standing in memories if occasion.is_fresh(standing)}
    touched = [memory for memory in held if memory.id in fresh or found[memory.id]]
    return CalledUp(ranked(touched, worth), memories, frozenset(s.memory.id for s in old))


def _spoken_of(occasion: Occasion, memories: Sequence[Standing]) -> tuple[Standing, ...]:
    """Of the hundreds that a long story leaves, those of which the last messages say words."""
    if not memories:
        return ()
    asked = asked_by(occasion.words, occasion.recent, occasion.told.entities).terms.keys()
    return tuple(
        standing
        for standing in memories
        if len(asked & set(occasion.words.of(said_by(standing.memory)))) >= LEAST_SHARED
    )


def triggered_draft(occasion: Occasion, called: CalledUp, told: Collection[str]) -> Draft:
    """What the moment calls up. told: ids of those that the long-term slot holds already."""
    best_first = [memory for memory in called.best_first if memory.id not in told]
    ranks = {memory.id: place for place, memory in enumerate(best_first)}
    elsewhere = {memory.id for memory in called.best_first if memory.id in told}
    left_out = tuple(
        _left_out(standing.memory, Reason.ELSEWHERE)
        for standing in called.held
        if standing.memory.id in elsewhere
    )
    past = {
        standing.memory.id
        for standing in called.held
        if _is_past(occasion, standing) and not occasion.is_lately(standing)
    } | called.gave_way
    held = called.held
    # The last messages call up first of all what was noted of them.
    worths = {s.memory.id: VISIBLE for s in held if occasion.is_visible(s.memory)}
    return _listed(occasion, SlotName.TRIGGERED, best_first, held, left_out, worths, ranks, past)


def with_called_gains(draft: Draft) -> Draft:
    """The draft of what is called up, its first entries adding most, and what is asked for; what
    the messages of the prompt show themselves comes last, in nobody's way.
    """
    in_turn = sorted(draft.entries, key=lambda entry: entry.worth < 1)
    gains = (
        ASKED_GAIN
        if entry.passage is not None and entry.passage.is_asked
        else called_gain(place) * entry.worth
        for place, entry in enumerate(in_turn)
    )
    entries = (replace(e, gain=gain) for e, gain in zip(in_turn, gains, strict=True))
    return replace(draft, entries=tuple(entries))


def session_draft(occasion: Occasion) -> Draft:
    """The scene as it is now, then details of this session and how threads ended, the oldest
    first.
    """
    memories, left_out = _wanted(occasion, Tier.SESSION)
    # What the messages of the prompt say themselves need not say first how things are.
    newest = {
        s.memory.type: s.memory
        for s in memories
        if occasion.is_of_now(s) and not occasion.is_visible(s.memory)
    }
    if occasion.memory.is_enabled(Tier.SESSION):
        memories = _in_time((*memories, *occasion.outcomes))
    held = [standing.memory for standing in memories]
    now = {newest[type_].id: label for type_, label in SCENE_STATE.items() if type_ in newest}
    hybrids = hybrid(held, occasion.moment, occasion.common)
    best_first = ranked(held, hybrids)
    plain = utilities(held, occasion.common)
    late = {s.memory.id for s in memories if occasion.is_lately(s)}
    worths = {
        s.memory.id: occasion.worth(s, PASSING)
        * (1.0 if s.memory.id in late else OF_THEN)
        * max(0.1, 1 + (hybrids[s.memory.id] - plain[s.memory.id]) / OF_MOMENT)
        for s in memories
    }
    worths = _with_floors(best_first, worths, Tier.SESSION)
    ranks = _ranks(held) | dict.fromkeys(now, NOW_RANK)
    order, state = _order(memories), list(now)
    say = occasion.headings.of
    entries = [
        Entry(
            one_line(f"{say(now[m.id])}: {m.text}") if m.id in now else _bullet(occasion, m),
            (state.index(m.id),) if m.id in now else (order[m.id],),
            group=0 if m.id in now else 1 if m.id in late else 2,
            memory=m.id,
            rank=ranks[m.id],
            worth=worths[m.id],
        )
        for m in best_first
    ]
    return Draft(
        SlotName.SESSION,
        tuple(entries),
        occasion.frame(SlotName.SESSION),
        "{{session}}",
        headings=(say(SCENE_NOW), "", say(EARLIER)),
        above=1,
        left_out=left_out,
    )


def tier_draft(occasion: Occasion, name: SlotName, tier: Tier) -> Draft:
    """The entries of a tier one by one, as open threads are, the oldest first; pinned ones stay
    longest, then those that weigh most.
    """
    held, left_out = _wanted(occasion, tier)
    order = _order(held)
    best_first = sorted(
        (standing.memory for standing in held),
        key=lambda m: (not m.is_pinned, -m.importance, -order[m.id]),
    )
    now = worth_now(occasion, best_first)
    worths = {s.memory.id: occasion.worth(s, LASTING) * now[s.memory.id] for s in held}
    worths = _with_floors(best_first, worths, tier)
    return _listed(occasion, name, best_first, held, left_out, worths, _ranks(best_first))


def _with_floors(
    best_first: Sequence[Memory], worths: Mapping[str, float], tier: Tier
) -> dict[str, float]:
    """The worths by id, raised for what must not be missed: what the user wants, and the best of
    some types, so that no type crowds out the others (§11, floors).
    """
    firsts = PROTECTED.get(tier, ())
    best = {memory.type: memory.id for memory in reversed(best_first)}
    found = dict(worths)
    for memory in best_first:
        if _is_yours(memory):
            found[memory.id] *= YOURS_WEIGHS
        elif memory.type in firsts and best[memory.type] == memory.id:
            found[memory.id] *= FIRST_WEIGHS
    return found


def _ranks(memories: Iterable[Memory]) -> dict[str, int]:
    """By id: what the user wants comes first whatever it adds."""
    return {m.id: YOURS_RANK if _is_yours(m) else OTHER_RANK for m in memories}


def _is_past(occasion: Occasion, standing: Standing) -> bool:
    """Whether a memory tells what happened, or what has changed since."""
    return standing.memory.type == HAPPENING or occasion.is_outdated(standing)


def _is_yours(memory: Memory) -> bool:
    return memory.is_pinned or memory.grounding is Grounding.YOURS


def _wanted(
    occasion: Occasion, tier: Tier, *, at_head: bool = False
) -> tuple[tuple[Standing, ...], tuple[LeftOut, ...]]:
    """What of a tier may be told to the responder, and what not."""
    if not occasion.memory.is_enabled(tier):
        return (), ()
    return _told_to(occasion, occasion.at_head(tier) if at_head else occasion.active(tier))


def _told_to(
    occasion: Occasion, standings: Iterable[Standing]
) -> tuple[tuple[Standing, ...], tuple[LeftOut, ...]]:
    kept: list[Standing] = []
    left_out: list[LeftOut] = []
    for standing in standings:
        memory = standing.memory
        if not occasion.was_there(memory) and not occasion.slots.secondhand_marked:
            left_out.append(_left_out(memory, Reason.SECONDHAND))
        elif occasion.slots.slots_leave_out_visible and occasion.is_visible(memory):
            left_out.append(_left_out(memory, Reason.VISIBLE))
        else:
            kept.append(standing)
    return tuple(kept), tuple(left_out)


# 8 parameters: one list with all that its lines differ in; by name.
def _listed(
    occasion: Occasion,
    name: SlotName,
    best_first: Iterable[Memory],
    held: Sequence[Standing],
    left_out: tuple[LeftOut, ...],
    worths: Mapping[str, float],
    ranks: Mapping[str, int],
    past: Collection[str] = (),
) -> Draft:
    """One line for each memory, in the order of the story. past: ids of what happened a while ago,
    which is told as that: how things stood then is not how they stand now.
    """
    order = _order(held)
    return Draft(
        name,
        tuple(
            Entry(
                _bullet(occasion, memory),
                (order[memory.id],),
                group=int(memory.id in past),
                memory=memory.id,
                rank=ranks[memory.id],
                worth=worths.get(memory.id, 1.0),
            )
            for memory in best_first
        ),
        occasion.frame(name),
        f"{{{{{SLOTS[name].placeholder}}}}}",
        headings=("", occasion.headings.of(EARLIER)),
        left_out=left_out,
    )


def _bullet(occasion: Occasion, memory: Memory) -> str:
    told = one_line(TIERS[memory.tier].told(memory, in_english, THAT))
    # What is open is nobody's to have witnessed.
    if TIERS[memory.tier].is_thread or occasion.was_there(memory):
        return f"- {told}"
    return f"- {occasion.headings.of(SECONDHAND)} {told}"


def _in_time(standings: Iterable[Standing]) -> tuple[Standing, ...]:
    return tuple(sorted(standings, key=lambda standing: standing.start))


def _order(held: Sequence[Standing]) -> dict[str, int]:
    return {standing.memory.id: place for place, standing in enumerate(held)}


def _left_out(memory: Memory, reason: Reason) -> LeftOut:
    return LeftOut(" ".join(memory.text.split()), reason, memory.id)
