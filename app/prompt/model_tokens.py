"""Token counts of the model in use: known ones, else our own count times a learned factor. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.prompt.tokens import TokenCounter
from app.story.messages import digest

LEAST_FACTOR, MOST_FACTOR = 0.5, 4.0
# A factor moves only when it was visibly wrong: each move may change what fits a budget.
NOTICEABLE = 0.02
MOST_WEIGHT = 200_000  # tokens that count for the factor; older ones fade
LEAST_SAMPLE = 32  # tokens: in less, what is put around a text weighs too much
MARGIN = 1.02  # of a text that was never counted, so that a budget holds
KNOWN_TEXTS = 20_000

# What the tokenizers of models cut differently. Nothing of any story.
PROBES = (
    "The quick brown fox jumps over the lazy dog, twice a day and never on Sundays.",
    "Übergrößenträger fürchten höfliche Äquatorialguineer; Straßenbahnschienenritzenreiniger.",
    "Быстрая лиса перепрыгнула через ленивую собаку и убежала в лес.",
    "素早い茶色の狐がのろまな犬を飛び越える。",
    "她把灯笼放在桌上,然后走出了房间。",
    'for (let i = 0; i < 10; i += 1) { console.log(`${i}: "${names[i]}"`); }',
    '*She smiles.* "Well… you\'re late—again!" 🙂🦊 (3.14159, 2,718,281)',
    "aaaaaaaaaaaaaaaaaaaaaaaa    \n\n\n\t\tindented    text\r\n",
)
_ONE = " seven" * 10
MEASURES = (_ONE, _ONE * 2)  # what they differ in is the text, what they share is put around it


@dataclass(frozen=True, slots=True)
class KnownTokenizer:
    """What was learned of a tokenizer.

    name: of the API and its model, as it says itself. encoding: the encoding of ours that counts
    the same, "" for none. overhead: tokens that each count has beside those of its text. factor:
    its tokens for one of ours; weight: of how many of ours that was learned.
    """

    name: str
    encoding: str = ""
    overhead: int = 0
    factor: float = 1.0
    weight: int = 0

    @property
    def around(self) -> int:
        """Tokens that SillyTavern counts of each message of a prompt beside its text: those that it
        counts of a text alone, without the two of the reply's beginning.
        """
        return max(0, self.overhead - 2)

    @property
    def is_learned(self) -> bool:
        return bool(self.encoding) or self.weight > 0

    def learned(self, ours: int, theirs: int) -> KnownTokenizer:
        """After more texts were counted by both."""
        if ours < LEAST_SAMPLE or theirs <= 0:
            return self
        weight = min(self.weight, MOST_WEIGHT - min(ours, MOST_WEIGHT))
        factor = (self.factor * weight + theirs) / (weight + ours)
        factor = min(MOST_FACTOR, max(LEAST_FACTOR, factor))
        is_moved = not self.weight or abs(factor - self.factor) > NOTICEABLE * self.factor
        shown = round(factor, 3) if is_moved else self.factor
        return replace(self, factor=shown, weight=min(MOST_WEIGHT, weight + ours))


def measured(
    name: str,
    counts: Sequence[int],
    encodings: Iterable[TokenCounter],
    ours: TokenCounter,
) -> KnownTokenizer:
    """What counts of MEASURES and PROBES, in this order, tell of a tokenizer.

    encodings: ours that it may be. ours: the one that counts where none of them is it.
    """
    one, two, *probes = counts
    overhead = max(0, 2 * one - two)
    bare = [max(1, count - overhead) for count in probes]
    for counter in encodings:
        if counter.is_exact and bare == [counter.count(text) for text in PROBES]:
            return KnownTokenizer(name, counter.encoding, overhead, 1.0, 0)
    return KnownTokenizer(name, "", overhead)


class ModelCounter:
    """Counts as the model in use does; a TokenCounter. Thread-safe as its base is.

    Without a model it counts as its base does. Else a text that the model's own tokenizer has
    counted counts so, any other by the base times the factor that was learned.
    """

    def __init__(self, base: TokenCounter) -> None:
        self.default = base
        self._base = base
        self._known: dict[str, int] = {}
        self.tokenizer = KnownTokenizer("")

    @property
    def encoding(self) -> str:
        """Under which counts may be cached."""
        return self.tokenizer.name or self._base.encoding

    @property
    def base(self) -> TokenCounter:
        """Who counts what the model's tokenizer has not counted."""
        return self._base

    @property
    def is_exact(self) -> bool:
        """Whether any text is counted as the model would count it."""
        return self._base.is_exact and (
            not self.tokenizer.name or self.tokenizer.encoding == self._base.encoding
        )

    @property
    def factor(self) -> float:
        """By which counts of the base are multiplied."""
        tokenizer = self.tokenizer
        return tokenizer.factor if tokenizer.name and not tokenizer.encoding else 1.0

    def use(self, tokenizer: KnownTokenizer, base: TokenCounter) -> None:
        """Count for this tokenizer from now on. base: ours that counts for it."""
        if tokenizer.name != self.tokenizer.name:
            self._known = {}
        self.tokenizer, self._base = tokenizer, base

    def learn(self, counts: dict[str, int]) -> None:
        """Take over counts of the tokenizer itself, by the digest of their texts."""
        if len(self._known) + len(counts) > KNOWN_TEXTS:
            self._known = {}
        self._known = {**self._known, **counts}

    def needs(self, text: str) -> bool:
        """Whether only the model's own tokenizer can tell exactly what a text takes."""
        tokenizer = self.tokenizer
        if not text or not tokenizer.name or tokenizer.encoding:
            return False
        return digest(text) not in self._known

    def count(self, text: str) -> int:
        """Tokens of `text`; 0 for the empty one."""
        if not text:
            return 0
        tokenizer = self.tokenizer
        if not tokenizer.name or tokenizer.encoding:
            return self._base.count(text)
        known = self._known.get(digest(text)) if self._known else None
        if known is not None:
            return known
        return max(1, math.ceil(self._base.count(text) * tokenizer.factor * MARGIN - 1e-9))
