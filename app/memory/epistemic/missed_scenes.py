"""What somebody says that was told only in scenes in which they had no part. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.memory.epistemic.coverage import Coverage
from app.memory.epistemic.propositions import People, content_words
from app.memory.epistemic.utterances import LONGEST, Utterance
from app.memory.records import Memory, Source, Tier
from app.memory.similarity import normalised
from app.memory.standing import BEFORE, Standing, Status
from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences
from app.story.recap_texts.terms import UNSPACED
from app.story.scene_cues.language import tokens_of
from app.story.scene_cues.narration import Voice, split_voices

# Words that somebody has in common with what was told elsewhere and never heard themselves, fewer
# where both mean the same; a pair of signs of a script without spaces is half of one.
FEWEST_NEW, FEWEST_MEANT = 3.0, 2.0
# By weight, of all that they have in common, of what they say, and of one part of what was told.
NEW, OF_SAID, OF_TOLD = 0.45, 0.33, 0.25
# A message that was told tells more than a memory of it, and more by chance.
FEWEST_NEW_OF_MESSAGE, OF_SAID_IN_MESSAGE = 4.0, 0.5
EARLIER = 8  # messages for which somebody may have been there before they are named
NEWEST = 2_000  # messages that are looked at
_PART = re.compile(r"[;:。；！？]+|[,，、]\s?|(?<=[.!?])\s")
_CORE = re.compile("[\u3400-\u9fff\uf900-\ufaff\u30a1-\u30ff]+")  # of a name, without what follows


@dataclass(frozen=True, slots=True)
class _Told:
    """Something that was told. at: indexes of the messages. parts: the words of each."""

    standing: Standing
    at: tuple[int, ...]
    words: frozenset[str]
    parts: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class _Names:
    """By which somebody is named. words: one of them is enough. unspaced: names in scripts without
    spaces.
    """

    words: frozenset[str]
    unspaced: tuple[str, ...]

    def are_in(self, text: str) -> bool:
        """Whether a text names them."""
        plain = text.casefold()
        if any(name in plain for name in self.unspaced):
            return True
        return any(word in plain for word in self.words) and not self.words.isdisjoint(
            tokens_of(text)
        )


class MissedScenes:
    """Holds what people say against what was told where they were not.

    told: memories and entries. openings: first messages of scenes; within one, whoever writes or is
    named is taken to be there, and to have been there shortly before. people, coverage, stopwords:
    of the story.
    """

    def __init__(
        self,
        told: Iterable[Standing],
        messages: Sequence[Message],
        openings: Collection[int],
        people: People,
        coverage: Coverage,
        stopwords: frozenset[str],
    ) -> None:
        self._messages = messages
        self._openings = sorted({0, *openings})
        self._people = people
        self._coverage = coverage
        self._stopwords = stopwords
        self._names = coverage.names.union(*(_pairs(name, stopwords) for name in people.keys))
        self._texts: dict[int, str] = {}
        self._since: dict[tuple[str, int], int] = {}
        self._place = {message.anchor: index for index, message in enumerate(messages)}
        self._told = tuple(self._taken(told))
        self._by_word: dict[str, list[int]] = {}
        for number, one in enumerate(self._told):
            for word in one.words:
                self._by_word.setdefault(word, []).append(number)

    def texts_near(self, utterance: Utterance) -> Iterator[str]:
        """What is compared by meaning with what somebody says."""
        words = self._words(utterance.text)
        near = (one for one in self._near(words) if one.standing.start < utterance.message)
        return (told_by(one.standing) for one in near if self._is_much(words, one))

    def told_elsewhere(
        self, utterance: Utterance, own: Iterable[str], alike: Callable[[str, str], bool]
    ) -> Standing | None:
        """What of it somebody says who cannot have it from the messages; the most telling one.

        own: texts of what they hold. alike: whether two texts mean the same.
        """
        words, key = self._words(utterance.text), self._people.key(utterance.speaker)
        known = frozenset[str]().union(*map(self._words, own))
        best: tuple[float, _Told | None] = (0.0, None)
        for one in self._near(words):
            common = words & one.words
            if one.standing.start >= utterance.message or not self._is_much(words, one):
                continue
            if any(self._was_there(key, at) for at in one.at):
                continue
            new = self._unheard(common - known, key, utterance.message)
            weight = self._coverage.weight(new)
            if weight < NEW * self._coverage.weight(common) or _count(new) < FEWEST_MEANT:
                continue
            if _count(new) < FEWEST_NEW and not alike(utterance.text, told_by(one.standing)):
                continue
            best = max(best, (weight, one), key=lambda found: found[0])
        if best[1] is not None:
            return best[1].standing
        return self._told_in_message(words, known, key, utterance.message)

    def was_missed(self, speaker: str, sources: Iterable[Source]) -> bool:
        """Whether somebody had no part in any of the scenes in which something was told."""
        key = self._people.key(speaker)
        places = [self._place.get(source.anchor, BEFORE) for source in sources]
        return BEFORE not in places and not any(self._was_there(key, at) for at in places)

    def _told_in_message(
        self, words: frozenset[str], known: frozenset[str], key: str, until: int
    ) -> Standing | None:
        if _count(words) < FEWEST_NEW_OF_MESSAGE:
            return None
        weight = self._coverage.weight
        for at in range(until - 1, max(-1, until - NEWEST), -1):
            text = self._text(at)
            common = frozenset(word for word in words if word in text)
            if _count(common) < FEWEST_NEW_OF_MESSAGE or self._was_there(key, at):
                continue
            common &= self._words(text)
            if weight(common) < OF_SAID_IN_MESSAGE * weight(words):
                continue
            new = self._unheard(common - known, key, until)
            if _count(new) >= FEWEST_NEW_OF_MESSAGE and weight(new) >= NEW * weight(common):
                return self._of_message(at, new)
        return None

    def _of_message(self, at: int, words: frozenset[str]) -> Standing:
        """The sentence of a message that holds most of some words, as what it tells."""
        message = self._messages[at]
        sentences = split_sentences(message.text[:LONGEST])
        text = max(sentences, key=lambda sentence: len(words & self._words(sentence)))
        source = Source(0, message.anchor, message.content_hash)
        memory = Memory(message.anchor, 0, Tier.SESSION, "said", text, sources=(source,))
        return Standing(memory, Status.ACTIVE, at)

    def _taken(self, told: Iterable[Standing]) -> Iterator[_Told]:
        for standing in told:
            memory = standing.memory
            at = [self._place.get(source.anchor, BEFORE) for source in memory.sources]
            if not at or BEFORE in at:
                continue
            parts = [self._words(part) for part in _PART.split(memory.text)]
            words = frozenset[str]().union(*parts)
            yield _Told(standing, tuple(at), words, tuple(filter(None, parts)))

    def _near(self, words: frozenset[str]) -> Iterator[_Told]:
        shared = Counter(number for word in words for number in self._by_word.get(word, ()))
        return (self._told[number] for number, count in shared.items() if count >= FEWEST_MEANT)

    def _is_much(self, words: frozenset[str], one: _Told) -> bool:
        weight, common = self._coverage.weight, words & one.words
        return weight(common) >= OF_SAID * weight(words) and any(
            weight(common & part) >= OF_TOLD * weight(part) for part in one.parts
        )

    def _unheard(self, words: frozenset[str], key: str, at: int) -> frozenset[str]:
        """The words that stand in no message before this one for which they were there."""
        left = set(words)
        for scene in range(self._scene(at) + 1):
            if not left:
                break
            for index in range(self._part_since(key, scene), min(at, self._end(scene))):
                text = self._text(index)
                if any(word in text for word in left):
                    left -= self._words(text)
        return frozenset(left)

    def _was_there(self, key: str, at: int) -> bool:
        return at >= self._part_since(key, self._scene(at))

    def _part_since(self, key: str, scene: int) -> int:
        """From which message on somebody has a part in a scene; its end where they have none.

        They have one once they write in it, or are named by who tells of it. Whom people only talk
        of need not be there.
        """
        if (key, scene) not in self._since:
            names, opening, end = self._naming(key), self._openings[scene], self._end(scene)
            first = next(
                (n for n in range(opening, end) if names is None or self._is_part(names, n)), None
            )
            self._since[key, scene] = end if first is None else max(opening, first - EARLIER)
        return self._since[key, scene]

    def _is_part(self, names: _Names, index: int) -> bool:
        message = self._messages[index]
        if message.kind is MessageKind.NOTICE:
            return False
        return names.are_in(message.name) or (
            names.are_in(message.text[:LONGEST]) and names.are_in(_narrated(message))
        )

    def _text(self, index: int) -> str:
        """A message's text in one form."""
        if index not in self._texts:
            message = self._messages[index]
            is_told = message.kind is not MessageKind.NOTICE
            self._texts[index] = normalised(message.text[:LONGEST]) if is_told else ""
        return self._texts[index]

    def _naming(self, key: str) -> _Names | None:
        """The names of a person, None for somebody without one that tells."""
        named = {known for known, of in self._people.keys.items() if of == key} | {key}
        unspaced = {_core(name) for name in named if UNSPACED.search(name)}
        words = self._people.own_words(key, self._stopwords)
        spaced = frozenset(word for word in words if not UNSPACED.search(word))
        return _Names(spaced, tuple(filter(None, unspaced))) if spaced or unspaced else None

    def _scene(self, at: int) -> int:
        return bisect_right(self._openings, at) - 1

    def _end(self, scene: int) -> int:
        after = scene + 1
        return self._openings[after] if after < len(self._openings) else len(self._messages)

    def _words(self, text: str) -> frozenset[str]:
        """Beginnings of its words, and pairs of signs where words are not spaced, without names."""
        spaced = (w for w in content_words(text, self._stopwords) if not UNSPACED.search(w))
        return frozenset((*spaced, *_pairs(text, self._stopwords))) - self._names


def told_by(standing: Standing) -> str:
    """What an entry or a memory tells, as a sentence of its own."""
    return standing.memory.text.strip().removeprefix("that ")


def _narrated(message: Message) -> str:
    """All of a message but what people say."""
    spans = split_voices(message.text[:LONGEST])
    told = (span.text for span in spans if span.voice is not Voice.SPEECH)
    return "\n".join(told)


def _pairs(text: str, stopwords: frozenset[str]) -> Iterator[str]:
    for run in UNSPACED.findall(normalised(text)):
        pairs = (run[at : at + 2] for at in range(len(run) - 1))
        yield from (pair for pair in pairs if not all(sign in stopwords for sign in pair))


def _count(words: frozenset[str]) -> float:
    return sum(0.5 if UNSPACED.search(word) else 1.0 for word in words)


def _core(name: str) -> str:
    """A name of a script without spaces without what is put behind it for politeness."""
    found = _CORE.match(name)
    return found[0] if found else name
