"""Who comes back to a story after an absence is told once what happened before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, cast

import pytest
import pytest_asyncio

from app.core.errors import AnswerUnusable, BackendBusy
from app.core.operations import OperationKind, OperationSpec
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.llm.writers.memory_model import MemoryModel
from app.llm.writers.meter import RequestUse, note
from app.llm.writers.written import KeptAnswers
from app.settings.values import Settings
from app.store.store import Store
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.views.away_recap import AwayRecap
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages import away_recap as module
from app.work.pages.away_recap import AwayRecaps
from app.work.pages.link import BridgeLink
from tests.chat_page import ChatPage, Clock

HOUR = 3600.0
STORED = "Mira hid the letter."
WRITTEN = "The fog came in."


class Pages:
    """The pages of SillyTavern, which show recaps where they show the chat."""

    def __init__(self) -> None:
        self.opened: Signal[Path] = Signal("opened")
        self.moved_on: Signal[Path] = Signal("moved_on")
        self.recap_asked: Signal[Path] = Signal("recap_asked")
        self.recaps: list[tuple[str, str]] = []
        self.are_there = True
        self.is_replying = False
        self.path: Path | None = None

    @property
    def shown(self) -> tuple[Path, ...]:
        return (self.path,) if self.are_there and self.path else ()

    async def show_recap(self, _path: Path, card: Callable[[str], dict[str, str]]) -> bool:
        can_show = self.are_there and not self.is_replying
        if can_show:
            shown = card("")
            self.recaps.append((shown["title"], shown["text"]))
        return can_show


class Model:
    """Answers when it may."""

    label = "wolf-7b"

    def __init__(self, error: Exception | None = None) -> None:
        self.asked = asyncio.Event()
        self.times = 0
        self.may_answer = asyncio.Event()
        self.error = error

    async def ask(self, *_asked: object, kept: KeptAnswers, **_more: object) -> str:
        answered = await kept.get("the same question")
        if answered is not None:
            return answered
        self.times += 1
        self.asked.set()
        await self.may_answer.wait()
        note(RequestUse("memory_away", self.label, 700, 80))
        if self.error is not None:
            raise self.error
        await kept.keep("the same question", WRITTEN)
        return WRITTEN


class Watched(TaskSupervisor):
    """Lets a test wait until nothing is under way."""

    def __init__(self) -> None:
        super().__init__()
        self._started: list[asyncio.Task[Any]] = []

    def spawn(self, coroutine: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[Any]:
        self._started.append(super().spawn(coroutine, name=name))
        return self._started[-1]

    async def wait(self) -> None:
        await asyncio.gather(*self._started)


@dataclass
class Away:
    """A chat, and what is told of it."""

    store: Store
    chat: OpenChat
    page: ChatPage
    pages: Pages
    tasks: Watched
    settings: Settings
    model: Model | None = None
    told: list[AwayRecap] = field(default_factory=list)
    noted: list[tuple[OperationKind, int, str]] = field(default_factory=list)

    @property
    def path(self) -> Path:
        return self.chat.chat.path

    def idle_model(self) -> MemoryModel | None:
        return cast(MemoryModel | None, self.model)

    async def note(
        self, spec: OperationSpec, uses: Sequence[RequestUse], *, begun: float, in_vain: str = ""
    ) -> None:
        assert (spec.chat, begun > 0) == (self.chat.chat_id, True)
        self.noted.append((spec.kind, sum(use.prompt_tokens for use in uses), in_vain))

    def hear(self, recap: AwayRecap) -> None:
        self.told.append(recap)

    async def stay_away(self, hours: float) -> None:
        moment = time.time() - hours * HOUR
        await self.store.run(lambda: self.store.activity.save(self.chat.chat_id, moment))

    async def last(self) -> float | None:
        return await self.store.run(lambda: self.store.activity.last(self.chat.chat_id))

    async def remember(self) -> None:
        last = self.chat.story.messages[-1].anchor
        version = RunningVersion(0, STORED, 1, "", last, "test", 1.0)
        recaps = self.store.recaps
        await self.store.run(lambda: recaps.add_running_version(self.chat.chat_id, version))
        await self.chat.refresh()

    async def open(self) -> None:
        self.pages.opened.emit(self.path)
        await self.tasks.wait()


@pytest_asyncio.fixture
async def away(tmp_path: Path, store: Store) -> AsyncIterator[Away]:
    tasks, pages, settings = Watched(), Pages(), Settings({})
    page = ChatPage(tmp_path / "Harbour.jsonl", Clock(is_exact=True), "slug", count())
    page.send("Who is there?", "Nobody answered.")
    page.messages[-1].data["send_date"] = "2026-01-01T10:00:00.000Z"
    page.save()
    chats = OpenChats(store, counter_for(), (), settings, tasks)
    pages.path = page.path
    made = Away(store, await chats.open(page.path), page, pages, tasks, settings)
    link = cast(BridgeLink, pages)
    previously = AwayRecaps(
        store, chats, link, made.idle_model, counter_for().count, tasks, noted=made.note
    )
    previously.told.connect(made.hear)
    yield made
    chats.close()
    await tasks.aclose()


async def test_a_chat_seen_for_the_first_time_has_no_absence(away: Away) -> None:
    await away.remember()
    await away.open()
    assert away.told == []
    assert await away.last() == pytest.approx(time.time(), abs=60)


@pytest.mark.parametrize(("hours", "times"), [(3.9, 0), (4.1, 1)])
async def test_the_absence_has_to_be_long_enough(away: Away, hours: float, times: int) -> None:
    await away.remember()
    await away.stay_away(hours)
    await away.open()
    assert len(away.told) == times


async def test_what_is_stored_is_told_without_a_model(away: Away) -> None:
    await away.remember()
    await away.stay_away(50)
    await away.open()
    assert away.told == [AwayRecap(away.path, "Previously · 2 days ago", STORED)]
    assert away.pages.recaps == [("Previously · 2 days ago", STORED)]
    await away.open()
    assert len(away.told) == 1


async def test_a_story_that_was_played_without_us_was_not_left(away: Away) -> None:
    await away.remember()
    await away.stay_away(50)
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    away.page.messages[-1].data["send_date"] = now
    away.page.save()
    await away.chat.read()
    await away.open()
    assert away.told == []


async def test_nothing_is_told_where_nothing_is_known_or_wanted(away: Away) -> None:
    await away.stay_away(50)
    await away.open()
    await away.remember()
    await away.stay_away(50)
    away.settings.put("away_recap", False)
    await away.open()
    assert away.told == []


async def test_who_asks_is_told_at_any_time(away: Away) -> None:
    away.settings.put("away_recap", False)
    away.pages.recap_asked.emit(away.path)
    await away.tasks.wait()
    await away.remember()
    away.pages.recap_asked.emit(away.path)
    await away.tasks.wait()
    (nothing, stored) = away.pages.recaps
    assert nothing == ("Previously", "No scene has ended yet; a recap is written when one does.")
    assert stored == ("Previously", STORED)


async def test_who_asks_without_a_model_is_told_the_story_and_not_its_last_scene_alone(
    away: Away,
) -> None:
    first, last = (message.anchor for message in away.chat.story.messages)
    breaks = [SceneBreak(anchor, BreakOrigin.HAND) for anchor in (first, last)]
    scene = SceneRecap(last, 0, "", "Nobody opened.", "", "test", 1.0)
    version = RunningVersion(0, STORED, 1, "", first, "test", 1.0)
    store, number = away.store, away.chat.chat_id
    await store.run(lambda: store.scenes.save(number, breaks))
    await store.run(lambda: store.recaps.add_scene_recap(number, scene))
    await store.run(lambda: store.recaps.add_running_version(number, version))
    await away.chat.refresh()
    away.pages.recap_asked.emit(away.path)
    await away.tasks.wait()
    assert away.pages.recaps == [("Previously", f"{STORED}\n\nNobody opened.")]


@pytest.mark.pitfall(10)
async def test_a_model_tells_it_once_however_often_the_chat_is_opened(away: Away) -> None:
    away.model = Model()
    await away.stay_away(50)
    away.pages.opened.emit(away.path)
    away.pages.opened.emit(away.path)
    await away.model.asked.wait()
    away.pages.recap_asked.emit(away.path)
    away.model.may_answer.set()
    await away.tasks.wait()
    assert [text for _, text in away.pages.recaps] == [WRITTEN]
    assert away.told == []  # who asked has it in the page: the window need not say it too
    assert away.model.times == 1


async def test_what_somebody_asks_for_is_shown_to_be_written_and_told_when_they_play_on(
    away: Away, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHOW_AGAIN_SECONDS", 0.01)
    away.model = Model()
    away.pages.recap_asked.emit(away.path)
    await away.model.asked.wait()
    assert away.pages.recaps == [("Previously", "wolf-7b is writing the story so far …")]
    away.pages.moved_on.emit(away.path)
    away.pages.is_replying = True
    away.model.may_answer.set()
    await asyncio.sleep(0.05)
    away.pages.is_replying = False
    await away.tasks.wait()
    assert away.pages.recaps[-1] == ("Previously", WRITTEN)


async def test_the_same_recap_is_not_paid_for_twice(away: Away) -> None:
    away.model = Model()
    away.model.may_answer.set()
    for _ in range(2):
        away.pages.recap_asked.emit(away.path)
        await away.tasks.wait()
    assert [text for _, text in away.pages.recaps].count(WRITTEN) == 2
    assert away.model.times == 1
    assert away.noted == [(OperationKind.AWAY, 700, "")]  # a row of the work for each request


async def test_where_the_model_fails_what_is_stored_is_told(away: Away) -> None:
    away.model = Model(BackendBusy("Too many requests."))
    away.model.may_answer.set()
    await away.remember()
    await away.stay_away(50)
    await away.open()
    said = "wolf-7b cannot be asked right now. This is the running recap."
    assert away.pages.recaps[-1][1] == f"{said}\n\n{STORED}"


async def test_where_the_answer_is_of_no_use_the_running_recap_is_told_and_that_it_is(
    away: Away,
) -> None:
    """One quoted line of the last scene was told, without a word, beside a whole recap."""
    away.model = Model(AnswerUnusable("Without a recap."))
    away.model.may_answer.set()
    last = away.chat.story.messages[-1].anchor
    await away.remember()
    scene = SceneRecap(last, 0, "", "Ana: “Who is there?”", "", "test", 1.0)
    breaks = [SceneBreak(last, BreakOrigin.HAND)]
    store, number = away.store, away.chat.chat_id
    await store.run(lambda: store.scenes.save(number, breaks))
    await store.run(lambda: store.recaps.add_scene_recap(number, scene))
    await away.chat.refresh()
    away.pages.recap_asked.emit(away.path)
    await away.tasks.wait()
    assert away.noted == [(OperationKind.AWAY, 700, "Without a recap.")]
    said = "The answer of wolf-7b was not usable. This is the running recap."
    assert away.pages.recaps[-1][1] == f"{said}\n\n{STORED}"


@pytest.mark.pitfall(10)
async def test_who_plays_on_meanwhile_is_told_nothing(away: Away) -> None:
    away.model = Model()
    await away.stay_away(50)
    away.pages.opened.emit(away.path)
    await away.model.asked.wait()
    away.pages.moved_on.emit(away.path)
    away.model.may_answer.set()
    await away.tasks.wait()
    assert (away.told, away.pages.recaps) == ([], [])


async def test_what_the_window_was_told_a_page_that_comes_shows_too(away: Away) -> None:
    away.model = Model()
    away.model.may_answer.set()
    away.pages.are_there = False
    await away.stay_away(50)
    await away.open()
    away.pages.are_there = True
    await away.open()
    await away.open()
    assert [text for _, text in away.pages.recaps] == [WRITTEN]
    assert away.model.times == 1


async def test_playing_is_noted(away: Away, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SAVE_EVERY_SECONDS", 0.0)
    await away.stay_away(50)
    away.pages.moved_on.emit(away.path)
    await away.tasks.wait()
    assert await away.last() == pytest.approx(time.time(), abs=60)
