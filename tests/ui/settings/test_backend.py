"""Choosing a model: the button names it, and what cannot be used cannot be chosen."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from ui.settings.backend import BackendChoice


@pytest.fixture
def choice(qtbot: QtBot) -> BackendChoice:
    made = BackendChoice()
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("kind", "model", "url", "spec"),
    [
        ("ollama", "llama3.1:8b", "", "ollama:llama3.1:8b"),
        ("openai", "qwen", "localhost:8080", "openai:qwen@http://localhost:8080"),
        ("openai", "a/b:c", "https://host/v1", "openai:a/b:c@https://host"),
    ],
)
def test_a_choice_is_told_as_a_spec(
    choice: BackendChoice, kind: str, model: str, url: str, spec: str
) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.choose(kind, model=model, url=url)
    choice.use()
    assert told == [spec]


@pytest.mark.parametrize(
    ("kind", "model", "url"),
    [("ollama", "", ""), ("openai", "qwen", ""), ("openai", "qwen", "ftp://x")],
)
def test_what_cannot_be_used_is_not_chosen(
    choice: BackendChoice, kind: str, model: str, url: str
) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.choose(kind, model=model, url=url)
    choice.use()
    assert told == []


def test_the_backend_in_use_is_not_chosen_again(choice: BackendChoice) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.show_spec("ollama:gemma3:4b")
    choice.use()
    assert told == []
