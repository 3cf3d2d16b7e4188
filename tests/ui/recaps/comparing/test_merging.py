"""What is chosen and written between two versions, and how it is taken back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.story.comparison import Choice, compare
from ui.recaps.comparing.merging import OPEN_WORDS, Merge

LEFT = "Dov\nHe sold it.\n\nThe crew\nThey wait.\n\nMidge\nShe climbs."
RIGHT = "Dov\nHe gave it.\n\nThe crew\nThey wait.\n\nThe Feast\nThe lamps go out."


def merge(left: str = LEFT, right: str = RIGHT) -> Merge:
    return Merge(compare(left, right))


def test_what_is_not_chosen_says_so_and_is_left_out() -> None:
    made = merge()
    assert len(made.differences) == made.open_count == 3
    assert made.display.count(OPEN_WORDS) == 3
    assert made.text == "The crew\nThey wait."
    for start, end in made.open_stretches():
        assert made.display[start:end] == OPEN_WORDS


def test_each_difference_is_taken_by_itself() -> None:
    made = merge()
    made.take(0, Choice.RIGHT)
    made.take(1, Choice.LEFT)
    made.take(2, Choice.LEFT)  # the left text has nothing there
    assert made.text == "Dov\nHe gave it.\n\nThe crew\nThey wait.\n\nMidge\nShe climbs."
    assert made.open_count == 0
    made.take(0, Choice.BOTH)
    assert made.text.startswith("Dov\nHe sold it.\nHe gave it.\n\nThe crew")


def test_one_side_throughout_is_exactly_that_text() -> None:
    made = merge(LEFT + "\n", "\n" + RIGHT)
    made.take_all(Choice.LEFT)
    assert made.text == LEFT + "\n"
    made.take_all(Choice.RIGHT)
    assert made.text == "\n" + RIGHT


def test_each_step_is_taken_back_by_its_name() -> None:
    made = merge()
    made.take(0, Choice.RIGHT)
    made.take(1, Choice.LEFT)
    assert made.undo_label == "take left in Midge"
    assert made.undo() == "take left in Midge"
    assert made.is_open(1)
    assert made.undo_label == "take right in Dov"
    assert made.redo() == "take left in Midge"
    assert made.choice(1) is Choice.LEFT


def test_words_written_in_an_open_place_push_its_notice_aside() -> None:
    made = merge()
    start, _ = made.open_stretches()[0]
    shown = made.display
    cursor = made.type_text(shown[: start + 3] + "H" + shown[start + 3 :])
    assert made.display.startswith("Dov\nH\n\nThe crew")
    assert cursor == len("Dov\nH")
    shown = made.display
    assert made.type_text(shown.replace("Dov\nH", "Dov\nHe")) is None
    assert made.text.startswith("Dov\nHe\n\nThe crew")
    assert not made.is_open(0)
    assert made.undo() == "writing"
    assert made.is_open(0)


def test_written_words_outlast_a_choice_elsewhere_and_give_way_to_one_in_their_place() -> None:
    made = merge()
    made.take_all(Choice.RIGHT)
    made.type_text(made.display.replace("He gave it.", "He gave it. Gladly."))
    made.take(1, Choice.LEFT)
    assert "Gladly." in made.text
    assert made.choice(0) is None
    made.take(0, Choice.LEFT)
    assert "Gladly." not in made.text
    assert "He sold it." in made.text


def test_deleting_everything_leaves_nothing_and_writing_goes_on() -> None:
    made = merge()
    made.take_all(Choice.RIGHT)
    made.type_text("")
    assert made.text == ""
    made.type_text("Anew.")
    assert made.text == "Anew."


_step = st.one_of(
    st.tuples(st.just("take"), st.integers(0, 2), st.sampled_from(Choice)),
    st.tuples(
        st.just("type"), st.integers(0, 80), st.integers(0, 12), st.text("ab \n", max_size=3)
    ),
)


@given(st.lists(_step, max_size=8))
def test_what_the_editor_shows_is_what_was_typed_or_is_said_to_be_other(
    steps: list[object],
) -> None:
    made = merge()
    states = []
    for step in steps:
        states.append((made.undo_label, made.display, made.text))
        match step:
            case ("take", int(number), Choice() as choice):
                made.take(number, choice)
            case ("type", int(at), int(size), str(words)):
                shown = made.display[:at] + words + made.display[at + size :]
                if made.type_text(shown) is None:
                    assert made.display == shown
        assert OPEN_WORDS not in made.text
    while made.undo():
        pass
    assert (made.display, made.text) == (merge().display, merge().text)
    while made.redo():
        pass
