"""Each translation is complete, fits the code, and is what the program reads."""

from __future__ import annotations

import re

import pytest
import translations
from babel.messages import Catalog

LANGUAGES = translations.languages()
MARKS_OF_NAMES = '/ \\ : * ? " < > |'  # what no file's name has


@pytest.fixture(scope="module")
def code() -> Catalog:
    return translations.texts_of_the_code()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_holds_the_texts_of_the_code_and_no_others(
    language: str, code: Catalog
) -> None:
    catalog = translations.read_catalog(language)
    held = {translations.key_of(message) for message in catalog if message.id}
    assert held == {translations.key_of(message) for message in code if message.id}, (
        "run packaging/translations.py update"
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_left_untranslated(language: str) -> None:
    catalog = translations.read_catalog(language)
    assert [translations.key_of(message) for message in translations.missing(catalog)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_translation_has_the_fields_of_its_text(language: str) -> None:
    catalog = translations.read_catalog(language)
    given = {
        translations.key_of(message): (
            list(message.string) if isinstance(message.string, tuple) else message.string
        )
        for message in catalog
        if message.id and message.string
    }
    assert translations.take(catalog, given) == []


def forms_of(language: str) -> list[str]:
    """All that a language says, each form by itself."""
    strings = (message.string for message in translations.read_catalog(language) if message.id)
    return [form for one in strings for form in (one if isinstance(one, tuple) else (one,))]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_says_its_sentence_twice(language: str) -> None:
    said = forms_of(language)
    assert [one for one in said if len(one) > 8 and one[: len(one) // 2] * 2 == one] == []


def test_german_sentences_quote_as_german_does() -> None:
    said = [one.replace(MARKS_OF_NAMES, "") for one in forms_of("de")]
    assert [one for one in said if re.search(r"[\"'”‘]|![rs]", one)] == []
    assert [one for one in said if one.count("„") != one.count("“")] == []
    assert [one for one in said if re.search(r"“\w|\w„", one)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_program_reads_what_the_translators_wrote(language: str) -> None:
    catalog = translations.read_catalog(language)
    binary = translations.TRANSLATIONS / f"{language}.mo"
    assert binary.read_bytes() == translations.compiled(catalog), (
        "run packaging/translations.py compile"
    )


def test_a_translation_that_loses_a_field_is_refused() -> None:
    catalog = Catalog("de")
    catalog.add("{name} is away.")
    catalog.add(("{n} scene", "{n} scenes"))
    [reason] = translations.take(catalog, {"{name} is away.": "Weg."})
    assert "fields" in reason
    assert translations.take(catalog, {"{n} scene": ["Eine Szene", "{n} Szenen"]}) == []


def test_texts_are_found_inside_other_texts_and_with_their_context() -> None:
    source = (
        "said = f\"{tr('One.')} {trn('{n} scene', '{n} scenes', 2)}\"\n"
        'tr("{a} and {b}", a=N_("inner"), b=tr_in("a state", "open"))\n'
        'tr(TABLE[key]), path.tr("not ours"), print("nor this")\n'
    )
    found = set(translations.texts_of_a_module(source))
    assert found == {
        ("One.", None),
        (("{n} scene", "{n} scenes"), None),
        ("{a} and {b}", None),
        ("inner", None),
        ("open", "a state"),
    }


def test_of_a_prompt_only_what_its_header_tells_people_is_translated() -> None:
    file = (
        "---\ntask: a\ntitle: A\npurpose: Does: a.\ninput b: The b.\n---\n\n# System\ntitle: no\n"
    )
    assert list(translations.texts_of_a_prompt(file)) == ["A", "Does: a.", "The b."]
