"""Stories as they were written raise no alarm, when the map is what their labels say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leaks import LeakCheck, LeakKind, stopwords_of
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Ending, EndReason, Memory, Source, Tier
from app.memory.standing import Ground, standings
from app.story.messages import Message, MessageKind, digest
from tests.oracle.gold import Gold

STORIES = Path(__file__).parents[1] / "data" / "stories"
LABELLED = ("lantern-district", "night-ferry")  # with who knows what
KINDS = {"narrator": MessageKind.NARRATOR, "system": MessageKind.NOTICE}


def memories_of(gold: Gold) -> list[Memory]:
    """The labels as entries, each ended by the next one of the same holder on the same thing."""
    made: list[Memory] = []
    last: dict[tuple[str, str], int] = {}
    for number, label in enumerate(gold.knowings):
        if label.thing in last:
            old = made[last[label.thing]]
            made[last[label.thing]] = replace(
                old, endings=(Ending(EndReason.SUPERSEDED, by=str(number)),)
            )
        last[label.thing] = len(made)
        made.append(
            Memory(
                str(number),
                1,
                Tier.EPISTEMIC,
                label.state,
                label.about,
                subject=label.holder,
                target=label.hidden_from,
                detail=label.text,
                sources=(Source(1, f"m{label.place}"),),
            )
        )
    return made


@pytest.mark.parametrize("name", LABELLED)
def test_a_story_as_it_was_written_raises_no_alarm(name: str) -> None:
    gold = Gold.read(STORIES / f"{name}.json")
    messages = [
        Message(
            f"m{n}",
            digest(m["mes"]),
            m["name"],
            m["mes"],
            is_user=m["is_user"],
            kind=KINDS.get(m["kind"], MessageKind.CHAT),
        )
        for n, m in enumerate(gold.messages)
    ]
    packs = Wording.of_story(load_packs(), " ".join(m.text for m in messages)).packs
    knowledge = EpistemicMap(
        standings(memories_of(gold), Ground.of(1, messages)),
        participants=list(dict.fromkeys(m.name for m in messages if m.kind is MessageKind.CHAT)),
        stopwords=stopwords_of(packs),
    )
    check = LeakCheck(knowledge, messages, packs=packs)
    found = [leak for n in range(len(messages)) for leak in check.at(n)]
    assert knowledge.entries
    assert [leak for leak in found if leak.kind is not LeakKind.TOLD] == []
