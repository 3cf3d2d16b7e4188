"""How sure a memory is: more when it is said again, less when it long is not (spec §10, DE6)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType

from app.memory.names import folded
from app.memory.records import FIRST_CONFIDENCE, Memory

CONFIRMED_BY = 0.05
PASSES_UNTIL_DOUBT = 10
DOUBTED_BY = 0.02
LEAST_CONFIDENCE = 0.3


def confirmed(memory: Memory, now: float, heard_by: Collection[str] = ()) -> Memory:
    """Said again. now: seconds since the epoch. heard_by: who was there, which they know as well
    from now on.
    """
    known = set(map(folded, memory.witnessed_by))
    more = [name for name in dict.fromkeys(heard_by) if folded(name) not in known]
    return replace(
        memory,
        witnessed_by=(*memory.witnessed_by, *more) if known else (),
        confidence=min(1.0, round(memory.confidence + CONFIRMED_BY, 4)),
        unconfirmed_passes=0,
        last_confirmed=max(now, memory.last_confirmed),
    )


def aged(memory: Memory) -> Memory:
    """A pass more in which it was not said. From the tenth on it is less sure, but never below .3,
    and what is below already stays there. Nothing is deleted, and importance stays.
    """
    passes = memory.unconfirmed_passes + 1
    confidence = memory.confidence
    if passes >= PASSES_UNTIL_DOUBT:
        lower = round(confidence - DOUBTED_BY, 4)
        confidence = min(confidence, max(LEAST_CONFIDENCE, lower))
    return replace(memory, unconfirmed_passes=passes, confidence=confidence)


def is_judged(memory: Memory) -> bool:
    """Whether anything says how sure it is: its maker, or readings since."""
    return memory.confidence != FIRST_CONFIDENCE


def after_pass(
    known: Iterable[Memory],
    said_again: Collection[str],
    now: float,
    heard_by: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> tuple[Memory, ...]:
    """The memories that held before a pass, in their new state. heard_by: by id, see `confirmed`.

    For each pass that was read, also when all in it was known; not for one that failed, and not
    for what the pass itself added.
    """
    return tuple(
        confirmed(m, now, heard_by.get(m.id, ())) if m.id in said_again else aged(m) for m in known
    )
