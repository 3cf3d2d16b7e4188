"""Profiles: a short portrait of each character, made of what is remembered (spec §9, PD1)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.translation import N_
from app.memory.names import folded
from app.memory.ranking import ranked, utilities
from app.memory.reading.known import line_of
from app.memory.reading.prose import CountTokens, cleaned, is_unknown, sections
from app.memory.records import Document, DocumentKind, Memory
from app.memory.similarity import word_list
from app.memory.tiers.lines import BEFORE_AN_ENTRY, is_copied
from app.memory.tiers.table import tiers_where
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, MessageKind, combined_digest

SECTIONS = ("character_state", "world_state", "relationship_matrix")
NAMES: Mapping[str, str] = {
    **dict.fromkeys(("character state", "character", "state", "inner state"), SECTIONS[0]),
    **dict.fromkeys(("world state", "world", "situation"), SECTIONS[1]),
    **dict.fromkeys(
        ("relationship matrix", "relationships", "relationship", "relations", "ties"), SECTIONS[2]
    ),
}
MOST_AT_ONCE = 4  # characters in one request
LEAST_MEMORIES = 3  # of a character, before it gets a portrait
MOST_BESIDE = 6  # memories that are about nobody who is portrayed
MOST_LINES = 8  # of a section
LONGEST_LINE = 300
# What a portrait is made of. Who knows what is left out: it would be told to all.
TOLD = tiers_where(lambda spec: spec.is_open)

_HEAD = re.compile(
    r"^[ \t]{0,8}(?:#{1,4}[ \t]{1,4})?[*_]{0,3}[\[<]?[ \t]{0,4}"
    r"(?:(?:profile|portrait|character)\b[ \t]{0,4}(?:of\b|for\b|name\s?=|[:=-])?[ \t]{0,4})?"
    r"[\"'“]?(?P<name>[^\n\[\]<>\"“”*#:]{1,80}?)[\"'”]?[ \t]{0,4}[\]>]?"
    r"[*_]{0,3}[ \t]{0,4}:?[*_]{0,3}[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
# A heading that surely begins a portrait, whoever it is of.
_ANY = re.compile(
    r"^[ \t]{0,8}(?:[*_]{0,3}[\[<][ \t]{0,4}(?:profile|portrait)\b|"
    r"(?:#{1,4}[ \t]{1,4}[*_]{0,3}|[*_]{2,3})(?:profile|portrait)[ \t]{0,4}(?:of|for|:|-))"
    r"[^\n]{0,90}$",
    re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"^[ \t]{0,8}[\[<]/profile[\]>][ \t]*$", re.IGNORECASE | re.MULTILINE)
# How sure a model says that it is: by the word that it is asked for, wherever that stands, or at a
# line's end by a figure behind whatever word its language has for it.
_FIGURE = r"(?:[01](?:[.,]\d{1,3})?|\d{1,3} ?%)(?![\d.,]*\d)"
_SAID = (
    rf"(?:confidence(?: level)?[:=]? {{0,4}}(?:of )?{_FIGURE}|{_FIGURE} confidence\b|"
    r"confidence[:=] {0,4}(?:high|medium|low)\b)"
)
_SURE = (
    re.compile(rf"(?<=:) {{0,4}}[(\[]?{_SAID}[)\]]?[,;.–—-]?(?= )", re.IGNORECASE),
    re.compile(rf" {{0,4}}[,;–—-]? {{0,4}}[(\[]?{_SAID}[)\]]?", re.IGNORECASE),
    re.compile(
        r" {0,4}[,;(\[] {0,4}(?:[^\W\d_]{1,24}[:=]? {1,4})?(?:0[.,]\d{1,3}|1[.,]0{1,3})[)\]]?"
        r"(?=[ .]{0,4}$)",
        re.MULTILINE,
    ),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody whose portrait is to be made. digest: of the memories that it is made from, the same
    in a branch or a copy, which have ids of their own. earlier: as versions before made it.
    """

    name: str
    digest: str
    memories: int
    earlier: str = ""


def cast(messages: Sequence[Message], speakers: Sequence[str]) -> tuple[str, ...]:
    """The characters who have spoken, the last one first; of cards where it is known whose.

    speakers: names of the chat's characters, () where they are not known.
    """
    cards = {folded(name) for name in speakers}
    found: dict[str, str] = {}
    for message in reversed(messages):
        if message.is_user or message.kind is not MessageKind.CHAT or not message.name.strip():
            continue
        key = folded(message.name)
        if key in found or (cards and key not in cards):
            continue
        found[key] = " ".join(message.name.split())
    return tuple(found.values())


def subjects(names: Iterable[str], memories: Sequence[Memory]) -> tuple[Subject, ...]:
    """Those of the names of whom enough is remembered. memories: that hold."""
    found = []
    for name in names:
        mine = [memory for memory in memories if memory.tier in TOLD and concerns(memory, name)]
        if len(mine) >= LEAST_MEMORIES:
            told = sorted(map(line_of, mine))
            earlier = sorted(f"{memory.id}\0{line_of(memory)}" for memory in mine)
            digests = (combined_digest(folded(name), *lines) for lines in (told, earlier))
            found.append(Subject(name, next(digests), len(mine), next(digests)))
    return tuple(found)


def outdated(found: Iterable[Subject], documents: Iterable[Document]) -> tuple[Subject, ...]:
    """Those whose portrait was made from something else, or is still to be made."""
    kept = {folded(d.subject): d.inputs for d in documents if d.kind is DocumentKind.PROFILE}
    return tuple(o for o in found if kept.get(folded(o.name)) not in (o.digest, o.earlier))


