"""The bridge extension in a real SillyTavern."""

from __future__ import annotations

import asyncio
import contextlib
import json
import zlib

import pytest
import pytest_asyncio
from playwright.async_api import Route
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from app.core.errors import BridgeError
from app.prompt.slots import SlotSet
from app.settings.slot_table import Position
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_protocol import ChatIdentity, Event, TurnRequest
from tests.e2e.bridge import RecordingBridge, chat, slot_set
from tests.e2e.conftest import CHATS, RunningTavern
from tests.e2e.page import CONTEXT, TavernPage
from tests.e2e.sillytavern import CHARACTER

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.asyncio(loop_scope="session"),
    pytest.mark.timeout(180),
]

MAIN_PROMPT = "Write Seraphina's next reply"
KEY = "tavernkeep_test"


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def _fresh(bridge: RecordingBridge, page: TavernPage) -> None:
    """Each test starts in the chat Harbour, with nothing published and nothing heard."""
    bridge.free()
    await _open_harbour(bridge, page)
    await bridge.showing("Harbour")
    for name in CHATS:
        bridge.publish(name, SlotSet())
    await bridge.server.request(await bridge.page(), "ping")
    bridge.free()


async def _open_harbour(bridge: RecordingBridge, page: TavernPage) -> None:
    """Open the chat, once more if need be.

    SillyTavern shows a character's greeting alone where it failed to fetch a chat; a user opens
    the chat again then.
    """
    for _attempt in range(2):
        await page.open_chat("Harbour")
        if await page.length() == len(bridge.chat_lines("Harbour")) >= len(CHATS["Harbour"]):
            return
    raise AssertionError(f"SillyTavern does not load the chat: {page.console[-20:]}")


async def test_a_page_says_hello_and_names_its_chat(bridge: RecordingBridge) -> None:
    shown = await bridge.showing("Harbour")
    assert shown.sillytavern.startswith("1.")
    assert shown.version == bridge_installer.program_version()
    assert shown.length == len(bridge.chat_lines("Harbour"))
    assert shown.user_folder == bridge.user_folder


