"""Who takes a thing to be where, by who was there to see it: the map asked what ToMi asks."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from app.languages import load_packs
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.presence import Whereabouts
from app.memory.epistemic.presence_record import events_of, presence_document
from app.memory.epistemic.witnessing import Witnessing
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work
from app.memory.reading.windows import Window
from app.memory.standing import Ground
from app.story.messages import Message, digest
from tests.bench import tomi
from tests.bench.tomi import Asked, BeliefStory

STORIES, SEED = 201, 0
PACKS = [pack for pack in load_packs() if pack.code == "en"]
ORDERS = {False: "first order", True: "second order"}


@dataclass(slots=True)
class Tally:
    """Questions of one kind, and those that were answered as the data says."""

    asked: int = 0
    right: int = 0
    in_order: int = 0
    wrong: list[str] = field(default_factory=list)

    def line(self, name: str) -> str:
        """The shares in words."""
        share = 100 / max(1, self.asked)
        ordered = f", by the order told {self.in_order * share:5.1f} %" if self.in_order else ""
        return f"{name:38} {self.asked:5} questions {self.right * share:6.1f} %{ordered}"


def report() -> None:
    """How many questions of belief the map answers rightly, given who enters, leaves and sees."""
    folder = os.environ.get(tomi.FOLDER_VARIABLE, "")
    if not folder:
        print(f"beliefs: {tomi.FOLDER_VARIABLE} names no folder")  # noqa: T201
        return
    for name, stories in (
        ("ToMi", tomi.tomi(Path(folder), STORIES, SEED)),
        ("OpenToM", tomi.opentom(Path(folder))),
    ):
        for line in _lines(name, stories):
            print(line)  # noqa: T201


def _lines(name: str, stories: Iterable[BeliefStory]) -> Iterator[str]:
    tallies: dict[tuple[bool, bool], Tally] = {}
    for story in stories:
        known = map_of(story)
        for asked in story.questions:
            tally = tallies.setdefault((bool(asked.of), story.is_sound), Tally())
            answer = answer_of(known, asked, len(story.told) - 1)
            tally.asked += 1
            tally.right += answer == asked.told
            tally.in_order += bool(asked.in_order) and answer == asked.in_order
            if answer != asked.told:
                is_ordered = bool(asked.in_order) and answer == asked.in_order
                why = "labelled out of order" if is_ordered else "told otherwise"
                tally.wrong.append(f"  {why}: {asked} -> {answer!r}: {' '.join(story.lines)}")
    for (is_second, is_sound), tally in sorted(tallies.items()):
        labels = "labels in order" if is_sound else "third person put in"
        yield tally.line(f"{name}, {ORDERS[is_second]}, {labels}")
    for is_second, order in ORDERS.items():
        both = [tally for (second, _), tally in tallies.items() if second is is_second]
        whole = Tally(*(sum(getattr(t, n) for t in both) for n in ("asked", "right", "in_order")))
        yield whole.line(f"{name}, {order}")
    if "wrong" in os.environ.get("TAVERNKEEP_BENCH_SHOWS", ""):
        for tally in tallies.values():
            yield from tally.wrong


def map_of(story: BeliefStory) -> EpistemicMap:
    """The map that a reading of the story gives."""
    messages = tuple(Message(str(n), digest(t), "Narrator", t) for n, t in enumerate(story.told))
    answer = read_answer("\n".join(story.lines))
    document = presence_document(answer.presence, Window(1, messages), Work("w", 1, "", "m", 1.0))
    events = events_of([document] if document else [], Ground.of(1, messages))
    witnessing = Witnessing(Whereabouts(events), PACKS)
    return EpistemicMap(witnessing.entries(1), witnessing=witnessing)


def answer_of(known: EpistemicMap, asked: Asked, at: int) -> str:
    """Where somebody takes the thing to be by the map; several places joined, "" for none."""
    world = known.world_of(asked.who, at)
    if asked.of:
        texts = [mind.text for mind in world.minds if mind.holder == asked.of]
    else:
        texts = [standing.memory.text for standing in (*world.knows, *world.believes)]
    head = f"The {asked.thing} is in the "
    places = (text.removeprefix(head).rstrip(".") for text in texts if text.startswith(head))
    return " or ".join(dict.fromkeys(places))
