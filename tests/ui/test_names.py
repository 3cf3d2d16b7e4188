"""Whatever takes the keyboard or a press has a name for those who do not see it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractSlider, QScrollBar, QWidget

from app.views.journal import JournalEntry
from ui.program.main_window import MainWindow
from ui.program.pages import HasPrompts

PAGES = ("story", "recaps", "memories", "minds", "budgets", "prompt", "work", "settings")


def nameless(root: QWidget) -> list[str]:
    """What of a window can be focused or pressed, is seen, and has no name."""
    return [
        f"{type(widget).__name__} {widget.objectName()}"
        for widget in root.findChildren(QWidget)
        if widget.isVisible()
        and not isinstance(widget, QScrollBar)
        and widget.focusProxy() is None
        and (
            widget.focusPolicy() & Qt.FocusPolicy.TabFocus
            or isinstance(widget, QAbstractButton | QAbstractSlider)
        )
        and not widget.accessibleName().strip()
    ]


async def test_everything_on_every_page_has_a_name(demo_window: MainWindow) -> None:
    found = {}
    for key in PAGES:
        demo_window.show_page(key)
        found[key] = nameless(demo_window)
    page = demo_window.page
    assert isinstance(page, HasPrompts)
    page.open_prompts()
    found["prompts"] = nameless(demo_window)
    demo_window.set_up()
    assert demo_window.first_run is not None
    for number, row in enumerate(demo_window.first_run.rail.rows):
        row.click()
        found[f"first run {number}"] = nameless(demo_window)
    assert {key: names for key, names in found.items() if names} == {}


async def test_everything_on_a_sheet_has_a_name(demo_window: MainWindow) -> None:
    assert demo_window.desk is not None
    everywhere = demo_window.desk.everywhere
    everywhere.open_health()
    assert everywhere.health_sheet.isVisible()
    assert nameless(everywhere.health_sheet) == []
    everywhere.open_search()
    assert everywhere.search_sheet.isVisible()
    assert nameless(everywhere.search_sheet) == []
    everywhere.history.open_below(demo_window, (JournalEntry(1, "scene break", 0.0, False),))
    assert everywhere.history.isVisible()
    assert nameless(everywhere.history) == []
    everywhere.history.close()