async def test_slots_of_a_turn_stand_right_before_the_main_prompt(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    async def answer(turn: TurnRequest) -> SlotSet:
        return slot_set(f"Slots for {turn.responder}, {turn.kind}.")

    bridge.answer = answer
    request = await page.send("I sit down.")
    assert request.messages[0] == {"role": "system", "content": "Slots for Seraphina, normal."}
    assert MAIN_PROMPT in request.messages[1]["content"]
    (turn,) = bridge.turns
    assert turn.chat == chat("Harbour")
    assert turn.avatar == "default_Seraphina.png"
    assert 1000 < turn.context < 8000
    assert turn.messages == await page.length() - 1


async def test_pushed_slots_are_set_at_once_and_cleared_when_no_longer_sent(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    bridge.publish("Harbour", slot_set("first", key="tavernkeep_a"))
    bridge.publish("Harbour", slot_set("second <b>\n", key="tavernkeep_b", revision=2))
    await page.page.wait_for_function(
        "() => SillyTavern.getContext().extensionPrompts.tavernkeep_b?.value"
    )
    texts = await page.prompt_texts()
    assert texts["tavernkeep_b"] == "second <b>\n"
    assert "tavernkeep_a" not in texts


async def test_slots_come_back_with_their_chat_and_never_reach_another(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    bridge.answer = bridge.hang
    bridge.publish("Harbour", slot_set("of the harbour"))
    await page.prompt_text(KEY, "of the harbour")
    await page.open_chat("Mill")
    request = await page.send("Hello, mill.")
    assert "of the harbour" not in request.text
    await page.open_chat("Harbour")
    request = await page.send("Back at the harbour.")
    assert request.messages[0]["content"] == "of the harbour"


async def test_slots_for_a_chat_that_is_not_open_wait_until_it_is(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    bridge.publish("Mill", slot_set("of the mill"))
    await bridge.server.request(await bridge.page(), "ping")
    assert KEY not in await page.prompt_texts()
    await page.open_chat("Mill")
    await page.prompt_text(KEY, "of the mill")


async def test_slots_in_the_chat_stand_at_their_depth(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    async def answer(_turn: TurnRequest) -> SlotSet:
        return slot_set("two from the end", position=Position.IN_CHAT, depth=2)

    bridge.answer = answer
    request = await page.send("The last line.")
    contents = [message["content"] for message in request.messages]
    last = contents.index("The last line.")
    assert contents.index("two from the end") == last - 2


async def test_a_hung_program_delays_a_turn_by_the_bounded_wait(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    async def answer(_turn: TurnRequest) -> SlotSet:
        return slot_set("last known")

    bridge.answer = answer
    answered = await page.intercept_milliseconds()
    bridge.answer = bridge.hang
    hung = await page.intercept_milliseconds()
    assert answered < 200
    assert 240 <= hung < 600
    assert (await page.prompt_texts())[KEY] == "last known"


@pytest.mark.pitfall(2)
async def test_sillytavern_waits_for_nobody_when_it_tells_of_a_message(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    """It awaits its listeners before it saves: one that waited for the program would hold it up."""
    bridge.answer = bridge.hang
    assert await page.evaluate(
        """() => {
            const { eventSource, eventTypes } = SillyTavern.getContext();
            const told = ['MESSAGE_SENT', 'MESSAGE_RECEIVED', 'CHARACTER_MESSAGE_RENDERED']
                .map((name) => eventSource.emit(eventTypes[name], 0, 'normal'));
            const late = new Promise((done) => setTimeout(() => done(false), 20_000));
            return Promise.race([Promise.all(told).then(() => true), late]);
        }"""
    )


async def test_slots_are_not_exchanged_while_a_prompt_is_built(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    async def answer(_turn: TurnRequest) -> SlotSet:
        return slot_set("of this turn")

    bridge.answer = answer
    await page.intercept_milliseconds()
    bridge.publish("Harbour", slot_set("newer"))
    await bridge.server.request(await bridge.page(), "ping")
    assert (await page.prompt_texts())[KEY] == "of this turn"
    await page.evaluate(
        """() => {
            const { eventSource, eventTypes } = SillyTavern.getContext();
            return eventSource.emit(eventTypes.GENERATE_AFTER_DATA, { prompt: [] }, false);
        }"""
    )
    assert (await page.prompt_texts())[KEY] == "newer"


async def test_a_turn_says_what_kind_it_is(bridge: RecordingBridge, page: TavernPage) -> None:
    await page.send("Something to answer.")
    for kind in ("regenerate", "swipe", "continue"):
        bridge.turns.clear()
        await page.generate_again(kind)
        assert [turn.kind for turn in bridge.turns] == [kind]
        assert bridge.turns[0].responder == "Seraphina"


async def test_a_streamed_answer_is_reported_once_it_is_whole(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.stream(True)
    request = await page.send("Tell me slowly.")
    await page.stream(False)
    assert request.body["stream"] is True
    received = await bridge.until(
        lambda: next((e for e in bridge.events if e.name == "message_received"), None)
    )
    assert received.index == await page.length() - 1
    length = await page.length()
    await bridge.until(lambda: (bridge.changes and bridge.changes[-1].length == length) or None)
    # SillyTavern saves a streamed answer by and by; a chat that is opened meanwhile it saves empty.
    async with asyncio.timeout(15):
        while len(bridge.chat_lines("Harbour")) < length:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_looking_for_changes_is_cheap_in_a_long_chat(page: TavernPage) -> None:
    milliseconds = await page.evaluate(
        """async () => {
            const folder = '/scripts/extensions/third-party/tavernkeep/';
            const mirror = await import(`${folder}mirror.js?test`);
            const chat = Array.from({ length: 10_000 }, (_unused, index) => ({
                name: 'Ada', mes: `${index} `.repeat(300), is_system: false, swipe_id: 0,
            }));
            mirror.remember(chat);
            const start = performance.now();
            for (let look = 0; look < 10; look += 1) {
                if (mirror.firstChange(chat) !== null) throw new Error('nothing changed');
            }
            const cost = (performance.now() - start) / 10;
            chat[9_000].mes += '!';
            if (mirror.firstChange(chat) !== 9_000) throw new Error('a change was missed');
            chat.splice(100, 1);
            if (mirror.firstChange(chat) !== 100) throw new Error('a deletion was missed');
            return cost;
        }"""
    )
    assert milliseconds < 20


async def test_slots_survive_a_reload_of_the_page(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    old = await bridge.page()
    bridge.publish("Harbour", slot_set("after the reload"))
    await page.reload()
    await bridge.until(lambda: next((p for p in bridge.server.pages if p.id != old.id), None))
    await page.open_chat("Harbour")
    await page.prompt_text(KEY, "after the reload")


async def test_without_the_program_slots_come_from_the_bridge_file(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    bridge.publish("Mill", slot_set("left in the file"))
    await bridge.aclose()
    await page.reload()
    await page.open_chat("Mill")
    request = await page.send("Is anyone there?")
    assert request.messages[0]["content"] == "left in the file"

    await bridge.start()
    await bridge.showing("Mill")


async def test_who_took_the_port_of_a_program_that_died_is_told_nothing(
    bridge: RecordingBridge,
) -> None:
    """It left its port and token in SillyTavern's folder, and another user listens there now."""
    heard: list[str] = []
    came = asyncio.Event()

    async def listen(page: ServerConnection) -> None:
        assert page.request is not None
        heard.append(str(page.request.headers))
        with contextlib.suppress(ConnectionClosed):
            await page.send(json.dumps({"type": "challenge", "nonce": "0" * 32, "proof": "0" * 64}))
            await page.send(json.dumps({"type": "welcome", "session": "s", "version": "9"}))
            await page.send(json.dumps({"type": "request", "id": "1", "kind": "copy_company"}))
            heard.extend([str(data) async for data in page])
        came.set()

    await bridge.aclose()
    protocol = Subprotocol("tavernkeep.v1")
    async with serve(listen, "127.0.0.1", 0, select_subprotocol=lambda *_: protocol) as taken:
        port = taken.sockets[0].getsockname()[1]
        bridge_installer.write_pairing(bridge.user_folder, port, "token-of-the-dead")
        async with asyncio.timeout(60):
            await came.wait()
    await bridge.start()
    await bridge.showing("Harbour")
    assert heard
    assert "token-of-the-dead" not in "".join(heard)
    assert not [text for text in heard if "hello" in text or "prove" in text or "answer" in text]


async def test_a_page_comes_back_when_its_token_was_rotated(bridge: RecordingBridge) -> None:
    before = await bridge.page()
    await bridge.server.rotate_tokens(grace_seconds=0)
    await bridge.until(lambda: () if not bridge.server.pages else None)
    after = await bridge.page()
    assert after.id == before.id


async def test_a_foreign_token_is_refused(bridge: RecordingBridge, page: TavernPage) -> None:
    code = await page.evaluate(
        """port => new Promise(resolve => {
            const socket = new WebSocket(`ws://127.0.0.1:${port}`, ['tavernkeep.v1', 'token.no']);
            socket.onclose = event => resolve(event.code);
        })""",
        bridge.server.port,
    )
    assert code == 1006
    assert len(bridge.server.pages) == 1


async def test_changes_without_an_event_are_reported(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.slash("/hide 1")
    change = await bridge.until(lambda: next(iter(bridge.changes), None))
    assert (change.chat, change.first) == (chat("Harbour"), 1)
    bridge.changes.clear()
    await page.slash("/unhide 1")
    change = await bridge.until(lambda: next(iter(bridge.changes), None))
    assert change.first == 1


async def test_events_of_a_turn_come_in_order_and_dry_runs_do_not(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.send("What now?")
    await bridge.until(
        lambda: next((e for e in bridge.events if e.name == "generation_ended"), None)
    )
    names = [event.name for event in bridge.events if event.name != "message_updated"]
    expected = ["generation_started", "message_sent", "message_received", "generation_ended"]
    assert names == expected
    received = bridge.events[names.index("message_received")]
    assert received.index == received.length - 1


async def test_what_is_done_to_messages_is_announced(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.send("What is done here?")
    last = await page.length() - 1
    bridge.events.clear()
    await page.edit(0, "The harbour lay still.")
    await announced(bridge, "message_edited", "message_updated", index=0)
    await page.swipe("right", 1)
    await announced(bridge, "message_swiped", "message_received", index=last)
    await page.slash("/delswipe 2")
    await announced(bridge, "swipe_deleted", index=last)
    await page.delete(last)
    (deleted,) = await announced(bridge, "message_deleted")
    assert deleted.length == last


async def test_older_messages_that_are_loaded_are_announced(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.evaluate(f"() => {{ {CONTEXT}.powerUserSettings.chat_truncation = 2; }}")
    await page.open_chat("Mill")
    await page.page.click("#show_more_messages")
    await page.evaluate(f"() => {{ {CONTEXT}.powerUserSettings.chat_truncation = 100; }}")
    await announced(bridge, "more_loaded")


async def test_what_is_done_to_chats_is_announced(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.slash("/newchat")
    await announced(bridge, "chat_changed", "chat_created")
    bridge.events.clear()
    old = await page.open_name()
    await page.slash("/renamechat Passing")
    await announced(bridge, "chat_changed")
    if await page.evaluate(f"() => 'CHAT_RENAMED' in {CONTEXT}.eventTypes"):  # not in 1.13
        (renamed,) = await announced(bridge, "chat_renamed")
        assert (renamed.previous, renamed.subject) == (old, "Passing")
    await page.slash("/delchat")
    (deleted,) = await announced(bridge, "chat_deleted")
    assert deleted.subject == "Passing"


async def announced(bridge: RecordingBridge, *names: str, index: int | None = None) -> list[Event]:
    """The first event of each name, once all have come; about this message, if one is given."""

    def look() -> list[Event] | None:
        heard = [e for e in bridge.events if index is None or e.index == index]
        found = [next((e for e in heard if e.name == name), None) for name in names]
        return None if None in found else [event for event in found if event]

    return await bridge.until(look)


async def test_a_key_that_another_extension_fills_is_left_alone(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.evaluate(
        "() => SillyTavern.getContext().setExtensionPrompt('1_memory', 'theirs', 0, 0)"
    )
    bridge.publish("Harbour", slot_set("ours", key="1_memory"))
    event = await bridge.until(
        lambda: next((e for e in bridge.events if e.name == "slot_refused"), None)
    )
    assert event.subject == "1_memory"
    bridge.publish("Harbour", SlotSet(revision=2))
    await bridge.server.request(await bridge.page(), "ping")
    assert (await page.prompt_texts())["1_memory"] == "theirs"


async def test_the_program_can_ask_the_page(bridge: RecordingBridge, page: TavernPage) -> None:
    shown = await bridge.page()
    state = await bridge.server.request(shown, "state")
    assert state["chat"] == {"kind": "solo", "avatar": "default_Seraphina.png", "chat": "Harbour"}
    assert (state["api"], state["context"]) == ("openai", 8000)
    answer = await bridge.server.request(shown, "chat_lines", {"first": 0, "count": 2})
    lines = bridge.chat_lines("Harbour")[:2]
    assert answer["lines"] == [
        zlib.crc32("\0".join([line["name"], line["mes"], "0", "0"]).encode()) for line in lines
    ]
    with pytest.raises(BridgeError, match="cannot do that"):
        await bridge.server.request(shown, "run_slash", {"text": "/echo"})


async def test_save_writes_what_the_page_holds(
    bridge: RecordingBridge, page: TavernPage, tavern: RunningTavern
) -> None:
    await page.evaluate("() => { SillyTavern.getContext().chat[0].mes = 'Changed in the page.'; }")
    await bridge.server.request(await bridge.page(), "save")
    assert bridge.chat_lines("Harbour")[0]["mes"] == "Changed in the page."


async def test_what_the_user_edits_while_we_save_is_saved_as_well(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    first = asyncio.Event()
    release = asyncio.Event()

    async def hold(route: Route) -> None:
        if not first.is_set():
            first.set()
            await release.wait()
        await route.continue_()

    await page.page.route("**/api/chats/save", hold)
    async with asyncio.timeout(60):
        saving = asyncio.gather(bridge.server.request(await bridge.page(), "save", timeout=60))
        await first.wait()
        # SillyTavern's own save waits for a second, and then is not made at all.
        async with page.page.expect_console_message(lambda m: "Timeout waiting" in m.text):
            await page.edit(1, "I look for the lost ferry.")
        release.set()
        await saving
    await page.page.unroute("**/api/chats/save")
    assert bridge.chat_lines("Harbour")[1]["mes"] == "I look for the lost ferry."


CREW = ChatIdentity(kind="group", chat="Gathering", group="Crew")


async def test_members_of_a_group_get_their_own_where_sillytavern_does_not_wait(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    """Half of a group's prompts went out with what was for nobody in particular."""
    bridge.answer = bridge.hang
    await page.slash("/go Crew")
    await bridge.until(lambda: next((p for p in bridge.server.pages if p.chat == CREW), None))
    bridge.publish_group(CREW, "for any", **{CHARACTER: "mine-hers"}, Bram="mine-his")
    await bridge.server.request(await bridge.page(), "ping")
    seraphina, bram = await page.send_to_group("Where are we?", members=2)
    assert ["mine-hers" in one.text for one in (seraphina, bram)] == [True, False]
    assert ["mine-his" in one.text for one in (seraphina, bram)] == [False, True]
    assert "for any" not in seraphina.text + bram.text
    bridge.publish_group(CREW, "for any", Bram="mine-his")  # of her nothing is known any more
    await bridge.server.request(await bridge.page(), "ping")
    seraphina, bram = await page.send_to_group("And now?", members=2)
    assert "for any" in seraphina.text
    assert "mine-hers" not in seraphina.text
    assert "mine-his" in bram.text


async def test_members_of_a_group_get_their_own_without_the_program(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    """Also where the page has older ones, and the file was read while another chat was open."""
    bridge.publish_group(CREW, "for any, before")
    await page.slash("/go Crew")
    await page.prompt_text(KEY, "for any, before")
    await page.open_chat("Harbour")
    bridge.publish_group(CREW, "for any", **{CHARACTER: "mine-hers"})
    await bridge.aclose()
    try:
        await asyncio.sleep(1)  # in which the page reads what the program left
        await page.slash("/go Crew")
        await page.prompt_text(KEY, "for any")
        seraphina, bram = await page.send_to_group("Is anyone there?", members=2)
    finally:
        await bridge.start()
        await bridge.until(lambda: next(iter(bridge.server.pages), None))
    assert "mine-hers" in seraphina.text
    assert "for any" in bram.text
    assert "mine-hers" not in bram.text


async def test_each_member_of_a_group_gets_only_its_own_slots(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    async def answer(turn: TurnRequest) -> SlotSet:
        if turn.responder == "Bram":
            return await bridge.hang(turn)
        return slot_set(f"secret of {turn.responder}")

    bridge.answer = answer
    await page.slash("/go Crew")
    crew = ChatIdentity(kind="group", chat="Gathering", group="Crew")
    await bridge.until(lambda: next((p for p in bridge.server.pages if p.chat == crew), None))
    assert crew.to_path(bridge.user_folder).exists()
    seraphina, bram = await page.send_to_group("Where are we?", members=2)
    assert "secret of Seraphina" in seraphina.text
    assert "secret of Seraphina" not in bram.text
    assert [turn.responder for turn in bridge.turns] == ["Seraphina", "Bram"]


async def test_the_user_can_ask_for_a_refresh_by_a_slash_command(
    bridge: RecordingBridge, page: TavernPage
) -> None:
    await page.slash("/recap-refresh-memory")
    event = await bridge.until(
        lambda: next((e for e in bridge.events if e.name == "refresh_asked"), None)
    )
    assert event.chat == chat("Harbour")


async def test_the_page_reports_no_error(page: TavernPage) -> None:
    assert page.errors == []
