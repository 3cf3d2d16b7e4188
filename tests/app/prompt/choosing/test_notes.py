"""What fell out of the prompt is noted in few words, what tells most of it first."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.memory.records import Entity
from app.memory.standing import Ground, standings
from app.prompt.choosing.notes import in_few_words, in_whole, names_told, notes_of
from app.prompt.choosing.unread import BRIEF_BELOW, fallen_out, little_words
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.prompt.slots import SlotSet
from app.settings.slot_table import SlotName
from app.story.recap_texts.terms import terms_in
from tests.app.prompt.remembered import (
    CHAT,
    COUNTER,
    PACKS,
    assembled,
    memory,
    settings,
    story,
    text_of,
)

ENGLISH = [pack for pack in PACKS if pack.code == "en"]
LINES = tuple(
    f"There is a lamp with the number {n} in the tower, and it is not the keeper who lights it."
    for n in range(40)
)

ODD_LINES = [(n, line.replace("lamp", "candle")) for n, line in enumerate(LINES[:6])]


def prompt(total: int, *lines: str, unread_from: int | None = 0) -> SlotSet:
    of = story(*lines)
    held = standings([memory("Odo has a key.", at=9)], Ground.of(CHAT, of.messages))
    told = Recollection(held, chat=CHAT, unread_from=unread_from)
    return assembled(of, settings(), Means(COUNTER.count, PACKS), told=told, total=total)


def test_few_words_keep_what_tells_something_and_what_turns_it_round() -> None:
    little = little_words(ENGLISH)
    assert in_few_words("It is *not* the keeper of the lamp.", little) == "not keeper lamp."
    assert in_few_words("灯台の光", little) == "灯台の光"


@given(st.text(max_size=200))
def test_few_words_are_words_of_the_text(text: str) -> None:
    little = little_words(ENGLISH)
    short = in_few_words(text, little)
    assert len(short) <= max(len(text), 0) + 1
    assert in_few_words(short, little) == short


def test_what_joins_numbers_stays_with_them() -> None:
    unread = fallen_out(story(*LINES), 0, 0, PACKS)
    short = in_few_words(
        "It is a hundred and sixty steps, and there are two of us.", unread.little, unread.numbers
    )
    assert short == "hundred and sixty steps, two."
    assert in_few_words("At ten to six.", unread.little, unread.numbers) == "ten to six."


def test_only_what_no_model_read_is_noted() -> None:
    text = text_of(prompt(600, *LINES), SlotName.SHORT)
    assert "lamp number" in text
    assert "There is a" not in text
    assert not text_of(prompt(600, *LINES, unread_from=None), SlotName.SHORT)
    assert not text_of(prompt(600, *LINES, unread_from=38), SlotName.SHORT)


def test_what_is_told_once_goes_before_what_is_told_again_and_again() -> None:
    lines = ["Old Odo buried the silver key beneath the walnut tree.", *LINES]
    assert "silver key" in text_of(prompt(300, *lines), SlotName.SHORT)
    told = story(*lines)
    first, *others = notes_of(told, fallen_out(told, 0, 0, PACKS))
    assert "walnut" in " ".join([first.text, others[0].text])


def test_what_the_slots_push_out_is_noted_before_what_was_gone_anyway() -> None:
    told = story(
        "A heron sleeps on the rusty weathercock.", *LINES[:20], "A ferret ate the candle."
    )
    unread = fallen_out(told, 0, 0, PACKS, total=told.message_tokens[-1])
    first = next(notes_of(told, unread))
    assert "ferret" in first.text


def test_what_the_visible_messages_say_is_noted_last() -> None:
    said = "The copper kettle whistles in the pantry."
    told = story(said, "A ferret ate the candle.", said)
    first = next(notes_of(told, fallen_out(told, 0, told.message_tokens[-1], PACKS)))
    assert "ferret" in first.text


def test_notes_stand_in_the_order_of_the_story() -> None:
    text = text_of(prompt(600, *LINES), SlotName.SHORT)
    noted = [n for n in range(40) if f"number {n} " in text]
    places = [text.index(f"number {n} ") for n in noted]
    assert len(noted) > 3
    assert places == sorted(places)


def test_names_are_told_that_the_visible_messages_do_not_say() -> None:
    vera, bram = (Entity(name, CHAT, name, "character") for name in ("Vera", "Bram"))
    (entry,) = names_told([vera, bram], story(*LINES).messages[-2:])
    assert entry.text == "Bram."
    assert not list(names_told([vera], story(*LINES).messages[-2:]))


def test_what_several_names_share_is_told_once() -> None:
    rooms = [Entity(n, CHAT, f"{n}, Salt House", "place") for n in ("Attic", "Cellar")]
    (entry,) = names_told(rooms, ())
    assert entry.text == "Attic, Salt House, Cellar."


def test_a_status_line_is_not_noted() -> None:
    told = story("[Day 2 | Dawn | The tower]\nThe lamp goes out.", "It rains.")
    unread = fallen_out(told, 0, told.message_tokens[-1], PACKS)
    assert [entry.text for entry in notes_of(told, unread)] == ["lamp goes."]


def test_where_there_is_room_sentences_are_told_whole() -> None:
    """The beginning of a long story read like a telegram that nobody could follow."""
    lines = tuple(line + " Nobody has ever asked them why they do so." for line in LINES * 4)
    small, large = (text_of(prompt(n, *lines), SlotName.SHORT) for n in (600, BRIEF_BELOW + 500))
    assert "There is a lamp" not in small
    assert "There is a lamp with the number" in large


def test_a_short_sentence_is_told_with_those_beside_it_and_never_alone() -> None:
    """A quarter of the prompt was "Last year.", "Sunday." and "My handwriting."."""
    crumbs = [f"Sunday. {line} Last year. The {n} heron of Odo sleeps." for n, line in ODD_LINES]
    lines = (*LINES * 4, *crumbs, "Salt pans.", "Widow Tarn, Tuesday.", *LINES)
    told = story(*lines)
    unread = fallen_out(told, 0, sum(told.message_tokens[-20:]), PACKS, whole=BRIEF_BELOW)
    noted = [entry.text for entry in notes_of(told, unread)]
    assert any("Sunday. " in text for text in noted)  # with what is told of that day
    assert not [text for text in noted if len(text) < 40]
    assert not any("Salt pans" in text or "Widow Tarn" in text for text in noted)
    assert any("Last year. The 3 heron of Odo sleeps." in text for text in noted)


def test_notes_take_no_more_than_can_be_read() -> None:
    told = story(*(f"The {n} heron of Odo sleeps on weathercock number {n}." for n in range(400)))
    unread = fallen_out(told, 0, 0, PACKS, whole=8_000)
    noted = " ".join(entry.text for entry in notes_of(told, unread))
    assert 800 < COUNTER.count(noted) < 1_600


def test_a_whole_sentence_keeps_its_quotes_and_loses_its_emphasis() -> None:
    assert in_whole('"It is *late*," she said.') == '"It is late," she said.'
    assert in_whole('"It is late *now* .') == "It is late now."
    assert in_whole('*She waits.*"It is late."') == 'She waits. "It is late."'
    assert in_whole("*She waits*and hums.") == "She waits and hums."
    assert in_whole("«C'est tard», dit-elle.") == "«C'est tard», dit-elle."


@given(st.text(max_size=200))
def test_a_whole_sentence_gains_no_words(text: str) -> None:
    assert len(in_whole(text)) <= len(text)


def test_a_message_more_leaves_what_was_read_as_it_is() -> None:
    lines = tuple(f"{line} Then the bell of {n} rings." for n, line in enumerate(LINES))
    prompt(600, *lines)
    before = terms_in.cache_info().misses
    prompt(600, *lines, "Odo turns the lamp down, once and for all.")
    assert 0 < terms_in.cache_info().misses - before < 6
