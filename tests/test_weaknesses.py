"""Weaknesses of ST-Auto-Recap to be free of, and that each has a test which fails where it is back.

Such a test carries the marker `weakness(n)`; `pytest -m weakness` runs them all. Each was seen to
fail with the fault put back. Source: spec/auto-recap.md §11.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.numbered import numbered_tests

WEAKNESSES = {
    # What is kept in the chat
    1: "A save that waits is made of the chat that is open then; a closed tab loses it.",
    2: "The first swipe is not mirrored, a new one inherits a scene, an old one takes it back.",
    3: "A chat that was renamed, copied or brought back loses its running recap without a word.",
    4: "A branch keeps what the running recap tells of its future.",
    5: "Indexes are places: a deleted or inserted message makes versions and names wrong.",
    6: "A cleared running recap does not say whose it is, and is reset again.",
    7: "An edited version gets a number that is taken, lacks keys, and is not told.",
    8: "A chosen version that is not there: nothing is injected, and nothing says so.",
    9: "Looking at a chat changes its file.",
    10: "The whole lorebook is kept with every recap and every message.",
    11: "What is kept grows without a bound.",
    12: "Hiding a break that was never drawn shows it.",
    13: "An answer is not checked: a break is set where none may be, or switched off.",
    14: "A result gets into the chat that is open when it comes.",
    15: "What one stage hands to the next is left behind.",
    # What is remembered
    16: "Messages are hidden before anything tells of them.",
    17: "The next prompt has the old text after a fold, an edit, or another version.",
    18: "Newest scenes are not left out, and none cannot be chosen.",
    19: "Folds build on different versions; an old scene that is folded again comes twice.",
    20: "A recap of an early scene made anew becomes a running recap without the later ones.",
    21: "What a scene recap is made from is not the scene that is shown.",
    22: "A recap's $ is taken for a pattern; a role is text.",
    23: "Budgets have no default; what counts is stale, or is compared with other words.",
    24: "One recap that is too long keeps out all older ones.",
    25: "The preview of what is injected shows something else.",
    26: "That nothing is new is an error, asked for without end; what is behind it never comes.",
    27: "A list where a text was expected breaks the reader.",
    28: "Recaps of older forms are read as nothing.",
    # How long it takes
    29: "All of the text is counted again at each step.",
    30: "Values that are there already are written.",
    31: "Everything is hidden and shown again each time.",
    32: "A file of SillyTavern's is written for each step of the queue.",
    33: "All rows are drawn anew for one change.",
    34: "The same messages are searched for breaks again and again.",
    # Hiding
    35: "What the user hid is shown again.",
    # The queue
    36: "Tries have no bound; what is cancelled runs on to its answer.",
    37: "One that is tried again later holds up all others.",
    38: "What the user clears is an error, and is tried again.",
    39: "Who waits for one that was cancelled waits for ever and does not say so.",
    40: "Clearing waits a fixed time and hopes; a pause keeps SillyTavern from sending.",
    41: "Work keeps the user from sending a message.",
    42: "A request goes under the name of another.",
    43: "A choice that was forced is taken for none.",
    44: "No offset is an offset of two; a minimum has three defaults, and is lost on the way.",
    # Settings, window, safety
    45: "Migrations do not run; settings are read under a wrong name.",
    46: "Settings without a function are shown.",
    47: "A character is known by its number; a negative depth cuts from the end.",
    48: "What the user writes is run as a pattern, without a limit.",
    49: "Names and texts are read as markup.",
    50: "What is imported is not checked, and nobody is asked about what is there already.",
    51: "Prompts are logged.",
    52: "Two texts with one hash are one.",
    53: "Nothing can be taken back.",
    54: "What is to be made shorter gets longer; keywords without end; the same thing twice.",
    55: "A refusal is tried again.",
    56: "Facts are lost or come twice; the model changes during work; help tells other defaults.",
    57: "Storage, inclusion, hiding and versions have no tests.",
    58: "What is said of a default is not the default.",
}


@pytest.fixture(scope="module")
def tests_of() -> Mapping[int, list[str]]:
    return numbered_tests("weakness")


def test_every_weakness_has_a_test(tests_of: Mapping[int, list[str]]) -> None:
    assert list(WEAKNESSES) == list(range(1, 59))
    missing = [f"{n}: {fault}" for n, fault in WEAKNESSES.items() if n not in tests_of]
    assert not missing, "\n".join(missing)


def test_no_test_is_about_a_weakness_that_is_none(tests_of: Mapping[int, list[str]]) -> None:
    unknown = {n: where for n, where in tests_of.items() if n not in WEAKNESSES}
    assert not unknown


def test_a_weakness_has_a_test_that_runs_everywhere(tests_of: Mapping[int, list[str]]) -> None:
    """Not only beside a SillyTavern and a browser, which may be missing."""
    only = [n for n, found in tests_of.items() if all(where.startswith("e2e/") for where in found)]
    assert not only
