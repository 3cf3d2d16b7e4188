"""The end of a scene is moved and moved back: what told of it before tells of it again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.companion import open_companion
from app.core.paths import user_folders
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest


def told(request: RecordedRequest) -> str:
    """A recap that names the last message that it is of, and a fold that adds it."""
    numbers = re.findall(r"no\. (\d+)", request.text.rpartition("<scene>")[2] or request.text)
    last = numbers[-1] if numbers else "?"
    return f'{{"name": "To {last}", "recap": {{"developments": ["They came to mile {last}."]}}}}'


@pytest.mark.parametrize("step", [1, -1])
async def test_after_undo_the_running_recap_has_the_versions_that_it_had(
    tmp_path: Path, step: int
) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(60)])
    with FakeLlm(told) as llm:
        spec = f"openai:{MODEL}@{llm.url}"
        async with open_companion(user_folders(tmp_path / "own"), llm=spec, watch=False) as one:
            for name in ("scene_breaks_auto", "memory_auto", "message_recaps_model"):
                one.settings.put(name, False)
            one.settings.put("scene_detector", "heuristic")
            story = await one.open_story(path)
            ends = [story.messages[at].anchor for at in (12, 24, 36, 48)]
            for end in ends:
                await one.edits.scenes.mark(path, end)
            before = await one.settled(path)
            at = before.places[ends[2]]
            await one.edits.scenes.move(path, ends[2], before.messages[at + step].anchor)
            moved = await one.settled(path)
            await one.edits.undo(path)
            after = await one.settled(path)
            assert before.running.current is not None
            assert after.running.current == before.running.current
            asked = len(llm.requests)
            await one.edits.redo(path)
            again = await one.settled(path)
            assert again.running.current == moved.running.current
            assert len(llm.requests) == asked
