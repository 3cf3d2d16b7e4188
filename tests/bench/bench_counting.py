"""Counting tokens and deciding which recaps count: ours, bare tiktoken, and the naive loop."""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count as numbers
from pathlib import Path
from typing import Any

from app.llm import tokenizer
from app.llm.tokenizer import CACHE_VARIABLE, RANKS, TiktokenCounter
from app.store.store import Store
from app.story.inclusion import SEPARATOR, Decided, InclusionRules, InclusionState, include
from app.story.messages import Message, MessageRecap, digest
from app.work.chats.token_count_cache import TokenCountCache
from tests.bench.table import IS_QUICK, Aim, Row, median_ms, medians_ms
from tests.chat_files import long_chat

MESSAGES = 2_000 if IS_QUICK else 10_000
COMPARED = 300  # messages at which the naive loop can be run to its end each time
RECAP_WORDS = 12
BUDGET = 3_000
ENCODING = "cl100k_base"
NO_LIMIT = 10**9
FROM_NOTHING = (
    "Thousands of times faster than the loop, and still ten thousand decisions with their reasons "
    "in Python. That is done when a chat is opened or a rule changes; what a followed chat asks "
    "for with each message, with the decisions before it known, is the row of one new recap."
)
UNCOUNTED = (
    "Two thirds of what is more are the decisions, as above; the rest is looking each text up, and "
    "keeping its count."
)
SAMPLES = 20  # steps of the naive loop that are run of some thousand


def measure() -> list[Row]:
    """Inclusion with counts known and unknown, and a whole chat tokenized."""
    os.environ[CACHE_VARIABLE] = str(RANKS)
    import tiktoken

    bare = tiktoken.get_encoding(ENCODING)
    chat = Chat(MESSAGES)
    return [*_warm(chat, bare), _cold(chat, bare), _tokenized(chat, bare)]


class Chat:
    """Messages with a recap of each."""

    def __init__(self, length: int) -> None:
        dice = random.Random(3)
        self.messages = tuple(
            Message(f"m{n}", digest(raw["mes"]), raw["name"], raw["mes"], is_user=raw["is_user"])
            for n, raw in enumerate(long_chat(length))
        )
        self.recaps = {
            message.anchor: MessageRecap(
                " ".join(dice.choices(message.text.split(), k=RECAP_WORDS)).capitalize() + ".",
                source_hash=message.content_hash,
            )
            for message in self.messages
        }
        self.sizes = tuple(len(message.text) // 4 for message in self.messages)

    def included(
        self, limit: int, count: Callable[[str], int], length: int = MESSAGES
    ) -> tuple[bool, ...]:
        """Which recaps count, by our own way."""
        rules = InclusionRules(limit_tokens=limit)
        sizes = self.sizes[:length]
        found = include(
            self.messages[:length], self.recaps, rules, message_tokens=sizes, count=count
        )
        return tuple(one.state is InclusionState.INCLUDED for one in found)

    def texts(self, length: int = MESSAGES) -> list[str]:
        """The recaps, newest first."""
        return [self.recaps[message.anchor].text for message in self.messages[:length][::-1]]


def _warm(chat: Chat, bare: Any) -> list[Row]:
    count = TiktokenCounter(ENCODING, RANKS).count
    for limit in (100, BUDGET, NO_LIMIT):
        if chat.included(limit, count, COMPARED) != _naively(chat.texts(COMPARED), limit, bare):
            raise AssertionError(f"another result than the naive loop's at {limit} tokens")

    def ours(limit: int) -> float:
        return median_ms(lambda: chat.included(limit, count))

    size = f"{MESSAGES:,} recaps"
    naive = _naive_ms(chat.texts(), bare) / 1000
    return [
        Row(
            f"inclusion of {size}, all fit, counts known",
            ours(NO_LIMIT),
            "naive loop / 1,000",
            naive,
            Aim(times=1, most=5),
            FROM_NOTHING,
        ),
        Row(
            f"inclusion of {size}, {BUDGET:,} tokens fit",
            ours(BUDGET),
            aim=Aim(most=5),
            why=FROM_NOTHING,
        ),
        Row(f"inclusion of {size}, one is new", _one_more_ms(chat, count), aim=Aim(most=5)),
    ]


def _naively(texts: Sequence[str], limit: int, bare: Any) -> tuple[bool, ...]:
    """Newest first, the growing text counted again with each recap, until it is too long."""
    joined, taken = "", 0
    for text in texts:
        joined = f"{joined}{SEPARATOR}{text}" if joined else text
        if len(bare.encode_ordinary(joined)) > limit:
            break
        taken += 1
    return (*(False,) * (len(texts) - taken), *(True,) * taken)


def _naive_ms(texts: Sequence[str], bare: Any) -> float:
    """What that loop takes when all fit: some of its steps are run, each for all around it."""
    step = len(texts) // SAMPLES
    spent = 0.0
    for length in range(step // 2, len(texts), step):
        joined = SEPARATOR.join(texts[:length])
        begun = time.process_time()
        bare.encode_ordinary(joined)
        spent += time.process_time() - begun
    return 1000 * spent * step


def _one_more_ms(chat: Chat, count: Callable[[str], int]) -> float:
    """What the program does with a chat that it follows."""
    rules = InclusionRules(limit_tokens=BUDGET)

    def after(decided: Decided, length: int) -> Decided:
        messages, sizes = chat.messages[:length], chat.sizes[:length]
        return decided.after(messages, chat.recaps, rules, message_tokens=sizes, count=count)

    before = after(Decided(), MESSAGES - 1)
    return median_ms(lambda: after(before, MESSAGES))


def _cold(chat: Chat, bare: Any) -> Row:
    fresh = _fresh_counters()
    texts = chat.texts()
    ours, rival = medians_ms(
        lambda: chat.included(BUDGET, next(fresh).count),
        lambda: [len(bare.encode_ordinary(text)) for text in texts],
    )
    work = f"inclusion of {MESSAGES:,} recaps never counted"
    return Row(work, ours, "bare tiktoken, text by text", rival, Aim(times=1.2), UNCOUNTED)


def _fresh_counters() -> Iterator[TiktokenCounter]:
    """Counters that have their ranks and no counts."""
    for _ in numbers():
        counter = TiktokenCounter(ENCODING, RANKS)
        counter._counter = tokenizer._load(ENCODING, RANKS)
        yield counter


def _tokenized(chat: Chat, bare: Any) -> Row:
    """The counts of all messages, kept in the database as well."""
    texts = [message.text for message in chat.messages]
    fresh = _fresh_counters()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner() as runner:
        paths = (Path(folder) / f"{n}.db" for n in numbers())

        async def ours() -> None:
            store = Store(next(paths))
            await store.open()
            ledger = TokenCountCache(store, next(fresh))
            await ledger.count(chat.messages)
            await store.aclose()

        taken, rival = medians_ms(
            lambda: runner.run(ours()),
            lambda: list(map(len, bare.encode_ordinary_batch(texts))),
            rounds=5,
        )
    work = f"tokenize {MESSAGES:,} messages and keep the counts"
    return Row(work, taken, "tiktoken's batch", rival, Aim(times=1.2))
