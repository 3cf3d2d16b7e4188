"""Which open threads stay in sight, which are put aside, and when they come back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.arcs.thread_cap import kept_threads, returning
from app.memory.records import ARC, Ending, EndReason, Memory, Source, Tier

QUESTIONS = (
    "What became of the drowned captain?",
    "Will the miller pay for the broken wheel?",
    "Who paints blue crosses on the doors?",
    "Does the bell tower stand until spring?",
    "Where did the grey horse run to?",
    "Will the baker forgive the apprentice?",
)


def arc(place: int, **fields: object) -> Memory:
    source = (Source(1, f"m{place}"),)
    made = Memory(f"a{place}", 1, Tier.ARCS, ARC, QUESTIONS[place], sources=source)
    return replace(made, **fields)  # type: ignore[arg-type]


ARCS = tuple(map(arc, range(len(QUESTIONS))))


def told(place: int, text: str) -> Memory:
    return Memory(f"t{place}", 1, Tier.SESSION, "detail", text, sources=(Source(1, f"m{place}"),))


def aside(memory: Memory, reason: EndReason = EndReason.OUTRANKED) -> Memory:
    return replace(memory, endings=(Ending(reason, sources=(Source(1, "m9"),)),))


def kept(*arcs: Memory, most: int = 3, of: tuple[Memory, ...] = ()) -> list[str]:
    return [memory.id for memory in kept_threads(arcs, most, of, frozenset({"the", "of", "will"}))]


@pytest.mark.real_model(14)
def test_the_question_that_opens_the_story_outlasts_newer_ones() -> None:
    assert kept(*ARCS) == ["a0", "a4", "a5"]


def test_what_the_story_comes_back_to_stays() -> None:
    back = (
        told(12, "The miller looks at the broken wheel again."),
        told(15, "The miller has hidden money under the wheel."),
        told(18, "The miller's wheel turns once more."),
    )
    assert "a1" in kept(*ARCS, of=back)
    once = tuple(replace(memory, sources=ARCS[1].sources) for memory in back)
    assert "a1" not in kept(*ARCS, of=once), "its own message is no return"


def test_weight_counts_and_what_is_yours_always_stays() -> None:
    assert "a2" in kept(*ARCS[:2], replace(ARCS[2], importance=3), *ARCS[3:])
    assert "a1" in kept(ARCS[0], replace(ARCS[1], is_pinned=True), *ARCS[2:])


def test_where_there_is_room_none_goes() -> None:
    assert kept(*ARCS, most=6) == [memory.id for memory in ARCS]


@pytest.mark.real_model(14)
def test_a_thread_that_was_put_aside_comes_back_into_the_room_there_is() -> None:
    waiting = [aside(ARCS[1]), aside(ARCS[2])]
    back = returning(waiting, ARCS[3:5], 3)
    assert [(memory.id, memory.endings) for memory in back] == [("a1", ())]
    assert len(returning(waiting, ARCS[3:5], 9)) == 2
    assert returning(waiting, ARCS[3:6], 3) == ()


def test_what_is_over_or_asked_anew_does_not_come_back() -> None:
    assert returning([aside(ARCS[1], EndReason.RESOLVED)], (), 9) == ()
    both = replace(aside(ARCS[1]), endings=aside(ARCS[1]).endings * 2)
    assert returning([both], (), 9) != ()
    anew = replace(ARCS[1], id="new")
    assert returning([aside(ARCS[1])], (anew,), 9) == ()
