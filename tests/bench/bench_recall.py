"""Finding what of a story a question is about: how much is found, and how long one turn takes."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.languages import load_packs
from app.memory.similarity import Vectors
from app.recall.meanings import Meanings, Singles, standing_out
from app.recall.messages import Asked, MessageIndex
from app.recall.postings import Floats
from app.recall.words import Words
from app.story.messages import Message, MessageKind, digest
from tests.answers.questions import Question, questions_of
from tests.answers.rivals import bm25
from tests.bench import locomo
from tests.bench.bench_leaks import embedding
from tests.bench.table import IS_QUICK, Aim, Row, medians_ms

STORIES = Path(__file__).parent.parent / "data" / "stories"
KEPT_OUT = frozenset({"perihelion", "relojes", "yukimi"})
FIRST = 10  # turns of LoCoMo that are looked at
FIRST_OF_STORY = (5, 10)  # messages of a story, which are longer
ASKED = Path(__file__).parent.parent / "data" / "asked.json"
TRANSLATED = Path(__file__).parent.parent / "data" / "translated.json"
AT_ONCE = 256  # sentences
NUMBERS = 512  # of one vector
MESSAGES = 10_000 if IS_QUICK else 100_000
WORDS = 40  # of a message
VOCABULARY = 30_000

Turns = Sequence[tuple[str, str]]
Scores = Callable[[str], Floats]
Embed = Callable[[Sequence[str]], Vectors]


@dataclass(slots=True)
class _Tally:
    asked: int = 0
    meant: int = 0
    ours: int = 0
    plain: int = 0

    def add(self, is_meant: bool, is_ours: bool, is_plain: bool) -> None:
        self.asked += 1
        self.meant += is_meant
        self.ours += is_ours
        self.plain += is_plain

    def line(self, name: str) -> str:
        share = 100 / max(1, self.asked)
        return (
            f"{name:34} {self.asked:5} questions {self.ours * share:6.1f} "
            f"and meaning {self.meant * share:6.1f} plain BM25 {self.plain * share:6.1f}"
        )


def measure() -> list[Row]:
    """One turn of a very long story, and what each new message costs."""
    dice = np.random.default_rng(7)
    letters = np.array(list("abdeilmnorstuv"))
    vocabulary = ["".join(dice.choice(letters, dice.integers(3, 10))) for _ in range(VOCABULARY)]
    # The inverse of a distribution by 1 / (rank + 7), as of words in a text.
    ranks = 7 * ((VOCABULARY + 7) / 7) ** dice.random((MESSAGES, WORDS)) - 7
    messages = tuple(
        _message(
            number,
            f"Speaker {number % 4}",
            " ".join(vocabulary[rank] for rank in row) + "?" * (number % 5 == 0),
        )
        for number, row in enumerate(ranks.astype(int).clip(0, VOCABULARY - 1).tolist())
    )
    index = MessageIndex(Words(load_packs(), "the and of to in it is was for with"))
    index.follow(messages[:-1], 0)
    recent = [(message.text, 0.5) for message in messages[-4:]]

    def turn() -> None:
        index.scores(Asked.of(index.words, recent))

    before = messages[:-1]

    def grow() -> None:
        index.follow(messages, MESSAGES - 1)
        index.follow(before, MESSAGES - 1)

    meanings = _filled(messages[:-1], dice)
    question = _units(dice, 1)

    def meant() -> None:
        out = standing_out(meanings.likeness(question))
        index.scores(Asked.of(index.words, recent), out)

    took, both, grew = medians_ms(turn, meant, grow)
    return [
        Row(f"recall of one turn, {MESSAGES:,} messages", took, aim=Aim(most=20)),
        Row("the same by meaning, too", both, aim=Aim(most=20)),
        Row("recall takes in a new message", grew, aim=Aim(most=1)),
    ]


def _filled(messages: Sequence[Message], dice: np.random.Generator) -> Meanings:
    """With as many vectors as are kept of a story."""
    meanings = Meanings()
    meanings.follow(messages, 0)
    while missing := meanings.missing(4_000):
        meanings.take(dict(zip(missing, _units(dice, len(missing)), strict=True)))
    return meanings


def _units(dice: np.random.Generator, count: int) -> Singles:
    rows = dice.standard_normal((count, NUMBERS), dtype=np.float32)
    found: Singles = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return found


def report() -> None:
    """How much is found, by words and by the embedded model as well: on LoCoMo where its folder is
    named, on the labelled stories, on these asked in other ways, and in another language.
    """
    embed = embedding()
    folder = os.environ.get(locomo.FOLDER_VARIABLE, "")
    lines = (
        _of_locomo(Path(folder), embed) if folder else ["LoCoMo: TAVERNKEEP_LOCOMO names no folder"]
    )
    lines = [*lines, *_of_stories(embed), *_of_asked(embed), *_of_translated(embed)]
    print("\n".join(lines))  # noqa: T201


def _of_locomo(folder: Path, embed: Embed) -> list[str]:
    by_half = {True: _Tally(), False: _Tally()}
    for chat in locomo.chats(folder):
        every = _every(chat.turns, embed)
        for question in chat.questions:
            hits = (
                not question.evidence.isdisjoint(_best(scores(question.text), FIRST))
                for scores in every
            )
            by_half[chat.is_tuning].add(*hits)
    return [
        by_half[True].line("LoCoMo, chats for tuning"),
        by_half[False].line("LoCoMo, chats kept out"),
    ]


def _of_stories(embed: Embed) -> list[str]:
    tallies: dict[str, _Tally] = {}
    for path in (*sorted(STORIES.glob("*.json")), *sorted(STORIES.glob("long/*.json"))):
        story = json.loads(path.read_text(encoding="utf-8"))
        for question in questions_of(story):
            kind = "stories kept out" if path.stem in KEPT_OUT else "stories for tuning"
            for first in FIRST_OF_STORY:
                hits = _hits(story, question, embed, first)
                for name in (path.stem, kind):
                    tallies.setdefault(f"{name}, {first} messages", _Tally()).add(*hits)
    return [tally.line(name) for name, tally in tallies.items()]


def _of_asked(embed: Embed) -> list[str]:
    """Stories for tuning, asked at their end: as a player asks in passing, without the words of the
    answer, in the words of the story, and as whoever was there asks the others. Found is what one
    of the messages told that answer it.
    """
    lines = []
    for way, stories in json.loads(ASKED.read_text(encoding="utf-8")).items():
        tallies = {first: _Tally() for first in FIRST_OF_STORY}
        for name, questions in stories.items():
            story = json.loads(next(STORIES.rglob(f"{name}.json")).read_text(encoding="utf-8"))
            every = _every(_turns(story, len(story["messages"])), embed)
            for question in questions:
                found = [_best(scores(question["q"]), max(tallies)) for scores in every]
                for first, tally in tallies.items():
                    told_in = question["told_in"]
                    tally.add(*(not set(told_in).isdisjoint(places[:first]) for places in found))
        lines += [tally.line(f"asked {way}, {first} messages") for first, tally in tallies.items()]
    return lines


def _of_translated(embed: Embed) -> list[str]:
    """Stories asked in another language than their own."""
    lines = []
    for name, one in json.loads(TRANSLATED.read_text(encoding="utf-8")).items():
        story = json.loads((STORIES / f"{name}.json").read_text(encoding="utf-8"))
        for first in FIRST_OF_STORY:
            tally = _Tally()
            for question in questions_of(story):
                asked = one["questions"].get(question.text)
                if asked:
                    tally.add(*_hits(story, replace(question, text=asked), embed, first))
            lines.append(tally.line(f"{name} asked in {one['language']}, {first} messages"))
    return lines


def _hits(story: Mapping[str, Any], question: Question, embed: Embed, first: int) -> list[bool]:
    turns = _turns(story, question.place)
    hits = []
    for scores in _every(turns, embed):
        found = _best(scores(question.text), first)
        told = "\n".join(": ".join(turns[place]) for place in found)
        hits.append(question.is_answered_by(told))
    return hits


def _turns(story: Mapping[str, Any], until: int) -> Turns:
    told = story["messages"][: until + 1]
    return [(m["name"], "" if m["kind"] == "system" else m["mes"]) for m in told]


def _every(turns: Turns, embed: Embed) -> tuple[Scores, Scores, Scores]:
    """By words and meaning, by words, and plain BM25."""
    messages = tuple(_message(n, name, text) for n, (name, text) in enumerate(turns))
    index = MessageIndex(Words(load_packs(), " ".join(text for _, text in turns)))
    index.follow(messages, 0)
    meanings = Meanings()
    meanings.follow(messages, 0)
    while missing := meanings.missing(AT_ONCE):
        meanings.take(_by_text(embed(missing)))

    def ours(query: str) -> Floats:
        return index.scores(Asked.of(index.words, [(query, 1.0)]))

    def meant(query: str) -> Floats:
        out = standing_out(meanings.likeness(embed([query]).matrix))
        return index.scores(Asked.of(index.words, [(query, 1.0)]), out)

    return meant, ours, _plain(turns)


def _by_text(vectors: Vectors) -> dict[str, Singles]:
    return {text: vectors.matrix[row] for text, row in vectors.row_of.items()}


def _plain(turns: Turns) -> Scores:
    scores = bm25([f"{name} {text}" for name, text in turns])
    return lambda query: np.array(scores(query))


def _best(scores: Floats, count: int) -> list[int]:
    order: list[int] = np.argsort(-scores, kind="stable")[:count].tolist()
    return order


def _message(number: int, name: str, text: str) -> Message:
    return Message(str(number), digest(text), name, text, kind=MessageKind.CHAT)
