"""There and back: imported, mirrored and imported again it is the same, in file and memory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.extensions.string_hash import recap_hash, string_hashes
from app.store.store import Store
from app.story.messages import MessageRecap
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.story.story import Story
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from tests.chat_files import HEADER, jsonl, message, swiped

NEW, OLD = "auto_recap_memory", "auto_summarize_memory"
INCLUDED = "Recap of message(s)"


class NoPages:
    """SillyTavern is closed."""

    pages: tuple[Page, ...] = ()

    def is_paired(self, _: Path) -> bool:
        return True

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        raise AssertionError


Look = Callable[[], Awaitable[tuple[OpenChat, Store, Mirror]]]


@pytest_asyncio.fixture
async def look(tmp_path: Path, tasks: TaskSupervisor) -> AsyncIterator[Look]:
    """See the chat for the first time, each time with an empty memory."""
    settings = Settings()
    settings.put("mirror_to_chat", True)
    settings.put("scene_breaks_auto", False)
    opened: list[tuple[Store, Mirror]] = []

    async def first_sight() -> tuple[OpenChat, Store, Mirror]:
        store = Store(tmp_path / f"memory {len(opened)}.sqlite3")
        await store.open()
        chats = OpenChats(store, counter_for(), (), settings, tasks)
        mirror = Mirror(
            store, NoPages(), backups=tmp_path / "b", debounce_seconds=0, quiet_seconds=0
        )
        opened.append((store, mirror))
        return await chats.open(path_in(tmp_path)), store, mirror

    yield first_sight
    for store, mirror in opened:
        await mirror.aclose()
        await store.aclose()


def path_in(folder: Path) -> Path:
    return folder / "default-user" / "chats" / "Mira" / "Harbour.jsonl"


def write(folder: Path, chat: list[dict[str, Any]], metadata: dict[str, Any]) -> Path:
    path = path_in(folder)
    path.parent.mkdir(parents=True)
    (path.parents[2] / "settings.json").write_text("{}")
    header = {**HEADER, "chat_metadata": {**HEADER["chat_metadata"], **metadata}}
    path.write_bytes(jsonl([header, *chat]))
    return path


async def mirror_now(mirror: Mirror, chat: OpenChat) -> None:
    mirror.soon(chat)
    await mirror.flush()
    assert mirror.waiting == {}


def knowledge(story: Story) -> Any:
    """What is known, without who says so and when."""
    return (
        {a: (b.name, b.is_visible, b.is_collapsed) for a, b in story.breaks.items()},
        {
            anchor: [(r.text, r.is_current, r.source_digest) for r in recaps]
            for anchor, recaps in story.recaps.items()
        },
        [(v.version, v.content, v.scene_count, v.first_anchor, v.last_anchor)
         for v in story.running.versions],
        story.running.current_version,
        {
            anchor: (r.text, r.is_excluded, r.is_remembered, r.is_edited, r.error)
            for anchor, r in story.message_recaps.items()
        },
    )  # fmt: skip


def extension_chat() -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """A chat as several versions of the extension left it, with odd things in it."""
    chat = [swiped(n, f"Reply {n}.", f"Other {n}.", shown=n % 4 // 2) if n % 2 else message(n)
            for n in range(20)]  # fmt: skip
    stage3 = {"developments": ["They met."], "open": "Why?", "x": 1.0}
    stored = json.dumps({"scene_name": "Quay", "stage1": {"sn": "Quay"}, "stage3": stage3})
    chat[5]["extra"][NEW] = {
        "scene_break": True, "scene_break_visible": True, "scene_break_name": "Quay 0-5",
        "scene_break_collapsed": True, "scene_break_recap": stored, "scene_recap_memory": stored,
        "scene_recap_versions": ["", stored], "scene_recap_current_index": 1,
        "scene_recap_hash": recap_hash(stored), "auto_scene_break_checked": True,
        "scene_recap_metadata": {"1": {"timestamp": 5, "startIdx": 0, "endIdx": 5, "entries": [1]}},
    }  # fmt: skip
    chat[9]["extra"][OLD] = {"scene_break": True, "scene_summary_memory": "They left.",
                             "memory": "Old.", "hash": str(string_hashes([chat[9]["mes"]])[0]),
                             "include": "Summary of message(s)"}  # fmt: skip
    chat[12]["extra"][NEW] = {"scene_break": True, "scene_break_visible": False}
    chat[13]["extra"][NEW] = {
        "memory": "Short.", "include": INCLUDED, "exclude": False, "error": None, "edited": True,
    }  # fmt: skip
    chat[15]["extra"][NEW] = {"memory": None, "error": "No answer.", "include": None}
    chat[16]["extra"][NEW] = {"include": None, "exclude": True}
    metadata = {
        "auto_lorebooks": {"registry": {}},
        "auto_recap_running_scene_recaps": {
            "chat_id": "Harbour",
            "current_version": 3,
            "versions": [
                {"version": 1, "timestamp": 1764900000000, "content": "Before.", "scene_count": 1,
                 "excluded_count": 1, "prev_scene_index": 0, "new_scene_index": 5,
                 "event_keys": ["0:Ford:x1"]},
                {"version": 3, "content": "So far.", "scene_count": 2, "exclude_count": 1,
                 "prev_scene_index": 5, "new_scene_index": 9, "timestamp": 1764900000001},
            ],
        },
    }  # fmt: skip
    return chat, metadata


@pytest.mark.weakness(9, 57)
async def test_a_chat_of_the_extension_stays_byte_for_byte(look: Look, tmp_path: Path) -> None:
    path = write(tmp_path, *extension_chat())
    before = path.read_bytes()
    chat, _, mirror = await look()
    assert len(chat.story.recaps) == 2
    assert len(chat.story.running.versions) == 2
    await mirror_now(mirror, chat)
    assert path.read_bytes() == before
    assert knowledge((await look())[0].story) == knowledge(chat.story)


async def test_what_we_added_to_a_chat_of_the_extension_comes_back(
    look: Look, tmp_path: Path
) -> None:
    path = write(tmp_path, *extension_chat())
    chat, store, mirror = await look()
    story, number = chat.story, chat.chat_id
    headed = "DEVELOPMENTS\nThey met.\n\nOPEN\nWhy?\n\nSTATE\nIt rains.\n\nRESOLVED\nHow."
    anchors = [message.anchor for message in story.messages]

    def unit() -> None:
        for last, text in ((5, headed), (17, "They sat down.")):
            mark = SceneBreak(anchors[last], BreakOrigin.HAND, "hand", name=f"Scene to {last}")
            store.scenes.save(number, [mark])
            recap = SceneRecap(anchors[last], 0, "A name", text, "", "built-in", 1.0)
            store.recaps.add_scene_recap(number, recap)
        hidden = SceneBreak(anchors[9], BreakOrigin.HAND, "hand", is_visible=False)
        store.scenes.save(number, [hidden])
        version = RunningVersion(0, "New.", 3, anchors[9], anchors[17], "built-in", 1.0)
        assert store.recaps.add_running_version(number, version).version == 4
        for index, text in ((1, "A reply."), (2, "A message."), (13, "")):
            source = story.messages[index].content_hash
            recap_of = MessageRecap(text, is_remembered=index == 2, source_hash=source)
            store.recaps.save_message_recaps(number, {anchors[index]: recap_of})

    await store.run(unit)
    await chat.refresh()
    await mirror_now(mirror, chat)
    first = path.read_bytes()
    again, _, second_mirror = await look()
    ours, theirs = knowledge(chat.story), knowledge(again.story)
    # A recap is found again as one of the scene as it is now.
    for _, recaps, *_ in (ours, theirs):
        for anchor, versions in recaps.items():
            recaps[anchor] = [version[:2] for version in versions]
    ours[4].pop(anchors[13])  # nothing is left of a recap that was cleared
    assert theirs == ours
    await mirror_now(second_mirror, again)
    assert path.read_bytes() == first
