"""Known pitfalls of keeping a story's memory, and that each has a test which fails in it.

Such a test carries the marker `pitfall(n)`; `pytest -m pitfall` runs them all. Each was seen to
fail with the fault put back. Source: spec/smart-memory.md §23.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.numbered import numbered_tests

PITFALLS = {
    # Side by side, and coming and going
    1: "Requests to a model run side by side.",
    2: "SillyTavern waits with its own work until memory is done.",
    3: "A chat that is left during work gets into another one what was read in it.",
    4: "Who took part in a round is looked up when the next has begun; quiet ones count.",
    5: "Swipes and partial replies are read, or a reply without streaming never is.",
    6: "What was read is noted after the awaits; what is to be read again never is.",
    7: "What a catch-up has read is read again.",
    8: "The count of new replies starts anew without a reading.",
    9: "Requests share what aborts them.",
    10: "A recap comes twice, after somebody played on, or over another chat.",
    11: "A notice outlives its reason, or another one goes in its place.",
    12: "The budgets of one turn are kept as the user's.",
    13: "A task fails and nobody hears of it.",
    14: "One failure ends all that comes after it.",
    # What is kept
    15: "What is written back of the memories that hold takes the ended ones away.",
    16: "Saving memories writes over names and texts beside them.",
    17: "Rows are edited or deleted by their place on the screen.",
    18: "The sheet for a new memory stays when another chat is shown.",
    19: "A memory replaces itself.",
    20: "An arc is resolved by its number in a list that has changed.",
    21: "A reading takes back what the user did meanwhile.",
    22: "What has ended is carried along in every request.",
    23: "What is cleared leaves its names behind.",
    24: "Names are merged by what they are called.",
    25: "Merging names loses links in another keeping.",
    26: "A merge is loaded away before it is saved.",
    27: "A folded memory loses keywords and links.",
    28: "A name that became another comes back.",
    29: "Data without a field that came later break the reading, or a migration takes some away.",
    30: "Reading data changes them in place.",
    31: "A pinned arc that is resolved in one chat stays open in others.",
    32: "Arcs of a group come up elsewhere, also when it is gone.",
    33: "What is played read-only gets into portraits.",
    34: "After a break the next scene begins with the chat.",
    35: "Of a long scene only the beginning is read.",
    36: "A second look drops what replaces an older memory.",
    37: "NONE of one kind hides all others.",
    38: "Open arcs are not given to the ranking.",
    39: "First and last seen mix up the story's order with another.",
    40: "A canon is written without the one before.",
    41: "That memory is cut is said in groups only.",
    42: "The canon of a group counts no tokens.",
    43: "The shares of the total are more than it.",
    44: "Hyphenated names are no names.",
    45: "NONE with a full stop is a contradiction.",
    46: "Hiding from nobody in particular is dropped.",
    # Prompts and models
    47: "Examples and placeholders of a prompt become memories.",
    48: "Tags and square brackets are injected, and copied into the story.",
    49: "Notes that a model makes for itself get into what is kept.",
    50: "A question for one word begins with a lecture.",
    51: "A model that labels freely keeps everything.",
    52: "What is injected is summed up again; a section that is left out is lost.",
    53: "A reply that may be swiped is summed up.",
    54: "What has ended is shown to checks, portraits, digests or the ranking.",
    55: "Reasoning takes the room of the answer; stop words empty it; threads need a keyword.",
    56: "Limits of one measure are put to the other.",
    57: "A correction is told to all members of a group, or for good.",
    58: "The check for contradictions lacks the persona, or has another's card.",
    # The window and the page
    59: "Names and answers are read as markup.",
    60: "Overlays are cut off or block others; work is not seen or cannot be ended.",
}


@pytest.fixture(scope="module")
def tests_of() -> Mapping[int, list[str]]:
    return numbered_tests("pitfall")


def test_every_pitfall_has_a_test(tests_of: Mapping[int, list[str]]) -> None:
    assert list(PITFALLS) == list(range(1, 61))
    missing = [f"{n}: {fault}" for n, fault in PITFALLS.items() if n not in tests_of]
    assert not missing, "\n".join(missing)


def test_no_test_is_about_a_pitfall_that_is_none(tests_of: Mapping[int, list[str]]) -> None:
    unknown = {n: where for n, where in tests_of.items() if n not in PITFALLS}
    assert not unknown


def test_a_pitfall_has_a_test_that_runs_everywhere(tests_of: Mapping[int, list[str]]) -> None:
    """Not only beside a SillyTavern and a browser, which may be missing."""
    only = [n for n, found in tests_of.items() if all(where.startswith("e2e/") for where in found)]
    assert not only
