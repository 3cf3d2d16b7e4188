"""The headless commands: shapes that are a contract, exit codes, and files left as they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.commands import main
from tests.e2e.sillytavern import dialogue, write_chat
from tests.extension_data import memory_entry, write_lorebook
from tests.labelled import WrittenTavern


@pytest.fixture
def demo_chat(demo_tavern: WrittenTavern) -> Path:
    return demo_tavern.chat


def files_of(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


class Commands:
    def __init__(self, data_dir: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.data_dir = data_dir
        self.capture = capture

    def run(self, *arguments: str) -> tuple[int, str, str]:
        code = main([*arguments, "--data-dir", str(self.data_dir)])
        printed = self.capture.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> Any:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)


@pytest.fixture
def commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Commands:
    return Commands(tmp_path / "own data", capsys)


def test_scenes_cover_the_chat_without_a_gap(commands: Commands, demo_chat: Path) -> None:
    data = commands.json("scenes", str(demo_chat))
    assert data["messages"] == 145
    scenes = data["scenes"]
    keys = {"first", "last", "name", "cue", "confidence", "rationale", "memories"}
    assert all(scene.keys() == keys for scene in scenes)
    assert [scene["first"] for scene in scenes] == [0, *(s["last"] + 1 for s in scenes[:-1])]
    assert scenes[-1]["last"] == 144
    assert scenes[-1]["cue"] is None
    assert all(0 < scene["confidence"] <= 1 for scene in scenes[:-1])
    assert len(scenes) >= 6


def test_scenes_name_the_memories_that_they_gave(commands: Commands, demo_chat: Path) -> None:
    before = commands.json("scenes", str(demo_chat))["scenes"]
    assert not any(scene["memories"] for scene in before)  # nothing was read, and nothing is
    remembered = commands.json("memory", str(demo_chat))
    sources = {
        entry["id"]: entry["sources"]
        for entries in remembered["tiers"].values()
        if isinstance(entries, list)
        for entry in entries
        if isinstance(entry, dict)
    }
    scenes = commands.json("scenes", str(demo_chat))["scenes"]
    given = [
        (scene, memory)
        for scene in scenes
        for memory in scene["memories"]
        if memory in sources  # else it ended since
    ]
    assert given
    for scene, memory in given:
        assert any(scene["first"] <= place <= scene["last"] for place in sources[memory])
    assert commands.json("memory", str(demo_chat)) == remembered


def test_clearing_says_first_what_goes_and_then_takes_it_away(
    commands: Commands, demo_chat: Path
) -> None:
    before = demo_chat.read_bytes()
    commands.json("recap", str(demo_chat))
    counted = commands.json("clear", str(demo_chat))
    assert (counted["scene_recaps"], counted["cleared"]) == (counted["scene_breaks"], False)
    assert counted["running_versions"] > 0
    code, out, _ = commands.run("clear", str(demo_chat))
    assert (code, out.splitlines()[-1]) == (0, "Nothing was changed. Add --yes to delete all this.")
    assert commands.json("clear", str(demo_chat), "--yes") == counted | {"cleared": True}
    assert commands.json("clear", str(demo_chat))["running_versions"] == 0
    commands.json("recap", str(demo_chat))
    _, out, _ = commands.run("clear", str(demo_chat), "--yes")
    assert out.splitlines()[-1] == "All this is deleted. Undo in the window brings it back."
    assert demo_chat.read_bytes() == before


def test_words_of_recaps_are_replaced_after_what_changes_was_said(
    commands: Commands, demo_chat: Path
) -> None:
    before = commands.json("recap", str(demo_chat))["scenes"]
    words = ("recap", str(demo_chat), "--replace", "the", "THE", "--in", "scenes")
    code, out, _ = commands.run(*words)
    assert code == 0
    assert out.splitlines()[-1] == "Nothing was changed. Add --yes to change all this."
    data = commands.json(*words, "--yes")
    assert data["changed"]
    after = commands.json("recap", str(demo_chat))["scenes"]
    changed = [new for old, new in zip(before, after, strict=True) if old["recap"] != new["recap"]]
    assert len(changed) == data["texts"]["scenes"] > 0
    assert all(scene["versions"][-1] == scene["recap"] for scene in changed)
    assert commands.run("recap", str(demo_chat), "--replace", "zzzz", "x")[0] == 1


@pytest.mark.weakness(32)
def test_every_closed_scene_has_a_recap_and_all_but_the_newest_a_running_version(
    commands: Commands, demo_chat: Path
) -> None:
    before = {path: path.read_bytes() for path in files_of(demo_chat.parents[2])}
    data = commands.json("recap", str(demo_chat))
    *closed, last = data["scenes"]
    assert all(scene["recap"] and scene["versions"] == [scene["recap"]] for scene in closed)
    assert last["recap"] is None
    versions = data["running"]
    assert [version["scene_count"] for version in versions] == list(range(1, len(closed)))
    assert [version["version"] for version in versions] == list(range(len(closed) - 1))
    assert data["current_version"] == versions[-1]["version"]
    assert all(version["content"] and version["made_by"] == "built-in" for version in versions)
    assert {path: path.read_bytes() for path in files_of(demo_chat.parents[2])} == before
    assert commands.json("recap", str(demo_chat)) == data  # done once, and the same for ever


def test_until_sees_no_later_message_and_leaves_the_chat_s_own_memory_alone(
    commands: Commands, demo_chat: Path
) -> None:
    early = commands.json("recap", str(demo_chat), "--until", "60")
    assert early["scenes"][-1]["last"] == 60
    assert all(version["last_message"] < 60 for version in early["running"])
    whole = commands.json("recap", str(demo_chat))
    assert whole["scenes"][-1]["last"] == 144
    assert len(whole["running"]) > len(early["running"])
    again = commands.json("recap", str(demo_chat), "--until", "60")  # with what was read since
    assert again["scenes"] == early["scenes"]
    assert all(version["last_message"] < 60 for version in again["running"])
    assert len(again["running"]) >= len(early["running"])
    assert commands.json("recap", str(demo_chat), "--until", "60") == again


def test_slots_hold_the_running_recap_within_the_total(commands: Commands, demo_chat: Path) -> None:
    data = commands.json("slots", str(demo_chat), "--for", "Captain Henrike Sloe")
    slots = {slot["key"]: slot for slot in data["slots"]}
    slot = slots["auto_recap_memory_scene"]
    assert slot.keys() == {
        *("key", "position", "depth", "role", "scan"),
        *("text", "tokens", "budget", "full_tokens", "macro"),
    }
    assert (slot["key"], slot["position"], slot["depth"], slot["role"], slot["scan"]) == (
        *("auto_recap_memory_scene", 2, 2, 0, False),
    )
    running = commands.json("recap", str(demo_chat))["running"]
    assert running[-1]["content"] in slot["text"]
    small = commands.json("slots", str(demo_chat), "--total", "150")
    assert 0 < small["total_tokens"] <= 150
    assert slot["full_tokens"] > 150
    assert slot["full_tokens"] in {other["full_tokens"] for other in small["slots"]}


def test_slots_say_for_whom_and_for_what_turn_they_are_and_why(
    commands: Commands, demo_chat: Path
) -> None:
    wanted = ("--turn", "action", "--unified", "--explain", "--for", "Midge")
    data = commands.json("slots", str(demo_chat), *wanted)
    assert data["for"] == "Midge"
    assert data["warnings"] == data["tuned"] == []
    assert {slot["key"] for slot in data["slots"][1:]} <= {"smart_memory_unified"}
    for content in data["contents"].values():
        assert content["tokens"] <= content["budget"]
        assert content["left_out"] or content["tokens"] == content["full_tokens"]
    code, out, _ = commands.run("slots", str(demo_chat), *wanted)
    assert code == 0
    assert "<story_so_far>" in out


def test_inclusion_says_of_every_message_where_its_recap_goes(
    commands: Commands, demo_chat: Path
) -> None:
    data = commands.json("inclusion", str(demo_chat))
    assert data["limit"] == 819
    rows = data["messages"]
    assert [row["index"] for row in rows] == list(range(145))
    assert len({row["anchor"] for row in rows}) == 145
    included = [row for row in rows if row["state"] == "included"]
    assert 0 < sum(row["tokens"] for row in included) <= 819
    assert all(row["reason"] for row in rows)
    assert not any(row["state"] == "failed" for row in rows)
    first = included[0]["index"]
    assert all(row["state"] != "included" for row in rows[:first])


def test_a_chat_is_found_by_its_title(commands: Commands, demo_chat: Path) -> None:
    tavern = str(demo_chat.parents[2])
    data = commands.json("scenes", demo_chat.stem, "--tavern", tavern)
    assert data["messages"] == 145
    code, _, err = commands.run("scenes", "no such chat", "--tavern", tavern)
    assert code == 2
    assert "no such chat" in err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nonsense"],
        ["scenes"],
        ["recap", "chat.jsonl", "--llm", "nonsense"],
        ["recap", "chat.jsonl", "--until", "-3"],
        ["slots", "chat.jsonl", "--total", "-1"],
        ["scenes", "chat.jsonl", "--detector", "llm"],
    ],
)
def test_wrong_usage_is_2_and_says_so(
    arguments: list[str], commands: Commands, demo_chat: Path
) -> None:
    arguments = [str(demo_chat) if argument == "chat.jsonl" else argument for argument in arguments]
    code = main(arguments + (["--data-dir", str(commands.data_dir)] if arguments else []))
    assert code == 2
    assert commands.capture.readouterr().err


def test_a_chat_that_is_not_there_is_1_and_named(commands: Commands, tmp_path: Path) -> None:
    code, out, err = commands.run("scenes", str(tmp_path / "gone.jsonl"), "--json")
    assert (code, out) == (1, "")
    assert "gone.jsonl" in err
    assert "Traceback" not in err


def test_a_model_that_nobody_serves_is_1_with_what_could_be_done(
    commands: Commands, tmp_path: Path
) -> None:
    chat = tmp_path / "Chat.jsonl"
    write_chat(chat, dialogue(*(f"Message number {n} of the story." for n in range(4))))
    # Port 9 of loopback: refused at once. The heuristic finds no break here, so nothing is asked.
    code, out, _ = commands.run(
        "recap", str(chat), "--json", "--llm", "openai:m@http://127.0.0.1:9"
    )
    assert code == 0
    assert json.loads(out)["running"] == []


def test_bridge_is_exported_for_a_tavern_elsewhere(commands: Commands, tmp_path: Path) -> None:
    data = commands.json("bridge", "export", str(tmp_path / "out"))
    assert data == {"folder": str(tmp_path / "out" / "tavernkeep")}
    code, out, _ = commands.run("bridge", "export", str(tmp_path / "out"))
    assert code == 0
    lines = out.splitlines()
    assert len(lines) == 2
    assert all(word in lines[0] for word in ("Docker", "WSL", r"\\wsl$\NAME", "Termux"))
    assert "/tk-pair" in lines[1]
    code, _, err = commands.run("bridge", "export")
    assert code != 0
    assert "Name a folder" in err
    code, _, err = commands.run("bridge", "install", str(tmp_path))
    assert code != 0
    assert "--tavern" in err


def test_bridge_goes_in_and_out_again(commands: Commands, demo_chat: Path) -> None:
    user_folder = demo_chat.parents[2]
    before = sorted(user_folder.rglob("*"))
    (state,) = commands.json("bridge", "status", "--tavern", str(user_folder))["taverns"]
    assert not state["installed"]
    (state,) = commands.json("bridge", "install", "--tavern", str(user_folder))["taverns"]
    assert state["installed"]
    assert (user_folder / "extensions" / "tavernkeep" / "manifest.json").exists()
    (state,) = commands.json("bridge", "remove", "--tavern", str(user_folder))["taverns"]
    assert not state["installed"]
    assert state["sentence"].startswith("The bridge was removed. Reload")
    assert not (user_folder / "extensions" / "tavernkeep").exists()
    assert set(before) <= set(user_folder.rglob("*"))


def test_a_path_that_is_no_tavern_is_named(commands: Commands, tmp_path: Path) -> None:
    code, _, err = commands.run("bridge", "install", "--tavern", str(tmp_path))
    assert code == 1
    assert str(tmp_path) in err


def test_doctor_looks_at_every_part(commands: Commands, demo_chat: Path) -> None:
    data = commands.json("doctor", "--tavern", str(demo_chat.parents[2]))
    parts = {finding["part"]: finding["good"] for finding in data["findings"]}
    assert parts == {
        "python": True,
        "database": True,
        "model": True,
        "tokenizer": True,
        "sillytavern": True,
        "bridge": False,
    }


def test_imports_say_first_what_other_extensions_left_and_then_take_it_in(
    commands: Commands, demo_tavern: WrittenTavern
) -> None:
    chat, name = demo_tavern.chat, demo_tavern.chat.stem
    commands.json("scenes", str(chat))  # the chat is known before the extension's data are there
    entries = (memory_entry(1, 0, 9, name), memory_entry(2, 5, 14, name))
    write_lorebook(demo_tavern.user_folder, "Memories", *entries)
    header, rest = chat.read_bytes().split(b"\n", 1)
    told = json.loads(header)
    told["chat_metadata"]["world_info"] = "Memories"
    chat.write_bytes(json.dumps(told).encode() + b"\n" + rest)
    settings = demo_tavern.user_folder / "settings.json"
    held = json.loads(settings.read_text("utf-8"))
    held.setdefault("extension_settings", {})["smart_memory"] = {"arcs_enabled": False}
    settings.write_text(json.dumps(held), "utf-8")
    before = {path: path.read_bytes() for path in files_of(demo_tavern.user_folder)}
    (found,) = (said := commands.json("imports", str(chat)))["found"]
    assert (found["extension"], found["scene_recaps"]) == ("MemoryBooks", 1)
    assert found["left_out"] == {"overlap": 1}
    assert (said["taken_in"], said["settings"]) == (False, {"arcs_enabled": False})
    _, out, _ = commands.run("imports", str(chat))
    assert "MemoryBooks: 1 scene recap" in out.splitlines()
    assert "MemoryBooks, not imported: 1 about messages that another one already tells" in out
    assert out.splitlines()[-1] == "Nothing was changed. Add --yes to import all this."
    done = commands.json("imports", str(chat), "--yes")
    assert (done["taken_in"], done["settings_taken"]) == (True, False)
    _, out, _ = commands.run("imports", str(chat), "--yes", "--settings")
    assert out.splitlines()[-1] == "Imported. Undo in the window reverses it."
    code, out, _ = commands.run("imports", str(chat))
    assert (code, out.splitlines()[-1]) == (
        0,
        "Nothing to import: everything is already known here.",
    )
    assert {path: path.read_bytes() for path in files_of(demo_tavern.user_folder)} == before


def test_slots_for_somebody_who_answers_nowhere_here_say_so(
    commands: Commands, demo_chat: Path
) -> None:
    answering = commands.json("slots", str(demo_chat))["for"]
    for name, is_known in ((answering, True), (answering.upper(), True), ("Nobody", False)):
        _, _, err = commands.run("slots", str(demo_chat), "--for", name)
        assert ("Nobody called" not in err) is is_known
        assert (answering in err) is not is_known


def test_chats_that_are_called_alike_are_told_by_their_paths(
    commands: Commands, tmp_path: Path
) -> None:
    user = tmp_path / "st" / "data" / "default-user"
    (user / "characters").mkdir(parents=True)
    paths = [user / "chats" / name / "One night.jsonl" for name in ("Ode", "Wren")]
    for path in paths:
        path.parent.mkdir(parents=True)
        write_chat(path, dialogue("Who is there?", "Nobody."))
    code, _, err = commands.run("recap", "One night", "--tavern", str(tmp_path / "st"))
    assert code != 0
    assert all(str(path) in err for path in paths)
