"""A model that reads well: the oracle, which also notes what the story's questions ask for.

It notes the answer to a question from the message that gives it, when it is shown that message, and
writes recaps, portraits and histories of what the labels say so far.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.answers.questions import Question, questions_of
from tests.fakes import RecordedRequest
from tests.oracle.gold import Gold, Value
from tests.oracle.server import Oracle, Shown

WORD = re.compile(r"\w+")
NUMBER = re.compile(r" \[(\d+)\]$", re.MULTILINE)  # of an entry of a running recap
ENTRY_HEAD = re.compile(r"^\[(?:CHARACTER|USER|NARRATOR)[^\]\n]*\]\n", re.MULTILINE)
KEYWORD_WEIGHS = 3.0
# How a good reader files what a question of this kind asks for.
TAGS = {
    "single-fact": "detail:2:session",
    "who-knows": "revelation:2:permanent",
    "temporal": "event:2:permanent",
    "multi-scene": "event:2:permanent",
}
TWO_NOTES = re.compile(r"Older note: (.*)\nNewer note: (.*)")
SAME_PROPOSITION = 0.5  # of the words of two questions


@dataclass(frozen=True, slots=True)
class Fact:
    """The answer to a question as a note. place: the message from which on it can be told."""

    place: int
    question: Question
    text: str

    @property
    def tag(self) -> str:
        """The kind of memory it is."""
        return TAGS.get(self.question.kind, "fact:2:permanent")


class GoodModel(Oracle):
    """Answers requests as the oracle does, and more of them.

    files_as: the tag of all it notes of answers, "" for one by the kind of question.
    """

    def __init__(
        self, gold: Gold, *, seed: int = 7, is_talkative: bool = False, files_as: str = ""
    ) -> None:
        super().__init__(gold, seed=seed, is_talkative=is_talkative)
        self._files_as = files_as
        self.facts = tuple(facts_of(gold))
        self._told = [(fact.place, fact.text) for fact in self.facts]
        self._told += [(arc.resolved, arc.resolution) for arc in gold.arcs if arc.resolved]
        self._until: dict[str, int] = {}  # last message of the scene that a line was written of
        self._bodies: dict[str, int] = {}
        for index, message in enumerate(gold.messages):
            self._bodies.setdefault(_bare(str(message["mes"])), index)

    def reply(self, request: RecordedRequest) -> str:
        """The answer to a request."""
        text = request.text
        if "You read one finished scene" in text:
            return self._scene_recap(str(request.messages[-1]["content"]))
        if "say what the earlier scene changes in the running recap" in text:
            return self._both(str(request.messages[-1]["content"]))
        if "You keep the running recap" in text:
            return self._running_recap(str(request.messages[-1]["content"]))
        if found := TWO_NOTES.search(text):
            return self._compared(found[1], found[2])
        return super().reply(request)

    def _long_term(self, shown: Shown) -> Iterator[str]:
        for fact in self.facts:
            if (number := shown.numbers.get(fact.place)) is not None:
                yield f"[{self._files_as or fact.tag}:sources={number}] {fact.text}"
        yield from super()._long_term(shown)

    def _profiles(self, text: str) -> str:
        """What the ledger says of those who are asked for, as far as the notes go."""
        form = "[PROFILE {}]\n[character_state]\n{}\n[world_state]\n{}"
        names = text.rpartition("Write the portraits of: ")[2].split(", ")
        last = self._last_told(text)
        portraits = []
        for name in names:
            held = {v.field: v.value for v in self.gold.values_at(last) if v.entity == name}
            goals = held.get("active_goal", "to go on")
            where = held.get("location", "here")
            portraits.append(form.format(name, f"goals: {goals}", f"location: {where}"))
        return "\n\n".join(portraits) or "NONE"

    def _canon(self, text: str) -> str:
        """How the threads that have ended were resolved."""
        arcs = [arc.resolution for arc in self.gold.resolved_at(self._last_told(text))]
        return f"Identity: {self.gold.messages[0]['name']}.\n\nHistory: {' '.join(arcs)}"

    def _last_told(self, text: str) -> int:
        """The last message of which the notes in a request say something."""
        told = [place for place, line in self._told if line in text]
        told += [v.place for v in self.gold.values if f"{v.field}={v.value}" in text]
        return max(told, default=0)

    def _compared(self, older: str, newer: str) -> str:
        """Which of two notes is true: the newer, when both answer what changes in the story."""
        questions = [
            next((fact.question for fact in self.facts if fact.text in note), None)
            for note in (older, newer)
        ]
        if all(question is not None and question.kind == "updated-fact" for question in questions):
            first, second = (_words(question.text) for question in questions if question)
            if len(first & second) >= SAME_PROPOSITION * len(first | second):
                return "UPDATE"
        return "INDEPENDENT"

    def _scene_recap(self, text: str) -> str:
        scene = text.split("<scene>")[-1].split("</scene>")[0]
        places = [
            place
            for piece in ENTRY_HEAD.split(scene)
            if (place := self._bodies.get(_bare(piece))) is not None
        ]
        if not places:
            return _recap(["The story goes on."], [], [])
        first, last = min(places), max(places)
        touched = {v.thing for v in self.gold.values if first <= v.place <= last}
        lines = [text for place, text in sorted(self._told) if first <= place <= last]
        state = [_told(value) for value in self.gold.values_at(last) if value.thing in touched]
        opened = [arc.thread for arc in self.gold.open_at(last) if arc.opened >= first]
        self._until |= dict.fromkeys((*lines, *state, *opened), last)
        return _recap(lines, opened, state)

    def _both(self, text: str) -> str:
        """A scene's recap; all entries of the running recap give way to what the labels say."""
        whole = json.loads(self._running_recap(text, "earlier"))["recap"]
        shown = text.partition("<recap>")[2].partition("<scene>")[0]
        changes = {"drop": [int(n) for n in NUMBER.findall(shown)], "replace": [], "add": whole}
        return json.dumps({**json.loads(self._scene_recap(text)), "changes": changes})

    def _running_recap(self, text: str, tag: str = "scene") -> str:
        """All that the labels say up to the end of the scene that is folded in."""
        lines = text.split(f"<{tag}>")[-1].split(f"</{tag}>")[0].splitlines()
        lines = [NUMBER.sub("", line) for line in lines]
        last = max((self._until.get(line.strip(), -1) for line in lines), default=-1)
        return _recap(
            [text for place, text in sorted(self._told) if place <= last],
            [arc.thread for arc in self.gold.open_at(last)],
            [_told(value) for value in self.gold.values_at(last)],
        )


