"""What chats, models and servers say is shown as text: Qt reads what looks like markup as markup,
in labels and in tooltips, and loads the pictures in it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAction, QTextDocument
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QWidget

from app.companion import Companion
from app.core.model_use import Spent
from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from app.memory.entities.bonds import Bond
from app.memory.records import Entity
from tests.ui.samples import story
from ui.controls.buttons import Button, IconButton
from ui.controls.labels import ElidedLabel, Label, menu_text, safe_tip
from ui.memories.listing.bonds import BondsTree
from ui.memories.pane.pieces import Link, Tag
from ui.minds.map_items import PersonItem
from ui.minds.parts import PlainLink
from ui.program.main_window import MainWindow
from ui.prompts.editor import _Finding
from ui.shell.chat_card import LibraryCard
from ui.shell.command_palette import find_entries
from ui.work.model import Column, OperationModel
from ui.work.use_table import UseModel, UseRow

HOSTILE = 'Mira <img src="file:///no/such.png"> <b>bold</b> & <a href="x">all</a>'

pytestmark = pytest.mark.usefixtures("dressed")


def as_shown(tip: str) -> str:
    """What somebody reads who points at it."""
    if not GuiQt.mightBeRichText(tip):
        return tip
    page = QTextDocument()
    page.setHtml(tip)
    assert "<img" not in page.toHtml().casefold()
    return page.toPlainText()


@pytest.mark.pitfall(59)
@pytest.mark.weakness(49)
def test_a_label_shows_markup_as_it_is(dressed: QApplication) -> None:
    for label in (Label(HOSTILE), ElidedLabel(HOSTILE)):
        assert label.textFormat() is Qt.TextFormat.PlainText
        assert label.text() == HOSTILE


@pytest.mark.pitfall(59)
@pytest.mark.weakness(49)
def test_every_tooltip_that_repeats_a_name_shows_it_as_it_is(dressed: QApplication) -> None:
    cut = ElidedLabel(HOSTILE)
    cut.resize(30, 20)
    cut.setText(HOSTILE)
    card = LibraryCard()
    plain = story()
    card.show_story(replace(plain, chat=replace(plain.chat, title=HOSTILE, owner_name=HOSTILE)))
    action = QAction(HOSTILE)
    action.setToolTip(f"Undo: {HOSTILE}")
    button = Button("Undo")
    button.follow(action)
    tips = [
        cut.toolTip(),
        card.toolTip(),
        button.toolTip(),
        Tag("info", HOSTILE).toolTip(),
        PlainLink(HOSTILE).toolTip(),
        PersonItem("mira", HOSTILE, 0).toolTip(),
        safe_tip(HOSTILE),
    ]
    for tip in tips:
        assert HOSTILE in as_shown(tip)


def test_a_name_with_an_ampersand_is_whole_in_a_menu_and_in_the_palette(
    dressed: QApplication,
) -> None:
    menu = QMenu()
    action = menu.addAction(menu_text("Undo: memory of Tom & Jerry && Co"))
    shown = QAccessible.queryAccessibleInterface(menu).child(0).text(QAccessible.Text.Name)
    assert shown == "Undo: memory of Tom & Jerry && Co"
    [entry] = find_entries("jerry", ((action, "undo"),), None)
    assert entry.text == "Undo: memory of Tom & Jerry && Co"


def test_an_odd_input_of_a_prompt_is_named_as_it_stands(dressed: QApplication) -> None:
    findings = _Finding()
    findings.show_findings("", (f"{HOSTILE} is no name of an input.", "Another."))
    tips = [widget.toolTip() for widget in findings.findChildren(QWidget)]
    assert any(HOSTILE in as_shown(tip) for tip in tips)


def test_who_is_remembered_together_and_which_model_was_used_are_tooltips_of_text(
    dressed: QApplication,
) -> None:
    tree = BondsTree()
    tree._add(Bond(Entity("e", 1, HOSTILE), ()), 1.0)
    used = UseModel("Model")
    used.show_rows((UseRow("a", HOSTILE, Spent(1, 2, 3)),))
    tips = (
        tree.rows[0].toolTip(0),
        used.index(0, 0).data(Qt.ItemDataRole.ToolTipRole),
        Link("more", HOSTILE).toolTip(),
        IconButton("undo", HOSTILE).toolTip(),
    )
    for tip in tips:
        assert HOSTILE in as_shown(tip)


def test_what_a_server_said_of_failed_work_is_a_tooltip_of_text() -> None:
    spec = OperationSpec(OperationKind.SCENE_RECAP, 1, "key", "anchor", HOSTILE)
    model = OperationModel()
    model.show_operations((Operation(1, spec, OperationStatus.FAILED, error=HOSTILE),))
    tip = model.index(0, Column.STATE).data(Qt.ItemDataRole.ToolTipRole)
    assert HOSTILE in as_shown(tip)


async def test_a_hostile_model_name_is_text_wherever_the_window_tells_it(
    demo_window: MainWindow, companion: Companion
) -> None:
    """Beside it: no label of the window reads any text as markup."""
    health = companion.health
    told = replace(health.backend, sentence=f"Model: {HOSTILE}")
    companion.health_changed.emit(replace(health, backend=told))
    widgets = demo_window.findChildren(QWidget)
    assert any(HOSTILE in as_shown(widget.toolTip()) for widget in widgets)
    for widget in widgets:
        as_shown(widget.toolTip())
        if isinstance(widget, QLabel) and widget.text():
            assert widget.textFormat() is Qt.TextFormat.PlainText
