"""How alike two texts are: by their vectors where both have one, else by the words they share."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from app.story.scene_cues.language import count_ideographs, tokens_of

Floats = NDArray[np.float32]
Flags = NDArray[np.bool_]
Rows = NDArray[np.intp]

ROUNDING = 1e-6  # vectors are single precision: .82 may come out as .81999999
_MARGIN = 1e-4  # a first look leaves a little more than what counts, so that it loses nothing
_BLOCK = 1024  # rows
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2018": "'"})


@dataclass(frozen=True, slots=True)
class Limit:
    """From where on texts count as alike, for each measure; they are on different scales."""

    cosine: float
    jaccard: float


@dataclass(frozen=True, slots=True)
class Score:
    """How alike two texts are, 0 to 1, and by which measure."""

    value: float
    is_cosine: bool

    def reaches(self, limit: Limit) -> bool:
        """Whether it is the limit of its own measure, or more."""
        return self.value >= (limit.cosine if self.is_cosine else limit.jaccard) - ROUNDING

    def exceeds(self, limit: Limit) -> bool:
        """Whether it is more than the limit of its own measure."""
        return self.value > (limit.cosine if self.is_cosine else limit.jaccard) + ROUNDING


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What verification decides by, of one hardware profile (spec/smart-memory.md §5, §10).

    duplicate: same type. cross: another type. topic: same type, about the same. questions: asked
    of the model in one pass.
    """

    duplicate: Limit
    cross: Limit
    topic: Limit
    questions: int

    @property
    def lowest(self) -> Limit:
        """What every pair reaches of which anything is decided."""
        return Limit(
            min(self.topic.cosine, self.cross.cosine), min(self.topic.jaccard, self.cross.jaccard)
        )

    def level(self, score: Score) -> float:
        """Where a pair of one type stands: 0 where the topic is the same, 1 at a duplicate. Only
        so can a pair compared by vectors be held against one compared by words.
        """
        low, high = (
            (self.topic.cosine, self.duplicate.cosine)
            if score.is_cosine
            else (self.topic.jaccard, self.duplicate.jaccard)
        )
        return (score.value - low) / (high - low)


PROFILE_A = Thresholds(Limit(0.82, 0.65), Limit(0.88, 0.75), Limit(0.55, 0.40), 3)
PROFILE_B = Thresholds(Limit(0.85, 0.68), Limit(0.91, 0.78), Limit(0.52, 0.38), 8)


def normalised(text: str) -> str:
    """The text in one form: NFKC, casefolded, straight apostrophes."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_APOSTROPHES)


def is_same_text(one: str, other: str) -> bool:
    """Whether two are the same but for letters' forms and space around them."""
    return normalised(one).strip() == normalised(other).strip()


def word_list(text: str) -> tuple[str, ...]:
    """The words in their order: split at spaces, without punctuation at their edges.

    Scripts without spaces give one word per character. The limits for Jaccard were found by
    others without stripping; with it, likeness comes out the same or higher (§10, DE3).
    """
    found: list[str] = []
    for token in normalised(text).split():
        if count_ideographs(token):
            found += tokens_of(token)
        elif stripped := _without_edges(token):
            found.append(stripped)
    return tuple(found)


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """The distinct words of a text."""
    return frozenset(word_list(text))


def jaccard(one: str, other: str) -> float:
    """Share of common words among all words of both; 0 when either has none."""
    left, right = words(one), words(other)
    common = len(left & right)
    return common / (len(left) + len(right) - common) if common else 0.0


def overlap(one: str, other: str) -> float:
    """Share of common words in the longer of the two (§8.3)."""
    left, right = words(one), words(other)
    common = len(left & right)
    return common / max(len(left), len(right)) if common else 0.0


