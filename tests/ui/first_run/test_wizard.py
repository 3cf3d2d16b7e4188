"""The first run: four steps, each to be skipped, on real folders, a real socket and a model."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QFileDialog,
    QFocusFrame,
    QLineEdit,
    QWidget,
)
from websockets.asyncio.client import connect

from app.companion import Companion, open_companion
from app.core.operations import ALL, MEMORY, RECAPS
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.llm.backends.specs import parse_spec
from app.views.model_trial import FoundModel
from app.work.chats import found_breaks
from tests import smart_memory_data
from tests.extension_data import memory_entry, write_lorebook
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.controls.fields import ChoiceCard
from ui.core.chat_words import chat_title
from ui.core.window_state import read_state
from ui.first_run.welcome import newest_chats
from ui.first_run.wizard import FirstRun
from ui.program.main_window import MainWindow
from ui.theme import theme

pytestmark = pytest.mark.slow

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
    own = user_folders(tmp_path / "own")
    async with open_companion(own, asks_first=True, keeps_memory=True) as companion:
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


def copied(tavern: WrittenTavern, place: Path) -> Path:
    """The data folder of a SillyTavern with the same story, which the test may change."""
    folder = place / "SillyTavern" / "data"
    shutil.copytree(tavern.user_folder.parent, folder)
    return folder


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
    leaves = {where for where, words in said.items() if words != "Nothing leaves this computer"}
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
    folder = copied(demo_tavern, tmp_path)

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
    await until(lambda: wizard.main.text() == "Continue without waiting")
    ring = fresh.findChild(QFocusFrame)
    assert ring is not None
    assert ring.widget() is None  # a button that is disabled for a moment hands on the focus
    user_folder = companion.taverns[0].user_folder
    assert (await companion.bridge.status(user_folder)).installed
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
        assert wizard.bridge.found.startswith("Bridge 9.9.9, 1 page, connected at ")
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

        # Four: the only chat is chosen already; the plan before it runs, then the start.
        (path,) = wizard.chat.paths
        assert wizard.chat.chosen is not None
        assert wizard.chat.chosen.path == path
        asked = len(llm.requests)
        await until(lambda: "requests, " in wizard.chat._total.text())
        assert " scenes found" in wizard.chat._facts.text()
        assert len(llm.requests) == asked
        llm.reply = lambda request: RECAP
        click(wizard.main)
        assert fresh.first_run is None
        await until(lambda: len(llm.requests) > asked)
        assert fresh.frame.isVisible()
        (progress,) = companion.work.catching_up
        await companion.work.stop_catch_up(progress.chat, at_once=True)


@pytest.fixture
async def at_the_last_step(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> AsyncIterator[FakeLlm]:
    """A model is chosen, few scenes are nothing to ask about, and a chat's plan is shown."""
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    shutil.copytree(demo_tavern.user_folder.parent, tmp_path / "SillyTavern" / "data")
    with FakeLlm(lambda request: RECAP) as llm:
        await companion.put_setting("catch_up_scenes", 50)
        companion.settings.put("scene_detector", "heuristic")
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        await companion.put_setting("tavern", str(tmp_path / "SillyTavern" / "data"))
        wizard.rail.rows[3].click()
        await until(lambda: companion.demo.path not in wizard.chat.paths)
        card = next(iter(wizard.chat._cards.values()))
        await until(card.isVisible)
        click(card)
        await until(lambda: "requests, " in wizard.chat._total.text())
        yield llm
        for progress in companion.work.catching_up:
            await companion.work.stop_catch_up(progress.chat, at_once=True)


