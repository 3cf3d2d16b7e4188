"""Chats in SillyTavern, a program that follows them, and all that has to hold whatever happens."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import pytest
from msgspec import structs

from app import languages
from app.companion import Companion, open_companion
from app.core.operations import FINISHED, OperationStatus
from app.core.paths import Folders, user_folders
from app.settings.slot_table import SlotName
from app.sillytavern.chat_diff import messages_of
from app.sillytavern.chat_file import read_chat
from app.story.anchors import align
from app.story.recaps import RunningVersion, injected_version
from app.story.scene_cues.language import parse_pack
from app.story.story import Story
from app.views.story_change import StoryChange
from app.work.queue import outcomes
from tests.chat_page import ChatPage, Clock

T = TypeVar("T")

# Openings that close a scene, and some that do not.
OPENINGS = (
    "I nod at {n} and say nothing.",
    "Mira counts {n} lamps along the quay and frowns at the last one.",
    "“You owe me {n} coins,” I tell her, and I mean it.",
    "The next morning, Mira wakes to {n} gulls on the roof and bread from the oven.",
    "Three days later, {n} riders reach the gates of Velm Castle under a grey sky.",
    "***\n\nMeanwhile, in the cellar of house {n}, old Tobias sharpens a knife.",
    "Mira falls asleep after {n} pages, and the candle burns out.",
    "At the market, {n} hours later, the two of them bargain over salt and rope.",
    "*{n} steps.* She stops.",
)
TWIN = "“Yes.”"  # may come twice in one minute
BUDGET = 120
RECAPS_BUDGET = 60
# Small, so that short chats have many scenes and every budget is met.
SETTINGS = {
    "scene_minimum_length": 2,
    "running_recap_leave_out": 0,
    "running_recap_budget": BUDGET,
    "message_recaps_inject": True,
    "message_recaps_budget": RECAPS_BUDGET,
    "inclusion_limit_type": "tokens",
    "inclusion_limit": 80,
    "long_term_limit": 30,
}

parsed = cache(parse_pack)


@dataclass
class Followed:
    """A chat with what the program must not lose of it.

    anchors: of every message that was ever seen, by its number. touched: changed since then.
    """

    page: ChatPage
    anchors: dict[int, str] = field(default_factory=dict)
    seen: dict[int, tuple[object, ...]] = field(default_factory=dict)  # looks at the last reading
    touched: list[set[int]] = field(default_factory=list)  # by each deed since then
    story: Story | None = None


class StoryWorld:
    """A few chats in SillyTavern, and a program that looks after the active one."""

    def __init__(self) -> None:
        super().__init__()  # a machine's, beside this one
        self.patch = pytest.MonkeyPatch()
        # Who takes things back and does them again a hundred times has the same work done as often.
        self.patch.setattr(outcomes, "TIMES_DONE_AT_MOST", 1000)
        self.patch.setattr(languages, "parse_pack", parsed)  # most of what a start takes
        self.folder = Path(tempfile.mkdtemp(prefix="story machine "))
        self.runner = asyncio.Runner()
        self.stack: AsyncExitStack | None = None
        self.companion: Companion | None = None
        self.chats: list[Followed] = []
        self.active = 0
        self.has_deleted = False  # a chat, whose slug others may share
        self.names = count()
        self.changes: list[StoryChange] = []

    # --- the world

    @property
    def chat(self) -> Followed:
        return self.chats[self.active]

    @property
    def page(self) -> ChatPage:
        return self.chat.page

    @property
    def story(self) -> Story:
        assert self.chat.story is not None
        return self.chat.story

    @property
    def is_running(self) -> bool:
        return self.companion is not None

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.runner.run(asyncio.wait_for(work, 30))

    def folders(self, name: str = "own data") -> Folders:
        return user_folders(self.folder / name)

    def text(self, opening: int) -> str:
        return OPENINGS[opening].format(n=100 + next(self.names))

    def at(self, place: int) -> int:
        return place % len(self.page.messages)

    def begin_with(self, first: list[int], *, is_exact: bool) -> None:
        user_folder = self.folder / "data" / "default-user"
        (user_folder / "characters").mkdir(parents=True)
        path = user_folder / "chats" / "Mira" / "Mira - 1.jsonl"
        path.parent.mkdir(parents=True)
        page = ChatPage(path, Clock(is_exact=is_exact), "integrity 1")
        for number, opening in enumerate(first):
            page.insert(number, self.text(opening), is_user=number % 2 == 0)
        page.save()
        self.chats = [Followed(page)]
        self.start()
        assert self.companion is not None
        for name, value in SETTINGS.items():
            self.run(self.companion.put_setting(name, value))
        self.look()

    def end(self) -> None:
        try:
            if self.is_running:
                self.stop()
        finally:
            self.runner.close()
            self.patch.undo()
            shutil.rmtree(self.folder)

    def start(self) -> None:
        self.stack = AsyncExitStack()
        self.companion = self.run(self.stack.enter_async_context(self.opened(self.folders())))
        self.companion.story_changed.connect(self.on_change)

    def on_change(self, change: StoryChange) -> None:
        self.changes.append(change)

    def stop(self) -> None:
        assert self.stack is not None
        self.run(self.stack.aclose())
        self.stack = self.companion = None

    def opened(self, folders: Folders) -> Any:
        return open_companion(
            folders, tavern=self.folder / "data" / "default-user", llm="builtin", watch=False
        )

    # --- what is done

    def saved(self, *touched: int) -> None:
        """The page has changed these messages, by their numbers, and saves."""
        self.page.save()
        self.chat.touched.append(set(touched))
        if self.is_running:
            self.look()

    def deed(self, do: Callable[[Companion, Path], Awaitable[object]]) -> Story:
        """Do it, take it back, do it again; the story follows exactly. Gives the story after it."""
        companion, path = self.companion, self.page.path
        assert companion is not None
        companion.work.pause()
        before = self.story
        self.run(as_coroutine(do(companion, path)))
        after = self.told(companion)
        self.run(companion.edits.undo(path))
        assert_same(before, self.told(companion))
        self.run(companion.edits.redo(path))
        assert_same(after, self.told(companion))
        companion.work.resume()
        self.settle()
        return after

    def work(self, ask: Callable[[Companion, Path], Awaitable[object]]) -> None:
        """Have something written anew, take that back, and do it again."""
        companion, path = self.companion, self.page.path
        assert companion is not None
        before = self.story
        self.run(as_coroutine(ask(companion, path)))
        self.settle()
        after = self.story
        companion.work.pause()
        if after != before:
            self.run(companion.edits.undo(path))
            assert_same(before, self.told(companion))
            self.run(companion.edits.redo(path))
            assert_same(after, self.told(companion))
        companion.work.resume()
        self.settle()

    def marked(self, place: int, *, is_visible: bool = False) -> str | None:
        """The anchor of a message that has a break."""
        breaks = self.story.breaks
        found = [
            m.anchor
            for m in self.story.messages
            if m.anchor in breaks and (breaks[m.anchor].is_visible or not is_visible)
        ]
        return found[place % len(found)] if found else None

    # --- what holds

    def injected(self) -> RunningVersion | None:
        return injected_version(self.story.running, positions(self.story))

    def told(self, companion: Companion) -> Story:
        story = companion.story(self.page.path)
        assert story is not None
        return story

    def settle(self) -> None:
        """All work on the active chat is done, and the change was told."""
        assert self.companion is not None
        before = self.chat.story
        self.chat.story = self.run(self.companion.settled(self.page.path))
        if before is not None and before.chat == self.chat.story.chat:
            assert_told(before, self.chat.story, self.changes)
        self.changes.clear()

    def look(self) -> None:
        """The program reads the active chat; nothing that was known is lost."""
        assert self.companion is not None
        before, chat = self.chat.story, self.chat
        self.run(self.companion.open_story(self.page.path))
        self.settle()
        story = self.story
        new = {
            held.who: message.anchor
            for held, message in zip(self.page.messages, story.messages, strict=True)
        }
        looks = Counter(held.looks for held in self.page.messages) | Counter(chat.seen.values())
        for held in self.page.messages:
            is_twin = looks[held.looks] > 1
            is_lone_deed = len(chat.touched) <= 1
            is_touched = any(held.who in touched for touched in chat.touched)
            if held.who in chat.seen and not is_twin and (is_lone_deed or not is_touched):
                assert new[held.who] == chat.anchors[held.who], f"{held} has another anchor"
                if before is not None and not is_touched:
                    assert_marks_stay(before, story, new[held.who])
        if before is not None:
            gone = {a for a, mark in before.breaks.items() if story.breaks.get(a) != mark}
            assert not gone, "a break was lost or changed by a reading"
            old = {version.version: version for version in before.running.versions}
            assert all(old.get(v.version, v) == v for v in story.running.versions)
            assert {v.version for v in story.running.versions} >= set(old)
        chat.anchors |= new
        chat.seen = {held.who: held.looks for held in self.page.messages}
        chat.touched = []

    def check(self) -> None:
        self.files_are_as_sillytavern_wrote_them()
        if self.chats and self.is_running:
            self.anchors_are_unique()
            self.scenes_cover_the_chat()
            self.the_prompt_tells_of_nothing_that_is_gone_and_keeps_to_its_budgets()
            self.the_story_is_what_the_file_says()
            self.run(self.a_fresh_start_tells_the_same_story())

    def anchors_are_unique(self) -> None:
        anchors = [message.anchor for message in self.story.messages]
        assert len(set(anchors)) == len(anchors)

    def files_are_as_sillytavern_wrote_them(self) -> None:
        for chat in self.chats:
            assert chat.page.path.read_bytes() == chat.page.written

    def scenes_cover_the_chat(self) -> None:
        covered = [i for s in self.story.scenes for i in range(s.first, s.last + 1)]
        assert covered == list(range(len(self.story.messages)))
        for scene in self.story.scenes:
            if scene.closing is not None:
                assert self.story.messages[scene.last].anchor == scene.closing.anchor

    def the_prompt_tells_of_nothing_that_is_gone_and_keeps_to_its_budgets(self) -> None:
        assert self.companion is not None
        there = positions(self.story)
        version = injected_version(self.story.running, there)
        assert version is None or not version.last_anchor or version.last_anchor in there
        slots = self.run(self.companion.slots(self.page.path)).slots
        assert [slot.budget for slot in slots[:2]] == [BUDGET, RECAPS_BUDGET]
        # Scenes that no running recap tells are told by their own recaps; nothing else is there.
        assert [slot.key for slot in slots[2:]] in ([], [SlotName.SCENES.key])
        for slot in slots:
            assert slot.tokens <= slot.budget

    def the_story_is_what_the_file_says(self) -> None:
        snapshot = read_chat(self.page.path)
        fresh = messages_of(snapshot, align((), snapshot.lines))
        bare = [structs.replace(message, anchor="") for message in fresh]
        assert [structs.replace(m, anchor="") for m in self.story.messages] == bare
        texts = [held.data["mes"] for held in self.page.messages]
        assert [message.text for message in self.story.messages] == texts

    async def a_fresh_start_tells_the_same_story(self) -> None:
        assert self.companion is not None
        folders = self.folders("copy")
        copy_database(self.folders().database, folders.database)
        async with self.opened(folders) as fresh:
            story = await fresh.open_story(self.page.path)
            assert_same(self.story, story)
            failed = {
                (op.spec.kind, op.spec.anchor)
                for op in self.companion.work.operations
                if op.status is OperationStatus.FAILED
            }  # each start tries that again
            left = {
                (op.spec.kind, op.spec.anchor)
                for op in fresh.work.operations
                if op.status not in FINISHED
            }
            assert left <= failed, "a fresh start finds work that was not left"
            slots = await fresh.slots(self.page.path)
            assert slots == await self.companion.slots(self.page.path)


def assert_same(one: Story, other: Story) -> None:
    """Both tell the same; field by field, so that a failure is short."""
    assert other.messages == one.messages
    assert other.breaks == one.breaks
    assert other.scenes == one.scenes
    assert other.recaps == one.recaps
    assert other.running == one.running
    assert other.message_recaps == one.message_recaps
    assert other.inclusion == one.inclusion
    assert other.message_tokens == one.message_tokens
    assert replace(other, chat=one.chat) == one


def assert_marks_stay(before: Story, after: Story, anchor: str) -> None:
    """What the user did to a message's recap is still there."""
    old = before.message_recaps.get(anchor)
    if old is not None:
        new = after.message_recaps[anchor]
        assert (new.is_excluded, new.is_remembered) == (old.is_excluded, old.is_remembered)
        assert not old.is_edited or new == old


