"""What a story's messages mean: a vector of each of their sentences, where a model gave it. Pure.

Words find what is said alike; vectors also what is said otherwise, or in another language. They
come in their own time, so a message may have none yet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import RLock

import numpy as np
from numpy.typing import NDArray

from app.recall.postings import Floats
from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences, without_markup

Singles = NDArray[np.float32]

MOST = 20_000  # sentences; 40 MB of vectors with 512 numbers
MOST_OF_ONE, LONGEST = 24, 400  # sentences of a message, characters of a sentence
LONGEST_TEXT = 8_000
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
        self._used = 0
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
                    self._append(np.stack(rows))
            self._batch = ()

    def likeness(self, asked: Singles) -> Floats:
        """How alike each message's best sentence is to the best of what is asked: cosine, NaN for
        a message without vectors. asked: unit vectors, one a row.
        """
        with self._lock:
            found = np.full(len(self._of_message), np.nan)
            if not self._used or not len(asked):
                return found
            best = (self._rows[: self._used] @ asked.T).max(axis=1)
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
            rows = self._rows[first : first + self._count[number]]
            return int((rows @ asked.T).max(axis=1).argmax())

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

    def _append(self, rows: Singles) -> None:
        end = self._used + len(rows)
        if end > len(self._rows):
            larger = np.zeros((max(_FIRST_ROWS, 2 * end), rows.shape[1]), dtype=np.float32)
            if self._used:
                larger[: self._used] = self._rows[: self._used]
            self._rows = larger
        self._rows[self._used : end] = rows
        self._used = end


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


def standing_out(likeness: Floats) -> Floats:
    """By how many standard deviations each message is more alike than they are on average; 0 for
    what is less, or has no vectors.
    """
    known = likeness[~np.isnan(likeness)]
    spread = float(known.std()) if len(known) else 0.0
    if not spread:
        return np.zeros(len(likeness))
    found: Floats = np.nan_to_num(((likeness - known.mean()) / spread).clip(0, None), nan=0.0)
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


def _key(message: Message) -> tuple[str, str]:
    return message.name, message.content_hash if message.kind in TOLD else ""
