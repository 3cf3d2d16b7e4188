"""A chat comes from a page whose files are elsewhere: whole, then as it changes, never by a lie."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.prompt.slots import SlotSet
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_socket import REFUSED, BridgeServer
from app.sillytavern.chat_file import read_chat
from app.sillytavern.remote.remote_taverns import RemoteTaverns
from app.work.pages import remote_chats
from app.work.pages.remote_chats import RemoteChats
from tests.scripted_page import Answer, ScriptedPage

ORIGIN = "http://192.168.1.5:8000"
SECONDS = 20.0


async def no_slots(_page: object, _turn: object) -> SlotSet:
    return SlotSet()


@dataclass(frozen=True, slots=True)
class World:
    server: BridgeServer
    chats: RemoteChats
    folder: Path
    token: str
    news: asyncio.Queue[Path]

    def path(self, chat: str = "Evening") -> Path:
        return self.folder / "chats" / "Ada" / f"{chat}.jsonl"

    def messages(self, chat: str = "Evening") -> list[Any]:
        if not self.path(chat).exists():
            return []
        return [json.loads(line) for line in self.path(chat).read_text("utf-8").split("\n")[1:]]

    async def follows(self, page: ScriptedPage) -> None:
        """Wait until the copy is what the page has."""
        async with asyncio.timeout(SECONDS):
            while self.messages(page.chat["chat"]) != page.messages:  # noqa: ASYNC110
                await asyncio.sleep(0.02)


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    server = BridgeServer(no_slots)
    await server.start()
    tavern = RemoteTaverns(tmp_path / "remote").add(ORIGIN, server.port)
    server.add_remote(tavern.folder, ORIGIN, tavern.token)
    chats = RemoteChats(server)
    news: asyncio.Queue[Path] = asyncio.Queue()
    chats.copied.connect(lambda copied: news.put_nowait(copied[1]))
    yield World(server, chats, tavern.folder, tavern.token, news)
    await chats.aclose()
    await server.aclose()


def messages(count: int, size: int = 20) -> list[dict[str, Any]]:
    return [
        {"name": "Ada", "is_user": bool(n % 2), "mes": f"{n}: für 🜁 {'x' * size}", "extra": {}}
        for n in range(count)
    ]


@pytest_asyncio.fixture
async def page(world: World) -> AsyncIterator[ScriptedPage]:
    page = ScriptedPage()
    page.messages = messages(5)
    async with page.connected(world.server.port, ORIGIN, world.token):
        await world.follows(page)
        yield page


async def test_the_first_copy_is_the_pages_chat(world: World, page: ScriptedPage) -> None:
    snapshot = read_chat(world.path())
    assert [line.text for line in snapshot.lines] == [m["mes"] for m in page.messages]
    assert snapshot.integrity == "one"
    assert (world.folder / "characters" / "Ada.png").is_file()
    assert await world.news.get() == world.path()


@pytest.mark.parametrize(
    "change",
    [
        lambda all_: all_.append({"name": "Ada", "mes": "One more."}),
        lambda all_: all_[1].update(mes="Edited."),
        lambda all_: all_[4].update(swipes=["a", "b"], swipe_id=1, mes="b"),
        lambda all_: all_[2].update(is_system=True),
        lambda all_: all_.pop(0),
        lambda all_: all_.clear(),
        lambda all_: all_.insert(0, all_.pop()),
        lambda all_: all_[3]["extra"].update(memory={"deep": ["only", "here"]}),
    ],
    ids=["append", "edit", "swipe", "hide", "delete", "clear", "move", "extra"],
)
async def test_a_change_follows_and_little_is_asked_for(
    world: World, page: ScriptedPage, change: Callable[[list[dict[str, Any]]], Any]
) -> None:
    page.asked.clear()
    change(page.messages)
    await page.tell("message_edited")
    await world.follows(page)
    assert set(page.asked) <= {"copy_state", "copy_lines"}
    assert page.asked.count("copy_lines") <= 1


async def test_another_chat_follows_and_a_renamed_one_takes_its_copy_along(
    world: World, page: ScriptedPage
) -> None:
    page.chat = page.chat | {"chat": "Night"}
    await page.tell("chat_renamed", subject="Night", previous="Evening")
    await world.follows(page)
    async with asyncio.timeout(SECONDS):
        while world.path().exists():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    page.chat = page.chat | {"chat": "Morning"}
    page.messages = messages(2)
    await page.tell("chat_changed")
    await world.follows(page)
    assert len(world.messages("Night")) == 5


async def test_while_a_reply_is_written_the_copy_waits(world: World, page: ScriptedPage) -> None:
    page.is_busy = True
    page.messages.append({"name": "Ada", "mes": "Half a"})
    await page.tell("message_sent")
    await asyncio.sleep(0.3)
    assert len(world.messages()) == 5
    page.is_busy = False
    await world.follows(page)


async def test_what_nobody_announces_is_found_by_and_by(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote_chats, "CHECK_SECONDS", 0.1)
    page = ScriptedPage()
    page.messages = messages(3)
    async with page.connected(world.server.port, ORIGIN, world.token):
        await world.follows(page)
        page.messages[1]["extra"]["quiet"] = True
        await world.follows(page)


async def test_a_copy_that_was_begun_is_gone_on_with(world: World, page: ScriptedPage) -> None:
    again = ScriptedPage()
    again.messages = [*page.messages, *messages(1, 30)]
    async with again.connected(world.server.port, ORIGIN, world.token):
        await world.follows(again)
    assert again.asked.count("copy_lines") == 1
    assert again.bytes < 4_000


async def test_a_damaged_copy_is_brought_anew(world: World, page: ScriptedPage) -> None:
    for damage in (b"", b"\xff\n{", world.path().read_bytes()[:-40], b'{"a":1}\n{"b":2}'):
        world.path().write_bytes(damage)
        await page.tell("message_updated")
        async with asyncio.timeout(SECONDS):
            await world.news.get()
            while world.path().read_bytes() == damage:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        await world.follows(page)


async def test_long_messages_come_in_pieces(world: World) -> None:
    page = ScriptedPage()
    page.messages = [*messages(2), *messages(1, 700_000), {"name": "Ada", "mes": "🜁" * 200_000}]
    async with page.connected(world.server.port, ORIGIN, world.token):
        await world.follows(page)
    assert page.asked.count("copy_piece") > 10


async def test_three_thousand_messages_take_little_more_than_their_bytes(world: World) -> None:
    page = ScriptedPage()
    page.messages = messages(3_000, 1_500)
    size = len(json.dumps(page.messages))
    async with page.connected(world.server.port, ORIGIN, world.token):
        await world.follows(page)
        assert page.bytes < 1.2 * size
        before, page.bytes = page.bytes, 0
        page.messages.append({"name": "Ada", "mes": "One more."})
        await page.tell("message_received")
        await world.follows(page)
        assert page.bytes < before / 20


async def test_a_group_comes_with_its_members(world: World) -> None:
    page = ScriptedPage()
    page.chat = {"kind": "group", "group": "77", "chat": "Gathering"}
    page.messages = messages(3)
    page.group = {
        "id": "77",
        "name": "Crew",
        "members": ["Ada.png", "Bram.png"],
        "chats": ["Gathering"],
    }
    async with page.connected(world.server.port, ORIGIN, world.token):
        async with asyncio.timeout(SECONDS):
            path = await world.news.get()
    assert path == world.folder / "group chats" / "Gathering.jsonl"
    assert {card.name for card in (world.folder / "characters").iterdir()} == {
        "Ada.png",
        "Bram.png",
    }
    assert json.loads((world.folder / "groups" / "77.json").read_bytes())["name"] == "Crew"


def put(**changes: Any) -> Callable[[Answer], Answer]:
    return lambda answer: answer | changes


OTHER = {"kind": "solo", "avatar": "Ada.png", "chat": "Somebody else's"}
LIES: dict[str, tuple[str, Callable[[Answer], Any], str]] = {
    "another chat's state": ("copy_state", put(chat=OTHER), "different chat"),
    "another chat's lines": ("copy_lines", put(chat=OTHER), "different chat"),
    "a chat with a path": ("copy_state", put(chat=OTHER | {"chat": "../x"}), "no sense"),
    "no answer": ("copy_state", lambda _: {}, "no sense"),
    "another first line": ("copy_state", put(first=3), "no sense"),
    "endless marks": ("copy_state", put(length=50_000), "no sense"),
    "too few told": ("copy_state", put(length=2), "more messages than it has"),
    "too many messages": ("copy_state", put(length=10**6), "no sense"),
    "a huge message": ("copy_state", put(marks=[[1, 10**8]], length=1), "no sense"),
    "a huge chat": ("copy_state", put(marks=[[1, 8_000_000]] * 99, length=99), "too large"),
    "marks of nothing it has": (
        "copy_state",
        put(marks=[[1, 20]] * 5),
        "different messages than it announced",
    ),
    "other lines": (
        "copy_lines",
        lambda a: put(lines=['{"mes":"x"}'] * len(a["lines"]))(a),
        "announced",
    ),
    "more lines": ("copy_lines", lambda a: put(lines=a["lines"] * 2)(a), "not asked for"),
    "no lines": ("copy_lines", put(lines=[]), "not asked for"),
    "forged lines": (
        "copy_lines",
        lambda a: put(lines=['{"mes":"a"}\n{"mes":"b"}'] * len(a["lines"]))(a),
        "imitate",
    ),
    "no JSON": (
        "copy_lines",
        lambda a: put(lines=["mes"] * len(a["lines"]))(a),
        "is not a message",
    ),
    "another's card": ("copy_member", put(avatar="Eve.png"), "not in its chat"),
    "a card with a path": ("copy_company", put(members=["../../x.png"]), "cannot be a file name"),
    "a card that is none": ("copy_company", put(members=["x.exe"]), "cannot be a file name"),
    "endless members": ("copy_company", put(members=["Ada.png"] * 101), "no sense"),
    "a group that it is not in": (
        "copy_company",
        put(group={"id": "1", "name": "x", "members": []}),
        "not in its chat",
    ),
}


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
@pytest.mark.parametrize("name", LIES)
async def test_a_page_that_lies_is_let_go_and_nothing_of_it_is_kept(
    world: World, name: str
) -> None:
    kind, lie, sentence = LIES[name]
    before = sorted(world.folder.parent.parent.rglob("*"))
    page = ScriptedPage()
    page.messages = messages(5)
    page.lies[kind] = lie
    async with page.connected(world.server.port, ORIGIN, world.token):
        async with asyncio.timeout(SECONDS):
            while page.closed is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    code, reason = page.closed
    assert code == REFUSED
    assert sentence in reason
    left = set(world.folder.parent.parent.rglob("*")) - set(before)
    assert left <= {world.folder / "characters" / "Ada.png"}
    assert world.news.empty()


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
@pytest.mark.parametrize("chat", ["CON", " lead", "trail.", "a:b", "x" * 300, "~\x7f"])
async def test_a_chat_whose_name_no_file_may_have_is_refused(world: World, chat: str) -> None:
    page = ScriptedPage(chat=chat)
    page.messages = messages(1)
    async with page.connected(world.server.port, ORIGIN, world.token):
        async with asyncio.timeout(SECONDS):
            while page.closed is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert page.closed[0] == REFUSED
    assert not list((world.folder / "chats").iterdir())


@pytest.mark.parametrize("chat", ["../settings", "..", "a/b", "a\\b", ""])
async def test_a_page_that_greets_with_a_path_is_not_listened_to(world: World, chat: str) -> None:
    page = ScriptedPage(chat=chat)
    async with page.connected(world.server.port, ORIGIN, world.token):
        async with asyncio.timeout(SECONDS):
            while page.closed is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert world.server.pages == ()
    assert not list((world.folder / "chats").iterdir())


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
@pytest.mark.parametrize(("old", "new"), [("Evening", "../x"), ("..", "y"), ("CON", "y")])
async def test_a_chat_is_not_renamed_to_leave_its_folder(
    world: World, page: ScriptedPage, old: str, new: str
) -> None:
    await page.tell("chat_renamed", subject=new, previous=old)
    async with asyncio.timeout(SECONDS):
        while page.closed is None:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert page.closed[0] == REFUSED
    assert [path.name for path in (world.folder / "chats").rglob("*.jsonl")] == ["Evening.jsonl"]


@pytest.mark.expects_log("app.sillytavern.bridge.bridge_socket")
async def test_a_piece_that_never_ends_is_not_waited_for(world: World) -> None:
    page = ScriptedPage()
    page.messages = messages(1, 500_000)
    page.lies["copy_piece"] = lambda answer: answer | {"lines": [""]}
    async with page.connected(world.server.port, ORIGIN, world.token):
        async with asyncio.timeout(SECONDS):
            while page.closed is None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert page.closed[0] == REFUSED


async def test_a_page_of_this_computer_is_asked_for_nothing(world: World, tmp_path: Path) -> None:
    local = tmp_path / "default-user"
    local.mkdir()
    (local / "settings.json").write_text("{}")
    bridge_installer.install(local)
    await world.server.add_tavern(local)
    pairing = bridge_installer.extension_folder(local) / "pairing.json"
    token = json.loads(pairing.read_bytes())["token"]
    page = ScriptedPage()
    page.messages = messages(3)
    async with page.connected(world.server.port, "http://127.0.0.1:8000", token, is_local=True):
        await page.tell("message_edited")
        await asyncio.sleep(0.3)
        assert world.chats.is_here(world.server.pages[0])
    assert page.asked == []
    assert not (local / "chats").exists()
