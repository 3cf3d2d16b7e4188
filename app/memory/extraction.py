"""From what a model claims of a window to memories that stand on messages, or wait for review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.memory.claims import Claim, ClaimedEnd, ReadAnswer
from app.memory.records import (
    ARC,
    Ending,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    Review,
    Source,
    Tier,
)
from app.memory.similarity import jaccard, normalised, word_list, words
from app.memory.windows import Window
from app.story.messages import combined_digest
from app.translation import N_

# A claim and what it cites share at least one such word (spec/smart-memory.md §21.3).
MEANINGFUL = re.compile(r"[^\W\d_]{4,}")
# Scripts that put no spaces between words, or glue particles to them: two signs are a word.
DENSE = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\ud7ff\uf900-\ufaff]{2,}")
SAME_THREAD = 0.25  # Jaccard of a resolution in words with the arc that it means (§8.6)

NO_SOURCE = N_("It cites no message.")
WRONG_SOURCE = N_("It cites a message that was not shown.")
OTHER_WORDS = N_("The message that it cites says nothing of it.")


@dataclass(frozen=True, slots=True)
class Work:
    """Whose work makes memories. key: of the operation. character: who keeps what outlives the
    chat, "" for nobody. now: seconds since the epoch.
    """

    key: str
    chat: int
    character: str
    made_by: str
    now: float


KEPT_BY_CHARACTER = frozenset({Tier.LONG_TERM, Tier.RELATIONSHIPS, Tier.EPISTEMIC})


def proposed(
    answer: ReadAnswer, window: Window, work: Work, *, part: int = 0
) -> tuple[Memory, ...]:
    """The claims as memories, in their order; what lacks ground waits for review (§21.3).

    part: number of the answer, where the work has several.
    """
    made = []
    for place, claim in enumerate(answer.claims):
        sources, note = grounded(claim, window)
        memory = Memory(
            # Copies of a chat are the same work, and each has its own memories.
            id=combined_digest("memory", str(work.chat), work.key, str(part), str(place)),
            chat=work.chat,
            tier=claim.tier,
            type=claim.type,
            text=claim.text,
            character=work.character if claim.tier in KEPT_BY_CHARACTER else "",
            subject=claim.subject,
            target=claim.target,
            field=claim.field,
            magnitude=claim.magnitude,
            detail=claim.detail,
            told_by=claim.told_by,
            channel=claim.channel,
            importance=claim.importance,
            expiration=claim.expiration
            if claim.tier is not Tier.SESSION or claim.expiration is not Expiration.PERMANENT
            else Expiration.SESSION,
            last_confirmed=work.now,
            entities=tuple(dict.fromkeys(mention.name for mention in claim.entities)),
            triggers=claim.triggers,
            witnessed_by=window.speakers if claim.tier is Tier.LONG_TERM else (),
            sources=sources,
            grounding=Grounding.UNGROUNDED if note else Grounding.DIRECT,
            review=Review.WAITING if note else Review.NONE,
            notes=(note,) if note else (),
            made_by=work.made_by,
            created=work.now,
        )
        made.append(memory)
    return tuple(made)


def grounded(claim: Claim, window: Window) -> tuple[tuple[Source, ...], str]:
    """What a claim stands on, and why it has to wait, "" when it does not.

    A claim that waits is put to the newest message of the window, so that it has a place.
    """
    newest = window.sources([len(window.messages)]) or ()
    if not claim.sources:
        return newest, NO_SOURCE
    cited = window.sources(claim.sources)
    if cited is None:
        return newest, WRONG_SOURCE
    if claim.tier in (Tier.SESSION, Tier.LONG_TERM):
        shown = {source.anchor for source in cited}
        texts = [f"{m.name} {m.text}" for m in window.messages if m.anchor in shown]
        if not _shares_a_word(claim, texts):
            return cited, OTHER_WORDS
    return cited, ""


def _shares_a_word(claim: Claim, texts: Sequence[str]) -> bool:
    said = _meaningful(f"{claim.subject} {claim.text}")
    heard = _meaningful(" ".join(texts))
    # Without such words there is nothing to compare.
    return not said or not heard or bool(said & heard)


def _meaningful(text: str) -> frozenset[str]:
    text = text.casefold()
    pairs = {run[at : at + 2] for run in DENSE.findall(text) for at in range(len(run) - 1)}
    return frozenset(pairs.union(word[:5] for word in MEANINGFUL.findall(DENSE.sub(" ", text))))


def ended(
    ends: Iterable[ClaimedEnd],
    window: Window,
    active: Sequence[Memory],
    shown: Mapping[Tier, Sequence[str]],
    claimed: Sequence[Memory] = (),
) -> tuple[Memory, ...]:
    """The memories that the answer ends, with their new endings.

    active: what holds. shown: ids by tier in the order of the numbers that the model saw. claimed:
    of the same answer; what names one of them in its words means no other that is like it.
    """
    by_id = {memory.id: memory for memory in active}
    changed: dict[str, Memory] = {}
    for end in ends:
        sources = window.sources(end.sources) if end.sources else None
        if not sources:
            sources = _likeliest(end, window)
        for memory in _meant(end, active, by_id, shown.get(end.tier, ()), claimed):
            reason = EndReason.RESOLVED if memory.type == ARC else EndReason.RETIRED
            ending = Ending(reason, sources=sources, text=end.resolution)
            known = changed.get(memory.id, memory)
            if ending not in known.endings:
                changed[memory.id] = replace(known, endings=(*known.endings, ending))
    return tuple(changed.values())


def ended_at_once(
    ends: Iterable[ClaimedEnd], window: Window, claimed: Sequence[Memory]
) -> tuple[Memory, ...]:
    """The claims, and of the threads among them those ended that the same answer resolves: who
    reads many messages at once meets whole ones. Only in the same words: a likeness may mean
    another that was open before.
    """
    resolved = [end for end in ends if end.tier is Tier.ARCS and not end.numbers]
    found = []
    for memory in claimed:
        end = next((e for e in resolved if memory.type == ARC and _says(memory, e)), None)
        if end is not None:
            sources = (window.sources(end.sources) if end.sources else None) or _likeliest(
                end, window
            )
            ending = Ending(EndReason.RESOLVED, sources=sources, text=end.resolution)
            memory = replace(memory, endings=(*memory.endings, ending))
        found.append(memory)
    return tuple(found)


def _says(arc: Memory, end: ClaimedEnd) -> bool:
    return word_list(arc.text) == word_list(end.text)


def _meant(
    end: ClaimedEnd,
    active: Sequence[Memory],
    by_id: Mapping[str, Memory],
    shown: Sequence[str],
    claimed: Sequence[Memory],
) -> list[Memory]:
    if end.numbers:
        ids = [shown[number - 1] for number in end.numbers if 1 <= number <= len(shown)]
        return [by_id[memory_id] for memory_id in ids if memory_id in by_id]
    same = [memory for memory in active if memory.tier is end.tier]
    if end.tier is Tier.ARCS:
        exact = [arc for arc in same if _says(arc, end)]
        if exact or any(_says(arc, end) for arc in claimed if arc.tier is Tier.ARCS):
            return exact
        return [arc for arc in same if jaccard(end.text, arc.text) >= SAME_THREAD]
    if end.tier is Tier.RELATIONSHIPS:
        return [
            feeling
            for feeling in same
            if _is_same(feeling.subject, end.subject)
            and _is_same(feeling.target, end.target)
            and _is_same(feeling.text, end.text)
        ]
    if end.tier is Tier.STATE_LEDGER:
        return [
            value
            for value in same
            if _is_same(value.subject, end.subject) and value.field == end.field
        ]
    return []


def _likeliest(end: ClaimedEnd, window: Window) -> tuple[Source, ...]:
    """Where an end that cites nothing was told: the new message with most of its words."""
    told = words(f"{end.subject} {end.text} {end.resolution}")
    numbers = range(window.new_from, len(window.messages) + 1)
    best = max(
        numbers,
        key=lambda number: (len(told & words(window.messages[number - 1].text)), number),
        default=len(window.messages),
    )
    return window.sources([best]) or ()


def _is_same(one: str, other: str) -> bool:
    return normalised(one).strip() == normalised(other).strip()