async def test_nothing_begins_before_the_start_nor_without_it(
    fresh: MainWindow, at_the_last_step: FakeLlm, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    assert fresh.desk is not None
    session = fresh.desk.session
    assert companion.work.operations == ()
    click(wizard.skip)
    await until(lambda: not companion.work._scheduler.waits_for_word)
    await until(lambda: session.plan is not None)
    assert session.path is not None
    await companion.open_story(session.path)  # it is planned anew, and still waits
    assert companion.work.operations == ()
    assert at_the_last_step.requests == []
    session.catch_up()
    await until(lambda: bool(at_the_last_step.requests))


async def test_without_a_model_it_begins_by_itself_when_all_is_chosen(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    shutil.copytree(demo_tavern.user_folder.parent, tmp_path / "SillyTavern" / "data")
    await companion.put_setting("tavern", str(tmp_path / "SillyTavern" / "data"))
    wizard.rail.rows[3].click()
    await until(lambda: companion.demo.path not in wizard.chat.paths)
    card = next(iter(wizard.chat._cards.values()))
    await until(card.isVisible)
    click(card)
    await until(lambda: "costs nothing" in wizard.chat._cost.text())
    assert companion.work.operations == ()
    click(wizard.main)
    await until(lambda: companion.work.operations != ())


async def test_the_chats_written_last_are_offered_and_what_others_left_is_told(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    (first,) = folder.glob("*/chats/*/*.jsonl")
    lines = [json.loads(line) for line in first.read_text("utf-8").splitlines()[:20]]
    lines[8].setdefault("extra", {})["auto_recap_memory"] = {
        "scene_break": True,
        "scene_break_visible": True,
        "scene_break_name": "A toll",
        "scene_recap_memory": "They paid.",
    }
    lines[9].setdefault("extra", {})["qvink_memory"] = {"memory": "He paid.", "remember": True}
    lines[0]["chat_metadata"]["world_info"] = "Memories"
    entry = memory_entry(1, 10, 14, first.stem)
    write_lorebook(first.parents[2], "Memories", entry)
    first.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    smart_memory_data.put(first, first.parents[2], "", smart_memory_data.chat_block(), None)
    for number in range(7):
        chat = first.with_name(f"Story {number}.jsonl")
        shutil.copyfile(first, chat)
        os.utime(chat, (1_700_000_000 + number, 1_700_000_000 + number))
    os.utime(first, (1_800_000_000, 1_800_000_000))
    await companion.put_setting("tavern", str(folder))
    wizard.rail.rows[3].click()
    await until(lambda: companion.demo.path not in wizard.chat.paths)
    names = [path.stem for path in wizard.chat.paths]
    assert names == [first.stem, "Story 6", "Story 5", "Story 4", "Story 3"]
    (tavern,) = companion.taverns
    shown = newest_chats((tavern,), shown=[first.with_name("Story 0.jsonl")])
    assert [chat.title for chat in shown] == ["Story 0", *names[:4]]
    wizard.chat.choose(first)
    await until(wizard.chat._taken_over.isVisible)
    said = wizard.chat._taken_over.text()
    assert said.startswith(
        "1 scene was taken over from ST-Auto-Recap, with its recaps. "
        "1 scene was taken over from MemoryBooks, with its recap. "
        "1 recap of a message was taken over from MessageSummarize. "
    )
    assert " memories were taken over from Smart Memory. Switch that extension off" in said


async def test_the_chat_of_sillytaverns_page_is_chosen_until_another_one_is(
    fresh: MainWindow,
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    (first,) = folder.glob("*/chats/*/*.jsonl")
    second, third = (first.with_name(f"Story {number}.jsonl") for number in (2, 3))
    shutil.copyfile(first, second)
    shutil.copyfile(first, third)
    pages: tuple[Path, ...] = (second,)
    monkeypatch.setattr(Companion, "chats_in_pages", property(lambda _self: pages))
    await companion.put_setting("tavern", str(folder))
    wizard.rail.rows[3].click()
    await until(lambda: wizard.chat.is_ready)
    assert wizard.chat.chosen is not None
    assert wizard.chat.chosen.path == second
    assert wizard.chat._cards[second].isChecked()
    pages = (third,)
    companion.health_changed.emit(companion.health)
    await until(lambda: wizard.chat.is_ready and wizard.chat._wanted == third)
    click(wizard.chat._cards[first])
    await until(lambda: wizard.chat.is_ready)
    pages = (second,)
    companion.health_changed.emit(companion.health)
    assert wizard.chat._wanted == first
    other = wizard.chat._cards[second]  # as one that kept its mark
    other.setAutoExclusive(False)
    other.setChecked(True)
    companion.health_changed.emit(companion.health)
    checked = [path for path, card in wizard.chat._cards.items() if card.isChecked()]
    assert checked == [first]


async def test_of_two_chats_of_one_character_one_is_chosen_and_named(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    """Both stood there as chosen, and the button named the character of both."""
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    (first,) = folder.glob("*/chats/*/*.jsonl")
    second = first.with_name("The long journey.jsonl")
    shutil.copyfile(first, second)
    await companion.put_setting("tavern", str(folder))
    wizard.rail.rows[3].click()
    await until(lambda: len(wizard.chat.paths) == 2)
    await until(wizard.chat._cards[second].isVisible)

    def is_wanted(path: Path) -> bool:
        return wizard.chat.is_ready and wizard.chat._wanted == path

    for path in (first, second, first, second):
        click(wizard.chat._cards[path])
        await until(partial(is_wanted, path))
        checked = [one for one, card in wizard.chat._cards.items() if card.isChecked()]
        assert checked == [path]
        assert wizard.chat.chosen is not None
        assert wizard.main.text().endswith(chat_title(wizard.chat.chosen))
    # The parts of a plan exclude each other too, and none of the chats.
    wizard.chat.parts.choose(MEMORY)
    assert wizard.chat._cards[second].isChecked()
    click(wizard.chat._cards[first])
    assert not wizard.chat._cards[second].isChecked()


async def test_the_plan_says_what_the_chosen_part_takes_before_it_is_started(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    """Its words stayed those of all, whatever part was chosen."""
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    await companion.put_setting("tavern", str(folder))
    await companion.put_setting("backend", f"openai:{MODEL}@http://127.0.0.1:1/v1")
    wizard.rail.rows[3].click()
    await until(lambda: wizard.chat.is_ready and wizard.chat.parts.isVisible())
    assert wizard.chat.chosen is not None
    plan = companion.work.catch_up(wizard.chat.chosen.path)
    assert plan is not None
    said = {}
    for part, word in ((RECAPS, "Only the recaps"), (MEMORY, "Only memory"), (ALL, "All of it")):
        click(button(wizard, word))
        said[part] = wizard.chat._cost.text()
        # How much it is stands first, and alone.
        wanted = plan.of_part(part)
        most = f" to {wanted.requests + wanted.texts}" if wanted.texts else ""
        assert f"{wanted.requests}{most} requests, " in wizard.chat._total.text()
    assert "read for memory" not in said[RECAPS]
    assert "no recap yet" not in said[MEMORY]
    assert "more than the" in said[ALL]  # tokens of the story, and why
    wizard.grab()  # laid out
    chosen, cost = wizard.chat.parts.geometry(), wizard.chat._total.geometry()
    assert cost.bottom() < wizard.chat._cost.geometry().top()
    assert chosen.bottom() < cost.top(), "it stays under the mouse whatever its sentence takes"


async def test_the_plan_of_a_long_chat_waits_until_it_is_read(
    fresh: MainWindow,
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It said "1 scene found, nothing waits" of 356 scenes, and corrected that seconds later."""
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    (chat,) = folder.glob("*/chats/*/*.jsonl")
    monkeypatch.setattr(found_breaks, "FAR", 100)  # a longer chat is shown before it is searched
    said: list[tuple[str, str]] = []
    wizard.chat.changed.connect(
        lambda: said.append((wizard.chat._plan_title.text(), wizard.chat._facts.text()))
    )
    await companion.put_setting("tavern", str(folder))
    wizard.rail.rows[3].click()
    await until(lambda: chat in wizard.chat.paths)
    await until(wizard.chat._cards[chat].isVisible)
    click(wizard.chat._cards[chat])
    await until(lambda: wizard.chat.is_ready and companion.work.is_read(chat))
    await until(lambda: wizard.chat._plan_title.text() == "The plan")
    assert not any("1 scene found" in facts for _, facts in said)
    assert "1 scene found" not in wizard.chat._facts.text()


async def test_a_chat_just_begun_is_told_from_a_long_one(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    """Both have their character's name; and of a greeting it said "1 scene found, 0 of them
    finished".
    """
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    folder = copied(demo_tavern, tmp_path)
    (chat,) = folder.glob("*/chats/*/*.jsonl")
    begun = chat.with_name("Begun.jsonl")
    with chat.open(encoding="utf-8") as lines:
        begun.write_text("".join(next(lines) for _ in range(2)), encoding="utf-8")
    await companion.put_setting("tavern", str(folder))
    wizard.rail.rows[3].click()
    await until(lambda: {chat, begun} <= set(wizard.chat.paths))
    sizes = {path: wizard.chat._when(path).rpartition(", ")[2] for path in (chat, begun)}
    assert all(size.endswith("kB") for size in sizes.values())
    assert float(sizes[chat].split()[0]) > float(sizes[begun].split()[0])
    await until(wizard.chat._cards[begun].isVisible)
    click(wizard.chat._cards[begun])
    await until(lambda: wizard.chat._plan_title.text() == "The plan")
    assert wizard.chat._facts.text().startswith("1 message; no scene is finished yet.")


def test_the_first_window_fits_the_screen(dressed: QApplication) -> None:
    window = MainWindow(theme, TaskSupervisor())
    screen = window.screen().availableSize()
    assert window.height() < screen.height()
    assert window.width() <= max(screen.width(), window.minimumWidth())
    window.deleteLater()


def button(inside: QWidget, words: str) -> QAbstractButton:
    """The one that is to be seen with these words."""
    (found,) = [
        b for b in inside.findChildren(QAbstractButton) if b.text() == words and b.isVisible()
    ]
    return found


async def test_looking_again_in_vain_says_so(fresh: MainWindow, until: Until) -> None:
    wizard = wizard_of(fresh)
    click(button(wizard, "Look again"))
    await until(lambda: wizard.problem.text == "Still nothing in the usual places.")
    assert wizard.problem.isVisible()
    click(wizard.skip)
    assert wizard.problem.text == ""


@pytest.mark.parametrize("width", [1360, 1100, 640])
async def test_what_went_wrong_moves_no_field_and_is_not_cut(
    fresh: MainWindow, until: Until, width: int
) -> None:
    wizard = wizard_of(fresh)
    fresh.resize(width, 720)
    wizard.rail.rows[2].click()
    choice = wizard.model.choice
    choice.choose("openai", model=MODEL, url="http://127.0.0.1:1/v1")
    await asyncio.sleep(0.1)
    fields = [*choice.findChildren(QLineEdit), *choice.findChildren(ChoiceCard)]
    shown = [field for field in fields if field.isVisible()]
    assert len(shown) > 4

    async def places() -> list[int]:
        await asyncio.sleep(0.1)  # for the layouts, which tell no signal
        return [field.mapTo(wizard, QPoint(0, 0)).y() for field in shown]

    before = await places()
    choice.models_wanted.emit("http://127.0.0.1:1/v1")
    await until(lambda: "No answer from" in choice._wrong.text())
    assert await places() == before
    wizard.problem.say("Something else was wrong, and is told in a long sentence. " * 4)
    assert await places() == before
    for words in (choice._wrong, wizard.problem._words):
        await until(lambda words=words: words.height() >= words.heightForWidth(words.width()))  # type: ignore[misc]
    assert wizard.problem.mapTo(fresh, wizard.problem.rect().bottomLeft()).y() < fresh.height()


async def test_of_several_sillytaverns_one_can_be_had_alone(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    for user in ("ada", "bram"):
        shutil.copytree(demo_tavern.user_folder, tmp_path / "ST" / "data" / user)
    await companion.put_setting("tavern", str(tmp_path / "ST"))
    await until(lambda: wizard.main.text() == "Use all of them")
    wizard.begin()
    assert wizard.step is wizard.tavern  # which of them is the user's to say

    def only() -> list[QAbstractButton]:
        buttons = wizard.findChildren(QAbstractButton)
        return [b for b in buttons if b.text() == "Use only this one" and b.isVisible()]

    await until(lambda: len(only()) == 2)
    (bram,) = [b for b in only() if b.accessibleDescription().endswith("bram")]
    click(bram)
    await until(lambda: wizard.main.text() == "Use this folder")
    assert [tavern.user for tavern in companion.taverns] == ["bram"]


async def test_a_bridge_that_sillytavern_does_not_load_is_told(
    fresh: MainWindow, demo_tavern: WrittenTavern, tmp_path: Path, until: Until
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    user_folder = tmp_path / "ST" / "data" / "default-user"
    shutil.copytree(demo_tavern.user_folder, user_folder)
    off = {"extension_settings": {"disabledExtensions": ["third-party/tavernkeep"]}}
    (user_folder / "settings.json").write_text(json.dumps(off))
    await companion.put_setting("tavern", str(user_folder))
    await until(lambda: wizard.main.text() == "Use this folder")
    click(wizard.main)
    assert "has to be found first" not in wizard.bridge._files.fact
    await until(lambda: wizard.main.text() == "Install the bridge" and wizard.main.isEnabled())
    click(wizard.main)
    await until(lambda: wizard.bridge._hello.state == "triangle")
    assert "switch Tavernkeep on" in wizard.bridge._hello.fact


@pytest.mark.expects_log("ui.core.session")
async def test_a_fault_that_nobody_foresaw_is_told_in_words_of_ours(
    fresh: MainWindow,
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def broken(_: Path) -> None:
        raise RuntimeError("argument 2 of a line of the story")

    wizard, companion = wizard_of(fresh), companion_of(fresh)
    user_folder = tmp_path / "ST" / "data" / "default-user"
    shutil.copytree(demo_tavern.user_folder, user_folder)
    await companion.put_setting("tavern", str(user_folder))
    await until(lambda: wizard.main.text() == "Use this folder")
    click(wizard.main)
    await until(lambda: wizard.main.text() == "Install the bridge" and wizard.main.isEnabled())
    monkeypatch.setattr(companion.bridge, "install", broken)
    click(wizard.main)
    await until(lambda: wizard.bridge._files.state == "triangle")
    assert wizard.bridge._files.fact.startswith("Installing the bridge did not work.")
    assert "argument" not in wizard.bridge._files.fact


async def test_what_was_said_of_one_model_is_gone_for_the_next(
    fresh: MainWindow, until: Until
) -> None:
    wizard = wizard_of(fresh)
    wizard.rail.rows[2].click()
    choice = wizard.model.choice
    with FakeLlm(lambda request: "Ada hides a letter.") as llm:
        choice.choose("openai", model=MODEL, url="http://127.0.0.1:1/v1")
        choice.models_wanted.emit("http://127.0.0.1:1/v1")
        await until(lambda: "No answer from" in choice._wrong.text())
        assert wizard.problem.text == ""
        choice.choose("openai", model=MODEL, url=llm.url)
        assert choice._wrong.text() == ""
        click(button(choice, "Test it"))
        await until(lambda: choice.trial.text == "Ada hides a letter.")
        assert choice.trial.isVisible()
        choice.choose("openai", model="another", url=llm.url)
        assert not choice.trial.isVisible()


async def test_an_ollama_that_is_started_meanwhile_is_found(
    fresh: MainWindow, until: Until
) -> None:
    wizard = wizard_of(fresh)
    wizard.rail.rows[2].click()
    looked: list[None] = []

    async def found() -> tuple[FoundModel, ...]:
        looked.append(None)
        return (FoundModel("llama3.1:8b", 4_900_000_000),) if len(looked) > 2 else ()

    wizard.model.testing._again.setInterval(10)
    companion_of(fresh).models.found = found  # type: ignore[method-assign]
    await until(lambda: wizard.model.choice.has_found)
    assert [card.text() for card in wizard.model.choice.choices][1] == "llama3.1:8b"
