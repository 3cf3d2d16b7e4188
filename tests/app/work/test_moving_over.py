"""Somebody moves over from the extension with years of data, odd ones among them, and goes back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest_asyncio

from app.companion import open_companion
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.extensions.extras_writing import INCLUDED
from app.sillytavern.extensions.running_writing import RUNNING_KEY
from app.store.store import Store
from app.story.messages import MessageRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.story.story import Story
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.recap_import import RecapImport
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern, swiped

NEW, OLD, QVINK = "auto_recap_memory", "auto_summarize_memory", "qvink_memory"


class NoPages:
    """SillyTavern is closed."""

    pages: tuple[Page, ...] = ()

    def is_paired(self, _: Path) -> bool:
        return True

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError


class Desk:
    """A program that mirrors, and the chat that it saw last."""

    def __init__(self, folder: Path, store: Store, tasks: TaskSupervisor) -> None:
        self.path = folder / "default-user" / "chats" / "Mira" / "Harbour.jsonl"
        self.path.parent.mkdir(parents=True)
        (self.path.parents[2] / "settings.json").write_text("{}")
        self.store = store
        wishes = Settings()
        wishes.put("mirror_to_chat", True)
        wishes.put("scene_breaks_auto", False)
        self.chats = OpenChats(store, counter_for(), (), wishes, tasks)
        self.mirror = Mirror(
            store, NoPages(), backups=folder / "b", debounce_seconds=0, quiet_seconds=0
        )

    async def sees(
        self, chat: list[Any], metadata: Any = None, *, name: str = "Harbour"
    ) -> OpenChat:
        self.path = self.path.with_name(f"{name}.jsonl")
        is_object = isinstance(metadata, dict) or metadata is None
        held = {"integrity": name, **(metadata or {})} if is_object else metadata
        self.path.write_bytes(jsonl([{**HEADER, "chat_metadata": held}, *chat]))
        return await self.chats.open(self.path)

    async def mirrors(self, chat: OpenChat) -> list[dict[str, Any]]:
        """What the file says after everything was written."""
        self.mirror.soon(chat)
        await self.mirror.flush()
        assert self.mirror.waiting == {}
        return [json.loads(line) for line in self.path.read_bytes().split(b"\n")]

    async def break_at(self, chat: OpenChat, index: int, name: str) -> None:
        mark = SceneBreak(chat.story.messages[index].anchor, BreakOrigin.HAND, "hand", name=name)
        await self.store.run(lambda: self.store.scenes.save(chat.chat_id, [mark]))
        await chat.refresh()


@pytest_asyncio.fixture
async def desk(tmp_path: Path, store: Store, tasks: TaskSupervisor) -> AsyncIterator[Desk]:
    made = Desk(tmp_path, store, tasks)
    yield made
    await made.mirror.aclose()


def recaps(story: Story) -> list[str]:
    """All versions of all scenes, in the order of the story."""
    return [r.text for m in story.messages for r in story.recaps.get(m.anchor, ())]


def message_recap(story: Story, index: int) -> MessageRecap:
    return story.message_recaps.get(story.messages[index].anchor, MessageRecap())


def scene(**more: Any) -> dict[str, Any]:
    return {"scene_break": True, "scene_break_visible": True, **more}


async def test_what_each_generation_left_is_there_at_first_sight(desk: Desk) -> None:
    """Both namespaces, MessageSummarize's own key, and every form of a stored recap."""
    stage1 = {"scene_name": "Quay", "stage1": {"goals": ["Find the boat."], "tone": "grim"}}
    chat = [message(n) for n in range(12)]
    chat[1]["extra"] = {QVINK: {"memory": "Of MessageSummarize.", "remember": True}}
    chat[2]["extra"] = {OLD: {"memory": "Of the first name.", "include": "short"}}
    chat[3]["extra"] = {NEW: scene(scene_recap_versions=["Plain."], scene_recap_memory="Plain.")}
    chat[5]["extra"] = {OLD: {"scene_break": True, "scene_summary_memory": "They left."}}
    chat[7]["extra"] = {NEW: scene(scene_recap_versions=["", json.dumps(stage1)])}
    chat[9]["extra"] = {NEW: scene(scene_recap_versions=[{"recap": "An object."}])}
    running = {"auto_summarize_running_scene_summaries": {
        "chat_id": "Harbour", "versions": [{"version": 0, "content": "So far.", "scene_count": 3,
                                            "new_scene_index": 7}]}}  # fmt: skip
    story = (await desk.sees(chat, running)).story
    assert message_recap(story, 1).is_remembered
    assert message_recap(story, 2).text == "Of the first name."
    assert recaps(story) == [
        "Plain.",
        "They left.",
        "GOALS\nFind the boat.\n\nTONE\ngrim",
        "An object.",
    ]
    assert [s.last for s in story.scenes if s.is_closed] == [3, 5, 7, 9]
    assert [v.content for v in story.running.versions] == ["So far."]
    assert story.running.current is not None


