"""Continuity: what in a reply contradicts what is remembered, and the repair (spec §9, PD3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.translation import N_
from app.memory.documents.summary import cut_to
from app.memory.ranking import ranked, utilities
from app.memory.reading.known import line_of
from app.memory.reading.prose import CountTokens, prose
from app.memory.reading.windows import is_told
from app.memory.records import Document, DocumentKind, Memory
from app.memory.tiers.lines import LARGEST_ANSWER, is_copied
from app.memory.tiers.table import TIERS
from app.story.answers.refusals import is_refusal
from app.story.answers.task_answers import REFUSAL, Unreadable
from app.story.messages import Message

MOST_CONTRADICTIONS = 8
LONGEST_LINE = 400
LONGEST_REPAIR = 900  # signs
COMPARED = tuple(tier for tier, spec in TIERS.items() if spec.is_checked)

_ALL_CLEAR = re.compile(
    r"\b(?:no (?:direct |clear |apparent )?(?:contradictions?|conflicts?|issues?|inconsistenc\w+)|"
    r"(?:do|does|did)(?: not|n['’]t) (?:contradict|conflict)|(?:is|are) consistent with|"
    r"aligns? with|nothing (?:in it )?contradicts)\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\W*none\W*", re.IGNORECASE)
_LEAD = re.compile(r"[ \t]*(?:[-*•>]+[ \t]+)?(?:\(?#?\[?(\d{1,3})\]?[.):|]?[ \t]*[|:]?[ \t]+)?")
_CITED = re.compile(r"[ \t]*(?:[-*•>]+[ \t]+)?(?:fact[ \t]+)?[\[(]?#?(\d{1,3})[\])]?[ \t]*[|:]")


@dataclass(frozen=True, slots=True)
class Fact:
    """One line that a reply is held against. id: of its memory, "" for cards and summary."""

    text: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """What a reply says against the facts. memory: id of the one that it contradicts, or ""."""

    text: str
    memory: str = ""


def last_reply(messages: Sequence[Message]) -> int | None:
    """Index of the last message that a character wrote, None when the user has gone on since."""
    for index in range(len(messages) - 1, -1, -1):
        if is_told(messages[index]):
            return None if messages[index].is_user else index
    return None


def newest_reply(messages: Sequence[Message]) -> int | None:
    """The same, whatever the user wrote since: whoever asks for a check means the last one."""
    told = (i for i in range(len(messages) - 1, -1, -1) if is_told(messages[i]))
    return next((index for index in told if not messages[index].is_user), None)


def is_checked(documents: Iterable[Document], reply: Message) -> bool:
    """Whether this reply was checked in these words."""
    return any(
        d.kind is DocumentKind.CONTINUITY
        and d.until == reply.anchor
        and d.inputs == reply.content_hash
        for d in documents
    )


def facts_of(
    cards: str, summary: str, memories: Sequence[Memory], *, room: int, count: CountTokens
) -> tuple[Fact, ...]:
    """What a reply is held against, in this order: cards and persona, a line each, summary,
    memories that held before it; of these the weightiest that fit. room: tokens for all of it.
    """
    facts = []
    for text in (*cards.splitlines(), summary):
        told = cut_to(" ".join(text.split()), room // 4, count)
        if told:
            facts.append(Fact(told))
            room -= count(told) + 6
    compared = [memory for memory in memories if memory.tier in COMPARED]
    kept = set()
    for memory in ranked(compared, utilities(compared)):
        cost = count(_told(memory)) + 6
        if cost <= room:
            room -= cost
            kept.add(memory.id)
    told_last = sorted(
        (memory for memory in compared if memory.id in kept),
        key=lambda memory: COMPARED.index(memory.tier),
    )
    return (*facts, *(Fact(_told(memory), memory.id) for memory in told_last))


def listed(facts: Sequence[Fact]) -> str:
    """The facts as a request shows them, numbered from 1."""
    return "\n".join(f"{number}. {fact.text}" for number, fact in enumerate(facts, 1))


def read_contradictions(text: str, facts: Sequence[Fact] = ()) -> tuple[Contradiction, ...]:
    """What an answer lists, () when it says that there is nothing. Raises Unreadable for no text,
    and for prose alone: what repeats the passage contradicts nothing.

    Headings are left out. facts: in the order of their numbers.
    """
    lines = [line for line in text[:LARGEST_ANSWER].replace("**", "").splitlines() if line.strip()]
    if not lines:
        raise Unreadable(N_("with nothing"))
    if _NONE.fullmatch(lines[0]) or _ALL_CLEAR.search(lines[0]):
        return ()
    if is_refusal(lines[0]):
        raise Unreadable(REFUSAL)
    found: dict[str, Contradiction] = {}
    is_prose = False
    for line in lines:
        said = line.strip().lstrip("`")
        cited = _CITED.match(said)
        told = said[cited.end() :] if cited else said[_end_of_lead(said) :]
        told = " ".join(told.split())[:LONGEST_LINE]
        if not any(map(str.isalpha, told)) or told.endswith((":", "：")) or _NONE.fullmatch(told):
            continue
        if told.startswith("#") or is_copied(told) or _ALL_CLEAR.search(told):
            continue
        if not cited and not _end_of_lead(said):
            is_prose = True
            continue
        number = int(cited[1]) if cited else 0
        memory = facts[number - 1].id if 1 <= number <= len(facts) else ""
        found.setdefault(told.casefold(), Contradiction(told, memory))
    if is_prose and not found:
        raise Unreadable(N_("without saying which fact is contradicted"))
    return tuple(found.values())[:MOST_CONTRADICTIONS]


def read_repair(text: str) -> str:
    """The note of an answer as one paragraph. Raises Unreadable for none."""
    told = " ".join(prose(text).split()).strip("[]() ")
    if is_refusal(told):
        raise Unreadable(REFUSAL)
    if len(told) < 10 or is_copied(told):
        raise Unreadable(N_("without a note"))
    if len(told) > LONGEST_REPAIR:
        stop = told.rfind(".", 0, LONGEST_REPAIR)
        told = told[: stop + 1] if stop > 0 else told[:LONGEST_REPAIR]
    return told


def repair_inputs(
    name: str, found: Sequence[Contradiction], facts: Sequence[Fact]
) -> Mapping[str, str]:
    """What the request for a repair is given: what was found, and the facts that it is about."""
    cited = {one.memory for one in found if one.memory}
    about = [fact for fact in facts if fact.id in cited] or list(facts)
    return {
        "name": name,
        "contradictions": "\n".join(f"{n}. {one.text}" for n, one in enumerate(found, 1)),
        "facts": "\n".join(f"- {fact.text}" for fact in about),
    }


def pending_repair(documents: Iterable[Document], messages: Sequence[Message]) -> Document | None:
    """The note that the next prompt holds; None when there is none, or when it has been in one.

    It waits as long as the reply that it is about is the last one, and reads as it did then.
    """
    newest: Document | None = None
    for document in documents:
        if document.kind is DocumentKind.REPAIR and document.subject == "":
            newest = document
    if newest is None or not newest.text:
        return None
    replies = [m for m in messages if not m.is_user and is_told(m)]
    is_last = bool(replies) and replies[-1].anchor == newest.until
    return newest if is_last and replies[-1].content_hash == newest.inputs else None


def found_before(documents: Iterable[Document], reply: Message) -> tuple[Contradiction, ...]:
    """What the newest check of a reply found in these words; () for none."""
    checks = [
        d
        for d in documents
        if d.kind is DocumentKind.CONTINUITY
        and (d.until, d.inputs) == (reply.anchor, reply.content_hash)
    ]
    if not checks:
        return ()
    memories = {text: memory for memory, text in checks[-1].sections.items()}
    lines = (line for line in checks[-1].text.splitlines() if line.strip())
    return tuple(Contradiction(line, memories.get(line, "")) for line in lines)


def uncorrected(
    documents: Iterable[Document], messages: Sequence[Message]
) -> tuple[Contradiction, ...]:
    """What the newest reply contradicts, where no correction of it was written, used or dropped."""
    documents = tuple(documents)
    index = last_reply(messages)
    if index is None:
        return ()
    reply = messages[index]
    is_answered = any(
        d.kind is DocumentKind.REPAIR and (d.until, d.inputs) == (reply.anchor, reply.content_hash)
        for d in documents
    )
    return () if is_answered else found_before(documents, reply)


def _told(memory: Memory) -> str:
    return line_of(memory).removeprefix("- ")


def _end_of_lead(line: str) -> int:
    found = _LEAD.match(line)
    return found.end() if found else 0
