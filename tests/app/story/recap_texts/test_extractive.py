"""Recaps without a model: in the story's words, within their room, the same each time."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.prompt.tokens import estimate_tokens
from app.story.messages import Message, digest
from app.story.recap_texts.extractive import extract_message_recap, extract_scene_recap
from app.story.recap_texts.folding import fold_running


def messages(*texts: str, names: tuple[str, ...] = ("Ann", "Bo")) -> list[Message]:
    return [
        Message(anchor=str(i), content_hash=digest(t), name=names[i % len(names)], text=t)
        for i, t in enumerate(texts)
    ]


SCENE = messages(
    "*The bell over the chandlery door rings and nobody looks up.*",
    '"I need the brass sextant back before the Meridian sails on the 14th," *she says.*',
    '"Hm." *He shrugs.*',
    '"Hm, hm." *She shrugs too.*',
    '"The sextant is at Corvin Hall. Lady Tamsin took it for a debt of ninety crowns."',
    '"Well, well." *He looks at the door.*',
)


def recap(scene: list[Message], tokens: int = 120) -> tuple[str, ...]:
    return extract_scene_recap(scene, tokens=tokens, count_tokens=estimate_tokens).sentences


def test_what_matters_is_taken_and_small_talk_is_left() -> None:
    text = "\n".join(recap(SCENE, 70))
    assert "sextant" in text
    assert "ninety crowns" in text
    assert "Hm" not in text


def test_each_line_says_who_speaks() -> None:
    assert any(line.startswith("Ann: “") for line in recap(SCENE))


def test_lines_stand_in_the_storys_order() -> None:
    whole = "\n".join(m.text for m in SCENE)
    places = [
        whole.index(line.split("“")[-1][:20].strip("”")) for line in recap(SCENE) if "“" in line
    ]
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("opening", "name"),
    [
        ("*Cold ashes, a kettle, two boots.*", "Cold ashes"),
        (
            "*The ladder to the loft has fourteen rungs and a bad one.*",
            "The ladder to the loft has fourteen…",
        ),
        ("[Day 4 | 18:20] *She sits by the fire with Ann.*", ""),
        ("*Marlow Gate is shut, and Ann swears at it.*", "Marlow Gate"),
    ],
)
def test_a_scene_without_a_place_of_name_is_called_by_its_first_words(
    opening: str, name: str
) -> None:
    scene = messages(opening, '"So," *she says.* "I went to Marlow Gate. I saw Marlow Gate."')
    found = extract_scene_recap(scene, tokens=99, count_tokens=estimate_tokens).name
    assert name in found
    assert "|" not in found


def test_the_name_is_made_of_the_scenes_words() -> None:
    name = extract_scene_recap(SCENE, tokens=99, count_tokens=estimate_tokens).name
    assert name.rstrip("…").casefold() in " ".join(m.text for m in SCENE).casefold()
    assert len(name) <= 48


def test_a_fact_told_twice_is_taken_once() -> None:
    told_twice = messages(
        '"The Orrery stands in Hallow Street behind the bakery."',
        '"Yes, the Orrery stands in Hallow Street behind the bakery."',
        '"My uncle Perrin keeps forty bees in the attic."',
    )
    lines = recap(told_twice, 40)
    assert sum("Orrery" in line for line in lines) == 1
    assert any("Perrin" in line for line in lines)


@pytest.mark.parametrize(
    ("texts", "fact"),
    [
        (
            ("Ja.", "Nein.", "Der Schlüssel zur Kapelle liegt unter dem Stein bei Weiden."),
            "Kapelle",
        ),
        (("Да.", "Нет.", "Ключ от часовни лежит под камнем у Медведицы."), "часовни"),
        (("うん。", "いや。", "礼拝堂の鍵は灯台の石の下にある。"), "礼拝堂"),
        (("نعم.", "لا.", "مفتاح الكنيسة تحت الحجر عند المنارة."), "مفتاح"),
    ],
)
def test_it_works_in_any_language(texts: tuple[str, ...], fact: str) -> None:
    assert any(fact in line for line in recap(messages(*texts), 40))


def test_a_scene_without_words_has_no_recap() -> None:
    assert recap(messages("", "***", "((ooc))")) == ()


def test_it_is_the_same_each_time() -> None:
    assert recap(SCENE) == recap(SCENE)


TEXTS = st.lists(
    st.lists(
        st.sampled_from(["Ann", "went", "to", "Kell", "7", "gold", "the", "?", ".", "!", '"', "*"]),
        max_size=30,
    ).map(" ".join),
    min_size=1,
    max_size=12,
)


@given(TEXTS, st.integers(10, 200))
@settings(deadline=None)
def test_a_recap_of_several_lines_fits(texts: list[str], tokens: int) -> None:
    lines = recap(messages(*texts), tokens)
    assert len(lines) <= 1 or estimate_tokens("\n".join(lines)) <= tokens


def test_a_message_recap_is_its_weightiest_sentence() -> None:
    message = messages('"Oh. Well. The duke hid his will in the organ of Saint Ives. Hm."')[0]
    line = extract_message_recap(message, SCENE, tokens=60, count_tokens=estimate_tokens)
    assert line == "Ann: “The duke hid his will in the organ of Saint Ives.”"


@pytest.mark.parametrize(
    ("told", "line"),
    [
        ("Er nickte. „Gut.“", "Ann: „Der Herzog verbarg sein Testament in der Orgel.“"),
        ("Er nickte. »Gut.«", "Ann: »Der Herzog verbarg sein Testament in der Orgel.«"),
        ("Il dit : « Bien. »", "Ann: «Der Herzog verbarg sein Testament in der Orgel.»"),
        ("“Good,” he said.", "Ann: “Der Herzog verbarg sein Testament in der Orgel.”"),
    ],
)
def test_speech_is_told_in_the_quotation_marks_of_its_story(told: str, line: str) -> None:
    """Here the message itself has none that say which."""
    said = "*Sie lacht.* Der Herzog verbarg sein Testament in der Orgel."
    before, message = messages(told, said, names=("Bo", "Ann"))
    assert line == extract_message_recap(message, [before], tokens=60, count_tokens=estimate_tokens)


def test_a_message_recap_fits_even_when_no_sentence_does() -> None:
    message = messages("word " * 500)[0]
    line = extract_message_recap(message, (), tokens=20, count_tokens=estimate_tokens)
    assert line.endswith("…")
    assert estimate_tokens(line) <= 20


def test_a_huge_scene_takes_seconds() -> None:
    scene = messages(
        *(f'*Walks on.* "Number {i} of the Kell road is {i * 7}."' for i in range(8_000))
    )
    started = time.process_time()
    assert recap(scene, 200)
    assert time.process_time() - started < 8


# Folding


def fold(previous: str, name: str, text: str, tokens: int = 1000) -> str:
    return fold_running(previous, name, text, tokens=tokens, count_tokens=estimate_tokens)


def test_a_scene_is_added_at_the_end_and_the_rest_stays_word_for_word() -> None:
    first = fold("", "Inn", "Ann came.\nBo left.")
    assert first == "Inn\nAnn came.\nBo left."
    assert fold(first, "Mill", "Cy fell.") == f"{first}\n\nMill\nCy fell."


def folded(count: int, tokens: int) -> list[str]:
    texts = [""]
    for i in range(count):
        lines = [f"Person{i}x{k} gave item{i}x{k} to Holder{i}x{k} at noon." for k in range(4)]
        texts.append(fold(texts[-1], f"Scene {i}", "\n".join(lines), tokens))
    return texts[1:]


@pytest.mark.weakness(54)
def test_it_never_takes_more_than_its_room() -> None:
    assert all(estimate_tokens(text) <= 300 for text in folded(60, 300))


def test_old_scenes_get_shorter_than_new_ones() -> None:
    lengths = [len(block.splitlines()) for block in folded(12, 400)[-1].split("\n\n")]
    assert lengths[-1] == 5
    assert lengths[0] == 2


def test_most_folds_only_append() -> None:
    texts = folded(30, 500)
    appended = sum(new.startswith(old) for old, new in itertools.pairwise(texts))
    assert appended >= len(texts) // 3


def test_a_models_state_is_kept_longest() -> None:
    previous = "DEVELOPMENTS\n" + "\n".join(f"Deed{i} was done by Doer{i}." for i in range(30))
    previous += "\n\nSTATE\nAnn holds the key."
    text = fold(previous, "Mill", "Cy fell.\nDee ran.", 90)
    assert "STATE\nAnn holds the key." in text


@given(st.text(alphabet="ab.\n Z", max_size=200), st.text(alphabet="ab.\n Z", max_size=80))
@settings(deadline=None)
def test_any_text_can_be_folded_on(previous: str, scene: str) -> None:
    assert estimate_tokens(fold(previous, "S", scene, 30)) <= 30
