"""`tavernkeep export` writes new files only, in the form that their name asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.commands import main
from tests.labelled import WrittenTavern


def export(tavern: WrittenTavern, data: Path, *arguments: str) -> int:
    return main(
        ["export", str(tavern.chat), "--llm", "builtin", "--data-dir", str(data), *arguments]
    )


def test_bible_and_lorebook_are_written_and_never_over_a_file(
    demo_tavern: WrittenTavern, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = demo_tavern.chat.read_bytes()
    page, book, data = tmp_path / "bible.html", tmp_path / "book.json", tmp_path / "own"
    wanted = ("--bible", str(page), "--lorebook", str(book))
    assert export(demo_tavern, data, *wanted, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"written": [str(page), str(book)]}
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert set(json.loads(book.read_bytes())) == {"entries"}

    page.write_text("mine", "utf-8")
    assert export(demo_tavern, data, "--bible", str(page)) == 2
    assert page.read_text("utf-8") == "mine"
    assert "already exists" in capsys.readouterr().err
    free = ("--bible", str(page), "--replace", "--spoiler-free")
    assert export(demo_tavern, data, *free) == 0
    assert "Told as" in page.read_text("utf-8")
    assert demo_tavern.chat.read_bytes() == before


@pytest.mark.parametrize("arguments", [(), ("--bible", "story.docx")])
def test_what_cannot_be_written_is_said_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    assert main(["export", "nowhere", "--data-dir", str(tmp_path), *arguments]) == 2
    assert "--bible" in capsys.readouterr().err