def _recap(developments: Sequence[str], open_: Sequence[str], state: Sequence[str]) -> str:
    happened = list(dict.fromkeys(developments))
    if not happened and not open_ and not state:
        happened = ["The story goes on."]
    recap = {"developments": happened, "open": list(open_), "state": list(state)}
    return json.dumps({"name": "A scene", "recap": recap})


def facts_of(gold: Gold) -> Iterator[Fact]:
    """The questions' answers, each from the message that says most of it."""
    words = [_words(str(message["mes"])) for message in gold.messages]
    holders = Counter(word for one in words for word in one)
    rarity = {word: math.log(1 + len(words) / count) for word, count in holders.items()}
    for question in questions_of(gold.story):
        place = _source(question, gold.messages, words, rarity)
        yield Fact(place, question, f"{question.text.rstrip('?')}: {question.answer}.")


def _source(
    question: Question,
    messages: Sequence[Mapping[str, object]],
    words: Sequence[frozenset[str]],
    rarity: Mapping[str, float],
) -> int:
    """The message that says most of an answer; never before every keyword was said."""
    wanted = _words(f"{question.text} {question.answer}")
    texts = [f"{m['name']}: {m['mes']}".casefold() for m in messages[: question.place + 1]]

    def score(place: int) -> tuple[float, int]:
        held = sum(keyword in texts[place] for keyword in question.keywords)
        shared = sum(rarity[word] for word in wanted & words[place])
        return held * KEYWORD_WEIGHS * 2 + shared, place

    best = max(range(len(texts)), key=score)
    firsts = [
        next((place for place, text in enumerate(texts) if keyword in text), best)
        for keyword in question.keywords
    ]
    return max(best, *firsts)


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in WORD.findall(text.casefold()) if len(word) > 2)


def _bare(text: str) -> str:
    return " ".join(WORD.findall(text.casefold()))


def _told(value: Value) -> str:
    return f"{value.entity}, {value.field.replace('_', ' ')}: {value.value}."
