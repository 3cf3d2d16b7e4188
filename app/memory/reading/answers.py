"""Reading a model's answer: of all tiers at once, or of some; the tag alone says which."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from app.memory.names import folded
from app.memory.reading.presence_lines import TAGS, presence_lines
from app.memory.records import Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, PresenceLine, ReadAnswer
from app.memory.tiers.lines import Line, read_lines
from app.memory.tiers.memory_lines import over_memory
from app.memory.tiers.table import PLAIN, TIERS
from app.memory.tiers.tier import Entries, Repeat

ALL_TIERS = frozenset(Tier)
MOST_ENTRIES = 400  # of one answer
MOST_SKIPPED = 200
LONGEST_SKIPPED = 200

OVER = "over"  # ends a plain memory, of whichever tier
# What models write for our tags.
SPELLINGS: Mapping[str, str] = MappingProxyType(
    {word: tag for spec in TIERS.values() for tag, words in spec.spellings for word in words}
    | dict.fromkeys(("no longer so", "outdated", "ended"), OVER)
)
TIER_OF_TAG: Mapping[str, Tier] = MappingProxyType(
    {tag: spec.tier for spec in TIERS.values() for tag in spec.tags}
)
_WORDS = "|".join(
    r"\s{1,4}".join(map(re.escape, word.split()))
    for word in sorted({*SPELLINGS, *TIER_OF_TAG, *TAGS, OVER})
)
# The beginning of an entry in a text that is none of ours, and its tag's end where it has one.
ENTRY = re.compile(
    rf"[\[【［]([\s*_]{{0,6}}(?:{_WORDS})\b[^\[\]\n【】［］]{{0,300}})([\]】］]?)", re.IGNORECASE
)


def as_prose(text: str) -> str:
    """A text in which nothing can be read as an entry: tags of ours lose their square brackets."""
    return ENTRY.sub(lambda found: f"({found[1]}{')' if found[2] else ''}", text)


@dataclass(slots=True)
class _Reading:
    """What was read so far. A claim that is there already is not taken twice."""

    claims: dict[tuple[object, ...], Claim] = field(default_factory=dict)
    ends: dict[ClaimedEnd, None] = field(default_factory=dict)
    presence: dict[PresenceLine, None] = field(default_factory=dict)
    spelled: dict[tuple[str, str], str] = field(default_factory=dict)
    lines: int = 0

    def take(self, claims: Collection[Claim], ends: Collection[ClaimedEnd]) -> bool:
        """Add them; false when there are none."""
        self.lines += 1
        for claim in claims:
            claim = replace(self._spelled(claim), line=self.lines)
            if len(self.claims) < MOST_ENTRIES:
                self._add(claim)
        for end in ends:
            if len(self.ends) < MOST_ENTRIES:
                self.ends.setdefault(replace(end, line=self.lines))
        return bool(claims or ends)

    def take_presence(self, lines: Collection[PresenceLine]) -> bool:
        """The same for who comes and goes."""
        for line in lines:
            if len(self.presence) < MOST_ENTRIES:
                self.presence.setdefault(line)
        return bool(lines)

    def _add(self, claim: Claim) -> None:
        key: tuple[object, ...] = (
            claim.tier,
            claim.type,
            folded(claim.subject),
            folded(claim.target),
            claim.field,
        )
        match TIERS[claim.tier].repeats:
            case Repeat.VALUE:  # what was so first is kept with its own sources
                self.claims[(*key, claim.sources)] = claim
            case Repeat.IN_WORDS_AND_SOURCES:
                self.claims.setdefault((*key, folded(claim.text), claim.sources), claim)
            case Repeat.IN_WORDS:
                self.claims.setdefault((*key, folded(claim.text)), claim)

    def _spelled(self, claim: Claim) -> Claim:
        """The claim of an entity with its name as it was spelled first."""
        if not TIERS[claim.tier].is_of_entity:
            return claim
        first = self.spelled.setdefault((folded(claim.subject), claim.type), claim.subject)
        if first == claim.subject:
            return claim
        mentions = tuple(replace(mention, name=first) for mention in claim.entities)
        return replace(claim, subject=first, entities=mentions)


def read_answer(text: str, tiers: Collection[Tier] = ALL_TIERS) -> ReadAnswer:
    """Read an answer line by line; entries of other tiers than these are skipped. Never raises.

    Headings, fences and rules between parts count for nothing; other lines that are no entry are
    skipped, which is how a poor answer shows.
    """
    reading = _Reading()
    skipped: list[str] = []
    says_none = False
    for line in read_lines(text):
        if line.is_none:
            says_none = True
        elif line.type in TAGS and Tier.EPISTEMIC in tiers:
            if not reading.take_presence(presence_lines(line, TAGS[line.type])):
                skipped.append(line.text[:LONGEST_SKIPPED])
        elif not line.is_decoration and not reading.take(*_entries(line, tiers)):
            skipped.append(line.text[:LONGEST_SKIPPED])
    claims, ends = tuple(reading.claims.values()), tuple(reading.ends)
    presence = tuple(reading.presence)
    is_none = says_none and not (claims or ends or presence)
    return ReadAnswer(claims, ends, tuple(skipped[:MOST_SKIPPED]), is_none, presence)


def _entries(line: Line, tiers: Collection[Tier]) -> Entries:
    word = SPELLINGS.get(line.type, line.type)
    if line.is_arrow or (word == "relationship" and Line(line.content).is_arrow):
        word = "feels"  # said without its tag, or under that of a memory
    tier = TIER_OF_TAG.get(word)
    line = replace(line, type=word if line.type else "")
    if word == OVER and not PLAIN.isdisjoint(tiers):
        end = over_memory(line)
        return [], [end] if end else []
    if tier is None or tier not in tiers:
        return (), ()
    return TIERS[tier].read(line, word)
