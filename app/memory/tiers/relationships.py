"""Reading how characters feel toward each other: `A -> B: warm(high), !wary` (spec §8.4)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from app.memory.names import folded, name_in
from app.memory.records import FEELING, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention
from app.memory.tiers.lines import ARROW, Line, is_copied

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
