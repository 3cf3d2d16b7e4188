"""Who takes a thing to be where, by who was there to see it: the map asked what ToMi asks.

What it gets wrong, and why (`TAVERNKEEP_BENCH_SHOWS=wrong` prints each):

- ToMi, stories into which a third person was put: the labels were made before they were put in
  (tests/bench/tomi.py). By the order in which the story is told all is right.
- OpenToM, first order: two plots call two people by one name.
- OpenToM, second order: whether somebody knows that they were watched, or takes one who left to
  have heard of it, stands in the prose. Plots of one shape have both labels, and the row "one
  answer for like plots" says how many questions could be answered rightly at most.
"""

from __future__ import annotations

import os
from collections import Counter
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
UNSOUND = {"ToMi": "third person put in", "OpenToM": "two by one name"}


@dataclass(slots=True)
class Tally:
    """Questions of one kind, and those that were answered as the data says."""

    asked: int = 0
    right: int = 0
    in_order: int = 0
    wrong: list[str] = field(default_factory=list)
    labels: Counter[tuple[str, bool]] = field(default_factory=Counter)

    @property
    def most(self) -> int:
        """How many one answer for each shape of a plot could give at most."""
        shapes = {shape for shape, _ in self.labels}
        return sum(max(self.labels[s, True], self.labels[s, False]) for s in shapes)

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
            tally.labels[shape_of(story, asked), asked.is_false] += 1
            if answer != asked.told:
                is_ordered = bool(asked.in_order) and answer == asked.in_order
                why = "labelled out of order" if is_ordered else "told otherwise"
                tally.wrong.append(f"  {why}: {asked} -> {answer!r}: {' '.join(story.lines)}")
    for (is_second, is_sound), tally in sorted(tallies.items()):
        labels = "labels in order" if is_sound else UNSOUND[name]
        yield tally.line(f"{name}, {ORDERS[is_second]}, {labels}")
        if is_sound and tally.most < tally.asked:
            share = 100 * tally.most / tally.asked
            yield f"{'  one answer for like plots, at most':38} {share:21.1f} %"
    for is_second, order in ORDERS.items():
        both = [tally for (second, _), tally in tallies.items() if second is is_second]
        whole = Tally(*(sum(getattr(t, n) for t in both) for n in ("asked", "right", "in_order")))
        yield whole.line(f"{name}, {order}")
    if "wrong" in os.environ.get("TAVERNKEEP_BENCH_SHOWS", ""):
        for tally in tallies.values():
            yield from tally.wrong


def shape_of(story: BeliefStory, asked: Asked) -> str:
    """What a plot has in common with all of which only names differ, and who is asked of whom."""
    people: dict[str, str] = {}
    shape = []
    for line in story.lines:
        tag, _, rest = line.partition("] ")
        who = rest.partition(" |")[0]
        shape.append(f"{tag.partition(':')[0]} {people.setdefault(who, str(len(people)))}")
    roles = (people.get(asked.who, ""), people.get(asked.of, ""))
    return " ".join((*shape, *roles))


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
