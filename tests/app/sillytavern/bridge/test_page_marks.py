"""The marks of messages: bounded, in words, and only what became different."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from app.sillytavern.bridge.page_marks import (
    LONGEST_NAME,
    LONGEST_REASON,
    LONGEST_RECAP,
    PageMark,
    difference,
    message_checksum,
    page_marks,
)
from app.sillytavern.bridge.page_writing import line_checksum
from app.sillytavern.chat_line import LineDecoder
from app.story.inclusion import NO_RECAP_YET, Inclusion, InclusionState
from app.story.messages import Message, MessageRecap, digest
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from tests.chat_files import jsonl, message

INCLUDED = Inclusion(InclusionState.INCLUDED, "In the budget.")


def story(
    length: int = 4,
    *,
    recap: str = "",
    inclusion: Inclusion = INCLUDED,
    break_at: int | None = None,
    name: str = "",
) -> Story:
    """Messages that all have the same recap."""
    texts = [f"Text {n}." for n in range(length)]
    messages = tuple(Message(f"a{n}", digest(t), "Ada", t) for n, t in enumerate(texts))
    mark = {} if break_at is None else {f"a{break_at}": hand_made(f"a{break_at}", name)}
    return Story(
        ChatRef(Path("x.jsonl"), ChatKind.FILE, "x"),
        messages,
        breaks=mark,
        scenes=scenes_of(messages, mark),
        message_recaps={m.anchor: MessageRecap(recap) for m in messages} if recap else {},
        inclusion=tuple(inclusion for _ in messages),
    )


def hand_made(anchor: str, name: str) -> SceneBreak:
    return SceneBreak(anchor, BreakOrigin.HAND, "hand", name=name)


def marks_of(shown: Story, first: int = 0) -> dict[int, PageMark]:
    return page_marks(shown, first, with_ends=True, with_recaps=True)


def test_a_mark_says_in_words_what_became_of_the_recap() -> None:
    stale = Inclusion(InclusionState.OUT_OF_BUDGET, "Full.", is_stale=True)
    mark = marks_of(story(recap="They met.", inclusion=stale))[0]
    assert (mark.state, mark.word) == ("out-of-budget", "Out of budget, from an earlier text")
    assert (mark.reason, mark.recap) == ("Full.", "They met.")


def test_a_message_without_recap_and_scene_end_has_no_mark() -> None:
    assert marks_of(story(inclusion=NO_RECAP_YET)) == {}


def test_a_failure_is_shown_where_there_is_no_recap() -> None:
    failed = Inclusion(InclusionState.FAILED, "The model is away.")
    assert marks_of(story(inclusion=failed))[2].word == "Failed"


def test_only_what_is_wanted_is_told() -> None:
    shown = story(recap="They met.", break_at=1, name="Quay")
    ends = page_marks(shown, 0, with_ends=True, with_recaps=False)
    assert {index: mark.end for index, mark in ends.items()} == {1: "1: Quay"}
    assert page_marks(shown, 0, with_ends=False, with_recaps=False) == {}
    assert min(marks_of(shown, first=2)) == 2


def test_texts_are_bounded_and_one_line() -> None:
    long = Inclusion(InclusionState.INCLUDED, "r" * 10_000)
    shown = story(recap="a\n\nb " * 10_000, inclusion=long, break_at=0, name="n\n" * 10_000)
    mark = marks_of(shown)[0]
    assert len(mark.recap) == LONGEST_RECAP
    assert len(mark.reason) == LONGEST_REASON
    assert len(mark.end) <= LONGEST_NAME + 20
    assert "\n" not in mark.recap + mark.end


def test_a_difference_tells_the_newest_first_and_clears_what_is_gone() -> None:
    before = marks_of(story(recap="They met."))
    now = story(recap="They met.", break_at=2)
    told = difference(before, marks_of(now), now)
    assert [mark.index for mark in told] == [2]
    bare = story(inclusion=NO_RECAP_YET)
    cleared = difference(before, marks_of(bare), bare)
    assert [mark.index for mark in cleared] == [3, 2, 1, 0]
    assert not any(mark.word or mark.end for mark in cleared)


def test_messages_that_are_gone_are_not_told_of() -> None:
    before = marks_of(story(length=4, recap="They met."))
    shorter = story(length=2, recap="They met.")
    assert difference(before, marks_of(shorter), shorter) == []


@settings(max_examples=40)
@given(st.text(max_size=30), st.text(max_size=60), st.booleans())
def test_a_message_has_the_checksum_of_its_line(name: str, text: str, hidden: bool) -> None:
    raw = message(0, text, name=name) | {"is_system": hidden}
    line = LineDecoder().decode(jsonl([raw]))[0]
    same = Message("a", line.content_hash, line.name, line.text, is_hidden=line.is_hidden)
    assert message_checksum(same) == line_checksum(line)


def test_half_a_surrogate_pair_counts_as_the_page_counts_it() -> None:
    half, replaced = (Message("a", "", "Ada", text) for text in ("a\ud83d b", "a\ufffd b"))
    assert message_checksum(half) == message_checksum(replaced)
