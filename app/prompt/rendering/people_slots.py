"""The slots of how people stand: relationships, who knows what, the state ledger. Pure.

Source: spec/smart-memory.md §16 (IJ7, IJ10, IJ11).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.memory.names import folded
from app.memory.records import LEDGER_FIELDS, Memory, Tier
from app.memory.similarity import normalised
from app.memory.standing import Standing
from app.prompt.choosing.corrections import corrected, is_changed
from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.outlasting import is_noted_then, is_outlived
from app.prompt.choosing.worth import LASTING, PASSING, STANDING
from app.prompt.generation import IMPERSONATE
from app.prompt.headings import Headings
from app.prompt.occasion import CALLED_UP_BY, Occasion
from app.prompt.rendering.memory_slots import EARLIER
from app.prompt.rendering.touched import SPOKEN_OF, calls, weighed, worth_now
from app.prompt.slots import LeftOut, Reason
from app.settings.slot_table import SlotName
from app.story.scene_cues.language import tokens_of

MAGNITUDES = ("high", "medium", "low")
FELT = (1.4, 1.0, 0.6)  # worth by magnitude
OF_THEN = 0.3  # of a value's worth that is told as of its time: nobody knows whether it still is so
# Section by type, in the order of the text; and which is the last to go when cut: what would be
# told by mistake outlasts what other slots tell as well.
KNOWING = ("knows", "suspects", "unaware", "believes", "hiding")
KNOWING_RANK = ("hiding", "believes", "unaware", "suspects", "knows")
KNOWING_WORTH = (1.6, 1.4, 1.4, 1.0, 0.8)
KNOWING_HEADS = (
    "{name} knows:",
    "{name} suspects, without proof:",
    "",
    "{name} believes, though it is false:",
    "{name} conceals:",
)
NOT_KNOWN, HIDDEN, EVERYONE = "{name} does not know {about}", "from {whom}: ", "everyone"


def relationships_draft(occasion: Occasion) -> Draft:
    """Who feels what toward whom, a line for each pair of those who are there; the responder's
    own feelings stay longest, then the strongest.
    """
    feelings = _held(occasion, Tier.RELATIONSHIPS)
    kept: list[Memory] = []
    left_out: list[LeftOut] = []
    for standing in feelings:
        memory = standing.memory
        if occasion.is_present(memory.subject) or occasion.is_present(memory.target):
            kept.append(memory)
        else:
            told = f"{_pair(memory)}: {memory.text}"
            left_out.append(LeftOut(told, Reason.ABSENT, memory.id))
    # Of a feeling of scenes ago that nobody took back, "earlier" would say that it is over, and
    # without it that it goes on.
    then = {s.memory.id for s in feelings if _is_of_then(s, occasion)}
    left_out += [LeftOut(f"{_pair(m)}: {m.text}", Reason.PAST, m.id) for m in kept if m.id in then]
    kept = [memory for memory in kept if memory.id not in then]
    order = {memory.id: place for place, memory in enumerate(kept)}
    mine = occasion.responder_names
    first = {_row(memory): order[memory.id] for memory in reversed(kept)}

    def worth(memory: Memory) -> tuple[int | bool, ...]:
        is_own = folded(memory.subject) in mine
        return not memory.is_pinned, not is_own, _rank(memory.magnitude), -order[memory.id]

    speaks = {folded(m.name) for m in occasion.last_messages[-CALLED_UP_BY:]}
    worths = {
        s.memory.id: occasion.worth(s, STANDING)
        * (SPOKEN_OF if folded(s.memory.target) in speaks else 1.0)
        for s in feelings
    }
    say = occasion.headings.of
    entries = [
        Entry(
            f"{one_line(memory.text)} ({say(memory.magnitude or 'medium')})",
            (first[_row(memory)], order[memory.id]),
            row=_row(memory),
            head=f"{one_line(_pair(memory))}: ",
            memory=memory.id,
            rank=0 if memory.is_pinned else 1 + (folded(memory.subject) not in mine),
            worth=worths[memory.id] * FELT[_rank(memory.magnitude)],
        )
        for memory in sorted(kept, key=worth)
    ]
    return Draft(
        SlotName.RELATIONSHIPS,
        tuple(entries),
        occasion.frame(SlotName.RELATIONSHIPS),
        "{{relationships}}",
        left_out=tuple(left_out),
    )


def epistemic_draft(occasion: Occasion) -> Draft:
    """What the responder, and nobody else, knows, suspects, does not know, believes and hides.

    What they do not know says so in its own line, which no budget parts from it. What others hide
    from them is part of it. A secret of scenes ago is told while it is spoken of: few say of each
    when it came out.
    """
    mine, told = _knowing_of(occasion)
    called = calls(occasion, [standing.memory for standing in mine])
    past = [
        s
        for s in mine
        if _may_be_out(s.memory, told[s.memory.id])
        and _is_of_then(s, occasion)
        and not called[s.memory.id]
    ]
    mine = [standing for standing in mine if standing not in past]
    order = {standing.memory.id: place for place, standing in enumerate(mine)}
    name = one_line(occasion.responder)
    now = weighed(called)

    def worth(standing: Standing) -> float:
        rank = KNOWING_RANK.index(told[standing.memory.id])
        ageing = PASSING if told[standing.memory.id] in ("knows", "suspects") else LASTING
        value = occasion.worth(standing, ageing) * now[standing.memory.id]
        return value * KNOWING_WORTH[rank]

    def line(memory: Memory) -> str:
        return _knowing(memory, told[memory.id], name, occasion)

    entries = [
        Entry(
            line(standing.memory),
            (order[standing.memory.id],),
            group=KNOWING.index(told[standing.memory.id]),
            memory=standing.memory.id,
            rank=0 if standing.memory.is_pinned else 1,
            worth=worth(standing),
        )
        for standing in sorted(mine, key=lambda s: (-worth(s), -order[s.memory.id]))
    ]
    return Draft(
        SlotName.EPISTEMIC,
        tuple(entries),
        occasion.frame(SlotName.EPISTEMIC),
        "{{epistemic}}",
        headings=tuple(
            occasion.headings.of(head).replace("{name}", name) if head else ""
            for head in KNOWING_HEADS
        ),
        left_out=tuple(LeftOut(line(s.memory), Reason.PAST, s.memory.id) for s in past),
    )


def _knowing_of(occasion: Occasion) -> tuple[list[Standing], dict[str, str]]:
    """The entries that are told of the responder, and as what each is told, by id."""
    held = _held(occasion, Tier.EPISTEMIC)
    mine = [
        standing
        for standing in held
        if folded(standing.memory.subject) in occasion.responder_names
        and standing.memory.type in KNOWING
        and standing.memory.type != "unaware"
    ]
    told = {standing.memory.id: standing.memory.type for standing in mine}
    if occasion.slots.epistemic_unaware:
        unknown = {memory.id for memory in _unknown(occasion)}
        mine += [standing for standing in held if standing.memory.id in unknown]
        told |= dict.fromkeys(unknown, "unaware")
    return mine, told


def _may_be_out(memory: Memory, kind: str) -> bool:
    """Whether it ends when others let something out, or with a thing's next place. What somebody
    once learned they go on knowing, and of what they hide themselves a reply depends on it.
    """
    return kind in ("unaware", "believes") or bool(memory.field)


def _unknown(occasion: Occasion) -> Sequence[Memory]:
    """The entries on what the responder does not know; whom the user plays learns by play what
    is hidden from them.
    """
    if occasion.turn.generation != IMPERSONATE and occasion.withheld.entries:
        return occasion.withheld.entries
    names = occasion.responder_names
    held = (s.memory for s in occasion.active(Tier.EPISTEMIC))
    return [m for m in held if m.type == "unaware" and folded(m.subject) in names]


def _as_they_know(memory: Memory, occasion: Occasion) -> Memory:
    """An entry without the details that its holder does not know: of a false belief they often
    tell the truth.
    """
    is_told = memory.detail and occasion.withheld.would_be_told(_known(memory, occasion.headings))
    return replace(memory, detail="") if is_told else memory


def _knowing(memory: Memory, kind: str, name: str, occasion: Occasion) -> str:
    memory, headings = _as_they_know(memory, occasion), occasion.headings
    if kind != "unaware":
        return f"- {_known(memory, headings)}"
    said = headings.of(NOT_KNOWN).replace("{about}", _not_known(memory, headings))
    return f"- {said.replace('{name}', name)}"


def _not_known(memory: Memory, headings: Headings) -> str:
    """What somebody does not know. "She" in what another hides is whoever hides it."""
    about, holder = _matter(memory, headings), one_line(memory.subject)
    is_named = memory.type != "hiding" or not set(_named(holder)).isdisjoint(_named(about))
    return about if is_named else f"{about} ({holder})"


def _matter(memory: Memory, headings: Headings) -> str:
    """What it is about, in another language without the word of the form that models are shown."""
    about = one_line(memory.text)
    is_english = headings.of(NOT_KNOWN) == NOT_KNOWN
    return about if is_english else about.removeprefix("that ")


def _named(text: str) -> list[str]:
    return tokens_of(normalised(text))


def _newest_by_row(values: Mapping[tuple[str, str], Standing]) -> dict[str, int]:
    newest: dict[str, int] = {}
    for (row, _), standing in values.items():
        newest[row] = max(newest.get(row, standing.start), standing.start)
    return newest


def state_ledger_draft(occasion: Occasion) -> Draft:
    """A line for each person, thing, place and faction; whoever is there stays longest, then
    what changed last.
    """
    values: dict[tuple[str, str], Standing] = {}
    past: list[LeftOut] = []
    held = _held(occasion, Tier.STATE_LEDGER)
    left = corrected(held, occasion.common)
    later = occasion.active(Tier.SESSION, Tier.LONG_TERM)
    for standing in held:
        memory = standing.memory
        if left.get(memory.id):
            standing = replace(standing, memory=replace(memory, text=left[memory.id]))
        elif (
            memory.id in left
            or _is_past(standing, occasion)
            or is_changed(standing, later, occasion.wording, occasion.common)
        ):
            told = f"{memory.subject}, {memory.field.replace('_', ' ')}: {memory.text}"
            past.append(LeftOut(told, Reason.PAST, memory.id))
            values.pop((_row(memory), memory.field), None)
            continue
        values[_row(standing.memory), standing.memory.field] = standing  # the newest counts
    kinds = list(LEDGER_FIELDS)
    newest = _newest_by_row(values)
    say = occasion.headings.of
    there = {row: occasion.is_present(s.memory.subject) for (row, _), s in values.items()}
    now = worth_now(occasion, [standing.memory for standing in values.values()])

    def worth(standing: Standing) -> tuple[int | bool | str, ...]:
        row = _row(standing.memory)
        return not there[row], -newest[row], row, _field(standing.memory)

    entries = [
        Entry(
            f"{say(memory.field.replace('_', ' '))}: {one_line(memory.text)}",
            (kinds.index(memory.type), folded(memory.subject), _field(memory)),
            group=int(_is_of_then(standing, occasion)),
            row=_row(memory),
            head=f"{one_line(memory.subject)} ({say(memory.type)}): ",
            memory=memory.id,
            worth=occasion.worth(standing, STANDING)
            * now[memory.id]
            * (1.2 if there[_row(memory)] else 0.7)
            * (OF_THEN if _is_of_then(standing, occasion) else 1.0),
        )
        for standing in sorted(values.values(), key=worth)
        if (memory := standing.memory).type in LEDGER_FIELDS
    ]
    return Draft(
        SlotName.STATE_LEDGER,
        tuple(entries),
        occasion.frame(SlotName.STATE_LEDGER),
        "{{state_ledger}}",
        headings=("", say(EARLIER)),
        joiner=" | ",
        left_out=tuple(past),
    )


def _is_of_then(standing: Standing, occasion: Occasion) -> bool:
    return is_noted_then(standing.memory, standing.start, occasion.story)


def _is_past(standing: Standing, occasion: Occasion) -> bool:
    """Whether a value is over. Where somebody was last stays true of whoever is not heard now."""
    memory = standing.memory
    if not is_outlived(memory, standing.start, occasion.story):
        return False
    return memory.field != "location" or folded(memory.subject) in occasion.speaking


def _held(occasion: Occasion, tier: Tier) -> Sequence[Standing]:
    return occasion.active(tier) if occasion.memory.is_enabled(tier) else ()


def _known(memory: Memory, headings: Headings) -> str:
    """What it is about and, where that says more, the whole of it; from whom it is hidden."""
    about, detail = _matter(memory, headings), one_line(memory.detail)
    if memory.field:  # a value of the ledger that somebody knows: "the key, location: the desk"
        label = memory.field.replace("_", " ")
        about = about.replace(f", {label}: ", f", {headings.of(label)}: ", 1)
    told = about if not detail else detail if about in detail else f"{about}: {detail}"
    if memory.type == "hiding":
        whom = one_line(memory.target) or headings.of(EVERYONE)
        return headings.of(HIDDEN).replace("{whom}", whom) + told
    return told


def _pair(memory: Memory) -> str:
    return f"{memory.subject}→{memory.target}"


def _row(memory: Memory) -> str:
    return f"{folded(memory.subject)}\0{folded(memory.target)}\0{memory.type}"


def _rank(magnitude: str) -> int:
    return MAGNITUDES.index(magnitude) if magnitude in MAGNITUDES else 1


def _field(memory: Memory) -> int:
    fields = LEDGER_FIELDS.get(memory.type, ())
    return fields.index(memory.field) if memory.field in fields else len(fields)