ODD_EXTRA: dict[str, Any] = {
    "extra is null": None,
    "extra is a list": [],
    "extra is a list of data": [{NEW: {"memory": "x"}}],
    "extra is a text": "[object Object]",
    "the namespace is null": {NEW: None},
    "the namespace is a list": {NEW: ["memory", "x"]},
    "the namespace is a text": {NEW: '{"memory": "x"}'},
    "values are of other kinds": {NEW: {"memory": ["x"], "error": {}, "edited": [], "hash": "x"}},
    "versions are a mapping": {NEW: scene(scene_recap_versions={"0": "x"})},
    "metadata are a list": {NEW: scene(scene_recap_memory="r", scene_recap_metadata=[None])},
    "times are beyond all calendars": {
        NEW: scene(
            scene_recap_memory="r",
            scene_recap_metadata={"0": {"timestamp": 1e300, "combined_at": float("nan")}},
        )
    },
    "an index without end": {NEW: scene(scene_recap_memory="r", scene_recap_current_index=10**40)},
}  # fmt: skip


async def test_odd_data_of_one_message_cost_no_other_and_stay_as_they_are(desk: Desk) -> None:
    for name, extra in ODD_EXTRA.items():
        chat = [message(n) for n in range(6)]
        chat[2]["extra"] = extra
        chat[3]["extra"] = {NEW: {"memory": "Beside it.", "include": INCLUDED}}
        opened = await desk.sees(chat, name=name)
        assert message_recap(opened.story, 3).text == "Beside it.", name
        before = desk.path.read_bytes().split(b"\n")
        await desk.mirrors(opened)
        assert desk.path.read_bytes().split(b"\n") == before, name
        # What is done there is kept here, and written where there is a place for it.
        await desk.break_at(opened, 2, "Quay")
        await desk.break_at(opened, 4, "Mill")
        lines = await desk.mirrors(opened)
        assert [s.last for s in opened.story.scenes if s.is_closed] == [2, 4], name
        assert lines[5]["extra"][NEW]["scene_break_name"] == "Mill", name
        after = desk.path.read_bytes().split(b"\n")
        assert [n for n in range(7) if after[n] != before[n] and n not in (3, 5)] == [], name
        has_place = extra is None or (
            isinstance(extra, dict) and (extra[NEW] is None or isinstance(extra[NEW], dict))
        )
        assert (after[3] != before[3]) is has_place, name


ODD_RUNNING: dict[str, Any] = {
    "no versions": {"chat_id": "no versions", "current_version": 0},
    "versions are a mapping": {"versions": {"0": {"content": "x"}}},
    "numbers and times without end": {
        "chat_id": "numbers and times without end",
        "current_version": 10**30,
        "versions": [
            {"version": 10**30, "content": "x", "timestamp": 10**400, "prev_scene_index": -5},
            {"version": 1, "content": "y", "timestamp": 9e15, "scene_count": 10**25},
        ],
    },
    "a list": [],
    "a text": "gone",
}


async def test_an_odd_running_recap_is_survived_and_stays(desk: Desk) -> None:
    for name, stored in ODD_RUNNING.items():
        opened = await desk.sees([message(n) for n in range(4)], {RUNNING_KEY: stored}, name=name)
        before = desk.path.read_bytes()
        known = [version.content for version in opened.story.running.versions]
        assert known == (["x", "y"] if "without end" in name else []), name
        await desk.mirrors(opened)
        assert desk.path.read_bytes() == before, name


