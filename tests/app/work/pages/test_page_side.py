"""What a page of SillyTavern is told to show, and what the user may ask of the program in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from app.companion import Companion, open_companion
from app.core import translation
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.core.tasks import TaskSupervisor
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.page_marks import message_checksum
from app.story.messages import Message
from app.work.pages import page_requests
from app.work.pages.page_requests import AT_ONCE, TOO_MANY, UNSAVED, WINDOWLESS
from tests.chat_files import HEADER, jsonl, message
from tests.labelled import WrittenTavern, write_tavern

pytestmark = pytest.mark.asyncio(loop_scope="module")

LENGTH = 40
BREAKS = (9, 24)
TWINS = (29, 33)  # messages that say the same


@dataclass
class FakePage:
    """A page that shows one chat, answers all that it is asked, and remembers it."""

    connection: ClientConnection
    path: Path
    asked: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    replies: dict[str, dict[str, Any]] = field(default_factory=dict)
    news: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def chat(self) -> dict[str, str]:
        avatar = f"{self.path.parent.name}.png"
        return {"kind": "solo", "avatar": avatar, "chat": self.path.stem}

    async def send(self, **frame: Any) -> None:
        await self.connection.send(json.dumps({"chat": self.chat, **frame}))

    async def listen(self) -> None:
        async for data in self.connection:
            frame = json.loads(data)
            if frame["type"] == "request":
                self.asked.append((frame["kind"], frame["params"]))
                answer = {"type": "answer", "id": frame["id"], "result": {}}
                await self.connection.send(json.dumps(answer))
            elif frame["type"] == "reply":
                self.replies[frame["id"]] = frame
            self.news.set()

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(15):
            while not holds():
                self.news.clear()
                await self.news.wait()

    async def wish(self, kind: str, **details: Any) -> dict[str, Any]:
        """Wish for something and wait for the reply."""
        number = f"w{len(self.replies)}"
        await self.send(type="wish", id=number, kind=kind, **details)
        await self.until(lambda: number in self.replies)
        return self.replies[number]

    def told(self, kind: str) -> list[dict[str, Any]]:
        return [params for asked, params in self.asked if asked == kind]

    @property
    def marks(self) -> dict[int, dict[str, Any]]:
        """What stands at the messages after all that was told."""
        rows = [row for params in self.told("marks") for row in params["marks"]]
        now = {row["index"]: row for row in rows}
        return {index: row for index, row in now.items() if "end" in row or "word" in row}


@dataclass
class Table:
    companion: Companion
    page: FakePage
    path: Path

    def message(self, index: int) -> Message:
        story = self.companion.story(self.path)
        assert story is not None
        return story.messages[index]

    def named(self, index: int) -> dict[str, int]:
        return {"index": index, "hash": message_checksum(self.message(index))}

    @property
    def ends(self) -> set[int]:
        story = self.companion.story(self.path)
        assert story is not None
        return {scene.last for scene in story.scenes if scene.closing is not None}


@pytest.fixture(scope="module")
def tavern(tmp_path_factory: pytest.TempPathFactory) -> WrittenTavern:
    """A tavern with one chat of LENGTH messages, and the bridge."""
    story = {
        "title": "Lanterns",
        "user_name": "Ana",
        "characters": [{"name": "Mira", "description": "Keeps the harbour of Vell."}],
        "group": False,
        "messages": [
            {
                "name": "Mira" if n % 2 else "Ana",
                "is_user": not n % 2,
                "kind": "chat",
                "mes": "And then?"
                if n in TWINS
                else f"We carried {n} lanterns to the harbour of Vell.",
            }
            for n in range(LENGTH)
        ],
    }
    written = write_tavern(story, tmp_path_factory.mktemp("data") / "default-user")
    bridge_installer.install(written.user_folder)
    return written


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def laid(
    tmp_path_factory: pytest.TempPathFactory, tavern: WrittenTavern
) -> AsyncIterator[Table]:
    """The program with the chat open, two scenes of it ended by hand, and a page that shows it."""
    root, own = tavern.user_folder.parent, user_folders(tmp_path_factory.mktemp("own"))
    tasks = TaskSupervisor()
    async with open_companion(own, tavern=root, llm="builtin") as companion:
        companion.settings.put("scene_breaks_auto", False)
        story = await companion.open_story(tavern.chat)
        for index in BREAKS:
            await companion.edits.scenes.mark(tavern.chat, story.messages[index].anchor)
        await companion.settled(tavern.chat)
        paired = pairing(tavern.user_folder)
        async with connect(
            f"ws://127.0.0.1:{paired['port']}",
            origin=Origin("http://127.0.0.1:8000"),
            subprotocols=[Subprotocol("tavernkeep.v1"), Subprotocol(f"token.{paired['token']}")],
            proxy=None,
        ) as connection:
            page = FakePage(connection, tavern.chat)
            version = bridge_installer.program_version()
            await page.send(type="hello", version=version, page="p", length=LENGTH)
            tasks.spawn(page.listen(), name="page")
            await page.until(lambda: bool(page.told("badge")))
            yield Table(companion, page, tavern.chat)
    await tasks.aclose()


@pytest.fixture
def table(laid: Table) -> Table:
    """The same table for each test, with nothing heard yet."""
    laid.page.asked.clear()
    laid.page.replies.clear()
    return laid


def pairing(user_folder: Path) -> dict[str, Any]:
    path = bridge_installer.extension_folder(user_folder) / "pairing.json"
    said: dict[str, Any] = json.loads(path.read_text())
    return said


async def test_a_page_is_told_which_parts_are_wanted_and_how_the_program_is(table: Table) -> None:
    by_default = {"badge": True, "button": True, "marks": False, "commands": True}
    page, companion = table.page, table.companion
    await companion.put_setting("page_badge", False)
    await page.until(lambda: page.told("parts") == [by_default | {"badge": False}])
    await companion.reset_setting("page_badge")
    await page.until(lambda: page.told("parts")[-1] == by_default)
    companion.work.pause()
    await page.until(lambda: bool(page.told("badge")))
    assert page.told("badge")[-1]["sentence"].startswith("Paused")
    companion.work.resume()


async def test_pages_know_the_wanted_parts_while_the_program_is_away(
    tmp_path: Path, tavern: WrittenTavern
) -> None:
    root, own = tavern.user_folder.parent, user_folders(tmp_path / "own")
    async with open_companion(own, tavern=root, llm="builtin") as companion:
        await companion.put_setting("page_button", False)
    left = pairing(tavern.user_folder)
    assert left["port"] == 0
    assert left["parts"] == {"badge": True, "button": False, "marks": False, "commands": True}


async def test_marks_are_told_once_and_then_only_what_changed(table: Table) -> None:
    page = table.page
    await page.wish("marks", index=0, wanted=True)
    await page.until(lambda: page.marks.keys() == table.ends)
    place = next(i for i in range(3, 30) if i not in table.ends)
    before = len(page.told("marks"))
    await table.companion.edits.scenes.mark(table.path, table.message(place).anchor, name="Quay")
    await page.until(lambda: place in page.marks)
    await page.until(lambda: page.marks.keys() == table.ends)
    assert page.marks[place]["end"].endswith(": Quay")
    rows = [row["index"] for params in page.told("marks")[before:] for row in params["marks"]]
    # The scenes behind it have other numbers now; what stands before it is as it was.
    assert min(rows) == place
    assert len(rows) == len(set(rows))
    await table.companion.edits.undo(table.path)
    await page.until(lambda: place not in page.marks)


async def test_recaps_are_told_where_they_are_wanted_and_from_where_the_page_shows(
    table: Table,
) -> None:
    page, companion = table.page, table.companion
    story = companion.story(table.path)
    assert story is not None
    first = len(story.messages) - 20
    await page.wish("marks", index=first, wanted=True)
    await companion.put_setting("page_marks", True)
    recaps = {
        index
        for index in range(first, len(story.messages))
        if story.message_recaps.get(story.messages[index].anchor)
        and story.message_recaps[story.messages[index].anchor].text
    }
    assert recaps
    await page.until(lambda: recaps <= {i for i, row in page.marks.items() if "recap" in row})
    assert min(page.marks) >= first
    assert all(row["hash"] == table.named(index)["hash"] for index, row in page.marks.items())
    await companion.put_setting("page_marks", False)
    await page.until(lambda: not any("recap" in row for row in page.marks.values()))


async def test_a_wish_ends_a_scene_by_the_message_and_not_by_its_number(table: Table) -> None:
    place = next(i for i in range(8, 40) if i not in table.ends)
    meant = table.named(place) | {"index": place - 3}  # three messages came since the page looked
    reply = await table.page.wish("scene", **meant, wanted=True)
    assert reply["result"] == {"marked": True, "index": place}
    assert place in table.ends
    again = await table.page.wish("scene", **meant, wanted=True)
    assert again["result"]["marked"] is True
    undo, _ = await table.companion.edits.undo_labels(table.path)
    assert undo == f"scene break at #{place}"  # once, also where it was pressed twice
    assert (await table.page.wish("scene", **meant))["result"]["marked"] is False
    assert place not in table.ends


async def test_the_newest_message_is_never_an_earlier_one_that_says_the_same(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_requests, "SAVE_PAUSES", (0.0, 0.01))
    ends = table.ends
    sent = table.named(TWINS[1]) | {"index": LENGTH}  # shown by the page and not saved yet
    assert (await table.page.wish("scene", **sent, wanted=True))["error"] == UNSAVED
    assert table.ends == ends


async def test_of_two_messages_that_say_the_same_the_one_behind_the_same_message_is_meant(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_requests, "SAVE_PAUSES", (0.0, 0.01))
    first, second = TWINS
    moved = table.named(second) | {"index": first + 1}  # three messages came since the page looked
    assert (await table.page.wish("scene", **moved, wanted=True))["error"] == UNSAVED
    before = table.named(second - 1)["hash"]
    reply = await table.page.wish("scene", **moved, before=before, wanted=True)
    assert reply["result"] == {"marked": True, "index": second}
    await table.page.wish("scene", **table.named(second), wanted=False)


async def test_a_message_that_is_not_saved_yet_is_waited_for_and_then_refused(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_requests, "SAVE_PAUSES", (0.0, 0.01))
    ends = table.ends
    reply = await table.page.wish("scene", index=2, hash=1, wanted=True)
    assert reply["error"] == UNSAVED
    assert table.ends == ends


async def test_finds_name_their_place_and_hold_no_more_than_a_card_shows(table: Table) -> None:
    await table.companion.search.index_all([table.path], lambda _done: None)
    words = table.message(5).text.split()
    reply = await table.page.wish("search", text=" ".join(words[:4]))
    items = reply["result"]["items"]
    assert 5 in [item.get("index") for item in items]
    assert all(len(item["text"]) <= 300 and item["label"] for item in items)
    assert "look for" in (await table.page.wish("search", text="  "))["error"]


@pytest.fixture
def german() -> Iterator[None]:
    """The window is German."""
    translation.use("de")
    yield
    translation.use("en")


@pytest.mark.usefixtures("german")
async def test_the_program_speaks_the_language_of_the_page(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card in an English page had German rows over an English button."""
    (page,) = table.companion._link.pages

    def speaks(language: str) -> None:
        for link in table.companion._link._server._links.values():
            link.page = replace(page, language=language)

    for language, said, tokens in (
        ("en", "Work continues.", "Models today"),
        ("de-de", "Die Arbeit geht weiter.", "Modelle heute"),
        ("", "Die Arbeit geht weiter.", "Modelle heute"),  # an older page says none
    ):
        speaks(language)
        assert (await table.page.wish("order", text="continue"))["result"]["said"] == said
        items = (await table.page.wish("order", text="tokens"))["result"]["items"]
        assert items[-1]["label"] == tokens
    assert translation.tr("Models today") == "Modelle heute"  # the window's own stays


