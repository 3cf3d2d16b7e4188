"""Who was not there is told nothing of it, neither by passages nor by notes of unread messages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.memory.standing import Ground, standings
from app.prompt.choosing.presence import Presence
from app.prompt.generation import Turn
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.settings.slot_table import SlotName
from app.story.messages import Message, digest
from app.story.scenes import BreakOrigin, Scene, SceneBreak
from app.story.story import ChatKind, Story
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

SECRET = "I buried the tin whistle beneath the quince tree, by the north wall."
WALK = "We walk on through the long grass, and nobody says much at all, {}."


def of_two_scenes(kind: ChatKind = ChatKind.GROUP) -> Story:
    """Vera tells the user something; then a scene with Odo follows."""
    told = [("Vera", SECRET), ("You", "Good.")]
    told += [(("Vera", "Odo", "You")[n % 3], WALK.format(n % 4)) for n in range(180)]
    messages = tuple(
        Message(f"m{n}", digest(line), name, line, name == "You")
        for n, (name, line) in enumerate(told)
    )
    tokens = tuple(COUNTER.count(line) for _, line in told)
    return replace(
        story(kind=kind), messages=messages, scenes=(scene_of_two(),), message_tokens=tokens
    )


def scene_of_two() -> Scene:
    return Scene(1, 0, 1, SceneBreak("m1", BreakOrigin.HAND))


@pytest.mark.parametrize("total", [900, 1_700], ids=["in few words", "in whole sentences"])
@pytest.mark.parametrize(
    ("turn", "kind", "is_told"),
    [
        (Turn("Vera"), ChatKind.GROUP, True),
        (Turn("Odo"), ChatKind.GROUP, False),
        (Turn("Odo", generation="impersonate"), ChatKind.GROUP, True),
        (Turn(""), ChatKind.GROUP, False),
        (Turn("Odo"), ChatKind.SOLO, True),
    ],
    ids=["was there", "was not", "the user was", "nobody in particular", "alone with the user"],
)
def test_notes_of_unread_messages_are_for_those_who_were_there(
    turn: Turn, kind: ChatKind, total: int, *, is_told: bool
) -> None:
    of, means = of_two_scenes(kind), Means(COUNTER.count, PACKS)
    held = standings([memory("Odo has a boat.", at=9)], Ground.of(CHAT, of.messages))
    told = Recollection(held, chat=CHAT, unread_from=0)
    found = assembled(of, settings(), means, told=told, turn=turn, total=total)
    assert ("quince" in text_of(found, SlotName.SHORT)) is is_told


def test_what_a_memory_says_somebody_missed_they_do_not_know() -> None:
    of = replace(of_two_scenes(), scenes=())
    assert Presence(of, frozenset({"odo"}), frozenset()).knows(0)
    assert not Presence(of, frozenset({"odo"}), frozenset({0})).knows(0)


def test_a_member_misses_what_a_memory_says_others_witnessed() -> None:
    of = replace(of_two_scenes(), scenes=())
    seen = memory("The whistle is buried.", at=0, hash=digest(SECRET), witnessed_by=("Vera",))
    held = standings([seen], Ground.of(CHAT, of.messages))
    told = Recollection(held, chat=CHAT, unread_from=0)
    means = Means(COUNTER.count, PACKS)
    texts = [
        text_of(
            assembled(of, settings(), means, told=told, turn=Turn(who), total=900), SlotName.SHORT
        )
        for who in ("Vera", "Odo")
    ]
    assert ["quince" in text for text in texts] == [True, False]
