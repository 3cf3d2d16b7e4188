"""What a server refused is tried again as soon as there is reason to think that it takes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from tests.fakes import MODEL, FakeLlm, Wire
from tests.labelled import WrittenTavern

GOOD = "Bearer the-new-one"
TOLD = "Ada slept at the miller's."


def refuse(wire: Wire) -> None:
    wire.head(401, "application/json")
    wire.send(b'{"error": {"message": "Incorrect API key provided"}}')


@pytest.fixture
def model() -> Iterator[FakeLlm]:
    with FakeLlm(lambda request: TOLD if request.key == GOOD else refuse) as running:
        yield running


@pytest.fixture(params=[1, 2], ids=["one was refused", "it paused"])
async def companion(
    request: pytest.FixtureRequest, model: FakeLlm, demo_tavern: WrittenTavern, tmp_path: Path
) -> AsyncIterator[Companion]:
    """Recaps of messages were refused, for a key that is wrong."""
    folders = user_folders(tmp_path / "own")
    async with open_companion(
        folders, tavern=demo_tavern.user_folder.parent, watch=False, asks_first=True
    ) as running:
        await running.models.keep_key(model.url, "the-old-one")
        await running.put_setting("backend", f"openai:{MODEL}@{model.url}")
        story = await running.open_story(demo_tavern.chat)
        anchors = [message.anchor for message in story.messages[: request.param]]
        await running.edits.messages.write(demo_tavern.chat, anchors)
        async with asyncio.timeout(10):
            while running.work.failed(demo_tavern.chat) < len(anchors):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert running.work.missing_key
        yield running


async def done(companion: Companion, path: Path) -> None:
    async with asyncio.timeout(10):
        while companion.work.failed(path) or companion.work.missing_key:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        while not (recaps := recapped(companion, path)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert set(recaps) == {TOLD}
    assert not companion.work.is_paused


def recapped(companion: Companion, path: Path) -> list[str]:
    story = companion.story(path)
    assert story is not None
    is_done = all(op.finished for op in companion.work.operations)
    return [recap.text for recap in story.message_recaps.values()] if is_done else []


async def test_another_key_is_tried_at_once(
    companion: Companion, model: FakeLlm, demo_tavern: WrittenTavern
) -> None:
    """The queue stood still until one pressed "Go on", and the words stayed."""
    await companion.models.keep_key(model.url, "the-new-one")
    await done(companion, demo_tavern.chat)


async def test_a_test_that_goes_well_lets_what_was_refused_be_tried(
    companion: Companion, model: FakeLlm, demo_tavern: WrittenTavern
) -> None:
    model.reply = lambda _: TOLD  # the server takes the old one again
    trial = await companion.models.test(companion.models.spec)
    assert not trial.error
    await done(companion, demo_tavern.chat)


async def test_another_model_is_asked_what_one_refused(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    with FakeLlm(lambda _: TOLD) as other:
        await companion.put_setting("backend", f"openai:{MODEL}@{other.url}")
        await done(companion, demo_tavern.chat)


@pytest.mark.parametrize("companion", [1], indirect=True)
async def test_who_paused_the_work_has_it_paused_still(
    companion: Companion, model: FakeLlm
) -> None:
    companion.work.pause()
    await companion.models.keep_key(model.url, "the-new-one")
    assert companion.work.is_paused
    assert companion.work.missing_key == ""
