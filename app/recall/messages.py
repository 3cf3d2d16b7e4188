"""The messages of a story, found by what is looked for. Pure.

A message's terms are read once: a story that grows by a message adds one, and one whose end
changes loses no more than that.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from threading import RLock

import numpy as np

from app.recall.meanings import QUESTION_MARKS, sentences_of
from app.recall.postings import Flags, Floats, Numbers, Postings, best_first
from app.recall.words import Words
from app.story.messages import Message, MessageKind

SPEAKER_WEIGHS = 1.5  # that a message is by somebody who is named
OF_TALKER = 1.7  # as often where people only talk: there nobody else tells what they do
# Of its weight that a word has which is a name of somebody who writes: it is all over the story,
# and whose message it is counts by itself.
OF_NAME = 0.3
# Of the score of a neighbour that adds to a message's own, where both are short: an answer says
# little without its question. With long messages it hurts. In a story only what was before adds
# (chosen by stories for tuning, bench recall).
NEIGHBOUR, QUESTION = 0.3, 0.5
IN_TALK, QUESTION_IN_TALK = 0.2, 0.7
# Whose turn it is again goes on with what they told before, however long it is: of the score of the
# last message but one. Where people only talk, also of the next but one.
LAST_BUT_ONE = 0.3
# By how much what stands out by its meaning adds, for each standard deviation. More finds more of
# what is asked in other words and less of what is asked in the same (bench recall).
MEANING = 2.0
# What is told has many things in one message: of the likeliest, how much counts what sentences that
# follow each other have of what is looked for, beside what stands all over the message.
TOGETHER, FOLLOWING, LIKELIEST = 0.3, 2, 20
MOST_PARTED = 600  # texts whose sentences are remembered; 12 MB
SHORT = 60  # terms, those that say nothing not counted
_NARRATED = re.compile(r"[*_\"“”„«»「」『』]|(?m:^\s*[—–-])")  # what speech in a story stands in
DEAD = 0.3  # share of texts that no message shows any more, at which all is read anew


@dataclass(frozen=True, slots=True)
class Asked:
    """What is looked for. terms: with what each weighs, 1 for what is usual. names: terms that
    are names of whoever may have written it.
    """

    terms: Mapping[str, float]
    names: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.terms)

    @classmethod
    def of(cls, words: Words, texts: Iterable[tuple[str, float]]) -> Asked:
        """By some texts with what each weighs; a term counts by the one that weighs most."""
        terms: dict[str, float] = {}
        for text, weight in texts:
            for term in words.asked(text):
                terms[term] = max(weight, terms.get(term, 0.0))
        return cls(terms, frozenset(terms))

    def naming(self, names: Iterable[Collection[str]], share: float = 0.5) -> Asked:
        """With the other names of whoever is named. names: of each person the terms of each
        name. share: of its weight that another name has.
        """
        terms = dict(self.terms)
        for person in names:
            weights = [self.terms[term] for term in person if term in self.terms]
            for term in person if weights else ():
                terms[term] = max(terms.get(term, 0.0), max(weights) * share)
        return Asked(terms, self.names | terms.keys())


class MessageIndex:
    """The terms of a story's messages; may be asked by one thread while another adds to it."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.messages: Sequence[Message] = ()
        self._postings = Postings()
        self._texts: dict[str, int] = {}
        self._asks, self._talks = array("b"), array("b")
        self._parts: dict[int, tuple[frozenset[str], ...]] = {}  # of a text, by its number
        self._of_message = array("q")
        self._names: dict[str, int] = {}
        self._name_terms: list[frozenset[str]] = []
        self._speakers = array("q")
        self._named: set[str] = set()
        self._lock = RLock()

    @property
    def is_worn(self) -> bool:
        """Whether so much of it is of texts that are gone that it should be made anew."""
        texts = len(self._postings)
        return texts > 1000 and len(self._of_message) < (1 - DEAD) * texts

    def follow(self, messages: Sequence[Message], head: int, end: int | None = None) -> None:
        """Hold these messages, of which the first `head` are those it held already, up to `end`
        of them.
        """
        end = len(messages) if end is None else min(end, len(messages))
        with self._lock:
            head = min(head, len(self._of_message), end)
            del self._of_message[head:], self._speakers[head:]
            for message in messages[head:end]:
                self._of_message.append(self._text(message))
                self._speakers.append(self._speaker(message.name))
            self.messages = messages[:end] if end < len(messages) else messages

    def scores(self, asked: Asked, meaning: Floats | None = None) -> Floats:
        """How much each message is what is looked for; 0 where no term of it is there.

        meaning: by how much each stands out by what it means (app/recall/meanings.py), None where
        nobody knows. It adds to the words, and finds what has none of them.
        """
        with self._lock:
            if not len(self._of_message):
                return np.zeros(0)
            texts = np.array(self._of_message, dtype=np.intp)
            own = self._postings.scores(self._without_names(asked.terms))[texts]
            is_short = self._are_short(texts)
            is_talk = is_short & np.array(self._talks, dtype=np.bool_)[texts]
            if meaning is not None:
                shared = min(len(own), len(meaning))  # one may know of a message more
                own[:shared] += MEANING * meaning[:shared]
            asks = np.array(self._asks, dtype=np.bool_)[texts]
            found = _with_neighbours(own, asks=asks, is_short=is_short, is_talk=is_talk)
            found += self._by_speaker(asked) * np.where(is_talk, OF_TALKER, 1.0)
            return found + self._together(asked, np.where(is_talk, 0.0, found))

    def by_words(self, asked: Asked) -> Floats:
        """The same by the words of each message alone."""
        with self._lock:
            if not len(self._of_message):
                return np.zeros(0)
            texts = np.array(self._of_message, dtype=np.intp)
            return self._postings.scores(asked.terms)[texts]

    def __len__(self) -> int:
        """How many different texts its messages have, gone ones counted in."""
        return len(self._postings)

    def holding(self, term: str) -> int:
        """How many of these hold a term."""
        return self._postings.holding(term)

    def rarity(self, term: str) -> float:
        """How much it says that a message holds a term."""
        return self._postings.rarity(term)

    @property
    def rarest(self) -> float:
        """The most that a term can say."""
        return self._postings.rarest

    def _without_names(self, terms: Mapping[str, float]) -> dict[str, float]:
        """Terms with what each weighs, less where it names somebody who writes."""
        return {t: weight * (OF_NAME if t in self._named else 1.0) for t, weight in terms.items()}

    def _are_short(self, texts: Numbers) -> Flags:
        found: Flags = np.array(self._postings.lengths, dtype=np.float64)[texts] <= SHORT
        return found

    def _by_speaker(self, asked: Asked) -> Floats:
        is_named = np.array(
            [not terms.isdisjoint(asked.names) for terms in self._name_terms], dtype=np.float64
        )
        found = SPEAKER_WEIGHS * is_named[np.array(self._speakers, dtype=np.intp)]
        return np.asarray(found)

    def _together(self, asked: Asked, scores: Floats) -> Floats:
        """What the likeliest messages have of what is looked for in sentences that follow each
        other. scores: of each message, 0 for one that is not looked at.
        """
        found = np.zeros(len(scores))
        weights = self._postings.weights(asked.terms)
        for place in best_first(scores, LIKELIEST).tolist() if weights else ():
            parts = self._parts_of(place)
            held = (sum(weights[term] for term in part & weights.keys()) for part in parts)
            found[place] = TOGETHER * max(held, default=0.0)
        return found

    def _parts_of(self, place: int) -> tuple[frozenset[str], ...]:
        """The terms of each run of so many sentences of a message."""
        number = self._of_message[place]
        parts = self._parts.get(number)
        if parts is None:
            # A notice has no terms, and nothing of it is told.
            text = self.messages[place].text if self._postings.lengths[number] else ""
            terms = [set(self.words.of(sentence)) for sentence in sentences_of(text)]
            runs = range(max(1, len(terms) - FOLLOWING + 1))
            parts = tuple(frozenset[str]().union(*terms[at : at + FOLLOWING]) for at in runs)
            if len(self._parts) >= MOST_PARTED:
                self._parts.clear()
            self._parts[number] = parts
        return parts

    def _text(self, message: Message) -> int:
        is_told = message.kind in (MessageKind.CHAT, MessageKind.NARRATOR)
        key = message.content_hash if is_told else ""
        number = self._texts.get(key)
        if number is None:
            terms = self.words.of(message.text) if is_told else []
            number = self._texts[key] = self._postings.add(terms)
            self._asks.append(is_told and any(m in message.text for m in QUESTION_MARKS))
            self._talks.append(is_told and _NARRATED.search(message.text) is None)
        return number

    def _speaker(self, name: str) -> int:
        number = self._names.get(name)
        if number is None:
            number = self._names[name] = len(self._name_terms)
            self._name_terms.append(frozenset(self.words.of(name)))
            self._named |= self._name_terms[number]
        return number


def _with_neighbours(own: Floats, *, asks: Flags, is_short: Flags, is_talk: Flags) -> Floats:
    """The scores with what neighbours add. asks: whether each asks something. is_talk: whether it
    is nothing but what somebody says, and short.
    """
    both, talk = is_short[1:] & is_short[:-1], is_talk[1:] & is_talk[:-1]
    of_question = np.where(talk, QUESTION_IN_TALK, QUESTION)
    of_other = np.where(talk, IN_TALK, NEIGHBOUR)
    found = own.copy()
    found[1:] += np.where(both, own[:-1] * np.where(asks[:-1], of_question, of_other), 0.0)
    found[:-1] += np.where(talk, own[1:] * IN_TALK, 0.0)
    talk, once = is_talk[2:] & is_talk[:-2], found.copy()
    found[2:] += LAST_BUT_ONE * np.where(talk, once[:-2], own[:-2])
    found[:-2] += np.where(talk, LAST_BUT_ONE * once[2:], 0.0)
    return found
