"""Several folders of SillyTavern, as the settings show them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.companion import Companion
from app.core.paths import places_of
from tests.killed_work import make_chat
from ui.controls.buttons import Button
from ui.program.main_window import MainWindow
from ui.settings import tavern
from ui.settings.fact_row import FactRow
from ui.settings.page import SettingsPage

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def buttons(page: SettingsPage, text: str, *, beside: str = "") -> list[Button]:
    rows = [row for row in page.findChildren(FactRow) if beside in row.title.text()]
    found = [b for row in rows for b in row.findChildren(Button) if b.text() == text]
    return [one for one in found if one.isVisibleTo(page)]


async def test_a_folder_is_added_beside_those_that_were_found_and_left_out_again(
    demo_window: MainWindow,
    companion: Companion,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)
    other = make_chat(tmp_path / "other").parents[2]

    async def chosen(*_: object) -> Path:
        return other

    monkeypatch.setattr(tavern, "choose_folder", chosen)
    found = companion.taverns[0].user_folder
    buttons(page, "Add a folder")[0].click()
    await until(lambda: places_of(str(companion.settings["tavern"])) == (found, other))
    await until(lambda: bool(buttons(page, "Leave it out", beside=str(other))))
    buttons(page, "Leave it out", beside=str(other))[0].click()
    await until(lambda: places_of(str(companion.settings["tavern"])) == (found,))


async def test_a_folder_that_is_gone_is_not_said_to_be_found(
    demo_window: MainWindow,
    companion: Companion,
    monkeypatch: pytest.MonkeyPatch,
    until: Until,
) -> None:
    """It was said to be found by itself, with its user folders."""
    demo_window.show_page("settings")
    page = demo_window.page
    assert isinstance(page, SettingsPage)

    def told() -> list[tuple[str, str]]:
        rows = [row for row in page.findChildren(FactRow) if row.isVisibleTo(page)]
        return [(row.title.text(), row.fact.text()) for row in rows]

    gone = "SillyTavern's folder is gone: /data."
    monkeypatch.setattr(Companion, "folder_gone", property(lambda _: gone))
    companion.health_changed.emit(companion.health)
    await until(lambda: ("No SillyTavern folder", gone) in told())
    monkeypatch.undo()
    companion.health_changed.emit(companion.health)
    await until(lambda: ("1 user folder", "Found automatically.") in told())
