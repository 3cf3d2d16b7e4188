"""Other budgets tried on the recaps of a story: the same as deciding everything anew."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from app.llm.tokenizer import counter_for
from app.story.inclusion import Inclusion, InclusionRules, InclusionState, include
from app.story.inclusion_preview import Counted, InclusionPreview
from app.story.messages import Message, MessageRecap, digest
from app.story.story import ChatKind, ChatRef, Story

COUNT = counter_for().count
WORDS = ("Ann", "finds", "the", "letter", "under", "chapel", "floor,", "rain", "Bert's", "42")

texts = st.lists(st.sampled_from(WORDS), min_size=0, max_size=12).map(" ".join)
recaps = st.lists(st.tuples(texts, st.booleans(), st.booleans()), max_size=30)


def told(given_recaps: list[tuple[str, bool, bool]], rules: InclusionRules) -> Story:
    """A story with these recaps: text, whether remembered, whether left out."""
    messages = tuple(
        Message(str(n), digest("text"), "Ann", "text") for n in range(len(given_recaps))
    )
    kept = {
        str(n): MessageRecap(text, is_remembered=remembered, is_excluded=left_out)
        for n, (text, remembered, left_out) in enumerate(given_recaps)
    }
    tokens = (1,) * len(messages)
    inclusion = include(messages, kept, rules, message_tokens=tokens, count=COUNT)
    return Story(
        ChatRef(Path("a.jsonl"), ChatKind.FILE, "a"),
        messages,
        message_recaps=kept,
        inclusion=inclusion,
        message_tokens=tokens,
    )


def states(story: Story, counted: Counted) -> list[InclusionState]:
    found = [one.state for one in story.inclusion]
    for places, state in (
        (counted.included, InclusionState.INCLUDED),
        (counted.long_term, InclusionState.LONG_TERM),
        (counted.out, InclusionState.OUT_OF_BUDGET),
    ):
        for index in places:
            found[int(index)] = state
    return found


@given(recaps, st.integers(0, 120), st.integers(0, 60), st.booleans())
def test_another_budget_gives_what_deciding_anew_gives(
    given_recaps: list[tuple[str, bool, bool]], limit: int, long_term: int, skips: bool
) -> None:
    story = told(given_recaps, InclusionRules(40, 20, skip_oversized=skips))
    preview = InclusionPreview(story, COUNT, skip_oversized=skips)
    anew = told(given_recaps, InclusionRules(limit, long_term, skip_oversized=skips))
    assert states(story, preview.under(limit, long_term)) == [o.state for o in anew.inclusion]


def test_a_budget_that_holds_hundreds_of_recaps_is_cut_at_the_same_place() -> None:
    many = [(f"Ann counts {n} coins and goes on.", False, False) for n in range(600)]
    story = told(many, InclusionRules(100))
    preview = InclusionPreview(story, COUNT)
    for limit in (0, 1, 799, 3_000, 10_000_000):
        anew = told(many, InclusionRules(limit))
        assert states(story, preview.under(limit, 0)) == [o.state for o in anew.inclusion]


def test_what_counts_is_told_oldest_first() -> None:
    story = told([("One.", False, False), ("Two.", True, False)], InclusionRules(0))
    preview = InclusionPreview(story, COUNT)
    assert preview.text(preview.under(100, 0)) == "One.\nTwo."
    assert preview.under(100, 0).tokens == COUNT("One.") + COUNT("Two.")


def test_a_story_without_recaps_has_nothing_to_try() -> None:
    story = Story(
        ChatRef(Path("a.jsonl"), ChatKind.FILE, "a"),
        inclusion=(Inclusion(InclusionState.NONE, ""),),
    )
    preview = InclusionPreview(story, COUNT)
    assert len(preview) == 0
    assert not len(preview.under(100, 100).out)
