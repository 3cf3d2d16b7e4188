"""Messages are cut into sentences that stand alone, in any language and any style of writing."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.messages import Message, MessageKind, digest
from app.story.recap_texts.sentences import sentences_of, split_sentences, without_markup


def message(text: str, name: str = "Ann", kind: MessageKind = MessageKind.CHAT) -> Message:
    return Message(anchor=digest(text), content_hash=digest(text), name=name, text=text, kind=kind)


def lines(text: str, name: str = "Ann", kind: MessageKind = MessageKind.CHAT) -> list[str]:
    return [s.rendered() for s in sentences_of(message(text, name, kind), 0)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("Dr. Miller met J. R. Smith at 3.5 km.", ["Dr. Miller met J. R. Smith at 3.5 km."]),
        ("See No. 5 there. No. Never.", ["See No. 5 there.", "No.", "Never."]),
        ("“Stop!” she said. He did.", ["“Stop!” she said.", "He did."]),
        ("Er ging z.B. heim. Dann Ruhe.", ["Er ging z.B. heim.", "Dann Ruhe."]),
        (
            "彼は言った。「行こう。」それから去った。",
            ["彼は言った。", "「行こう。」", "それから去った。"],
        ),
        ("Он ушёл. Она осталась.", ["Он ушёл.", "Она осталась."]),
        ("Zum 2628. Mal fragt er. Am 3. Mai.", ["Zum 2628. Mal fragt er.", "Am 3. Mai."]),
        ("Der 2. Tag, der 24. Dezember. Nun?", ["Der 2. Tag, der 24. Dezember.", "Nun?"]),
        ("Sie wohnt in der 12. Er nicht.", ["Sie wohnt in der 12.", "Er nicht."]),
        ("It was 1943. Then I am 42. Ada left.", ["It was 1943.", "Then I am 42.", "Ada left."]),
        ("One\nTwo", ["One", "Two"]),
        ("", []),
    ],
)
def test_sentences_end_where_they_end(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


def test_deeds_and_words_are_told_apart() -> None:
    assert lines('*She opens the old door.* "Come in. Sit down."') == [
        "Ann: She opens the old door.",
        "Ann: “Come in.”",
        "Ann: “Sit down.”",
    ]


def test_with_asterisks_alone_the_rest_is_speech() -> None:
    assert lines("*waves at the others* I *really* mean it.") == [
        "Ann: waves at the others",
        "Ann: “I really mean it.”",
    ]


def test_without_any_marks_a_message_is_prose() -> None:
    assert lines("Rain fell. Bo waited.") == ["Ann: Rain fell.", "Ann: Bo waited."]


def test_a_speaker_who_is_named_is_not_named_twice() -> None:
    assert lines("*Ann's hand shakes.*") == ["Ann's hand shakes."]


def test_a_tag_stays_with_its_speech() -> None:
    assert lines('"Go!" *says Bo from the door.*') == ["Ann: “Go!” says Bo from the door."]


def test_the_narrator_has_no_name() -> None:
    assert lines("Night falls.", "Narrator", MessageKind.NARRATOR) == ["Night falls."]


def test_notices_and_asides_tell_nothing() -> None:
    assert lines("Chat was cleared.", kind=MessageKind.NOTICE) == []
    assert lines("((brb, dinner)) [OOC: ok] (OOC: sure)") == []


def test_a_speech_over_several_sentences_keeps_its_quotes() -> None:
    assert lines("“First. And then,” Ann says, “last.”") == [
        "Ann: “First.”",
        "“And then,” Ann says, “last.”",
    ]


def test_markup_is_taken_off() -> None:
    text = "# Title\n<b>Bold</b> ![x](http://y) [link](http://z)\n```code```\n***\nEnd."
    assert without_markup(text).split() == ["Title", "Bold", "link", "End."]


@given(st.text(alphabet="ab. !?\n*\"“”„「」()'-Z<>[]`_", max_size=120))
def test_any_message_is_survived_and_no_word_is_invented(text: str) -> None:
    words = set("".join(c if c.isalnum() else " " for c in text).split())
    for sentence in sentences_of(message(text, name="Q"), 0):
        assert sentence.text.strip()
        told = "".join(c if c.isalnum() else " " for c in sentence.text).split()
        assert all(any(word in known or known in word for known in words) for word in told)


@pytest.mark.parametrize(
    "piece", ["*", "((", "<a", "[OOC", "```", '"', ". ", "a.", "![", "_", "“", "(OOC"]
)
def test_hostile_messages_cost_linear_time(piece: str) -> None:
    started = time.perf_counter()
    sentences_of(message(piece * (200_000 // len(piece))), 0)
    assert time.perf_counter() - started < 3.0
