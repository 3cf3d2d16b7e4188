"""The examples of seed 003, each on a chat that is looked after and mirrored."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.sillytavern.chat_line import LineDecoder
from app.sillytavern.extensions.extras_writing import (
    CLEARED_GROUP,
    INCLUDED,
    NAMESPACE,
    message_values,
)
from app.sillytavern.extensions.message_extras import message_recap, scene_extra
from app.story.inclusion import Inclusion, InclusionState
from app.story.message_data import Mark
from app.story.messages import MessageRecap
from tests.chat_files import jsonl, message, write_chat

NO_RECAP = {key: value for key, value in CLEARED_GROUP.items() if key != "include"}


def block_of(recap: MessageRecap, state: InclusionState | None = None, **held: Any) -> Any:
    """What stands in `extra` after the recap is mirrored."""
    raw = jsonl([message(1, "Test", extra={NAMESPACE: held} if held else {})])
    line, _ = LineDecoder().decode(raw)
    told = None if state is None else Inclusion(state, "")
    return {**held, **message_values(line, recap, told)}


def read_back(block: dict[str, Any]) -> MessageRecap | None:
    line, _ = LineDecoder().decode(jsonl([message(1, "Test", extra={NAMESPACE: block})]))
    return message_recap(line)


def test_pattern_1_a_recap_is_stored_with_its_reasoning_and_without_an_error() -> None:
    block = block_of(MessageRecap("The recap.", reasoning="Because."), error="No answer.")
    assert (block["memory"], block["reasoning"], block["error"]) == ("The recap.", "Because.", None)


def test_pattern_2_a_recap_is_read_with_whether_it_counts() -> None:
    text = "Alice entered the library."
    block = block_of(MessageRecap(text), InclusionState.INCLUDED)
    assert (block["memory"], block["include"]) == (text, INCLUDED)
    assert read_back(block) == MessageRecap(text)


def test_pattern_3_what_is_null_and_what_was_never_set_are_no_recap() -> None:
    assert read_back({"memory": None, "error": None}) is None
    assert read_back({}) is None


def test_pattern_4_the_state_of_a_scene_break_is_read() -> None:
    held = {"scene_break": True, "scene_break_visible": True, "scene_break_name": "Chapter 2"}
    line, _ = LineDecoder().decode(jsonl([message(1, extra={NAMESPACE: held})]))
    extra = scene_extra(line)
    assert extra is not None
    assert (extra.is_break, extra.is_visible, extra.name) == (True, True, "Chapter 2")


def test_pattern_5_clearing_leaves_the_six_values_of_no_recap() -> None:
    held: dict[str, Any] = {
        "memory": "r",
        "reasoning": "b",
        "prefill": "p",
        "edited": True,
        "exclude": True,
    }
    assert block_of(MessageRecap(), **held) == NO_RECAP


def test_get_memory_gives_the_prefill_before_the_recap() -> None:
    found = read_back({"memory": "Alice entered the library.", "prefill": "In this scene: "})
    assert found is not None
    whole = found.shown_text(with_prefill=True)
    assert whole == "In this scene: Alice entered the library."


@pytest_asyncio.fixture
async def companion(tmp_path: Path) -> AsyncIterator[Companion]:
    async with open_companion(user_folders(tmp_path / "own data"), watch=False) as opened:
        yield opened


async def test_edit_memory_and_clear_memory(companion: Companion, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(3)])
    story = await companion.open_story(path)
    await companion.settled(path)
    anchor, edits = story.messages[1].anchor, companion.edits.messages

    def recap() -> MessageRecap:
        story = companion.story(path)
        assert story is not None
        return story.message_recaps[anchor]

    await edits.edit(path, anchor, "Corrected recap text...")
    edited = recap()
    assert (edited.text, edited.is_edited, edited.error) == ("Corrected recap text...", True, "")
    await edits.clear(path, [anchor])
    assert block_of(recap(), memory="Corrected recap text...", edited=True) == NO_RECAP


@pytest.mark.weakness(1)
async def test_what_is_done_within_a_second_is_one_save(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(3)])
    async with open_companion(user_folders(tmp_path / "own data")) as companion:
        await companion.put_setting("message_recaps_auto", False)
        await companion.put_setting("mirror_to_chat", True)
        story = await companion.open_story(path)
        anchors, edits = [m.anchor for m in story.messages], companion.edits.messages
        await companion._mirror.flush()
        before = path.read_bytes()
        await edits.edit(path, anchors[1], "Recap of it.")
        await edits.mark(path, anchors[2:], Mark.EXCLUDED)
        assert path.read_bytes() == before
        await companion._mirror.flush()
        *_, second, third = map(json.loads, path.read_bytes().split(b"\n"))
        assert second["extra"][NAMESPACE]["memory"] == "Recap of it."
        assert third["extra"][NAMESPACE]["exclude"] is True
        kept = list((companion.folders.backups / "chats").iterdir())
        assert len(kept) == 1, "one copy before each save"


async def test_what_is_known_survives_a_restart(tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", [message(n) for n in range(3)])
    before = []
    for _ in range(2):
        async with open_companion(user_folders(tmp_path / "own data"), watch=False) as companion:
            await companion.open_story(path)
            before.append((await companion.settled(path)).message_recaps)
    assert before[0] == before[1] != {}
