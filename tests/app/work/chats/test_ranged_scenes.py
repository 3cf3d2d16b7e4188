"""Recaps of runs of messages become scenes, and nothing of the user's is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.ranged_recaps import RangedRecap, apart
from app.story.clearance import Forgotten
from app.story.messages import Message, digest
from app.story.recaps import BUILT_IN, MEMORY_BOOKS, YOU, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.views.findings import Left, Omission
from app.work.chats.importing.ranged_scenes import Held, scenes_from

MESSAGES = [Message(f"m{n}", digest(f"text {n}"), "Mira", f"text {n}") for n in range(30)]
FOUND, HAND = BreakOrigin.HEURISTIC, BreakOrigin.HAND


def mark(index: int, origin: BreakOrigin = FOUND, **more: Any) -> SceneBreak:
    return replace(SceneBreak(f"m{index}", origin, "time"), **more)


def recap(index: int, made_by: str, text: str = "Ours.") -> SceneRecap:
    return SceneRecap(f"m{index}", 0, "", text, "d", made_by, 1.0)


def taken(
    *ranges: tuple[int, int],
    breaks: tuple[SceneBreak, ...] = (),
    recaps: tuple[SceneRecap, ...] = (),
    forgotten: Forgotten | None = None,
) -> tuple[Left, Mapping[Omission, int]]:
    told = [RangedRecap(first, last, f"S{first}", f"Told {first}.") for first, last in ranges]
    held = Held(
        MESSAGES,
        {one.anchor: one for one in breaks},
        {one.anchor: (one,) for one in recaps},
        forgotten or Forgotten(),
    )
    return scenes_from(apart(MEMORY_BOOKS, told, {}, len(MESSAGES)), held)


def shown(left: Left, *before: SceneBreak) -> list[tuple[int, int, str]]:
    """The closed scenes afterwards, each with its name."""
    marks = {one.anchor: one for one in (*before, *left.hidden, *left.breaks)}
    scenes = scenes_of(MESSAGES, marks)
    return [(s.first, s.last, s.name) for s in scenes if s.is_closed]


def test_each_run_is_a_scene_and_what_lies_between_two_is_one_without_a_recap() -> None:
    left, left_out = taken((0, 4), (5, 9), (14, 19))
    assert shown(left) == [(0, 4, "S0"), (5, 9, "S5"), (10, 13, ""), (14, 19, "S14")]
    assert [one.anchor for one in left.scene_recaps] == ["m4", "m9", "m19"]
    assert {one.made_by for one in left.scene_recaps} == {MEMORY_BOOKS}
    assert all(one.is_current for one in left.scene_recaps)
    assert left_out == {}


def test_breaks_that_were_found_here_give_way() -> None:
    before = (mark(2), mark(9), mark(12))
    left, _ = taken((0, 9), (10, 19), breaks=before)
    assert shown(left, *before) == [(0, 9, ""), (10, 19, "S10")]
    assert {one.anchor for one in left.hidden} == {"m2", "m12"}
    assert "2 scene breaks found here, which are replaced" in left.parts


def test_a_scene_that_the_user_marked_or_a_model_recapped_is_neither_cut_nor_joined() -> None:
    by_hand = (mark(5, HAND),)
    for before, recaps in ((by_hand, ()), ((mark(5),), (recap(5, "ollama"),))):
        for run in ((0, 9), (3, 5), (4, 12)):
            left, left_out = taken(run, breaks=before, recaps=recaps)
            assert not left
            assert left_out == {Omission.CROSSES: 1}
        left, left_out = taken((6, 9), breaks=before, recaps=recaps)
        assert shown(left, *before) == [(0, 5, ""), (6, 9, "S6")]
    named = (mark(5, is_named=True),)
    assert taken((0, 9), breaks=named)[1] == {Omission.CROSSES: 1}


def test_where_the_user_took_a_break_away_none_is_set_again() -> None:
    gone = mark(9, HAND, is_visible=False)
    for run in ((0, 9), (10, 14)):
        left, left_out = taken(run, breaks=(gone,))
        assert (left, left_out) == (Left(), {Omission.CROSSES: 1})


def test_what_the_user_or_a_model_wrote_goes_on_to_count_and_what_rules_wrote_does_not() -> None:
    for author, is_current in ((YOU, False), ("ollama:x", False), (BUILT_IN, True)):
        left, _ = taken((0, 9), breaks=(mark(9),), recaps=(recap(9, author),))
        assert [one.is_current for one in left.scene_recaps] == [is_current]


def test_what_is_known_or_was_put_away_is_no_news() -> None:
    ours = recap(9, MEMORY_BOOKS, "Told 0.")
    left, left_out = taken((0, 9), breaks=(mark(9, BreakOrigin.IMPORT),), recaps=(ours,))
    assert (left, left_out) == (Left(), {})
    for put_away in (Forgotten(scene_recaps={"m9": (ours,)}), Forgotten(scenes=frozenset({"m9"}))):
        assert taken((0, 9), forgotten=put_away)[0] == Left()


@given(
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)).map(sorted), max_size=8),
    st.dictionaries(
        st.integers(0, 29), st.tuples(st.sampled_from(BreakOrigin), st.booleans()), max_size=8
    ),
    st.sets(st.integers(0, 29), max_size=4),
)
def test_every_recap_closes_a_scene_of_exactly_its_messages(
    runs: list[list[int]], marks: dict[int, tuple[BreakOrigin, bool]], written: set[int]
) -> None:
    before = tuple(mark(n, origin, is_visible=seen) for n, (origin, seen) in marks.items())
    recaps = tuple(recap(n, "a model") for n in written)
    left, _ = taken(*((first, last) for first, last in runs), breaks=before, recaps=recaps)
    after = {last: first for first, last, _ in shown(left, *before)}
    for one in left.scene_recaps:
        last = int(one.anchor[1:])
        assert [after[last], last] in runs
    kept = {n for n, (origin, seen) in marks.items() if seen and origin in (HAND, "import")}
    assert kept <= after.keys(), "no break of the user's is gone"
    was = {last: first for first, last, _ in shown(Left(), *before)}
    assert all(after[n] == was[n] for n in kept), "no scene of the user's is cut"
