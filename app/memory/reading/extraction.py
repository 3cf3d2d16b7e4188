"""From what a model claims of a window to memories that stand on messages, or wait for review."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.core.translation import N_
from app.memory.ranking import is_yours
from app.memory.reading.known import line_of
from app.memory.reading.windows import Window
from app.memory.records import (
    NO_SOURCE,
    WRONG_SOURCE,
    Ending,
    Expiration,
    Grounding,
    Memory,
    Review,
    Source,
    Tier,
)
from app.memory.similarity import is_same_text, jaccard, word_list, words
from app.memory.tiers.claims import Claim, ClaimedEnd, ReadAnswer
from app.memory.tiers.table import PLAIN, THREADS, TIERS
from app.story.messages import combined_digest

# A claim and what it cites share at least one such word (spec/smart-memory.md §21.3).
MEANINGFUL = re.compile(r"[^\W\d_]{4,}")
# Scripts that put no spaces between words, or glue particles to them: two signs are a word.
DENSE = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\ud7ff\uf900-\ufaff]{2,}")
# What one answer makes is told apart by its place in it, also where only times are kept.
BETWEEN_CLAIMS = 1e-5  # seconds
BETWEEN_PARTS = 4_000 * BETWEEN_CLAIMS
SAME_ENTRY = 0.60  # Jaccard of an entry in words with the one that it means
CLEARLY = 0.10  # so much more than with any other
SAME_MEMORY = 0.80  # the same for a memory
SAME_THREAD = 0.25  # Jaccard of a resolution in words with the arc that it means (§8.6)

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


def proposed(
    answer: ReadAnswer, window: Window, work: Work, *, part: int = 0
) -> tuple[Memory, ...]:
    """The claims as memories, in their order; what lacks ground waits for review (§21.3).

    part: number of the answer, where the work has several.
    """
    made = []
    for place, claim in enumerate(answer.claims):
        sources, note = grounded(claim, window)
        spec = TIERS[claim.tier]
        memory = Memory(
            # Copies of a chat are the same work, and each has its own memories.
            id=combined_digest("memory", str(work.chat), work.key, str(part), str(place)),
            chat=work.chat,
            tier=claim.tier,
            type=claim.type,
            text=claim.text,
            character=work.character if spec.is_kept_by_character else "",
            subject=claim.subject,
            target=claim.target,
            field=claim.field,
            magnitude=claim.magnitude,
            detail=claim.detail,
            told_by=claim.told_by,
            channel=claim.channel,
            importance=claim.importance,
            expiration=spec.lasting
            if claim.expiration is Expiration.PERMANENT
            else claim.expiration,
            last_confirmed=work.now,
            entities=tuple(dict.fromkeys(mention.name for mention in claim.entities)),
            triggers=claim.triggers,
            witnessed_by=window.speakers if spec.is_witnessed else (),
            sources=sources,
            grounding=Grounding.UNGROUNDED if note else Grounding.DIRECT,
            review=Review.WAITING if note else Review.NONE,
            notes=(note,) if note else (),
            made_by=work.made_by,
            created=work.now + part * BETWEEN_PARTS + place * BETWEEN_CLAIMS,
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
    if claim.tier in PLAIN:
        shown = {source.anchor for source in cited}
        texts = [f"{m.name} {m.text}" for m in window.messages if m.anchor in shown]
        if not shares_a_word(f"{claim.subject} {claim.text}", texts):
            return cited, OTHER_WORDS
    return cited, ""


def shares_a_word(claim: str, texts: Sequence[str]) -> bool:
    """Whether a claim has a meaningful word of what it stands on."""
    said = _meaningful(claim)
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
        sources = _told_in(end, window)
        for memory in _meant(end, active, by_id, shown.get(end.tier, ()), claimed):
            known = changed.get(memory.id, memory)
            ending = _ending(memory, end, sources)
            if ending not in known.endings:
                changed[memory.id] = replace(known, endings=(*known.endings, ending))
    return tuple(changed.values())


def ended_at_once(
    ends: Iterable[ClaimedEnd],
    window: Window,
    claims: Sequence[Claim],
    claimed: Sequence[Memory],
) -> tuple[Memory, ...]:
    """The claims, of which those ended that the same answer takes back further on: who reads many
    messages at once meets what began and ended there. What is said of a later message stays, and
    of one message what is said later in the answer.

    claims: those that `claimed` was made of, in their order.
    """
    order = {m.anchor: place for place, m in enumerate(window.messages)}
    found = list(claimed)
    for end in ends:
        sources = _told_in(end, window)
        at = (_last(sources, order), end.line)
        for place, memory in enumerate(found):
            said = (_last(memory.sources, order), claims[place].line)
            if memory.tier is end.tier and said < at and _takes_back(end, memory):
                ending = _ending(memory, end, sources)
                found[place] = replace(memory, endings=(*memory.endings, ending))
    return tuple(found)


def ended_along(
    claimed: Sequence[Memory], gone: Sequence[Memory], window: Window
) -> tuple[Memory, ...]:
    """The claims, of which those ended that repeat a known entry on who knows what before the
    message at which the same answer ends it.
    """
    order = {m.anchor: place for place, m in enumerate(window.messages)}
    found = []
    for memory in claimed:
        last = _last(memory.sources, order)
        for known in gone:
            ending = known.endings[-1]
            if _repeats(memory, known) and last < _last(ending.sources, order):
                memory = replace(memory, endings=(*memory.endings, ending))
        found.append(memory)
    return tuple(found)


def _ending(memory: Memory, end: ClaimedEnd, sources: tuple[Source, ...]) -> Ending:
    return Ending(TIERS[memory.tier].ends_as, sources=sources, text=end.resolution)


def _told_in(end: ClaimedEnd, window: Window) -> tuple[Source, ...]:
    return (window.sources(end.sources) if end.sources else None) or _likeliest(end, window)


def _last(sources: Sequence[Source], order: Mapping[str, int]) -> int:
    return max((order.get(source.anchor, -1) for source in sources), default=-1)


def _says(arc: Memory, end: ClaimedEnd) -> bool:
    return word_list(arc.text) == word_list(end.text)


def _takes_back(end: ClaimedEnd, claimed: Memory) -> bool:
    """Whether an end means a claim of its own answer; of threads and entries only the same words
    say so, since a likeness may mean another that was there before.
    """
    spec = TIERS[end.tier]
    if spec.is_meant is not None:
        return spec.is_meant(claimed, end)
    return (
        spec.is_numbered and not end.numbers and word_list(line_of(claimed)) == word_list(end.text)
    )


def _repeats(claimed: Memory, known: Memory) -> bool:
    """Whether a claim says what a known entry says that ended after it."""
    if claimed.tier is not Tier.EPISTEMIC or known.tier is not Tier.EPISTEMIC:
        return False
    return (
        claimed.type == known.type
        and is_same_text(claimed.subject, known.subject)
        and is_same_text(claimed.target, known.target)
        and jaccard(claimed.text, known.text) >= SAME_ENTRY
    )


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
    if end.tier in PLAIN:
        return _in_words(end, [m for m in active if m.tier in PLAIN and not is_yours(m)])
    same = [memory for memory in active if memory.tier is end.tier]
    if end.tier in THREADS:
        exact = [arc for arc in same if _says(arc, end)]
        if exact or any(_says(arc, end) for arc in claimed if arc.tier is end.tier):
            return exact
        return [arc for arc in same if jaccard(end.text, arc.text) >= SAME_THREAD]
    is_meant = TIERS[end.tier].is_meant
    if is_meant is not None:
        return _not_replaced([m for m in same if is_meant(m, end)], claimed, end)
    return _in_words(end, same)


def _in_words(end: ClaimedEnd, among: Sequence[Memory]) -> list[Memory]:
    """The one that an end quotes, as it is listed or by its text; none where two may be meant."""
    quoted = words(end.text)
    spelled = word_list(end.text)
    exact = [m for m in among if spelled in (word_list(line_of(m)), word_list(m.text))]
    if exact:
        return exact[:1] if len({line_of(memory) for memory in exact}) == 1 else []
    least = SAME_MEMORY if end.tier in PLAIN else SAME_ENTRY
    likeness = {
        memory.id: _likeness(quoted, words(memory.text if end.tier in PLAIN else line_of(memory)))
        for memory in among
    }
    best = sorted(among, key=lambda memory: -likeness[memory.id])[:2]
    near = [memory for memory in best if likeness[memory.id] >= least]
    is_sure = len(near) == 1 or (
        len(near) == 2 and likeness[near[0].id] - likeness[near[1].id] >= CLEARLY
    )
    return near[:1] if is_sure else []


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _not_replaced(
    values: Sequence[Memory], claimed: Sequence[Memory], end: ClaimedEnd
) -> list[Memory]:
    """Those of a key's values that the same answer has not replaced by then: the new one is what
    ends there.
    """
    is_meant = TIERS[end.tier].is_meant
    new = [m for m in claimed if m.tier is end.tier and m.endings and is_meant and is_meant(m, end)]
    return [v for v in values if all(word_list(v.text) == word_list(m.text) for m in new)]


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