async def test_a_page_finds_nothing_of_another_users_chats(table: Table) -> None:
    users = table.path.parents[3]
    for user in ("guest", "default-user-two"):
        path = users / user / "chats" / "Mira" / "Evening.jsonl"
        path.parent.mkdir(parents=True)
        told = f"The zanthor of {user} and its lanterns."
        path.write_bytes(jsonl([HEADER, message(0, mes=told)]))
        await table.companion.search.index_all([path], lambda _done: None)
    assert len((await table.companion.search.find("zanthor")).hits) == 2
    for query in ("zanthor", "in:evening zanthor", "in:guest lanterns", "tier:messages zanthor"):
        reply = await table.page.wish("search", text=query)
        assert [item for item in reply["result"]["items"] if "zanthor" in item["text"]] == []


async def test_the_newest_message_is_checked_where_none_is_named(table: Table) -> None:
    story = table.companion.story(table.path)
    assert story is not None
    reply = await table.page.wish("check")
    assert reply["result"]["index"] == len(story.messages) - 1
    assert isinstance(reply["result"]["items"], list)


async def test_the_window_is_asked_for_where_there_is_one(table: Table) -> None:
    wanted: list[tuple[Path, str]] = []
    table.companion.page_requests.window_wanted.connect(lambda asked: wanted.append(asked))
    assert (await table.page.wish("open", **table.named(4)))["error"] == WINDOWLESS
    table.companion.page_requests.has_window = True
    assert not (await table.page.wish("open", **table.named(4)))["error"]
    table.companion.page_requests.has_window = False
    assert wanted == [(table.path, table.message(4).anchor)]


