"""What goes wrong with memory before a real model, and that each has a test which fails where it is
back.

A scripted model says what a test wants, in few words and in order; a language model reasons, writes
at length, repeats itself, and is only as good as what it is shown. Such a test carries the marker
`real_model(n)`; `pytest -m real_model` runs them all. Each was seen to fail with the fault put
back.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.numbered import numbered_tests

FAULTS = {
    # From what a model writes to what is kept
    1: "A recap is as long whatever its scene; what a model wrote beyond that goes without a word.",
    2: "A scene is called by a word that a cue found, not as the model says, or as another is.",
    3: "What is kept and shown is cut and not chosen: a secret goes out of sight, and on for ever.",
    4: "Within one answer what a later message takes back stays.",
    # From what is kept to the prompt
    5: "The prompt tells the past as the present, and leaves out how things stand now.",
    6: "What all memories say goes before what one alone tells, and before what is spoken of.",
    7: "Reasoning takes the room of the answer, and of the second try.",
    8: "What a merge repeats word for word loses what the other had.",
    9: "Somebody is told what is kept from them.",
    10: "The prompt tells again what stands in it anyway.",
    # What is asked for
    11: "Rules write over a model's work; an earlier moment begins with nothing.",
    12: "A reading is sent messages again, not what was noted; who alone can answer knows nothing.",
    13: "A merge writes all anew, asks for nothing, keeps what is over; asides become promises.",
    14: "The story's main question goes for newer ones, for good, and nobody is told.",
    15: "Results come in any order, keywords late; anything tells an arc; users get a canon.",
}


@pytest.fixture(scope="module")
def tests_of() -> Mapping[int, list[str]]:
    return numbered_tests("real_model")


def test_every_fault_has_a_test(tests_of: Mapping[int, list[str]]) -> None:
    assert list(FAULTS) == list(range(1, 16))
    missing = [f"{n}: {fault}" for n, fault in FAULTS.items() if n not in tests_of]
    assert not missing, "\n".join(missing)


def test_no_test_is_about_a_fault_that_is_none(tests_of: Mapping[int, list[str]]) -> None:
    unknown = {n: where for n, where in tests_of.items() if n not in FAULTS}
    assert not unknown


def test_a_fault_has_a_test_that_runs_everywhere(tests_of: Mapping[int, list[str]]) -> None:
    """Not only beside a SillyTavern and a browser, which may be missing."""
    only = [n for n, found in tests_of.items() if all(where.startswith("e2e/") for where in found)]
    assert not only
