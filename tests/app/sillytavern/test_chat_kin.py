"""A chat that was renamed, copied or brought here keeps what was written for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.sillytavern.chat_file import read_chat
from app.sillytavern.chat_kin import tells_another_story

GREETING, STORY = "Come in.", ("Come in.", "Ann came in.", "They ate.", "It rained.")


def write(path: Path, *texts: str, header: bool = True) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"chat_metadata": {}, "user_name": "Ann"})] if header else []
    lines += [
        json.dumps({"name": "Bo", "mes": text, "send_date": f"2026-01-0{n + 1}T00:00:00.000Z"})
        for n, text in enumerate(texts)
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("there", "is_other"),
    [
        (None, False),  # renamed, or from another computer
        (STORY, False),  # a copy
        (STORY[:2], False),  # a copy that went on
        ((GREETING, "Ann went by.", "Nothing."), True),  # all chats of Bo begin alike
        ((GREETING,), True),
        (("Something else.",), True),
    ],
)
def test_another_chat_is_known_by_how_it_begins(
    tmp_path: Path, there: tuple[str, ...] | None, is_other: bool
) -> None:
    chats = tmp_path / "chats"
    ours = write(chats / "Bo" / "New.jsonl", *STORY)
    if there is not None:
        write(chats / "Bo" / "Old.jsonl", *there)
    assert tells_another_story(read_chat(ours), "Old") is is_other


def test_chats_of_other_characters_and_of_groups_are_looked_at(tmp_path: Path) -> None:
    ours = write(tmp_path / "chats" / "Bo" / "New.jsonl", *STORY)
    group = write(tmp_path / "group chats" / "Group.jsonl", *STORY, header=False)
    write(tmp_path / "chats" / "Cy" / "Old.jsonl", "Another story.")
    assert tells_another_story(read_chat(ours), "Old")
    assert tells_another_story(read_chat(group), "Old")
    assert not tells_another_story(read_chat(ours), "Group"), "it begins alike"


@pytest.mark.parametrize("name", ["../Cy/Old", "..\\Cy\\Old", "/etc/passwd", "", "New"])
def test_a_name_leads_to_no_other_folder(tmp_path: Path, name: str) -> None:
    ours = write(tmp_path / "chats" / "Bo" / "New.jsonl", *STORY)
    write(tmp_path / "chats" / "Cy" / "Old.jsonl", "Another story.")
    assert not tells_another_story(read_chat(ours), name)


@pytest.mark.parametrize("damaged", [b"\xff\xfe", b'{"mes": ', b"[[" * 5000, b""])
def test_a_damaged_chat_of_that_name_is_another(tmp_path: Path, damaged: bytes) -> None:
    ours = write(tmp_path / "chats" / "Bo" / "New.jsonl", *STORY)
    (ours.parent / "Old.jsonl").write_bytes(damaged)
    assert tells_another_story(read_chat(ours), "Old")
