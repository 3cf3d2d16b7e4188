"""Vectors on disk."""

from __future__ import annotations

import numpy as np

from app.store.store import Store


async def test_vectors_come_back_as_they_were_and_only_for_their_model(store: Store) -> None:
    rows = {"a": np.array([1.5, -2.25, 1e-8], dtype=np.float32), "b": np.zeros(3, np.float32)}
    await store.run(lambda: store.vectors.save("one", rows))
    await store.run(lambda: store.vectors.save("one", {}))
    found = await store.run(lambda: store.vectors.load("one", ["a", "b", "c"]))
    assert {key: row.tolist() for key, row in found.items()} == {
        key: row.tolist() for key, row in rows.items()
    }
    assert await store.run(lambda: store.vectors.load("one", ["b"])) != {}
    assert await store.run(lambda: store.vectors.load("other", ["a"])) == {}


async def test_a_vector_is_replaced_and_other_models_keep_theirs(store: Store) -> None:
    for model, number in (("one", 1), ("two", 2), ("one", 3)):
        row = np.array([number], dtype=np.float32)
        await store.run(lambda m=model, r=row: store.vectors.save(m, {"a": r}))  # type: ignore[misc]
    assert (await store.run(lambda: store.vectors.load("one", ["a"])))["a"].tolist() == [3.0]
    assert (await store.run(lambda: store.vectors.load("two", ["a"])))["a"].tolist() == [2.0]


async def test_many_are_found_at_once(store: Store) -> None:
    rows = {f"h{n}": np.array([n], dtype=np.float32) for n in range(5_000)}
    await store.run(lambda: store.vectors.save("one", rows))
    assert len(await store.run(lambda: store.vectors.load("one", rows.keys()))) == 5_000
