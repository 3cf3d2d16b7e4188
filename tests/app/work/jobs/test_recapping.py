"""Which kept answers are given again when the running recap is built anew."""

from __future__ import annotations

from dataclasses import replace

from app.story.recaps import RunningRecap, RunningVersion
from app.work.planning.folding import was_set_aside


def version(number: int, anchor: str, content: str, *, is_retired: bool = False) -> RunningVersion:
    made = RunningVersion(number, content, 1, "", anchor, "a model", 1.0)
    return replace(made, is_retired=is_retired)


def test_what_says_the_same_behind_other_words_is_not_paid_for_twice() -> None:
    """20 requests were sent and paid for twice, byte for byte the same."""
    first = version(1, "m9", "They met.")
    second = version(2, "m19", "They quarrelled.", is_retired=True)
    third = version(3, "m29", "They made peace.", is_retired=True)
    rebuilt = RunningRecap((first, second, third), 1)
    # Who has it built anew from the second scene on is given no old words...
    assert was_set_aside(rebuilt, replace(second, version=0, is_retired=False))
    # ...nor where what came first is only copied, or says what it said.
    same = RunningRecap((*rebuilt.versions, version(4, "m19", "They quarrelled.")), 4)
    assert was_set_aside(same, replace(third, version=0, is_retired=False))
    # Behind other words, what comes out as before is had for nothing.
    other = RunningRecap((*rebuilt.versions, version(4, "m19", "They fought.")), 4)
    assert not was_set_aside(other, replace(third, version=0, is_retired=False))
    assert not was_set_aside(rebuilt, version(0, "m19", "They fought."))
