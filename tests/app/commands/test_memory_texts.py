"""`memory --write` has a text written before it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.commands import main
from tests.app.work.scheduling.test_text_requests import LINES, PROFILE, told
from tests.chat_files import write_chat
from tests.fakes import MODEL, FakeLlm
from tests.scripted_memory import Script


def test_a_text_is_written_first_and_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tavern = tmp_path / "data" / "default-user"
    (tavern / "characters").mkdir(parents=True)
    path = write_chat(tavern / "chats" / "Mira" / "Mira - 1.jsonl", told())
    with FakeLlm(Script(LINES, {"portrait": PROFILE}).reply) as llm:
        words = ["memory", str(path), "--data-dir", str(tmp_path / "own"), "--json"]
        model = ["--tavern", str(tavern), "--llm", f"openai:{MODEL}@{llm.url}"]
        assert main([*words, *model, "--write", "profiles"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert "Mira" in printed["tiers"]["profiles"]
        assert main([*words, *model, "--write", "canon"]) == 2
        assert "summed up" in capsys.readouterr().err
        assert main([*words, *model, "--write", "profiles", "--until", "3"]) != 0
