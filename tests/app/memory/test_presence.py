"""Who was where, and what follows of it for what people know."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.memory.answers import read_answer
from app.memory.extraction import Work, proposed
from app.memory.presence import PresenceTimeline, behind_their_backs, witnessed
from app.memory.presence_lines import AWAY
from app.memory.records import Memory, Tier
from app.memory.standing import Ground, Status, standings
from app.memory.windows import Window
from app.story.messages import Message, MessageKind, digest

CHAT = 1
LINES = (
    "Ann and Bo sit in the mill.",
    "Ann puts the ring into the jar.",
    "Bo goes out.",
    "Ann moves the ring to the chest.",
    "Bo comes back.",
)
NOTES = """[present:sources=1] Ann, Bo | the mill
[state:ring:object:sources=2] location=jar
[leave:sources=3] Bo | the mill
[state:ring:object:sources=4] location=chest"""
BACK = "\n[enter:sources=5] Bo | mill"


def told(lines: tuple[str, ...] = LINES, name: str = "Narrator") -> tuple[Message, ...]:
    return tuple(
        Message(f"m{n}", digest(line), name, line, kind=MessageKind.CHAT)
        for n, line in enumerate(lines)
    )


def memories(notes: str, messages: tuple[Message, ...]) -> tuple[Memory, ...]:
    window = Window(CHAT, messages)
    return proposed(read_answer(notes), window, Work("key", CHAT, "", "model", 0.0))


def timeline(notes: str, messages: tuple[Message, ...] | None = None) -> PresenceTimeline:
    messages = messages or told()
    return PresenceTimeline(
        standings(memories(notes, messages), Ground.of(CHAT, messages)), messages
    )


def value(held: object) -> str:
    return getattr(held, "value", "")


def test_who_was_away_goes_on_believing_what_was_so_before() -> None:
    found = timeline(NOTES)
    assert value(found.belief("Ann", "ring", "location", 4)) == "chest"
    assert value(found.belief("Bo", "ring", "location", 4)) == "jar"
    assert value(found.belief("Cy", "ring", "location", 4)) == ""


def test_who_was_together_knows_of_each_other_that_they_know() -> None:
    found = timeline(NOTES)
    assert value(found.thought("Ann", "Bo", "ring", "location", 4)) == "jar"
    assert value(found.thought("Bo", "Ann", "ring", "location", 4)) == "jar"


def test_who_comes_back_sees_how_things_are() -> None:
    found = timeline(NOTES + BACK)
    assert value(found.belief("Bo", "ring", "location", 3)) == "jar"
    back = found.belief("Bo", "ring", "location", 4)
    assert value(back) == "chest"
    assert back is not None
    assert not back.saw
    assert value(found.thought("Ann", "Bo", "ring", "location", 4)) == "chest"


def test_it_can_be_asked_for_any_message() -> None:
    found = timeline(NOTES + BACK)
    assert [found.where("Bo", at) for at in range(-1, 5)] == [
        *("", "the mill", "the mill", AWAY, AWAY, "the mill")
    ]
    assert found.there(0) == ("Ann", "Bo")
    assert found.there(3) == ("Ann",)


def test_a_corner_of_a_room_that_the_ledger_names_takes_nobody_out_of_it() -> None:
    found = timeline(
        NOTES.replace("[leave:sources=3] Bo | the mill\n", "")
        + ("\n[state:Bo:character:sources=3] location=by the stove")
    )
    assert value(found.belief("Bo", "ring", "location", 4)) == "chest"


def test_without_a_word_on_who_comes_and_goes_nothing_follows() -> None:
    notes = (
        "[state:Ann:character:sources=1] location=mill\n[state:ring:object:sources=2] location=jar"
    )
    found = timeline(notes)
    assert not found
    assert found.belief("Ann", "ring", "location", 4) is None
    assert behind_their_backs(found, 4) == ()


def test_what_follows_stands_as_entries_between_its_messages() -> None:
    found = timeline(NOTES + BACK)
    at_end = {(s.memory.type, s.memory.subject): s for s in behind_their_backs(found, 4)}
    believed = at_end["believes", "Bo"]
    assert "jar" in believed.memory.text
    assert (believed.start, believed.end, believed.status) == (3, 4, Status.ENDED)
    assert "chest" in at_end["knows", "Ann"].memory.text
    away = {(s.memory.type, s.memory.subject): s for s in behind_their_backs(timeline(NOTES), 4)}
    assert away["believes", "Bo"].status is Status.ACTIVE
    before = behind_their_backs(timeline(NOTES), 2)
    assert {s.status for s in before} == {Status.LATER}


def test_a_memory_was_witnessed_by_those_who_were_there_at_its_message() -> None:
    messages = (
        *told(LINES[:3]),
        *told(("“The ring is cursed,” says Ann to herself.",), "Ann"),
        *told(LINES[4:]),
    )
    messages = tuple(
        Message(f"m{n}", m.content_hash, m.name, m.text, kind=m.kind)
        for n, m in enumerate(messages)
    )
    notes = NOTES + BACK + "\n[fact:3:permanent:sources=4] The ring is cursed."
    made = memories(notes, messages)
    places = {message.anchor: n for n, message in enumerate(messages)}
    found = timeline(notes, messages)
    speakers = ("Ann", "Bo", "Cy")
    (fact,) = (m for m in witnessed(made, found, places, speakers) if m.tier is Tier.LONG_TERM)
    assert fact.witnessed_by == ("Ann", "Cy")  # of Cy nobody knows where they were


PEOPLE = ("Ann", "Bo", "Cy")
PLACES = ("mill", "barn")
moves = st.tuples(st.sampled_from(PEOPLE), st.sampled_from((*PLACES, "")))
changes = st.tuples(st.just("ring"), st.sampled_from(("jar", "chest", "bag")))


@given(st.lists(st.one_of(moves, changes), max_size=14))
def test_nobody_learns_but_where_they_are(events: list[tuple[str, str]]) -> None:
    """Between two changes of place what somebody believes changes only before their eyes."""
    lines, notes = [], []
    for number, (who, what) in enumerate([("Ann", "mill"), *events], 1):
        if who == "ring":
            lines.append(f"The ring goes into the {what}.")
            notes.append(f"[state:ring:object:sources={number}] location={what}")
        else:
            lines.append(f"{who} walks.")
            tag, place = ("enter", what) if what else ("leave", "there")
            notes.append(f"[{tag}:sources={number}] {who} | {place}")
    messages = told(tuple(lines))
    found = timeline("\n".join(notes), messages)
    for person in PEOPLE:
        for before, at in pairwise(range(len(messages))):
            stays = found.where(person, before) == found.where(person, at)
            held = found.belief(person, "ring", "location", before)
            if stays and found.where(person, at) in ("", AWAY):
                assert found.belief(person, "ring", "location", at) == held
