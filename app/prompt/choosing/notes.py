"""Notes of messages that the prompt no longer holds: the sentences that tell most of them, in few
words where there is little room. Pure.

Sentences are taken one by one, each time the one that adds most for its length: terms that neither
the visible messages nor the notes before it tell, those of newer messages before those of older.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress, pairwise

import numpy as np

from app.memory.names import folded
from app.memory.reading.windows import is_told
from app.memory.records import Entity
from app.memory.similarity import words
from app.prompt.choosing.drafts import Entry
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.unread import LONGEST_READ, Unread
from app.story.messages import Message
from app.story.recap_texts.sentences import split_sentences, without_markup
from app.story.recap_texts.terms import Floats, TermTable, term_table
from app.story.story import Story

MOST_NAMES = 40
MOST_TOLD = 1_200  # tokens, guessed; no budget of this slot is larger
# How much of its weight a term still has that the visible messages say, or a note before.
# Measured with tests/answers, as is the pace at which older messages matter less.
SEEN_AGAIN = 0.2
TOLD_AGAIN = 0.1
HALF_AFTER = 30  # messages after which a sentence counts half
PUSHED_WEIGHS = 2.0  # what the slots themselves push out of the prompt
# Bytes of UTF-8 below which a sentence tells nothing by itself: "Last year." Bytes, as a word of
# Japanese is a few signs.
LEAST_READABLE = 40
MOST_JOINING = 2  # words between two numbers of one, as in "two and a half"
ALSO_NAMED = "Also in this story: "
ENDS = (".", "?", "!", "…")
_MARKS = re.compile(r"[*_~`\"“”„«»「」『』]+")
_EMPHASIS = re.compile(r"[*_~`]+")
_BETWEEN_WORDS = re.compile(r"(?<=[\w.?!…,])[*~`]+(?=[\w\"“„«])")  # where an action and speech meet
_QUOTES = re.compile(r"[\"“”„«»「」『』]")
_LOOSE = re.compile(r"\s+([,.;:!?…])")  # what emphasis stood before
# The status line that some characters put above each message: it says the same again and again.
_STATUS = re.compile(r"\A\s*\[[^\[\]\n]{0,200}\|[^\[\]\n]{0,200}\]")
_WORD = re.compile(r"[^\s—–]+")
_EDGES = ".,;:!?…()[]"


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of a message. text: as it stands; short: as it is told. at: its place there."""

    text: str
    short: str
    index: int
    at: int


def notes_of(
    story: Story, unread: Unread, knows: Callable[[int], bool] = lambda _: True
) -> Iterator[Entry]:
    """What these messages say, what tells most first. knows: whether a message may be told."""
    hidden = tuple(_read(story, filter(knows, range(unread.first, unread.end)), unread))
    seen = tuple(_read(story, range(unread.end, len(story.messages)), unread))
    if not hidden:
        return
    heads = _heads({story.messages[sentence.index].name for sentence in hidden})
    for number in _chosen(hidden, seen, unread.first, unread.pushed, unread.little):
        sentence = hidden[number]
        yield Entry(
            sentence.short,
            (1, sentence.index, sentence.at),
            row=str(sentence.index),
            head=heads[story.messages[sentence.index].name],
            message=sentence.index,
        )


def names_told(
    entities: Sequence[Entity], visible: Sequence[Message], head: str = ALSO_NAMED
) -> Iterator[Entry]:
    """Names of the story that the messages of the prompt do not say."""
    said = words(" ".join(f"{m.name} {m.text[:LONGEST_READ]}" for m in visible))
    # "Galley, SV Kestrel" and "Bridge, SV Kestrel" are three names.
    parts = (part for entity in entities for part in one_line(entity.name).split(", "))
    names = [name for name in dict.fromkeys(parts) if folded(name) and not words(name) <= said]
    if names:
        yield Entry(", ".join(names[:MOST_NAMES]) + ".", (0,), row="names", head=head)


def in_few_words(text: str, little: Collection[str], numbers: Collection[str] = frozenset()) -> str:
    """A sentence without words that tell nothing by themselves. Names and negations stay, and what
    joins numbers: "ten to six" is not "ten six".
    """
    plain = _MARKS.sub(" ", text).rstrip()
    said = [word for word in _WORD.findall(plain) if word.strip(_EDGES)]
    bare = [word.strip(_EDGES).casefold().replace("’", "'") for word in said]
    tells = [word not in little for word in bare]
    counted = [place for place, word in enumerate(bare) if word in numbers or word.isdecimal()]
    for before, after in pairwise(counted):
        if after - before <= MOST_JOINING + 1:
            tells[before:after] = [True] * (after - before)
    short, end = " ".join(compress(said, tells)), plain[-1:]
    return short + end if short and end in ENDS and not short.endswith(tuple(_EDGES)) else short


