"""The state ledger: typed fields of characters, objects, places, factions (spec §8.7)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.core.translation import N_, tr, trn
from app.memory.names import name_in
from app.memory.records import LEDGER_FIELDS, Memory, Tier
from app.memory.similarity import is_same_text, normalised, word_list
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import Line, content_in, is_copied
from app.memory.tiers.memory_lines import UNKNOWN, entity_type
from app.memory.tiers.tier import Entries, Identity, Repeat, Say, TierSpec, TierWords, text_line

LONGEST_VALUE = 200
MOST_FIELDS = 12  # of one line

# Other words for our fields, by type.
SYNONYMS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "character": {
            **dict.fromkeys(("place", "position", "whereabouts", "at"), "location"),
            **dict.fromkeys(("injury", "wounds", "wound", "health"), "injuries"),
            **dict.fromkeys(
                ("outfit", "clothing", "clothes", "attire", "disguise", "wearing", "appearance"),
                "outfit_disguise",
            ),
            **dict.fromkeys(("emotion", "emotional_state", "feeling", "feelings"), "mood"),
            **dict.fromkeys(
                ("goal", "goals", "active_goals", "current_goal", "objective", "aim"), "active_goal"
            ),
            **dict.fromkeys(
                ("inventory", "items", "carrying", "carries", "carried", "possessions", "holding"),
                "carried_items",
            ),
        },
        "object": {
            **dict.fromkeys(("holder", "held_by", "carried_by", "owned_by", "possessor"), "owner"),
            **dict.fromkeys(("place", "position", "whereabouts", "at"), "location"),
            "state": "condition",
        },
        "place": {
            **dict.fromkeys(("occupant", "people", "present", "inhabitants"), "occupants"),
            **dict.fromkeys(("hazard", "danger", "dangers"), "hazards"),
            **dict.fromkeys(("control", "controlled_by", "ruler"), "political_control"),
            **dict.fromkeys(("damages",), "damage"),
            **dict.fromkeys(("access", "entrance"), "accessibility"),
            **dict.fromkeys(("state", "status"), "condition"),
        },
        "faction": {
            **dict.fromkeys(("leader", "leaders", "led_by"), "leadership"),
            **dict.fromkeys(("goal", "goals", "objectives", "aim"), "objective"),
            **dict.fromkeys(("alliance", "allies", "ally"), "alliances"),
            **dict.fromkeys(("hostility", "hostile"), "hostility_level"),
        },
    }
)
EVERY_FIELD = frozenset(field for fields in LEDGER_FIELDS.values() for field in fields)
NOTHING_SAID = frozenset(
    {"unknown", "none", "none mentioned", "not mentioned", "not specified", "not stated"}
    | {"not applicable", "n/a", "na", "unspecified", "unclear", "unchanged", "same", "null", "?"}
)
CLEARED = frozenset({"-", "--", "–", "—", "(cleared)", "cleared", "∅"})
NEXT_FIELD = re.compile(r"[,;|]\s{0,4}(?=([A-Za-z][A-Za-z_ /]{0,24})\s?[=:])")
VALUE = re.compile(r"\s{0,4}([A-Za-z][A-Za-z_ /-]{0,30}?)\s{0,4}[=:]\s{0,4}(\S.*)", re.DOTALL)


def ledger_lines(line: Line) -> tuple[list[Claim], list[ClaimedEnd]]:
    """The values that a line sets, one claim for each field, and those that it clears with `-`.

    Only fields of the type's own schema, or other words for them; a value that says nothing is
    dropped.
    """
    name, kind = _entity(line)
    if not name or kind not in LEDGER_FIELDS or is_copied(line.content):
        return [], []
    claims, ends = list[Claim](), list[ClaimedEnd]()
    for field, value in _fields(line.content, kind):
        if value in CLEARED:
            ends.append(
                ClaimedEnd(
                    Tier.STATE_LEDGER,
                    subject=name,
                    field=field,
                    type=kind,
                    sources=line.sources,
                )
            )
        elif value and value.casefold().strip(" .") not in NOTHING_SAID:
            claims.append(
                Claim(
                    Tier.STATE_LEDGER,
                    kind,
                    value[:LONGEST_VALUE],
                    subject=name,
                    field=field,
                    entities=(Mention(name, kind),),
                    sources=line.sources,
                )
            )
    return claims[:MOST_FIELDS], ends[:MOST_FIELDS]


def field_of(word: str, kind: str) -> str:
    """The field of that type which a model means, "" for none of its own."""
    return _own_field(word, kind)


def _own_field(word: str, kind: str) -> str:
    plain = _plain(word)
    if plain in LEDGER_FIELDS.get(kind, ()):
        return plain
    return SYNONYMS.get(kind, {}).get(plain, "")


def _plain(word: str) -> str:
    return "_".join(re.split(r"[\s_/-]+", word.strip().lower()))


def _is_a_field(word: str, kind: str) -> bool:
    """Whether a word begins another value, be it of a field that this type does not have."""
    return bool(field_of(word, kind)) or _plain(word) in EVERY_FIELD


def _entity(line: Line) -> tuple[str, str]:
    """Whom the tag is about, and its type; the type is the last word that is one."""
    named = [*line.positional]
    kind = line.value("type").lower()
    for index in reversed(range(len(named))):
        if len(named) > 1 and entity_type(named[index]) != UNKNOWN:
            kind = entity_type(named.pop(index))
            break
    name = name_in(line.value("name", "entity").rpartition("/")[0] or line.value("name", "entity"))
    name = name or next(filter(None, map(name_in, named)), "")
    return name, entity_type(kind) if kind else _type_with(line.content)


def _type_with(content: str) -> str:
    """The first type that has all fields of a line which names no type, "" for none."""
    words = [word for word, _ in _pairs(content)]
    for kind in LEDGER_FIELDS:
        if words and all(_own_field(word, kind) for word in words):
            return kind
    return ""


def _fields(content: str, kind: str) -> Iterator[tuple[str, str]]:
    for word, value in _pairs(content, kind):
        field = field_of(word, kind)
        if field:
            yield field, value


def _pairs(content: str, kind: str = "") -> Iterator[tuple[str, str]]:
    """Words and values. A comma separates them too where a field of ours follows it."""
    start = 0
    parts = []
    for found in NEXT_FIELD.finditer(content):
        if found[0].startswith("|") or (kind and _is_a_field(found[1], kind)):
            parts.append(content[start : found.start()])
            start = found.end()
    parts.append(content[start:])
    for piece in "|".join(parts).split("|"):
        value = VALUE.fullmatch(piece.strip())
        if value:
            yield value[1], content_in(value[2])


def _entries(line: Line, tag: str) -> Entries:
    return ledger_lines(line)


def _key(memory: Memory) -> Hashable:
    return normalised(memory.subject), memory.type, memory.field


def _value(memory: Memory) -> object:
    return word_list(memory.text)


def _is_meant(memory: Memory, end: ClaimedEnd) -> bool:
    return is_same_text(memory.subject, end.subject) and memory.field == end.field


def _line(memory: Memory) -> str:
    return f"- {memory.subject} ({memory.type}): {memory.field}={text_line(memory)}"


def _cleared(memory: Memory) -> str:
    return f"- {memory.subject} ({memory.type}): {memory.field} (was: {text_line(memory)})"


def _listed(memories: Sequence[Memory]) -> list[str]:
    """One line for each entity, its fields in the order of the schema."""
    entities: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        entities.setdefault((memory.subject, memory.type), []).append(memory)
    lines = []
    for (subject, kind), values in entities.items():
        fields = LEDGER_FIELDS.get(kind, ())
        values.sort(key=lambda m: fields.index(m.field) if m.field in fields else len(fields))
        told = " | ".join(f"{m.field}={text_line(m).replace('|', '/')}" for m in values)
        lines.append(f"- {subject} ({kind}): {told}")
    return lines


def _problem(memory: Memory) -> str:
    if not memory.subject:
        return tr("Say whom or what it is about.")
    if memory.field not in LEDGER_FIELDS[memory.type]:
        fields = ", ".join(LEDGER_FIELDS[memory.type])
        return tr("A {type} has these details: {fields}.", type=memory.type, fields=fields)
    return ""


def _told(memory: Memory, say: Say, that: str) -> str:
    return f"{memory.subject}, {say(memory.field.replace('_', ' '))}: {memory.text}"


def _entry(memory: Memory) -> dict[str, Any]:
    return {"entity": memory.subject, "field": memory.field, "value": memory.text}


STATE_LEDGER = TierSpec(
    tier=Tier.STATE_LEDGER,
    types=tuple(LEDGER_FIELDS),
    words=TierWords(
        name=N_("Current state"),
        purpose=N_("Where people and things are, and how they are doing."),
        count=lambda n: trn(
            "{n} entry on the current state", "{n} entries on the current state", n
        ),
        in_sentence=N_("the current state"),
        text=N_("Its current value"),
        subject=N_("Whom or what it is about"),
    ),
    hue="ledger",
    prompt="memory_ledger",
    tags=("state",),
    spellings=(("state", ("ledger", "states")),),
    read=_entries,
    heading="State:",
    is_numbered=False,
    line=_line,
    listed=_listed,
    rank=2,
    identity=Identity.KEY,
    key=_key,
    value=_value,
    is_meant=_is_meant,
    cleared=_cleared,
    repeats=Repeat.VALUE,
    problem=_problem,
    told=_told,
    entry=_entry,
    is_checked=True,
    is_of_entity=True,
    is_looked_through=True,
    also="ledger",
)
