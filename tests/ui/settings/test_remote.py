"""Pairing with a SillyTavern on another machine, as the settings show it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.client import connect

from app.companion import Companion
from app.sillytavern.bridge.bridge_protocol import PAIRING_SUBPROTOCOL, ChatIdentity
from app.sillytavern.remote.chat_draft import CopiedChat
from app.sillytavern.remote.copy_folder import CopyFolder
from app.sillytavern.remote.page_answers import PageMember
from ui.controls.buttons import Button
from ui.controls.labels import Label
from ui.library.chats import library_rows
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage
from ui.settings.remote import PairingRow, RemoteRow

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ORIGIN = "http://192.168.1.5:8000"


@pytest.fixture
async def page(demo_window: MainWindow, companion: Companion) -> SettingsPage:
    await companion._link.start(())
    companion.remote.start()
    demo_window.show_page("settings")
    shown = demo_window.page
    assert isinstance(shown, SettingsPage)
    return shown


def pairing_row(page: SettingsPage) -> PairingRow:
    return [row for row in page.findChildren(PairingRow) if row.isVisibleTo(page)][-1]


def remote_rows(page: SettingsPage) -> list[RemoteRow]:
    return [row for row in page.findChildren(RemoteRow) if row.isVisibleTo(page)]


def press(row: PairingRow | RemoteRow) -> None:
    row.findChildren(Button)[0].click()


async def bring(companion: Companion, code: str) -> dict[str, Any]:
    async with connect(
        f"ws://127.0.0.1:{companion._link.port}",
        origin=ORIGIN,  # type: ignore[arg-type]
        subprotocols=[PAIRING_SUBPROTOCOL],  # type: ignore[list-item]
        proxy=None,
    ) as socket:
        # As the page does: the port behind the code is where it goes to.
        await socket.send(json.dumps({"type": "pair", "code": code.partition("@")[0]}))
        answer: dict[str, Any] = json.loads(await socket.recv())
        return answer


async def test_a_tavern_is_paired_listed_forgotten_and_erased(
    page: SettingsPage, companion: Companion, until: Until
) -> None:
    press(pairing_row(page))
    code = companion.remote.code_text
    assert code
    assert code in pairing_row(page).title.text()
    assert "5 attempts left" in pairing_row(page).fact.text()

    assert (await bring(companion, "wrong"))["token"] == ""
    await until(lambda: "4 attempts left" in pairing_row(page).fact.text())
    assert (await bring(companion, code))["token"]
    await until(lambda: len(remote_rows(page)) == 1)
    (row,) = remote_rows(page)
    assert "192.168.1.5:8000" in row.title.text()
    assert "not open right now" in row.fact.text()
    assert code not in pairing_row(page).title.text()

    press(row)
    await until(lambda: any("No longer paired" in r.fact.text() for r in remote_rows(page)))
    (tavern,) = companion.remote.taverns
    assert tavern.folder.is_dir()
    press(remote_rows(page)[0])
    await until(lambda: not remote_rows(page))
    assert companion.remote.taverns == ()
    assert not tavern.folder.exists()


async def test_a_code_is_withdrawn(page: SettingsPage, companion: Companion) -> None:
    press(pairing_row(page))
    code = companion.remote.code_text
    press(pairing_row(page))
    assert companion.remote.code is None
    assert code not in "".join(label.text() for label in pairing_row(page).findChildren(Label))


async def test_a_chat_from_elsewhere_says_where_it_comes_from(
    page: SettingsPage, demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    companion.remote.show_code()
    await bring(companion, companion.remote.code_text)
    (tavern,) = companion.remote.taverns
    copy = CopyFolder(tavern.folder)
    copy.write_card(PageMember("Ada.png", "Ada Lovelace"))
    chat = ChatIdentity("solo", "Evening", avatar="Ada.png")
    path = copy.write_chat(chat, CopiedChat(b"{}", (b'{"name":"Ada","mes":"The lamp burns."}',)))
    await companion._library.follow_copies()
    rows = library_rows(companion.taverns, None)
    assert "Ada Lovelace · 192.168.1.5:8000" in [row.text for row in rows]

    assert demo_window.desk is not None
    await demo_window.desk.session.open_path(path)
    card = demo_window.desk._frame.card
    await until(lambda: "192.168.1.5:8000" in card.accessibleName())
    assert "1 message, from" in card.accessibleName()
    assert "only while that page shows it" in card.toolTip()
