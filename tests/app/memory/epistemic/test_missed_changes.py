"""What changed behind somebody's back, and what they go on believing."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.memory.epistemic.missed_changes import SeenChanges, behind_their_backs
from app.memory.epistemic.presence import Whereabouts
from app.memory.epistemic.presence_record import events_of, presence_document
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work, proposed
from app.memory.reading.windows import Window
from app.memory.standing import Ground, Status, standings
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


def seen(notes: str, lines: tuple[str, ...] = LINES) -> SeenChanges:
    messages = tuple(
        Message(f"m{n}", digest(line), "Narrator", line, kind=MessageKind.CHAT)
        for n, line in enumerate(lines)
    )
    window, ground = Window(CHAT, messages), Ground.of(CHAT, messages)
    work, answer = Work("key", CHAT, "", "model", 0.0), read_answer(notes)
    noted = presence_document(answer.presence, window, work)
    where = Whereabouts(events_of([noted] if noted else [], ground), openings=(0,))
    return SeenChanges(standings(proposed(answer, window, work), ground), where, messages)


def location(found: SeenChanges, person: str, at: int = 4) -> str:
    return found.belief(person, "ring", "location", at)


def test_who_was_away_goes_on_believing_what_was_so_before() -> None:
    found = seen(NOTES)
    assert location(found, "Ann") == "chest"
    assert location(found, "Bo") == "jar"
    assert location(found, "Cy") == ""


def test_who_comes_back_sees_how_things_are() -> None:
    found = seen(NOTES + BACK)
    assert location(found, "Bo", 3) == "jar"
    assert location(found, "Bo", 4) == "chest"


def test_a_corner_of_a_room_that_the_ledger_names_takes_nobody_out_of_it() -> None:
    corner = "\n[state:Bo:character:sources=3] location=by the stove"
    assert location(
        seen(NOTES.replace("[leave:sources=3] Bo | the mill\n", "") + corner), "Bo"
    ) == ("chest")


def test_without_a_word_on_who_comes_and_goes_nothing_follows() -> None:
    places = "[state:Ann:character:sources=1] location=mill"
    found = seen(f"{places}\n[state:ring:object:sources=2] location=jar")
    assert location(found, "Ann") == ""
    assert behind_their_backs(found, 4) == ()


def test_what_follows_stands_as_entries_between_its_messages() -> None:
    (believed,) = (
        s for s in behind_their_backs(seen(NOTES + BACK), 4) if s.memory.type == "believes"
    )
    assert believed.memory.text == "ring, location: jar"
    assert (believed.start, believed.end, believed.status) == (3, 4, Status.ENDED)
    away = behind_their_backs(seen(NOTES), 4)
    assert {(s.memory.type, s.memory.subject) for s in away} == {
        ("believes", "Bo"),
        ("knows", "Ann"),
    }
    assert {s.status for s in away} == {Status.ACTIVE}
    assert {s.status for s in behind_their_backs(seen(NOTES), 2)} == {Status.LATER}


def test_nobody_is_wrong_about_where_a_thing_is_for_how_it_was_put() -> None:
    """Whoever had last seen papers in the cellar of the archive was said to be wrong about it,
    since they lay in "Box 3, archive" now.
    """
    assert (
        behind_their_backs(seen(NOTES.replace("location=chest", "location=the mill jar")), 4) == ()
    )


PEOPLE, PLACES = ("Ann", "Bo", "Cy"), ("mill", "barn")
moves = st.tuples(st.sampled_from(PEOPLE), st.sampled_from((*PLACES, "")))
changes = st.tuples(st.just("ring"), st.sampled_from(("jar", "chest", "bag")))


@given(st.lists(st.one_of(moves, changes), max_size=14))
def test_nobody_who_is_gone_learns_anything(events: list[tuple[str, str]]) -> None:
    lines, notes = [], []
    for number, (who, what) in enumerate([("Ann", "mill"), *events], 1):
        if who == "ring":
            lines.append(f"The ring goes into the {what}.")
            notes.append(f"[state:ring:object:sources={number}] location={what}")
        else:
            lines.append(f"{who} walks.")
            tag, place = ("enter", what) if what else ("leave", "")
            notes.append(f"[{tag}:sources={number}] {who} | {place}")
    found = seen("\n".join(notes), tuple(lines))

    def shown(at: int) -> str:
        """Of a change in a place that they did not leave nobody says that they missed it."""
        who, what = [("Ann", "mill"), *events][at]
        return what if who == "ring" else ""

    for person in PEOPLE:
        for before, at in pairwise(range(len(lines))):
            spots = [found.where.spot(person, one) for one in (before, at)]
            if all(spot is not None and spot.is_away for spot in spots):
                assert location(found, person, at) in (location(found, person, before), shown(at))
