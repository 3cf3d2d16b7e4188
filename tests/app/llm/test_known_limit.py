"""How much of what is known a model is shown: as much as its context has room for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from app.llm.backends.backend import Backend
from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import SMALLEST_ROOM, Asker
from app.llm.writers.memory_model import ONE_PASS, MemoryModel
from app.prompt.tokens import estimate_tokens


def model_of(context: int) -> MemoryModel:
    backend = cast(Backend, SimpleNamespace(context_tokens=context, spec="a", label="a"))
    return MemoryModel(Asker(backend, count_tokens=estimate_tokens), load_prompts())


@pytest.mark.parametrize(("context", "limit"), [(16_384, 1_638), (131_072, 1_800)])
@pytest.mark.real_model(3)
def test_a_larger_context_is_told_more(context: int, limit: int) -> None:
    assert model_of(context).known_limit == limit


def test_a_small_context_keeps_as_much_for_the_messages_as_for_each_text_of_what_is_known() -> None:
    model = model_of(4_096)
    inputs = dict.fromkeys(load_prompts()[ONE_PASS].inputs, "")
    known = model.known_limit
    assert 100 < known < 409
    assert model.room(ONE_PASS, inputs) - 2 * known >= max(known, SMALLEST_ROOM)
