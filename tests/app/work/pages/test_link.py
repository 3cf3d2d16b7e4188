"""Each thing that SillyTavern's page announces, and what the program does about it."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from app.core.errors import BackendAway, ChatUnreadable
from app.core.part_health import Light
from app.core.tasks import TaskSupervisor
from app.llm.backends.page_line import telling_of
from app.llm.tokenizer import counter_for
from app.prompt.generation import Turn
from app.prompt.slots import SlotSet
from app.settings.values import Settings
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_protocol import EVENTS
from app.sillytavern.data_folders import find_taverns
from app.store.store import Store
from app.work.chats import open_chats
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.pages import link as link_module
from app.work.pages.link import BridgeLink
from tests.disk_faults import FILE_FAULTS
from tests.labelled import WrittenTavern

AT_ONCE = {"chat_changed"}
PASSED_ON = {"macros_unplaced", "refresh_asked", "recap_asked", "slot_refused"}
SOON = sorted(EVENTS - AT_ONCE - PASSED_ON)


@dataclass(frozen=True, slots=True)
class Linked:
    """A link with one page that shows one open chat."""

    link: BridgeLink
    chats: OpenChats
    path: Path
    page: ClientConnection
    heard: asyncio.Queue[Any]

    async def say(self, **frame: Any) -> None:
        """Send a frame about the chat."""
        chat = {"kind": "solo", "avatar": f"{self.path.parent.name}.png", "chat": self.path.stem}
        await self.page.send(json.dumps({"chat": chat, "length": 9, **frame}))

    async def next(self) -> Any:
        async with asyncio.timeout(30):
            return await self.heard.get()

    def edit_file(self) -> None:
        """Write the last message anew."""
        *lines, last = self.path.read_text().splitlines()
        lines.append(json.dumps({**json.loads(last), "mes": "Written anew."}))
        self.path.write_text("\n".join(lines))


async def no_slots(_chat: OpenChat, _turn: Turn) -> SlotSet:
    return SlotSet()


@pytest_asyncio.fixture
async def linked(
    demo_tavern: WrittenTavern, store: Store, tasks: TaskSupervisor
) -> AsyncIterator[Linked]:
    chats = OpenChats(store, counter_for(), (), Settings({}), tasks)
    link = BridgeLink(chats, no_slots)
    bridge_installer.install(demo_tavern.user_folder)
    await link.start(find_taverns(demo_tavern.user_folder))
    await chats.open(demo_tavern.chat)
    pairing = bridge_installer.extension_folder(demo_tavern.user_folder) / "pairing.json"
    paired = json.loads(pairing.read_text())
    heard: asyncio.Queue[Any] = asyncio.Queue()
    async with connect(
        f"ws://127.0.0.1:{paired['port']}",
        origin=Origin("http://127.0.0.1:8000"),
        subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
        proxy=None,
    ) as page:
        linked = Linked(link, chats, demo_tavern.chat, page, heard)
        version = bridge_installer.program_version()
        await linked.say(type="hello", version=version, page="p")
        await page.recv()
        chats.changed.connect(heard.put_nowait)
        yield linked
    chats.close()
    await link.aclose()


@pytest.mark.parametrize("name", SOON)
@pytest.mark.pitfall(5)
async def test_an_event_has_the_chat_read_again(linked: Linked, name: str) -> None:
    linked.edit_file()
    await linked.say(type="event", name=name)
    change = await linked.next()
    assert change.first_message is not None
    chat = linked.chats.get(linked.path)
    assert chat is not None
    assert chat.story.messages[-1].text == "Written anew."


@pytest.mark.pitfall(5)
async def test_a_generation_in_the_background_keeps_no_reply_from_being_read(
    linked: Linked,
) -> None:
    """Spec §23: quiet generations of other extensions kept replies from being looked at."""
    await linked.say(type="event", name="generation_started", kind="quiet")
    linked.edit_file()
    await linked.say(type="event", name="message_received", kind="normal")
    assert (await linked.next()).first_message is not None


@pytest.mark.pitfall(2)
@pytest.mark.weakness(40, 41)
async def test_a_turn_is_answered_while_work_on_its_chat_goes_on(linked: Linked) -> None:
    """Spec §23: SillyTavern waited with its own work until memory was done."""
    begun, never = asyncio.Event(), asyncio.Event()

    async def follow(_chat: OpenChat) -> None:
        begun.set()
        await never.wait()

    linked.chats.follow = follow
    linked.edit_file()
    await linked.say(type="event", name="message_received")
    async with asyncio.timeout(30):
        await begun.wait()
        await linked.say(type="turn", id="1")
        assert json.loads(await linked.page.recv())["turn"] == "1"


async def test_a_change_without_an_event_has_the_chat_read_again(linked: Linked) -> None:
    linked.edit_file()
    await linked.say(type="changed", first=0)
    assert (await linked.next()).first_message is not None


async def test_events_wait_for_the_end_of_their_burst(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "REFRESH_SECONDS", 3600)
    linked.link.refresh_asked.connect(linked.heard.put_nowait)
    chat = linked.chats.get(linked.path)
    assert chat is not None
    before = chat.last_read
    linked.edit_file()
    for name in SOON:
        await linked.say(type="event", name=name)
    await linked.say(type="event", name="refresh_asked")  # frames come in their order
    assert await linked.next() == linked.path
    assert chat.last_read == before


async def test_a_change_of_chat_has_it_read_at_once(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "REFRESH_SECONDS", 3600)
    shown: asyncio.Queue[None] = asyncio.Queue()
    linked.link.changed.connect(shown.put_nowait)
    linked.edit_file()
    await linked.say(type="event", name="chat_changed")
    assert (await linked.next()).first_message is not None
    assert not shown.empty()


async def test_what_is_not_about_reading_is_passed_on(linked: Linked) -> None:
    linked.link.refresh_asked.connect(linked.heard.put_nowait)
    linked.link.refused.connect(linked.heard.put_nowait)
    linked.link.recap_asked.connect(linked.heard.put_nowait)
    await linked.say(type="event", name="refresh_asked")
    assert await linked.next() == linked.path
    await linked.say(type="event", name="slot_refused", subject="1_memory")
    assert await linked.next() == (linked.path, "1_memory")
    await linked.say(type="event", name="recap_asked")
    assert await linked.next() == linked.path


async def test_nothing_is_noted_of_chats_that_a_page_only_names(linked: Linked) -> None:
    """Otherwise a page that goes on making names up fills the memory."""
    names = "smartmemory-arcs"
    for number in range(30):
        chat = {"kind": "solo", "avatar": "Nobody.png", "chat": f"made up {number}"}
        for name in ("message_received", "macros_unplaced"):
            await linked.say(type="event", name=name, chat=chat, length=7, subject=names)
    recap_asked: asyncio.Queue[Path] = asyncio.Queue()
    linked.link.recap_asked.connect(recap_asked.put_nowait)
    await linked.say(type="event", name="message_received")
    await linked.say(type="event", name="recap_asked")
    await recap_asked.get()
    assert list(linked.link._rounds._replied) == [linked.path]
    assert not linked.link._unplaced
    for path in (linked.path.with_name(f"{number}.jsonl") for number in range(30)):
        with pytest.raises(ChatUnreadable):
            await linked.chats.open(path)
    gc.collect()  # each error holds what it met on its way; the last one lives on
    assert len(linked.chats._opening) <= 1


async def test_a_macro_that_stands_nowhere_is_known_as_long_as_the_page_is_there(
    linked: Linked,
) -> None:
    changed: asyncio.Queue[None] = asyncio.Queue()
    linked.link.changed.connect(changed.put_nowait)
    names = "smartmemory-arcs smartmemory-no-such"
    await linked.say(type="event", name="chat_changed")
    await changed.get()
    await linked.say(type="event", name="macros_unplaced", subject=names)
    await changed.get()
    assert linked.link.unplaced_macros == ("smartmemory-arcs",)
    item = linked.link.health
    assert item.light is Light.BAD
    assert "{{smartmemory-arcs}}" in item.sentence
    await linked.say(type="event", name="macros_unplaced", subject="")
    await changed.get()
    assert not linked.link.unplaced_macros
    await linked.say(type="event", name="macros_unplaced", subject=names)
    await changed.get()
    await linked.page.close()
    await changed.get()
    assert not linked.link.unplaced_macros


async def test_a_turn_tells_which_macros_the_card_names(linked: Linked) -> None:
    turns: asyncio.Queue[Turn] = asyncio.Queue()

    async def answer(_chat: OpenChat, turn: Turn) -> SlotSet:
        turns.put_nowait(turn)
        return SlotSet()

    linked.link._slots_of = answer
    await linked.say(type="turn", id="1", macros=["smartmemory-arcs"])
    turn = await turns.get()
    assert (turn.card, turn.serves_macros) == (("smartmemory-arcs",), True)
    await linked.say(type="turn", id="2")  # an older bridge
    turn = await turns.get()
    assert (turn.card, turn.serves_macros) == (None, False)


@pytest.mark.pitfall(57)
async def test_who_answers_next_in_a_round_is_known_to_come_after_a_reply(linked: Linked) -> None:
    """Spec §23: a correction for the next reply was given to every member of a group."""
    turns: asyncio.Queue[Turn] = asyncio.Queue()

    async def answer(_chat: OpenChat, turn: Turn) -> SlotSet:
        turns.put_nowait(turn)
        return SlotSet()

    async def is_behind(**frame: Any) -> bool:
        await linked.say(**frame)
        await linked.say(type="turn", id=str(turns.qsize()), responder="Bram")
        async with asyncio.timeout(30):
            return (await turns.get()).is_behind

    linked.link._slots_of = answer
    known = len(linked.chats.required(linked.path).story.messages)
    assert not await is_behind(type="event", name="message_sent", length=known + 1)
    assert await is_behind(type="event", name="message_received", length=known + 2)
    assert not await is_behind(type="event", name="message_deleted", length=known + 1)
    assert not await is_behind(type="event", name="message_received", length=known)  # a swipe


async def test_the_page_is_asked_for_what_its_model_can(linked: Linked) -> None:
    asking = asyncio.gather(linked.link.ask_page("connection", {"profile": ""}, seconds=30))
    question = json.loads(await linked.page.recv())
    assert (question["kind"], question["params"]) == ("connection", {"profile": ""})
    await linked.say(type="answer", id=question["id"], result={"context": 4096})
    assert list(await asking) == [{"context": 4096}]
    asking = asyncio.gather(linked.link.ask_page("connection", {}, seconds=30))
    await linked.page.recv()
    await linked.page.close()
    with pytest.raises(BackendAway, match="was closed"):
        await asking
    with pytest.raises(BackendAway, match="not open"):
        await linked.link.ask_page("connection", {}, seconds=30)


async def test_a_story_is_told_to_no_page_of_another_user(
    linked: Linked, demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    other = demo_tavern.user_folder.with_name("guest")
    shutil.copytree(demo_tavern.user_folder, other)
    await linked.link.pair(other)
    came: asyncio.Queue[Any] = asyncio.Queue()
    linked.link.page_came.connect(came.put_nowait)
    paired = json.loads((bridge_installer.extension_folder(other) / "pairing.json").read_text())
    async with connect(
        f"ws://127.0.0.1:{paired['port']}",
        origin=Origin("http://127.0.0.1:8000"),
        subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
        proxy=None,
    ) as guest:
        version = bridge_installer.program_version()
        await guest.send(json.dumps({"type": "hello", "version": version, "page": "guest"}))
        await came.get()
        await guest.recv()  # the welcome
        for folder, page in ((demo_tavern.user_folder, linked.page), (other, guest)):
            with telling_of(folder):
                asking = asyncio.gather(linked.link.ask_page("ask_model", {}, seconds=30))
            number = json.loads(await page.recv())["id"]
            await page.send(json.dumps({"type": "answer", "id": number, "result": {"it": 1}}))
            assert list(await asking) == [{"it": 1}]
        # Where a story's tavern can have no page, any is asked that is there: the newest.
        with telling_of(tmp_path):
            asking = asyncio.gather(linked.link.ask_page("ask_model", {}, seconds=30))
        number = json.loads(await guest.recv())["id"]
        await guest.send(json.dumps({"type": "answer", "id": number, "result": {}}))
        assert list(await asking) == [{}]
        await linked.page.close()
        async with asyncio.timeout(20):
            while len(linked.link.pages) > 1:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        with telling_of(demo_tavern.user_folder), pytest.raises(BackendAway, match="another"):
            await linked.link.ask_page("ask_model", {}, seconds=30)


async def test_a_page_with_an_older_bridge_is_to_be_reloaded(
    linked: Linked, demo_tavern: WrittenTavern
) -> None:
    came: asyncio.Queue[Any] = asyncio.Queue()
    linked.link.page_came.connect(came.put_nowait)
    folder = bridge_installer.extension_folder(demo_tavern.user_folder)
    paired = json.loads((folder / "pairing.json").read_text())
    async with connect(
        f"ws://127.0.0.1:{paired['port']}",
        origin=Origin("http://127.0.0.1:8000"),
        subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
        proxy=None,
    ) as old:
        await old.send(json.dumps({"type": "hello", "version": "0.1.0", "page": "old"}))
        await came.get()
        asking = asyncio.gather(linked.link.ask_page("connection", {}, seconds=30))
        await old.recv()
        number = json.loads(await old.recv())["id"]
        await old.send(json.dumps({"type": "answer", "id": number, "error": "cannot do that"}))
        with pytest.raises(BackendAway, match="Reload"):
            await asking


@pytest.mark.pitfall(4)
async def test_a_round_of_a_group_is_read_when_it_is_over(linked: Linked) -> None:
    planned: asyncio.Queue[bool] = asyncio.Queue()
    chat = linked.chats.required(linked.path)

    async def follow(chat: OpenChat) -> None:
        planned.put_nowait(chat.reading_state.is_in_round)

    linked.chats.follow = follow
    await linked.say(type="event", name="group_started", kind="quiet")
    linked.link.refresh_asked.connect(linked.heard.put_nowait)
    await linked.say(type="event", name="refresh_asked")
    await linked.next()
    assert not chat.reading_state.is_in_round
    await linked.say(type="event", name="group_started", kind="normal")
    linked.edit_file()
    await linked.say(type="event", name="member_drafted", subject="Bram.png")
    async with asyncio.timeout(30):
        assert await planned.get()
        await linked.say(type="event", name="group_finished", kind="normal")
        assert not await planned.get()


async def test_a_page_that_is_closed_ends_its_round(linked: Linked) -> None:
    planned: asyncio.Queue[OpenChat] = asyncio.Queue()

    async def follow(chat: OpenChat) -> None:
        planned.put_nowait(chat)

    linked.chats.follow = follow
    linked.link.refresh_asked.connect(linked.heard.put_nowait)
    await linked.say(type="event", name="group_started", kind="normal")
    await linked.say(type="event", name="refresh_asked")
    await linked.next()
    assert linked.chats.required(linked.path).reading_state.is_in_round
    await linked.page.close()
    async with asyncio.timeout(30):
        assert not (await planned.get()).reading_state.is_in_round


async def test_a_chat_whose_file_is_gone_is_told_of_after_a_while(
    linked: Linked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "RENAME_SECONDS", 0)
    linked.chats.failed.connect(linked.heard.put_nowait)
    linked.path.unlink()
    await linked.say(type="event", name="chat_deleted")
    path, sentence = await linked.next()
    assert path == linked.path
    assert "no longer there" in sentence


async def test_a_chat_that_turns_out_to_be_renamed_is_no_failure(linked: Linked) -> None:
    failed: asyncio.Queue[tuple[Path, str]] = asyncio.Queue()
    linked.chats.failed.connect(failed.put_nowait)
    renamed: asyncio.Queue[tuple[Path, Path]] = asyncio.Queue()
    linked.chats.renamed.connect(renamed.put_nowait)
    chat, new = linked.chats.required(linked.path), linked.path.with_name("New name.jsonl")
    linked.path.rename(new)
    with pytest.raises(ChatUnreadable):
        await chat.read()
    linked.chats.reread(linked.path)
    await linked.chats.open(new)
    assert renamed.get_nowait() == (linked.path, new)
    assert failed.empty()


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.expects_log("app.work.pages.link")
@pytest.mark.parametrize("fault", FILE_FAULTS)
async def test_a_tavern_that_cannot_be_written_into_is_paired_when_it_can(
    demo_tavern: WrittenTavern,
    store: Store,
    tasks: TaskSupervisor,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fault: Callable[[], AbstractContextManager[None]],
) -> None:
    monkeypatch.setattr(link_module, "RETRY_SECONDS", 0.01)
    bridge_installer.install(demo_tavern.user_folder)
    chats = OpenChats(store, counter_for(), (), Settings({}), tasks)
    link = BridgeLink(chats, no_slots)
    changed: asyncio.Queue[None] = asyncio.Queue()
    link.changed.connect(changed.put_nowait)
    async with asyncio.timeout(30):
        with fault():
            await link.start(find_taverns(demo_tavern.user_folder))
            for _ in range(3):  # and tries again
                await changed.get()
                assert not link.is_paired(demo_tavern.user_folder)
                item = link.health
                assert item.light is Light.OFF
                assert "could not be told" in item.sentence
        while not link.is_paired(demo_tavern.user_folder):
            await changed.get()
    assert link.health.light is Light.IDLE
    assert caplog.text.count("could not be told") == 1
    await link.aclose()
