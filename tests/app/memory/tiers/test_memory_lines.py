"""Lines of long-term and session memory (spec/smart-memory.md §8.1 to §8.4, §25)."""

from __future__ import annotations

import textwrap

import pytest

from app.memory.reading.answers import read_answer
from app.memory.records import Expiration, Tier
from app.memory.tiers.claims import Claim, Mention


def only(text: str) -> Claim:
    (claim,) = read_answer(text).claims
    return claim


def test_spaces_may_stand_around_the_colons() -> None:
    claim = only("[relationship : 3 : session] She trusts Kael with her life.")
    assert (claim.type, claim.importance, claim.expiration) == (
        "relationship",
        3,
        Expiration.SESSION,
    )


def test_modifiers_come_in_any_order_and_the_type_in_any_case() -> None:
    claim = only("[EVENT:2:entity=Bob/character,Ann:scene] They met at the old mill.")
    assert claim.type == "event"
    assert claim.importance == 2
    assert claim.expiration is Expiration.SCENE
    assert claim.entities == (Mention("Bob", "character"), Mention("Ann"))


def test_unknown_modifiers_leave_the_defaults() -> None:
    claim = only("[fact:5:forever] The king is dead.")
    assert (claim.importance, claim.expiration) == (2, Expiration.PERMANENT)


def test_a_session_memory_lasts_for_the_session_by_default() -> None:
    assert only("[detail:2] The third stair creaks.").expiration is Expiration.SESSION


@pytest.mark.parametrize(
    "tag",
    [
        "fact:score=3:expires=scene:sources=1,2",
        "fact:source_indices=1-2:importance=3:expiration=scene",
        "fact:3:scene][sources=1,2",
        "fact, 3, scene, sources=1, 2",
        "fact|3|scene|sources=[1],[2]",
        "fact 3 sources=#1 and #2 expires=scene score=3",
    ],
)
def test_keyed_modifiers_are_read_in_every_spelling(tag: str) -> None:
    claim = only(f"[{tag}] The king is dead.")
    assert (claim.type, claim.importance, claim.sources) == ("fact", 3, (1, 2))
    assert claim.expiration is Expiration.SCENE
    assert claim.text == "The king is dead."


def test_sources_are_never_entities() -> None:
    claim = only("[fact:sources=0:entity=Kael/character,0,1-3,sources=2] The king is dead.")
    assert [mention.name for mention in claim.entities] == ["Kael"]
    assert claim.sources == (0,)


def test_sources_that_cannot_be_are_kept_for_the_check() -> None:
    assert only("[fact:sources=0,99] The king is dead.").sources == (0, 99)


def test_a_citation_behind_the_content_counts() -> None:
    claim = only("[fact:2] The king is dead (sources: 3, 4).")
    assert (claim.text, claim.sources) == ("The king is dead", (3, 4))


def test_triggers_are_read() -> None:
    assert only("[fact:triggers=Bees, hives] She is allergic.").triggers == ("bees", "hives")


@pytest.mark.parametrize(
    ("content", "is_read"),
    [
        ("x" * 7, False),
        ("x" * 8, True),
        ("x" * 500, True),
        ("x" * 501, False),
        ("maybe the king is dead", False),
        ("The king might be dead", False),
        ("Perhaps the king is dead", False),
        ("It seems like the king died", False),
        ("I think the king is dead", False),
        ("The king is possibly dead", False),
        ("The Maybelle sank in the bay", True),
        ("<A> gave <thing> to <B>", False),
        ("{{char}} likes the rain", False),
        ("She wrote a < b on the wall > twice", True),
    ],
)
def test_long_term_content_is_firm_and_of_fit_length(content: str, is_read: bool) -> None:
    assert bool(read_answer(f"[fact:2] {content}").claims) is is_read


@pytest.mark.parametrize(("length", "is_read"), [(4, False), (5, True), (500, True), (501, False)])
def test_session_content_is_of_fit_length(length: int, is_read: bool) -> None:
    assert bool(read_answer(f"[detail] {'x' * length}").claims) is is_read


def test_a_hedge_is_allowed_in_session_memory() -> None:
    assert only("[detail] Kael might be lame.").tier is Tier.SESSION


def test_an_unknown_type_is_no_memory() -> None:
    answer = read_answer("[rumour:2] The king is dead.")
    assert not answer.claims
    assert answer.skipped == ("[rumour:2] The king is dead.",)


@pytest.mark.parametrize(
    "text",
    [
        "[fact:2:sources=1] Kael has a scar that\nruns over his left cheek.",
        "[fact:2:sources=1]\nKael has a scar that runs over his left cheek.",
        "[fact:2:\nsources=1] Kael has a scar that runs over his left cheek.",
        "[fact:2:sources=1] Kael has a scar that\n   runs over his left cheek.\n\nDone.",
        "- [fact:2:sources=1] Kael has a\n  scar that runs over his left\n  cheek.\nI hope so.",
    ],
)
def test_a_wrapped_line_is_joined(text: str) -> None:
    claim = only(text)
    assert claim.text == "Kael has a scar that runs over his left cheek."
    assert claim.sources == (1,)


def test_two_entries_on_one_line_are_two() -> None:
    answer = read_answer("[fact:2:sources=1] The king died. [detail:1:sources=2] It rains in here.")
    assert [claim.text for claim in answer.claims] == ["The king died.", "It rains in here."]


@pytest.mark.parametrize(
    "text",
    [
        '[fact:2] "The king is dead."',
        "[fact:2] “The king is dead.”",
        "[fact:2] **The king is dead.**",
        "[fact:2]: The king is dead.",
        "[fact:2] - The king is dead.",
        "[fact:2] <b>The king</b> is dead.",
        r"\[fact:2\] The king is dead.",
        "【fact：2】 The king is dead.",
        "| [fact:2] The king is dead. |",
        "[Facts:2] The king is dead.",
    ],
)
def test_markup_is_no_part_of_the_content(text: str) -> None:
    claim = only(text)
    assert (claim.type, claim.text) == ("fact", "The king is dead.")


def test_quotation_marks_inside_the_content_stay() -> None:
    assert only('[fact:2] "Fox" is what they call "Kael"').text == (
        '"Fox" is what they call "Kael"'
    )


def test_other_words_for_a_type_of_entity_are_folded() -> None:
    claim = only(
        "[fact:entity=Kael/person,Marn/location,Ring/item,Owls/group,Rain/weather] The king died."
    )
    assert [mention.type for mention in claim.entities] == [
        *("character", "place", "object", "faction", "unknown")
    ]


def test_a_line_that_was_wrapped_before_a_name_is_joined() -> None:
    told = "The lantern over the flooded stair of the old mill belongs to Ysolde of Marn-on-Sea"
    for width in range(40, 90):
        wrapped = "\n".join(textwrap.wrap(f"[fact:2:sources=1] {told}", width))
        assert only(wrapped).text == told


def test_prose_after_a_short_line_is_not_joined() -> None:
    answer = read_answer(
        "[fact:1] Kael is lame\nKael walks on.\n[fact:1] Ann was born at sea, they say\nAll noted."
    )
    assert [claim.text for claim in answer.claims] == [
        "Kael is lame",
        "Ann was born at sea, they say",
    ]


def test_a_short_sentence_of_a_dense_script_says_enough() -> None:
    assert only("[fact:sources=1] 王は死んだ").text == "王は死んだ"
    assert only("[arc:sources=1] 誰が銀の鍵を盗んだか").text == "誰が銀の鍵を盗んだか"
    assert not read_answer("[fact:sources=1] 王は\n[arc:sources=1] 誰が鍵を").claims
