"""Reading what CharMemory keeps in the Data Bank, in the shapes of its public code."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.char_memory import (
    LARGEST_FILE,
    RememberedLine,
    file_names,
    find_char_memory,
    lines_of,
)
from tests.app.sillytavern.extensions.test_memory_books import ODD

BLOCK = """<memory chat="A &quot;fine&quot; day" date="2026-05-01 14:30">
- [Mira, Jon — the quay]
- The lantern broke.
[2026-05-01 14:30 | A fine day] - Jon owes her a boat.
no line of the list
</memory>"""
NOON = datetime(2026, 5, 1, 14, 30, tzinfo=UTC).timestamp()


def attachment(name: str = "Mira-memories.md", url: Any = "/user/files/17.txt") -> dict[str, Any]:
    return {"url": url, "size": 1, "name": name, "created": 1}


def test_lines_come_with_their_chat_their_people_and_their_day() -> None:
    told = ('A "fine" day', ("Mira", "Jon"), NOON)
    assert lines_of(BLOCK) == (
        RememberedLine("The lantern broke.", *told),
        RememberedLine("Jon owes her a boat.", *told),
    )


@pytest.mark.parametrize(
    "text",
    ["", "- no block", "<memory>", "<memory></memory>", "<memory>\n- cut off", "</memory>- x"],
)
def test_what_is_no_block_holds_nothing(text: str) -> None:
    assert lines_of(text) == ()


def test_odd_attributes_are_passed_over() -> None:
    (line,) = lines_of('<memory chat="unknown" date="99.99." x="1">\n- Said.\n</memory>')
    assert line == RememberedLine("Said.")


@given(st.text(alphabet='<>/memory chat="[]-,\n— 0', max_size=300))
def test_any_text_is_read(text: str) -> None:
    for line in lines_of(text):
        assert line.text
        assert "\n" not in line.text


def test_a_file_of_a_thousand_openings_is_read_at_once() -> None:
    assert lines_of("<memory " * 100_000) == ()
    assert lines_of("<memory>" * 100_000) == ()
    odd_tags = "<memory>" + "\n- [" + " - " * 200 + " - " * 100_000 + "</memory>"
    assert len(lines_of(odd_tags)) == 1
    assert len(lines_of("<memory>\n- x\n</memory>" * 5_000)) == 5_000


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("Mira-memories.md", True),
        ("char-memories.md", True),
        ("Mira-chatHarbour-memories.md", True),
        ("Mira-chatElsewhere-memories.md", False),
        ("mine.md", True),
        ("notes.md", False),
        ("", False),
    ],
)
def test_files_of_memories_for_this_chat_are_known_by_their_name(name: str, is_read: bool) -> None:
    found = file_names(iter([attachment(name)]), "mine.md", "Harbour")
    assert found == (("17.txt",) if is_read else ())


@pytest.mark.parametrize(
    "url",
    [
        "/user/files/../../settings.json",
        "/user/files/%2e%2e%2fsecrets.json",
        "/user/files/..",
        "/user/images/17.txt",
        "file:///etc/passwd",
        "http://[",
        "C:\\17.txt",
        "/user/files/a:b",
        None,
        7,
    ],
)
def test_no_address_leads_elsewhere(url: Any) -> None:
    assert file_names(iter([attachment(url=url)]), "", "Harbour") == ()


def test_the_settings_name_the_file(tmp_path: Path) -> None:
    settings = tmp_path / "settings.json"
    files = tmp_path / "user" / "files"
    files.mkdir(parents=True)
    held = {"character_attachments": {"Mira.png": [attachment()]}, "charMemory": {}}
    settings.write_text(json.dumps({"extension_settings": held}))
    assert find_char_memory(tmp_path, "Mira.png", "Harbour") == ()
    (files / "17.txt").write_text(BLOCK + BLOCK, "utf-8")
    assert len(find_char_memory(tmp_path, "Mira.png", "Harbour")) == 2, "each line once"
    assert find_char_memory(tmp_path, "Jon.png", "Harbour") == ()
    (files / "17.txt").write_bytes(BLOCK.encode() + b"\xff" * LARGEST_FILE)
    assert find_char_memory(tmp_path, "Mira.png", "Harbour") == ()


@given(ODD)
def test_odd_settings_name_no_file(odd: Any) -> None:
    entries = odd if isinstance(odd, list) else [odd]
    objects = (one for one in entries if isinstance(one, dict))
    assert file_names(objects, "", "Harbour") == ()