def assert_others_stay(before: Story, after: Story, *anchors: str) -> None:
    """A deed on these messages leaves the breaks and recaps of all others alone."""

    def others(items: dict[str, T]) -> dict[str, T]:
        return {key: value for key, value in items.items() if key not in anchors}

    assert others(after.breaks) == others(before.breaks)
    assert others(after.message_recaps) == others(before.message_recaps)
    assert (after.recaps, after.running) == (before.recaps, before.running)


def assert_told(before: Story, after: Story, changes: list[StoryChange]) -> None:
    """What became different was said."""
    ours = [change for change in changes if change.chat == after.chat]
    pairs = zip(before.messages, after.messages, strict=False)
    first = next((i for i, (old, new) in enumerate(pairs) if old != new), None)
    if first is None and len(before.messages) != len(after.messages):
        first = min(len(before.messages), len(after.messages))
    if first is not None:
        said = [change.first_message for change in ours if change.first_message is not None]
        assert min(said) <= first
    recaps = (before.recaps, before.message_recaps) != (after.recaps, after.message_recaps)
    assert before.scenes == after.scenes or any(change.scenes for change in ours)
    assert not recaps or any(change.recaps for change in ours)
    assert before.running == after.running or any(change.running for change in ours)
    assert before.inclusion == after.inclusion or any(change.inclusion for change in ours)


def positions(story: Story) -> dict[str, int]:
    return {message.anchor: index for index, message in enumerate(story.messages)}


async def as_coroutine(work: Awaitable[T]) -> T:
    return await work


def copy_database(source: Path, target: Path) -> None:
    for file in target.parent.glob(f"{target.name}*"):
        file.unlink()
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)
