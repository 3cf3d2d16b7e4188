"""The first start where SillyTavern's files are on another machine: its page brings the story."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from websockets.asyncio.client import connect

from app.sillytavern.bridge.bridge_protocol import PAIRING_SUBPROTOCOL
from tests.scripted_page import ScriptedPage
from tests.ui.first_run.test_wizard import companion_of, fresh, wizard_of
from ui.controls.buttons import Button
from ui.controls.labels import Label
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage
from ui.settings.remote import PairingRow

__all__ = ("fresh",)

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ORIGIN = "http://192.168.1.5:8000"


async def test_the_first_start_leads_to_the_story_of_a_page_elsewhere(
    fresh: MainWindow,
    until: Until,
) -> None:
    wizard, companion = wizard_of(fresh), companion_of(fresh)
    words = [label.text() for label in wizard.findChildren(Label) if label.isVisible()]
    assert any("on another computer, its page can bring the chats" in text for text in words)
    for _ in wizard.steps:
        QTest.mouseClick(wizard.skip, Qt.MouseButton.LeftButton)
    fresh.show_page("settings")
    page = fresh.page
    assert isinstance(page, SettingsPage)
    [row] = [row for row in page.findChildren(PairingRow) if row.isVisibleTo(page)]
    row.findChildren(Button)[0].click()
    code = companion.remote.code_text.partition("@")[0]
    assert code in row.title.text()
    port = companion._link.port
    async with connect(
        f"ws://127.0.0.1:{port}",
        origin=ORIGIN,  # type: ignore[arg-type]
        subprotocols=[PAIRING_SUBPROTOCOL],  # type: ignore[list-item]
        proxy=None,
    ) as socket:
        await socket.send(json.dumps({"type": "pair", "code": code}))
        token = json.loads(await socket.recv())["token"]
    shown = ScriptedPage()
    shown.messages = [{"name": "Ada", "is_user": False, "mes": "The lamp burns."}]
    path = companion.remote.taverns[0].folder / "chats" / "Ada" / "Evening.jsonl"
    assert fresh.desk is not None
    session = fresh.desk.session
    async with shown.connected(port, ORIGIN, token), asyncio.timeout(20):
        await until(lambda: path in companion.chats_in_pages)
        await until(lambda: session.path == path)  # the window follows the page
        assert session.story is not None
        assert [message.text for message in session.story.messages] == ["The lamp burns."]
