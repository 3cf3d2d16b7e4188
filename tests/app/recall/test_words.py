from __future__ import annotations

import pytest

from app.languages import load_packs
from app.recall.words import Words

PACKS = load_packs()
TEXTS = {
    "en": "She was at the door with the lamp, and he did not see it when they came in.",
    "de": "Sie war mit der Lampe an der Tür, und er hat es nicht gesehen, als sie kamen.",
    "es": "Ella estaba en la puerta con la lámpara, y él no lo vio cuando llegaron a la casa.",
    "ja": "彼女は灯りを持って戸口に立っていた。彼はそれを見なかった。",
    "zh": "她拿着灯站在门口，他没有看见她们是什么时候进来的。",
}


def words_in(code: str) -> Words:
    found = Words(PACKS, TEXTS[code])
    assert found.language == code
    return found


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("en", "painted the fences", "painting a fence"),
        ("en", "The women wept.", "a weeping woman"),
        ("en", "the wolf’s broken teeth", "breaking a tooth of wolves"),
        ("de", "die alten Brücken", "eine alte Brücke"),
        ("es", "las cartas quemadas", "una carta quemada"),
    ],
)
def test_forms_of_one_word_are_one_term(code: str, one: str, other: str) -> None:
    words = words_in(code)
    assert set(words.of(one)) == set(words.of(other)) != set()


def test_what_a_question_asks_with_is_no_term() -> None:
    assert words_in("en").asked("What did they do when it was there?") == []
    assert words_in("de").asked("Was hat er damit gemacht, und wo?")[-1:] == ["gemacht"]


def test_a_possessive_is_the_name() -> None:
    words = words_in("en")
    assert words.of("Marlow’s ring") == words.of("the ring of Marlow")[::-1]


@pytest.mark.parametrize(
    ("code", "text", "pairs"), [("ja", "銀の鍵", ["銀の", "の鍵"]), ("zh", "灯塔", ["灯塔"])]
)
def test_scripts_without_spaces_are_read_as_pairs_of_signs(
    code: str, text: str, pairs: list[str]
) -> None:
    assert words_in(code).of(text) == pairs


def test_a_question_in_another_language_keeps_the_name_and_loses_its_little_words() -> None:
    asked = words_in("de").asked("What did Hannelore do with the lamp when she was at the door?")
    assert "hannelor" in asked
    assert not {"what", "the", "with", "she"} & set(asked)


def test_a_story_of_no_known_language_is_read_as_it_is_spelled() -> None:
    words = Words(PACKS, "zug zug gah")
    assert words.language == ""
    assert words.of("Gahna gahn") == ["gahna", "gahn"]


def test_a_word_without_end_is_none() -> None:
    assert words_in("en").of("a" * 5000 + " lamp") == ["lamp"]
