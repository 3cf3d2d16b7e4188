"""An answer in another language than its source is known, and no other is taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.story.answers.answer_language import is_in_another_language

PACKS = load_packs()
SAID = {
    "en": "She was in the house when he came to the door, and they had not seen her for a year.",
    "de": "Sie war im Haus, als er an die Tür kam, und man hatte sie ein Jahr lang nicht gesehen.",
    "fr": "Elle était dans la maison quand il est venu à la porte, et on ne la voyait plus.",
    "es": "Ella no estaba en la casa cuando el hombre llegó a la puerta con su carta para los dos.",
    "ru": "Она была в доме, когда он пришёл к двери, и они уже год её не видели.",
    "ja": "彼が戸口に来たとき、彼女は家の中にいた。二人は一年も彼女を見ていなかった。",
    "zh": "他来到门口的时候她正在屋里，他们已经有一年没有见过她了，谁也没有说话。",
    "ko": "그가 문 앞에 왔을 때 그녀는 집 안에 있었고 그들은 일 년 동안 그녀를 보지 못했다.",
}
# Words that both have.
RELATED = {frozenset(("es", "fr"))}


@pytest.mark.parametrize("source", SAID)
@pytest.mark.parametrize("answer", SAID)
def test_a_language_is_told_from_another(source: str, answer: str) -> None:
    is_other = source != answer and frozenset((source, answer)) not in RELATED
    assert is_in_another_language(SAID[source], SAID[answer], PACKS) is is_other


@pytest.mark.parametrize(
    "answer",
    [
        "Mira, Tobias. Velm. Harbour; rope; two crowns.",
        "Sie lacht.",
        "",
        f"He said to her in the house: “{SAID['de'][:40]}…”, and she did not know what it was.",
        "HP 12/40, MP 3/9, STR 11",
    ],
)
def test_what_is_short_or_a_list_or_only_quotes_is_never_another(answer: str) -> None:
    assert not is_in_another_language(SAID["en"], answer, PACKS)


def test_japanese_in_signs_that_chinese_has_too_is_never_another() -> None:
    signs = "東京都庁で三日間の会議が開かれ、首相と知事が出席した。予算案は可決、来年四月施行。"
    assert not is_in_another_language(SAID["ja"], signs, PACKS)


def test_a_source_in_two_languages_may_be_answered_in_either() -> None:
    both = f"{SAID['en']} {SAID['de']}"
    assert not any(is_in_another_language(both, SAID[code], PACKS) for code in ("en", "de"))


@given(st.text(max_size=200), st.sampled_from(list(SAID)))
def test_any_text_is_in_its_own_language(text: str, code: str) -> None:
    assert not is_in_another_language(text, text, PACKS)
    is_in_another_language(text, SAID[code], PACKS)