async def test_a_page_that_wishes_without_end_is_held_back(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_requests, "SAVE_PAUSES", (0.0, 0.3))
    for number in range(AT_ONCE + 1):
        await table.page.send(type="wish", id=f"n{number}", kind="scene", index=1, hash=1)
    await table.page.until(lambda: len(table.page.replies) == AT_ONCE + 1)
    errors = [reply["error"] for reply in table.page.replies.values()]
    assert sorted(errors) == sorted([UNSAVED] * AT_ONCE + [TOO_MANY])


async def test_the_page_is_sent_to_a_message_of_the_chat_that_it_shows(table: Table) -> None:
    assert table.companion.page.shows(table.path)
    await table.companion.page.go_to(table.path, table.message(7).anchor)
    gone_to = table.page.told("go_to")[-1]
    assert gone_to == table.named(7) | {"chat": table.page.chat}
    await table.page.connection.send(
        json.dumps({"type": "event", "name": "chat_changed", "chat": None, "length": 0})
    )
    await table.page.wish("marks", index=0)
    assert not table.companion.page.shows(table.path)
    with pytest.raises(UsageError, match="is not showing this chat"):
        await table.companion.page.go_to(table.path, table.message(7).anchor)
    await table.page.send(type="event", name="chat_changed", length=LENGTH)


