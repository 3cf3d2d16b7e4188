"""A prompt's headings follow the language of its story."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.records import DocumentKind, Memory, Tier
from app.prompt.headings import ENGLISH, FIRST_MESSAGES, Headings, headings_for
from app.prompt.set_slots import MARK
from app.prompt.slots import SlotSet
from app.settings.slot_table import SlotName
from app.settings.slots import HEADING_LANGUAGES
from app.settings.values import REGISTRY
from app.story.scene_cues.language import LanguagePack
from app.story.story import Story
from tests.app.prompt.remembered import PACKS, document, memory, prompt, story, text_of, whole


def heard_of(text: str, tier: Tier = Tier.LONG_TERM, **values: Any) -> Memory:
    """A memory of any story, whatever its messages say."""
    return memory(text, tier, hash="", **values)


OTHERS = [pack for pack in PACKS if pack.code != "en"]
GERMAN = (
    "Ich habe die Laterne nicht mehr, und das ist auch gut so.",
    "Vera sah auf den Fluss, aber sie sagte nichts zu ihm.",
    "Dann war es Nacht, und wir gingen zum Hafen.",
)
ENGLISH_LINES = ("I have not seen the lantern, and it was with her.", "She was on the river then.")
OF_ALL = [
    heard_of("zorro", importance=3),
    heard_of("zorra", type="event"),
    heard_of("mimi", Tier.SESSION, type="scene", at=3),
    heard_of("mumu", Tier.SESSION, type="detail"),
    heard_of("lulu?", Tier.ARCS),
    heard_of("gogo", Tier.RELATIONSHIPS, subject="Vera", target="Odo", magnitude="high"),
    heard_of("koko", Tier.EPISTEMIC, type="knows", subject="Vera"),
    heard_of("kuku", Tier.EPISTEMIC, type="hiding", subject="Vera", target="Odo"),
    heard_of("keke", Tier.EPISTEMIC, type="unaware", subject="Vera"),
    heard_of("kiki", Tier.EPISTEMIC, type="believes", subject="Vera"),
    heard_of("rara", Tier.STATE_LEDGER, type="character", subject="Odo", field="carried_items"),
]
TEXTS = [
    document(DocumentKind.CANON, "Identity: bibi.", subject="Vera"),
    document(DocumentKind.PROFILE, "State:\nbobo", subject="Vera"),
]


def told(of: Story, **values: Any) -> SlotSet:
    return prompt(OF_ALL, of=of, documents=TEXTS, **values)


@pytest.mark.parametrize("pack", OTHERS, ids=lambda pack: pack.code)
def test_each_language_has_a_word_for_all_that_prompts_say(pack: LanguagePack) -> None:
    assert pack.headings.keys() == OTHERS[0].headings.keys()
    for english, said in pack.headings.items():
        assert said.strip()
        assert re.findall(r"\{\w+\}", said) == re.findall(r"\{\w+\}", english), english
        assert said.endswith(" ") == english.endswith(" ") or pack.code in {"ja", "zh"}
        assert ("\n" in said) is False


def test_a_portrait_says_its_fields_in_the_language_of_the_story() -> None:
    parts = {
        "character_state": "fears: die Nacht",
        "relationship_matrix": "Bo: sie traut ihm, confidence 0.8",
    }
    portrait = document(DocumentKind.PROFILE, "", subject="Vera", sections=parts)
    text = whole(prompt([], documents=[portrait], headings_language="de"))
    assert "Ängste: die Nacht" in text
    assert "Bo: sie traut ihm\n" in f"{text}\n"
    assert "confidence" not in text


@pytest.mark.parametrize("pack", OTHERS, ids=lambda pack: pack.code)
def test_no_english_heading_is_left_in_another_language(pack: LanguagePack) -> None:
    """German stories had "The scene now:" above them, and models went over to English."""
    of = story(running="DEVELOPMENTS\nzaza\n\nOPEN\nzuzu")
    text = whole(told(of, headings_language=pack.code))
    for english in pack.headings:
        bare = re.sub(r"\{+\w+\}+", "", english).strip(" :[]")
        if len(bare) > 3 and bare not in pack.headings.values():
            assert not re.search(rf"\b{re.escape(bare)}\b", text), english


def test_english_is_told_as_it_always_was() -> None:
    text = whole(told(story(*ENGLISH_LINES)))
    assert text == whole(told(story(*ENGLISH_LINES), headings_language="en"))
    for heading in ("Memories of what came before:", "The scene now:", "Vera conceals:"):
        assert heading in text


def test_a_story_is_told_in_its_own_language() -> None:
    slots = told(story(*GERMAN))
    assert text_of(slots, SlotName(Tier.ARCS)) == "Offene Handlungsfäden:\n- lulu?"
    assert "Vera weiß nicht: keke" in text_of(slots, SlotName.EPISTEMIC)
    assert "Odo (Figur): trägt bei sich: rara" in text_of(slots, SlotName.STATE_LEDGER)


def test_the_word_of_the_form_that_a_model_copied_is_not_told() -> None:
    """Models begin "that ..." in German lines, too, as the sample that they are shown does."""
    kinds: dict[str, Any] = {"subject": "Vera", "type": "knows"}
    held = [memory("that Odo geht", Tier.EPISTEMIC, hash="", **kinds)]
    assert "- Odo geht" in whole(prompt(held, of=story(*GERMAN)))
    assert "- that Odo geht" in whole(prompt(held, headings_language="en"))


def test_a_frame_that_the_user_wrote_stays() -> None:
    mine = "What I want told:\n{{arcs}}"
    slots = told(story(*GERMAN), slot_arcs_template=mine)
    assert text_of(slots, SlotName(Tier.ARCS)).startswith("What I want told:\n")
    partly = "Active story threads:\nMine\n{{arcs}}"
    slots = told(story(*GERMAN), slot_arcs_template=partly)
    assert text_of(slots, SlotName(Tier.ARCS)).startswith("Active story threads:\nMine\n")


def test_the_language_stays_whatever_is_spoken_later() -> None:
    """Else the head of the prompt would change with each guest."""
    first = (*GERMAN, *GERMAN, *GERMAN)[:FIRST_MESSAGES]
    for more in range(0, 60, 20):
        of = story(*first, *ENGLISH_LINES * more)
        assert headings_for(of, "story", PACKS).of("OPEN") == "OFFEN"


def test_a_story_of_no_known_language_is_told_in_english() -> None:
    assert headings_for(story("zzz"), "story", PACKS) == ENGLISH
    assert headings_for(story(*GERMAN), "xx", PACKS) == ENGLISH


def test_the_setting_names_each_language_that_there_is() -> None:
    assert {pack.code: pack.name for pack in PACKS} == HEADING_LANGUAGES
    assert REGISTRY["headings_language"].default == "story"


def test_what_was_only_heard_is_marked_in_the_language_and_says_the_same() -> None:
    heard = replace(heard_of("Odo fears dogs."), witnessed_by=("Odo",))
    slots = prompt([heard], of=story(*GERMAN), slots_head_every=0, secondhand_marked=True)
    marked = "- [vom Hörensagen] Odo fears dogs."
    assert marked in text_of(slots, SlotName.LONG)
    assert MARK.sub("", marked) == "Odo fears dogs."


@given(st.text(max_size=80), st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=5))
def test_a_recap_keeps_its_lines(content: str, words: dict[str, str]) -> None:
    kept = {key: said.replace("\n", "") for key, said in words.items()}
    lines = Headings(kept).in_recap(content).split("\n")
    assert len(lines) == len(content.split("\n"))
