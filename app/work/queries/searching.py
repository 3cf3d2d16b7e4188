"""Searches memories and messages of all chats that were read: by words, and by meaning too."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.core.errors import TavernkeepError
from app.core.tasks import TaskSupervisor
from app.memory.documents.browsing import is_about
from app.memory.records import Memory
from app.memory.similarity import Vectors
from app.store.search import FOUND, OVER, FoundText, Place, match_of, match_with
from app.store.store import Store
from app.story.messages import Message
from app.views.search_results import Findings, Hit
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.queries.search_query import HERE, Query, read_query

log = logging.getLogger(__name__)

MOST_HITS = 50
WIDER = 6  # times as many are looked at where only those of some people are wanted
MOST_CHATS = 8  # that are read at once to see who wrote a message, where it was not noted yet
MOST_BEHIND = 200  # that are read behind a search, so that the next knows who wrote their messages
SECONDS = 2.0  # for one question to the index
LAST_SECONDS = 2.0  # for what is still to be indexed at the end
_SLICE = 200  # messages of one transaction
MEANING = 0.6  # share of the meaning in the order, words have the rest
_MOST_TEXT = 2_000  # characters of a text that its meaning is taken of


class Search:
    """Indexes what is read, a little at a time, and answers.

    vectors: of texts, none where there is no embedding model.
    """

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        tasks: TaskSupervisor,
        vectors: Callable[[Sequence[str]], Awaitable[Vectors]],
    ) -> None:
        self._store = store
        self._chats = chats
        self._tasks = tasks
        self._vectors = vectors
        self._indexed: dict[int, Sequence[Message]] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._lock = asyncio.Lock()
        self._noting: asyncio.Task[None] | None = None
        self._looked_at: set[int] = set()
        self._is_clean = False

    # 7 parameters: a query and its bounds, which have defaults.
    async def find(
        self,
        query: str,
        *,
        limit: int = 20,
        messages: bool = True,
        memories: bool = True,
        by_meaning: bool = True,
        here: Path | None = None,
        within: Path | None = None,
    ) -> Findings:
        """Memories and messages with the words of a query, in any order; beginnings of words do.

        query: as `read_query` takes it. here: the chat that is meant by in:here; of a message that
        several chats show, it is the one that is named. within: the folder whose chats alone may be
        told of, None for all. Where too few have all words, those with some follow. What is being
        indexed is waited for. Raises UsageError for a query that cannot be meant.
        """
        asked = read_query(query)
        await self.settled()
        wanted_hits = max(1, min(limit, MOST_HITS))
        limit = MOST_HITS * WIDER if asked.people else wanted_hits
        messages, memories = messages and not asked.tiers, memories and not asked.only_messages

        def ask(match: str, chats: list[int] | None) -> dict[str, Hit]:
            return self._asked(
                match, limit, asked, chats, messages=messages, memories=memories, here=here
            )

        def unit() -> tuple[list[Hit], bool]:
            self._store.search.add_memories()
            chats = self._chats_meant(asked, here, within)
            return self._by_words(asked, limit, partial(ask, chats=chats))

        hits, is_complete = await self._store.run(unit)
        if asked.people:
            if any(hit.is_doubtful for hit in hits):
                self._note_behind()
            hits, was_read = await self._said_by(asked.people, hits)
            is_complete = is_complete and was_read
        hits.sort(key=lambda hit: -hit.score)
        if by_meaning:
            wanted = " ".join((asked.words, *asked.phrases))
            hits = await self._by_meaning(wanted, hits)
        return Findings(tuple(hits[:wanted_hits]), is_complete)

    def _by_words(
        self, asked: Query, limit: int, ask: Callable[[str], dict[str, Hit]]
    ) -> tuple[list[Hit], bool]:
        """Those with all words, and where these are too few those with some; false when time ran
        out. ask: the index.
        """
        found: dict[str, Hit] = {}
        last = ""
        for any_word in (False, True):
            words = match_of(asked.words, any_word=any_word)
            match = match_with(words, asked.phrases, asked.without)
            if not match or match == last or len(found) >= limit:
                break
            last = match
            try:
                with self._store.within(SECONDS):
                    hits = ask(match)
            except TimeoutError:
                return list(found.values()), False
            # What has only some of the words comes behind what has all.
            below = min((hit.score for hit in found.values()), default=math.inf)
            new = {key: hit for key, hit in hits.items() if key not in found}
            found |= {key: replace(hit, score=min(hit.score, below)) for key, hit in new.items()}
        return list(found.values()), True

    async def _said_by(self, people: Sequence[str], hits: Sequence[Hit]) -> tuple[list[Hit], bool]:
        """Of those of doubt the ones that one of these people wrote, and all others.

        Who wrote them stands in their chats alone, which are read; false where they are too many.
        """
        messages: dict[Path, tuple[Message, ...]] = {}
        kept: list[Hit] = []
        is_complete = True
        for hit in hits:
            if not hit.is_doubtful:
                kept.append(hit)
                continue
            if hit.chat not in messages and len(messages) >= MOST_CHATS:
                is_complete = False
                continue
            if hit.chat not in messages:
                try:
                    messages[hit.chat] = (await self._chats.glance(hit.chat)).story.messages
                except TavernkeepError:  # gone since it was indexed
                    messages[hit.chat] = ()
            of_chat, index = messages[hit.chat], hit.index or 0
            name = of_chat[index].name.casefold() if index < len(of_chat) else ""
            if any(part in name for part in people):
                kept.append(replace(hit, is_doubtful=False))
        return kept, is_complete

    def _note_behind(self) -> None:
        """Note who wrote what in chats that were read before that was noted, unless it is done."""
        if self._noting is None or self._noting.done():
            self._noting = self._tasks.spawn(self._note_all(), name="noting who wrote what")

    async def _note_all(self) -> None:
        """A chat after the other, each once; what a stop leaves is found lacking the next time."""
        speakers, read = self._store.speakers, 0
        for chat_id, path in await self._store.run(speakers.chats):
            if chat_id in self._looked_at:
                continue
            self._looked_at.add(chat_id)
            if not await self._store.run(partial(speakers.is_lacking, chat_id)):
                continue
            try:
                chat = await self._chats.glance(Path(path))
            except TavernkeepError:  # gone since it was indexed
                continue
            await self._index(chat)
            self._indexed.pop(chat.chat_id, None)
            read += 1
            if read >= MOST_BEHIND:
                break

    def _chats_meant(
        self, asked: Query, here: Path | None, within: Path | None
    ) -> list[int] | None:
        index = self._store.search
        allowed = None if within is None else index.chats_below(str(within))
        if not asked.chats:
            return allowed
        numbers = index.chats_called(part for part in asked.chats if part != HERE)
        if HERE in asked.chats and here is not None:
            numbers += index.chat_at(str(here))
        return numbers if allowed is None else sorted(set(numbers) & set(allowed))

    # 7 parameters: as of `find`, once it is read.
    def _asked(
        self,
        match: str,
        limit: int,
        asked: Query,
        chats: list[int] | None,
        *,
        messages: bool,
        memories: bool,
        here: Path | None,
    ) -> dict[str, Hit]:
        index = self._store.search
        found: dict[str, Hit] = {}
        if memories:
            tiers = [tier.value for tier in asked.tiers]
            fit = index.memories(match, limit, chats=chats, tiers=tiers)
            texts = {text.row: text for text in fit}
            for memory in self._store.memories.with_ids(texts):
                if asked.people and not any(is_about(memory, part) for part in asked.people):
                    continue
                hit = self._of_memory(memory, texts[memory.id])
                if hit is not None:
                    found[memory.id] = hit
        if messages:
            speakers = self._store.speakers.called(asked.people) if asked.people else None
            fit = index.messages(match, limit, chats=chats, speakers=speakers)
            shown = index.places([text.row for text in fit], chats=chats, speakers=speakers)
            found |= {t.row: _of_message(t, shown[t.row], here) for t in fit if t.row in shown}
        return found

    def _of_memory(self, memory: Memory, text: FoundText) -> Hit | None:
        path = self._store.chats.path_of(memory.chat)
        if path is None:
            return None
        snippet, marks = _plain(text.snippet)
        made = (self._store.search.place(source.chat, source.anchor) for source in memory.sources)
        places = sorted((place for place in made if place), key=lambda place: place.index)
        place = places[0] if places else Place(path, memory.chat, -1, "")
        return Hit(
            memory.text,
            snippet,
            marks,
            text.score,
            Path(place.chat),
            place.index if place.index >= 0 else None,
            place.anchor,
            tier=memory.tier.value,
            type=memory.type,
            memory_id=memory.id,
            is_current=not memory.endings and memory.review.value in ("none", "approved"),
        )

    async def _by_meaning(self, query: str, hits: list[Hit]) -> list[Hit]:
        """The same hits, those that mean what was asked for further up."""
        texts = [query[:_MOST_TEXT], *(hit.text[:_MOST_TEXT] for hit in hits)]
        try:
            vectors = await self._vectors(texts) if hits else Vectors()
        except TavernkeepError as error:
            log.info("Found texts stay in the order of their words: %s", type(error).__name__)
            return hits
        scores = [vectors.score(texts[0], text) for text in texts[1:]]
        if not scores or not all(score.is_cosine for score in scores):
            return hits
        best = max(hit.score for hit in hits) or 1.0
        together = [
            (1 - MEANING) * hit.score / best + MEANING * score.value
            for hit, score in zip(hits, scores, strict=True)
        ]
        order = sorted(range(len(hits)), key=lambda at: -together[at])
        return [hits[at] for at in order]

    # --- indexing

    def follow(self, chat: OpenChat) -> None:
        """A chat was read: index what is new in it, by and by."""
        task = self._tasks.spawn(self._index(chat), name="indexing for search")
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def index_all(self, paths: Iterable[Path], told: Callable[[int], None]) -> int:
        """Read and index chats that were not opened. told: how many are done. Gives how many could
        not be read.
        """
        failed = 0
        for done, path in enumerate(paths, 1):
            try:
                chat = await self._chats.glance(path)
            except TavernkeepError:
                failed += 1
            else:
                await self._index(chat)
                self._indexed.pop(chat.chat_id, None)
            told(done)
        return failed

    async def aclose(self) -> None:
        """Index what is left, for a short while; what remains is indexed at the next reading."""
        try:
            async with asyncio.timeout(LAST_SECONDS):
                await self.settled()
        except TimeoutError:
            pass

    async def settled(self) -> None:
        """Wait until all that was read can be found."""
        if self._running:
            await asyncio.wait(tuple(self._running))

    async def _index(self, chat: OpenChat) -> None:
        async with self._lock:
            places, before = chat.story.places, self._indexed.get(chat.chat_id, ())
            messages = places.messages
            new = _new(messages, before, places.head_of(before))
            for first in range(0, len(new), _SLICE):
                part = new[first : first + _SLICE]
                await self._store.run(partial(self._add, chat.chat_id, part))
            self._indexed[chat.chat_id] = messages
            if not self._is_clean:
                self._is_clean = True
                await self._store.run(self._store.search.drop_unused)

    def _add(self, chat_id: int, messages: Sequence[Message]) -> None:
        self._store.search.add_messages((m.content_hash, m.text) for m in messages)
        self._store.speakers.add(chat_id, ((m.anchor, m.name) for m in messages))


def _new(messages: Sequence[Message], before: Sequence[Message], head: int) -> Sequence[Message]:
    """Those from the first that differs on; not before `head`."""
    for one, other in zip(messages[head:], before[head:], strict=False):
        if (one.content_hash, one.name) != (other.content_hash, other.name):
            break
        head += 1
    return messages[head:]


def _of_message(text: FoundText, places: Sequence[Place], here: Path | None) -> Hit:
    snippet, marks = _plain(text.snippet)
    # Of branches, the one that is open is meant; a certain place goes before one of doubt.
    certain = [place for place in places if place.is_doubtful == places[0].is_doubtful]
    place = next((place for place in certain if Path(place.chat) == here), certain[0])
    return Hit(
        text.text,
        snippet,
        marks,
        text.score,
        Path(place.chat),
        place.index,
        place.anchor,
        elsewhere=len({one.chat_id for one in places}) - 1,
        is_doubtful=place.is_doubtful,
    )


def _plain(snippet: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The snippet on one line without its marks and those of emphasis, and where the first were."""
    snippet = " ".join(snippet.replace("*", "").split())
    parts: list[str] = []
    marks: list[tuple[int, int]] = []
    length = 0
    for piece in snippet.split(FOUND):
        word, over, rest = piece.partition(OVER)
        if over:
            marks.append((length, length + len(word)))
        parts += (word, rest)
        length += len(word) + len(rest)
    return "".join(parts), tuple(marks)
