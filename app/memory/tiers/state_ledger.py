"""Reading the state ledger: typed fields of characters, objects, places, factions (spec §8.7)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from app.memory.names import name_in
from app.memory.records import LEDGER_FIELDS, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import Line, content_in, is_copied
from app.memory.tiers.memory_lines import UNKNOWN, entity_type

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
