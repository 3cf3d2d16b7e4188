"""A model's reasoning is split off, kept with the message recap, and never part of it."""

from __future__ import annotations

from pathlib import Path

from app.companion import open_companion
from app.core.paths import user_folders
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm

THOUGHTS = "The message tells of a lamp."


async def test_reasoning_is_kept_with_the_recap_and_goes_with_an_edit(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(3)])
    reply = f"<think>{THOUGHTS}</think>Mira lights the lamp."
    with FakeLlm(lambda request: reply) as model:
        async with open_companion(
            user_folders(tmp_path / "own data"), llm=f"openai:{MODEL}@{model.url}", watch=False
        ) as companion:
            story = await companion.open_story(path)
            anchors = [m.anchor for m in story.messages[:2]]
            await companion.edits.messages.write(path, anchors)
            story, failures = await companion.finished(path)
            assert not failures
            recaps = [story.message_recaps[anchor] for anchor in anchors]
            assert [recap.text for recap in recaps] == ["Mira lights the lamp."] * 2
            assert [recap.reasoning for recap in recaps] == [THOUGHTS] * 2
            await companion.edits.messages.edit(path, anchors[0], "She lights it.")
            edited = companion.story(path)
            assert edited is not None
            assert edited.message_recaps[anchors[0]].reasoning == ""
            await companion.edits.undo(path)
            assert companion.story(path) == story
