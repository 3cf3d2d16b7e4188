"""Which version this is, and the button that looks for a newer one, as the settings show it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest

from app.companion import Companion
from app.core.errors import StoreError
from app.core.login_start import login_start
from app.releases import release_look
from app.releases.own_metadata import OwnMetadata
from tests.releases_server import CERTIFICATE, ReleasesServer, releases_server
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage
from ui.settings.program import ProgramSection
from ui.shell.setting_entries import AT_LOGIN

Until = Callable[[Callable[[], bool]], Awaitable[None]]


class Browser(QObject):
    """Stands in for the one that would open a page."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    @Slot(QUrl)
    def open(self, url: QUrl) -> None:
        self.opened.append(url.toString())


@pytest.fixture
def browser() -> Iterator[Browser]:
    browser = Browser()
    QDesktopServices.setUrlHandler("https", browser, "open")  # type: ignore[arg-type]
    yield browser
    QDesktopServices.unsetUrlHandler("https")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ReleasesServer]:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    with releases_server() as server:
        own = OwnMetadata("0.3.1", server.page)
        monkeypatch.setattr(release_look, "own_metadata", lambda: own)
        yield server


async def led_to(window: MainWindow) -> ProgramSection:
    """The section, as the command of the palette shows it."""
    window.actions_["updates"].trigger()
    page = window.page
    assert isinstance(page, SettingsPage)
    return page.program


async def test_a_press_asks_once_and_offers_the_page(
    server: ReleasesServer, window: MainWindow, browser: Browser, until: Until
) -> None:
    section = await led_to(window)
    assert section.row.title.text() == "Tavernkeep 0.3.1"
    assert f"asks 127.0.0.1:{server.port} once" in section.row.fact.text()
    assert window.focusWidget() is section.ask
    assert server.asked == []
    server.tell("v0.4.0")
    QTest.keyClick(section.ask, Qt.Key.Key_Space)
    assert not section.ask.isEnabled()  # a second press would ask again
    await until(section.ask.isEnabled)
    assert section.row.fact.text() == "Version 0.4.0 is available; you have 0.3.1."
    assert len(server.asked) == 1
    QTest.mouseClick(section.get, Qt.MouseButton.LeftButton)
    assert browser.opened == [f"{server.page}/tag/v0.4.0"]


async def test_what_is_the_newest_or_could_not_be_found_is_said(
    server: ReleasesServer, window: MainWindow, until: Until
) -> None:
    section = await led_to(window)
    for tag, status, said in (
        ("v0.3.1", 200, "You have the newest version, 0.3.1."),
        ("<b>v9</b>", 200, "makes no sense"),
        ("v0.4.0", 503, "(503)"),
    ):
        server.tell(tag)
        server.status = status
        QTest.mouseClick(section.ask, Qt.MouseButton.LeftButton)
        await until(section.ask.isEnabled)
        assert said in section.row.fact.text()
        assert not section.get.isVisible()
        assert not window.frame.notice.isVisible()


async def test_a_copy_that_knows_no_place_offers_no_button(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(release_look, "own_metadata", lambda: OwnMetadata("0.3.1"))
    section = await led_to(window)
    assert section.row.isVisibleTo(window)
    assert "does not know where its releases are" in section.row.fact.text()
    assert not section.ask.isVisibleTo(window)


class Refusing:
    """A system that lets nothing be changed."""

    is_on = False

    def turn_on(self, _words: object) -> None:
        raise StoreError("It could not be changed.")

    def turn_off(self) -> None:
        raise AssertionError


async def test_it_starts_with_the_system_where_that_is_wanted(
    window: MainWindow, companion: Companion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = login_start("linux", {}, tmp_path)
    monkeypatch.setattr("ui.settings.page.login_start", lambda: start)
    section = await led_to(window)
    assert isinstance(window.page, SettingsPage)
    window.page.show_setting(AT_LOGIN)
    assert window.focusWidget() is section.login
    assert not section.login.isChecked()
    QTest.mouseClick(section.login, Qt.MouseButton.LeftButton)
    assert section.login.isChecked()
    assert start.is_on
    said = (tmp_path / ".config" / "autostart" / "tavernkeep.desktop").read_text("utf-8")
    assert f'"--data-dir" "{companion.folders.data}"' in said
    QTest.mouseClick(section.login, Qt.MouseButton.LeftButton)
    assert not start.is_on


async def test_what_the_system_refuses_is_said_and_stays_off(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.settings.page.login_start", Refusing)
    section = await led_to(window)
    QTest.mouseClick(section.login, Qt.MouseButton.LeftButton)
    assert not section.login.isChecked()
    assert window.frame.notice.isVisible()
