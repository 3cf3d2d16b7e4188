"""Settings go into a file and come back; a file that is wrong anywhere changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import StoreError, UsageError
from app.core.tasks import TaskSupervisor
from app.llm.tokenizer import counter_for
from app.settings.values import Settings
from app.store.store import Store
from app.work.chats.open_chats import OpenChats
from app.work.edits.settings_file import KIND, NOT_GIVEN, SettingsFile
from tests.labelled import WrittenTavern
from tests.memory_world import opened


class Machine:
    """Settings with their file. followed: names of those that were worked by."""

    def __init__(self, folder: Path, store: Store, tasks: TaskSupervisor) -> None:
        self.settings = Settings()
        self.store = store
        self.copies = folder / "copies"
        self.followed: list[str] = []
        self.chats = OpenChats(store, counter_for(), (), self.settings, tasks)
        self.files = SettingsFile(self.settings, store, self.chats, self.follow, self.copies)

    async def follow(self, name: str) -> None:
        self.followed.append(name)

    async def put(self, name: str, value: Any) -> None:
        key = self.settings.put(name, value)
        await self.store.run(lambda: self.store.settings.save(*key, value))


@pytest.fixture
def machine(tmp_path: Path, store: Store, tasks: TaskSupervisor) -> Machine:
    return Machine(tmp_path, store, tasks)


def write(folder: Path, values: object, kind: str = KIND) -> Path:
    path = folder / "given.json"
    path.write_text(json.dumps({"kind": kind, "version": 1, "settings": values}), "utf-8")
    return path


async def test_settings_come_back_on_another_machine(
    machine: Machine, tmp_path: Path, tasks: TaskSupervisor
) -> None:
    for name, value in (("running_recap_budget", 700), ("theme", "dark"), ("tavern", "/secret")):
        await machine.put(name, value)
    target = tmp_path / "mine.json"
    await machine.files.save(target)
    assert "/secret" not in target.read_text("utf-8")
    elsewhere = Store(tmp_path / "elsewhere.sqlite3")
    await elsewhere.open()
    try:
        other = Machine(tmp_path / "other", elsewhere, tasks)
        await other.put("scene_recap_tokens", 99)
        new = await other.files.read(target)
        kept = await other.files.take_over(new)
        assert other.settings["running_recap_budget"] == 700
        assert other.settings["theme"] == "dark"
        assert other.settings["scene_recap_tokens"] == 160
        assert other.settings["tavern"] == ""
        back = await other.files.read(kept)
        assert back.values == {
            "running_recap_budget": 1000,
            "theme": "system",
            "scene_recap_tokens": 99,
        }
    finally:
        await elsewhere.aclose()


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        ({"backend": "openai:m@https://evil.example/v1"}, "sent to https://evil.example."),
        ({"model_checks": "ollama:m@http://192.168.1.9:11434"}, "sent to http://192.168.1.9:11434"),
        ({"embeddings": "openai:m@http://127.0.0.1:99"}, "sent to http://127.0.0.1:99."),
        ({"mirror_to_chat": True}, "write into your chats"),
        ({"auto_hide_scenes": 0}, "write into your chats"),
        ({"daily_cap": 0}, "daily limit"),
        ({"daily_cap_unit": "tokens"}, "daily limit"),
        ({"backend": "ollama:llama3"}, ""),
        ({"model_memory": "openai:other@http://127.0.0.1:1234/v1"}, ""),  # known already
        ({"theme": "dark", "mirror_to_chat": False, "auto_hide_scenes": -1}, ""),
    ],
)
async def test_what_a_strangers_file_could_do_is_said_before(
    machine: Machine, tmp_path: Path, values: dict[str, Any], warning: str
) -> None:
    await machine.put("backend", "openai:mine@http://127.0.0.1:1234/v1")
    await machine.put("daily_cap", 50)
    new = await machine.files.read(write(tmp_path, values))
    assert len(new.warnings) == bool(warning)
    assert warning in " ".join(new.warnings)


@pytest.mark.parametrize(
    "values",
    [
        {"running_recap_budget": 700, "theme": "pink"},
        {"running_recap_budget": 700, "scene_recap_tokens": "many"},
        {"running_recap_budget": 700, "backend": "nonsense"},
        ["running_recap_budget"],
    ],
)
@pytest.mark.weakness(50)
async def test_one_wrong_value_refuses_the_file(
    machine: Machine, tmp_path: Path, values: object
) -> None:
    with pytest.raises(UsageError):
        await machine.files.read(write(tmp_path, values))
    assert machine.settings["running_recap_budget"] == 1000


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 9_000, '{"settings": {}}'])
async def test_any_other_file_is_refused(machine: Machine, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError, match="not a Tavernkeep settings file"):
        await machine.files.read(path)


async def test_what_is_unknown_or_of_another_machine_is_left(
    machine: Machine, tmp_path: Path
) -> None:
    values = dict.fromkeys(NOT_GIVEN, "elsewhere") | {"of_the_future": 1, "theme": "light"}
    new = await machine.files.read(write(tmp_path, values))
    assert (new.values, new.unknown) == ({"theme": "light"}, 1)


async def test_nothing_is_changed_where_no_copy_can_be_kept(
    machine: Machine, tmp_path: Path
) -> None:
    new = await machine.files.read(write(tmp_path, {"theme": "light"}))
    machine.copies.write_text("a file where the folder should be", "utf-8")
    with pytest.raises(StoreError):
        await machine.files.take_over(new)
    assert machine.settings["theme"] == "system"


async def test_an_import_follows_what_it_changes_and_nothing_else(
    machine: Machine, tmp_path: Path
) -> None:
    await machine.put("theme", "dark")
    new = await machine.files.read(write(tmp_path, {"theme": "dark", "story_text_size": 17}))
    await machine.files.take_over(new)
    assert machine.followed == ["story_text_size"]
    assert machine.files.can_take_back
    await machine.put("story_text_size", 18)  # by hand since: it stays
    assert not machine.files.can_take_back
    assert await machine.files.take_back() == 0
    assert machine.settings["story_text_size"] == 18


async def test_undo_takes_an_import_back_in_one_step_also_after_a_restart(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    chat, own = demo_tavern.chat, tmp_path / "own data"
    async with opened(demo_tavern, own) as world:
        companion = world.companion
        await companion.put_setting("running_recap_budget", 900)
        await companion.put_setting("running_recap_budget", 650, path=chat)
        given = write(tmp_path, {"running_recap_budget": 700, "theme": "dark"})
        files = companion.settings_file
        await files.take_over(await files.read(given), path=chat)
        assert (await companion.edits.undo_labels(chat))[0] == "import of settings"
        assert await companion.edits.undo(chat) == "import of settings"
        assert companion.settings["running_recap_budget"] == 900
        assert companion.settings["theme"] == "system"
        assert not files.can_take_back
        await companion.edits.redo(chat)
        assert companion.settings["running_recap_budget"] == 700
    async with opened(demo_tavern, own) as world:
        companion = world.companion
        assert companion.settings["theme"] == "dark"
        await companion.edits.undo(chat)
        assert companion.settings["theme"] == "system"
        assert companion.settings["running_recap_budget"] == 900
        assert companion.setting("running_recap_budget", path=chat).value == 650
