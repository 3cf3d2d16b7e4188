"""A model server that answers memory tasks from a story's labels, for the window it is shown.

It knows nothing of the program but its requests: the numbered messages, the lists of what is known,
and the words that name the task.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from tests.fakes import RecordedRequest
from tests.oracle.gold import Arc, Gold, Knowing, Value, folded

NUMBERED_MESSAGE = re.compile(r"(?:^|\n\n)\[(\d+)\] ")
NUMBERED_ENTRY = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
NEW_FROM = re.compile(r"Messages before \[(\d+)\]")
EPISTEMIC, LEDGER, ARCS = "epistemic", "ledger", "arcs"
LONG_TERM, SESSION, FEELINGS = "long-term", "session", "feelings"
SENTENCE = re.compile(r"[^.!?*\"]{12,120}[.!?]")
# Of what puts memory in order: the answer is that all of it stays.
KEEPING = ("You keep the notes of a long story in order", "Say which notes no longer hold")
TASKS: Mapping[str, tuple[str, ...]] = {
    "Write every kind of entry": (EPISTEMIC, LEDGER, ARCS, LONG_TERM, SESSION, FEELINGS),
    "Your task: note who knows what": (EPISTEMIC,),
    "Your task: note the state ledger": (LEDGER,),
    "Your task: note the open arcs": (ARCS,),
    "Your task: note the long-term memory": (LONG_TERM,),
    "Your task: note the session memory": (SESSION,),
    "Your task: note the feelings": (FEELINGS,),
}


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows. numbers: of new messages, by their place in the story."""

    numbers: Mapping[int, int]
    arcs: Mapping[str, str]
    entries: Mapping[str, str]


