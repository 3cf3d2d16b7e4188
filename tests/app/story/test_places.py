"""Places of a chat that goes on are what places made anew are, also for who holds older ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from app.story.messages import Message
from app.story.places import Places
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_after, scenes_of
from app.story.story import Recapped

# A chat as its anchors; each step keeps a beginning and puts others behind it.
ANCHORS = st.lists(st.integers(0, 25).map(str), unique=True, max_size=14)
STEPS = st.lists(st.tuples(st.integers(0, 14), ANCHORS), max_size=8)


def messages_of(anchors: list[str]) -> tuple[Message, ...]:
    return tuple(Message(anchor, f"text {anchor}", "Mira", anchor) for anchor in anchors)


def histories(first: list[str], steps: list[tuple[int, list[str]]]) -> list[tuple[int, list[str]]]:
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
def test_places_after_a_change_are_those_made_anew(first, steps, asked, is_asked_early) -> None:
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


@dataclass(eq=False)
class NotRead:
    """A test of messages that are read one after another; counted: how often it was asked."""

    read: dict[str, None]
    size: int = 0
    counted: int = 0

    def __post_init__(self) -> None:
        self.size = len(self.read)

    def __call__(self, message: Message) -> bool:
        self.counted += 1
        return message.anchor not in self.read

    def ceased(self, before: NotRead) -> list[str]:
        return list(self.read)[before.size :]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotRead) and self.read is other.read


@given(ANCHORS, STEPS, st.lists(st.lists(st.integers(0, 25).map(str), max_size=5), max_size=9))
def test_what_is_still_to_be_read_is_what_a_look_at_all_says(first, steps, readings) -> None:
    places, read = Places(), dict[str, None]()
    for number, (head, anchors) in enumerate(histories(first, steps)):
        places = places.after(messages_of(anchors), head)
        for anchor in readings[number] if number < len(readings) else ():
            read[anchor] = None
        left = [index for index, anchor in enumerate(anchors) if anchor not in read]
        assert list(places.still(NotRead(read))) == left
        again = NotRead(read)
        assert list(places.still(again)) == left
        assert again.counted == 0


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
def test_scenes_after_a_change_are_those_cut_anew(first, steps, marked) -> None:
    breaks = breaks_at(marked)
    recaps = {
        a: (SceneRecap(a, 0, "", "text", "", "you", 0.0, is_current=n % 3 > 0),)
        for n, a in enumerate(marked)
    }
    scenes, recapped = (), Recapped()
    for head, anchors in histories(first, steps):
        messages = messages_of(anchors)
        scenes = scenes_after(scenes, messages, breaks, head)
        assert scenes == scenes_of(messages, breaks)
        recapped = Recapped.of(scenes, recaps, recapped)
        assert recapped == Recapped.of(scenes, recaps, Recapped())


def is_even(message: Message) -> bool:
    return int(message.anchor) % 2 == 0


@given(ANCHORS, STEPS)
def test_messages_that_pass_a_test_are_those_of_all(first, steps) -> None:
    places, made = Places(), []
    for head, anchors in histories(first, steps):
        places = places.after(messages_of(anchors), head)
        places.where(is_even)
        made.append((places, anchors))
    for held, anchors in made:
        assert list(held.where(is_even)) == [n for n, a in enumerate(anchors) if int(a) % 2 == 0]


@given(ANCHORS, STEPS)
def test_what_is_still_so_becomes_less_as_it_ceases(first, steps) -> None:
    gone: set[str] = set()

    class IsLeft:
        """Which cannot tell what ceased."""

        def __call__(self, message: Message) -> bool:
            return message.anchor not in gone

        def ceased(self, before: IsLeft) -> None:
            return None

    is_left = IsLeft()
    places = Places()
    for head, anchors in histories(first, steps):
        places = places.after(messages_of(anchors), head)
        gone |= set(anchors[1::3])
        assert list(places.still(is_left)) == [n for n, a in enumerate(anchors) if a not in gone]
