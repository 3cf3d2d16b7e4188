"""The settings page: generated from the registry, searchable, for all chats or for one."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from itertools import pairwise

import keyring
import pytest
from keyring.backends.fail import Keyring as NoKeyring
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication

from app.companion import Companion
from app.core.operations import OperationKind
from app.llm.backends.specs import parse_spec
from app.settings.setting import Scope
from app.settings.values import REGISTRY
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from ui.controls.buttons import Button
from ui.controls.fields import Field
from ui.controls.labels import Label
from ui.controls.number_fields import DecimalField, NumberField
from ui.controls.people_field import PeopleField
from ui.controls.rules_editor import RulesEditor
from ui.controls.setting_sections import Row
from ui.controls.setting_template import TemplateEditor
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
BUDGET = "running_recap_budget"


@pytest.fixture
async def page(demo_window: MainWindow) -> SettingsPage:
    demo_window.show_page("settings")
    shown = demo_window.page
    assert isinstance(shown, SettingsPage)
    return shown


def shown_names(page: SettingsPage) -> set[str]:
    return {name for name in page._rows.by_name if page.row(name).isVisibleTo(page)}


def press_section(page: SettingsPage, title: str) -> None:
    sections = page.rail.sections
    item = sections.item_of(title)
    assert item is not None
    at = sections.visualItemRect(item).center()
    QTest.mouseClick(sections.viewport(), Qt.MouseButton.LeftButton, pos=at)


def press(page: SettingsPage, key: str) -> None:
    button = page.rail.scopes._buttons[key]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


async def test_every_setting_with_a_section_can_be_changed(page: SettingsPage) -> None:
    wanted = {name for name, setting in REGISTRY.items() if setting.section is not None}
    assert set(page._rows.by_name) == wanted == shown_names(page)


@pytest.mark.weakness(58)
async def test_a_changed_setting_says_its_default_and_can_be_reset(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    row = page.row(BUDGET)
    assert not row.reset.isVisibleTo(page)
    field = row.control
    assert isinstance(field, NumberField)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "600")
    QTest.keyClick(field, Qt.Key.Key_Return)
    await until(lambda: companion.settings[BUDGET] == 600)
    await until(lambda: row.note == "Default: 1,000.")
    QTest.mouseClick(row.reset, Qt.MouseButton.LeftButton)
    await until(lambda: companion.settings[BUDGET] == 1000)
    await until(lambda: not row.reset.isVisibleTo(page))
    assert field.value() == 1000


async def test_rows_stand_still_while_one_of_them_is_changed_and_reset(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    """Its line "Default: 1,000." and the room that "Reset" took pushed all below it down."""
    row = page.row(BUDGET)

    def places() -> list[QRect]:
        rows = [*page._rows.by_name.values(), row.control]
        return [QRect(one.mapTo(page, QPoint(0, 0)), one.size()) for one in rows]

    await until(lambda: page._area.verticalScrollBar().maximum() > 0)
    before = places()
    page.put(BUDGET, 600)
    await until(row.reset.isVisible)
    await until(lambda: row.note == "Default: 1,000.")
    await asyncio.sleep(0.1)  # in which all would be laid out anew
    assert places() == before


async def test_a_setting_of_one_chat_leaves_the_others_alone(
    page: SettingsPage, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    press(page, "chat")
    assert all(REGISTRY[name].scope is Scope.CHAT for name in shown_names(page))
    assert not page.backend.isVisibleTo(page)
    page.put(BUDGET, 300)
    await until(lambda: companion.setting(BUDGET, path=demo_tavern.chat).value == 300)
    await until(lambda: page.row(BUDGET).note == "For all chats: 1,000.")
    assert companion.settings[BUDGET] == 1000
    press(page, "all")
    assert page.row(BUDGET).note == "In this chat: 300."
    assert page.backend.isVisibleTo(page)


async def test_the_field_finds_settings_by_their_words(page: SettingsPage) -> None:
    QTest.keyClicks(page.rail.field, "lorebook")
    assert shown_names(page) == {name for name in REGISTRY if name.endswith("_scan")}
    assert not page.backend.isVisibleTo(page)
    QTest.keyClick(page.rail.field, Qt.Key.Key_Escape)
    assert len(shown_names(page)) == len(page._rows.by_name)
    QTest.keyClicks(page.rail.field, "ollama")
    assert shown_names(page) == {"embeddings"}
    assert page.backend.isVisibleTo(page)


async def test_what_has_no_effect_now_is_greyed_and_says_why(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    depth = page.row("running_recap_depth")
    assert not depth.control.isEnabled()
    assert "In the chat".lower() in depth.toolTip().lower()
    page.put("running_recap_position", 1)
    await until(lambda: depth.control.isEnabled())


async def test_a_frame_is_kept_only_when_the_user_says_so(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    name = "running_recap_template"
    editor = page.row(name).control
    assert isinstance(editor, TemplateEditor)
    before = companion.settings[name]
    editor.text.selectAll()
    QTest.keyClicks(editor.text, "So far: {{running_recap}}")
    assert companion.settings[name] == before
    assert editor.keep.isVisibleTo(page)
    page.refresh_values()
    assert editor.text.toPlainText() == "So far: {{running_recap}}"
    QTest.keyClick(editor.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: companion.settings[name] == "So far: {{running_recap}}")
    await until(lambda: page.row(name).reset.isVisibleTo(page))
    editor.text.selectAll()
    QTest.keyClicks(editor.text, "nothing of it")
    QTest.keyClick(editor.text, Qt.Key.Key_Escape)
    assert editor.text.toPlainText() == "So far: {{running_recap}}"


async def test_a_frame_is_warned_of_only_where_it_has_lost_what_it_needs(
    page: SettingsPage,
) -> None:
    controls = {name: page.row(name).control for name in page._rows.by_name}
    editors = {n: one for n, one in controls.items() if isinstance(one, TemplateEditor)}
    frames = {name: one for name, one in editors.items() if one._placeholder}
    assert len(frames) > 8
    for name, editor in frames.items():
        warning, before = editor._warning, editor.text.toPlainText()
        assert not warning.text(), name  # what it is at first works
        editor.text.setPlainText("Before that:")
        said = (
            "only these words" if not name.startswith("slot_") else "are placed below these words"
        )
        assert said in warning.text()
        named = warning.text().split()[1].rstrip(",")
        assert named in before
        editor.text.setPlainText(f"Before that: {named}")
        assert not warning.text()
        editor.put_back()


async def test_a_model_is_tested_before_it_is_used(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    with FakeLlm(lambda request: "Ada hides a letter.") as llm:
        page.backend.choose("openai", model="", url=llm.url)
        page.backend._on_list()
        await until(lambda: page.backend._model_name() == MODEL)
        page.backend.test()
        await until(lambda: not page.backend.trial.is_running)
    assert page.backend.trial.text == "Ada hides a letter."
    assert page.backend.trial.error == ""
    assert page.backend.trial.verdict == "Usable as a recap, and fast enough to play with."
    assert companion.settings["backend"] == "builtin"


async def test_a_server_that_names_no_models_says_so_beside_its_address(
    page: SettingsPage, until: Until
) -> None:
    backend = page.backend
    backend.choose("openai", model="", url="127.0.0.1:9")
    backend._on_list()
    await until(lambda: "127.0.0.1:9" in backend._wrong.text())
    assert backend._wrong.isVisibleTo(page)
    # Right beneath the server's fields, address and key: between them it would move the key's.
    parts = (backend._fields, backend.key, backend._wrong)
    tops_and_bottoms = [(part.geometry().top(), part.geometry().bottom()) for part in parts]
    for (_, bottom), (top, _) in pairwise(tops_and_bottoms):
        assert 0 <= top - bottom <= 12
    backend._url.setText("127.0.0.1:10")
    assert backend._wrong.text() == ""


async def test_what_was_refused_without_a_key_is_said_no_more_once_one_is_typed(
    page: SettingsPage, until: Until
) -> None:
    backend = page.backend
    backend.choose("openai", model="m", url="127.0.0.1:9")
    backend._on_list()
    await until(lambda: "127.0.0.1:9" in backend._wrong.text())
    QTest.keyClicks(backend.key, "k")
    assert backend._wrong.text() == ""
    assert not backend._wrong.isVisibleTo(page)


async def test_the_key_field_shows_that_a_key_is_kept(
    page: SettingsPage, companion: Companion
) -> None:
    backend = page.backend
    backend.choose("openai", model="m", url="http://127.0.0.1:9")
    assert "kept" not in backend.key.placeholderText()
    await companion.models.keep_key("http://127.0.0.1:9", "a-secret")
    backend.show_keys()
    assert backend.key.placeholderText() == "••••••••••••  A key is saved"
    await companion.models.keep_key("http://127.0.0.1:9", "")


async def test_a_key_is_kept_when_enter_is_pressed_behind_it(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    backend = page.backend
    backend.choose("openai", model="m", url="http://127.0.0.1:9")
    backend.key.setText("a-secret")
    QTest.keyClick(backend.key, Qt.Key.Key_Return)
    await until(lambda: "A key is saved" in backend.key.placeholderText())
    assert not backend.key.text()
    await companion.models.keep_key("http://127.0.0.1:9", "")


async def test_a_test_can_be_stopped(page: SettingsPage, until: Until) -> None:
    with FakeLlm() as llm:
        llm.reply = lambda request: f"Late: {llm.closing.wait(5)}"
        page.backend.choose("openai", model=MODEL, url=llm.url)
        page.backend.test()
        await until(lambda: bool(llm.requests))
        QTest.mouseClick(page.backend.trial._stop, Qt.MouseButton.LeftButton)
        await until(lambda: not page.backend.trial.is_running)


async def test_a_model_that_fails_says_why_where_it_was_tested(
    page: SettingsPage, until: Until
) -> None:
    page.backend.choose("openai", model="qwen", url="127.0.0.1:9")
    page.backend.test()
    await until(lambda: bool(page.backend.trial.error))
    assert page.backend.trial.text == ""


@pytest.mark.parametrize("width", [660, 900, 1360, 1920])
async def test_no_row_is_wider_than_the_page(
    demo_window: MainWindow, page: SettingsPage, width: int, until: Until
) -> None:
    demo_window.resize(width, 800)
    page.backend.choose("openai", model=MODEL, url="localhost:8080")
    area = page._area
    await until(lambda: page.width() > width - 80)
    await until(lambda: page._content.width() <= area.viewport().width())


async def test_the_list_marks_the_section_that_is_read(page: SettingsPage, until: Until) -> None:
    sections = page.rail.sections
    await until(lambda: sections.place == "SillyTavern")
    press_section(page, "Running recap")
    assert sections.place == "Running recap"
    top = page.row("running_recap_enabled").mapTo(page._area, QPoint(0, 0)).y()
    assert 0 <= top < 120
    page._area.verticalScrollBar().setValue(0)
    assert sections.place == "SillyTavern"
    press_section(page, "SillyTavern")
    assert page._area.verticalScrollBar().value() == 0


def listed(page: SettingsPage) -> dict[str, list[str]]:
    """The sections under their headings, as they are listed."""
    found: dict[str, list[str]] = {}
    for row in range(page.rail.sections.count()):
        item = page.rail.sections.item(row)
        if item.flags():
            list(found.values())[-1].append(item.text())
        else:
            found[item.text()] = []
    return found


async def test_sections_stand_under_headings_what_a_newcomer_needs_first(
    page: SettingsPage, until: Until
) -> None:
    """Twenty-one of them were one list."""
    groups = listed(page)
    assert next(iter(groups)) == "To begin with"
    first = groups["To begin with"]
    assert first == ["SillyTavern", "Model", "Usage of the model", "Memory", "Look"]
    titles = [title for titles in groups.values() for title in titles]
    assert titles == [part.title for part in page._parts if not part.isHidden()]
    assert len(titles) == len(set(titles)) == 21
    tops = [part.mapTo(page._content, QPoint(0, 0)).y() for part in page._parts]
    assert tops == sorted(tops)  # the page has the same order
    QTest.keyClicks(page.rail.field, "lorebook")
    found = listed(page)
    assert found
    assert all(found.values())  # no heading stands alone
    QTest.keyClick(page.rail.field, Qt.Key.Key_Escape)
    assert listed(page) == groups


async def test_arrow_keys_go_from_section_to_section_past_the_headings(
    page: SettingsPage, until: Until
) -> None:
    sections = page.rail.sections
    await until(lambda: sections.place == "SillyTavern")
    sections.setFocus()
    seen = []
    for _ in range(6):
        QTest.keyClick(sections, Qt.Key.Key_Down)
        seen.append(sections.place)
    assert seen == [
        "Model",
        "Usage of the model",
        "Memory",
        "Look",
        "Models by task",
        "Memory test",
    ]
    assert page._area.verticalScrollBar().value() > 0


async def test_a_price_with_a_fraction_and_a_short_text_can_be_set(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    price = page.row("price_prompt_tokens").control
    assert isinstance(price, DecimalField)
    assert price.text() == "No price"
    price.setFocus()
    price.selectAll()
    QTest.keyClicks(price, f"0{price.locale().decimalPoint()}15")
    QTest.keyClick(price, Qt.Key.Key_Return)
    await until(lambda: companion.settings["price_prompt_tokens"] == 0.15)
    names = page.row("left_out").control
    assert isinstance(names, PeopleField)
    QTest.keyClicks(names.field, "Mira, Dov")
    QTest.keyClick(names.field, Qt.Key.Key_Return)
    await until(lambda: companion.settings["left_out"] == "Mira, Dov")
    assert names.field.text() == "Mira, Dov"


async def test_who_is_left_out_is_switched_by_name(
    page: SettingsPage, companion: Companion, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    story = demo_window.desk.session.story
    assert story is not None
    names = page.row("left_out").control
    assert isinstance(names, PeopleField)
    speaker = story.chat.speakers[0]

    def switch(name: str) -> QAction:
        return next(action for action in names.menu().actions() if action.text() == name)

    assert not switch(speaker).isChecked()
    switch(speaker).trigger()
    await until(lambda: companion.settings["left_out"] == speaker)
    await until(lambda: switch(speaker).isChecked())
    switch(speaker).trigger()
    await until(lambda: companion.settings["left_out"] == "")


async def test_that_nothing_stood_in_a_field_is_said_in_a_word(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    """It said "Default: .", and the way back "Reset to: "."""
    row = page.row("left_out")
    page.put("left_out", "Ada")
    await until(lambda: row.note == "Default: empty.")
    assert row.reset.toolTip() == "Reset to: empty"


async def test_what_models_do_not_read_is_tried_while_it_is_written(
    page: SettingsPage, companion: Companion, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    story = demo_window.desk.session.story
    assert story is not None
    row = page.row("text_left_out")
    editor = row.control
    assert isinstance(editor, RulesEditor)
    await until(lambda: editor.tried.text() == "")
    word = story.messages[-1].text.split()[0]
    editor.text.setPlainText("<nothing>…</nothing>")
    assert editor.tried.text().startswith("Nothing of the newest 50 messages")
    editor.text.setPlainText(f"# a note\n{word}")
    assert "1 passage" in editor.tried.text() or "passages" in editor.tried.text()
    assert word in editor.tried.text()
    editor.keep.click()
    await until(lambda: companion.settings["text_left_out"] == f"# a note\n{word}")
    await until(lambda: row.note == "Changed.")


async def test_a_key_is_kept_for_its_server_sent_there_forgotten_and_brought_back(
    page: SettingsPage,
    demo_window: MainWindow,
    companion: Companion,
    until: Until,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TAVERNKEEP_API_KEY", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]
    try:
        with FakeLlm() as llm:
            page.backend.choose("openai", model=MODEL, url=llm.url)
            typed = page.findChild(Field, "api key")
            assert typed is not None
            QTest.keyClicks(typed, "sk-typed")
            page.backend.use()
            await until(lambda: MODEL in companion.models.writer().label)
            assert companion.models.keys.find(llm.url) == "sk-typed"
            assert typed.text() == ""
            words = page.findChild(Label, "about the key")
            assert words is not None
            assert str(companion.models.keys.file) in words.text()
            page.backend.test()
            await until(lambda: bool(llm.requests) and not page.backend.trial.is_running)
            assert llm.requests[-1].key == "Bearer sk-typed"
            forget = page.findChild(Button, "forget the key")
            assert forget is not None
            QTest.mouseClick(forget, Qt.MouseButton.LeftButton)
            await until(lambda: companion.models.keys.find(llm.url) is None)
            await until(forget.isHidden)
            # A stray click, and the only copy of a key was gone.
            undo = demo_window.actions_["undo"]
            await until(lambda: "deleting an API key" in undo.text())
            undo.trigger()
            await until(lambda: companion.models.keys.find(llm.url) == "sk-typed")
            await until(forget.isVisible)
            await until(lambda: "API key" not in undo.text())
    finally:
        keyring.set_keyring(before)


async def test_a_kind_of_work_is_given_to_a_model_that_is_entered_above_and_tried(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    with FakeLlm() as llm:
        row = page.kinds.by_name["model_running_recap"]
        assert row.choice.currentText() == "As above"
        assert not row.test.isEnabled()
        page.backend.choose("openai", model=MODEL, url=llm.url)
        spec = str(parse_spec(f"openai:{MODEL}@{llm.url}"))
        row.choice.setFocus()
        while row.choice.currentData() != spec:
            before = row.choice.currentIndex()
            QTest.keyClick(row.choice, Qt.Key.Key_Down)
            assert row.choice.currentIndex() != before
        row.choose(spec)
        await until(lambda: companion.settings["model_running_recap"] == spec)
        assert companion.settings["backend"] == "builtin"
        await until(lambda: companion.models.writer(OperationKind.RUNNING_RECAP).spec == spec)
        assert companion.models.writer(OperationKind.SCENE_RECAP).spec == "builtin"
        await until(row.test.isEnabled)
        QTest.mouseClick(row.test, Qt.MouseButton.LeftButton)
        await until(lambda: bool(llm.requests) and bool(page.kinds.trial.verdict))
        row.choose("")
        await until(lambda: companion.settings["model_running_recap"] == "")
        await until(lambda: companion.models.writer(OperationKind.RUNNING_RECAP).spec == "builtin")


async def test_removing_the_bridge_says_what_is_left_to_do(
    demo_window: MainWindow, companion: Companion, until: Callable[..., Awaitable[None]]
) -> None:
    folder = companion.taverns[0].user_folder
    await companion.bridge.install(folder)
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    assert demo_window.desk is not None
    told: list[str] = []
    demo_window.desk.session.told.connect(told.append)

    def remove() -> list[QAbstractButton]:
        buttons = page.findChildren(QAbstractButton)
        return [b for b in buttons if b.text() == "Remove" and b.isVisible()]

    await until(lambda: bool(remove()))
    remove()[0].click()
    await until(lambda: any("Reload SillyTavern's page" in sentence for sentence in told))
    assert not (await companion.bridge.status(folder)).installed


async def test_undo_takes_a_change_of_a_setting_back_by_name(
    page: SettingsPage, demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    undo = demo_window.actions_["undo"]
    field = page.row(BUDGET).control
    assert isinstance(field, NumberField)
    demo_window.activateWindow()
    await until(demo_window.isActiveWindow)
    field.setFocus()
    QTest.keyClick(field, Qt.Key.Key_Up)
    QTest.keyClick(field, Qt.Key.Key_Up)
    await until(lambda: companion.settings[BUDGET] == 1002)
    await until(lambda: "1,000 → 1,002" in undo.text())
    # With nothing typed in it, the field leaves the key to the window.
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: companion.settings[BUDGET] == 1000)
    await until(lambda: field.value() == 1000)


@pytest.mark.parametrize("words", ["budget of the running", "theme"])
async def test_the_palette_leads_to_the_row_of_a_setting(
    demo_window: MainWindow, until: Until, words: str
) -> None:
    demo_window.activateWindow()
    await until(demo_window.isActiveWindow)
    assert demo_window.desk is not None
    demo_window.desk.open_palette()
    field = QApplication.focusWidget()
    assert isinstance(field, Field)
    QTest.keyClicks(field, words)
    palette = demo_window.desk._palette
    await until(lambda: palette._list.currentIndex().data() is not None)
    QTest.keyClick(field, Qt.Key.Key_Return)
    shown = demo_window.page
    assert isinstance(shown, SettingsPage)
    marked = [row for row in shown.findChildren(Row) if row.is_marked]
    assert len(marked) == 1
    await until(lambda: not marked[0].visibleRegion().isEmpty())
    focus = QApplication.focusWidget()
    assert focus is not None
    assert marked[0].isAncestorOf(focus)
    QTest.keyClicks(shown.rail.field, "x")
    assert not marked[0].is_marked
