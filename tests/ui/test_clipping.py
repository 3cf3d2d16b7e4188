"""At every size of text and window, what the window says can be read whole.

A window that is drawn larger has fewer pixels of its own: 1280x800 at 130 % is one of 985x615.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics, QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QScrollArea,
    QStyleOptionComboBox,
    QWidget,
)

from app.core.help_pages import help_pages
from app.core.translation import tr
from ui.budgets.page import BudgetsPage
from ui.controls.buttons import Button
from ui.controls.fields import ChoiceCard
from ui.controls.labels import ElidedLabel
from ui.copies.dialog import CopiesDialog
from ui.inspector.inspector import LESS_IS_SENT
from ui.memories.listing.rail import PEOPLE
from ui.memories.listing.table import Header
from ui.memories.page import MemoriesPage
from ui.offers.replacing import ReplaceDialog
from ui.program.main_window import MainWindow
from ui.program.story_stage import NARROWEST
from ui.shell.entries import BESIDE_ROWS
from ui.theme import theme
from ui.theme.fonts import ui_font
from ui.work.model import DETAIL_ROLE
from ui.work.page import WorkPage

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
PAGES = ("story", "recaps", "memories", "minds", "budgets", "prompt", "work", "settings")
PATIENCE = 40  # looks
SKIP = ("Skip all", "Alles überspringen")
SLACK = 1  # px by which rounding may differ


def clipped(root: QWidget) -> list[str]:
    """What is shown in part only: label or button, its words, room and need."""
    found = []
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, QLabel | QAbstractButton):
            continue
        words = widget.text()
        if not words or isinstance(widget, ElidedLabel):
            continue
        need = _needed(widget)
        has = (widget.contentsRect() if isinstance(widget, QLabel) else widget.rect()).size()
        shown = _seen(widget, root)
        if (
            need[0] > has.width() + SLACK
            or need[1] > has.height() + SLACK
            or shown.width() < widget.width() - SLACK
        ):
            found.append(
                f"{type(widget).__name__} “{words[:50]}”: needs {need}, "
                f"has {has.width(), has.height()}, seen {shown.width()} of {widget.width()}"
            )
    return found


def _needed(widget: QLabel | QAbstractButton) -> tuple[int, int]:
    if not isinstance(widget, QLabel):
        return widget.sizeHint().width(), 0
    metrics = widget.fontMetrics()
    if not widget.wordWrap():
        return metrics.horizontalAdvance(widget.text()), metrics.ascent()
    width = widget.contentsRect().width()
    flags = int(Qt.TextFlag.TextWordWrap)
    need = metrics.boundingRect(QRect(0, 0, max(1, width), 9999), flags, widget.text())
    return need.width(), need.height()


def _seen(widget: QWidget, root: QWidget) -> QRect:
    """The part of a widget that its ancestors leave to be seen; what scrolls can be scrolled to."""
    area = QRect(widget.mapTo(root, widget.rect().topLeft()), widget.size())
    parent = widget.parentWidget()
    while parent is not None and parent is not root:
        if isinstance(parent.parentWidget(), QScrollArea):
            shown = QRect(parent.mapTo(root, parent.rect().topLeft()), parent.size())
            shown.setTop(area.top())
            shown.setBottom(area.bottom())
            area = area.intersected(shown)
        parent = parent.parentWidget()
    return area.intersected(QRect(root.rect().left(), area.top(), root.width(), area.height()))


async def still_clipped(root: QWidget) -> list[str]:
    """What is clipped when layouts are done, which is by and by."""
    for _ in range(PATIENCE):
        if not [one for one in clipped(root) if not any(words in one for words in SKIP)]:
            break
        await asyncio.sleep(0.05)
    return clipped(root)


@pytest.mark.parametrize(
    ("width", "height", "px"),
    [
        pytest.param(1506, 941, 13.0, id="85 %"),
        pytest.param(1280, 800, 15.5, id="100 %"),
        pytest.param(985, 615, 20.0, id="130 %"),
        pytest.param(800, 500, 22.0, id="160 %"),
    ],
)
async def test_nothing_is_clipped_on_any_page(
    demo_window: MainWindow, until: Until, width: int, height: int, px: float
) -> None:
    demo_window.resize(width, height)
    before = theme.reading_px
    theme.set_reading_px(px)
    try:
        found: list[str] = []
        for page in PAGES:
            demo_window.show_page(page)
            await until(lambda page=page: demo_window.current_state().page == page)  # type: ignore[misc]
            found += [f"{page}: {words}" for words in await still_clipped(demo_window)]
        demo_window.set_up()
        assert demo_window.first_run is not None
        for number, row in enumerate(demo_window.first_run.rail.rows, 1):
            row.click()
            words = await still_clipped(demo_window.first_run)
            # Where there is no room for its words it is an icon with a tip.
            found += [f"step {number}: {one}" for one in words if "Skip all" not in one]
        assert not found, "\n".join(found)
    finally:
        theme.set_reading_px(before)


@pytest.mark.usefixtures("in_german")
@pytest.mark.parametrize(
    ("width", "height"),
    [
        pytest.param(1324, 828, id="1920x1200 at 145 %"),
        pytest.param(942, 530, id="1366x768 at 145 %"),
    ],
)
async def test_nothing_is_clipped_in_german_either(
    demo_window: MainWindow, until: Until, width: int, height: int
) -> None:
    demo_window.resize(width, height)
    found: list[str] = []
    for page in PAGES:
        demo_window.show_page(page)
        await until(lambda page=page: demo_window.current_state().page == page)  # type: ignore[misc]
        found += [f"{page}: {words}" for words in await still_clipped(demo_window)]
    demo_window.set_up()
    assert demo_window.first_run is not None
    for number, row in enumerate(demo_window.first_run.rail.rows, 1):
        row.click()
        words = await still_clipped(demo_window.first_run)
        found += [f"step {number}: {one}" for one in words if "Alles überspringen" not in one]
    assert not found, "\n".join(found)


def test_the_test_sees_what_is_clipped(dressed: QApplication) -> None:
    holder = QWidget()
    label = QLabel("A sentence that is far too long for its place", holder)
    label.setFixedSize(40, 20)
    button = Button("A deed with a long name", parent=holder)
    button.setFixedWidth(30)
    whole = QLabel("Whole", holder)
    whole.adjustSize()
    holder.resize(400, 100)
    holder.show()
    assert len(clipped(holder)) == 2
    holder.close()


def test_a_narrow_button_drops_its_key_and_then_its_word_never_a_part_of_it(
    dressed: QApplication,
) -> None:
    full, wordless = Button("Read the chat again", icon="sync", hint="F5"), Button("", icon="sync")
    keyless = Button("Read the chat again", icon="sync")

    def drawn(button: Button, width: int) -> QImage:
        button.resize(width, 28)
        return button.grab().toImage()

    least = full.minimumSizeHint().width()
    assert least < keyless.sizeHint().width() < full.sizeHint().width()
    assert drawn(full, least) == drawn(keyless, least)
    assert drawn(full, least - 1) == drawn(wordless, least - 1)
    assert drawn(full, least) != drawn(wordless, least)
    wide = full.sizeHint().width()
    assert drawn(full, wide) != drawn(keyless, wide)


@pytest.mark.usefixtures("in_german")
async def test_in_german_what_is_painted_can_be_read_whole_in_a_small_window(
    demo_window: MainWindow, until: Until
) -> None:
    """Names of columns, the figure over the prompt's bar, cards of the first start, help."""
    demo_window.resize(942, 530)
    desk = demo_window.desk
    assert desk is not None
    demo_window.show_page("memories")
    page = demo_window.page
    assert isinstance(page, MemoriesPage)
    place = demo_window.frame.header._place
    assert place.fontMetrics().horizontalAdvance(place.text()) <= place.width()
    page.rail.choose(PEOPLE)
    header = page.people.table.horizontalHeader()
    assert isinstance(header, Header)
    for column in range(header.count()):
        assert header.sectionSize(column) >= header.width_of(column)
    demo_window.show_page("budgets")
    budgets = demo_window.page
    assert isinstance(budgets, BudgetsPage)
    figure = budgets.prompt_bar.figure
    await until(lambda: bool(figure.figure))
    await asyncio.sleep(0.1)
    assert figure.least <= figure.width()
    demo_window.show_page("work")
    work = demo_window.page
    assert isinstance(work, WorkPage)
    await until(lambda: work.table.model().rowCount() > 0)
    beside, face = 44 + 8, QFontMetrics(ui_font(11))
    detail = str(work.table.model().index(0, 0).data(DETAIL_ROLE))
    assert face.horizontalAdvance(detail) + beside <= work.table.columnWidth(0)
    desk.everywhere.open_help()
    sheet = desk.everywhere.help_sheet
    sides = BESIDE_ROWS + 34 + 12 + 12
    room = sheet.list.viewport().width() - sides
    face = QFontMetrics(ui_font(12.5))
    assert max(face.horizontalAdvance(page.title) for page in help_pages()) <= room
    sheet.close()
    demo_window.set_up()
    assert demo_window.first_run is not None
    demo_window.first_run.rail.rows[2].click()
    await asyncio.sleep(0.1)
    cards = [card for card in demo_window.first_run.findChildren(ChoiceCard) if card.isVisible()]
    assert cards
    for card in cards:
        lines = card._lines(card.width())
        assert " ".join(lines) == card._detail
        assert card.height() == card.sizeHint().height()


