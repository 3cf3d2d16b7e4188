"""Words of the request are known in whatever was read of an answer; words of the story are not."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from app.llm.prompts.prompt_files import TAG, load_prompts
from app.story.answers.echoes import echoes, sentences_of

TEMPLATE = """You note what happens.

- Names stand in place of "he" or "she" in every line. Be short.

The merged recap takes at most {{tokens}} tokens.
"""


@dataclass(frozen=True)
class Read:
    name: str
    lines: tuple[str, ...]


def test_a_sentence_is_looked_for_without_its_bullet_and_what_was_filled_in() -> None:
    ours = sentences_of(TEMPLATE)
    assert ours == {
        'names stand in place of "he" or "she" in every line.',
        "the merged recap takes at most",
    }
    assert echoes("So: the merged  recap takes at most 950 tokens.", ours)
    assert echoes(Read("A walk", ("Ann left.", "The merged recap takes at most 9 tokens.")), ours)
    assert echoes({"now": 'Names stand in place of "he" or "she" in every line.'}, ours)
    assert not echoes(Read("A walk", ("Ann left. Be short.",)), ours)


def test_a_tag_around_an_input_is_no_part_of_an_answer() -> None:
    assert echoes("Ann left. </scene>", (), {"scene", "recap"})
    assert not echoes("Ann left the <b>scene</b>. ‹/scene›", (), {"scene", "recap"})


def test_a_story_may_tell_of_such_words() -> None:
    said = "The merged recap takes at most 950 tokens, says the machine."
    assert not echoes(said, sentences_of(TEMPLATE), given=[f"Bo reads: {said}"])


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.tuples(inner)))
def test_whatever_was_read_is_looked_through(read: object) -> None:
    assert echoes(read, sentences_of(TEMPLATE), {"scene"}) in (False, True)


def test_each_prompt_has_sentences_to_be_known_by() -> None:
    for prompt in load_prompts().by_task.values():
        ours = sentences_of(prompt.system, prompt.user)
        assert len(ours) > 5
        assert all(echoes(one, ours, TAG.findall(prompt.user)) for one in ours)
