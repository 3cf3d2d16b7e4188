"""What presence alone says of who believes what: ToMi's questions, told by notes of an extraction.

No note says what anybody knows: only who comes and goes, and where things are.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

from app.memory.answers import read_answer
from app.memory.extraction import Work, proposed
from app.memory.presence import PresenceTimeline
from app.memory.standing import Ground, standings
from app.memory.windows import Window
from app.story.messages import Message, MessageKind, digest
from tests.bench import tomi

CHAT = 1


def report() -> None:
    """How many questions of the first and second order are answered rightly.

    Where a third person comes in, the generator writes its labels as if those who were there had
    looked again at the end of the story (it inserts that arrival after it has played everything
    else): those stories stand in rows of their own. It also leaves containers in rooms that no
    story names, so that a few people are said to see what they are nowhere near.
    """
    folder = os.environ.get(tomi.FOLDER_VARIABLE, "")
    if not folder:
        print("ToMi: TAVERNKEEP_TOMI names no folder")  # noqa: T201
        return
    right: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for story in tomi.stories(Path(folder)):
        order = "first" if len(story.question.people) == 1 else "second"
        name = f"{order} order{', a third person comes' if story.has_newcomer else ''}"
        asked[name] += 1
        right[name] += answered(story) == story.question.answer
    for name in sorted(asked):
        share = 100 * right[name] / asked[name]
        print(f"ToMi, {name:38} {asked[name]:5} questions {share:6.1f}")  # noqa: T201


def answered(story: tomi.BeliefStory) -> str:
    """The container that by presence somebody thinks of, "" where nothing says."""
    messages = tuple(
        Message(f"m{number}", digest(line), "Narrator", line, kind=MessageKind.CHAT)
        for number, line in enumerate(story.lines)
    )
    window = Window(CHAT, messages)
    memories = proposed(read_answer(story.notes), window, Work("k", CHAT, "", "bench", 0.0))
    presence = PresenceTimeline(standings(memories, Ground.of(CHAT, messages)), messages)
    asked, end = story.question, len(messages) - 1
    if len(asked.people) == 1:
        held = presence.belief(asked.people[0], asked.thing, "location", end)
    else:
        held = presence.thought(asked.people[0], asked.people[1], asked.thing, "location", end)
    return held.value if held is not None else ""
