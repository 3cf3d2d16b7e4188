"""Presets of prompts: folders with safe names, and a file that is checked before it is kept."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.core.errors import PromptUnusable, UsageError
from app.llm.prompts.prompt_library import PromptLibrary
from app.llm.prompts.prompt_presets import Conflict, PromptPresets, checked_name

TASK = "message_recap"


@pytest.fixture
def presets(tmp_path: Path) -> PromptPresets:
    return PromptPresets(tmp_path / "prompts")


def own_text(word: str) -> str:
    shipped = PromptLibrary(Path("nowhere")).shipped_text(TASK)
    return shipped.replace("# User", f"{word}\n\n# User", 1)


def with_preset(presets: PromptPresets, name: str, word: str) -> None:
    library = presets.library("")
    library.save(TASK, own_text(word))
    presets.save(name, library, replace=True)
    library.revert(TASK)


def exported(**prompts: str) -> dict[str, Any]:
    return {
        "format": "tavernkeep-prompts",
        "format_version": 1,
        "presets": [{"name": "Short", "prompts": prompts}],
    }


def files(presets: PromptPresets) -> list[str]:
    root = presets.library("").folder
    return sorted(str(path.relative_to(root)) for path in root.rglob("*"))


def test_a_preset_keeps_prompts_that_are_changed_apart_from_it(presets: PromptPresets) -> None:
    with_preset(presets, "Short", "In short.")
    presets.library("").save(TASK, own_text("At length."))
    assert presets.names() == ("Short",)
    assert "In short." in presets.library("Short").text(TASK)
    presets.library("Short").revert(TASK)
    assert "At length." in presets.library("").text(TASK)


def test_a_name_that_is_taken_is_taken_in_any_case(presets: PromptPresets) -> None:
    with_preset(presets, "Short", "One.")
    with pytest.raises(UsageError, match="Short"):
        presets.save("SHORT", presets.library(""))
    assert presets.save("sHORT", presets.library(""), replace=True) == "Short"
    assert not presets.library("Short").tasks()[3].is_yours


def test_a_deleted_preset_is_gone_and_what_it_was_used_for_falls_back(
    presets: PromptPresets,
) -> None:
    with_preset(presets, "Short", "One.")
    presets.delete("short")
    assert presets.names() == ()
    with pytest.raises(UsageError):
        presets.library("Short")
    assert presets.in_force("Short").folder == presets.library("").folder


def test_what_was_exported_comes_in_as_it_was(presets: PromptPresets, tmp_path: Path) -> None:
    with_preset(presets, "Short", "In short.")
    presets.library("").save(TASK, own_text("Mine."))
    data = presets.exported()
    other = PromptPresets(tmp_path / "other")
    assert other.take_in(data, Conflict.KEEP).added == ("Short", "My prompts")
    assert other.library("Short").own_texts() == presets.library("Short").own_texts()
    assert other.library("My prompts").own_texts() == presets.library("").own_texts()
    assert not other.library("").own_texts(), "nothing is put in force by an import"


@pytest.mark.parametrize(
    ("conflict", "names", "words"),
    [
        (Conflict.KEEP, ("Short",), ("Old.",)),
        (Conflict.REPLACE, ("Short",), ("New.",)),
        (Conflict.RENAME, ("Short", "Short 2"), ("Old.", "New.")),
    ],
)
@pytest.mark.weakness(50)
def test_a_conflict_ends_as_it_was_chosen(
    presets: PromptPresets, conflict: Conflict, names: tuple[str, ...], words: tuple[str, ...]
) -> None:
    with_preset(presets, "Short", "Old.")
    presets.take_in(json.dumps(exported(message_recap=own_text("New."))).encode(), conflict)
    assert presets.names() == names
    for name, word in zip(names, words, strict=True):
        assert word in presets.library(name).text(TASK)
    assert not [file for file in files(presets) if "tmp" in file or "/." in file]


def test_one_bad_prompt_keeps_the_whole_file_out(presets: PromptPresets) -> None:
    with_preset(presets, "Short", "Old.")
    before = files(presets)
    file = exported(message_recap=own_text("New."))
    file["presets"].append({"name": "Bad", "prompts": {TASK: own_text("{{secret}}")}})
    with pytest.raises(PromptUnusable, match="Nothing was imported because of the preset “Bad”"):
        presets.take_in(json.dumps(file).encode(), Conflict.REPLACE)
    assert files(presets) == before
    assert "Old." in presets.library("Short").text(TASK)


def test_tasks_of_a_newer_tavernkeep_are_left_out_and_named(presets: PromptPresets) -> None:
    file = exported(message_recap=own_text("New."), **{"../../evil": "x"})
    done = presets.take_in(json.dumps(file).encode(), Conflict.KEEP)
    assert done.unknown == ("../../evil",)
    assert files(presets) == ["presets", "presets/Short", f"presets/Short/{TASK}.md"]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"format_version": 2},
        {"format_version": "1"},
        {"presets": {"Short": {}}},
        {"presets": [{"name": "a", "prompts": {}}] * 2},
        {"presets": [{"name": "a", "prompts": {TASK: 3}}]},
        {"presets": [{"name": f"n{i}", "prompts": {}} for i in range(101)]},
        {"presets": [{"name": "../up", "prompts": {}}]},
    ],
)
def test_a_file_of_another_form_is_refused_in_a_sentence(
    presets: PromptPresets, change: dict[str, Any]
) -> None:
    with pytest.raises(PromptUnusable, match=r"\.$"):
        presets.take_in(json.dumps(exported() | change).encode(), Conflict.REPLACE)
    assert presets.names() == ()


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", ".", "..", "a/b", "a\\b", "C:x", "nul", "COM1.txt", "x.", ".x", "x" * 61),
        *("a\0b", "a\u202eb", "\ud800", "tab\x07"),
    ],
)
def test_no_name_leads_out_of_the_folder(presets: PromptPresets, name: str) -> None:
    with pytest.raises(UsageError):
        checked_name(name)
    with pytest.raises(UsageError):
        presets.save(name, presets.library(""))
    with pytest.raises(UsageError):
        presets.delete(name or " ")


def test_a_link_is_no_preset(presets: PromptPresets, tmp_path: Path) -> None:
    with_preset(presets, "Short", "One.")
    (tmp_path / "away").mkdir()
    (presets.library("").folder / "presets" / "Link").symlink_to(tmp_path / "away")
    assert presets.names() == ("Short",)


@given(st.text(max_size=70))
@example("🙂" * 60)
@example("x" * 58 + " 2")
def test_any_name_is_refused_or_can_be_found_again(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    root = tmp_path_factory.mktemp("p")
    presets = PromptPresets(root / "prompts")
    file = exported() | {"presets": [{"name": name, "prompts": {}}]}
    data = json.dumps(file).encode()
    try:
        added = presets.take_in(data, Conflict.RENAME).added
    except PromptUnusable:
        assert presets.names() == ()
        return
    added += presets.take_in(data, Conflict.RENAME).added
    assert sorted(presets.names()) == sorted(added)
    assert len(added) == 2
    assert [path.name for path in root.iterdir()] == ["prompts"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["format", "format_version", "presets", "name", "prompts", TASK]), inner
        )
    ),
)


@given(json_values | st.binary(max_size=200))
@example(b"[" * 100_000)
def test_any_file_is_taken_in_or_refused(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    presets = PromptPresets(tmp_path_factory.mktemp("p") / "prompts")
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    for hostile in (data, json.dumps(exported()).encode()[:-2] + b"," + data + b"]}"):
        with contextlib.suppress(PromptUnusable):
            presets.take_in(hostile, Conflict.REPLACE)
