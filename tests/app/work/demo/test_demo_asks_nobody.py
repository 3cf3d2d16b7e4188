"""The demo story is there to look around in: no model is asked until somebody wants it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.operations import OperationKind, OperationStatus
from app.core.paths import user_folders
from app.views.text_offers import TextRequest
from tests.fakes import MODEL, FakeLlm


@pytest.fixture
def model() -> Iterator[FakeLlm]:
    with FakeLlm() as llm:
        yield llm


@pytest.fixture
async def companion(tmp_path: Path, model: FakeLlm) -> AsyncIterator[Companion]:
    for name in ("chats", "characters"):
        (tmp_path / "data" / "default-user" / name).mkdir(parents=True)
    async with open_companion(
        user_folders(tmp_path / "own"),
        tavern=tmp_path / "data",
        llm=f"openai:{MODEL}@{model.url}",
        watch=False,
        asks_first=True,
        keeps_memory=True,
    ) as opened:
        yield opened


def open_kinds(companion: Companion) -> set[OperationKind]:
    pending = OperationStatus.PENDING
    return {op.spec.kind for op in companion.work.operations if op.status is pending}


async def test_looking_at_the_demo_asks_no_model(companion: Companion, model: FakeLlm) -> None:
    """Four texts were asked for at once, each of a model that may cost money."""
    await companion.open_story(companion.demo.path)
    await companion.settled(companion.demo.path)
    assert companion.work.to_do == 0
    assert not model.requests


async def test_what_is_started_in_the_demo_is_done(companion: Companion) -> None:
    companion.work.pause()
    path = companion.demo.path
    story = await companion.open_story(path)
    await companion.texts.ask(path, TextRequest.SUMMARY)
    assert open_kinds(companion) == {OperationKind.SUMMARY}
    anchor = story.scenes[0].closing
    assert anchor is not None
    await companion.edits.redo_scene_recap(path, anchor.anchor)
    assert open_kinds(companion) == {OperationKind.SUMMARY, OperationKind.SCENE_RECAP}


async def test_a_catch_up_of_the_demo_begins_at_a_word(companion: Companion) -> None:
    companion.work.pause()
    path = companion.demo.path
    await companion.open_story(path)
    await companion.edits.clear_all(path)
    assert OperationKind.SCENE_RECAP not in open_kinds(companion)
    assert companion.work.catch_up(path) is not None
    await companion.work.start_catch_up(path)
    assert OperationKind.SCENE_RECAP in open_kinds(companion)
