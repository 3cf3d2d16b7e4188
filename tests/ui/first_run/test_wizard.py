"""The first run: four steps, each to be skipped, on real folders, a real socket and a model."""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QFocusFrame, QWidget
from websockets.asyncio.client import connect

from app.companion import Companion, open_companion
from app.llm.specs import parse_spec
from app.paths import user_folders
from app.tasks import TaskSupervisor
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.first_run.wizard import FirstRun
from ui.main_window import MainWindow
from ui.theme import theme
from ui.window_state import read_state

Until = Callable[[Callable[[], bool]], Awaitable[None]]
RECAP = '{"name": "A yard", "recap": "- Ada waits."}'


@pytest.fixture
async def fresh(
    dressed: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[MainWindow]:
    """A first start on a machine where no SillyTavern is found."""
    for name in ("HOME", "USERPROFILE", "LOCALAPPDATA", "APPDATA"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    async with open_companion(user_folders(tmp_path / "own"), asks_first=True) as companion:
        window = MainWindow(theme, TaskSupervisor())
        window.resize(1280, 800)
        window.show()
        window.attach(companion)
        window.begin()
        yield window
        await window.detach()
        window.hide()
        window.deleteLater()
        del window
        gc.collect()


def wizard_of(window: MainWindow) -> FirstRun:
    assert window.first_run is not None
    return window.first_run


def companion_of(window: MainWindow) -> Companion:
    assert window.desk is not None
    return window.desk.session.companion


def focusable(inside: QWidget) -> list[QWidget]:
    return [
        widget
        for widget in inside.findChildren(QWidget)
        if widget.isVisible() and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
    ]


def click(button: QAbstractButton) -> None:
    assert button.isVisible()
    assert button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_every_step_can_be_skipped_and_it_comes_once(fresh: MainWindow, until: Until) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    assert not fresh.frame.isVisible()
    for step in wizard.steps:
        assert wizard.step is step
        assert [w for w in focusable(wizard) if not w.accessibleName()] == []
        click(wizard.skip)
    assert fresh.first_run is None
    assert fresh.frame.isVisible()
    assert fresh.desk is not None
    session = fresh.desk.session
    await until(lambda: session.path == companion.demo.path)
    await until(lambda: read_state(str(companion.settings["window_state"])).is_set_up)
    assert str(companion.settings["backend"]) == "builtin"
    fresh.begin()
    assert fresh.first_run is None
    fresh.actions_["setup"].trigger()
    assert wizard_of(fresh).isVisible()


async def test_the_demo_story_needs_none_of_them(fresh: MainWindow, until: Until) -> None:
    (demo,) = [
        b for b in wizard_of(fresh).findChildren(QAbstractButton) if "demo story" in b.text()
    ]
    click(demo)
    assert fresh.frame.isVisible()
    assert fresh.desk is not None
    session = fresh.desk.session
    await until(lambda: session.path == companion_of(fresh).demo.path)


async def test_it_says_where_stories_go_with_the_model_that_is_chosen(fresh: MainWindow) -> None:
    wizard = wizard_of(fresh)
    choice, said = wizard.model.choice, {}
    wizard.rail.rows[2].click()
    for kind, url in (
        ("builtin", ""),
        ("openai", "http://127.0.0.1:5001/v1"),
        ("openai", "localhost:5001"),
        ("openai", "https://models.example.org/v1"),
        ("openai", "http://127.0.0.1.example.org"),
        ("sillytavern", ""),
        ("ollama", ""),
    ):
        choice.choose(kind, model=MODEL, url=url)
        said[kind, url] = wizard.rail.privacy
    leaves = {where for where, words in said.items() if words != "Nothing leaves this machine"}
    assert leaves == {
        ("openai", "https://models.example.org/v1"),
        ("openai", "http://127.0.0.1.example.org"),
        ("sillytavern", ""),
    }


async def test_the_demo_is_a_chat_to_pick_only_where_there_is_no_other(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    wizard.rail.rows[3].click()
    assert list(wizard.chat.paths) == [companion.demo.path]
    shutil.copytree(demo_tavern.user_folder.parent, tmp_path / "SillyTavern" / "data")
    await companion.put_setting("tavern", str(tmp_path / "SillyTavern" / "data"))
    wizard.rail.rows[3].click()
    await until(lambda: companion.demo.path not in wizard.chat.paths)
    assert len(wizard.chat.paths) == 1


async def test_from_the_folder_to_the_first_chat(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = tmp_path / "SillyTavern" / "data"
    shutil.copytree(demo_tavern.user_folder.parent, folder)

    # One: the folder, named by the user.
    assert wizard.main.text() == "Choose SillyTavern's folder"
    click(wizard.main)
    await until(lambda: bool(fresh.findChildren(QFileDialog)))
    fresh.findChildren(QFileDialog)[0].reject()
    await companion.put_setting("tavern", str(folder))
    await until(lambda: wizard.main.text() == "Use this folder")
    click(wizard.main)

    # Two: the bridge, and its handshake over a real socket.
    await until(lambda: wizard.main.text() == "Install the bridge" and wizard.main.isEnabled())
    click(wizard.main)
    await until(lambda: wizard.main.text() == "Go on without waiting")
    ring = fresh.findChild(QFocusFrame)
    assert ring is not None
    assert ring.widget() is None  # a button that is disabled for a moment hands on the focus
    user_folder = companion.taverns[0].user_folder
    assert (await companion.bridge_status(user_folder)).installed
    pairing = json.loads(
        (user_folder / "extensions" / "tavernkeep" / "pairing.json").read_text("utf-8")
    )
    async with connect(
        f"ws://127.0.0.1:{pairing['port']}",
        origin="http://127.0.0.1:8000",  # type: ignore[arg-type]
        subprotocols=["tavernkeep.v1", f"token.{pairing['token']}"],  # type: ignore[list-item]
    ) as page:
        await page.send(json.dumps({"type": "hello", "version": "9.9.9", "page": "p"}))
        await until(lambda: wizard.main.text() == "Go on")
        assert wizard.bridge.found.startswith("Bridge 9.9.9, 1 page, hello at ")
        click(wizard.main)

    # Three: a model at an address, tested first.
    with FakeLlm(lambda request: "Ada hides a letter.") as llm:
        choice = wizard.model.choice
        choice.choose("openai", model=MODEL, url=llm.url)
        assert wizard.use.text() == f"Use {MODEL}"
        choice.test()
        await until(lambda: choice.trial.text == "Ada hides a letter.")
        click(wizard.use)
        await until(lambda: wizard.step is wizard.chat)
        assert companion.settings["backend"] == str(parse_spec(f"openai:{MODEL}@{llm.url}"))
        assert wizard.model.found == MODEL

        # Four: the plan before it runs, then the start.
        assert not wizard.main.isEnabled()
        path = next(iter(wizard.chat._cards))
        asked = len(llm.requests)
        click(wizard.chat._cards[path])
        await until(lambda: "takes" in wizard.chat._cost.text())
        assert "16 scenes found" in wizard.chat._facts.text()
        assert len(llm.requests) == asked
        llm.reply = lambda request: RECAP
        click(wizard.main)
        assert fresh.first_run is None
        await until(lambda: len(llm.requests) > asked)
        assert fresh.frame.isVisible()
        (progress,) = companion.work.catching_up
        await companion.work.stop_catch_up(progress.chat, at_once=True)
