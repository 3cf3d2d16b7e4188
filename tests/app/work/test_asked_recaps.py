"""Message recaps that the user asks for: what they take is known first; undo takes them back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.model_use import Prices
from app.core.operations import FINISHED, Operation
from app.core.paths import user_folders
from app.settings.program import ProgramSettings
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm

COUNT = 30


@pytest.fixture
async def companion(tmp_path: Path) -> AsyncIterator[Companion]:
    write_chat(chat_of(tmp_path), [message(number) for number in range(COUNT)])
    with FakeLlm(lambda _request: "They talked at the quay.") as llm:
        async with open_companion(
            user_folders(tmp_path / "own"), llm=f"openai:{MODEL}@{llm.url}", watch=False
        ) as running:
            running.settings.put("scene_detector", "heuristic")
            running.settings.put("memory_auto", False)
            running.settings.put("message_recaps_model", False)
            running.work.pause()
            await running.open_story(chat_of(tmp_path))
            yield running


def chat_of(folder: Path) -> Path:
    return folder / "chat.jsonl"


def waiting(companion: Companion) -> list[Operation]:
    return [
        op
        for op in companion.work.operations
        if op.status not in FINISHED and op.spec.kind.value == "message_recap"
    ]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(15):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_what_many_recaps_take_is_known_before(companion: Companion, tmp_path: Path) -> None:
    path = chat_of(tmp_path)
    assert ProgramSettings(companion.settings).price_prompt_tokens == 0
    cost = companion.command_costs.of_messages(path)
    missing = companion.edits.messages.missing(path)
    assert cost.requests == missing > COUNT // 2
    assert cost.price is None
    story = companion.story(path)
    assert story is not None
    assert cost.prompt_tokens > sum(story.message_tokens)
    await companion.put_setting("price_prompt_tokens", 2.0)
    dear = companion.command_costs.of_messages(path)
    assert dear.price == Prices(2.0).of(dear.prompt_tokens, dear.output_tokens)
    one = companion.command_costs.of_messages(path, [story.messages[3].anchor])
    assert (one.requests, one.tokens < cost.tokens) == (1, True)


async def test_what_one_command_asked_for_is_dropped_alone(
    companion: Companion, tmp_path: Path
) -> None:
    """To drop these, all that waited had to go."""
    path = chat_of(tmp_path)
    story = companion.story(path)
    assert story is not None
    await companion.edits.messages.write(path, [story.messages[3].anchor])
    (first,) = waiting(companion)
    await companion.edits.messages.write_missing(path)
    many = [op for op in waiting(companion) if op.id != first.id]
    assert companion.work.asked_with(many[0]) == len(many) > COUNT // 2
    assert companion.work.asked_with(first) == 1
    cleared = await companion.work.clear_asked_with(many[0])
    assert [op.id for op in waiting(companion)] == [first.id]
    assert len(cleared.operations) == len(many)
    await companion.work.put_back(cleared)
    assert len(waiting(companion)) == len(many) + 1


async def test_undo_takes_recaps_that_wait_out_of_the_queue(
    companion: Companion, tmp_path: Path
) -> None:
    """They went on, each of them paid for, after "Undone: new message recaps"."""
    path = chat_of(tmp_path)
    story = companion.story(path)
    assert story is not None
    await companion.edits.scenes.mark(path, story.messages[20].anchor)
    await companion.edits.messages.write_missing(path)
    asked = len(waiting(companion))
    assert asked > COUNT // 2
    assert waiting(companion)[-1].spec.label == "Recap of #0"
    assert (await companion.edits.undo_labels(path))[0] == "new message recaps"
    assert await companion.edits.undo(path) == "new message recaps"
    assert waiting(companion) == []
    shown = companion.story(path)
    assert shown is not None
    assert story.messages[20].anchor in shown.breaks  # and nothing older
    await companion.edits.messages.write_missing(path)
    companion.work.resume()
    await until(lambda: len(waiting(companion)) < asked - 2)
    assert await companion.edits.undo(path) == "new message recaps"
    await until(lambda: waiting(companion) == [])
    await companion.settled(path)
    shown = companion.story(path)
    assert shown is not None
    assert not any(recap.text for recap in shown.message_recaps.values())
    assert story.messages[20].anchor in shown.breaks
