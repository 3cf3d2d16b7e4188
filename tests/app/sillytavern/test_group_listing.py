"""A chat is added to the list in a group's file, and nothing else of it changes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from app.core.errors import WriteRefused
from app.sillytavern import group_listing
from app.sillytavern.group_listing import list_chat, listing_group
from app.sillytavern.guarded_write import write_file_atomically

GROUP = {"id": "1732", "name": "Die Säle", "chats": ["one", "two"], "fav": False, "chat_id": "two"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "group chats").mkdir()
    path = tmp_path / "groups" / "1732.json"
    path.parent.mkdir()
    path.write_text(json.dumps(GROUP, indent=4, ensure_ascii=False), encoding="utf-8")
    return path


def test_a_chat_is_listed_once_and_all_else_stays(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    chat = tmp_path / "group chats" / "two.jsonl"
    assert listing_group(chat) == (file, "1732")
    for _ in range(2):
        list_chat(file, "two - as of then", tmp_path / "kept")
    after = json.loads(file.read_bytes())
    assert after == GROUP | {"chats": ["one", "two", "two - as of then"]}
    assert list(after) == list(GROUP)
    assert "Säle" in file.read_text("utf-8")
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_bytes() == before


def test_what_no_group_lists_has_none(file: Path, tmp_path: Path) -> None:
    assert listing_group(tmp_path / "group chats" / "three.jsonl") is None
    assert listing_group(tmp_path / "chats" / "Ana" / "two.jsonl") is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"chats": "two"}', "{"])
def test_a_file_that_is_no_group_is_left_alone(file: Path, tmp_path: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(WriteRefused):
        list_chat(file, "two - as of then", tmp_path / "kept")
    assert file.read_text() == text


def test_a_group_that_is_saved_meanwhile_is_not_overwritten(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = json.dumps(GROUP | {"name": "Another name"})

    def write_late(path: Path, data: bytes, **more: object) -> None:
        if path == file:
            file.write_text(theirs)
            os.utime(file, ns=(1, 1))
        write_file_atomically(path, data, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(group_listing, "write_file_atomically", write_late)
    with pytest.raises(WriteRefused, match="just saved"):
        list_chat(file, "two - as of then", tmp_path / "kept")
    assert file.read_text() == theirs
