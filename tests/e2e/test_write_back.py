"""Writing into an open chat through the bridge, in a real SillyTavern."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from msgspec import structs

from app.core.errors import BridgeError
from app.sillytavern.bridge.bridge_socket import Page
from app.sillytavern.bridge.page_writing import hide, saved_state, set_extras
from app.sillytavern.chat_edit import LineEdit
from app.sillytavern.chat_file import read_chat
from app.sillytavern.chat_line import ChatLine
from tests.e2e.bridge import RecordingBridge, chat
from tests.e2e.page import CONTEXT, TavernPage

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

NS = "auto_recap_memory"
BREAK = {NS: {"scene_break": True, "scene_break_visible": True, "scene_break_name": "Quay 0-1"}}


class Asking:
    """The page as those see it that write into it."""

    def __init__(self, bridge: RecordingBridge, page: Page) -> None:
        self._bridge = bridge
        self._page = page

    async def __call__(self, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        return await self._bridge.server.request(self._page, kind, params, timeout=20)


@pytest_asyncio.fixture(loop_scope="session")
async def ask(bridge: RecordingBridge, page: TavernPage) -> AsyncIterator[Asking]:
    bridge.free()
    await page.open_chat("Harbour")
    yield Asking(bridge, await bridge.showing("Harbour"))


def lines_of(bridge: RecordingBridge, name: str) -> tuple[ChatLine, ...]:
    return read_chat(chat(name).to_path(bridge.user_folder)).lines


async def test_a_break_is_in_the_page_and_in_the_file_that_sillytavern_saved(
    bridge: RecordingBridge, page: TavernPage, ask: Asking
) -> None:
    edits = {1: LineEdit(BREAK, BREAK)}
    metadata = {"auto_recap_running_scene_recaps": {"chat_id": "Harbour", "versions": []}}
    missed = await set_extras(ask, chat("Harbour"), lines_of(bridge, "Harbour"), edits, metadata)
    assert missed == []
    assert await page.evaluate(f"() => {CONTEXT}.chat[1].extra.{NS}") == BREAK[NS]
    saved = bridge.chat_lines("Harbour")
    assert saved[1]["extra"][NS] == BREAK[NS]
    assert all(NS not in line["extra"] for line in (saved[0], *saved[2:]))
    header = read_chat(chat("Harbour").to_path(bridge.user_folder)).chat_metadata
    assert header["auto_recap_running_scene_recaps"]["chat_id"] == "Harbour"
    # And SillyTavern keeps it when it saves for its own reasons.
    await page.send("I look at the water.")
    assert bridge.chat_lines("Harbour")[1]["extra"][NS] == BREAK[NS]


async def test_a_new_swipe_does_not_lose_the_scene_and_each_keeps_its_own_recap(
    bridge: RecordingBridge, page: TavernPage, ask: Asking
) -> None:
    await page.evaluate(f"() => {CONTEXT}.swipe.right()")
    await page.page.wait_for_function(
        f"() => {CONTEXT}.chat.at(-1).swipes?.length === 2 && {CONTEXT}.chat.at(-1).swipe_id === 1"
        " && !document.body.dataset.generating"
    )
    await page.evaluate(f"() => {CONTEXT}.saveChat()")
    lines = lines_of(bridge, "Harbour")
    last = len(lines) - 1
    assert (lines[last].swipe, lines[last].swipes) == (1, 2)
    recap = {NS: {**BREAK[NS], "memory": "of the second"}}
    await set_extras(ask, chat("Harbour"), lines, {last: LineEdit(recap, BREAK)}, {})
    saved = bridge.chat_lines("Harbour")[last]
    assert saved["extra"][NS] == saved["swipe_info"][1]["extra"][NS] == recap[NS]
    assert saved["swipe_info"][0]["extra"][NS] == BREAK[NS]
    await page.swipe("left", 0)
    assert await page.evaluate(f"() => {CONTEXT}.chat.at(-1).extra.{NS}") == BREAK[NS]


async def test_a_message_that_is_another_one_in_the_page_is_left_alone(
    bridge: RecordingBridge, page: TavernPage, ask: Asking
) -> None:
    lines = lines_of(bridge, "Harbour")
    await page.evaluate(f"() => {{ {CONTEXT}.chat[2].mes = 'Edited just now.'; }}")
    mark = LineEdit({NS: {"memory": "m"}})
    missed = await set_extras(ask, chat("Harbour"), lines, {2: mark, 3: mark}, {})
    assert missed == [2]
    saved = bridge.chat_lines("Harbour")
    assert NS not in saved[2]["extra"]
    assert saved[3]["extra"][NS] == {"memory": "m"}


@pytest.mark.parametrize("what", ["integrity", "edited", "longer", "swiped", "shorter"])
async def test_a_page_that_lacks_what_its_file_has_does_not_save(
    bridge: RecordingBridge, page: TavernPage, ask: Asking, what: str
) -> None:
    path = chat("Harbour").to_path(bridge.user_folder)
    before, lines = path.read_bytes(), lines_of(bridge, "Harbour")
    integrity = "another" if what == "integrity" else read_chat(path).integrity
    theirs = {
        "integrity": lines,
        "edited": (structs.replace(lines[0], text="Edited elsewhere."), *lines[1:]),
        "longer": (*lines, lines[0]),
        "swiped": (structs.replace(lines[0], swipes=3), *lines[1:]),
        "shorter": lines[:-3],
    }[what]
    edits, saved = {1: LineEdit(BREAK)}, saved_state(theirs, integrity)
    with pytest.raises(BridgeError, match="differently from its file"):
        await set_extras(ask, chat("Harbour"), lines, edits, {}, saved=saved)
    with pytest.raises(BridgeError, match="differently from its file"):
        await hide(ask, chat("Harbour"), lines, ranges=[(0, 1)], unhide=[], saved=saved)
    assert path.read_bytes() == before
    held = saved_state(lines[:-1], read_chat(path).integrity)  # a message is not saved yet
    assert await set_extras(ask, chat("Harbour"), lines, edits, {}, saved=held) == []


async def test_another_chat_than_the_open_one_is_never_written(
    bridge: RecordingBridge, page: TavernPage, ask: Asking
) -> None:
    mill = lines_of(bridge, "Mill")
    with pytest.raises(BridgeError, match="another chat"):
        await set_extras(ask, chat("Mill"), mill, {0: LineEdit(BREAK)}, {"key": 1})
    with pytest.raises(BridgeError, match="another chat"):
        await hide(ask, chat("Mill"), mill, ranges=[(0, 1)], unhide=[])
    assert not await page.evaluate(f"() => {CONTEXT}.chat.some((line) => line.is_system)")


async def test_messages_are_hidden_and_shown_with_sillytaverns_own_commands(
    bridge: RecordingBridge, page: TavernPage, ask: Asking
) -> None:
    name = chat("Harbour")
    await hide(ask, name, lines_of(bridge, "Harbour"), ranges=[(0, 1), (3, 3)], unhide=[])
    hidden = [bool(line.get("is_system")) for line in bridge.chat_lines("Harbour")]
    assert hidden[:5] == [True, True, False, True, False]
    shown = await page.evaluate(
        "() => [...document.querySelectorAll('#chat .mes')].map((m) => m.getAttribute('is_system'))"
    )
    assert shown[:4] == ["true", "true", "false", "true"]
    request = await page.send("Who is there?")
    assert "I look for the ferry." not in request.text
    with pytest.raises(BridgeError, match="changed"):
        await hide(ask, name, lines_of(bridge, "Harbour")[::-1], ranges=[(0, 1)], unhide=[])
    await hide(ask, name, lines_of(bridge, "Harbour"), ranges=[], unhide=[(0, 1), (3, 3)])
    assert not any(bool(line.get("is_system")) for line in bridge.chat_lines("Harbour"))


async def test_no_error_reached_the_page(page: TavernPage) -> None:
    assert page.errors == []
