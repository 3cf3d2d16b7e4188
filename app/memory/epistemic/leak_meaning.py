"""Whether what is said gives an entry away in other words, by vectors of both. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from app.memory.epistemic.epistemic_map import EpistemicMap, Proposition
from app.memory.epistemic.propositions import STEM, content_words
from app.memory.epistemic.utterances import Utterance
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.similarity import NO_VECTORS, Vectors, normalised
from app.memory.standing import Standing
from app.story.scene_cues.language import tokens_of

# So alike that it says the same, less if it names the same people, or has some of the words as
# well; and so much more alike than what the speaker may say. Chosen on noted stories (bench leaks).
MEANT, NAMED, NEAR, WORDS_TOO, APART = 0.52, 0.42, 0.36, 0.3, 0.1
KNOWN_SO = 0.7  # cosine of two entries, for who has the one to have the other
ITSELF = frozenset({"he", "she", "they"})

Covers = Callable[[str, str, str, float], bool]  # said, text, speaker, least share of its words


@dataclass(frozen=True, slots=True)
class Meaning:
    """Compares by meaning. vectors: of what `said_in` and `forms_of` give; none: nothing is alike.

    covers: whether words say so much of a text. stricter: added to how alike texts have to be.
    """

    people: EpistemicMap
    vectors: Vectors = NO_VECTORS
    wording: Wording = NO_WORDING
    stopwords: frozenset[str] = frozenset()
    stricter: float = 0.0

    def says(
        self, utterance: Utterance, entry: Standing, allowed: Iterable[Standing], covers: Covers
    ) -> bool:
        """Whether it says the entry, and none of what the speaker may say."""
        if utterance.is_thought or not self.vectors.row_of:
            return False
        forms = forms_of(entry)
        text, own = forms[-1], [forms_of(standing)[-1] for standing in allowed]
        telling = content_words(text, self.stopwords) - self._name_words()
        for said in said_in(utterance):
            if telling and telling.isdisjoint(content_words(said, self.stopwords)):
                continue  # "So did Ann." is like whatever is told of her
            likeness = max(self._alike(said, form) for form in forms) - self.stricter
            mine = max((self._alike(said, one) for one in own), default=0.0)
            if likeness < max(NEAR, mine + APART - self.stricter):
                continue
            if not self._is_said_so(said, text):
                continue
            if (
                likeness >= MEANT
                or (likeness >= NAMED and self._names_all(said, text, utterance.speaker))
                or covers(said, text, utterance.speaker, WORDS_TOO)
            ):
                return True
        return False

    def is_meant(self, said: str, text: str) -> bool:
        """Whether what is said means what a text tells."""
        return self._alike(said, text) - self.stricter >= MEANT

    def is_same(self, one: Standing, other: Standing) -> bool:
        """Whether two entries say the same."""
        return self._alike(forms_of(one)[-1], forms_of(other)[-1]) >= KNOWN_SO

    def _is_said_so(self, said: str, text: str) -> bool:
        spoken, meant = self.wording.read(said), self.wording.read(text)
        return spoken.is_negated == meant.is_negated and not spoken.is_hedged

    def _names_all(self, said: str, text: str, speaker: str) -> bool:
        """Whether somebody is named in a text, and in what is said everybody of them."""
        people = self.people.people
        own, spoken, named = people.key(speaker), frozenset(tokens_of(said)), set(tokens_of(text))
        keys = dict.fromkeys(people.keys.values())
        found = {key: named & self._rare(key) for key in keys}
        # Of two people of one family name it is the one of whom more is said.
        meant = [k for k, w in found.items() if w and not any(w < v for v in found.values())]
        others = [key for key in meant if key != own]
        if len(others) == 1 and any(spoken & pack.addressed for pack in self.wording.packs):
            return True  # "you" may be the one whom it names
        return bool(others) and all(spoken & self._rare(key) for key in others)

    def _name_words(self) -> frozenset[str]:
        people = self.people.people
        keys = dict.fromkeys(people.keys.values())
        return frozenset(word[:STEM] for key in keys for word in people.words(key))

    def _rare(self, key: str) -> frozenset[str]:
        return self.people.people.words(key) - self.stopwords

    def _alike(self, one: str, other: str) -> float:
        """Cosine, 0 where one of them has no vector."""
        if one not in self.vectors or other not in self.vectors:
            return 0.0
        rows = self.vectors.rows([one, other])
        return float(self.vectors.cosines(rows[:1], rows[1:])[0, 0])


def forms_of(entry: Standing) -> tuple[str, ...]:
    """An entry as sentences of their own, as it is compared by meaning: as it stands, and with the
    name of its keeper for the "he" that it begins with.
    """
    text = entry.memory.text.strip().removeprefix("that ")
    head, space, rest = text.partition(" ")
    if entry.memory.type == "hiding" and head.casefold() in ITSELF:
        return text, f"{entry.memory.subject}{space}{rest}"
    return (text,)


def said_in(utterance: Utterance) -> tuple[str, ...]:
    """A sentence, and the same with what was said right before it."""
    whole = f"{utterance.before} {utterance.text}"
    return (utterance.text, whole) if utterance.before else (utterance.text,)


def entries_in(proposition: Proposition, at: int) -> Iterator[Standing]:
    """One entry for each wording of a proposition, of those that say what is so."""
    seen: set[str] = set()
    for standing in proposition.standings:
        text = normalised(standing.memory.text)
        if standing.start < at and standing.memory.type != "believes" and text not in seen:
            seen.add(text)
            yield standing