async def test_metadata_of_another_kind_are_survived(desk: Desk) -> None:
    kinds: tuple[Any, ...] = ([], "x", 7)
    for metadata in kinds:
        opened = await desk.sees([message(n) for n in range(4)], metadata, name=repr(metadata))
        await desk.break_at(opened, 2, "Quay")
        lines = await desk.mirrors(opened)
        assert lines[0]["chat_metadata"] == metadata
        assert lines[3]["extra"][NEW]["scene_break_name"] == "Quay"


async def test_swipes_that_lack_their_data_are_survived(desk: Desk) -> None:
    """Missing swipe data, fewer than swipes, more than swipes, and a swipe that is not there."""
    chat = [message(0)]
    for number in range(1, 6):
        chat.append(swiped(number, "one", "two", "three", shown=1))
        chat[-1]["extra"] = {NEW: {"memory": f"of {number}", "include": INCLUDED}}
    del chat[1]["swipe_info"]
    chat[2]["swipe_info"] = [{"extra": {NEW: {"memory": "of the first"}}}]
    chat[3]["swipe_info"] += [None, {"extra": None}, {"extra": {NEW: {"memory": "beyond"}}}]
    chat[4]["swipe_id"] = 17
    chat[5]["swipe_info"][0] = {"extra": [], "send_date": None}
    opened = await desk.sees(chat)
    before = desk.path.read_bytes()
    assert [message_recap(opened.story, n).text for n in range(6)] == [
        *("", "of 1", "of 2", "of 3", "of 4", "of 5"),
    ]
    await desk.mirrors(opened)
    assert desk.path.read_bytes() == before
    for number in range(1, 6):
        await desk.break_at(opened, number, f"Scene {number}")
    lines = await desk.mirrors(opened)
    assert [line["extra"][NEW]["memory"] for line in lines[2:]] == [f"of {n}" for n in range(1, 6)]
    assert all(line["extra"][NEW]["scene_break"] for line in lines[2:])
    assert "swipe_info" not in lines[2]  # SillyTavern's own are never made
    assert lines[6]["swipe_info"][0]["extra"] == []
    again = [line["swipe_info"][0]["extra"] for line in lines[3:6]]
    assert all(extra[NEW]["scene_break"] for extra in again)


async def test_a_huge_recap_comes_and_goes_whole(desk: Desk) -> None:
    huge = "She crossed the ford. " * 50_000
    chat = [message(n) for n in range(4)]
    chat[1]["extra"] = {NEW: {"memory": huge}}
    chat[2]["extra"] = {NEW: scene(scene_recap_memory=huge, scene_recap_versions=[huge])}
    opened = await desk.sees(chat)
    assert message_recap(opened.story, 1).text == huge
    assert recaps(opened.story) == [huge]
    before = desk.path.read_bytes()
    await desk.mirrors(opened)
    assert desk.path.read_bytes() == before


async def test_who_goes_back_finds_old_recaps_beside_what_was_done_here(desk: Desk) -> None:
    """The extension of today reads its new namespace alone (spec/auto-recap.md §1.1)."""
    old = {
        "scene_break": True,
        "scene_summary_memory": "two",
        "scene_summary_versions": ["one", "two"],
        "scene_summary_current_index": 1,
        "scene_summary_metadata": {"1": {"timestamp": 5, "combined_at": 6}},
    }
    chat = [message(n) for n in range(6)]
    chat[3]["extra"] = {OLD: old}
    opened = await desk.sees(chat)
    await desk.break_at(opened, 3, "Quay")
    line = (await desk.mirrors(opened))[4]
    new = line["extra"][NEW]
    assert line["extra"][OLD] == old
    assert new["scene_break_name"] == "Quay"
    assert (new["scene_recap_memory"], new["scene_break_recap"]) == ("two", "two")
    assert (new["scene_recap_versions"], new["scene_recap_current_index"]) == (["one", "two"], 1)
    assert new["scene_recap_metadata"]["1"]["combined_at"] == 6
    before = desk.path.read_bytes()
    await opened.read()
    await desk.mirrors(opened)
    assert desk.path.read_bytes() == before
    assert recaps(opened.story) == ["one", "two"]


