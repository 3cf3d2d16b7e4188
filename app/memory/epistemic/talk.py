"""Who says what in the messages of a story, and who may have heard it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.memory.epistemic.propositions import People
from app.memory.epistemic.utterances import LONGEST, Utterance, utterances_of
from app.story.messages import Message
from app.story.scene_cues.language import tokens_of
from app.story.scene_cues.narration import Voice, split_voices

EARLIER = 40  # messages that are searched for somebody saying something aloud


class Talk:
    """Each message is read once. stopwords: words that say nothing in the story's languages."""

    def __init__(
        self, people: People, messages: Sequence[Message], stopwords: frozenset[str]
    ) -> None:
        self._people = people
        self._messages = messages
        self._stopwords = stopwords
        self._names: dict[str, frozenset[str]] = {}
        self._narrated: dict[int, frozenset[str]] = {}
        self._spoken: dict[int, tuple[Utterance, ...]] = {}

    def utterances(self, index: int) -> tuple[Utterance, ...]:
        """What is said and thought in a message."""
        if index not in self._spoken:
            names = {self._people.key(name): name for name in self._people.names.values()}
            words = {name: self.naming(key) for key, name in names.items()}
            self._spoken[index] = tuple(utterances_of(self._messages[index], index, words))
        return self._spoken[index]

    def heard_by(self, utterance: Utterance, since: int) -> Iterator[str]:
        """What others said near a speaker before an utterance, message by message."""
        at, key = utterance.message, self._people.key(utterance.speaker)
        for index in range(max(0, since, at - EARLIER), at + 1):
            if not self._is_about(key, index, at):
                continue
            heard = []
            for other in self.utterances(index):
                if index == at and other.text == utterance.text:
                    break
                if not other.speaker or self._people.key(other.speaker) != key:
                    heard.append(other.text)
            yield " ".join(heard)

    def naming(self, key: str) -> frozenset[str]:
        """Words by which a person and nobody else may be named."""
        if key not in self._names:
            self._names[key] = self._people.own_words(key, self._stopwords)
        return self._names[key]

    def _is_about(self, key: str, index: int, at: int) -> bool:
        """Whether a person speaks in a message or next to it, or is named there by who tells of it.
        Whom people only talk of need not be there.
        """
        words = self.naming(key)
        around = range(max(0, index - 1), min(len(self._messages), index + 2, at + 1))
        return any(not words.isdisjoint(self._about(i)) for i in around)

    def _about(self, index: int) -> frozenset[str]:
        """The words of whoever writes a message, and of what is narrated in it."""
        if index not in self._narrated:
            message = self._messages[index]
            spans = split_voices(message.text[:LONGEST])
            told = " ".join(span.text for span in spans if span.voice is not Voice.SPEECH)
            self._narrated[index] = frozenset(tokens_of(f"{message.name} {told}"))
        return self._narrated[index]
