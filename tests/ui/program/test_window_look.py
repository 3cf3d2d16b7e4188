"""How the window looks, also before its settings can be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from app.companion import Companion
from ui.program.main_window import MainWindow
from ui.program.window_look import THEME_FILE, WindowLook, kept_theme
from ui.theme.source import ThemeChoice, ThemeSource

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def test_a_start_without_a_kept_theme_follows_the_system(tmp_path: Path) -> None:
    assert kept_theme(tmp_path) is ThemeChoice.SYSTEM
    (tmp_path / THEME_FILE).write_text("plaid", encoding="utf-8")
    assert kept_theme(tmp_path) is ThemeChoice.SYSTEM


async def test_the_next_start_knows_the_theme_before_it_reads_the_settings(
    window: MainWindow, companion: Companion, until: Until
) -> None:
    """The starting page was dark, and the window turned light seconds later."""
    assert window.desk is not None
    await companion.put_setting("theme", "light")
    source = ThemeSource()
    WindowLook(window.desk.session, source, window.actions_)
    assert source.choice is ThemeChoice.LIGHT
    await until(lambda: kept_theme(companion.folders.data) is ThemeChoice.LIGHT)
