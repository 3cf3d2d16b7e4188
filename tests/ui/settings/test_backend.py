"""Choosing a model: the button names it, and what cannot be used cannot be chosen."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.views.model_trial import FoundModel, ModelTrial
from ui.controls.fields import ChoiceCard
from ui.settings.backend import BackendChoice
from ui.settings.model_cards import NO_PAGE


@pytest.fixture
def choice(qtbot: QtBot) -> BackendChoice:
    made = BackendChoice(lambda _url: (False, None))
    qtbot.addWidget(made)
    return made


@pytest.mark.parametrize(
    ("kind", "model", "url", "spec"),
    [
        ("ollama", "llama3.1:8b", "", "ollama:llama3.1:8b"),
        ("openai", "qwen", "localhost:8080", "openai:qwen@http://localhost:8080"),
        ("openai", "a/b:c", "https://host/v1", "openai:a/b:c@https://host"),
        ("sillytavern", "", "", "sillytavern"),
        ("sillytavern", "My: profile", "", "sillytavern:My: profile"),
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


def test_found_models_are_choices_of_their_own(choice: BackendChoice) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.show_found([FoundModel("llama3.1:8b", 4_900_000_000), FoundModel("nomic-embed-text")])
    names = [card.text() for card in choice.choices]
    assert "llama3.1:8b" in names
    assert "nomic-embed-text" not in names
    card = next(card for card in choice.choices if card.text() == "llama3.1:8b")
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    choice.use()
    assert told == ["ollama:llama3.1:8b"]


def test_the_model_in_use_is_marked_once_it_is_found(choice: BackendChoice) -> None:
    choice.show_spec("ollama:gemma3:4b")
    choice.show_found([FoundModel("gemma3:4b", 3_300_000_000), FoundModel("qwen3:14b")])
    checked = [card.text() for card in choice.choices if card.isChecked()]
    assert checked == ["gemma3:4b"]
    choice.show_found([])
    assert [card.isChecked() for card in choice.choices].count(True) == 1
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.use()
    assert told == []


def card_named(choice: BackendChoice, name: str) -> ChoiceCard:
    return next(card for card in choice.choices if card.text() == name)


def test_sillytaverns_connection_is_to_be_had_while_its_page_is_open(choice: BackendChoice) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    card = card_named(choice, "SillyTavern's own connection")
    assert not card.isEnabled()
    assert card.accessibleDescription() == NO_PAGE
    choice.show_profiles(())
    assert card.isEnabled()
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    choice.use()
    choice.show_profiles(["Big one", "Small: one"])
    choice.choose("sillytavern", model="Small: one")
    choice.use()
    assert told == ["sillytavern", "sillytavern:Small: one"]
    choice.show_profiles(None)
    assert not card.isEnabled()


def test_a_connection_in_use_stays_chosen_while_its_page_is_closed(choice: BackendChoice) -> None:
    told: list[str] = []
    choice.chosen.connect(told.append)
    choice.show_spec("sillytavern:Small: one")
    choice.show_profiles(None)
    card = card_named(choice, "SillyTavern's own connection")
    assert card.isEnabled()
    assert card.isChecked()
    choice.use()
    choice.show_profiles(["Big one", "Small: one"])
    choice.use()
    assert told == []


def test_a_model_that_was_found_unusable_is_not_offered_as_if_it_were_good(
    choice: BackendChoice,
) -> None:
    choice.choose("openai", model="qwen", url="localhost:8080")
    choice._test.click()
    choice.trial.begin("qwen")
    choice.trial.end(ModelTrial(text="", seconds=1.6, error="It wrote next to nothing."))
    assert choice._use.text() == "Use it anyway"
    choice.choose("openai", model="other", url="localhost:8080")
    assert choice._use.text() == "Use other"


def test_the_servers_own_first_model_is_put_in_and_all_are_listed_by_their_names(
    choice: BackendChoice,
) -> None:
    choice.choose("openai", url="localhost:8080")
    choice.show_offered(("s-7b", "s-70b", "a-1b"))
    assert choice._model.text() == "s-7b"
    listed = [choice._offer.itemText(row) for row in range(choice._offer.count())]
    assert listed == ["a-1b", "s-70b", "s-7b"]
    assert choice._offer.currentText() == "s-7b"
    choice._model.setText("keeper")
    assert choice._offer.currentText() == "", "beside a name that is written no other one stands"
    choice._model.setText("a-1b")
    assert choice._offer.currentText() == "a-1b"


def test_what_was_typed_for_a_kind_is_there_when_it_is_chosen_again(
    choice: BackendChoice,
) -> None:
    choice.show_spec("openai:qwen@http://localhost:8080")
    choice.show_profiles(())
    for name in ("SillyTavern's own connection", "Ollama on this computer"):
        QTest.mouseClick(card_named(choice, name), Qt.MouseButton.LeftButton)
    assert "qwen" not in choice.command  # the server's model is none of Ollama's
    choice.choose("ollama", model="llama3.1:8b")
    choice.show_spec("sillytavern")  # it was used meanwhile
    told: list[str] = []
    choice.chosen.connect(told.append)
    for name in ("A server at an address", "Ollama on this computer"):
        QTest.mouseClick(card_named(choice, name), Qt.MouseButton.LeftButton)
        choice.use()
    assert told == ["openai:qwen@http://localhost:8080", "ollama:llama3.1:8b"]


def test_a_key_typed_for_a_server_stays_while_another_kind_is_used(choice: BackendChoice) -> None:
    choice.choose("openai", model="qwen", url="localhost:8080")
    choice.key.setText("typed")
    choice.choose("ollama", model="llama3.1:8b")
    assert choice.take_key()[1] == ""
    choice.choose("openai", model="qwen", url="localhost:8080")
    assert choice.take_key() == ("localhost:8080", "typed")
    assert choice.key.text() == ""


def test_what_was_typed_for_a_kind_that_is_not_in_use_outlives_a_restart(
    choice: BackendChoice, qtbot: QtBot
) -> None:
    """Whoever went back to no model typed the address anew after the next start."""
    kept: list[str] = []
    choice.typed.changed.connect(kept.append)
    choice.choose("openai", model="qwen", url="localhost:8080")
    QTest.keyClicks(choice._url, "0")
    qtbot.waitUntil(lambda: bool(kept))
    choice.choose("ollama", model="gemma3:4b")
    choice.show_spec("builtin")
    again = BackendChoice(lambda _url: (False, None))
    qtbot.addWidget(again)
    again.typed.restore(kept[-1])
    again.show_spec("builtin")
    QTest.mouseClick(again._cards.by_kind["openai"], Qt.MouseButton.LeftButton)
    assert (again._model.text(), again._url.text()) == ("qwen", "localhost:80800")
    QTest.mouseClick(again._cards.by_kind["ollama"], Qt.MouseButton.LeftButton)
    assert again._model.text() == "gemma3:4b"
    for broken in ("{", "[1]", '{"openai": "x"}', '{"openai": [1, 2]}'):
        again.typed.restore(broken)
