"""In how many messages of a chat its words occur: the rarer a word is there, the more it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock

from app.memory.epistemic.propositions import STEM
from app.memory.epistemic.utterances import LONGEST
from app.memory.similarity import normalised
from app.recall.messages import MessageIndex
from app.story.messages import Message
from app.story.scene_cues.language import tokens_of

NEWEST = 5_000  # messages that are counted; a long chat's would take seconds and tell little else


@dataclass(frozen=True, slots=True)
class Frequency:
    """In how many of so many messages the beginning of a word occurs."""

    messages: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    def of(self, word: str) -> int:
        """word: as propositions.content_words gives it."""
        return self.counts.get(word, 0)


def frequency_in(index: MessageIndex, texts: Iterable[str]) -> Frequency:
    """How frequent the words of some texts are in the messages of an index. What an index does
    not keep is in all of them: such words say nothing.
    """
    whole, counts = len(index), dict[str, int]()
    for word in {word for text in texts for word in tokens_of(normalised(text))}:
        held = max(map(index.holding, index.words.of(word)), default=whole)
        counts[word[:STEM]] = max(held, counts.get(word[:STEM], 0))
    return Frequency(whole, counts)


class WordCounts:
    """Counts the newest messages of one chat, from one state of it to the next. From any thread."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._counted: dict[int, Message] = {}  # by id; kept, so that no id is given twice
        self._lock = Lock()

    def of(self, messages: Sequence[Message]) -> Frequency:
        """How frequent the words of these messages are."""
        newest = {id(message): message for message in messages[-NEWEST:]}
        with self._lock:
            gone = (m for key, m in self._counted.items() if key not in newest)
            come = (m for key, m in newest.items() if key not in self._counted)
            self._counts.subtract(_beginnings(gone))
            self._counts.update(_beginnings(come))
            self._counted = newest
            return Frequency(len(newest), dict(+self._counts))


def _beginnings(messages: Iterable[Message]) -> Iterable[str]:
    """Of the words of each message, each once."""
    for message in messages:
        yield from {word[:STEM] for word in tokens_of(normalised(message.text[:LONGEST]))}