@dataclass(frozen=True, slots=True)
class Vectors:
    """Unit vectors of texts, as the rows of one matrix; row_of says which. Without any, all
    comparisons are by words.
    """

    row_of: Mapping[str, int] = field(default_factory=dict)
    matrix: Floats = field(default_factory=lambda: np.zeros((0, 0), dtype=np.float32))

    @classmethod
    def of(cls, vectors: Mapping[str, Sequence[float] | Floats]) -> Vectors:
        """Vectors by text, of any length. Left out: empty and broken ones, and those whose number
        of dimensions is not that of the first.
        """
        usable: dict[str, Floats] = {}
        dimensions = 0
        for text, vector in vectors.items():
            row = np.asarray(vector, dtype=np.float32)
            dimensions = dimensions or row.size
            if row.ndim == 1 and row.size == dimensions and row.any() and np.isfinite(row).all():
                usable[text] = row
        if not usable:
            return cls()
        matrix = np.stack(list(usable.values()))
        matrix /= np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
        return cls({text: row for row, text in enumerate(usable)}, matrix)

    def __contains__(self, text: object) -> bool:
        return text in self.row_of

    def rows(self, texts: Sequence[str]) -> Rows:
        """Row of each text, -1 where it has none."""
        found = map(self.row_of.get, texts, repeat(-1))
        return np.fromiter(found, dtype=np.intp, count=len(texts))

    def cosines(self, lines: Rows, columns: Rows) -> Floats:
        """Each row against each other one; -1 gives what means nothing."""
        if self._are_most(columns):
            return self._to_all(lines).take(columns, axis=0).T
        found: Floats = self.matrix[lines] @ self.matrix[columns].T
        return found

    def near(self, lines: Rows, columns: Rows, least: float) -> tuple[Rows, Floats]:
        """Places of the columns whose cosine with one of the lines is so much, and the cosines of
        these; neither may have a -1. As of `cosines`, but the rest is never put in order.
        """
        if not self._are_most(columns):
            found = self.cosines(lines, columns)
            places = np.flatnonzero((found >= least).any(axis=0))
            return places, found.take(places, axis=1)
        found = self._to_all(lines)
        # Turned round first: looking for one among a few neighbours takes four times as long.
        is_near = (found >= least).T.copy().any(axis=0)
        places = np.flatnonzero(is_near.take(columns))
        return places, found.take(columns.take(places), axis=0).T

    def _are_most(self, columns: Rows) -> bool:
        """The matrix as it stands is read faster than a copy of most of it is made."""
        return len(columns) * 4 > len(self.matrix)

    def _to_all(self, lines: Rows) -> Floats:
        """Cosines of all rows with these, block by block: what fits into the processor's cache is
        multiplied a quarter faster, and between blocks other threads get their turn.
        """
        asked = self.matrix[lines].T
        found = np.empty((len(self.matrix), len(lines)), dtype=np.float32)
        for start in range(0, len(found), _BLOCK):
            block = slice(start, start + _BLOCK)
            np.matmul(self.matrix[block], asked, out=found[block])
        return found

    def score(self, one: str, other: str) -> Score:
        """How alike two texts are: the cosine if both have a vector, else Jaccard (§10, DE2)."""
        left, right = self.row_of.get(one), self.row_of.get(other)
        if left is None or right is None:
            return Score(jaccard(one, other), is_cosine=False)
        return Score(float(self.matrix[left] @ self.matrix[right]), is_cosine=True)


NO_VECTORS = Vectors()


@dataclass(frozen=True, slots=True)
class Scores:
    """Likeness of some texts (lines) to others (columns), each by the measure of its pair."""

    values: Floats
    is_cosine: Flags

    def levels(self, low: Limit, high: Limit) -> Floats:
        """Where each pair stands between two limits of its own measure: 0 at low, 1 at high."""
        by_vectors = (self.values - low.cosine) / (high.cosine - low.cosine)
        if self.is_cosine.all():
            return by_vectors
        by_words = (self.values - low.jaccard) / (high.jaccard - low.jaccard)
        return np.where(self.is_cosine, by_vectors, by_words)

    def row(self, line: int, count: int) -> Scores:
        """One line of it, and of that the first so many columns."""
        return Scores(self.values[line : line + 1, :count], self.is_cosine[line : line + 1, :count])

    def score(self, line: int, column: int) -> Score:
        """One pair."""
        return Score(float(self.values[line, column]), bool(self.is_cosine[line, column]))


def scores(texts: Sequence[str], others: Sequence[str], vectors: Vectors) -> Scores:
    """Each text against each other; one matrix product, and word counts where vectors lack."""
    lines, columns = vectors.rows(texts), vectors.rows(others)
    is_cosine = (lines >= 0)[:, None] & (columns >= 0)[None, :]
    if not is_cosine.any():
        return Scores(_jaccard_matrix(texts, others), is_cosine)
    values = vectors.cosines(lines, columns)
    if not is_cosine.all():
        values = np.where(is_cosine, values, _jaccard_matrix(texts, others))
    return Scores(values, is_cosine)


def scores_near(
    texts: Sequence[str], others: Sequence[str], vectors: Vectors, low: Limit
) -> tuple[list[int], Scores]:
    """Places of the others that reach a limit, or miss it by a hair, beside at least one of the
    texts, and the table of these. Of ever so many others few come near, and only they cost more
    than the matrix product.
    """
    lines, columns = vectors.rows(texts), vectors.rows(others)
    if texts and others and min(lines.min(), columns.min()) >= 0:
        places, values = vectors.near(lines, columns, low.cosine - _MARGIN)
        return places.tolist(), Scores(values, np.ones(values.shape, dtype=np.bool_))
    table = scores(texts, others, vectors)
    least = np.where(table.is_cosine, low.cosine, low.jaccard) - _MARGIN
    places = np.flatnonzero((table.values >= least).any(axis=0))
    found = Scores(table.values.take(places, axis=1), table.is_cosine.take(places, axis=1))
    return places.tolist(), found


def _jaccard_matrix(texts: Sequence[str], others: Sequence[str]) -> Floats:
    """Jaccard of all pairs, through a list of who has each word that occurs in `texts`."""
    asked = [words(text) for text in texts]
    holders: dict[str, list[int]] = {word: [] for found in asked for word in found}
    sizes = np.zeros(len(others), dtype=np.float32)
    for column, other in enumerate(others):
        found = words(other)
        sizes[column] = len(found)
        for word in found & holders.keys():
            holders[word].append(column)
    result = np.zeros((len(texts), len(others)), dtype=np.float32)
    for line, found in enumerate(asked):
        common = result[line]
        for word in found:
            common[holders[word]] += 1.0
        union = sizes + len(found) - common
        np.divide(common, union, out=common, where=common > 0)
    return result


def _without_edges(token: str) -> str:
    start, end = 0, len(token)
    while start < end and not token[start].isalnum():
        start += 1
    while end > start and not token[end - 1].isalnum():
        end -= 1
    return token[start:end]