class Oracle:
    """Answers requests.

    sloppiness: share of lines that are given in a careless form. is_talkative: notes also a memory
    of each new message, and a feeling now and then, as a real model does.
    """

    def __init__(
        self, gold: Gold, *, sloppiness: float = 0.0, seed: int = 7, is_talkative: bool = False
    ) -> None:
        self.gold = gold
        self._is_talkative = is_talkative
        self._sloppiness = sloppiness
        self._random = random.Random(seed)
        self._places = _places(gold)
        self._texts: Mapping[str, Callable[[str], str]] = {
            "[PROFILE <A>]": self._profiles,
            "[1: RESOLVED]": _arc_summaries,
            "You keep the history of a character": self._canon,
            "find keywords that call each one up": _triggers,
            "[SUMMARY]": lambda text: SUMMARY,
            "You check a passage of a story": lambda text: "NONE",
        }

    def reply(self, request: RecordedRequest) -> str:
        """The answer to a request."""
        text = request.text
        for words, kinds in TASKS.items():
            if words in text:
                return self._lines(text, kinds)
        if "UPDATE" in text and "INDEPENDENT" in text:
            return "INDEPENDENT"
        if any(words in text for words in KEEPING):
            return "NONE"
        for words, answer in self._texts.items():
            if words in text:
                return answer(str(request.messages[-1]["content"]))
        if "scenebreakat" in text.casefold():
            return '{"sceneBreakAt": false}'
        recap = {"developments": ["The story goes on."], "open": [], "state": [], "resolved": []}
        return json.dumps({"name": "A scene", "recap": recap, **recap})

    def _lines(self, text: str, kinds: tuple[str, ...]) -> str:
        shown = self._shown(text)
        makers: Mapping[str, Callable[[Shown], Iterator[str]]] = {
            EPISTEMIC: self._knowings,
            LEDGER: self._values,
            ARCS: self._arcs,
            LONG_TERM: self._long_term,
            SESSION: lambda shown: self._sentences(shown, "detail:2:session", 1, 2),
            FEELINGS: self._feelings,
        }
        lines = [line for kind in kinds for line in makers[kind](shown)]
        if not lines:
            return "NONE"
        if self._sloppiness:
            return _with_noise([self._careless(line) for line in lines], self._random)
        return "\n".join(lines)

    def _shown(self, text: str) -> Shown:
        messages = text.split("<messages>")[-1].split("</messages>")[0].strip()
        pieces = NUMBERED_MESSAGE.split(messages)
        found = NEW_FROM.search(text)
        new_from = int(found[1]) if found else 1
        numbers: dict[int, int] = {}
        for number, shown in zip(pieces[1::2], pieces[2::2], strict=True):
            place = self._places.get(shown.strip())
            if place is not None and int(number) >= new_from:
                numbers[place] = int(number)
        known = "\n".join(
            re.findall(r"<(?:known|news)>\n(.*?)\n</(?:known|news)>", text, re.DOTALL)
        )
        entries: dict[str, str] = {}
        arcs: dict[str, str] = {}
        for number, entry in NUMBERED_ENTRY.findall(known):
            (entries if entry.startswith("[") else arcs)[folded(entry)] = number
        return Shown(numbers, arcs, entries)

    def _knowings(self, shown: Shown) -> Iterator[str]:
        for label in self.gold.knowings:
            number = shown.numbers.get(label.place)
            if number is None:
                continue
            for old in self.gold.ended_by(label):
                listed = shown.entries.get(folded(_entry(old)))
                if listed is not None:
                    yield f"[retire:sources={number}] {listed}"
            head, _, about = _entry(label).partition("] ")
            yield f"{head}:sources={number}] {about} | {label.text}"

    def _values(self, shown: Shown) -> Iterator[str]:
        for label in self.gold.values:
            number = shown.numbers.get(label.place)
            if number is not None:
                yield _state(label, number)

    def _arcs(self, shown: Shown) -> Iterator[str]:
        for arc in self.gold.arcs:
            if (number := shown.numbers.get(arc.opened)) is not None:
                yield f"[arc:sources={number}] {arc.thread}"
        for arc in self.gold.arcs:
            if arc.resolved is not None and arc.resolved in shown.numbers:
                yield _resolved(arc, shown.numbers[arc.resolved], shown.arcs)

    def _profiles(self, text: str) -> str:
        names = dict.fromkeys(message["name"] for message in self.gold.messages)
        form = "[PROFILE {}]\n[character_state]\ngoals: to go on\n[world_state]\nlocation: here"
        return "\n\n".join(form.format(name) for name in names if name in text) or "NONE"

    def _long_term(self, shown: Shown) -> Iterator[str]:
        yield from self._sentences(shown, "fact:2", 0, 3)

    def _canon(self, text: str) -> str:
        return CANON

    def _sentences(self, shown: Shown, tag: str, first: int, every: int) -> Iterator[str]:
        """A sentence of some new messages, where the server is talkative."""
        for place, number in shown.numbers.items():
            if not self._is_talkative or place % every != first:
                continue
            found = SENTENCE.search(str(self.gold.messages[place]["mes"]))
            if found:
                yield f"[{tag}:sources={number}] {found[0].strip()}"

    def _feelings(self, shown: Shown) -> Iterator[str]:
        names = list(dict.fromkeys(m["name"] for m in self.gold.messages))
        for place, number in shown.numbers.items():
            if self._is_talkative and place % 10 == 5 and len(names) > 1:
                word = FELT[place // 10 % len(FELT)]
                yield f"[feels:sources={number}] {names[0]} -> {names[1]}: {word}(medium)"

    def _careless(self, line: str) -> str:
        if self._random.random() >= self._sloppiness:
            return line
        return self._random.choice(CARELESS)(line)


def _entry(label: Knowing) -> str:
    """A label as the lists show it."""
    holder = f"{label.holder} from {label.hidden_from}" if label.state == "hiding" else label.holder
    return f"[{label.state}] {holder} | {label.about}"


def _state(label: Value, number: int) -> str:
    return f"[state:{label.entity}:{label.type}:sources={number}] {label.field}={label.value}"


def _resolved(arc: Arc, number: int, listed: Mapping[str, str]) -> str:
    which = listed.get(folded(arc.thread), arc.thread)
    return f"[resolved:sources={number}] {which} | {arc.resolution}"


def _places(gold: Gold) -> dict[str, int]:
    """Where in the story a shown message stands; the first of equal ones."""
    places: dict[str, int] = {}
    for index, message in enumerate(gold.messages):
        places.setdefault(f"{message['name']}: {message['mes'].strip()}".strip(), index)
    return places


def _bold_tag(line: str) -> str:
    return re.sub(r"^(\[[^\]]*\])", r"**\1**", line)


def _upper_tag(line: str) -> str:
    return re.sub(r"^\[(\w+)", lambda found: f"[{found[1].upper()}", line)


def _spaced(line: str) -> str:
    return re.sub(r":sources=(\d+)\]", r" : sources = \1 ]", line)


def _plural_source(line: str) -> str:
    return re.sub(r"sources=(\d+)\]", r"source: [\1]]", line)


CARELESS: tuple[Callable[[str], str], ...] = (
    lambda line: f"- {line}",
    lambda line: f"* {line}",
    lambda line: f"3. {line}",
    lambda line: f"  {line}  ",
    lambda line: f"{line}\n{line}",
    lambda line: line.replace("'", "\u2019"),
    _bold_tag,
    _upper_tag,
    _spaced,
    _plural_source,
)


CANON = "Identity: Somebody.\n\nHistory: Much happened.\n\nNow: The story goes on."
SUMMARY = "\n".join(
    (
        "[SUMMARY]",
        *(
            f"{number}. {name}: What was told."
            for number, name in enumerate(
                ("Scene", "Present", "Events", "Relationships", "Revealed", "Threads", "Moment"), 1
            )
        ),
        "[/SUMMARY]",
    )
)
LISTED = re.compile(r"^\[?(\d+)[.:\]]", re.MULTILINE)


def _arc_summaries(text: str) -> str:
    numbers = dict.fromkeys(LISTED.findall(text))
    return "\n".join(
        f"[{number}: RESOLVED] It came to its end as it was told." for number in numbers
    )


def _triggers(text: str) -> str:
    numbers = dict.fromkeys(LISTED.findall(text))
    return "\n".join(f"{number}: lantern, harbour, debt, winter" for number in numbers)


FELT = ("wary", "grateful", "amused", "worried", "loyal", "angry", "curious", "proud")


def _with_noise(lines: list[str], chance: random.Random) -> str:
    """An answer as talkative models give it."""
    text = "\n".join(lines)
    form = chance.randrange(5)
    if form == 0:
        return f"```\n{text}\n```"
    if form == 1:
        return f"Here are the entries:\n\n{text}\n\nLet me know if you need more."
    if form == 2:
        return f"<think>\nWhich messages are new? The last ones.\n</think>\n{text}"
    if form == 3:
        return text.replace("\n", "\n\n")
    return text
