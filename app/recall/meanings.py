"""What a story's messages mean: a vector of each of their sentences, where a model gave it. Pure.

Words find what is said alike; vectors also what is said otherwise, or in another language. They
come in their own time, so a message may have none yet. To a model every question is much like
every other, whatever it asks; what tells is sought, so this likeness is taken off.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from app.recall.postings import Flags, Floats
from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences, without_markup

Singles = NDArray[np.float32]

MOST = 20_000  # sentences; 40 MB of vectors with 512 numbers
MOST_OF_ONE, LONGEST = 24, 400  # sentences of a message, characters of a sentence
LONGEST_TEXT = 8_000
QUESTION_MARKS = ("?", "？", "¿")
# By how much less a sentence that asks is like what is asked for, as cosine; and of how many such
# sentences half of what they have in common is taken off, of few less, since they have what they
# tell of in common, too. Stories for tuning and questions asked in passing (bench recall) are found
# as well from .05 to .15 and from 4 to 32.
ASKING, FEW_ASKING = 0.1, 16
TOLD = (MessageKind.CHAT, MessageKind.NARRATOR)
_FIRST_ROWS = 256


class Meanings:
    """The vectors of one story's sentences. May be asked by one thread while another adds to it.

    They are taken by text, so that a message keeps its own wherever it stands.
    """

    def __init__(self) -> None:
        self.messages: Sequence[Message] = ()
        self._texts: dict[tuple[str, str], int] = {}  # name and content hash -> number
        self._sentences: list[tuple[str, ...]] = []  # of each text, none once it has vectors
        self._first, self._count = array("q"), array("q")  # its rows; -1: none yet
        self._of_message = array("q")
        self._waiting: dict[
            int, None
        ] = {}  # texts without vectors, in the order in which they came
        self._batch: tuple[int, ...] = ()
        self._rows: Singles = np.zeros((0, 0), dtype=np.float32)
        self._asks: Flags = np.zeros(0, dtype=np.bool_)  # whether each of them asks something
        self._used = 0
        self._asking, self._telling = _Mean(), _Mean()
        self._lock = RLock()

    def follow(self, messages: Sequence[Message], head: int) -> None:
        """Hold these messages, of which the first `head` are those it held already."""
        with self._lock:
            head = min(head, len(self._of_message))
            del self._of_message[head:]
            self._of_message.extend(map(self._text, messages[head:]))
            self.messages = messages

    def missing(self, most: int) -> tuple[str, ...]:
        """Sentences that wait for their vectors, those that came last first; none where no more
        are kept. All of one message at least, and of each all or none.
        """
        found: list[str] = []
        batch: list[int] = []
        with self._lock:
            for number in reversed(self._waiting if self._used < MOST else {}):
                if found and len(found) + len(self._sentences[number]) > most:
                    break
                found += self._sentences[number]
                batch.append(number)
            self._batch = tuple(batch)
        return tuple(dict.fromkeys(found))

    def take(self, vectors: Mapping[str, Singles]) -> None:
        """Take in unit vectors of what was `missing`, by sentence. A text that lacks one is asked
        for no more.
        """
        with self._lock:
            for number in self._batch:
                sentences, self._sentences[number] = self._sentences[number], ()
                self._waiting.pop(number, None)
                rows = [vectors[sentence] for sentence in sentences if sentence in vectors]
                if len(rows) == len(sentences):
                    self._first[number], self._count[number] = self._used, len(rows)
                    self._append(np.stack(rows), np.array([*map(_is_asking, sentences)]))
            self._batch = ()

    def likeness(self, asked: Singles) -> Floats:
        """How alike each message's best sentence is to the best of what is asked: cosine, less
        where it only asks, NaN for a message without vectors. asked: unit vectors, one a row.
        """
        with self._lock:
            found = np.full(len(self._of_message), np.nan)
            if not self._used or not len(asked):
                return found
            best = self._likeness_of(slice(self._used), asked)
            firsts = np.array(self._first, dtype=np.intp)
            order = np.flatnonzero(firsts >= 0)
            order = order[np.argsort(firsts[order])]
            of_text = np.full(len(firsts), np.nan)
            of_text[order] = np.maximum.reduceat(best, firsts[order])
            found[:] = of_text[np.array(self._of_message, dtype=np.intp)]
            return found

    def best_sentence(self, message: Message, asked: Singles) -> int | None:
        """Which of a message's sentences, as `sentences_of` gives them, is most alike to it."""
        with self._lock:
            number = self._texts.get(_key(message))
            if number is None or self._first[number] < 0 or not len(asked):
                return None
            first = self._first[number]
            return int(self._likeness_of(slice(first, first + self._count[number]), asked).argmax())

    def _likeness_of(self, rows: slice, asked: Singles) -> Singles:
        """How alike each of some sentences is to the best of what is asked."""
        meant = self._without_asking(asked)
        found: Singles = (self._rows[rows] @ meant.T).max(axis=1)
        found -= np.float32(ASKING) * self._asks[rows]
        return found

    def _without_asking(self, asked: Singles) -> Singles:
        """What is asked without what the story's questions have in common."""
        if not self._asking.count or not self._telling.count:
            return asked
        apart = self._asking.vector - self._telling.vector
        length = np.linalg.norm(apart)
        if not length:
            return asked
        apart /= length
        share = self._asking.count / (self._asking.count + FEW_ASKING)
        rest = asked - np.float32(share) * (asked @ apart)[:, None] * apart
        lengths = np.linalg.norm(rest, axis=1, keepdims=True)
        found: Singles = np.where(lengths > 0, rest / np.where(lengths > 0, lengths, 1), asked)
        return found

    def _text(self, message: Message) -> int:
        key = _key(message)
        number = self._texts.get(key)
        if number is None:
            number = self._texts[key] = len(self._sentences)
            self._sentences.append(tuple(_told(message)))
            if self._sentences[number]:
                self._waiting[number] = None
            self._first.append(-1)
            self._count.append(0)
        return number

    def _append(self, rows: Singles, asks: Flags) -> None:
        end = self._used + len(rows)
        if end > len(self._rows):
            most = max(_FIRST_ROWS, 2 * end)
            larger, flags = np.zeros((most, rows.shape[1]), rows.dtype), np.zeros(most, np.bool_)
            if self._used:
                larger[: self._used] = self._rows[: self._used]
                flags[: self._used] = self._asks[: self._used]
            self._rows, self._asks = larger, flags
        self._rows[self._used : end], self._asks[self._used : end] = rows, asks
        self._used = end
        self._asking.add(rows[asks])
        self._telling.add(rows[~asks])


