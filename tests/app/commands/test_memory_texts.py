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


def test_of_each_text_the_newest_is_printed_and_a_check_says_that_it_found_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tavern = tmp_path / "data" / "default-user"
    (tavern / "characters").mkdir(parents=True)
    path = write_chat(tavern / "chats" / "Mira" / "Mira - 1.jsonl", told())
    script = Script(LINES, {"portrait": PROFILE, "contradict": "NONE"})
    with FakeLlm(script.reply) as llm:
        words = ["memory", str(path), "--data-dir", str(tmp_path / "own")]
        model = ["--tavern", str(tavern), "--llm", f"openai:{MODEL}@{llm.url}"]
        assert main([*words, *model, "--write", "profiles"]) == 0
        script.other["portrait"] = PROFILE.replace("the boat", "the mill")
        assert main([*words, *model, "--write", "profiles"]) == 0
        capsys.readouterr()
        assert main([*words, *model, "--write", "continuity"]) == 0
        printed = capsys.readouterr().out
        assert printed.count("Profile: Mira") == 1
        assert "find the mill" in printed
        assert "find the boat" not in printed
        assert "contradicts nothing" in printed


def test_what_failed_before_is_said_and_tried_again_on_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A better model that is named later is not left without work in silence."""
    tavern = tmp_path / "data" / "default-user"
    (tavern / "characters").mkdir(parents=True)
    path = write_chat(tavern / "chats" / "Mira" / "Mira - 1.jsonl", told())
    bad = Script(other={"": "What a lovely story!"})
    words = ["memory", str(path), "--data-dir", str(tmp_path / "own"), "--tavern", str(tavern)]
    with FakeLlm(bad.reply) as llm:
        assert main([*words, "--llm", f"openai:bad@{llm.url}"]) == 1
    with FakeLlm(Script(LINES).reply) as llm:
        capsys.readouterr()
        assert main([*words, "--llm", f"openai:{MODEL}@{llm.url}"]) == 1
        assert "--again" in capsys.readouterr().err
        assert not llm.requests
        assert main([*words, "--llm", f"openai:{MODEL}@{llm.url}", "--again"]) == 0
        printed = capsys.readouterr()
        assert "the lamp is green" in printed.out
        assert "--again" not in printed.err
        assert main([*words, "--again", "--until", "3"]) == 2
