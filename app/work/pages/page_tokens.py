"""Keeps token counts in step with the tokenizer of the model that SillyTavern is connected to."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from app.core.errors import TavernkeepError
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.llm.backends.page_line import telling_of, told_of
from app.llm.writers.correction import PREFIX
from app.prompt.model_tokens import MEASURES, PROBES, KnownTokenizer, ModelCounter, measured
from app.prompt.tokens import TokenCounter
from app.store.store import Store
from app.story.messages import digest

log = logging.getLogger(__name__)

ASK_SECONDS = 30.0
SETTLE_SECONDS = 0.3  # what is asked for meanwhile goes with the same question
TEXTS_AT_ONCE, CHARACTERS_AT_ONCE = 100, 200_000
WAITING_TEXTS = 2_000


class AsksPage(Protocol):
    """The page that may be asked; see BridgeLink.ask_page."""

    async def ask_page(
        self, kind: str, params: dict[str, Any], *, seconds: float
    ) -> dict[str, Any]: ...


class PageTokens:
    """Tells a ModelCounter which tokenizer counts, and what it counted.

    SillyTavern's page is asked in batches, in the background: each text once in its life, as counts
    are kept by text and tokenizer. Until it has answered, the counter multiplies by a factor.

    Signals:
        changed: texts take another number of tokens than before.
    """

    def __init__(
        self,
        store: Store,
        counter: ModelCounter,
        page: AsksPage,
        counter_for: Callable[[str], TokenCounter],
        encodings: Sequence[str],
        tasks: TaskSupervisor,
    ) -> None:
        self.counter = counter
        self._store = store
        self._page = page
        self._counter_for = counter_for
        self._encodings = tuple(encodings)
        self._tasks = tasks
        self._met: dict[str, KnownTokenizer] = {}
        self._wanted: dict[str, str] = {}
        self._whose: dict[str, Path | None] = {}  # as told_of said of what is wanted
        self._flushing: asyncio.Task[None] | None = None
        self._meeting = asyncio.Lock()
        self.changed: Signal[None] = Signal("changed")

    def how_counted(self, texts: Iterable[str]) -> str:
        """A sentence on how these texts are counted; "" where as the model's tokenizer does."""
        counter = self.counter
        if not counter.default.is_exact:
            return tr("Token counts are estimates: the tokenizer's files are missing or damaged.")
        if not counter.tokenizer.name:
            return tr("Estimated until SillyTavern's page reports how its model counts tokens.")
        if any(counter.needs(text) for text in texts):
            return tr("Partly estimated until the model's own counter has counted everything.")
        return ""

    async def load(self) -> None:
        """Count as at the last time a page was there, until one says otherwise."""
        found = await self._store.run(self._store.tokenizers.all)
        met = [known for known in found if not known.name.startswith(PREFIX)]
        self._met = {known.name: known for known in met}
        if met and met[0].is_learned:
            await self._use(met[0])

    def hear(self, name: str) -> None:
        """A page says which tokenizer its model has, "" for an older page."""
        if name and name != self.counter.tokenizer.name:
            self._tasks.spawn(self._meet(name), name="meeting a tokenizer")

    def on_page_came(self, _page: object = None) -> None:
        """A page is there that may have another model."""
        self._tasks.spawn(self._look(), name="asking for the tokenizer")

    def want(self, texts: Iterable[str]) -> None:
        """Have texts counted exactly that are not yet, soon."""
        counter = self.counter
        missing = {digest(text): text for text in texts if counter.needs(text)}
        if not missing or len(self._wanted) > WAITING_TEXTS:
            return
        self._wanted |= missing
        self._whose |= dict.fromkeys(missing, told_of())
        if self._flushing is None or self._flushing.done():
            self._flushing = self._tasks.spawn(self._flush(), name="counting tokens in the page")

    async def _look(self) -> None:
        try:
            told = await self._page.ask_page("tokenizer", {}, seconds=ASK_SECONDS)
        except TavernkeepError:  # gone again, or older than the program
            return
        name = str(told.get("name", ""))[:200]
        if name:
            await self._meet(name)

    async def _meet(self, name: str) -> None:
        async with self._meeting:
            if name == self.counter.tokenizer.name:
                return
            known = self._met.get(name)
            if known is None or not known.is_learned:
                known = await self._measured(name)
            if known is None:
                return
            self._met[name] = known
            await self._store.run(lambda: self._store.tokenizers.save(known, time.time()))
            await self._use(known)
            log.info("Tokens are counted as by %s", name.split("/", 1)[0])
            self.changed.emit(None)

    async def _measured(self, name: str) -> KnownTokenizer | None:
        counts = await self._asked(name, (*MEASURES, *PROBES))
        if counts is None:
            return None
        ours = self.counter.default
        encodings = [self._counter_for(encoding) for encoding in self._encodings]
        found = await asyncio.to_thread(measured, name, counts, encodings, ours)
        if found.encoding:
            return found
        # Something to begin with; what the story says teaches more.
        sample, theirs = PROBES[0], counts[len(MEASURES)] - found.overhead
        return found.learned(max(32, await asyncio.to_thread(ours.count, sample)), theirs)

    async def _use(self, known: KnownTokenizer) -> None:
        base = self.counter.default
        if known.encoding:
            base = self._counter_for(known.encoding)
        table = self._store.token_counts
        counts = {} if known.encoding else await self._store.run(lambda: table.load(known.name))
        self.counter.use(known, base)
        self.counter.learn(counts)

    async def _flush(self) -> None:
        await asyncio.sleep(SETTLE_SECONDS)
        while self._wanted:
            whose, part = self._next_part()
            known = self.counter.tokenizer
            with telling_of(whose):
                counts = await self._asked(known.name, tuple(part.values()))
            if counts is None:
                self._drop(whose)  # asked for again with the next prompt
                continue
            if known.name == self.counter.tokenizer.name:
                bare = [max(1, count - known.overhead) for count in counts]
                await self._learn(dict(zip(part, bare, strict=True)), part)

    def _drop(self, whose: Path | None) -> None:
        for key in [key for key in self._wanted if self._whose[key] == whose]:
            del self._wanted[key], self._whose[key]

    def _next_part(self) -> tuple[Path | None, dict[str, str]]:
        """Texts of one tavern's stories, and whose."""
        part: dict[str, str] = {}
        room = CHARACTERS_AT_ONCE
        whose = self._whose[next(iter(self._wanted))]
        for key, text in tuple(self._wanted.items()):
            if self._whose[key] != whose:
                continue
            if part and (len(part) >= TEXTS_AT_ONCE or len(text) > room):
                break
            part[key] = self._wanted.pop(key)[:CHARACTERS_AT_ONCE]
            del self._whose[key]
            room -= len(text)
        return whose, part

    async def _learn(self, counts: Mapping[str, int], texts: Mapping[str, str]) -> None:
        before = self.counter.tokenizer
        ours = await asyncio.to_thread(self._ours, tuple(texts.values()))
        known = before.learned(ours, sum(counts.values()))
        was = {key: self.counter.count(text) for key, text in texts.items()}

        def unit() -> None:
            self._store.token_counts.save(known.name, counts)
            self._store.tokenizers.save(known, time.time())

        await self._store.run(unit)
        self._met[known.name] = known
        self.counter.use(known, self.counter.base)
        self.counter.learn(dict(counts))
        if was != counts or known.factor != before.factor:
            self.changed.emit(None)

    def _ours(self, texts: Sequence[str]) -> int:
        return sum(self.counter.base.count(text) for text in texts)

    async def _asked(self, name: str, texts: Sequence[str]) -> list[int] | None:
        """The page's counts with its overhead; None when it cannot say, or has another model."""
        params = {"texts": [text.encode("utf-8", "replace").decode() for text in texts]}
        try:
            told = await self._page.ask_page("count_tokens", params, seconds=ASK_SECONDS)
        except TavernkeepError as error:
            log.debug("%s", error)
            return None
        counts = told.get("counts")
        if told.get("name") != name or not isinstance(counts, list) or len(counts) != len(texts):
            return None
        if not all(isinstance(count, int) and 0 < count < 10_000_000 for count in counts):
            return None
        return counts
