"""Whom a name means, and whom it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.entities.name_finder import NameFinder, bare
from app.memory.entities.naming import Directory
from app.memory.records import Entity

TITLES = frozenset({"captain", "lady", "mrs", "mr", "doctor"})


def person(name: str, *aliases: str, locked: bool = False, kind: str = "character") -> Entity:
    return Entity(f"id of {name}", 1, name, kind, aliases=aliases, is_locked=locked)


def found(directory: Directory, name: str, kind: str = "character", said: str = "") -> str | None:
    entity = directory.find(name, kind, lambda words: words in said)
    return None if entity is None else entity.name


CAST = Directory.of(
    [
        person("Captain Ilse Brandt", locked=True),
        person("Teodor", locked=True),
        person("Mara Quill", "the Magpie"),
        person("Mara Quill's boat", kind="object"),
        person("Anna Lee Hart"),
        person("Piet Vos"),
        person("Saskia Vos"),
    ],
    TITLES,
)


@pytest.mark.parametrize(
    ("name", "whom"),
    [
        ("captain ilse brandt", "Captain Ilse Brandt"),
        ("Ilse Brandt", "Captain Ilse Brandt"),
        ("Ilse", "Captain Ilse Brandt"),
        ("Captain Ilse", "Captain Ilse Brandt"),
        ("Captain Brandt", "Captain Ilse Brandt"),
        ("Magpie", "Mara Quill"),
        ("The Magpie", "Mara Quill"),
        ("Mara", "Mara Quill"),
        ("Mrs. Quill", "Mara Quill"),
        ("Anna Hart", "Anna Lee Hart"),
        ("Piet", "Piet Vos"),
    ],
)
def test_a_shorter_form_means_the_one_person_who_has_it(name: str, whom: str) -> None:
    assert found(CAST, name) == whom


@pytest.mark.parametrize(
    "name",
    [
        "Lady Brandt",  # another title
        "Brandt",  # a surname alone
        "Ilse Moreau",  # another surname
        "Mrs Vos",  # there are two
        "Vos",
        "Captain",  # no name at all
        "Mar",  # a part of a word
        "Quill's",
    ],
)
def test_what_may_be_somebody_else_is_kept_apart(name: str) -> None:
    assert found(CAST, name) is None


def test_a_surname_that_a_card_lacks_is_believed_only_when_the_story_says_it() -> None:
    assert found(CAST, "Teodor Blackwood") is None
    assert found(CAST, "Teodor Blackwood", said="I am Teodor Blackwood.") == "Teodor"


def test_a_first_name_of_two_people_means_neither() -> None:
    both = Directory.of([person("Gus Tallow", locked=True), person("Gus Merrit")], TITLES)
    assert found(both, "Gus") is None
    assert found(both, "Gus Tallow") == "Gus Tallow"


def test_who_is_called_by_a_short_name_shares_it_with_nobody_of_another_surname() -> None:
    cast = Directory.of([person("Gus Tallow", "Gus", locked=True)], TITLES)
    assert found(cast, "Gus Merrit", said="Gus Merrit came in.") is None


def test_a_person_is_no_thing_of_the_same_name() -> None:
    cast = Directory.of([person("Raven", locked=True)], TITLES)
    assert found(cast, "Raven", kind="object") is None
    assert found(cast, "Raven", kind="unknown") == "Raven"


def test_things_are_found_by_their_whole_name_alone() -> None:
    cast = Directory.of([person("Harrow Mill", kind="place")], TITLES)
    assert found(cast, "the harrow mill", kind="place") == "Harrow Mill"
    assert found(cast, "Harrow", kind="place") is None
    assert found(cast, "Harrow") is None


@pytest.mark.parametrize(
    ("name", "text", "is_there"),
    [
        ("Ann", "She planned it with Anna.", False),
        ("Ann", "It was Ann’s idea.", True),
        ("Will", "He will come.", False),
        ("Will", "Then Will came.", True),
        ("Jean-Luc", "Ask Jean-Luc!", True),
        ("Jean", "Ask Jean-Luc!", False),
        ("the Harrow Mill", "at the Harrow Mill, late", True),
        ("Mara's lantern", "on Mara's lantern again", True),
        ("田中", "田中は言った。", True),
        ("forged pass", "A forged pass lay there.", True),
        ("forged pass", "A forged passport lay there.", False),
    ],
)
def test_a_name_is_found_as_a_whole_word(name: str, text: str, is_there: bool) -> None:
    assert bool(NameFinder([(name, 1)]).find(text)) is is_there


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=8), st.text(max_size=200))
def test_no_name_and_no_text_breaks_it(name: str, known: list[str], text: str) -> None:
    cast = Directory.of([Entity(str(n), 1, k, "character") for n, k in enumerate(known)], TITLES)
    cast.find(name, "character", lambda _: True)
    NameFinder((k, k) for k in known).find(text)
    assert bare(bare(name)) == bare(bare(bare(name)))


@given(st.sampled_from(["Ilse", "Mara", "Piet", "Teodor"]), st.sampled_from([" ", "  ", "’"]))
def test_a_found_name_is_found_again_by_its_canonical_form(name: str, space: str) -> None:
    whom = found(CAST, name)
    assert whom is not None
    assert found(CAST, whom) == whom
