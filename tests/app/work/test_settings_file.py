"""Settings go into a file and come back; a file that is wrong anywhere changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.errors import StoreError, UsageError
from app.settings import Settings
from app.work.settings_file import KIND, NOT_GIVEN, SettingsFile


class Machine:
    """Settings with their file."""

    def __init__(self, folder: Path) -> None:
        self.settings = Settings()
        self.copies = folder / "copies"
        self.files = SettingsFile(self.settings, self.put, self.copies)

    async def put(self, name: str, value: Any) -> None:
        self.settings.put(name, value)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def write(folder: Path, values: object, kind: str = KIND) -> Path:
    path = folder / "given.json"
    path.write_text(json.dumps({"kind": kind, "version": 1, "settings": values}), "utf-8")
    return path


async def test_settings_come_back_on_another_machine(machine: Machine, tmp_path: Path) -> None:
    for name, value in (("running_recap_budget", 700), ("theme", "dark"), ("tavern", "/secret")):
        machine.settings.put(name, value)
    target = tmp_path / "mine.json"
    await machine.files.save(target)
    assert "/secret" not in target.read_text("utf-8")
    other = Machine(tmp_path / "other")
    other.settings.put("scene_recap_tokens", 99)
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


@pytest.mark.parametrize(
    "values",
    [
        {"running_recap_budget": 700, "theme": "pink"},
        {"running_recap_budget": 700, "scene_recap_tokens": "many"},
        {"running_recap_budget": 700, "backend": "nonsense"},
        ["running_recap_budget"],
    ],
)
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
    with pytest.raises(UsageError, match="no file of"):
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
