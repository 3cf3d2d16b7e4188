"""What the user says of memories: whether an entry makes sense, and what a command makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.errors import UsageError
from app.core.translation import number, tr
from app.memory.records import (
    ENTITY_TYPES,
    LEDGER_FIELDS,
    Ending,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Review,
)
from app.memory.similarity import normalised, word_list
from app.memory.tiers.table import TIERS

LONGEST_TEXT = 4000  # characters; it goes into prompts
EDITABLE = (
    *("text", "type", "importance", "expiration", "subject", "target", "field", "magnitude"),
    *("detail", "told_by", "channel"),
)


def checked(memory: Memory) -> Memory:
    """The memory with its words in order. Raises UsageError when it makes no sense in its tier."""
    memory = replace(
        memory,
        text=memory.text.strip(),
        subject=" ".join(memory.subject.split()),
        target=" ".join(memory.target.split()),
    )
    if not memory.text:
        raise UsageError(tr("A memory needs a text."))
    if len(memory.text) > LONGEST_TEXT:
        raise UsageError(tr("A memory has at most {n} characters.", n=number(LONGEST_TEXT)))
    spec = TIERS[memory.tier]
    if memory.type not in spec.types:
        kinds = ", ".join(spec.types)
        raise UsageError(
            tr(
                "“{type}” is not a type. Possible types: {kinds}.",
                type=memory.type,
                kinds=kinds,
            )
        )
    if memory.importance not in (1, 2, 3):
        raise UsageError(tr("Importance goes from 1 to 3."))
    problem = spec.problem(memory)
    if problem:
        raise UsageError(problem)
    return memory


def resolved_by_hand(memory: Memory, text: str) -> Memory:
    """The arc, closed. text: how. Raises UsageError when it is closed already, or no arc."""
    if not TIERS[memory.tier].is_thread:
        raise UsageError(tr("Only plot threads can be resolved."))
    if any(ending.reason is EndReason.RESOLVED and not ending.sources for ending in memory.endings):
        raise UsageError(tr("This plot thread is already resolved."))
    ending = Ending(EndReason.RESOLVED, text=text.strip())
    return replace(memory, endings=(*memory.endings, ending))


def reopened(memory: Memory, holding: Iterable[Memory]) -> Memory:
    """The memory, holding again. holding: what holds now.

    Raises UsageError when it never ended, or when the same is open already (§8.6).
    """
    if not memory.endings:
        raise UsageError(tr("This has not ended."))
    words = word_list(memory.text)
    for other in holding:
        if (
            other.id != memory.id
            and (other.tier, other.type) == (memory.tier, memory.type)
            and (other.subject, other.target, other.field)
            == (memory.subject, memory.target, memory.field)
            and word_list(other.text) == words
        ):
            raise UsageError(tr("The same memory already exists and still holds."))
    return replace(memory, endings=())


def reviewed(memories: Sequence[Memory], review: Review) -> tuple[Memory, ...]:
    """Those that the user's word changes. Raises UsageError for what needs none."""
    if any(memory.review is Review.NONE for memory in memories):
        raise UsageError(tr("This is not waiting for review."))
    return tuple(replace(m, review=review) for m in memories if m.review is not review)


def what_is_said(memory: Memory) -> tuple[object, ...]:
    """The same for memories that say the same word for word of the same."""
    about = (memory.subject, memory.target, memory.field)
    return (memory.tier, memory.type, *about, *word_list(memory.text))


def without_twins(
    memories: Sequence[Memory], known: Iterable[Memory]
) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """Of those that wait and say the same word for word the first, and its twins.

    known: the twins may be any of these, also ones that are not among `memories`.
    """
    first: dict[tuple[object, ...], str] = {}
    for memory in memories:
        first.setdefault(what_is_said(memory), memory.id)
    twins = tuple(
        memory
        for memory in {m.id: m for m in (*known, *memories)}.values()
        if memory.review is Review.WAITING
        and first.get(what_is_said(memory), memory.id) != memory.id
    )
    ids = {twin.id for twin in twins}
    return tuple(memory for memory in memories if memory.id not in ids), twins


def retyped(entity: Entity, type_: str, ledger: Iterable[Memory]) -> MemoryChange:
    """An entity of another type; its lines in the ledger go along where that type has them (§8.5).

    ledger: all of that tier. Raises UsageError.
    """
    if type_ not in ENTITY_TYPES:
        raise UsageError(
            tr("“{type}” is not one of these: {kinds}.", type=type_, kinds=", ".join(ENTITY_TYPES))
        )
    if entity.is_locked:
        raise UsageError(
            tr("{name} has a character card, or is you, and stays a character.", name=entity.name)
        )
    names = {normalised(name) for name in (entity.name, *entity.aliases)}
    fields = LEDGER_FIELDS.get(type_, ())
    lines = [m for m in ledger if normalised(m.subject) in names and m.type == entity.type]
    return MemoryChange(
        memories=tuple(replace(line, type=type_) for line in lines if line.field in fields),
        entities=(replace(entity, type=type_),),
        removed=frozenset(line.id for line in lines if line.field not in fields),
    )