@pytest.mark.usefixtures("in_german")
async def test_dialogs_have_room_over_a_small_window(demo_window: MainWindow) -> None:
    demo_window.resize(942, 530)
    desk = demo_window.desk
    assert desk is not None
    for begin, kind in (
        (desk.banners.copies.begin, CopiesDialog),
        (desk.banners.replacement.begin, ReplaceDialog),
    ):
        begin()
        dialog = demo_window.findChild(kind)
        assert dialog is not None
        assert dialog.height() < demo_window.height()
        assert dialog.minimumSizeHint().height() <= dialog.height()
        assert await still_clipped(dialog) == []
        dialog.close()


@pytest.mark.usefixtures("in_german")
async def test_the_head_of_the_running_recap_is_whole_in_the_narrowest_pane(
    demo_window: MainWindow, until: Until
) -> None:
    desk = demo_window.desk
    assert desk is not None
    demo_window.show_page("story")
    stage = desk.story_stage
    assert stage is not None
    stage.split.set_pane_width(NARROWEST)
    versions = stage.inspector.version_choice
    await until(versions.isVisible)
    option = QStyleOptionComboBox()
    versions.initStyleOption(option)
    assert versions._cut(option) in versions.currentText()  # no ellipsis
    assert await still_clipped(stage.inspector) == []


@pytest.mark.usefixtures("in_german")
@pytest.mark.parametrize(
    ("width", "height"),
    [
        pytest.param(1050, 590, id="1366x768 at 130 %"),
        pytest.param(942, 530, id="1366x768 at 145 %"),
    ],
)
async def test_why_less_of_the_recap_is_sent_is_whole(
    demo_window: MainWindow, until: Until, width: int, height: int
) -> None:
    demo_window.resize(width, height)
    desk = demo_window.desk
    assert desk is not None
    demo_window.show_page("story")
    stage = desk.story_stage
    assert stage is not None
    if not stage.inspector.isVisible():
        demo_window.actions_["pane.right"].trigger()
    await until(stage.inspector.version_choice.isVisible)
    stage.inspector._left.say(tr(LESS_IS_SENT, n="174", all="953"))
    assert await still_clipped(stage.inspector) == []