async def test_a_text_that_the_page_asks_for_is_written_or_it_is_said_why_not(table: Table) -> None:
    refused = await table.page.wish("text", text="canon")
    assert "model" in refused["error"]
    unknown = await table.page.wish("text", text="a poem")
    assert "continuity" in unknown["error"]


async def test_what_is_shown_in_sillytavern_goes_first_and_follows_the_page(table: Table) -> None:
    """Who plays waited for all that was asked of another chat, however long that took."""
    work, messages = table.companion.work, table.companion.edits.messages
    other = table.path.with_name("Another evening.jsonl")
    other.write_bytes(table.path.read_bytes())
    story = await table.companion.open_story(other)
    work.pause()

    def next_of() -> Path | None:
        first = next((op for op in work.operations if op.finished is None), None)
        chat = None if first is None else work.chat_of(first.spec.chat)
        return None if chat is None else chat.path

    await messages.write(other, [one.anchor for one in story.messages[1:4]])
    assert next_of() == other
    await messages.write(table.path, [table.message(1).anchor])
    assert next_of() == table.path
    told: list[Path | None] = []
    table.companion.operations_changed.connect(lambda _: told.append(next_of()))
    there = {**table.page.chat, "chat": other.stem}
    await table.page.send(type="event", name="chat_changed", chat=there, length=LENGTH)
    async with asyncio.timeout(15):
        while other not in told:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert next_of() == other
    await table.page.send(type="event", name="chat_changed", length=LENGTH)
    await work.clear_waiting()
    work.resume()
