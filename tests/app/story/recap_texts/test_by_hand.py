"""What the user wrote into the running recap is known, for as long as it is told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.story.recap_texts.by_hand import by_hand, carried, reworded, within
from app.story.recaps import YOU, RunningVersion

TOLD = """DEVELOPMENTS
Ada found the key. She hid it well.
Bert left the town."""
CORRECTED = TOLD.replace("She hid it well.", "She gave it to Clara.")


def version(number: int, content: str, made_by: str = "a model") -> RunningVersion:
    return RunningVersion(number, content, number, "", f"m{number}", made_by, float(number))


def test_only_what_nobody_said_before_is_yours() -> None:
    versions = (version(0, TOLD), version(1, CORRECTED, YOU))
    assert by_hand(versions, versions[0]) == ()
    assert by_hand(versions, versions[1]) == ("She gave it to Clara.",)


def test_it_is_yours_through_later_versions_until_you_take_it_out() -> None:
    later = CORRECTED.replace("Bert left the town.", "Bert is gone.")
    taken_out = later.replace(" She gave it to Clara.", " Clara has it.")
    versions = [version(0, TOLD), version(1, CORRECTED, YOU), version(2, later)]
    assert by_hand(versions, versions[2]) == ("She gave it to Clara.",)
    versions.append(version(3, taken_out, YOU))
    assert by_hand(versions, versions[3]) == ("Clara has it.",)


def test_a_version_that_says_it_in_other_words_is_known() -> None:
    lost = version(2, TOLD.replace("She hid it well.", "Somebody has it."))
    versions = (version(0, TOLD), version(1, CORRECTED, YOU), lost)
    assert reworded(versions, lost) == ("She gave it to Clara.",)
    assert reworded(versions, versions[1]) == ()
    assert reworded(versions[:1], versions[0]) == ()


def test_the_newest_of_it_has_half_of_the_room() -> None:
    more = CORRECTED + "\nClara rode to Harrow."
    versions = (version(0, TOLD), version(1, CORRECTED, YOU), version(2, more, YOU))
    both = by_hand(versions, versions[2])
    assert both == ("Clara rode to Harrow.", "She gave it to Clara.")
    assert within(both, 60, lambda text: 20) == both[:1]
    assert within(both, 80, lambda text: 20) == both


FOLDED = TOLD + "\nDora came home.\nSTATE\nAda is in the mill."


def test_what_was_corrected_meanwhile_is_carried_onto_what_was_folded_in() -> None:
    lines = ("Ada found the key. She gave it to Clara.", "Bert left the town.", "Dora came home.")
    text = carried(TOLD, CORRECTED, FOLDED)
    assert [line for line in lines if line in text] == list(lines)
    assert "She hid it well." not in text
    assert text.endswith("STATE\nAda is in the mill.")


def test_what_was_taken_out_stays_out_and_what_a_model_reworded_stays_beside() -> None:
    assert "Bert" not in carried(TOLD, TOLD.replace("Bert left the town.", ""), FOLDED)
    reworded_ = FOLDED.replace("Ada found the key. She hid it well.", "The key is found.")
    text = carried(TOLD, CORRECTED, reworded_)
    assert "The key is found." in text
    assert text.index("She gave it to Clara.") < text.index("STATE")


@given(st.lists(st.sampled_from(["a b", "c d", "e f", "", "OPEN"])).map("\n".join), st.text())
def test_nothing_changed_changes_nothing_and_all_of_it_is_theirs(before: str, after: str) -> None:
    assert carried(before, after, before) == after
    onto = f"{before}\nmore"
    assert carried(before, before, onto) == onto