def in_whole(text: str) -> str:
    """A sentence without emphasis, and without a quote that it only opens or only closes."""
    plain = _EMPHASIS.sub("", _BETWEEN_WORDS.sub(" ", text))
    if len(_QUOTES.findall(plain)) % 2:
        plain = _QUOTES.sub("", plain)
    return _LOOSE.sub(r"\1", plain).strip()


def _read(story: Story, indexes: Iterable[int], unread: Unread) -> list[_Sentence]:
    return [
        _Sentence(text, short, index, at)
        for index in indexes
        if is_told(story.messages[index])
        for at, (text, short) in enumerate(
            _cut(
                story.messages[index].text[:LONGEST_READ],
                unread.little,
                unread.numbers,
                is_brief=unread.is_brief,
            )
        )
    ]


@lru_cache(maxsize=2048)
def _cut(
    text: str, little: frozenset[str], numbers: frozenset[str], *, is_brief: bool
) -> tuple[tuple[str, str], ...]:
    """The sentences of a message that tell something, each as it stands and as it is told."""
    found = split_sentences(without_markup(_STATUS.sub("", text)))
    shorter = ((sentence, one_line(in_few_words(sentence, little, numbers))) for sentence in found)
    telling = [(sentence, short) for sentence, short in shorter if short]
    if is_brief:
        return tuple(telling)
    whole = [(sentence, one_line(in_whole(sentence))) for sentence, _ in telling]
    return tuple(_readable([one for one in whole if one[1]]))


def _readable(told: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Sentences that can be understood alone: a short one is told with those beside it, and a
    message that is all too short is not told. told: as in `_cut`, whole.
    """
    group: list[tuple[str, str]] = []
    left = _size(told)
    for one in told:
        group.append(one)
        left -= _size([one])
        if _size(group) >= LEAST_READABLE and (left >= LEAST_READABLE or not left):
            yield " ".join(text for text, _ in group), " ".join(short for _, short in group)
            group = []


def _size(told: Sequence[tuple[str, str]]) -> int:
    return sum(len(short.encode("utf-8", "replace")) for _, short in told)


# A memory or a budget that changes leaves the messages as they are, and so what they say.
@lru_cache(maxsize=4)
def _chosen(
    hidden: tuple[_Sentence, ...],
    seen: tuple[_Sentence, ...],
    first: int,
    pushed: int,
    little: frozenset[str],
) -> tuple[int, ...]:
    """Numbers of hidden sentences, what adds most first."""
    every = (*hidden, *seen)
    table = term_table([s.text for s in every], [s.index - first for s in every])
    weights = _weights(table, little)
    left = weights.copy()
    for number in range(len(hidden), len(every)):
        left[table.of(number)] = weights[table.of(number)] * SEEN_AGAIN
    costs = np.array([len(s.short.encode("utf-8", "replace")) / 4 + 2 for s in hidden])
    ages = np.array([max(0, pushed - s.index) for s in hidden], dtype=np.float64)
    nearness = np.where(ages > 0, 1 / (1 + ages / HALF_AFTER), PUSHED_WEIGHS)
    worth = nearness / costs
    room = float(MOST_TOLD)
    found: list[int] = []
    while room > 0:
        values = table.sums(left)[: len(hidden)] * worth
        best = int(np.argmax(values))
        if values[best] <= 0:
            break
        found.append(best)
        worth[best], room = 0.0, room - costs[best]
        told = table.of(best)
        left[told] = np.minimum(left[told], weights[told] * TOLD_AGAIN)
    return tuple(found)


def _weights(table: TermTable, little: Collection[str]) -> Floats:
    tells = [word not in little for word in table.vocabulary]
    return table.weights * np.array(tells, dtype=np.float64)


def _heads(names: Collection[str]) -> dict[str, str]:
    """How a line of each begins: with the first word of the name, where that is nobody else's."""
    shown = {name: one_line(name).split() for name in names}
    firsts = [parts[0] for parts in shown.values() if parts]
    return {
        name: f"{parts[0] if firsts.count(parts[0]) == 1 else ' '.join(parts)}: " if parts else ""
        for name, parts in shown.items()
    }
