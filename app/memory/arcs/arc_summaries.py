"""Arcs that are said to be resolved: whether they are, and what is kept of them (spec §8.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from app.core.translation import N_
from app.memory.arcs.arc_answers import is_account, repeats, unwrapped
from app.memory.reading.known import closeness
from app.memory.reading.prose import CountTokens, invented_names, newest_within, prose, within
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Grounding,
    Memory,
    Tier,
)
from app.memory.similarity import words
from app.memory.standing import Ground, Status, standings
from app.memory.tiers.lines import LARGEST_ANSWER, is_copied
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, combined_digest
from app.story.scene_cues.language import count_ideographs

MOST_AT_ONCE = 8  # arcs in one request: each tells the same scenes
MANY = 5  # in a usual one; so many wait for no other
LAST_SCENES = 5
MOST_MEMORIES = 20
MESSAGES_BEFORE = 1  # of the one that ends an arc
LONGEST_SUMMARY = 2000  # signs
LEAST_SUMMARY = 20
LAST_HIRAGANA = "\u309f"
SHARED_WORDS = 2  # that make a memory one of the arc's
NOTHING = "Nothing."
VERDICT = "verdict"  # section of the kept text that holds it


class Verdict(StrEnum):
    """What of a thread that is said to be over."""

    RESOLVED = "RESOLVED"
    STILL_OPEN = "STILL_OPEN"
    ABANDONED = "ABANDONED"
    SUPERSEDED = "SUPERSEDED"
    INSUFFICIENT_EVIDENCE = "INSUFFICIENT_EVIDENCE"

    @property
    def is_over(self) -> bool:
        return self in (Verdict.RESOLVED, Verdict.ABANDONED, Verdict.SUPERSEDED)


_WORDS: Mapping[str, Verdict] = {
    **{verdict.value.replace("_", " "): verdict for verdict in Verdict},
    **dict.fromkeys(("OPEN", "UNRESOLVED", "NOT RESOLVED", "ONGOING"), Verdict.STILL_OPEN),
    **dict.fromkeys(("CLOSED", "OVER", "DONE"), Verdict.RESOLVED),
    **dict.fromkeys(("INSUFFICIENT", "UNCLEAR", "UNKNOWN", "NONE"), Verdict.INSUFFICIENT_EVIDENCE),
}
_TAG = re.compile(
    r"^[ \t]{0,8}(?:[-*•][ \t]+)?\*{0,2}[\[(]?\s{0,4}(?:arc|thread)?\s{0,4}#?(\d{1,2})"
    r"(?:[\])]|\s{0,4}[:.|)\-–])\s{0,4}[:|\-–]?\s{0,4}\*{0,2}\[?"
    r"([A-Za-z]+(?:[_ ][A-Za-z]+)?)\b[^\S\n]{0,4}\]?\*{0,2}[ \t]{0,4}[:|\-–—]?",
    re.MULTILINE | re.IGNORECASE,
)


_BARE = re.compile(
    r"[\s*_\[(#-]{0,8}((?:STILL_OPEN|INSUFFICIENT_EVIDENCE|RESOLVED|ABANDONED|SUPERSEDED))\b"
    r"[\])*_]{0,4}\s{0,4}[:|\-–—.]?\s{0,4}"
)


@dataclass(frozen=True, slots=True)
class ResolvedArc:
    """An arc that ended by being resolved. place: message index where it did; the story's last one
    where the user said so, and the story may not.
    """

    memory: Memory
    ending: Ending
    place: int

    @property
    def is_by_hand(self) -> bool:
        """Whether the user closed it."""
        return not self.ending.sources and self.memory.grounding is not Grounding.IMPORTED

    @property
    def digest(self) -> str:
        """Changes when it is resolved in another way, or at another place; the same in a branch or
        a copy, which have ids of their own.
        """
        return arc_digest(self.memory, self.ending)

    def is_source_of(self, document: Document | None) -> bool:
        """Whether a text was made of it as it is."""
        return document is not None and document.inputs in (
            self.digest,
            earlier_arc_digest(self.memory, self.ending),
        )


@dataclass(frozen=True, slots=True)
class Judged:
    """What was said of an arc. text: "" where it is not over, or nothing usable was told.
    is_refused: how it was said to have ended stands for what was told.
    """

    verdict: Verdict
    text: str = ""
    is_refused: bool = False


def arc_digest(memory: Memory, ending: Ending) -> str:
    """Of what is said of an arc and of its end."""
    told = [f"{s.anchor}/{s.content_hash}" for s in ending.sources]
    return combined_digest(memory.text, ending.text, *told)


def earlier_arc_digest(memory: Memory, ending: Ending) -> str:
    """The same as versions before made it."""
    told = [f"{s.chat}/{s.anchor}/{s.content_hash}" for s in ending.sources]
    return combined_digest(memory.id, memory.text, ending.text, *told)


def resolved_arcs(memories: Sequence[Memory], ground: Ground) -> tuple[ResolvedArc, ...]:
    """The arcs that are resolved now, in the order in which they were."""
    arcs = [memory for memory in memories if memory.tier is Tier.ARCS]
    found = [
        ResolvedArc(s.memory, s.ending, s.end)
        for s in standings(arcs, ground)
        if s.status is Status.ENDED
        and s.ending is not None
        and s.end is not None
        and s.ending.reason is EndReason.RESOLVED
    ]
    found = [replace(arc, place=ground.last) if arc.is_by_hand else arc for arc in found]
    return tuple(sorted(found, key=lambda arc: arc.place))


def without_summary(
    resolved: Iterable[ResolvedArc], documents: Iterable[Document]
) -> tuple[ResolvedArc, ...]:
    """Those that nobody was asked about since they were resolved."""
    kept = {d.subject: d for d in documents if d.kind is DocumentKind.ARC_SUMMARY}
    return tuple(arc for arc in resolved if not arc.is_source_of(kept.get(arc.memory.id)))


def at_once(lacking: Sequence[ResolvedArc]) -> Sequence[ResolvedArc]:
    """Those that the next request sums up: more than usual where as many as usual are left."""
    return lacking[: max(MANY, min(MOST_AT_ONCE, len(lacking) - MANY))]


def summaries(
    documents: Iterable[Document], resolved: Iterable[ResolvedArc], chat: int
) -> tuple[Document, ...]:
    """The summaries that count, oldest first: of this chat those whose arc is resolved so now, of
    others all that there are.
    """
    now = {arc.memory.id: arc for arc in resolved}
    newest: dict[str, Document] = {}
    for document in documents:
        if document.kind is DocumentKind.ARC_SUMMARY:
            newest[document.subject] = document

    def is_so(document: Document) -> bool:
        arc = now.get(document.subject)
        return document.chat != chat or (arc is not None and arc.is_source_of(document))

    return tuple(d for d in newest.values() if d.text and is_so(d))


def arc_inputs(
    arcs: Sequence[ResolvedArc],
    messages: Sequence[Message],
    scenes: Sequence[str],
    memories: Sequence[Memory],
    *,
    room: int,
    count: CountTokens,
) -> dict[str, str]:
    """What a request is given. scenes: recaps up to where the arcs ended, oldest first. memories:
    that hold. room: tokens for all of it; the arcs themselves go first.
    """
    told = "\n".join(f"{number}. {_told(arc)}" for number, arc in enumerate(arcs, 1))
    room -= count(told)
    cited = _evidence(arcs, messages, room // 2, count)
    linked = _linked(arcs, memories)
    return {
        "arcs": told,
        "messages": cited or NOTHING,
        "scenes": "\n\n".join(newest_within(scenes[-LAST_SCENES:], room // 3, count)) or NOTHING,
        "memories": "\n".join(within(linked, room // 6, count)) or NOTHING,
    }


def read_arc_summaries(
    text: str, arcs: Sequence[ResolvedArc], evidence: str, names: Iterable[str] = ()
) -> dict[str, Judged]:
    """What an answer says of each arc, by the memory's id. Raises Unreadable for nothing at all.

    evidence: all that the model was shown. names: that the story is known to have. A summary that
    names somebody else counts for nothing, and how the arc was said to have ended stands for it.
    An arc that is left out is not judged.
    """
    evidence = "\n".join((evidence, *names))
    text = unwrapped(text[:LARGEST_ANSWER])
    heads = [found for found in _TAG.finditer(text) if _verdict(found[2]) is not None]
    judged: dict[str, Judged] = {}
    bodies: dict[str, str] = {}
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for found, end in zip(heads, ends, strict=False):
        number, verdict = int(found[1]), _verdict(found[2])
        body = prose(text[found.end() : end])
        if verdict is None or not 1 <= number <= len(arcs):
            continue
        arc = arcs[number - 1]
        if arc.memory.id not in judged or is_copied(bodies[arc.memory.id]):  # our own example
            judged[arc.memory.id] = _judged(arc, verdict, body, evidence)
            bodies[arc.memory.id] = body
    if not judged and len(arcs) == 1:
        judged = _of_one(text, arcs[0], evidence)
    if not judged:
        raise Unreadable(N_("with something other than the requested lines"))
    return judged


def reopened(memory: Memory, arc: ResolvedArc) -> Memory:
    """The arc without the ending that was none. What the user ended stays ended."""
    if arc.is_by_hand:
        return memory
    return replace(memory, endings=tuple(e for e in memory.endings if e != arc.ending))


def _of_one(text: str, arc: ResolvedArc, evidence: str) -> dict[str, Judged]:
    """What an answer says of the only arc that was asked about, where no line begins as it should:
    behind a bare verdict, or as plain prose about it.
    """
    found = _BARE.match(text)
    if found and (verdict := _verdict(found[1])) is not None:
        return {arc.memory.id: _judged(arc, verdict, prose(text[found.end() :]), evidence)}
    body = prose(text)
    about = {word for word in words(f"{arc.memory.text} {arc.ending.text}") if len(word) > 3}
    is_about = not about or bool(about & words(body)) or not body.isascii()
    if (
        len(body) < 3 * LEAST_SUMMARY
        or not is_account(text, is_tagged=False)
        or not is_about
        or repeats(body, evidence)
        or invented_names(body, evidence)
    ):
        return {}
    return {arc.memory.id: _judged(arc, Verdict.RESOLVED, body, evidence)}


def _judged(arc: ResolvedArc, verdict: Verdict, body: str, evidence: str) -> Judged:
    if arc.is_by_hand:  # whether it is over is not asked
        verdict = verdict if verdict.is_over else Verdict.RESOLVED
    if not verdict.is_over:
        return Judged(verdict)
    body = " ".join(body.split())[:LONGEST_SUMMARY]
    is_usable = (
        len(body) >= LEAST_SUMMARY
        and is_account(body, is_tagged=True)
        and not invented_names(body, evidence)
    )
    if not is_usable:
        how = " ".join(arc.ending.text.split())
        body = f"{' '.join(arc.memory.text.split())} {how}" if how else ""
    return Judged(verdict, body, is_refused=not is_usable)


def _told(arc: ResolvedArc) -> str:
    thread, how = " ".join(arc.memory.text.split()), " ".join(arc.ending.text.split())
    return f"{thread} | said to have ended so: {how}" if how else thread


def _verdict(word: str) -> Verdict | None:
    return _WORDS.get(word.replace("_", " ").upper().strip())


def _evidence(
    arcs: Sequence[ResolvedArc], messages: Sequence[Message], room: int, count: CountTokens
) -> str:
    """The messages that end the arcs with those right before them, each once."""
    ends = {
        _likeliest(arc, messages) if arc.is_by_hand else arc.place
        for arc in arcs
        if 0 <= arc.place < len(messages)
    }
    wanted = {place for end in ends for place in range(max(0, end - MESSAGES_BEFORE), end + 1)}
    share = room // max(1, len(wanted))
    told = []
    for place in sorted(wanted, key=lambda place: (place not in ends, place)):
        line = f"{messages[place].name}: {messages[place].text.strip()}"[: room * 10]
        while count(line) > max(60, share if place not in ends else share * 2) and len(line) > 80:
            line = line[: len(line) * 4 // 5].rstrip() + " […]"
        cost = count(line) + 2
        if cost <= room:
            room -= cost
            told.append((place, line))
    return "\n\n".join(line for _, line in sorted(told))


def _likeliest(arc: ResolvedArc, messages: Sequence[Message]) -> int:
    """Where a thread that the user closed was last told of: the message with most of its words."""
    told = {word for word in words(f"{arc.memory.text} {arc.ending.text}") if len(word) > 3}
    return max(
        range(len(messages)), key=lambda place: (len(told & words(messages[place].text)), place)
    )


def _linked(arcs: Sequence[ResolvedArc], memories: Sequence[Memory]) -> list[str]:
    """Memories that share a name or two telling words with an arc, those nearest to all first."""
    texts = [f"{arc.memory.text} {arc.ending.text}" for arc in arcs]
    about = [frozenset(filter(tells, words(text))) for text in texts]
    found = [
        memory
        for memory in memories
        if memory.tier in (Tier.SESSION, Tier.LONG_TERM)
        and any(len(words(memory.text) & one) >= SHARED_WORDS for one in about)
    ]
    near = closeness(found, " ".join(texts))
    order = sorted(range(len(found)), key=lambda at: (-near[at], -found[at].importance))
    nearest = (found[at] for at in order[:MOST_MEMORIES])
    return [f"- [{m.type}] {' '.join(m.text.split())}" for m in nearest]


def tells(word: str) -> bool:
    """Whether a word says what a text is about; without spaces between words each sign is one, and
    hiragana mostly join what others say.
    """
    return len(word) > 3 or (word > LAST_HIRAGANA and count_ideographs(word) > 0)
