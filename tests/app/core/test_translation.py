"""Texts and numbers come in the language that was chosen, and in English where it has none."""

from __future__ import annotations

import gettext
import io
from collections.abc import Iterator

import pytest
from babel.messages import Catalog
from babel.messages.mofile import write_mo

from app.core import translation
from app.core.translation import number, retold, roughly, tr, trn


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    translation.use(translation.ENGLISH)


class Backwards(gettext.NullTranslations):
    """A language in which each text is turned round."""

    def gettext(self, message: str) -> str:
        return "{name} " + message[::-1].replace("}eman{", "")


def test_fields_are_filled_in_after_the_translation() -> None:
    translation.use_texts(Backwards())
    assert tr("{name} is away.", name="{0.__class__}") == "{0.__class__} .yawa si "


def test_a_text_without_fields_keeps_its_braces() -> None:
    assert tr("macros such as {{char}}") == "macros such as {{char}}"


def test_a_count_takes_its_form() -> None:
    said = [trn("{n} scene", "{n} scenes", n) for n in (0, 1, 2000)]
    assert said == ["0 scenes", "1 scene", "2,000 scenes"]


def test_numbers_are_grouped_as_the_language_has_it() -> None:
    assert number(1234567.25, 1) == "1,234,567.2"
    translation.use("de")
    assert translation.language() == "de"
    assert number(1234567.25, 1) == "1.234.567,2"


def test_what_is_only_expected_is_said_as_exactly_as_it_is_known() -> None:
    sizes = (7, 343, 2_347, 54_321, 999_499, 1_699_186, 2_000_000, 12_345_678)
    assert [roughly(size) for size in sizes] == (
        ["7", "340", "2,300", "54,000", "999,000", "1.7 million", "2 million", "12 million"]
    )
    translation.use("de")
    assert roughly(1_699_186) == "1,7 Mio."


def catalogue_of(texts: dict[str, str]) -> gettext.GNUTranslations:
    """What gettext reads of a few German texts."""
    catalog, file = Catalog("de"), io.BytesIO()
    for text, translated in texts.items():
        catalog.add(text, translated)
    write_mo(file, catalog)
    file.seek(0)
    return gettext.GNUTranslations(file)


def test_a_text_that_was_stored_in_english_is_told_with_its_fields() -> None:
    german = {
        "budget of {what}: {before}": "Budget von {what}: {before}",
        "{what}: {before}": "{before} für {what}",
        "scene name “{name}”": "Szene „{name}“",
        "Long-term": "Langzeit",
    }
    translation.use_texts(catalogue_of(german))
    assert retold("budget of Long-term: 400") == "Budget von Langzeit: 400"
    assert retold("scene name “Long-term”") == "Szene „Long-term“"
    assert retold("written by hand") == "written by hand"
    german = german | {"between thousands: a comma or a point\x04,": "."}
    translation.use_texts(catalogue_of(german))
    assert retold("budget of Long-term: 12,400") == "Budget von Langzeit: 12.400"


def test_words_of_others_in_quotation_marks_are_told_as_they_stand() -> None:
    german = {
        "{a} of {b}": "{a} von {b}",
        "{text} Again.": "{text} Noch einmal.",
        "memory": "Erinnerung",
        "It says: “{detail}”.": "Er sagt: „{detail}“.",
    }
    translation.use_texts(catalogue_of(german))
    for stored in ("Er ist weg. Er sagt: „CUDA out of memory“.", "Gone: “CUDA out of memory”."):
        assert retold(stored) == stored
    assert retold("It says: “CUDA out of memory”.") == "Er sagt: „CUDA out of memory“."
    assert retold("3 of memory") == "3 von Erinnerung"


def test_each_field_takes_as_little_as_it_can_and_a_name_stands_for_one_thing() -> None:
    german = {
        "{who} to {whom}: {what}.": "{whom} von {who}: {what}.",
        "{n} of {n} in {{braces}}": "{n} aus {n} in {{Klammern}}",
    }
    translation.use_texts(catalogue_of(german))
    assert retold("Ana to Mira to Bram: yes: no.") == "Mira to Bram von Ana: yes: no."
    assert retold("2 of 2 in {braces}") == "2 aus 2 in {Klammern}"
    for other in ("2 of 3 in {braces}", " to Mira: yes.", "Ana to Mira: .", "Ana to: yes."):
        assert retold(other) == other


@pytest.mark.parametrize("words", [" and ", "to of in ", "Scene: ", "“x” ", "{name} ", "a, a. "])
def test_no_words_of_a_user_take_long_to_be_told(words: str) -> None:
    """A pattern with a few fields would take minutes for these."""
    texts = [
        *("{a} and {b} and {c} and {d}.", "{a} of {b} in {c} to {d}", "Scene: {a}: {b}: {c}"),
        *("“{a}” {b} “{c}”", "{a}, {b}. {c}, {d}", "{a} and {b}", "{a} to {b}"),
    ]
    translation.use_texts(catalogue_of({text: f"{text}!" for text in texts}))
    assert retold(words * 20_000)


def test_what_was_stored_stays_as_it_is_in_english() -> None:
    assert retold("budget of {what}: 400") == "budget of {what}: 400"


def test_a_language_that_is_not_there_leaves_english() -> None:
    translation.use("tlh")
    assert translation.language() == "en"
    assert tr("Scenes") == "Scenes"


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LC_ALL": "C", "LANG": "de_DE"}, "en"),
        ({"LC_MESSAGES": "de", "LANG": "fr_FR"}, "de"),
        ({"LANG": "fr_FR"}, "en"),
    ],
)
def test_the_system_s_language_is_taken_where_there_is_a_translation(
    environment: dict[str, str], language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert translation.system_language() == language
