"""Who is where, who learns what by it, and what those who were away go on believing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.languages import load_packs
from app.memory.epistemic.comings import comings_in
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.presence import Event, Spot, Whereabouts, witnesses
from app.memory.epistemic.presence_record import events_of, presence_document
from app.memory.epistemic.witnessing import MADE_BY, WAS_THERE, Witnessing
from app.memory.reading.answers import as_prose, read_answer
from app.memory.reading.extraction import Work
from app.memory.reading.windows import Window
from app.memory.records import Document, Memory, Source, Tier
from app.memory.standing import Ground, Standing, Status
from app.story.messages import Message, digest

PACKS = load_packs()
ENGLISH = [pack for pack in PACKS if pack.code == "en"]
WORK = Work("work", 1, "", "model", 1.0)
MESSAGES = tuple(Message(str(n), digest(f"Text {n}"), "Teller", f"Text {n}") for n in range(12))
BOX, BED = "The ring is in the box.", "The ring is under the bed."
PARTING = f"""[present:sources=1] Ana, Bo, Cem | kitchen
[shown:sources=2] Ana | {BOX}
[leave:sources=3] Bo | kitchen
[shown:sources=4] Ana | {BED}"""


def kept(lines: str, messages: tuple[Message, ...] = MESSAGES) -> list[Document]:
    answer = read_answer(lines)
    assert not answer.skipped
    document = presence_document(answer.presence, Window(1, messages), WORK)
    return [document] if document else []


def where(lines: str, *, openings: tuple[int, ...] = ()) -> Whereabouts:
    return Whereabouts(events_of(kept(lines), Ground.of(1, MESSAGES)), openings=openings)


def known(lines: str, *stated: Standing) -> EpistemicMap:
    witnessing = Witnessing(where(lines), ENGLISH)
    derived = witnessing.entries(1, stated)
    return EpistemicMap((*stated, *derived), witnessing=witnessing)


def held(known: EpistemicMap, person: str, at: int = 11) -> dict[str, str]:
    world = known.world_of(person, at)
    entries = (*world.knows, *world.believes, *world.unaware, *world.suspects)
    return {s.memory.text: s.memory.type for s in entries}


def stated(type_: str, who: str, text: str, start: int) -> Standing:
    memory = Memory(f"{who} {text}", 1, Tier.EPISTEMIC, type_, text, subject=who)
    return Standing(memory, Status.ACTIVE, start)


# --- lines


def test_one_line_tells_of_several_people_and_other_words_are_understood() -> None:
    lines = read_answer("[present:sources=4] Ana, Bo | kitchen\n[exits:sources=5] Bo").presence
    assert [(one.kind, one.who, one.place) for one in lines] == [
        ("present", "Ana", "kitchen"),
        ("present", "Bo", "kitchen"),
        ("leave", "Bo", ""),
    ]


def test_what_is_said_names_to_whom() -> None:
    (line,) = read_answer("[said:sources=5] Ana to Bo, Cem | the ring is gone").presence
    assert (line.who, line.whom, line.text) == ("Ana", ("Bo", "Cem"), "the ring is gone")


@pytest.mark.parametrize(
    "line",
    [
        "[enter] Ana | kitchen",
        "[present:sources=4] Ana |",
        "[said:sources=5] Ana to Bo |",
        "[shown:sources=5] <A> | <thing> is gone",
        "[leave:sources=5] everyone | kitchen",
    ],
)
def test_a_line_without_source_name_or_matter_is_none(line: str) -> None:
    answer = read_answer(line)
    assert not answer.presence
    assert answer.skipped


def test_an_answer_of_nothing_else_can_be_used() -> None:
    assert read_answer("[leave:sources=5] Bo | kitchen").is_usable


def test_a_line_in_the_story_is_no_entry_of_an_answer() -> None:
    assert not read_answer(as_prose("[leave:sources=5] Bo | kitchen")).presence


def test_a_line_that_cites_what_was_not_shown_is_not_kept() -> None:
    answer = read_answer("[leave:sources=40] Bo | kitchen")
    assert presence_document(answer.presence, Window(1, MESSAGES), WORK) is None


def test_what_a_message_told_goes_with_it() -> None:
    documents = kept(PARTING)
    edited = (*MESSAGES[:2], Message("2", digest("Other"), "Teller", "Other"), *MESSAGES[3:])
    told = events_of(documents, Ground.of(1, edited))
    assert {event.at for event in told} == {0, 1, 3}
    assert {e.at for e in events_of(documents, Ground.of(1, MESSAGES[1:]))} == {0, 1, 2}


# --- where people are


def test_somebody_is_where_they_went_until_they_leave() -> None:
    found = where("[enter:sources=2] Ana | kitchen\n[leave:sources=5] Ana | kitchen")
    assert found.spot("Ana", 0) == Spot("kitchen", is_away=True)
    assert found.spot("Ana", 2) == Spot("kitchen")
    assert found.spot("Ana", 6) == Spot("kitchen", is_away=True)


def test_a_new_scene_may_be_anywhere() -> None:
    found = where("[present:sources=1] Ana | kitchen", openings=(0, 6))
    assert found.spot("Ana", 5) == Spot("kitchen")
    assert found.spot("Ana", 6) is None


def test_who_writes_again_is_not_taken_to_be_gone() -> None:
    found = Whereabouts([Event("leave", "Bo", 2)], speakers=[(0, "Bo"), (1, "Ana"), (4, "Bo")])
    assert found.company(3, "").away == {"bo"}
    assert found.spot("Bo", 4) is None


def test_witnesses_are_by_message_and_not_by_window() -> None:
    found = Whereabouts(
        [Event("leave", "Bo", 2)], speakers=[(0, "Bo"), (1, "Ana"), (3, "Ana"), (4, "Ana")]
    )
    assert witnesses(found, ("Bo", "Ana"), {4: "Ana"}) == ("Ana",)
    assert witnesses(found, ("Bo", "Ana"), {1: "Ana", 4: "Ana"}) == ("Bo", "Ana")


# --- who knows


def test_who_was_away_goes_on_believing_what_was_so() -> None:
    map_ = known(PARTING)
    assert held(map_, "Cem") == {BED: "knows"}
    assert held(map_, "Bo") == {BOX: "believes"}
    assert held(map_, "Bo", 2) == {BOX: "knows"}


def test_who_was_never_told_does_not_know_and_nothing_is_said_of_others() -> None:
    lines = "[present:sources=1] Ana, Bo | kitchen\n[enter:sources=1] Dee | cellar\n"
    lines += "[enter:sources=1] Eve | cellar\n[said:sources=3] Ana to Bo | the ring is false"
    map_ = known(lines)
    assert held(map_, "Bo") == {"the ring is false": "knows"}
    assert held(map_, "Dee") == {"the ring is false": "unaware"}
    assert not held(map_, "Fay")


def test_who_comes_and_goes_in_the_very_message_is_not_judged() -> None:
    lines = "[present:sources=1] Ana, Bo | kitchen\n[leave:sources=3] Bo | kitchen\n"
    assert not held(known(lines + "[said:sources=3] Ana | the ring is false"), "Bo")


def test_who_was_there_together_knows_that_of_the_other() -> None:
    minds = known(PARTING).world_of("Ana", 11).minds
    assert {(m.holder, m.state, m.text) for m in minds} == {
        ("Bo", "believes", BOX),
        ("Cem", "knows", BED),
    }


def test_a_derived_entry_says_where_it_comes_from() -> None:
    (entry,) = known(PARTING).world_of("Cem", 11).knows
    assert entry.memory.made_by == MADE_BY
    assert entry.memory.channel == WAS_THERE
    assert entry.memory.sources == (Source(1, "3", MESSAGES[3].content_hash),)


def test_a_derived_entry_yields_to_what_the_story_states() -> None:
    said = stated("suspects", "Cem", BED, 6)
    map_ = known(PARTING, said)
    assert held(map_, "Cem", 4) == {BED: "knows"}
    assert held(map_, "Cem", 7) == {BED: "suspects"}
    assert held(known(PARTING, stated("believes", "Cem", BED, 2)), "Cem") == {BED: "believes"}


# --- without a model


@pytest.mark.parametrize(
    ("text", "kind", "place"),
    [
        ("*Bo leaves the kitchen without a word.*", "leave", "kitchen"),
        ("Bo walked out into the rain.", "leave", ""),
        ("Bo came back, wet to the bone.", "enter", ""),
        ("Bo verließ die Küche.", "leave", "küche"),
        ("Bo entra con una lámpara.", "enter", ""),
        ("Bo sortit sans un mot.", "leave", ""),
    ],
)
def test_names_and_verbs_of_going_tell_without_a_model(text: str, kind: str, place: str) -> None:
    message = Message("a", digest(text), "Ana", text)
    (event,) = comings_in(message, 3, {"Bo": ("bo",), "Ana": ("ana",)}, PACKS)
    assert (event.kind, event.who, event.place, event.at) == (kind, "Bo", place, 3)


@pytest.mark.parametrize(
    "text",
    [
        "Bo left the letter on her plate.",
        '"Bo walked out," said Ana.',
        "Bo almost walked out.",
        "They saw that Bo walked out.",
    ],
)
def test_what_is_no_going_is_not_taken_for_it(text: str) -> None:
    message = Message("a", digest(text), "Ana", text)
    assert not list(comings_in(message, 3, {"Bo": ("bo",), "Ana": ("ana",)}, PACKS))


def test_what_a_later_version_kept_of_presence_is_passed_over() -> None:
    (document,) = kept(PARTING)
    later = replace(document, sections={**document.sections, "9": '{"version": 9}'})
    ground = Ground.of(1, MESSAGES)
    assert events_of([later], ground) == events_of([document], ground) != ()
