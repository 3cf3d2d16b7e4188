"""The bridge file: the last slots of the last chats, whole at each moment."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
import pytest_asyncio

from app.core.tasks import TaskSupervisor
from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge import bridge_file
from app.sillytavern.bridge.bridge_file import (
    BRIDGE_FILE,
    CHATS_KEPT,
    CHATS_WITH_MEMBERS,
    BridgeFile,
    read_bridge_file,
)
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.published import Published
from tests.disk_faults import FILE_FAULTS


def chat(name: str) -> ChatIdentity:
    return ChatIdentity("solo", name, avatar="Ada.png")


def slots(text: str, revision: int = 1) -> SlotSet:
    return SlotSet((Slot("k", Position.IN_CHAT, 4, Role.USER, True, text, 1, 1, 1),), revision)


@pytest.fixture
def user_folder(tmp_path: Path) -> Path:
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "settings.json").chmod(0o640)
    return tmp_path


@pytest_asyncio.fixture
async def tasks() -> AsyncIterator[TaskSupervisor]:
    supervisor = TaskSupervisor()
    yield supervisor
    await supervisor.aclose()


async def test_the_file_says_which_slots_each_chat_has(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    file = BridgeFile(user_folder, "session", tasks)
    file.publish(chat("Evening"), Published(slots("a recap", revision=3)))
    await file.aclose()
    content = json.loads((user_folder / BRIDGE_FILE).read_text())
    assert content["sequence"] == 1
    assert content["chats"] == {
        "solo/Ada/Evening": {
            "session": "session",
            "revision": 3,
            "slots": [
                {
                    "key": "k",
                    "position": 1,
                    "depth": 4,
                    "role": 1,
                    "scan": True,
                    "text": "a recap",
                }
            ],
        }
    }


async def test_several_changes_in_a_row_are_one_write(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    file = BridgeFile(user_folder, "s", tasks)
    for revision in range(50):
        file.publish(chat("Evening"), Published(slots("x", revision)))
    await file.aclose()
    content = read_bridge_file(user_folder)
    assert content.sequence == 1
    assert content.chats["solo/Ada/Evening"].revision == 49


async def test_it_writes_without_being_closed(
    user_folder: Path, tasks: TaskSupervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bridge_file, "COALESCE_SECONDS", 0.01)
    file = BridgeFile(user_folder, "s", tasks)
    file.publish(chat("Evening"), Published(slots("x")))
    async with asyncio.timeout(30):
        while not (user_folder / BRIDGE_FILE).exists():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await file.aclose()


async def test_chats_of_the_last_session_stay_until_they_are_the_oldest(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    file = BridgeFile(user_folder, "first", tasks)
    for number in range(CHATS_KEPT):
        file.publish(chat(str(number)), Published(slots("x")))
    await file.aclose()
    file = BridgeFile(user_folder, "second", tasks)
    file.publish(chat("0"), Published(slots("newer")))
    file.publish(chat("another"), Published(slots("x")))
    await file.aclose()
    content = read_bridge_file(user_folder)
    assert content.sequence == 2
    assert len(content.chats) == CHATS_KEPT
    assert "solo/Ada/1" not in content.chats
    assert content.chats["solo/Ada/0"].session == "second"
    assert content.chats["solo/Ada/2"].session == "first"


async def test_the_newest_chats_have_what_each_member_of_a_group_may_be_told(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    file = BridgeFile(user_folder, "s", tasks)
    for number in range(CHATS_WITH_MEMBERS + 1):
        file.publish(chat(str(number)), Published(slots("x"), {"Ada.png": slots("hers")}))
    await file.aclose()
    oldest, *others = read_bridge_file(user_folder).chats.values()
    assert oldest.members == {}
    assert [one.members["Ada.png"][0].text for one in others] == ["hers"] * CHATS_WITH_MEMBERS


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b"\xff", b'{"chats":{"a":1}}', b"[" * 99999])
async def test_a_damaged_file_is_replaced(
    user_folder: Path, tasks: TaskSupervisor, damage: bytes
) -> None:
    path = user_folder / BRIDGE_FILE
    path.parent.mkdir(parents=True)
    path.write_bytes(damage)
    file = BridgeFile(user_folder, "s", tasks)
    file.publish(chat("Evening"), Published(slots("x")))
    await file.aclose()
    assert list(read_bridge_file(user_folder).chats) == ["solo/Ada/Evening"]


async def test_whoever_reads_the_tavern_can_read_the_file_and_nobody_else(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    file = BridgeFile(user_folder, "s", tasks)
    file.publish(chat("Evening"), Published(slots("x")))
    await file.aclose()
    path = user_folder / BRIDGE_FILE
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_file")
async def test_a_write_that_fails_is_made_up_for_by_the_next(
    user_folder: Path, tasks: TaskSupervisor, caplog: pytest.LogCaptureFixture
) -> None:
    obstacle = user_folder / "user"
    obstacle.write_text("a file where a folder should be")
    file = BridgeFile(user_folder, "s", tasks)
    file.publish(chat("Evening"), Published(slots("x")))
    await file.aclose()
    assert "could not be written" in caplog.text
    obstacle.unlink()
    file.publish(chat("Morning"), Published(slots("x")))
    await file.aclose()
    assert list(read_bridge_file(user_folder).chats) == ["solo/Ada/Evening", "solo/Ada/Morning"]


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.expects_log("app.sillytavern.bridge.bridge_file")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_a_disk_that_takes_nothing_leaves_the_old_file_until_it_does(
    user_folder: Path,
    tasks: TaskSupervisor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Callable[[], AbstractContextManager[None]],
) -> None:
    monkeypatch.setattr(bridge_file, "COALESCE_SECONDS", 0.01)
    monkeypatch.setattr(bridge_file, "RETRY_SECONDS", 0.01)
    path = user_folder / BRIDGE_FILE
    file = BridgeFile(user_folder, "s", tasks)
    file.publish(chat("Evening"), Published(slots("before")))
    await until(path.exists)
    before = path.read_bytes()
    with fault():
        file.publish(chat("Evening"), Published(slots("during")))
        await until(lambda: "could not be written" in caplog.text)
        assert path.read_bytes() == before
        assert list(path.parent.iterdir()) == [path]
    # Nobody has to publish once more.
    await until(lambda: path.read_bytes() != before)
    entry = read_bridge_file(user_folder).chats["solo/Ada/Evening"]
    assert entry.slots[0].text == "during"
    await file.aclose()
    assert caplog.text.count("could not be written") == 1


async def until(found: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not found():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_file")
async def test_a_folder_that_was_moved_away_is_not_put_back_empty(
    user_folder: Path, tasks: TaskSupervisor
) -> None:
    """What is moved back would land inside of it."""
    moved = user_folder / "data" / "default-user"
    file = BridgeFile(moved, "s", tasks)
    file.publish(chat("Evening"), Published(slots("a recap")))
    await file.aclose()
    assert not (user_folder / "data").exists()
