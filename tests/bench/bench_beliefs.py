"""Who takes a thing to be where, by who was there to see it: the map asked what ToMi asks.

What is answered otherwise than the data says is counted by kind below each row, and each such
question printed with `TAVERNKEEP_BENCH_SHOWS=wrong`:

- ToMi, stories into which a third person was put: the labels were made before they were put in
  (tests/bench/tomi.py). By the order in which the story is told all is right.
- OpenToM, two plots that call two people by one name.
- OpenToM, second order: whether somebody knows that they were watched, or takes one who was away
  to have seen it, stands in one sentence of the prose and in no plot. Plots of one shape have both
  labels; "one answer for like plots" says how many questions could be answered rightly at most.
  The rows "with what the prose says of it" add the line that a reading notes of that sentence
  (tests/bench/opentom.py); what stays is labelled against the prose or without a word of it there.
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
from app.memory.records import Memory
from app.memory.standing import Ground, Standing, Status
from app.story.messages import Message, digest
from tests.bench import tomi
from tests.bench.opentom import opentom
from tests.bench.tomi import Asked, BeliefStory

STORIES, SEED = 201, 0
PACKS = [pack for pack in load_packs() if pack.code == "en"]
ORDERS = {False: "first order", True: "second order"}
UNSOUND = {"ToMi": "third person put in", "OpenToM": "two by one name"}
OF_THE_PROSE = "by the prose they do not know that they were watched"
OF_THE_PROSE_SEEN = "by the prose they take the one who was away to have seen it"
AGAINST_PROSE = "labelled against the prose, or as if it were not there"
WITHOUT_PROSE = "labelled so without a sentence of the prose that is read"
OF_WHO_WAS_AWAY = "of one who was away, what they think of who moved it"
OUT_OF_ORDER = "labelled before the third person was put in"
BY_ONE_NAME = "two people by one name"
OTHERWISE = "told otherwise"


@dataclass(slots=True)
class Tally:
    """Questions of one kind, and those that were answered as the data says."""

    asked: int = 0
    right: int = 0
    in_order: int = 0
    wrong: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
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
        ("OpenToM", opentom(Path(folder))),
    ):
        for line in _lines(name, stories):
            print(line)  # noqa: T201


def _lines(name: str, stories: Iterable[BeliefStory]) -> Iterator[str]:
    kept = tuple(stories)
    tallies: dict[tuple[bool, bool], Tally] = {}
    read = Tally()  # second order, with what the prose says
    for story in kept:
        known, told = map_of(story), map_of(story, with_prose=True)
        for asked in story.questions:
            tally = tallies.setdefault((bool(asked.of), story.is_sound), Tally())
            _count(tally, story, asked, known)
            if asked.of:
                _count(read, story, asked, told, is_read=True)
    for (is_second, is_sound), tally in sorted(tallies.items()):
        labels = "labels in order" if is_sound else UNSOUND[name]
        yield tally.line(f"{name}, {ORDERS[is_second]}, {labels}")
        if is_sound and tally.most < tally.asked:
            share = 100 * tally.most / tally.asked
            yield f"{'  one answer for like plots, at most':38} {share:21.1f} %"
        yield from _kinds(tally)
    for is_second, order in ORDERS.items():
        both = [tally for (second, _), tally in tallies.items() if second is is_second]
        whole = Tally(*(sum(getattr(t, n) for t in both) for n in ("asked", "right", "in_order")))
        yield whole.line(f"{name}, {order}")
    if any(story.noticing for story in kept):
        yield read.line(f"{name}, {ORDERS[True]}, with the prose")
        yield from _kinds(read)
    if "wrong" in os.environ.get("TAVERNKEEP_BENCH_SHOWS", ""):
        for tally in (*tallies.values(), read):
            yield from tally.wrong


def _kinds(tally: Tally) -> Iterator[str]:
    for kind, count in tally.kinds.most_common():
        yield f"    {count:4} {kind}"


def _count(
    tally: Tally, story: BeliefStory, asked: Asked, known: EpistemicMap, *, is_read: bool = False
) -> None:
    """Ask the map one question. is_read: whether it knows what the prose says."""
    answer = answer_of(known, asked, len(story.told) - 1)
    is_ordered = bool(asked.in_order) and answer == asked.in_order
    tally.asked += 1
    tally.right += answer == asked.told
    tally.in_order += is_ordered
    tally.labels[shape_of(story, asked), asked.is_false] += 1
    if answer == asked.told:
        return
    kind = OUT_OF_ORDER if is_ordered else kind_of(story, asked, is_read=is_read)
    tally.kinds[kind] += 1
    tally.wrong.append(f"  {kind}: {asked} -> {answer!r}: {' '.join(story.lines)}")


def kind_of(story: BeliefStory, asked: Asked, *, is_read: bool) -> str:
    """Why a question of OpenToM is answered otherwise than it is labelled. is_read: whether the
    map knows what the prose says.
    """
    noticing = story.noticing
    if not story.is_sound:
        return BY_ONE_NAME
    if not asked.of:
        return OTHERWISE
    if noticing is not None and asked.who == noticing.who:
        is_told = noticing.is_seen is not asked.is_false
        if is_told and not is_read:
            return OF_THE_PROSE_SEEN if noticing.is_seen else OF_THE_PROSE
        return AGAINST_PROSE
    is_mover = any(sentence.startswith(f"{asked.who} moved ") for sentence in story.told)
    return WITHOUT_PROSE if is_mover else OF_WHO_WAS_AWAY


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


def map_of(story: BeliefStory, *, with_prose: bool = False) -> EpistemicMap:
    """The map that a reading of the story gives. with_prose: with what more its prose says."""
    messages = tuple(Message(str(n), digest(t), "Narrator", t) for n, t in enumerate(story.told))
    noticed = [story.noticing.line] if with_prose and story.noticing else []
    answer = read_answer("\n".join((*story.lines, *noticed)))
    stated = tuple(
        Standing(
            Memory(f"claim {n}", 1, claim.tier, claim.type, claim.text, subject=claim.subject),
            Status.ACTIVE,
            max(claim.sources) - 1,
        )
        for n, claim in enumerate(answer.claims)
    )
    document = presence_document(answer.presence, Window(1, messages), Work("w", 1, "", "m", 1.0))
    events = events_of([document] if document else [], Ground.of(1, messages))
    witnessing = Witnessing(Whereabouts(events), PACKS)
    return EpistemicMap((*stated, *witnessing.entries(1, stated)), witnessing=witnessing)


def answer_of(known: EpistemicMap, asked: Asked, at: int) -> str:
    """Where somebody takes the thing to be by the map; several places joined, "" for none."""
    world = known.world_of(asked.who, at)
    if asked.of:
        minds = (m for m in world.minds if m.holder == asked.of and m.state != "unaware")
        texts = [mind.text for mind in minds]
    else:
        texts = [standing.memory.text for standing in (*world.knows, *world.believes)]
    head = f"The {asked.thing} is in the "
    places = (text.removeprefix(head).rstrip(".") for text in texts if text.startswith(head))
    return " or ".join(dict.fromkeys(places))
