"""What a sentence says besides its words: changes, negations, numbers, names."""

from __future__ import annotations

import pytest

from app.languages import load_packs
from app.memory.lifecycle.state_change import CHANGES, Mismatch, Wording
from app.story.scene_cues.language import tokens_of

PACKS = {pack.code: pack for pack in load_packs()}
WORDING = Wording(tuple(PACKS.values()))


@pytest.mark.parametrize(
    "text",
    [
        "she now lives there",
        "until now we",
        "no longer trusts",
        "became queen",
        "was stolen",
        "has died",
        "once had",
        "moved out",
        "He doesn’t trust her anymore",
        "Kael used to serve the crown",
        "Mara switched to the other side",
        "The wound healed",
        "Jon lost his sword",
        "Kael joined the guard",
        "The bridge was destroyed",
        "They broke up",
        "Kael vertraut ihr nicht mehr",
        "Mara wurde getötet",
        "Sie ist jetzt in der Stadt",
        "Elle ne lui fait plus confiance",
    ],
)
def test_a_marker_says_that_something_changed(text: str) -> None:
    assert WORDING.read(text).says_change


@pytest.mark.parametrize(
    "text",
    ["he knows now", "He knows now. She waits.", "The tower has three gates", "Kael mag Äpfel"],
)
def test_no_marker_is_seen_where_none_is(text: str) -> None:
    assert not WORDING.read(text).says_change


@pytest.mark.parametrize("pack", PACKS.values(), ids=PACKS)
def test_every_pack_knows_changes_negations_guesses_and_numbers(pack: object) -> None:
    wording = Wording((pack,))  # type: ignore[arg-type]
    assert len(pack.values) >= 15  # type: ignore[attr-defined]
    phrases = {"de": ("nicht", "vielleicht"), "en": ("not", "maybe"), "es": ("no", "quizás")}
    phrases |= {"fr": ("pas", "peut être"), "it": ("non", "forse"), "nl": ("niet", "misschien")}
    phrases |= {"pl": ("nie", "chyba"), "pt": ("não", "talvez"), "ru": ("не", "возможно")}
    phrases |= {"ja": ("ません", "たぶん"), "zh": ("不是", "也许")}
    negation, guess = phrases[pack.code]  # type: ignore[attr-defined]
    assert wording.read(negation).is_negated
    assert wording.read(guess).is_hedged
    assert not wording.read("zzz").cues & CHANGES


@pytest.mark.parametrize(
    ("new", "old", "mismatch"),
    [
        ("Kael has four brothers", "Kael has three brothers", Mismatch.NUMBER),
        ("Kael has 4 brothers", "Kael has four brothers", None),
        ("Kael owes 1,000 coins", "Kael owes 1000 coins", None),
        ("Kael is twenty-three", "Kael is 23", None),
        ("Kael has brothers", "Kael has three brothers", None),
        ("Mara does not trust Jon", "Mara trusts Jon", Mismatch.NEGATION),
        ("Mara doesn't trust Jon", "Mara does not trust Jon", None),
        ("Mara loves Jon", "Mara loves Tom", Mismatch.NAME),
        ("Mara told Jon of it", "Jon told Mara of it", Mismatch.ROLES),
        ("Mara’s brother told Jon", "Mara told Jon", None),
        ("Jean-Luc waits", "Jean-Luc waits here", None),
        ("Kael hat vier Brüder", "Kael hat drei Brüder", Mismatch.NUMBER),
        ("Kael traut ihr nicht", "Kael traut ihr", Mismatch.NEGATION),
    ],
)
def test_what_likeness_does_not_show_is_seen(new: str, old: str, mismatch: Mismatch | None) -> None:
    assert WORDING.read(new).mismatch(WORDING.read(old)) is mismatch


def test_the_language_of_the_story_decides_what_a_word_means() -> None:
    english = Wording.of_story(tuple(PACKS.values()), "She was there, and he had been with her.")
    assert [pack.code for pack in english.packs] == ["en"]
    assert english.read("the rent is due").numbers == frozenset()


def test_a_capital_at_the_start_of_a_sentence_makes_no_name_where_names_are_known() -> None:
    plain, knowing = WORDING.read, WORDING.knowing(["Kael", "Jean-Luc"]).read
    text = "Hives stand there. Honey is sold by Jean-Luc and Mara. \u201cKael's bees\u201d"
    assert plain(text).names == ("hives", "honey", "jean-luc", "mara", "kael")
    assert knowing("Jean-Luc waits").names == ("jean-luc",)
    assert knowing(text).names == ("jean-luc", "mara", "kael")


def test_hostile_text_takes_no_time() -> None:
    long = "now " * 50_000 + "'-" * 50_000 + "1,1" * 50_000
    assert WORDING.read(long).says_change
    assert tokens_of(long)
