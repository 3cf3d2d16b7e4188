"""Tavernkeep in the test process, beside SillyTavern's page: what it knows of a chat, and paid."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from app.companion import Companion, open_companion
from app.core.operations import OperationKind
from app.core.paths import user_folders
from app.prompt.slots import RUNNING_RECAP_KEY
from app.story.messages import MessageRecap
from app.story.story import Story
from app.views.story_change import StoryChange
from tests.e2e.conftest import RunningTavern
from tests.e2e.page import TavernPage
from tests.e2e.sillytavern import dialogue, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest, Wire

LOOK_SECONDS = 0.2  # files tell no signal

T = TypeVar("T")
_THING = re.compile(r"\bitem-\w+")


def things_in(text: str) -> list[str]:
    """What a text of the tests tells of: its words that begin with "item-", in order."""
    return list(dict.fromkeys(_THING.findall(text)))


def tell_things(request: RecordedRequest) -> str:
    """A model's recap: it names what the text names, and nothing that is only there for context."""
    text = request.messages[-1]["content"]
    if "<message>" in text:
        return f"It told of {', '.join(things_in(text.partition('<message>')[2]))}."
    told = things_in(text.partition("<recap>" if "<recap>" in text else "<scene>")[2])
    recap = {"developments": [f"Told of {thing}." for thing in told], "open": [], "state": []}
    return json.dumps({"name": "A scene", "recap": recap})


class Memory:
    """A companion that follows the tavern, and one chat in it that is watched."""

    def __init__(self, companion: Companion, model: FakeLlm, page: TavernPage) -> None:
        self.companion = companion
        self.page = page
        self.path = Path()
        self.changes: list[StoryChange] = []  # of all chats since the last `watch`
        self.troubles: list[tuple[Path, str]] = []
        self._model = model
        self._news = asyncio.Event()
        companion.story_changed.connect(self._on_story)
        companion.trouble.connect(self._on_trouble)
        companion.operations_changed.connect(self._on_news)
        companion.slots_changed.connect(self._on_news)

    @property
    def story(self) -> Story:
        """The watched chat as it is known now."""
        story = self.companion.story(self.path)
        assert story is not None
        return story

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.story.messages]

    @property
    def requests(self) -> int:
        """What was asked of the model so far."""
        return len(self._model.requests)

    @contextlib.contextmanager
    def dripping(self, words: str) -> Iterator[tuple[threading.Event, threading.Event]]:
        """Requests that hold these words get an answer without end: it has begun, it was left."""
        begun, left = threading.Event(), threading.Event()

        def drip(wire: Wire) -> None:
            wire.head()
            begun.set()
            try:
                while wire.wait(0.05):
                    wire.piece(" ")
            except OSError:
                left.set()

        before = self._model.reply
        self._model.reply = lambda request: drip if words in request.text else before(request)
        try:
            yield begun, left
        finally:
            self._model.reply = before

    def asked_for(self, words: str) -> list[str]:
        """The requests that hold these words."""
        return [request.text for request in self._model.requests if words in request.text]

    def watch(self, path: Path) -> None:
        """Look at this chat from now on."""
        self.path = path
        self.changes.clear()

    async def write(self, path: Path, count: int, *, breaks: tuple[int, ...]) -> list[str]:
        """Make a chat that tells of item-0, item-1, ..., show it in the page, cut it into scenes.

        Returns the messages' anchors, when everything is recapped and in the page.
        """
        # The chat's name in it: what is known of another chat's words is not asked for again.
        texts = [f"There was item-{number} in {path.stem}." for number in range(count)]
        write_chat(path, dialogue(*texts))
        await self.page.open_chat(path.stem)
        self.watch(path)
        story = await self.companion.open_story(path)
        anchors = [message.anchor for message in story.messages]
        for index in breaks:
            await self.companion.edits.scenes.mark(path, anchors[index])
        await self.companion.settled(path)
        # The newest scene is left out.
        await self.slot_tells(*(f"item-{number}" for number in range(breaks[-2] + 1)))
        return anchors

    async def follow(self, path: Path) -> None:
        """Look at a chat that the page has opened, when it is known and nothing is left to do."""
        self.watch(path)
        await self.until(lambda: self.companion.story(path))
        await self.settled()

    def versions(self) -> list[list[str]]:
        """What each version of the running recap tells of, oldest first."""
        return [things_in(version.content) for version in self.story.running.versions]

    async def slot_tells(self, *things: str) -> None:
        """Wait until the page's prompt tells of these things, and of no others."""
        script = f"""things => {{
            const text = SillyTavern.getContext().extensionPrompts.{RUNNING_RECAP_KEY}?.value ?? '';
            const told = [...new Set(text.match(/\\bitem-\\w+/g) ?? [])];
            return JSON.stringify(told) === JSON.stringify(things);
        }}"""
        await self.page.page.wait_for_function(script, arg=list(things), timeout=15_000)

    def scene_things(self) -> list[list[str]]:
        """What the recap of each scene tells of; [] for a scene without one."""
        recaps = [self.story.scene_recap(scene) for scene in self.story.scenes]
        return [[] if recap is None else things_in(recap.text) for recap in recaps]

    def stale(self) -> list[int]:
        """Numbers of the closed scenes whose recap tells of another text."""
        edits = self.companion.edits
        return [
            scene.number
            for scene in self.story.scenes
            if scene.closing and edits.is_scene_recap_stale(self.path, scene.closing.anchor)
        ]

    def message_recap(self, anchor: str) -> MessageRecap:
        return self.story.message_recaps.get(anchor, MessageRecap())

    async def settled(self) -> None:
        """Wait until all work that is known of has been done."""
        await self.companion.settled(self.path)

    def planned(self) -> list[OperationKind]:
        """What is not done yet."""
        return [o.spec.kind for o in self.companion.work.operations if o.finished is None]

    async def until(self, found: Callable[[], T], seconds: float = 15.0) -> T:
        """Wait until it is so; looked at after each thing that is heard, and now and then."""
        deadline = time.monotonic() + seconds
        while not (value := found()):
            if time.monotonic() > deadline:
                raise AssertionError(f"waited {seconds} s in vain; messages: {self.texts}")
            self._news.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), LOOK_SECONDS)
        return value

    def _on_story(self, change: StoryChange) -> None:
        self.changes.append(change)
        self._news.set()

    def _on_trouble(self, trouble: tuple[Path, str]) -> None:
        self.troubles.append(trouble)

    def _on_news(self, _: object) -> None:
        self._news.set()


@asynccontextmanager
async def open_memory(tavern: RunningTavern, page: TavernPage, data: Path) -> AsyncIterator[Memory]:
    """A memory with a model of its own; scenes end only where a test says so."""
    with FakeLlm(tell_things) as model:
        async with open_companion(
            user_folders(data), tavern=tavern.user_folder, llm=f"openai:{MODEL}@{model.url}"
        ) as companion:
            await companion.put_setting("scene_breaks_auto", False)
            await companion.put_setting("scene_minimum_length", 1)
            yield Memory(companion, model, page)