def concerns(memory: Memory, name: str) -> bool:
    """Whether a memory is about somebody: by its entities, its subject, or the name in it."""
    wanted = folded(name)
    if wanted in {folded(n) for n in (*memory.entities, memory.subject, memory.target) if n}:
        return True
    return mentions(memory.text, name)


def mentions(text: str, name: str) -> bool:
    """Whether the first word of a name stands in a text."""
    spelled, first = word_list(text), word_list(name)[:1]
    return bool(first) and any(word in (first[0], f"{first[0]}'s") for word in spelled)


def marked(line: str, memory: Memory, past: Collection[str]) -> str:
    """The line of a memory, with a mark where it tells how things were. past: ids of such."""
    if memory.id not in past:
        return line
    if line.startswith("- ["):
        return line.replace("- [", "- [earlier ", 1)
    return line.replace("- ", "- [earlier] ", 1)


def profile_inputs(
    names: Sequence[str],
    memories: Sequence[Memory],
    *,
    room: int,
    count: CountTokens,
    past: Collection[str] = (),
) -> dict[str, str]:
    """What a request is given: of what holds the weightiest that fits, in the order of the story.

    Of what is about others a little, to see the characters in their world. room: tokens for all
    of it. past: as for `marked`.
    """
    told = [memory for memory in memories if memory.tier in TOLD]
    best = ranked(told, utilities(told))
    about = [memory for memory in best if any(concerns(memory, name) for name in names)]
    mine = {memory.id for memory in about}
    beside = [memory for memory in best if memory.id not in mine][:MOST_BESIDE]
    room -= count(", ".join(names))
    kept: set[str] = set()
    for memory in (*about, *beside):
        cost = count(_line(memory)) + 1
        if cost <= room:
            room -= cost
            kept.add(memory.id)
    lines = [marked(_line(memory), memory, past) for memory in told if memory.id in kept]
    return {"names": ", ".join(names), "memories": "\n".join(lines)}


def read_profiles(text: str, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """The sections of each portrait, by the name that was asked for; those without any are left
    out. Raises Unreadable when no portrait is left.

    Of one character alone the heading with the name may be missing. Portraits of others are
    dropped.
    """
    text = _END.sub("", cleaned(text))
    wanted = {folded(name): name for name in names}
    heads = [
        (found.start(), found.end(), name)
        for found in _HEAD.finditer(text)
        if (name := _meant(found["name"], wanted))
    ]
    heads = _without_rows(heads, text)
    foreign = [found.start() for found in _ANY.finditer(text)]
    if not heads and len(names) == 1 and not foreign:
        heads = [(0, 0, names[0])]
    profiles: dict[str, dict[str, str]] = {}
    starts = sorted({*(start for start, _, _ in heads), *foreign, len(text)})
    for head, begin, name in heads:
        # What is told of somebody else belongs to nobody who was asked for.
        end = next((start for start in starts if start > head), len(text))
        found_sections = sections(text[begin:end], NAMES)
        parts = {part: _lines(found_sections.get(part, ""), name) for part in SECTIONS}
        if any(parts.values()) and name not in profiles:
            profiles[name] = parts
    if not profiles:
        raise Unreadable(N_("without any of the requested sections"))
    return profiles


def without_figures(text: str) -> str:
    """A portrait, or lines of it, without what is said of how sure it is."""
    for sure in _SURE:
        text = sure.sub("", text)
    return text


def rendered(parts: Mapping[str, str]) -> str:
    """A portrait as one text, its sections in order."""
    titles = ("State", "World", "Relationships")
    blocks = [
        f"{title}:\n{without_figures(parts[part])}"
        for title, part in zip(titles, SECTIONS, strict=True)
        if parts.get(part)
    ]
    return "\n\n".join(blocks)


def _meant(text: str, wanted: Mapping[str, str]) -> str:
    """The name that a heading means, by its whole or, where that is clear, by its first word."""
    said = folded(text.strip(" .,-–—"))
    if said in wanted:
        return wanted[said]
    firsts = [name for key, name in wanted.items() if key.split()[:1] == said.split() and said]
    return firsts[0] if len(firsts) == 1 else ""


def _without_rows(heads: Sequence[tuple[int, int, str]], text: str) -> list[tuple[int, int, str]]:
    """Without names that stand alone inside of a portrait, as in a list of relationships: a
    heading is followed by a section.
    """
    kept = []
    for start, end, name in heads:
        after = text[end : end + 400].lstrip("\n -*•#_[<(").lower().replace("_", " ")
        if after.startswith(tuple(NAMES)):
            kept.append((start, end, name))
    return kept or list(heads[:1])


def _lines(body: str, name: str) -> str:
    """The lines of a section that say something."""
    kept: dict[str, None] = {}
    for raw in body.split("\n"):
        line = " ".join(raw.replace("**", "").split()).lstrip(BEFORE_AN_ENTRY).strip()
        _, colon, value = line.partition(":")
        if not line or is_copied(line) or is_unknown(value if colon else line):
            continue
        if not value.strip() and colon:
            continue
        kept[line[:LONGEST_LINE]] = None
    return "\n".join(list(kept)[:MOST_LINES])


def _line(memory: Memory) -> str:
    told = line_of(memory)
    return told if told.startswith("- ") else f"- [open] {told}"