class _Mean:
    """The mean of vectors that come by and by."""

    def __init__(self) -> None:
        self.count = 0
        self._sum: Singles = np.zeros(0, dtype=np.float32)

    def add(self, rows: Singles) -> None:
        if len(rows):
            total = rows.sum(axis=0)
            self._sum = self._sum + total if self.count else total
            self.count += len(rows)

    @property
    def vector(self) -> Singles:
        found: Singles = self._sum / np.float32(self.count)
        return found


@dataclass(frozen=True, slots=True)
class Meant:
    """What a turn's newest sentences mean, beside what all messages do. heard: a unit vector each,
    by sentence.
    """

    meanings: Meanings
    heard: Mapping[str, Singles]

    def asked(self, sentences: Sequence[str]) -> Singles:
        """The vectors of those of some sentences that have one, one a row."""
        rows = [self.heard[sentence] for sentence in sentences if sentence in self.heard]
        return np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)


def standing_out(likeness: Floats, before: int | None = None) -> Floats:
    """By how many standard deviations each message is more alike than they are on average; 0 for
    what is less, or has no vectors. before: of messages before this place, None of all.
    """
    usual = likeness[:before]
    usual = usual[~np.isnan(usual)]
    spread = float(usual.std()) if len(usual) else 0.0
    if not spread:
        return np.zeros(len(likeness))
    found: Floats = np.nan_to_num(((likeness - usual.mean()) / spread).clip(0, None), nan=0.0)
    return found


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a text that are compared, as they stand in it."""
    found = split_sentences(without_markup(text[:LONGEST_TEXT]))
    return tuple(islice((s[:LONGEST] for s in found if s.strip()), MOST_OF_ONE))


def _told(message: Message) -> Iterator[str]:
    """Sentences of a message with who says them: much is said of "I" and "you"."""
    if message.kind in TOLD:
        for sentence in sentences_of(message.text):
            yield f"{message.name}: {sentence}"


def _is_asking(sentence: str) -> bool:
    """Whether a sentence with who says it asks something; a name may be "???"."""
    said = sentence.partition(": ")[2]
    return any(mark in said for mark in QUESTION_MARKS)


def _key(message: Message) -> tuple[str, str]:
    return message.name, message.content_hash if message.kind in TOLD else ""
