"""The page of prompts in a living window, over real files."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from app.companion import Companion
from app.llm.prompts.prompt_files import TASKS, load_prompts
from app.llm.prompts.prompt_library import PromptTask
from ui.program.main_window import MainWindow
from ui.prompts.page import PromptsPage
from ui.prompts.task_list import TaskModel
from ui.settings.page import SettingsPage

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
TASK = "scene_recap"


@pytest.fixture
async def page(window: MainWindow, until: Until) -> PromptsPage:
    window.show_page("settings")
    settings = window.page
    assert isinstance(settings, SettingsPage)
    QTest.mouseClick(settings._prompts.button, Qt.MouseButton.LeftButton)
    shown = settings._stack.currentWidget()
    assert isinstance(shown, PromptsPage)
    await until(lambda: shown.editor.view is not None)
    return shown


def type_at_end(page: PromptsPage, words: str) -> None:
    user = page.editor.user
    user.moveCursor(user.textCursor().MoveOperation.End)
    QTest.keyClicks(user, words)


async def choose(page: PromptsPage, task: str, until: Until) -> None:
    page.list.choose(task)
    await until(lambda: page.editor.view is not None and page.editor.view.task.task == task)


def test_the_list_of_tasks_is_a_sound_model(
    qapp: object, companion_free_tasks: tuple[PromptTask, ...]
) -> None:
    model: QAbstractItemModel = TaskModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert isinstance(model, TaskModel)
    model.show_tasks(companion_free_tasks)
    model.show_drafted(frozenset({TASK}))
    model.show_tasks(companion_free_tasks[:3])
    assert model.rowCount() == 3


@pytest.fixture
def companion_free_tasks(tmp_path: Path) -> tuple[PromptTask, ...]:
    from app.llm.prompts.prompt_library import PromptLibrary

    return PromptLibrary(tmp_path / "none").tasks()


async def test_each_task_is_shown_with_its_inputs_explained(
    page: PromptsPage, until: Until
) -> None:
    assert page.model.rowCount() == len(TASKS)
    await choose(page, "running_recap", until)
    version = load_prompts()["running_recap"].version
    assert page.editor.state.text() == f"Using the original, version {version}."
    assert set(page.editor.facts.chips) == {
        *("previous", "scene_name", "scene_recap", "tokens", "limit")
    }
    assert all(chip.is_used for chip in page.editor.facts.chips.values())
    assert not page.editor.save.isVisible()
    assert not page.editor.revert.isVisible()


async def test_what_is_written_is_a_draft_until_it_is_saved(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    prompts = companion.prompts
    type_at_end(page, " Be brief.")
    await until(lambda: "draft" in page.editor.state.text())
    kept = await prompts.draft(TASK)
    assert kept is not None
    assert kept.text.user.endswith(" Be brief.")
    assert not (await prompts.view(TASK)).task.is_yours
    QTest.keyClick(page.editor.user, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: page.editor.state.text() == "Yours is in use.")
    assert "Be brief." in await prompts.text(TASK)
    assert await prompts.draft(TASK) is None
    assert not page.editor.save.isVisible()
    assert page.editor.revert.isVisible()


async def test_a_draft_is_found_again_and_can_be_dropped(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    type_at_end(page, " Hm.")
    await choose(page, "message_recap", until)
    await choose(page, TASK, until)
    assert page.editor.user.text.endswith(" Hm.")
    index = page.model.place_of(TASK)
    await until(lambda: "draft" in index.data(Qt.ItemDataRole.AccessibleDescriptionRole))
    QTest.mouseClick(page.editor.drop, Qt.MouseButton.LeftButton)
    assert not page.editor.is_changed
    await until(lambda: "draft" not in index.data(Qt.ItemDataRole.AccessibleDescriptionRole))
    assert await companion.prompts.draft(TASK) is None


async def test_unknown_and_missing_inputs_are_said_as_one_types(page: PromptsPage) -> None:
    editor = page.editor
    type_at_end(page, " {{mesages}}")
    assert editor.finding.text == ("This task has no input {{mesages}}. Did you mean {{messages}}?")
    assert not editor.save.isEnabled()
    editor.user.replace_text("Recap {{messages}} in {{tokens}} tokens.")
    assert editor.finding.text.startswith("{{previous}} is missing, so the model is not told: what")
    assert editor.save.isEnabled()
    assert not editor.facts.chips["previous"].is_used
    QTest.mouseClick(editor.facts.chips["previous"], Qt.MouseButton.LeftButton)
    assert "{{previous}}" in editor.user.text
    assert editor.finding.text == ""


async def test_one_difference_is_taken_back_to_ours_and_then_all(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    editor = page.editor
    ours = editor.text
    changed = ours.system.replace("Plain words.", "Rare words.").replace(
        "no quotation marks", "no marks"
    )
    editor.system.replace_text(changed)
    editor.show_mode("difference")
    assert editor.difference.count == 2
    columns = editor.difference.columns
    await until(lambda: columns.pair(0) is not None)
    pair = columns.pair(0)
    assert pair is not None
    assert [pair.left.text(), pair.right.text()] == ["Original", "Yours"]
    QTest.mouseClick(pair.left, Qt.MouseButton.LeftButton)
    assert editor.difference.count == 1
    assert "no quotation marks" in editor.system.text
    assert "Rare words." in editor.system.text
    QTest.mouseClick(editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: companion.prompts.state.undo == "prompt “Recap of a scene”")
    await until(lambda: editor.revert.isVisible())
    QTest.mouseClick(editor.revert, Qt.MouseButton.LeftButton)
    await until(lambda: editor.state.text().startswith("Using the original"))
    assert editor.text.is_as(ours)
    assert await companion.prompts.draft(TASK) is None


async def test_deeds_are_taken_back_by_name(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    type_at_end(page, " Be brief.")
    QTest.mouseClick(page.editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: page.editor.state.text() == "Yours is in use.")
    assert page.bar.undo.toolTip() == "Undo: prompt “Recap of a scene”"
    QTest.mouseClick(page.bar.undo, Qt.MouseButton.LeftButton)
    await until(lambda: page.editor.state.text().startswith("Using the original"))
    await until(lambda: "Be brief." not in page.editor.user.text)
    await until(lambda: page.bar.redo.isEnabled())
    QTest.mouseClick(page.bar.redo, Qt.MouseButton.LeftButton)
    await until(lambda: page.editor.user.text.endswith("Be brief."))


async def test_presets_are_kept_chosen_and_deleted(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    prompts = companion.prompts
    type_at_end(page, " Be brief.")
    QTest.mouseClick(page.editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: bool(prompts.state.undo))
    page.bar.actions_["keep"].trigger()
    QTest.keyClicks(page.bar.name, "Short")
    QTest.keyClick(page.bar.name, Qt.Key.Key_Return)
    await until(lambda: page.bar.presets.currentText() == "Short")
    assert companion.settings["prompt_preset"] == "Short"
    await until(lambda: page._session.companion.prompts.state.preset == "Short")
    page.bar.presets.setCurrentIndex(0)
    page.bar.presets.activated.emit(0)
    await until(lambda: companion.settings["prompt_preset"] == "")
    page.bar.presets.setCurrentIndex(1)
    page.bar.presets.activated.emit(1)
    await until(lambda: prompts.state.preset == "Short")
    page.bar.actions_["delete"].trigger()
    await until(lambda: prompts.state.presets == ())
    await until(lambda: page.bar.presets.count() == 1)
    assert page.bar.undo.toolTip() == "Undo: deletion of the preset “Short”"


async def test_prompts_are_exported_and_taken_in_and_a_taken_name_is_asked_about(
    page: PromptsPage, companion: Companion, tmp_path: Path, until: Until
) -> None:
    prompts = companion.prompts
    type_at_end(page, " Be brief.")
    QTest.mouseClick(page.editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: bool(prompts.state.undo))
    await prompts.save_preset("Short")
    file = tmp_path / "given.json"
    await page.export_to(file, await prompts.exported())
    assert "given.json" in page.note.text
    await page.take_in(file)
    assert page.note.text == (
        "Imported: “My prompts”. Each is used only once you choose it. "
        "Already here, left as it is: “Short”."
    )
    QTest.mouseClick(page.note.buttons["rename"], Qt.MouseButton.LeftButton)
    await until(lambda: "Short 2" in prompts.state.presets)


async def test_a_file_changed_by_hand_is_shown_and_a_broken_one_is_said(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    prompts = companion.prompts
    own = prompts.folder / f"{TASK}.md"
    own.parent.mkdir(parents=True, exist_ok=True)
    text = await prompts.shipped_text(TASK)
    await asyncio.to_thread(own.write_text, text.replace("# User", "By hand.\n\n# User", 1))
    await prompts.look()
    await until(lambda: page.editor.system.text.endswith("By hand."))
    await asyncio.to_thread(own.write_bytes, b"\xff")
    await prompts.look()
    await until(lambda: page.editor.state.text().endswith("Using the original."))
    assert not page.editor.system.text.endswith("By hand.")
    index = page.model.place_of(TASK)
    assert (
        index.data(Qt.ItemDataRole.AccessibleDescriptionRole)
        == "Yours cannot be used, original in use"
    )
    QTest.mouseClick(page.editor.revert, Qt.MouseButton.LeftButton)
    await until(lambda: page.editor.state.text().startswith("Using the original"))
    assert not own.exists()


async def test_what_is_being_written_survives_a_change_on_disk(
    page: PromptsPage, companion: Companion, until: Until
) -> None:
    type_at_end(page, " Mine.")
    own = companion.prompts.folder / f"{TASK}.md"
    own.parent.mkdir(parents=True, exist_ok=True)
    text = await companion.prompts.shipped_text(TASK)
    await asyncio.to_thread(own.write_text, text.replace("# User", "By hand.\n\n# User", 1))
    await companion.prompts.look()
    await until(lambda: page.editor.view is not None and page.editor.view.task.is_yours)
    assert page.editor.user.text.endswith(" Mine.")
    assert page.editor.is_changed


async def test_the_settings_say_whose_the_prompts_are(
    page: PromptsPage, window: MainWindow, companion: Companion, until: Until
) -> None:
    settings = window.page
    assert isinstance(settings, SettingsPage)
    assert settings._prompts.fact == f"{len(TASKS)} prompts, all original."
    type_at_end(page, " Be brief.")
    QTest.mouseClick(page.editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: settings._prompts.fact == f"{len(TASKS)} prompts, 1 of them yours.")
    QTest.mouseClick(page.bar.back, Qt.MouseButton.LeftButton)
    assert settings._stack.currentIndex() == 0


@pytest.mark.parametrize("width", [660, 900, 1360, 1920])
async def test_nothing_is_wider_than_the_page(
    window: MainWindow, page: PromptsPage, width: int, until: Until
) -> None:
    window.resize(width, 800)
    area, save = page.editor.area, page.editor.save
    type_at_end(page, " {{mesages}}")
    await until(lambda: page.width() > width - 80)
    shown = area.widget()
    assert shown is not None
    await until(lambda: shown.width() <= area.viewport().width())
    await until(lambda: save.mapTo(page, save.rect().topRight()).x() < page.width())
    page.bar.begin_naming()
    redo = page.bar.redo
    await until(lambda: redo.mapTo(page, redo.rect().topRight()).x() < page.width())


async def test_the_palette_leads_to_the_prompts_and_the_header_says_so(
    window: MainWindow,
) -> None:
    window.show_page("settings")
    assert window.frame.header._title.text() == "Settings"
    window.actions_["prompts"].trigger()
    settings = window.page
    assert isinstance(settings, SettingsPage)
    assert settings.shows_prompts
    assert window.frame.header._title.text() == "Prompts"
    settings.close_prompts()
    assert window.frame.header._title.text() == "Settings"


async def test_the_list_shows_every_title_whole_and_says_only_what_is_not_ours(
    page: PromptsPage, until: Until
) -> None:
    """Names were cut at 210 px, and "Ours" stood under each of thirty."""
    assert page.list.width() >= page.list.title_width
    height = page.list.sizeHintForRow(0)
    type_at_end(page, " Write no more than that.")
    QTest.mouseClick(page.editor.save, Qt.MouseButton.LeftButton)
    await until(lambda: page.list.sizeHintForRow(0) > height)

    def stand_below() -> bool:
        first, second = (page.list.visualRect(page.model.index(row)) for row in (0, 1))
        return second.top() > first.bottom()

    await until(stand_below)


async def test_safe_mode_greys_what_it_would_refuse(
    page: PromptsPage, until: Until, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Companion, "is_reading_only", True)
    safe = PromptsPage(page._session)
    assert not safe.editor.can_change
    page.editor.can_change = False
    await choose(page, TASK, until)
    type_at_end(page, " More.")
    assert page.editor.save.isVisible()
    assert not page.editor.save.isEnabled()
    assert "Start normally" in page.editor.save.toolTip()
    monkeypatch.undo()
    safe.deleteLater()
