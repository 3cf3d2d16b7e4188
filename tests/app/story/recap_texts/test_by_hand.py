"""What the user wrote into the running recap is known, for as long as it is told."""

from __future__ import annotations

from app.story.recap_texts.by_hand import by_hand, reworded, within
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
