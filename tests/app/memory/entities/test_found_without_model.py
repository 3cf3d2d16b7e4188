"""Without a model little is found, and what is found is so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.languages import load_packs
from app.memory.entities.found_names import found_names
from app.memory.entities.found_without_model import found, found_change, read_better
from app.memory.entities.registry import canonical_roster
from app.memory.reading.extraction import Work
from app.memory.reading.windows import Window
from app.memory.records import EndReason, Memory, Remembered, Tier
from app.story.messages import Message, digest
from app.story.recaps import BUILT_IN

PACKS = load_packs()
ENGLISH = next(pack for pack in PACKS if pack.code == "en")
GERMAN = next(pack for pack in PACKS if pack.code == "de")
WORK = Work("key", 1, "", BUILT_IN, 5.0)

TALK = (
    ("Ilse Brandt", 'She looks at the river. "We should ask Orrin Vale about the ledger."'),
    ("Teodor", '"Orrin Vale keeps it in Harrow Mill, under the third stair, since 1804."'),
    ("Ilse Brandt", 'They walk on. "Then Orrin Vale lied to the court, and to me."'),
    ("Teodor", "*He nods at the water.* The wind is cold. Nobody is in Harrow Mill now."),
    ("Ilse Brandt", "Three days later they stand in Harrow Mill, and the stair is gone."),
    ("Teodor", '"Will you say what we do?" He laughs at the dust and at the rats.'),
)


def window(texts: Sequence[tuple[str, str]] = TALK, new_from: int = 1) -> Window:
    messages = tuple(
        Message(f"m{n}", digest(text), name, text, is_user=name == "Teodor")
        for n, (name, text) in enumerate(texts)
    )
    return Window(1, messages, new_from)


def names(texts: Sequence[str], pack: object = ENGLISH) -> dict[str, str]:
    read = found_names(texts, [pack] * len(texts))  # type: ignore[list-item]
    return {mention.name: mention.type for mention, _ in read}


def test_a_name_is_what_is_written_so_again_and_again() -> None:
    assert names([text for _, text in TALK]) == {"Orrin Vale": "unknown", "Harrow Mill": "place"}


@pytest.mark.parametrize(
    "texts",
    [
        ["Suddenly it rained. Suddenly it stopped.", "Suddenly. Suddenly."],
        ["I saw Mother there.", "Ask Mother.", "It is Mother.", "Every mother knows."],
        ["We go on Monday.", "Not on Monday.", "But Monday is far.", "In October, in October."],
        ["Yes, Captain.", "No, Captain.", "So be it, Captain."],
        ["Ask him, Vale.", "Ask him."],
    ],
)
def test_a_capital_alone_makes_no_name(texts: list[str]) -> None:
    assert names(texts) == {}


def test_where_all_nouns_have_capitals_only_who_does_something_has_a_name() -> None:
    texts = [
        "Als der Regen kam, sagte Orrin nichts, und der Tisch war nass.",
        "Und dann nickte er. Da lachte Orrin über den Tisch.",
        "Aber am Ende ging Orrin fort, und nur der Tisch blieb.",
    ]
    assert "Tisch" not in names(texts, GERMAN)
    assert set(names(texts, GERMAN)) <= {"Orrin"}


def test_a_leap_in_time_is_kept_in_the_storys_words() -> None:
    claims = found(window(), PACKS, ("m0",), ()).answer.claims
    assert [(c.text, c.sources) for c in claims if c.type == "scene"] == [
        ("Three days later they stand in Harrow Mill, and the stair is gone.", (5,))
    ]


def test_time_that_is_only_talked_about_is_no_mark() -> None:
    talk = (*TALK, ("Ilse Brandt", "She remembers how three days later he had gone."))
    claims = found(window(talk, 7), PACKS, (), ()).answer.claims
    assert [claim for claim in claims if claim.type == "scene"] == []


def test_a_status_line_is_kept_where_its_place_changes() -> None:
    line = "[ Location: {} | Time: {} ]\nShe waits and looks at the rain on the glass."
    talk = [("Ilse Brandt", line.format("Harrow Mill", "21:40"))]
    talk += [("Ilse Brandt", line.format("Harrow Mill", "21:50"))]
    talk += [("Ilse Brandt", line.format("The river", "22:10"))]
    claims = found(window(talk), PACKS, ("m0",), ()).answer.claims
    scenes = [(c.text.split(" · ")[0], c.sources) for c in claims if c.type == "scene"]
    assert scenes == [("Harrow Mill", (1,)), ("The river", (3,))]


def test_a_quote_names_its_speaker_and_cites_its_message() -> None:
    quotes = [c for c in found(window(), PACKS, (), ()).answer.claims if c.type == "detail"]
    assert len(quotes) == 1
    (quote,) = quotes
    message = window().messages[quote.sources[0] - 1]
    speaker, said = quote.text.split(": ", 1)
    assert speaker == message.name
    assert said.strip("“”") in message.text
    assert not quote.text.endswith("?”")


def test_what_was_read_before_is_not_found_again() -> None:
    answer = found(window(new_from=3), PACKS, ("m0",), ()).answer
    assert [claim.sources for claim in answer.claims] == [(3,), (5,)]


def change_of(remembered: Remembered, **more: bool) -> tuple[Memory, ...]:
    return found_change(
        window(),
        remembered,
        canonical_roster(("Ilse Brandt",), window().messages),
        WORK,
        packs=PACKS,
        openings={"m0"},
        places={f"m{n}": n for n in range(6)},
        **more,
    ).memories


def test_all_of_it_says_who_found_it_and_nothing_waits() -> None:
    memories = change_of(Remembered())
    assert memories
    assert {m.made_by for m in memories} == {BUILT_IN}
    assert {m.tier for m in memories} == {Tier.SESSION}
    assert all(m.sources and not m.notes for m in memories)


def test_looking_again_finds_nothing_new() -> None:
    assert change_of(Remembered(change_of(Remembered()))) == ()


def test_names_are_kept_also_where_the_session_is_not() -> None:
    change = found_change(
        window(), Remembered(), ("Ilse Brandt", "Teodor"), WORK,
        packs=PACKS, openings=(), places={}, is_session=False,
    )  # fmt: skip
    assert change.memories == ()
    assert {"Ilse Brandt", "Teodor", "Orrin Vale", "Harrow Mill"} == {
        entity.name for entity in change.entities
    }


def test_what_a_model_has_read_since_gives_way_to_it() -> None:
    quote, mark = change_of(Remembered())
    pinned = replace(quote, id="pinned", is_pinned=True)
    told = replace(quote, id="of a model", made_by="a model")
    gone = read_better((quote, mark, pinned, told), window(new_from=1))
    assert {m.id for m in gone} == {quote.id, mark.id}
    assert {m.endings[0].reason for m in gone} == {EndReason.OUTRANKED}
    assert read_better((quote, mark), window(new_from=6)) == ()


WORDS = st.sampled_from(
    [
        "Vale",
        "mill",
        '"',
        "*",
        ".",
        "The",
        "three days later",
        "\n",
        "[ Location: X ]",
        "、。",
        "<b>",
    ]
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ilse", "Teodor", "User"]),
            st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=14).map(" ".join)),
        ),
        min_size=1,
        max_size=8,
    ),
    st.integers(1, 4),
)
def test_whatever_is_written_what_is_found_stands_in_the_message_that_it_cites(
    texts: list[tuple[str, str]], new_from: int
) -> None:
    shown = window(texts, min(new_from, len(texts)))
    for claim in found(shown, PACKS, ("m0",), ("Vale",)).answer.claims:
        assert shown.new_from <= claim.sources[0] <= len(texts)
        assert len(claim.text) < 700
        if claim.type == "detail":
            assert shown.messages[claim.sources[0] - 1].name in claim.text
