"""Relationships: how characters feel toward each other: `A -> B: warm(high), !wary` (spec §8.4)."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from app.core.translation import N_, tr, trn
from app.memory.names import folded, name_in
from app.memory.records import FEELING, Memory, Tier
from app.memory.similarity import is_same_text, normalised, word_list
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import ARROW, Line, is_copied
from app.memory.tiers.tier import Entries, Identity, Repeat, Say, TierSpec, TierWords, text_line

MAGNITUDES = ("low", "medium", "high")
MOST_WORDS = 3  # of one attitude
MOST_ATTITUDES = 12  # of one line
LONGEST_ATTITUDE = 40

MAGNITUDE_WORDS: Mapping[str, str] = MappingProxyType(
    {
        **{word: word for word in MAGNITUDES},
        **dict.fromkeys(("mild", "slight", "weak", "faint", "1"), "low"),
        **dict.fromkeys(("moderate", "mid", "med", "2"), "medium"),
        **dict.fromkeys(("strong", "intense", "extreme", "3"), "high"),
    }
)
TRANSITION = re.compile(
    r"^(?:still|increasingly|then more|even more|more|becoming|now)\s+", re.IGNORECASE
)
HEDGES = re.compile(r"^(?:slightly|somewhat|a bit|a little|mildly)\s+", re.IGNORECASE)
STRESSES = re.compile(r"^(?:very|extremely|deeply|intensely|profoundly)\s+", re.IGNORECASE)
WITH_MAGNITUDE = re.compile(r"^(.{1,60}?)\s*[(\[=/:]\s*([A-Za-z]{1,10}|[123])\s*[)\]]?$")
BETWEEN = re.compile(r"[,;|]|\s(?:and|&)\s", re.IGNORECASE)
NOT_IN_A_WORD = re.compile(r"[^\w\s'’-]|[\d_]")
NOTHING = frozenset({"none", "unknown", "neutral", "n/a", "nothing", "unchanged", "same"})


def feeling_claims(line: Line) -> tuple[list[Claim], list[ClaimedEnd]]:
    """The attitudes that a line claims and takes back; `!word` takes back. Of an attitude said
    twice the higher magnitude counts, medium where none is said.
    """
    magnitudes: dict[tuple[str, str, str], str] = {}
    gone: dict[tuple[str, str, str], None] = {}
    text = line.content if line.type else line.text
    for subject, target, attitudes in _pairs(text):
        for part in BETWEEN.split(attitudes)[:MOST_ATTITUDES]:
            is_gone = part.strip().startswith("!")
            word, magnitude = _attitude(part.strip().lstrip("!"))
            key = (subject, target, word)
            if word and is_gone:
                gone[key] = None
            elif word and _rank(magnitude) >= _rank(magnitudes.get(key, "")):
                magnitudes[key] = magnitude
    claims = [
        Claim(
            Tier.RELATIONSHIPS,
            FEELING,
            word,
            subject=subject,
            target=target,
            magnitude=magnitude,
            entities=(Mention(subject, "character"), Mention(target, "character")),
            sources=line.sources,
        )
        for (subject, target, word), magnitude in magnitudes.items()
    ]
    ends = [
        ClaimedEnd(
            Tier.RELATIONSHIPS,
            text=word,
            subject=subject,
            target=target,
            type=FEELING,
            sources=line.sources,
        )
        for subject, target, word in gone
        if (subject, target, word) not in magnitudes
    ]
    return claims, ends


def _pairs(text: str) -> Iterator[tuple[str, str, str]]:
    """Subject, target and what is felt; several pairs may share a line, `;` or `|` between them."""
    if is_copied(text):
        return
    pairs: list[tuple[str, str]] = []
    for part in re.split(r"[;|]", text):
        head, colon, rest = part.partition(":")
        found = ARROW.search(head) if colon else None
        if found is not None:
            pairs = _named(head[: found.start()], head[found.end() :], found[0])
        else:
            rest = part
        for subject, target in pairs:
            yield subject, target, rest


def _named(left: str, right: str, arrow: str) -> list[tuple[str, str]]:
    subject, target = name_in(left), name_in(right)
    if not subject or not target or folded(subject) == folded(target):
        return []
    is_mutual = "<" in arrow or "↔" in arrow
    return [(subject, target), (target, subject)] if is_mutual else [(subject, target)]


def _attitude(text: str) -> tuple[str, str]:
    """The attitude in lower case and its magnitude, "" for what is none."""
    magnitude = ""
    found = WITH_MAGNITUDE.match(text[: 2 * LONGEST_ATTITUDE])
    if found and found[2].lower() in MAGNITUDE_WORDS:
        text, magnitude = found[1], MAGNITUDE_WORDS[found[2].lower()]
    word = " ".join(NOT_IN_A_WORD.sub(" ", text).split()).strip("-'’ ").lower()
    implied = ""
    for _ in range(3):  # "still very", "increasingly somewhat"
        word = TRANSITION.sub("", word)
        for pattern, value in ((HEDGES, "low"), (STRESSES, "high")):
            if pattern.match(word):
                word, implied = pattern.sub("", word), value
    if word in MAGNITUDE_WORDS or word in NOTHING or not any(map(str.isalpha, word)):
        return "", ""
    if len(word) > LONGEST_ATTITUDE or len(word.split()) > MOST_WORDS:
        return "", ""
    return word, magnitude or implied or "medium"


def _rank(magnitude: str) -> int:
    return MAGNITUDES.index(magnitude) if magnitude else -1


def _entries(line: Line, tag: str) -> Entries:
    return feeling_claims(line)


def _key(memory: Memory) -> Hashable:
    return normalised(memory.subject), normalised(memory.target), word_list(memory.text)


def _strength(memory: Memory) -> str:
    return memory.magnitude or "medium"


def _is_meant(memory: Memory, end: ClaimedEnd) -> bool:
    return (
        is_same_text(memory.subject, end.subject)
        and is_same_text(memory.target, end.target)
        and is_same_text(memory.text, end.text)
    )


def _felt(memory: Memory) -> str:
    return f"{text_line(memory)}({_strength(memory)})"


def _line(memory: Memory) -> str:
    return f"- {memory.subject} -> {memory.target}: {_felt(memory)}"


def _cleared(memory: Memory) -> str:
    return f"- {memory.subject} -> {memory.target}: was {_felt(memory)}"


def _listed(memories: Sequence[Memory]) -> list[str]:
    """One line for each pair."""
    pairs: dict[tuple[str, str], list[str]] = {}
    for memory in memories:
        pairs.setdefault((memory.subject, memory.target), []).append(_felt(memory))
    return [f"- {one} -> {other}: {', '.join(felt)}" for (one, other), felt in pairs.items()]


def _problem(memory: Memory) -> str:
    if not memory.subject or not memory.target:
        return tr("Say who feels it, and toward whom.")
    if memory.magnitude not in MAGNITUDES:
        return tr("Possible feelings: {words}.", words=", ".join(map(tr, MAGNITUDES)))
    return ""


def _told(memory: Memory, say: Say, that: str) -> str:
    told = say(
        N_("{who} to {whom}: {what}"), who=memory.subject, whom=memory.target, what=memory.text
    )
    return f"{told} ({say(memory.magnitude)})" if memory.magnitude else told


def _entry(memory: Memory) -> dict[str, Any]:
    return {"from": memory.subject, "to": memory.target, "magnitude": memory.magnitude}


RELATIONSHIPS = TierSpec(
    tier=Tier.RELATIONSHIPS,
    types=(FEELING,),
    words=TierWords(
        name=N_("Relationships"),
        purpose=N_("Who feels what toward whom."),
        count=lambda n: trn("{n} feeling", "{n} feelings", n),
        text=N_("What they feel, in a word or two"),
        subject=N_("Who feels it"),
        target=N_("Toward whom"),
    ),
    hue="relations",
    prompt="memory_relationships",
    tags=("feels",),
    spellings=(("feels", ("feel", "feeling", "feelings", "attitude")),),
    read=_entries,
    heading="Feelings:",
    is_numbered=False,
    line=_line,
    listed=_listed,
    rank=3,
    identity=Identity.KEY,
    key=_key,
    value=_strength,
    is_meant=_is_meant,
    cleared=_cleared,
    # A feeling that is said again may have another strength by then.
    repeats=Repeat.IN_WORDS_AND_SOURCES,
    problem=_problem,
    told=_told,
    entry=_entry,
    is_kept_by_character=True,
    is_looked_through=True,
)
