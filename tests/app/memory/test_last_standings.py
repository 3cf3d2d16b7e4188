"""How memories stand at the end of a chat, handed on while it grows."""

from __future__ import annotations

import random
from dataclasses import replace

from app.memory.records import Ending, EndReason, Memory, Source, Tier
from app.memory.standing import Ground, LastStandings, Status, standings
from app.story.messages import Message
from app.story.places import Places
from tests.ui.samples import message

CHAT = 1
CHATTER = tuple(message(number, f"Message {number}.") for number in range(12))


def _memory(name: str, *sources: int, ended_by: int | None = None) -> Memory:
    cited = tuple(Source(CHAT, CHATTER[n].anchor, CHATTER[n].content_hash) for n in sources)
    endings = () if ended_by is None else (Ending(EndReason.RETIRED, sources=(_source(ended_by),)),)
    return Memory(name, CHAT, Tier.SESSION, "detail", name, sources=cited, endings=endings)


def _source(number: int) -> Source:
    return Source(CHAT, CHATTER[number].anchor)


def test_they_stand_as_if_worked_out_anew_whatever_becomes_of_the_chat() -> None:
    dice = random.Random(1)
    memories = (_memory("a", 0), _memory("b", 1, 4), _memory("c", 2, ended_by=7), _memory("d", 9))
    last, places = LastStandings(), Places()
    for _ in range(300):
        messages: tuple[Message, ...] = tuple(places.messages)
        if dice.random() < 0.6:
            messages = CHATTER[: min(len(messages) + 1, len(CHATTER))]
        else:
            messages = tuple(m for m in messages if dice.random() < 0.8)
        head = next(
            (n for n, (a, b) in enumerate(zip(messages, places.messages, strict=False)) if a != b),
            min(len(messages), len(places.messages)),
        )
        places = places.after(messages, head)
        ground = Ground.at(CHAT, places)
        assert last.of(memories, ground) == standings(memories, ground)


def test_a_message_that_nothing_cites_costs_no_look_at_the_memories() -> None:
    memories, last = (_memory("a", 0), _memory("b", 1)), LastStandings()
    places = Places(CHATTER[:3])
    before = last.of(memories, Ground.at(CHAT, places))
    assert last.of(memories, Ground.at(CHAT, places.after(CHATTER[:4], 3))) is before


def test_another_memory_or_source_elsewhere_is_looked_at() -> None:
    elsewhere = replace(_memory("b"), sources=(Source(2, "there", "as it was"),))
    last, places = LastStandings(), Places(CHATTER[:3])
    last.of((_memory("a", 0),), Ground.at(CHAT, places))
    found = last.of((_memory("a", 0), elsewhere), Ground.at(CHAT, places, {(2, "there"): "other"}))
    assert [standing.status for standing in found] == [Status.ACTIVE, Status.STALE]


def test_what_another_chat_of_the_character_sets_aside_holds_in_its_own() -> None:
    """Other stories were read, and of the older one not one lasting memory was left in it."""
    other = message(0, "There.")
    elsewhere = Ending(EndReason.OUTRANKED, sources=(Source(2, other.anchor),))
    here = Ending(EndReason.OUTRANKED, sources=(_source(5),))
    retired = Ending(EndReason.RETIRED, sources=(Source(2, other.anchor),))
    memories = tuple(
        replace(_memory(str(number), 1), endings=(ending,))
        for number, ending in enumerate((elsewhere, here, retired))
    )
    own = standings(memories, Ground.of(CHAT, CHATTER))
    assert [s.status for s in own] == [Status.ACTIVE, Status.ENDED, Status.ENDED]
    there = standings(memories, Ground.of(2, (other,)))
    assert [there[0].status, there[2].status] == [Status.ENDED, Status.ENDED]
