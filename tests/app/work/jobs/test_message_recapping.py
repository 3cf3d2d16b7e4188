"""What a model is shown of a story beside the message that it recaps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest


def recap(request: RecordedRequest) -> str:
    told = request.text.rsplit("<message>", 1)[-1]
    number = next(word for word in told.split() if word.rstrip(".").isdecimal())
    return f"Somebody told the story of number {number}"


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(recap) as running:
        yield running


@asynccontextmanager
async def opened(folder: Path, llm: FakeLlm, **settings: object) -> AsyncIterator[Companion]:
    folders = user_folders(folder / "own")
    backend = f"openai:{MODEL}@{llm.url}"
    async with open_companion(folders, llm=backend, watch=False) as companion:
        wanted = {"scene_recaps_auto": False, "message_recaps_model": True, **settings}
        for name, value in wanted.items():
            await companion.put_setting(name, value)
        yield companion


def shown(request: RecordedRequest) -> tuple[str, str]:
    """What stands before the message, and the message."""
    before, _, rest = request.text.rpartition("<context>")[2].partition("</context>")
    return before, rest


@pytest.mark.parametrize("count", [0, 2, 5])
async def test_as_many_messages_are_shown_before_one_as_the_user_wants(
    tmp_path: Path, llm: FakeLlm, count: int
) -> None:
    chat = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(9)])
    async with opened(tmp_path, llm, message_recap_history=count) as companion:
        await companion.open_story(chat)
        await companion.finished(chat)
    before = {told: context for context, told in map(shown, llm.requests)}
    (newest,) = (context for told, context in before.items() if "message 7." in told)
    assert [n for n in range(9) if f"message {n}." in newest] == list(range(7 - count, 7))


async def test_recaps_stand_for_the_messages_before_one_where_that_is_wanted(
    tmp_path: Path, llm: FakeLlm
) -> None:
    chat = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(6)])
    async with opened(tmp_path, llm, message_recap_history_as="recaps") as companion:
        await companion.open_story(chat)
        await companion.finished(chat)
        asked = len(llm.requests)
        write_chat(chat, [message(n) for n in range(7)])
        await companion.open_story(chat)
        await companion.finished(chat)
    (newest,) = llm.requests[asked:]
    context, told = shown(newest)
    assert "message 5." in told
    assert "story of number 4" in context
    assert "message 4." not in context


async def test_the_pause_between_requests_is_that_of_the_settings(
    tmp_path: Path, llm: FakeLlm
) -> None:
    async with opened(tmp_path, llm) as companion:
        assert companion.models.spacing.seconds == 0
        await companion.put_setting("request_pause", 20)
        assert companion.models.spacing.seconds == 20
