"""Older entries are looked through at the end of a scene, some scenes after the last look."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.core.operations import OperationKind
from app.memory.records import ARC, Document, DocumentKind, Memory, Tier
from app.story.recaps import SceneRecap
from app.story.story import Story
from app.work.planning.upkeep_planner import MESSAGES_BETWEEN, upkeep_due, upkeep_spec
from tests.app.work.planning.test_document_planner import SMALL, chat, planned, source, story

LAST = MESSAGES_BETWEEN  # message that ends the second scene


def threads(count: int = 6) -> tuple[Memory, ...]:
    return tuple(
        Memory(f"a{n}", 1, Tier.ARCS, ARC, f"Where is thing {n}?", sources=(source(n),))
        for n in range(count)
    )


def told(length: int = LAST + 4, *ends: int) -> Story:
    of = story(length, *(ends or (9, LAST)))
    recaps: dict[str, tuple[SceneRecap, ...]] = {
        f"m{end}": (SceneRecap(f"m{end}", 1, "Deed", f"Thing {end} was found.", "d", "m", 1.0),)
        for end in (ends or (9, LAST))
    }
    return replace(of, recaps=recaps)


def test_a_look_comes_at_the_end_of_a_scene() -> None:
    spec = planned(chat(told(), *threads()))[OperationKind.UPKEEP]
    assert spec.anchor == f"m{LAST}"
    due = upkeep_due(chat(told(), *threads()))
    assert due is not None
    assert [(s.number, s.text) for s in due.scenes] == [
        (1, "Thing 9 was found."),
        (2, f"Thing {LAST} was found."),
    ]
    assert due.scenes[-1].closing == source(LAST)


def test_the_next_look_waits_for_as_many_messages_and_tells_what_came_since() -> None:
    seen = Document("d", 1, DocumentKind.UPKEEP, "", sections={"a0": ""}, until=f"m{LAST}")
    assert upkeep_due(chat(told(), *threads(), documents=(seen,))) is None
    early = told(LAST * 2, 9, LAST, LAST * 2 - 3)
    assert upkeep_due(chat(early, *threads(), documents=(seen,))) is None
    later = told(LAST * 2 + 3, 9, LAST, LAST * 2 + 1)
    due = upkeep_due(chat(later, *threads(), documents=(seen,)))
    assert due is not None
    assert [s.number for s in due.scenes] == [3]


@pytest.mark.parametrize(
    "why",
    [
        {"upkeep_enabled": False},
        {"hardware_profile": "a"},
        {"writing": SMALL},
        {"is_read": False},
    ],
)
def test_no_look_without_a_capable_model_or_before_all_is_read(why: dict[str, Any]) -> None:
    assert OperationKind.UPKEEP not in planned(chat(told(), *threads(), **why))


def test_a_look_waits_for_the_recap_of_the_last_scene() -> None:
    unwritten = story(LAST + 4, 9, LAST)
    assert upkeep_spec(chat(unwritten, *threads())) is None
    # Where nobody writes recaps, what is remembered of the scenes tells of them.
    noted = Memory("f", 1, Tier.SESSION, "detail", "Thing 1 was found.", sources=(source(LAST),))
    due = upkeep_due(chat(unwritten, *threads(), noted, scene_recaps_auto=False))
    assert due is not None
    assert [(s.number, s.text) for s in due.scenes] == [(2, "- Thing 1 was found.")]


def test_other_entries_or_scenes_are_other_work() -> None:
    one = upkeep_spec(chat(told(), *threads()))
    other = upkeep_spec(chat(told(), *threads(7)))
    assert one is not None
    assert other is not None
    assert one.key != other.key
    assert one.key == upkeep_spec(chat(told(), *threads())).key  # type: ignore[union-attr]
