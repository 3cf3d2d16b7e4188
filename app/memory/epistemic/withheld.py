"""What one person of a story must not be told, and which lines would tell it. Pure.

A model that plays somebody says what it reads. So a line that tells what the map says they do not
know is no line for their prompt, whatever it is part of (spec/smart-memory.md §7).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property

from app.memory.epistemic.coverage import PART, RUN, Coverage
from app.memory.epistemic.propositions import STEM, People, content_words, is_alike, is_everyone
from app.memory.epistemic.word_counts import Frequency
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.verification import NO_WORDING
from app.memory.names import folded
from app.memory.records import Memory, Tier
from app.memory.standing import Standing

HAVING = frozenset({"knows", "suspects", "hiding"})
# Share of a secret's words, by weight, from which a line tells it: less than whoever says it has to
# say, since half of it is enough for a reader to guess the rest.
TELLS = 0.5
SAME_SUBJECT = 0.2  # share of a belief's words, by weight, that the truth about it has to have


class Withheld:
    """What a person does not know of what others do.

    names: all names of the person, folded; none for nobody, from whom nothing is withheld.
    standings: of all tiers, as they are now. people: of the story. wording: of its languages.
    said: how often words are in its messages. A word that half of the memories have may be rare in
    what was said, and the other way round; a line that tells something by either tells it.
    """

    def __init__(
        self,
        names: Collection[str],
        standings: Sequence[Standing],
        people: People,
        *,
        stopwords: frozenset[str] = frozenset(),
        wording: Wording = NO_WORDING,
        said: Callable[[Iterable[str]], Frequency] | None = None,
    ) -> None:
        self._keys = frozenset(map(people.key, names))
        self._people = people
        self._stopwords = stopwords
        self._wording = wording
        held = [s.memory for s in standings if s.is_active and self._keys]
        self._held = [memory for memory in held if memory.tier is Tier.EPISTEMIC]
        self._mine = [memory for memory in self._held if self._is_self(memory.subject)]
        names_of_all = frozenset(w[:STEM] for key in people.names for w in people.words(key))
        frequencies = [self._frequency(held) if self._held else Frequency()]
        if said is not None and self._held:
            frequencies.append(said(t for m in self._held for t in (m.text, m.detail)))
        self._coverages = [Coverage(names_of_all, one, stopwords) for one in frequencies]
        self._coverage = self._coverages[0]
        self._own = frozenset(word[:STEM] for key in self._keys for word in people.words(key))
        self._verdicts: dict[str, bool] = {}

    def __bool__(self) -> bool:
        return bool(self.entries or self._beliefs)

    @cached_property
    def entries(self) -> tuple[Memory, ...]:
        """The entries that say what the person does not know, in the order of the story, each
        proposition once: their own first, then what others hide from them.
        """
        found: dict[str, Memory] = {}
        own = [memory for memory in self._mine if memory.type == "unaware"]
        hidden = [memory for memory in self._held if self._is_hidden_from_them(memory)]
        for memory in (*own, *hidden):
            if self._has(memory) or any(o.id in found for o in self._alike.to(memory)):
                continue
            found[memory.id] = memory
        return tuple(found.values())

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """All wordings of what the person does not know."""
        found = dict.fromkeys(text for entry in self.entries for text in self._wordings(entry))
        return (*found, *self._truths())

    def would_be_told(self, line: str) -> bool:
        """Whether a line tells something of it."""
        if line not in self._verdicts:
            words = self._words(line)
            self._verdicts[line] = any(
                self._tells(line, text, coverage)
                for index, coverage in zip(self._secrets, self._coverages, strict=True)
                for text in index.near(words)
            ) or any(self._denies(line, belief) for belief in self._beliefs)
        return self._verdicts[line]

    @cached_property
    def _secrets(self) -> tuple[_Index, ...]:
        """By each of the frequencies."""
        return tuple(_Index(self.texts, self._words, coverage) for coverage in self._coverages)

    @cached_property
    def _had(self) -> _Index:
        """What the person knows, suspects or hides."""
        had = [m.text for m in self._mine if m.type in HAVING]
        return _Index(had, self._words, self._coverage)

    def _tells(self, line: str, text: str, coverage: Coverage) -> bool:
        covers = coverage.covers
        return covers(line, text, self._own, TELLS) or covers(line, text, self._own, PART, run=RUN)

    def _denies(self, line: str, belief: str) -> bool:
        """Whether a line says the opposite of what they take for true."""
        if not any(self._tells(line, belief, coverage) for coverage in self._coverages):
            return False
        said, meant = self._wording.read(line), self._wording.read(belief)
        return said.is_negated != meant.is_negated

    @cached_property
    def _beliefs(self) -> tuple[str, ...]:
        return tuple(memory.text for memory in self._mine if memory.type == "believes")

    def _truths(self) -> Iterator[str]:
        """What others know about the proposition of a false belief, and the believer does not."""
        for belief in self._beliefs:
            words = self._words(belief)
            least = SAME_SUBJECT * self._coverage.weight(words)
            for memory in self._held:
                if memory.type not in ("knows", "hiding") or self._is_self(memory.subject):
                    continue
                common = (words & self._words(memory.text)) - self._coverage.names
                if common and self._coverage.weight(common) >= least and not self._has(memory):
                    yield memory.text

    def _wordings(self, entry: Memory) -> Iterator[str]:
        yield entry.text
        if entry.type == "hiding" and entry.detail:
            yield entry.detail
        for memory in self._alike.to(entry):
            if memory.type not in ("believes", "unaware"):
                yield memory.text

    def _is_hidden_from_them(self, memory: Memory) -> bool:
        if memory.type != "hiding" or self._is_self(memory.subject):
            return False
        return self._is_self(memory.target) or is_everyone(memory.target, self._people)

    def _has(self, entry: Memory) -> bool:
        """Whether the person knows, suspects or hides it themselves."""
        if entry.type in HAVING and self._is_self(entry.subject):
            return True
        near = self._had.near(self._words(entry.text))
        return any(
            folded(text) == folded(entry.text) or is_alike(text, entry.text, self._stopwords)
            for text in near
        )

    @cached_property
    def _alike(self) -> _Alike:
        return _Alike(self._held, self._stopwords)

    def _is_self(self, name: str) -> bool:
        return bool(name) and self._people.key(name) in self._keys

    def _words(self, text: str) -> frozenset[str]:
        return content_words(text, self._stopwords)

    def _frequency(self, memories: Iterable[Memory]) -> Frequency:
        """In how many of the memories a word occurs."""
        counts: Counter[str] = Counter()
        number = 0
        for memory in memories:
            counts.update(self._words(memory.text))
            number += 1
        return Frequency(number, counts)


class WithheldFromAny(Withheld):
    """What one at least of several people does not know: a text for whoever of them answers tells
    none of it. It has no entries, which are one person's.
    """

    def __init__(self, each: Iterable[Withheld]) -> None:
        super().__init__((), (), People())
        self._each = tuple(one for one in each if one)

    def __bool__(self) -> bool:
        return bool(self._each)

    def would_be_told(self, line: str) -> bool:
        """Whether a line tells something of it."""
        return any(one.would_be_told(line) for one in self._each)


class _Alike:
    """Entries by their words: hundreds are not each held against all others."""

    def __init__(self, memories: Sequence[Memory], stopwords: frozenset[str]) -> None:
        self._memories, self._stopwords = memories, stopwords
        self._of: dict[str, list[int]] = {}
        self._same: dict[str, list[int]] = {}
        for number, memory in enumerate(memories):
            self._same.setdefault(folded(memory.text), []).append(number)
            for word in content_words(memory.text, stopwords):
                self._of.setdefault(word, []).append(number)

    def to(self, memory: Memory) -> Iterator[Memory]:
        """The entries that may be shown as one proposition with this one, in their order; the entry
        itself among them.
        """
        words = content_words(memory.text, self._stopwords)
        shared = Counter(number for word in words for number in self._of.get(word, ()))
        least = min(2, len(words))  # is_alike takes no less
        near = {number for number, common in shared.items() if common >= least}
        near.update(same := self._same.get(folded(memory.text), ()))
        for number in sorted(near):
            other = self._memories[number]
            if number in same or is_alike(memory.text, other.text, self._stopwords):
                yield other


class _Index:
    """Texts by their words: of many only those are looked at that share enough with a line."""

    def __init__(
        self, texts: Sequence[str], words: Callable[[str], frozenset[str]], coverage: Coverage
    ) -> None:
        self._texts = tuple(dict.fromkeys(texts))
        self._of: dict[str, list[tuple[int, float]]] = {}
        self._least: list[float] = []
        for number, text in enumerate(self._texts):
            telling = words(text) - coverage.names or words(text)
            weights = {word: coverage.weight((word,)) for word in telling}
            self._least.append(PART * sum(weights.values()))
            for word, weight in weights.items():
                self._of.setdefault(word, []).append((number, weight))

    def near(self, line: frozenset[str]) -> Iterator[str]:
        """The texts of whose words a line has the part that it needs at least to tell them."""
        shared: dict[int, float] = {}
        for word in line:
            for number, weight in self._of.get(word, ()):
                shared[number] = shared.get(number, 0.0) + weight
        for number, weight in shared.items():
            if weight >= self._least[number]:
                yield self._texts[number]


NOTHING_WITHHELD = Withheld((), (), People())
