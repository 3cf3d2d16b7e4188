"""How much of what is known a model is shown: as much as its context has room for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.memory_model import MemoryModel


@pytest.mark.parametrize(("context", "limit"), [(4096, 409), (16_384, 1_638), (131_072, 1_800)])
def test_a_larger_context_is_told_more(context: int, limit: int) -> None:
    asker = cast(Asker, SimpleNamespace(context=context))
    assert MemoryModel(asker, load_prompts()).known_limit == limit
