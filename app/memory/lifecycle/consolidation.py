"""Folds memories of one type that say the same into fewer, and loses nothing by it.

Source: spec/smart-memory.md §12. The model is shown known and new entries under numbers and writes
the lines to keep; what it merges ends by way of the merged one, and lives again when that falls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.memory.lifecycle.state_change import Mismatch, Statement, Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.reading.extraction import Work
from app.memory.records import (
    Ending,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.memory.similarity import (
    NO_VECTORS,
    PROFILE_A,
    Limit,
    Score,
    Thresholds,
    Vectors,
    word_list,
    words,
)
from app.memory.tiers.claims import Claim, ReadAnswer
from app.story.messages import combined_digest

MERGED: Mapping[Tier, Limit] = {
    Tier.LONG_TERM: Limit(0.70, 0.70),
    Tier.SESSION: Limit(0.65, 0.65),
}
# A cited entry with less in common with the line is a slip: cosine, or share of its own words.
CITED_COSINE, CITED_WORDS = 0.40, 0.30
# Below this nothing is about the same, and the model is not asked to merge it.
MAYBE_SAME = Limit(0.5, 0.3)
MOST_KNOWN = 30
MOST_NEW = 12  # at once; the others wait for the next time
LEAST_OUTPUT_TOKENS = 400
TOKENS_PER_ENTRY = 60
MOST_TRIGGERS = 12
_LASTING = (Expiration.SCENE, Expiration.SESSION, Expiration.PERMANENT)


@dataclass(frozen=True, slots=True)
class Batch:
    """Entries of one type to be folded. base: consolidated before; new: not yet."""

    tier: Tier
    type: str
    base: tuple[Memory, ...]
    new: tuple[Memory, ...]

    @property
    def entries(self) -> tuple[Memory, ...]:
        """All in the order of their numbers, which begin at 1."""
        return (*self.base, *self.new)

    @property
    def output_tokens(self) -> int:
        """What the answer may take (CN2)."""
        return max(LEAST_OUTPUT_TOKENS, len(self.entries) * TOKENS_PER_ENTRY)


def due(
    memories: Iterable[Memory], at: Mapping[str, int], *, is_forced: bool = False
) -> tuple[Batch, ...]:
    """One batch for each type of session and long term that has so many new entries (CN1).

    memories: active ones. at: number by type. is_forced: any new one will do. What a batch does not
    take stays new, so that it is due again afterwards.
    """
    by_type: dict[tuple[Tier, str], list[Memory]] = {}
    for memory in memories:
        if memory.tier in MERGED:
            by_type.setdefault((memory.tier, memory.type), []).append(memory)
    batches = []
    for (tier, type_), held in by_type.items():
        base = [m for m in held if m.is_consolidated]
        new = [m for m in held if not m.is_consolidated]
        least = 1 if is_forced else max(2, at.get(type_, 2))
        if len(new) >= least and len(held) > 1:
            batches.append(Batch(tier, type_, tuple(base[-MOST_KNOWN:]), tuple(new[:MOST_NEW])))
    return tuple(batches)


def split(batch: Batch, vectors: Vectors = NO_VECTORS) -> tuple[Batch, tuple[Memory, ...]]:
    """What of a batch may be about the same as a new entry, so that there is something to ask, and
    the new entries that are like no other.
    """
    alike: set[str] = set()
    for new in batch.new:
        for other in batch.entries:
            if other.id != new.id and vectors.score(new.text, other.text).reaches(MAYBE_SAME):
                alike |= {new.id, other.id}
    base, found = ([m for m in part if m.id in alike] for part in (batch.base, batch.new))
    apart = tuple(memory for memory in batch.new if memory.id not in alike)
    return replace(batch, base=tuple(base), new=tuple(found)), apart


def consolidated(
    batch: Batch,
    answer: ReadAnswer,
    work: Work,
    *,
    thresholds: Thresholds = PROFILE_A,
    wording: Wording = NO_WORDING,
    vectors: Vectors = NO_VECTORS,
) -> MemoryChange:
    """What the answer makes of the batch; nothing, when it cannot be trusted as a whole.

    An explicit NONE says that the new entries add nothing: each goes into the known one that is
    nearest, where one is near enough; the others stay. The same holds for new entries of which no
    line speaks. A number or a negation is never folded away.
    """
    claims = [c for c in answer.claims if c.tier is batch.tier and c.type == batch.type]
    named = wording.knowing(name for entry in batch.entries for name in entry.entities)
    folding = _Folding(batch, work, thresholds, named, vectors)
    if not answer.is_none and (
        not claims
        or len(claims) > len(batch.entries)
        or len(answer.skipped) > len(claims)
        or not all(map(folding.is_grounded, claims))
    ):
        return MemoryChange()
    for claim, entries in folding.assigned(claims):
        folding.merge(claim, entries)
    return folding.change()


@dataclass(slots=True)
class _Folding:
    """One consolidation under way. into: id of the entry that each one goes into."""

    batch: Batch
    work: Work
    thresholds: Thresholds
    wording: Wording
    vectors: Vectors
    merged: list[Memory] = field(default_factory=list)
    into: dict[str, str] = field(default_factory=dict)

    def is_grounded(self, claim: Claim) -> bool:
        """Whether the line names nobody and counts nothing that no entry does."""
        said = [self.wording.read(entry.text) for entry in self.batch.entries]
        words = {word for entry in self.batch.entries for word in word_list(entry.text)}
        new = self.wording.read(claim.text)
        inside = _without_first_word(claim.text)
        names = set(self.wording.read(inside).names) if inside else set()
        known = {name for statement in said for name in statement.names} | words
        known |= {word.removesuffix("'s").rstrip("'") for word in words}
        numbers = {number for statement in said for number in statement.numbers}
        return names <= known and new.numbers <= numbers

    def assigned(self, claims: Sequence[Claim]) -> list[tuple[Claim, list[Memory]]]:
        """The entries that each line stands for; each entry goes to one line."""
        taken: dict[str, int] = {}
        for entry in self.batch.entries:
            place = self._line_for(entry, claims)
            if place is not None:
                taken[entry.id] = place
        return [
            (claim, [entry for entry in self.batch.entries if taken.get(entry.id) == place])
            for place, claim in enumerate(claims)
        ]

    def merge(self, claim: Claim, entries: Sequence[Memory]) -> None:
        """Put a line in the place of its entries; an entry that it repeats stays as it is."""
        said = self.wording.read(claim.text)
        kept = [e for e in entries if self._keeps(said, e, entries)]
        new = [e for e in kept if e in self.batch.new]
        base = [e for e in entries if e in self.batch.base and (new or e in kept)]
        folded = [entry for entry in (*base, *new) if not _is_kept_as_it_is(entry)]
        spelled = word_list(claim.text)
        same = next((e for e in (*base, *new) if word_list(e.text) == spelled), None)
        if same is not None:
            self.into |= {entry.id: same.id for entry in folded if entry.id != same.id}
        elif folded:
            merged = self._made(claim, folded)
            self.merged.append(merged)
            self.into |= {entry.id: merged.id for entry in folded}

    def change(self) -> MemoryChange:
        """The merged ones, what ended by them, and what stays, marked as looked at."""
        changed: list[Memory] = []
        parts: dict[str, list[Memory]] = {}
        for entry in self.batch.new:
            if entry.id not in self.into and entry.id not in self.into.values():
                nearest = self._nearest_known(entry)
                if nearest and not _is_kept_as_it_is(entry):
                    self.into[entry.id] = self.into.get(nearest.id, nearest.id)
        for entry in self.batch.entries:
            if (into := self.into.get(entry.id)) is not None:
                parts.setdefault(into, []).append(entry)
        for entry in self.batch.entries:
            into = self.into.get(entry.id)
            if into is not None:
                ending = Ending(EndReason.MERGED, by=into)
                changed.append(replace(entry, endings=(*entry.endings, ending)))
                continue
            kept = replace(_with_all_of(entry, parts.get(entry.id, ())), is_consolidated=True)
            if kept != entry:
                changed.append(kept)
        merged = (_with_all_of(memory, parts.get(memory.id, ())) for memory in self.merged)
        return MemoryChange((*merged, *changed))

    def _line_for(self, entry: Memory, claims: Sequence[Claim]) -> int | None:
        number = self.batch.entries.index(entry) + 1
        best: tuple[bool, float, int] | None = None
        for place, claim in enumerate(claims):
            score = self.vectors.score(entry.text, claim.text)
            is_cited = number in claim.sources and _is_told(entry.text, claim.text, score)
            is_near = (
                score.reaches(self.thresholds.topic)
                if entry in self.batch.new
                else score.exceeds(MERGED[self.batch.tier])
            )
            found = (is_cited, self.thresholds.level(score), -place)
            if (is_cited or is_near) and (best is None or found > best):
                best = found
        return -best[2] if best else None

    def _nearest_known(self, entry: Memory) -> Memory | None:
        said = self.wording.read(entry.text)
        near = [
            (self.thresholds.level(score), other)
            for other in self.batch.base
            if (score := self.vectors.score(entry.text, other.text)).reaches(self.thresholds.topic)
            and said.mismatch(self.wording.read(other.text)) is None
        ]
        return max(near, key=lambda pair: pair[0])[1] if near else None

    def _keeps(self, said: Statement, entry: Memory, entries: Sequence[Memory]) -> bool:
        """Whether a line denies and counts what an entry does. What it denies beyond may be
        another's: "he may go" and "nobody else came" make one line with a "nobody".
        """
        own = self.wording.read(entry.text)
        lost = own.mismatch(said)
        if lost is Mismatch.NEGATION and said.is_negated:
            others = (self.wording.read(one.text) for one in entries if one is not entry)
            return any(other.is_negated for other in others)
        return lost not in (Mismatch.NUMBER, Mismatch.NEGATION)

    def _made(self, claim: Claim, entries: Sequence[Memory]) -> Memory:
        """One memory with all that its parts stand on."""
        ids = tuple(entry.id for entry in entries)
        sources = tuple(dict.fromkeys(s for entry in entries for s in entry.sources))
        # Its parts' own order goes on in what is made of them.
        created = max(self.work.now, *(entry.created for entry in entries))
        return Memory(
            id=combined_digest("merged", self.work.key, *ids),
            chat=self.work.chat,
            tier=self.batch.tier,
            type=self.batch.type,
            text=claim.text,
            character=entries[0].character,
            importance=entries[0].importance,
            expiration=entries[0].expiration,
            confidence=entries[0].confidence,
            unconfirmed_passes=entries[0].unconfirmed_passes,
            is_consolidated=True,
            supersedes=ids,
            sources=sources,
            grounding=_grounding(entries, sources),
            made_by=self.work.made_by,
            created=created,
        )


def _with_all_of(memory: Memory, parts: Sequence[Memory]) -> Memory:
    """A memory with all that weighs, calls up and has witnessed what went into it. Its text and its
    sources stay, and its importance where the user set it.
    """
    if not parts:
        return memory
    every = (memory, *parts)
    is_set = _is_kept_as_it_is(memory)
    return replace(
        memory,
        importance=memory.importance if is_set else max(one.importance for one in every),
        expiration=max((one.expiration for one in every), key=_LASTING.index),
        confidence=max(one.confidence for one in every),
        unconfirmed_passes=min(one.unconfirmed_passes for one in every),
        last_confirmed=max(one.last_confirmed for one in every),
        recalls=max(one.recalls for one in every),
        entities=_union(one.entities for one in every),
        triggers=_union(one.triggers for one in every)[:MOST_TRIGGERS],
        witnessed_by=_union(one.witnessed_by for one in every),
        contradicts=_union(one.contradicts for one in every),
    )


def _is_told(entry: str, line: str, score: Score) -> bool:
    """Whether a line may well stand for an entry; a long line has few words of each."""
    if score.is_cosine:
        return score.value >= CITED_COSINE
    own = words(entry)
    return len(own & words(line)) >= CITED_WORDS * max(1, len(own))


def _grounding(entries: Sequence[Memory], sources: Sequence[Source]) -> Grounding:
    return Grounding.DERIVED if sources else entries[0].grounding


def _is_kept_as_it_is(entry: Memory) -> bool:
    """What the user wrote or pinned is not written anew by a model."""
    return entry.is_pinned or entry.grounding is Grounding.YOURS


def _union(lists: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for items in lists for item in items))


def _without_first_word(text: str) -> str:
    """A sentence begins with a capital whatever its first word is."""
    return text.strip().partition(" ")[2]
