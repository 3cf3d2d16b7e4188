"""Vectors for a pass: all of one model, or none, and trouble is said once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.core.errors import BackendUnreachable
from app.llm.backends.embeddings import Floats
from app.store.store import Store
from app.work.models.text_vectors import PAUSE_SECONDS, TextVectors


class FakeEmbedder:
    """Counts what it is asked; fails while it is told to."""

    def __init__(self, spec: str = "ollama:embed") -> None:
        self.spec = spec
        self.asked: list[list[str]] = []
        self.is_failing = False
        self.is_closed = False

    async def embed(self, texts: Sequence[str]) -> Floats:
        self.asked.append(list(texts))
        if self.is_failing:
            raise BackendUnreachable("Nobody answers.")
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32)

    async def aclose(self) -> None:
        self.is_closed = True


async def test_each_text_is_embedded_once_also_after_a_restart(store: Store) -> None:
    embedder = FakeEmbedder()
    first = TextVectors(store, embedder)
    assert set((await first.of(["one", "three", "one"])).row_of) == {"one", "three"}
    again = TextVectors(store, embedder)
    vectors = await again.of(["three", "eleven"])
    assert embedder.asked == [["one", "three"], ["eleven"]]
    assert vectors.score("three", "eleven").is_cosine
    await again.aclose()
    assert embedder.is_closed


async def test_vectors_of_another_model_are_not_used(store: Store) -> None:
    await TextVectors(store, FakeEmbedder()).of(["one"])
    other = FakeEmbedder("ollama:other")
    await TextVectors(store, other).of(["one"])
    assert other.asked == [["one"]]


async def test_without_a_model_all_goes_by_words(store: Store) -> None:
    assert not (await TextVectors(store, None).of(["one"])).row_of


async def test_a_failure_leaves_the_whole_pass_to_words_and_is_said_once(store: Store) -> None:
    embedder, said, now = FakeEmbedder(), list[str](), [0.0]
    vectors = TextVectors(store, embedder, clock=lambda: now[0])
    vectors.failed.connect(lambda sentence: said.append(sentence))
    assert "known" in await vectors.of(["known"])
    embedder.is_failing = True
    assert "known" not in await vectors.of(["known", "new"])
    now[0] = 1.0
    await vectors.of(["known", "new"])
    assert len(embedder.asked) == 2  # a server that hangs is left alone for a while
    now[0] = PAUSE_SECONDS + 1
    await vectors.of(["known", "new"])
    assert len(embedder.asked) == 3
    assert len(said) == 1
    assert "Nobody answers." in said[0]
    embedder.is_failing = False
    now[0] *= 3
    assert "new" in await vectors.of(["known", "new"])
    embedder.is_failing = True
    await vectors.of(["more"])
    assert len(said) == 2  # it worked in between
