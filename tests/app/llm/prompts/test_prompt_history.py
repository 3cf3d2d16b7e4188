"""What was done to prompts is taken back by name, and never over somebody's head."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import PromptUnusable
from app.llm.prompts.prompt_drafts import PromptDrafts
from app.llm.prompts.prompt_history import KEPT, PromptHistory
from app.llm.prompts.prompt_library import PromptLibrary
from app.llm.prompts.prompt_presets import PromptPresets
from app.llm.prompts.prompt_text import PromptText

TASK = "message_recap"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "prompts"


def change(folder: Path, word: str, label: str = "a change") -> None:
    library, history = PromptLibrary(folder), PromptHistory(folder)
    before = history.files()
    library.save(TASK, library.shipped_text(TASK).replace("# User", f"{word}\n\n# User", 1))
    history.record(label, before, ("", ""))


def test_deeds_are_taken_back_and_done_again_in_their_order(folder: Path) -> None:
    change(folder, "One.", "the first")
    first = PromptHistory(folder).files()
    change(folder, "Two.", "the second")
    second = PromptHistory(folder).files()
    history = PromptHistory(folder)  # as after a restart
    assert history.labels() == ("the second", "")
    done = history.undo()
    assert done is not None
    assert done.label == "the second"
    assert history.files() == first
    assert history.labels() == ("the first", "the second")
    history.undo()
    assert history.files() == {}
    assert history.undo() is None
    history.redo()
    history.redo()
    assert history.files() == second
    assert history.redo() is None


def test_a_deleted_preset_comes_back_with_all_its_files(folder: Path) -> None:
    change(folder, "Mine.")
    presets, history = PromptPresets(folder), PromptHistory(folder)
    presets.save("Full", presets.library(""))
    presets.save("Empty", PromptLibrary(folder / "nowhere"))
    before = history.files()
    for name in ("Full", "Empty"):
        presets.delete(name)
    history.record("deletion", before, ("Full", ""))
    done = history.undo()
    assert done is not None
    assert done.presets == ("Full", "")
    assert history.files() == before
    assert presets.names() == ("Empty", "Full")
    history.redo()
    assert presets.names() == ()


def test_what_somebody_changed_since_is_not_taken_back(folder: Path) -> None:
    change(folder, "Mine.", "my change")
    own = folder / f"{TASK}.md"
    own.write_text("by hand", encoding="utf-8")
    with pytest.raises(PromptUnusable, match="by hand since, so “my change”"):
        PromptHistory(folder).undo()
    assert own.read_text(encoding="utf-8") == "by hand"


def test_what_changed_nothing_is_no_deed_and_old_deeds_are_let_go(folder: Path) -> None:
    history = PromptHistory(folder)
    history.record("nothing", history.files(), ("a", "a"))
    assert history.labels() == ("", "")
    for number in range(KEPT + 3):
        change(folder, f"No {number}.", str(number))
    count = 0
    while history.undo():
        count += 1
    assert count == KEPT


@pytest.mark.parametrize("path", ["../evil.md", "presets/../x", "presets/a/b/c.md", "/etc/x"])
def test_a_journal_from_elsewhere_reaches_no_other_file(folder: Path, path: str) -> None:
    folder.mkdir()
    deed = '{"label":"x","changes":[{"path":"%s","after":null,"before":null}],"presets":["",""]}'
    (folder / ".undo.json").write_text('{"undo":[%s],"redo":[]}' % (deed % path), encoding="utf-8")
    with pytest.raises(PromptUnusable):
        PromptHistory(folder).undo()


def test_a_broken_journal_is_an_empty_one(folder: Path) -> None:
    folder.mkdir()
    (folder / ".undo.json").write_bytes(b"{\xff")
    assert PromptHistory(folder).labels() == ("", "")


def test_a_draft_is_kept_found_and_forgotten_and_is_in_force_nowhere(folder: Path) -> None:
    drafts, text = PromptDrafts(folder), PromptText("a", "b {{nope}}", 5)
    assert drafts.get(TASK) is None
    drafts.keep(TASK, text)
    drafts.keep(TASK, PromptText("\ud800", "", 5))  # half a sign keeps what was there
    draft = drafts.get(TASK)
    assert draft is not None
    assert draft.text == text
    assert drafts.tasks() == {TASK}
    assert not any(task.is_yours for task in PromptLibrary(folder).tasks())
    assert PromptHistory(folder).files() == {}
    drafts.discard(TASK)
    assert drafts.get(TASK) is None
    (folder / ".drafts" / f"{TASK}.json").write_text("no draft")
    assert drafts.get(TASK) is None
