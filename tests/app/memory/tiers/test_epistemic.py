"""Lines on who knows what (spec/smart-memory.md §7 PE, §25)."""

from __future__ import annotations

import pytest

from app.memory.reading.answers import read_answer
from app.memory.records import Tier
from app.memory.tiers.claims import Claim


def only(text: str) -> Claim:
    (claim,) = read_answer(text).claims
    return claim


def test_tags_come_in_any_case() -> None:
    claim = only("[HIDING] D from E|z")
    assert (claim.type, claim.subject, claim.target, claim.text) == ("hiding", "D", "E", "z")


@pytest.mark.parametrize("lead", ["1. ", "- ", "# ", "* ", "1) "])
def test_numbers_and_bullets_before_an_entry_are_let_pass(lead: str) -> None:
    assert only(f"{lead}[knows] Jean-Luc | the way out").subject == "Jean-Luc"


@pytest.mark.parametrize("line", ["[hiding] Ann | the key", "[hiding] Ann from him | the key"])
@pytest.mark.pitfall(46)
def test_hiding_without_a_target_is_hiding_from_everyone(line: str) -> None:
    claim = only(line)
    assert (claim.subject, claim.target) == ("Ann", "everyone")


def test_a_secret_may_be_kept_from_several() -> None:
    assert only("[hiding] Ann from the other guests | the key").target == "the other guests"


def test_how_it_was_learned_is_read() -> None:
    claim = only("[knows:sources=5:by=Jean-Luc:via=told] Ann | the code | He told her at length.")
    assert (claim.told_by, claim.channel, claim.sources) == ("Jean-Luc", "told", (5,))
    assert (claim.text, claim.detail) == ("the code", "He told her at length.")


@pytest.mark.parametrize(
    ("said", "channel"),
    [
        ("seen", "saw"),
        ("heard", "told"),
        ("letter", "read"),
        ("deduced", "inferred"),
        ("magic", ""),
    ],
)
def test_other_words_for_a_channel_are_folded(said: str, channel: str) -> None:
    assert only(f"[knows:via={said}] Ann | the code").channel == channel


@pytest.mark.parametrize(
    "line",
    [
        "[believes] Ann | Bob does not know the code",
        "[believes] Ann thinks that Bob | does not know the code",
        "[unaware] Ann thinks Bob | the code",
        "[unaware] Ann believes that Bob | the code",
    ],
)
def test_what_one_thinks_of_anothers_knowledge_is_the_thinkers(line: str) -> None:
    claim = only(line)
    assert (claim.type, claim.subject) == ("believes", "Ann")
    assert claim.text == "Bob does not know the code"


@pytest.mark.parametrize(
    ("tag", "state"),
    [("know", "knows"), ("Suspect", "suspects"), ("does not know", "unaware"), ("hides", "hiding")],
)
def test_other_forms_of_a_tag_are_folded(tag: str, state: str) -> None:
    assert (
        only(f"[{tag}] Ann from Bob | the code").type == state
        if state == "hiding"
        else (only(f"[{tag}] Ann | the code").type == state)
    )


@pytest.mark.parametrize(
    "line",
    [
        "[knows] Ann",
        "[knows] Ann |",
        "[knows] | the code",
        "[knows] everyone | the code",
        "[knows] <A> | that <C> has <thing>",
        "[knows] Ann | " + "x" * 501,
        "[guesses] Ann | the code",
        "Ann knows the code.",
    ],
)
def test_what_has_no_holder_or_no_matter_is_refused(line: str) -> None:
    assert not read_answer(line).claims


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("[retire]3", (3,)),
        ("[retire] #2", (2,)),
        ("[retire] 1, 4.", (1, 4)),
        ("[retire:sources=7] 1, 3", (1, 3)),
        ("[retire] 1 and 3", (1, 3)),
        ("[retire] 2-4", (2, 3, 4)),
        ("[retire 3]", (3,)),
        ("[retire:3:sources=9]", (3,)),
        ("[retire] entry 3", (3,)),
        ("[retire] 3 | Ann learned it at 5 o'clock", (3,)),
        ("[retire] 3 (Ann learned it at 5 o'clock)", (3,)),
        ("[Retired] 99", (99,)),
    ],
)
def test_retired_entries_are_named_by_number(line: str, numbers: tuple[int, ...]) -> None:
    (end,) = read_answer(line).ends
    assert end.numbers == numbers


def test_a_source_is_not_a_retired_entry() -> None:
    assert not read_answer("[retire:sources=7]").ends


def test_the_vectors_of_one_answer() -> None:
    answer = read_answer("[retire]3\n[retire] #2\n[retire] 1, 4.")
    assert {number for end in answer.ends for number in end.numbers} == {1, 2, 3, 4}


def test_a_list_of_names_is_one_entry_for_each() -> None:
    """A line for three people became one of a person with three names."""
    answer = read_answer("[unaware] Ann Lee, Bob and Cay | that the well is dry", [Tier.EPISTEMIC])
    assert [claim.subject for claim in answer.claims] == ["Ann Lee", "Bob", "Cay"]
    hidden = read_answer("[hiding] Ann from Bob, Cay | that the well is dry", [Tier.EPISTEMIC])
    assert [(c.subject, c.target) for c in hidden.claims] == [("Ann", "Bob"), ("Ann", "Cay")]


@pytest.mark.parametrize("name", ["Ann of the well, the dry one", "the guests and the cook"])
def test_a_name_with_a_comma_or_an_and_stays_whole(name: str) -> None:
    answer = read_answer(f"[hiding] Ann from {name} | the key", [Tier.EPISTEMIC])
    assert [claim.target for claim in answer.claims] == [name]


def test_a_bracket_that_is_opened_in_a_name_is_closed() -> None:
    assert only("[knows] Rosa (the child) | where the key is").subject == "Rosa (the child)"