async def test_what_the_extension_wrote_later_is_taken_in_when_asked_and_undone(
    tmp_path: Path,
) -> None:
    """Somebody looked at the chat here, played on with the extension, and comes back."""
    path = tmp_path / "Harbour.jsonl"
    chat = [message(n) for n in range(12)]
    chat[2]["extra"] = {NEW: scene(scene_recap_versions=["First."], scene_recap_memory="First.")}
    stored = {"version": 0, "content": "So far.", "scene_count": 1, "new_scene_index": 2}
    running = {"chat_id": "Harbour", "current_version": 0, "versions": [stored]}
    header = {**HEADER, "chat_metadata": {**HEADER["chat_metadata"], RUNNING_KEY: running}}
    path.write_bytes(jsonl([header, *chat]))
    async with open_companion(user_folders(tmp_path / "own"), watch=False) as program:
        for made in ("scene_breaks", "scene_recaps", "running_recap", "message_recaps"):
            await program.put_setting(f"{made}_auto", False)
        story = await program.open_story(path)
        extension, anchors = program.edits.extension, [m.anchor for m in story.messages]
        assert not await extension.found(path)
        await program.edits.edit_running_recap(path, "By hand, here.")
        await program.edits.messages.edit(path, anchors[4], "My own.")
        chat[2]["extra"][NEW] |= {
            "scene_recap_versions": ["First.", "Second."],
            "scene_recap_memory": "Second.",
            "scene_recap_current_index": 1,
        }
        chat[6]["extra"] = {NEW: scene(scene_break_name="Mill", scene_recap_memory="They left.")}
        chat[4]["extra"] = {NEW: {"memory": "Theirs.", "edited": True}}
        chat[5]["extra"] = {NEW: {"memory": "Theirs, too.", "edited": True}}
        later = {"version": 1, "content": "Later.", "scene_count": 2, "new_scene_index": 6}
        running |= {"current_version": 1, "versions": [stored, later]}
        save_like_sillytavern(path, jsonl([header, *chat]))
        before = await program.open_story(path)
        found = await extension.found(path)
        assert found.parts == (
            *("1 scene break", "2 scene recaps", "1 running recap", "1 message recap"),
        )
        assert program.story(path) == before, "nothing is taken in unasked"
        assert (await extension.take_in(path)).parts == found.parts
        after = program.story(path)
        assert after is not None
        assert [s.last for s in after.scenes if s.is_closed] == [2, 6]
        assert recaps(after) == ["First.", "Second.", "They left."]
        told = after.scene_recap(after.scenes[0])
        assert told is not None
        assert told.text == "Second."
        assert [v.content for v in after.running.versions] == [
            *("So far.", "By hand, here.", "Later."),
        ]
        assert after.running.current == after.running.versions[-1]
        assert message_recap(after, 4).text == "My own."
        assert message_recap(after, 5).text == "Theirs, too."
        assert not await extension.found(path)
        assert await program.edits.undo(path) == "import what ST-Auto-Recap wrote"
        assert program.story(path) == before


async def test_what_was_put_away_here_is_not_offered_again(desk: Desk) -> None:
    chat = [message(n) for n in range(6)]
    chat[3]["extra"] = {NEW: scene(scene_recap_memory="They met.", memory="A message.")}
    stored = {"version": 0, "content": "So far.", "scene_count": 1, "new_scene_index": 3}
    opened = await desk.sees(chat, {RUNNING_KEY: {"chat_id": "Harbour", "versions": [stored]}})
    clear = partial(desk.store.clearing.clear, opened.chat_id)
    await desk.store.run_undoable(opened.chat_id, "clear", clear)
    await desk.chats.refresh(opened)

    async def do(*_: object) -> None:
        raise AssertionError

    extension = RecapImport(desk.store, desk.chats, do)
    assert not await extension.take_in(desk.path)
