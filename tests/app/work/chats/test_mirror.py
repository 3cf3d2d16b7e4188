"""Mirroring on real files: through a page that shows the chat, or into one nobody has open."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.core.errors import BridgeError
from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.page_writing import line_checksum, saved_state
from app.sillytavern.chat_line import LineDecoder
from app.sillytavern.extensions.extras_writing import NAMESPACE
from app.sillytavern.extensions.message_extras import OWN_KEY
from app.sillytavern.extensions.running_writing import RUNNING_KEY
from app.store.store import Store
from app.story.auto_hide import HideState
from app.story.messages import MessageRecap
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak
from app.work.chats.mirroring.mirror import Mirror
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern, swiped
from tests.disk_faults import FILE_FAULTS

LENGTH = 12
MOMENT = 0.01  # debounce of the tests, in seconds


def raw_chat() -> list[dict[str, Any]]:
    return [
        swiped(n, f"Reply {n}.", f"Other reply {n}.", shown=0) if n % 2 else message(n)
        for n in range(LENGTH)
    ]


class FakePages:
    """Pages that keep a chat in memory and save all of it, as SillyTavern does."""

    def __init__(self, path: Path, user_folder: Path) -> None:
        self.path = path
        self.user_folder = user_folder
        self.pages: tuple[Page, ...] = ()
        self.paired = True
        self.asked: list[str] = []
        self.skipped_saves = 0
        self.is_generating = False
        self.header: dict[str, Any] = {}
        self.chat: list[dict[str, Any]] = []

    def is_paired(self, user_folder: Path) -> bool:
        return self.paired

    def show(self, name: str) -> None:
        identity = ChatIdentity(kind="solo", chat=name, avatar="Mira.png")
        self.pages = (Page("page", self.user_folder, identity, 0, 0.0, "0.1.0", "1.19"),)
        self.header, *self.chat = [json.loads(x) for x in self.path.read_bytes().splitlines()]

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        assert page in self.pages
        self.asked.append(kind)
        if self.is_generating:
            raise BridgeError("SillyTavern's page could not do this: a reply is being written.")
        if page.id == "stale":
            assert not params["save"], "it would save over what the other page has said"
            return {"missed": []}
        held = [LineDecoder().decode(jsonl([raw]))[0] for raw in self.chat]
        integrity = self.header["chat_metadata"].get("integrity", "")
        if params["saved"] != saved_state(held, integrity):
            raise BridgeError("SillyTavern's page could not do this: open the chat anew.")
        missed = []
        for edit in params.get("edits", ()):
            raw = self.chat[edit["index"]]
            if checksum(raw) != edit["hash"]:
                missed.append(edit["index"])
                continue
            for namespace, block in edit["extra"].items():
                raw["extra"].setdefault(namespace, {}).update(block)
        for first, last in params.get("ranges", ()):
            for raw in self.chat[first : last + 1]:
                raw["is_system"] = True
        for first, last in params.get("unhide", ()):
            for raw in self.chat[first : last + 1]:
                raw["is_system"] = False
        self.header["chat_metadata"].update(params.get("metadata", {}))
        if params.get("save", True):
            self.save()
        return {"missed": missed}

    def save(self) -> None:
        if self.skipped_saves:
            self.skipped_saves -= 1
            return
        save_like_sillytavern(self.path, jsonl([self.header, *self.chat]))


def checksum(raw: dict[str, Any]) -> int:
    return line_checksum(LineDecoder().decode(jsonl([raw]))[0])


@dataclass
class Bench:
    """A chat that is looked after, and a mirror of it."""

    path: Path
    store: Store
    settings: Settings
    chats: OpenChats
    chat: OpenChat
    pages: FakePages
    mirror: Mirror
    noted: list[dict[Path, str]] = field(default_factory=list)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_bytes().splitlines()]

    def block(self, index: int) -> dict[str, Any]:
        return dict(self.lines[index + 1]["extra"].get(NAMESPACE, {}))

    def hidden(self) -> list[int]:
        return [i for i, line in enumerate(self.lines[1:]) if line["is_system"]]

    def anchor(self, index: int) -> str:
        return self.chat.story.messages[index].anchor

    async def know(self, unit: Callable[[int], object]) -> None:
        await self.store.run(lambda: unit(self.chat.chat_id))
        await self.chats.refresh(self.chat)

    async def mark_break(self, index: int, name: str = "") -> None:
        mark = SceneBreak(self.anchor(index), BreakOrigin.HAND, "hand", name=name)
        await self.know(lambda chat_id: self.store.scenes.save(chat_id, [mark]))

    async def fold(self, number: int, last: int) -> None:
        version = RunningVersion(0, f"v{number}", number, "", self.anchor(last), "built-in", 1.0)
        await self.know(lambda chat_id: self._add(chat_id, version))

    def _add(self, chat_id: int, version: RunningVersion) -> None:
        self.store.recaps.add_running_version(chat_id, version)

    async def mirrored(self) -> str:
        """Mirror now; the sentence of what waits."""
        self.mirror.soon(self.chat)
        await self.mirror.flush()
        return self.mirror.waiting.get(self.path, "")


@pytest_asyncio.fixture
async def bench(tmp_path: Path, store: Store, tasks: TaskSupervisor) -> AsyncIterator[Bench]:
    user_folder = tmp_path / "data" / "default-user"
    path = user_folder / "chats" / "Mira" / "Harbour.jsonl"
    path.parent.mkdir(parents=True)
    (user_folder / "settings.json").write_text("{}")
    path.write_bytes(jsonl([HEADER, *raw_chat()]))
    settings = Settings()
    settings.put("mirror_to_chat", True)
    settings.put("scene_breaks_auto", False)
    chats = OpenChats(store, counter_for(), (), settings, tasks)
    chat = await chats.open(path)
    assert chat.chat.user_folder is not None
    pages = FakePages(path, chat.chat.user_folder)
    mirror = Mirror(
        store, pages, backups=tmp_path / "backups", debounce_seconds=MOMENT, quiet_seconds=0
    )
    made = Bench(path, store, settings, chats, chat, pages, mirror)
    mirror.changed.connect(lambda _: made.noted.append(mirror.waiting))
    yield made
    await mirror.aclose()


async def test_nothing_is_written_unless_the_user_wants_it(bench: Bench) -> None:
    bench.settings.put("mirror_to_chat", False)
    before = bench.path.read_bytes()
    await bench.mark_break(3)
    assert await bench.mirrored() == ""
    assert bench.path.read_bytes() == before


@pytest.mark.weakness(30)
async def test_what_is_known_gets_into_a_file_that_nobody_has_open(bench: Bench) -> None:
    await bench.mark_break(3, "The quay")
    recap = SceneRecap(bench.anchor(3), 0, "The quay", "STATE\nFog.", "", "built-in", 1.0)
    await bench.know(lambda chat_id: bench.store.recaps.add_scene_recap(chat_id, recap))
    await bench.fold(1, 3)
    source = bench.chat.story.messages[5].content_hash
    own = {bench.anchor(5): MessageRecap("Short.", is_excluded=True, source_hash=source)}
    await bench.know(lambda chat_id: bench.store.recaps.save_message_recaps(chat_id, own))
    before = bench.path.read_bytes().split(b"\n")
    assert await bench.mirrored() == ""
    after = bench.path.read_bytes().split(b"\n")
    assert [i for i in range(LENGTH + 1) if before[i] != after[i]] == [0, 4, 6]
    assert bench.block(3)["scene_break_name"] == "The quay"
    assert json.loads(bench.block(3)["scene_recap_memory"])["stage3"]["state"] == ["Fog."]
    assert (bench.block(5)["memory"], bench.block(5)["exclude"]) == ("Short.", True)
    storage = bench.lines[0]["chat_metadata"][RUNNING_KEY]
    assert (storage["chat_id"], storage["versions"][0]["new_scene_index"]) == ("Harbour", 3)
    swipes = bench.lines[4]["swipe_info"]
    assert all(swipe["extra"][NAMESPACE]["scene_break"] for swipe in swipes)
    # And then there is nothing to write any more.
    stamp = bench.path.stat().st_mtime_ns
    assert await bench.mirrored() == ""
    assert bench.path.stat().st_mtime_ns == stamp


async def test_a_chat_that_is_gone_waits_for_nothing(bench: Bench) -> None:
    await bench.mark_break(3)
    bench.path.rename(bench.path.with_name("Quay.jsonl"))
    assert await bench.mirrored() == ""


async def test_a_cleared_chat_is_cleared_in_its_file_and_undo_writes_it_again(
    bench: Bench,
) -> None:
    recap = SceneRecap(bench.anchor(3), 0, "The quay", "STATE\nFog.", "", "built-in", 1.0)
    source = bench.chat.story.messages[5].content_hash
    own = {bench.anchor(5): MessageRecap("Short.", is_excluded=True, source_hash=source)}
    await bench.mark_break(3, "The quay")
    await bench.know(lambda chat_id: bench.store.recaps.add_scene_recap(chat_id, recap))
    await bench.know(lambda chat_id: bench.store.recaps.save_message_recaps(chat_id, own))
    await bench.fold(1, 3)
    assert await bench.mirrored() == ""
    store, chat_id = bench.store, bench.chat.chat_id
    await store.run_undoable(chat_id, "clear", lambda: store.clearing.clear(chat_id))
    await bench.chats.refresh(bench.chat)
    before = bench.path.read_bytes().split(b"\n")
    assert await bench.mirrored() == ""
    after = bench.path.read_bytes().split(b"\n")
    assert [i for i in range(LENGTH + 1) if before[i] != after[i]] == [0, 4, 6]
    assert bench.lines[0]["chat_metadata"][RUNNING_KEY]["versions"] == []
    for block in (bench.block(3), bench.lines[4]["swipe_info"][1]["extra"][NAMESPACE]):
        assert (block["scene_break"], block["scene_recap_versions"]) == (False, [])
    assert (bench.block(5)["memory"], bench.block(5)["exclude"]) == (None, False)
    await store.run(lambda: store.undo.undo(chat_id))
    await bench.chats.refresh(bench.chat)
    assert await bench.mirrored() == ""
    assert bench.block(3)["scene_break_name"] == "The quay"
    assert json.loads(bench.block(3)["scene_recap_memory"])["stage3"]["state"] == ["Fog."]
    assert (bench.block(5)["memory"], bench.block(5)["exclude"]) == ("Short.", True)
    assert bench.lines[0]["chat_metadata"][RUNNING_KEY]["versions"][0]["content"] == "v1"


async def test_a_chat_that_a_page_shows_is_changed_in_the_page(bench: Bench) -> None:
    bench.pages.show("Harbour")
    await bench.mark_break(3)
    assert await bench.mirrored() == ""
    assert bench.pages.asked == ["set_extras"]
    assert bench.pages.chat[3]["extra"][NAMESPACE]["scene_break"] is True
    assert bench.block(3)["scene_break"] is True


async def test_a_save_that_sillytavern_skipped_is_asked_for_again(bench: Bench) -> None:
    bench.pages.show("Harbour")
    bench.pages.skipped_saves = 2
    await bench.mark_break(3)
    assert await bench.mirrored() == ""
    assert bench.pages.asked == ["set_extras"] * 3
    assert bench.block(3)["scene_break"] is True


async def test_a_page_that_never_saves_is_told_of(bench: Bench) -> None:
    bench.pages.show("Harbour")
    bench.pages.skipped_saves = 99
    await bench.mark_break(3)
    assert "has not saved Harbour" in await bench.mirrored()
    assert bench.block(3) == {}


async def test_a_page_that_lacks_what_the_file_has_is_not_asked_to_save(bench: Bench) -> None:
    bench.pages.show("Harbour")
    longer = [*bench.lines, message(LENGTH, "Said elsewhere.")]
    save_like_sillytavern(bench.path, jsonl(longer))
    await bench.mark_break(3)
    assert "open the chat anew" in await bench.mirrored()
    assert bench.lines == longer
    bench.pages.show("Harbour")
    assert await bench.mirrored() == ""
    assert bench.block(3)["scene_break"] is True


async def test_of_two_pages_the_longest_saves_and_the_other_is_only_told(bench: Bench) -> None:
    bench.pages.show("Harbour")
    (newest,) = bench.pages.pages
    stale = replace(newest, id="stale", length=LENGTH - 2)
    bench.pages.pages = (stale, replace(newest, length=LENGTH))
    await bench.mark_break(3)
    assert await bench.mirrored() == ""
    assert bench.pages.asked == ["set_extras"] * 2
    assert bench.block(3)["scene_break"] is True
    # What hides saves later, by itself: that waits for the user to close one.
    bench.settings.put("auto_hide_scenes", 1)
    await bench.fold(1, 3)
    assert "open in 2 SillyTavern pages" in await bench.mirrored()
    assert bench.hidden() == []
    bench.pages.pages = bench.pages.pages[1:]
    assert await bench.mirrored() == ""
    assert bench.hidden() == [0, 1, 2, 3]


async def test_while_a_reply_is_written_it_waits_and_then_goes_on(bench: Bench) -> None:
    bench.pages.show("Harbour")
    bench.pages.is_generating = True
    await bench.mark_break(3)
    assert "a reply is being written" in await bench.mirrored()
    bench.pages.is_generating = False
    bench.mirror.on_pages_changed()
    await bench.mirror.flush()
    assert bench.mirror.waiting == {}
    assert [bool(waiting) for waiting in bench.noted] == [True, False]
    assert bench.block(3)["scene_break"] is True


@pytest.mark.parametrize(
    ("arrange", "sentence"),
    [
        (lambda pages: pages.show("Mill"), "once SillyTavern shows it"),
        (lambda pages: setattr(pages, "paired", False), "bridge"),
    ],
)
async def test_in_doubt_the_file_is_left_alone_and_the_reason_is_said(
    bench: Bench, arrange: Callable[[FakePages], None], sentence: str
) -> None:
    arrange(bench.pages)
    before = bench.path.read_bytes()
    await bench.mark_break(3)
    assert sentence in await bench.mirrored()
    assert bench.path.read_bytes() == before


async def test_a_page_that_just_went_may_come_back(bench: Bench, tmp_path: Path) -> None:
    mirror = Mirror(bench.store, bench.pages, backups=tmp_path / "b", quiet_seconds=60)
    bench.mirror, spare = mirror, bench.mirror
    try:
        bench.pages.show("Harbour")
        mirror.on_pages_changed()
        bench.pages.pages = ()
        mirror.on_pages_changed()
        await bench.mark_break(3)
        assert "closed for a moment" in await bench.mirrored()
        assert bench.block(3) == {}
    finally:
        bench.mirror = spare
        await asyncio.wait_for(mirror.aclose(), 10)


async def test_what_was_saved_meanwhile_is_kept(bench: Bench) -> None:
    await bench.mark_break(3)
    lines = bench.lines
    lines.append(message(LENGTH, "A new message."))
    save_like_sillytavern(bench.path, jsonl(lines))
    assert await bench.mirrored() == ""
    assert bench.lines[-1]["mes"] == "A new message."
    assert bench.block(3)["scene_break"] is True


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_a_disk_that_takes_nothing_leaves_the_chat_and_is_waited_for(
    bench: Bench, fault: Callable[[], AbstractContextManager[None]]
) -> None:
    await bench.mark_break(3)
    before = bench.path.read_bytes()
    with fault():
        assert "is as it was before" in await bench.mirrored()
    assert bench.path.read_bytes() == before
    assert list(bench.path.parent.iterdir()) == [bench.path]
    assert await bench.mirrored() == ""
    assert bench.block(3)["scene_break"] is True


async def test_several_changes_become_one_writing(bench: Bench, tmp_path: Path) -> None:
    for index in (3, 5, 7):
        await bench.mark_break(index)
    for _ in range(3):  # at once: on a busy machine what comes between may outlast the burst
        bench.mirror.soon(bench.chat)
    await bench.mirror.flush()
    assert len(list((tmp_path / "backups").iterdir())) == 1
    assert all(bench.block(index)["scene_break"] for index in (3, 5, 7))


@pytest.mark.weakness(1)
async def test_a_chat_that_is_left_within_the_second_gets_its_own_change(bench: Bench) -> None:
    other = bench.path.with_name("Mill.jsonl")
    header = {**HEADER, "chat_metadata": {"integrity": "another"}}
    other.write_bytes(jsonl([header, *raw_chat()]))
    second = await bench.chats.open(other)
    before = other.read_bytes()
    await bench.mark_break(3, "The quay")
    bench.mirror.soon(bench.chat)
    bench.mirror.soon(second)  # shown before the first was written
    await bench.mirror.flush()
    assert bench.block(3)["scene_break_name"] == "The quay"
    assert other.read_bytes() == before


@pytest.mark.weakness(10, 11)
async def test_a_chat_grows_by_its_recaps_and_by_nothing_else(bench: Bench) -> None:
    """Each version once; the extension kept a copy of the lorebook with each."""
    before = len(bench.path.read_bytes())
    await bench.mark_break(3, "The quay")
    texts = [f"{number} " + "lantern " * 100 for number in range(20)]
    anchor, recaps = bench.anchor(3), bench.store.recaps

    def unit(chat_id: int) -> None:
        for number, text in enumerate(texts):
            recap = SceneRecap(anchor, 0, "The quay", text, "", "built-in", 1.0)
            version = RunningVersion(0, text, number + 1, "", anchor, "built-in", 1.0)
            recaps.add_scene_recap(chat_id, recap)
            recaps.add_running_version(chat_id, version)

    await bench.know(unit)
    assert await bench.mirrored() == ""
    grown = len(bench.path.read_bytes()) - before
    # The scene's group stands in the message and in each of its two swipes.
    of_scene = 3 * (sum(map(len, texts)) + 2 * len(texts[-1]))
    assert grown < of_scene + sum(map(len, texts)) + 4 * 20 * 250


@pytest.mark.weakness(1)
async def test_closing_writes_what_is_due(bench: Bench) -> None:
    await bench.mark_break(3)
    bench.mirror.soon(bench.chat)
    await bench.mirror.aclose()
    assert bench.block(3)["scene_break"] is True


async def test_after_closing_nothing_is_begun(bench: Bench) -> None:
    bench.pages.paired = False
    await bench.mark_break(3)
    assert await bench.mirrored()
    await bench.mirror.aclose()
    bench.pages.paired = True
    bench.mirror.on_pages_changed()
    await bench.mirror.flush()
    assert bench.block(3) == {}


async def test_a_branch_of_a_mirrored_chat_knows_everything_once(bench: Bench) -> None:
    await bench.mark_break(3, "The quay")
    recap = SceneRecap(bench.anchor(3), 0, "The quay", "STATE\nFog.", "", "built-in", 1.0)
    await bench.know(lambda chat_id: bench.store.recaps.add_scene_recap(chat_id, recap))
    await bench.fold(1, 3)
    await bench.mirrored()
    header, *lines = bench.lines
    header["chat_metadata"] |= {"main_chat": "Harbour", "integrity": "another"}
    path = bench.path.with_name("Harbour - Branch #1.jsonl")
    path.write_bytes(jsonl([header, *lines[:6]]))
    branch = await bench.chats.open(path)
    assert branch.story.recaps == bench.chat.story.recaps
    assert branch.story.running.versions == bench.chat.story.running.versions
    bench.mirror.soon(branch)
    await bench.mirror.flush()
    storage = json.loads(path.read_bytes().split(b"\n")[0])["chat_metadata"]
    assert storage[RUNNING_KEY]["chat_id"] == path.stem
    assert OWN_KEY not in storage


@pytest.mark.weakness(2)
async def test_each_swipe_has_a_recap_of_its_own_and_the_first_too(bench: Bench) -> None:
    """Seed 003, "Independent Swipe Data", and what its "Stale Data on Swipe Switch" gets wrong."""

    async def swipe_to(swipe: int) -> None:
        header, *chat = bench.lines
        held = chat[5]
        held["swipe_info"][held["swipe_id"]]["extra"] = held["extra"]
        held |= {"swipe_id": swipe, "mes": held["swipes"][swipe]}
        held |= {"extra": held["swipe_info"][swipe]["extra"]}  # as SillyTavern does
        held |= {"send_date": held["swipe_info"][swipe]["send_date"]}
        save_like_sillytavern(bench.path, jsonl([header, *chat]))
        await bench.chat.read()

    async def write_recap(text: str) -> None:
        source = bench.chat.story.messages[5].content_hash
        own = {bench.anchor(5): MessageRecap(text, source_hash=source)}
        await bench.know(lambda chat_id: bench.store.recaps.save_message_recaps(chat_id, own))
        assert await bench.mirrored() == ""

    def held() -> list[str | None]:
        line = bench.lines[6]
        blocks = [line["extra"], *(info["extra"] for info in line["swipe_info"])]
        return [block.get(NAMESPACE, {}).get("memory") for block in blocks]

    await write_recap("Recap for swipe 0")
    assert held() == ["Recap for swipe 0", "Recap for swipe 0", None]
    await swipe_to(1)
    assert await bench.mirrored() == ""
    assert held() == [None, "Recap for swipe 0", None]
    await write_recap("Recap for swipe 1")
    assert held() == ["Recap for swipe 1", "Recap for swipe 0", "Recap for swipe 1"]
    await swipe_to(0)
    assert await bench.mirrored() == ""
    assert held() == ["Recap for swipe 0", "Recap for swipe 0", "Recap for swipe 1"]
    assert bench.chat.story.message_recaps[bench.anchor(5)].text == "Recap for swipe 0"


async def test_a_swipe_back_finds_the_recap_that_another_program_left_there(bench: Bench) -> None:
    path = bench.path.with_name("Mill.jsonl")
    raw = swiped(1, "one", "two", shown=1)
    raw["extra"] = {NAMESPACE: {"memory": "of two"}}
    raw["swipe_info"][0]["extra"] = {NAMESPACE: {"memory": "of one", "exclude": True}}
    path.write_bytes(jsonl([HEADER, raw]))
    chat = await bench.chats.open(path)
    (recap,) = chat.story.message_recaps.values()
    assert recap.text == "of two"
    raw |= {"mes": "one", "swipe_id": 0, "send_date": raw["swipe_info"][0]["send_date"]}
    raw["extra"] = raw["swipe_info"][0]["extra"]
    save_like_sillytavern(path, jsonl([HEADER, raw]))
    await chat.read()
    (recap,) = chat.story.message_recaps.values()
    assert (recap.text, recap.is_excluded) == ("of one", True)


# --- hiding


async def scenes_and_memory(bench: Bench) -> None:
    """Breaks at 2, 5 and 8; the running recap tells up to 5."""
    for index in (2, 5, 8):
        await bench.mark_break(index)
    await bench.fold(1, 2)
    await bench.fold(2, 5)
    bench.settings.put("mirror_to_chat", False)
    bench.settings.put("auto_hide_scenes", 1)


@pytest.mark.parametrize("is_open", [False, True])
async def test_what_the_memory_tells_is_hidden_and_comes_back(bench: Bench, is_open: bool) -> None:
    await scenes_and_memory(bench)
    if is_open:
        bench.pages.show("Harbour")
    assert await bench.mirrored() == ""
    assert bench.hidden() == [0, 1, 2, 3, 4, 5]
    assert bench.lines[1]["extra"][OWN_KEY] == {"hidden": True}
    assert bench.block(2) == {}
    states = await bench.store.run(lambda: bench.store.hiding.states(bench.chat.chat_id))
    assert set(states.values()) == {HideState.HIDDEN}
    bench.settings.put("auto_hide_scenes", -1)
    assert await bench.mirrored() == ""
    assert bench.hidden() == []
    assert await bench.store.run(lambda: bench.store.hiding.states(bench.chat.chat_id)) == {}


@pytest.mark.weakness(16)
async def test_what_no_prompt_tells_any_more_is_shown_again(bench: Bench) -> None:
    await scenes_and_memory(bench)
    off = {"slots_enabled": False, "running_recap_enabled": False, "running_recap_position": -1}
    for name, value in off.items():
        await bench.mirrored()
        assert bench.hidden() == [0, 1, 2, 3, 4, 5], name
        bench.settings.put(name, value)
        await bench.mirrored()
        assert bench.hidden() == [], name
        bench.settings.reset(name)


async def test_what_the_user_hid_and_what_he_shows_again_stays_so(bench: Bench) -> None:
    lines = bench.lines
    lines[2]["is_system"] = True
    save_like_sillytavern(bench.path, jsonl(lines))
    await bench.chat.read()
    await scenes_and_memory(bench)
    await bench.mirrored()
    assert bench.hidden() == [0, 1, 2, 3, 4, 5]
    lines = bench.lines
    lines[4]["is_system"] = False
    save_like_sillytavern(bench.path, jsonl(lines))
    await bench.mirrored()
    assert bench.hidden() == [0, 1, 2, 4, 5]
    bench.settings.put("auto_hide_scenes", -1)
    await bench.mirrored()
    assert bench.hidden() == [1]


async def test_a_lost_memory_still_knows_what_we_hid(bench: Bench) -> None:
    await scenes_and_memory(bench)
    lines = bench.lines
    lines[2]["is_system"] = True
    save_like_sillytavern(bench.path, jsonl(lines))
    await bench.mirrored()
    assert bench.hidden() == [0, 1, 2, 3, 4, 5]
    store = Store(bench.path.with_name("another memory.sqlite3"))
    await store.open()
    try:
        tasks = TaskSupervisor()
        chats = OpenChats(store, counter_for(), (), bench.settings, tasks)
        chat = await chats.open(bench.path)
        states = await store.run(lambda: store.hiding.states(chat.chat_id))
        hidden = {message.anchor for index, message in enumerate(chat.story.messages[:6])} - {
            chat.story.messages[1].anchor
        }
        assert states == dict.fromkeys(hidden, HideState.HIDDEN)
        await tasks.aclose()
    finally:
        await store.aclose()


async def test_an_older_version_in_the_prompt_hides_less(bench: Bench) -> None:
    await scenes_and_memory(bench)
    await bench.mirrored()
    await bench.know(lambda chat_id: bench.store.recaps.choose_running(chat_id, 0))
    await bench.mirrored()
    assert bench.hidden() == [0, 1, 2]
    bench.settings.put("running_recap_enabled", False)
    await bench.mirrored()
    assert bench.hidden() == []
