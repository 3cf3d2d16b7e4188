"""No request to a model holds what the user leaves out of messages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.companion import open_companion
from app.core.paths import user_folders
from app.views.text_offers import TextRequest
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

PANEL = "<panel>HP 93 of 120</panel>"


def answer(request: RecordedRequest) -> str:
    if "sceneBreakAt" in request.text:
        return json.dumps({"sceneBreakAt": False, "rationale": "none"})
    if "recap" in request.text and "JSON" in request.text:
        recap = {"developments": ["Somebody waits."], "open": [], "state": []}
        return json.dumps({"name": "The wait", "recap": recap})
    return "NONE"


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(answer) as running:
        yield running


@pytest.mark.parametrize("is_left_out", [False, True])
async def test_what_is_left_out_reaches_no_model(
    tmp_path: Path, llm: FakeLlm, is_left_out: bool
) -> None:
    messages = [message(n, f"Message {n} says hello.\n{PANEL}") for n in range(24)]
    chat = write_chat(tmp_path / "chat.jsonl", messages)
    folders, backend = user_folders(tmp_path / "own"), f"openai:{MODEL}@{llm.url}"
    async with open_companion(folders, llm=backend, watch=False, keeps_memory=True) as companion:
        for name, value in {
            "scene_detector": "model",
            "scene_breaks_on_load": True,
            "message_recaps_model": True,
            "memory_every": 1,
            "text_left_out": "<panel>…</panel>" if is_left_out else "",
        }.items():
            await companion.put_setting(name, value)
        await companion.open_story(chat)
        await companion.settled(chat)
        opened = companion.story(chat)
        assert opened is not None
        await companion.edits.scenes.mark(chat, opened.messages[9].anchor)
        await companion.finished(chat)
        await companion.texts.ask(chat, TextRequest.SUMMARY)
        await companion.finished(chat)
        tasks = {use.task for use in await companion.use.uses(1)}
    held = [request for request in llm.requests if "HP 93" in request.text]
    assert tasks >= {"scene_recap", "message_recap", "memory_pass", "summary", "detect_breaks"}
    assert bool(held) is not is_left_out
