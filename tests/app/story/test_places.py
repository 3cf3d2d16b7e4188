"""Places of a chat that goes on are what places made anew are, also for who holds older ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from app.story.messages import Message
from app.story.places import Places
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak, scenes_after, scenes_of
from app.story.story import Recapped

# A chat as its anchors; each step keeps a beginning and puts others behind it.
ANCHORS = st.lists(st.integers(0, 25).map(str), unique=True, max_size=14)
STEPS = st.lists(st.tuples(st.integers(0, 14), ANCHORS), max_size=8)


def messages_of(anchors: list[str]) -> tuple[Message, ...]:
    return tuple(Message(anchor, f"text {anchor}", "Mira", anchor) for anchor in anchors)


Steps = list[tuple[int, list[str]]]


def histories(first: list[str], steps: Steps) -> list[tuple[int, list[str]]]:
    """Each state of the chat with how much of the one before it begins with."""
    states = [(0, first)]
    for stay, behind in steps:
        kept = states[-1][1][:stay]
        states.append((len(kept), [*kept, *(a for a in behind if a not in kept)]))
    return states


def assert_digests(places: Places, anchors: list[str]) -> None:
    def joined(messages: Sequence[Message]) -> str:
        return " ".join(message.anchor for message in messages)

    for first in range(0, len(anchors), 3):
        digest = places.digest_of(first, first + 2, "anchors", joined)
        assert digest == " ".join(anchors[first : first + 3])


@given(ANCHORS, STEPS, st.frozensets(st.integers(0, 25).map(str), max_size=6), st.booleans())
def test_places_after_a_change_are_those_made_anew(
    first: list[str], steps: Steps, asked: set[str], is_asked_early: bool
) -> None:
    places, made = Places(), []
    for head, anchors in histories(first, steps):
        places = places.after(messages_of(anchors), head)
        made.append((places, anchors))
        assert_digests(places, anchors)
        if is_asked_early:
            assert places.last_of(asked) == max(
                (anchors.index(a) for a in asked & {*anchors}), default=-1
            )
    for held, anchors in made:
        assert_digests(held, anchors)
        wanted = {anchor: index for index, anchor in enumerate(anchors)}
        assert dict(held) == wanted
        assert all(held.get(str(n)) == wanted.get(str(n)) for n in range(26))
        assert all((str(n) in held) == (str(n) in wanted) for n in range(26))
        assert held.last_of(asked) == max((wanted.get(a, -1) for a in asked), default=-1)
        assert dict(held.hashes) == {anchor: f"text {anchor}" for anchor in anchors}


def test_a_message_more_shares_the_table() -> None:
    before = Places(messages_of(["a", "b"]))
    assert before["b"] == 1
    after = before.after(messages_of(["a", "b", "c"]), 2)
    assert after["c"] == 2
    assert after._table is before._table
    assert "c" not in before


def breaks_at(anchors: list[str]) -> dict[str, SceneBreak]:
    """Some are hidden: those close nothing."""
    return {a: SceneBreak(a, BreakOrigin.HAND, is_visible=a != "3") for a in anchors}


@given(ANCHORS, STEPS, ANCHORS)
def test_scenes_after_a_change_are_those_cut_anew(
    first: list[str], steps: Steps, marked: list[str]
) -> None:
    breaks = breaks_at(marked)
    recaps = {
        a: (SceneRecap(a, 0, "", "text", "", "you", 0.0, is_current=n % 3 > 0),)
        for n, a in enumerate(marked)
    }
    scenes: tuple[Scene, ...] = ()
    recapped = Recapped()
    for head, anchors in histories(first, steps):
        messages = messages_of(anchors)
        scenes = scenes_after(scenes, messages, breaks, head)
        assert scenes == scenes_of(messages, breaks)
        recapped = Recapped.of(scenes, recaps, recapped)
        assert recapped == Recapped.of(scenes, recaps, Recapped())


def is_even(message: Message) -> bool:
    return int(message.anchor) % 2 == 0


@given(ANCHORS, STEPS)
def test_messages_that_pass_a_test_are_those_of_all(first: list[str], steps: Steps) -> None:
    places, made = Places(), []
    for head, anchors in histories(first, steps):
        places = places.after(messages_of(anchors), head)
        places.where(is_even)
        made.append((places, anchors))
    for held, anchors in made:
        assert list(held.where(is_even)) == [n for n, a in enumerate(anchors) if int(a) % 2 == 0]


class _IsLeft:
    def __init__(self, gone: set[str]) -> None:
        self._gone = gone

    def __call__(self, message: Message) -> bool:
        return message.anchor not in self._gone

    def still(self, messages: Iterable[Message]) -> Iterable[bool]:
        return map(self, messages)


@given(ANCHORS, STEPS)
def test_what_is_still_so_becomes_less_as_it_ceases(first: list[str], steps: Steps) -> None:
    gone: set[str] = set()
    is_left, places = _IsLeft(gone), Places()
    for head, anchors in histories(first, steps):
        places = places.after(messages_of(anchors), head)
        gone |= set(anchors[1::3])
        assert list(places.still(is_left)) == [n for n, a in enumerate(anchors) if a not in gone]
