"""A change by hand that is taken back at once costs nothing; what asks nobody waits for nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.operations import FINISHED
from app.core.paths import user_folders
from app.work.queue import patience
from app.work.queue.patience import BEGINS_SOON
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm

RECAP = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})
LONG = 3600.0


@asynccontextmanager
async def opened(folder: Path, llm: str) -> AsyncIterator[tuple[Companion, Path, str]]:
    """A companion in a window's hands, a chat, and the message that is to end its first scene."""
    path = write_chat(folder / "chat.jsonl", [message(number) for number in range(30)])
    own = user_folders(folder / "own")
    async with open_companion(own, llm=llm, watch=False, asks_first=True) as companion:
        for name in ("scene_breaks_auto", "memory_auto", "message_recaps_model"):
            companion.settings.put(name, False)
        companion.settings.put("scene_detector", "heuristic")
        story = await companion.open_story(path)
        await companion.settled(path)
        yield companion, path, story.messages[12].anchor


@asynccontextmanager
async def asking(folder: Path) -> AsyncIterator[tuple[FakeLlm, Companion, Path, str]]:
    """The same with a model that answers."""
    with FakeLlm(lambda _: RECAP) as llm:
        async with opened(folder, f"openai:{MODEL}@{llm.url}") as (companion, path, anchor):
            yield llm, companion, path, anchor


@pytest.fixture
def waits_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is changed by hand waits longer than the test takes."""
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", LONG)


def waiting(companion: Companion) -> list[str]:
    return [op.held for op in companion.work.operations if op.status not in FINISHED]


@pytest.mark.usefixtures("waits_long")
async def test_a_break_that_is_taken_back_at_once_is_asked_of_nobody(tmp_path: Path) -> None:
    """A mistaken click was paid for, though it was taken back a second later."""
    async with asking(tmp_path) as (llm, companion, path, anchor):
        await companion.edits.scenes.mark(path, anchor)
        assert waiting(companion) == [BEGINS_SOON]
        await companion.edits.undo(path)
        assert companion.work.operations == ()
        await companion.settled(path)
        await companion.edits.redo(path)
        assert waiting(companion) == [BEGINS_SOON]
    assert not llm.requests


async def test_what_is_left_as_it_is_begins_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.3)
    async with asking(tmp_path) as (_, companion, path, anchor):
        await companion.edits.scenes.mark(path, anchor)
        story = await companion.settled(path)
    assert story.recaps[anchor]


@pytest.mark.usefixtures("waits_long")
async def test_what_the_user_asks_for_does_not_wait_for_that(tmp_path: Path) -> None:
    async with asking(tmp_path) as (llm, companion, path, anchor):
        await companion.edits.scenes.mark(path, anchor)
        await companion.edits.redo_scene_recap(path, anchor)
        await asyncio.to_thread(llm.wait_for_request, 0)


@pytest.mark.usefixtures("waits_long")
async def test_without_a_model_a_change_is_followed_at_once(tmp_path: Path) -> None:
    async with opened(tmp_path, "builtin") as (companion, path, anchor):
        await companion.edits.scenes.mark(path, anchor)
        story = await companion.settled(path)
    assert story.recaps[anchor]


async def test_a_break_that_is_moved_step_by_step_is_recapped_once_where_it_comes_to_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step was paid for."""
    async with asking(tmp_path) as (llm, companion, path, anchor):
        monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.3)
        await companion.edits.scenes.mark(path, anchor)
        story = await companion.settled(path)
        before = len(llm.requests)
        monkeypatch.setattr(patience, "PATIENCE_SECONDS", LONG)
        places = [story.messages[at].anchor for at in (12, 13, 14, 15)]
        for old, new in pairwise(places):
            await companion.edits.scenes.move(path, old, new)
            assert set(waiting(companion)) == {BEGINS_SOON}
        assert len(llm.requests) == before
        monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.3)
        await companion.edits.scenes.move(path, places[-1], places[1])
        story = await companion.settled(path)
        assert len(llm.requests) == before + 1
        assert len(story.recaps[places[1]]) == 2
