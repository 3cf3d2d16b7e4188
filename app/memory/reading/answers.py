"""Reading a model's answer: of all tiers at once, or of some; the tag alone says which."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from app.memory.names import folded
from app.memory.reading.presence_lines import TAGS, presence_lines
from app.memory.records import LONG_TERM_TYPES, SESSION_TYPES, Tier
from app.memory.tiers.arcs import arc_claim, resolved_arc
from app.memory.tiers.claims import Claim, ClaimedEnd, PresenceLine, ReadAnswer
from app.memory.tiers.epistemic import epistemic_claims, retired_entries
from app.memory.tiers.lines import Line, read_lines
from app.memory.tiers.memory_lines import memory_claim, over_memory, tier_of
from app.memory.tiers.relationships import feeling_claims
from app.memory.tiers.state_ledger import ledger_lines

ALL_TIERS = frozenset(Tier)
MOST_ENTRIES = 400  # of one answer
MOST_SKIPPED = 200
LONGEST_SKIPPED = 200

# What models write for our tags.
TYPES: Mapping[str, str] = MappingProxyType(
    {
        **{f"{word}s": word for word in ("fact", "event", "preference", "relationship")},
        **{f"{word}s": word for word in ("scene", "revelation", "development", "detail")},
        **dict.fromkeys(("know", "knowing", "aware"), "knows"),
        **dict.fromkeys(("suspect", "suspecting"), "suspects"),
        **dict.fromkeys(("believe", "belief", "believing", "thinks"), "believes"),
        **dict.fromkeys(
            ("not aware", "does not know", "doesn't know", "unknowing", "ignorant"), "unaware"
        ),
        **dict.fromkeys(("hides", "hidden", "conceals", "concealing", "hide"), "hiding"),
        **dict.fromkeys(("retired", "retires"), "retire"),
        **dict.fromkeys(("feel", "feeling", "feelings", "attitude"), "feels"),
        **dict.fromkeys(("arcs", "thread", "open", "open thread"), "arc"),
        **dict.fromkeys(("resolve", "resolves", "closed"), "resolved"),
        **dict.fromkeys(("ledger", "states"), "state"),
        **dict.fromkeys(("no longer so", "outdated", "ended"), "over"),
    }
)
TIER_OF_TAG: Mapping[str, Tier] = MappingProxyType(
    {
        "feels": Tier.RELATIONSHIPS,
        **dict.fromkeys(("arc", "resolved"), Tier.ARCS),
        "state": Tier.STATE_LEDGER,
        **dict.fromkeys(
            ("knows", "suspects", "believes", "unaware", "hiding", "retire"), Tier.EPISTEMIC
        ),
    }
)
OVER = "over"  # ends a memory of either tier that has them
MEMORY_TIERS = (Tier.LONG_TERM, Tier.SESSION)
_WORDS = "|".join(
    r"\s{1,4}".join(map(re.escape, word.split()))
    for word in sorted({*TYPES, *TIER_OF_TAG, *TAGS, OVER, *LONG_TERM_TYPES, *SESSION_TYPES})
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
        if claim.tier is Tier.STATE_LEDGER:
            # One value per field and place in the story: what was so first is kept with its own.
            self.claims[(*key, claim.sources)] = claim
        elif claim.tier in (Tier.EPISTEMIC, Tier.RELATIONSHIPS):
            # Learned twice stands on two messages: one of them may go. A feeling that is said again
            # may have another strength by then.
            self.claims.setdefault((*key, folded(claim.text), claim.sources), claim)
        else:
            self.claims.setdefault((*key, folded(claim.text)), claim)

    def _spelled(self, claim: Claim) -> Claim:
        """The claim with the ledger's subject as it was spelled first."""
        if claim.tier is not Tier.STATE_LEDGER:
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


def _entries(
    line: Line, tiers: Collection[Tier]
) -> tuple[Collection[Claim], Collection[ClaimedEnd]]:
    word = TYPES.get(line.type, line.type)
    if line.is_arrow or (word == "relationship" and Line(line.content).is_arrow):
        word = "feels"  # said without its tag, or under that of a memory
    tier = TIER_OF_TAG.get(word) or tier_of(word)
    line = replace(line, type=word if line.type else "")
    if word == OVER and not set(MEMORY_TIERS).isdisjoint(tiers):
        end = over_memory(line)
        return [], [end] if end else []
    if tier is None or tier not in tiers:
        return (), ()
    if tier is Tier.RELATIONSHIPS:
        return feeling_claims(line)
    if tier is Tier.STATE_LEDGER:
        return ledger_lines(line)
    if tier is Tier.EPISTEMIC and word != "retire":
        return epistemic_claims(line, word), []
    claim, end = None, None
    if word == "retire":
        end = retired_entries(line)
    elif word == "resolved":
        end = resolved_arc(line)
    elif tier is Tier.ARCS:
        claim = arc_claim(line)
    else:
        claim = memory_claim(line, tier)
    return [claim] if claim else [], [end] if end else []
