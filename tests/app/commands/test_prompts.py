"""`tavernkeep prompts`: ours, yours, and the way back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from app.commands import main
from app.llm.prompts.prompt_library import PromptLibrary

TASK = "message_recap"


class Prompts:
    def __init__(self, data_dir: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.data_dir = data_dir
        self.capture = capture
        self.own = PromptLibrary(data_dir / "prompts")

    def run(self, *arguments: str) -> tuple[int, str, str]:
        code = main(["prompts", *arguments, "--data-dir", str(self.data_dir)])
        printed = self.capture.readouterr()
        return code, printed.out, printed.err

    def json(self, *arguments: str) -> Any:
        code, out, err = self.run(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def change(self, word: str) -> None:
        text = self.own.shipped_text(TASK).replace("# User", f"{word}\n\n# User", 1)
        self.own.save(TASK, text)


@pytest.fixture
def prompts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Prompts:
    return Prompts(tmp_path / "own data", capsys)


def test_the_list_says_whose_each_prompt_is(prompts: Prompts) -> None:
    prompts.change("Be brief.")
    rows = {row["task"]: row for row in prompts.json("list")["tasks"]}
    assert [task for task, row in rows.items() if row["yours"]] == [TASK]
    assert rows[TASK]["inputs"] == ["context", "message"]
    code, out, _ = prompts.run("list")
    assert code == 0
    assert f"yours                  {TASK}    Recap of a message" in out


def test_show_gives_the_file_in_force_and_revert_goes_back(prompts: Prompts) -> None:
    prompts.change("Be brief.")
    assert "Be brief." in prompts.json("show", TASK)["text"]
    assert prompts.json("revert", TASK) == {"task": TASK, "changed": True}
    assert prompts.json("show", TASK)["text"] == prompts.own.shipped_text(TASK)
    assert prompts.json("revert", TASK)["changed"] is False


def test_prompts_are_given_away_taken_in_and_used(prompts: Prompts, tmp_path: Path) -> None:
    prompts.change("Be brief.")
    file = str(tmp_path / "prompts.json")
    prompts.run("export", file)
    prompts.own.revert(TASK)
    assert prompts.json("import", file)["added"] == ["My prompts"]
    assert prompts.json("import", file)["kept"] == ["My prompts"]
    assert prompts.json("import", file, "--conflict", "rename")["added"] == ["My prompts 2"]
    assert not any(row["yours"] for row in prompts.json("list")["tasks"])
    prompts.run("use", "My prompts")
    assert "Be brief." in prompts.json("show", TASK)["text"]
    prompts.run("use", "")
    assert "Be brief." not in prompts.json("show", TASK)["text"]


def test_a_file_is_saved_compared_and_taken_back(prompts: Prompts, tmp_path: Path) -> None:
    file = tmp_path / "mine.md"
    text = prompts.own.shipped_text(TASK).replace("# User", "Be brief.\n\n# User", 1)
    file.write_text(text, encoding="utf-8")
    assert prompts.json("diff", TASK)["lines"] == []
    assert prompts.json("save", TASK, str(file)) == {"task": TASK, "yours": True}
    assert "+Be brief." in prompts.json("diff", TASK)["lines"]
    assert prompts.json("undo")["undone"] == "prompt “Recap of a message”"
    assert prompts.json("diff", TASK)["lines"] == []
    assert prompts.json("redo")["redone"]
    assert "Be brief." in prompts.json("show", TASK)["text"]
    file.write_text(prompts.own.shipped_text(TASK), encoding="utf-8")
    assert prompts.json("save", TASK, str(file))["yours"] is False


def test_a_prompt_is_saved_from_standard_input(
    prompts: Prompts, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = prompts.own.shipped_text(TASK).replace("# User", "Be brief.\n\n# User", 1)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert prompts.json("save", TASK)["yours"] is True


def test_a_preset_is_kept_used_deleted_and_brought_back(prompts: Prompts) -> None:
    prompts.change("Be brief.")
    assert prompts.json("keep", "Mine") == {"preset": "Mine"}
    assert "A preset “Mine” already exists" in prompts.run("keep", "mine")[2]
    assert prompts.json("keep", "mine", "--replace") == {"preset": "Mine"}
    prompts.json("use", "Mine")
    assert prompts.json("list")["preset"] == "Mine"
    prompts.json("delete", "Mine")
    assert (prompts.json("list")["presets"], prompts.json("list")["preset"]) == ([], "")
    assert prompts.json("undo")["undone"] == "deletion of the preset “Mine”"
    assert (prompts.json("list")["presets"], prompts.json("list")["preset"]) == (["Mine"], "Mine")


def test_a_broken_file_is_said_and_ours_is_shown_as_in_force(prompts: Prompts) -> None:
    prompts.own.folder.mkdir(parents=True)
    (prompts.own.folder / f"{TASK}.md").write_text("no prompt")
    [problem] = prompts.json("check")["problems"]
    assert problem.endswith("The original is used.")
    assert "yours, unusable" in prompts.run("list")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("show",), 2, "Say what to show"),
        (("show", "nope"), 2, "There is no prompt “nope”"),
        (("save", TASK, "/nowhere/at all.md"), 1, "No such file"),
        (("use", "nope"), 2, "There is no preset “nope”"),
        (("import", "/nowhere/at all.json"), 1, "No such file"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(
    prompts: Prompts, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    result, out, err = prompts.run(*arguments)
    assert (result, out) == (code, "")
    assert sentence in err
    assert len(err.splitlines()) == 1
