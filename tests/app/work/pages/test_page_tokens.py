"""The page's tokenizer is asked in batches, each text once, and never waited for."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import BackendAway
from app.core.tasks import TaskSupervisor
from app.llm.backends.page_line import telling_of, told_of
from app.llm.tokenizer import KNOWN_RANKS, counter_for
from app.prompt.model_tokens import ModelCounter
from app.store.store import Store
from app.work.pages import page_tokens
from app.work.pages.page_tokens import PageTokens

TEXTS = [f"Number {n}: the well under the chapel is deep, and nobody knows why." for n in range(9)]
OVERHEAD = 3


class FakePage:
    """Counts a token for every third letter; remembers what it was asked."""

    def __init__(self, name: str = "openai/claude/claude") -> None:
        self.name = name
        self.is_away = False
        self.asked: list[list[str]] = []
        self.of: list[Path | None] = []

    def count(self, text: str) -> int:
        return len(text) // 3 + OVERHEAD

    async def ask_page(
        self, kind: str, params: dict[str, Any], *, seconds: float
    ) -> dict[str, Any]:
        if self.is_away:
            raise BackendAway("Gone.")
        if kind == "tokenizer":
            return {"name": self.name}
        self.asked.append(list(params["texts"]))
        self.of.append(told_of())
        return {"name": self.name, "counts": [self.count(text) for text in params["texts"]]}


class Counting:
    """What is under test, and what it tells."""

    def __init__(self, store: Store, tasks: TaskSupervisor, page: FakePage) -> None:
        self.page = page
        self.counter = ModelCounter(counter_for())
        self.tokens = PageTokens(store, self.counter, page, counter_for, tuple(KNOWN_RANKS), tasks)
        self.news: asyncio.Queue[None] = asyncio.Queue()
        self.tokens.changed.connect(self.news.put_nowait)

    async def changed(self) -> None:
        async with asyncio.timeout(10):
            await self.news.get()


@pytest.fixture
def counting(store: Store, tasks: TaskSupervisor, monkeypatch: pytest.MonkeyPatch) -> Counting:
    monkeypatch.setattr(page_tokens, "SETTLE_SECONDS", 0.0)
    return Counting(store, tasks, FakePage())


async def test_what_is_wanted_is_counted_exactly_in_one_question(counting: Counting) -> None:
    counting.tokens.on_page_came()
    await counting.changed()
    page = counting.page
    page.asked.clear()
    counting.tokens.want(TEXTS)
    await counting.changed()
    assert page.asked == [TEXTS]
    assert [counting.counter.count(text) for text in TEXTS] == [len(t) // 3 for t in TEXTS]
    counting.tokens.want(TEXTS)
    assert not any(counting.counter.needs(text) for text in TEXTS)
    assert page.asked == [TEXTS]


async def test_texts_are_counted_by_the_page_of_their_own_tavern(counting: Counting) -> None:
    counting.tokens.on_page_came()
    await counting.changed()
    page = counting.page
    page.asked.clear()
    page.of.clear()
    mine, theirs = Path("mine"), Path("theirs")
    for folder, texts in (
        (mine, TEXTS[:1]),
        (theirs, TEXTS[1:]),
        (mine, ["And one more of mine."]),
    ):
        with telling_of(folder):
            counting.tokens.want(texts)
    await counting.changed()
    await counting.changed()
    assert page.of == [mine, theirs]
    assert page.asked == [[TEXTS[0], "And one more of mine."], TEXTS[1:]]


async def test_counts_and_factor_outlive_the_program(
    counting: Counting, store: Store, tasks: TaskSupervisor
) -> None:
    counting.tokens.on_page_came()
    await counting.changed()
    counting.tokens.want(TEXTS)
    await counting.changed()
    later = Counting(store, tasks, FakePage())
    later.page.is_away = True
    await later.tokens.load()
    assert later.counter.encoding == counting.counter.encoding
    assert later.counter.factor == counting.counter.factor != 1.0
    assert [later.counter.count(text) for text in TEXTS] == [len(t) // 3 for t in TEXTS]


async def test_a_model_that_counts_as_ours_is_asked_no_more(
    counting: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = counter_for("o200k_base")
    monkeypatch.setattr(counting.page, "count", lambda text: ours.count(text) + 7)
    counting.tokens.hear("openai/claude/claude")
    await counting.changed()
    assert counting.counter.tokenizer.encoding == "o200k_base"
    assert counting.counter.is_exact
    counting.tokens.want(TEXTS)
    assert len(counting.page.asked) == 1


async def test_a_page_that_goes_or_changes_its_model_is_not_believed(counting: Counting) -> None:
    counting.tokens.on_page_came()
    await counting.changed()
    before = counting.counter.count(TEXTS[0])
    counting.page.name = "openai/mistral/mistral"
    counting.tokens.want(TEXTS)
    counting.tokens.hear("openai/mistral/mistral")
    await counting.changed()
    assert counting.counter.encoding == "openai/mistral/mistral"
    assert counting.counter.count(TEXTS[0]) == before


async def test_without_a_page_nothing_is_waited_for(counting: Counting) -> None:
    counting.page.is_away = True
    counting.tokens.on_page_came()
    counting.tokens.want(TEXTS)
    assert counting.counter.count(TEXTS[0]) == counter_for().count(TEXTS[0])


async def test_how_texts_were_counted_is_said(counting: Counting) -> None:
    tokens = counting.tokens
    assert tokens.how_counted(TEXTS).startswith("Estimated until")
    tokens.on_page_came()
    await counting.changed()
    assert tokens.how_counted(TEXTS).startswith("Partly estimated")
    tokens.want(TEXTS)
    await counting.changed()
    assert tokens.how_counted(TEXTS) == ""
