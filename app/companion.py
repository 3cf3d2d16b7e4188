"""Wires everything: the one object that the window and the headless commands are given."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.errors import TavernkeepError, UsageError
from app.health import Health
from app.languages import load_packs
from app.llm.specs import BUILTIN, parse_spec
from app.llm.tokenizer import counter_for
from app.llm.writer import RecapWriter, make_writer
from app.operations import Operation
from app.paths import RESOURCES, Folders
from app.prompt.assembly import assemble
from app.prompt.slots import SlotSet
from app.settings import Settings
from app.signals import Signal
from app.sillytavern import bridge_installer
from app.sillytavern.bridge_installer import BridgeStatus
from app.sillytavern.data_folders import Tavern, chat_ref_for
from app.store.store import Store
from app.story.scenes import BreakOrigin, scenes_of
from app.story.story import ChatRef, Story
from app.tasks import TaskSupervisor
from app.work.catch_up import CatchUpPlan
from app.work.edits import StoryEdits
from app.work.health import health_of
from app.work.library import Library
from app.work.link import BridgeLink
from app.work.model_breaks import find_breaks
from app.work.open_chat import OpenChat, StoryChange
from app.work.open_chats import OpenChats
from app.work.planner import (
    Writing,
)
from app.work.queue import OperationQueue
from app.work.recapping import OperationProgress, Recapper

RETRIES_WAITED_FOR = 2  # without a window, nobody wants to wait for minutes
DEMO_CHATS = RESOURCES / "demo" / "data" / "default-user" / "chats"


class Companion:
    """Everything Tavernkeep does, for whoever shows it.

    Use `open_companion`. All signals are emitted on the event loop's thread.

    edits: what the user does to open stories.

    Signals:
        library_changed: taverns, characters or chats came, went or were renamed.
        story_changed: an open chat became different.
        operations_changed: unfinished operations, then the newest finished ones.
        progress: text of the running operation as it comes.
        health_changed: what the status bar says.
        slots_changed: the chat whose next prompt changed.
        catch_up_changed: the chat whose backlog waits for the user's word, or no longer does.
        trouble: (path, sentence) a chat that could not be read; nothing was lost.
    """

    def __init__(self, folders: Folders, *, tavern: Path | None, llm: str | None) -> None:
        self.folders = folders
        self._given_tavern = tavern
        self._given_llm = llm
        self._tasks = TaskSupervisor()
        self._store = Store(folders.database, backups=folders.backups)
        self._counter = counter_for()
        self._writer: RecapWriter | None = None
        self._revisions: dict[Path, SlotSet] = {}
        self.settings = Settings()
        self.library_changed: Signal[None] = Signal("library_changed")
        self.story_changed: Signal[StoryChange] = Signal("story_changed")
        self.operations_changed: Signal[tuple[Operation, ...]] = Signal("operations_changed")
        self.progress: Signal[OperationProgress] = Signal("progress")
        self.health_changed: Signal[Health] = Signal("health_changed")
        self.slots_changed: Signal[Path] = Signal("slots_changed")
        self.catch_up_changed: Signal[ChatRef] = Signal("catch_up_changed")
        self.trouble: Signal[tuple[Path, str]] = Signal("trouble")

    # --- life

    async def start(self, *, watch: bool, asks_first: bool) -> None:
        """Open the store and begin to work; with `watch` also follow SillyTavern."""
        await self._store.open()
        self.settings = Settings(await self._store.run(self._store.settings.load))
        self._writer = self._make_writer()
        packs = await asyncio.to_thread(load_packs)
        self._chats = OpenChats(self._store, self._counter, packs, self.settings, self._tasks)
        self._chats.asks_first = asks_first
        self._recapper = Recapper(self._store, self._chats.by_id, self._current_writer)
        self._queue = OperationQueue(
            self._store, self._recapper.perform, self._chats.after, self._tasks
        )
        self.edits = StoryEdits(self._store, self._chats, self._queue.add, self._writing)
        self._chats.writing = self._writing
        self._chats.enqueue = self._queue.add
        self._library = Library(self._tasks)
        self._link = BridgeLink(self._chats, self._slots_for_turn)
        self._connect()
        await self._library.load(self._tavern_path())
        if not watch:  # a command was asked for: what failed in an earlier run is tried again
            self._queue.failures_since = time.time()
        await self._queue.start()
        if watch:
            await self._library.watch()
            await self._link.start(self._library.taverns)
        self._announce_health()

    def _connect(self) -> None:
        self._chats.changed.connect(self._on_story_changed)
        self._chats.catch_up_changed.connect(self.catch_up_changed.emit)
        self._chats.failed.connect(self.trouble.emit)
        self._recapper.progress.connect(self.progress.emit)
        self._queue.changed.connect(self._on_operations_changed)
        self._library.changed.connect(self._on_library_changed)
        self._library.chat_touched.connect(self._chats.reread_soon)
        self._link.changed.connect(self._on_link_changed)
        self._link.refused.connect(self._on_slot_refused)

    async def aclose(self) -> None:
        """Stop at once and cleanly: what is under way is taken up at the next start."""
        if hasattr(self, "_link"):
            await self._link.aclose()
        await self._tasks.aclose()
        if self._writer is not None:
            await self._writer.aclose()
        await self._store.aclose()

    # --- what there is

    @property
    def taverns(self) -> tuple[Tavern, ...]:
        """All data folders of SillyTavern that were found."""
        return self._library.taverns

    @property
    def demo(self) -> ChatRef:
        """The story that comes with Tavernkeep."""
        return chat_ref_for(next(DEMO_CHATS.glob("*/*.jsonl")))

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Unfinished operations in their order of work, then the newest finished ones."""
        return self._queue.operations

    @property
    def health(self) -> Health:
        """How each part is doing."""
        return health_of(
            taverns=self.taverns,
            pages=self._link.pages,
            is_listening=self._link.is_listening,
            last_read=self._chats.last_read,
            operations=self._queue.operations,
            is_paused=self._queue.is_paused,
            writer_label=self._current_writer().label,
        )

    def story(self, path: Path) -> Story | None:
        """The newest story of an open chat."""
        chat = self._chats.get(path)
        return None if chat is None else chat.story

    def find_chat(self, text: str) -> Path:
        """The chat meant: a file, or the title of one in a tavern. Raises UsageError."""
        path = Path(text).expanduser()
        if path.suffix == ".jsonl" or path.exists():
            return path.resolve()
        found = [chat.path for chat in self._library.chats if chat.title == text]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(f"{len(found)} chats are called {text!r}; give the path of one.")
        raise UsageError(f"There is no chat {text!r}, neither as a file nor in SillyTavern.")

    async def open_story(self, path: Path, *, until: int | None = None) -> Story:
        """Look after a chat: read it, find its scenes, queue its recaps. Raises ChatUnreadable."""
        chat = await self._chats.open(path, until=until)
        self._announce_health()
        return chat.story

    async def settled(self, path: Path, *, until: int | None = None) -> Story:
        """The story when nothing is left to do for now; waiting retries do not count."""
        await self._queue.wait_idle()
        chat = self._chats.get(path, until)
        if chat is None:
            chat = await self._chats.open(path, until=until)
        return chat.story

    async def finished(self, path: Path, *, until: int | None = None) -> tuple[Story, list[str]]:
        """The story when all work on it has ended, and a sentence for each piece that failed.

        Waits through the first retries of passing faults, then takes them as failed.
        """
        chat = await self._chats.open(path, until=until)
        while True:
            await self._queue.wait_idle()
            waiting = self._queue.waiting(chat.chat_id)
            due = [op.not_before for op in waiting if op.attempts <= RETRIES_WAITED_FOR]
            if not due:
                break
            await asyncio.sleep(max(0.05, min(due) - time.time()))
        failures = [op.error for op in self._queue.failed(chat.chat_id)]
        failures += [op.error for op in waiting]
        return chat.story, list(dict.fromkeys(failures))

    async def find_breaks_by_model(self, path: Path, *, until: int | None = None) -> Story:
        """The story as the model cuts it, hand-made breaks kept; nothing is stored.

        Raises UsageError without a model, BackendError.
        """
        writing = self._writing()
        if writing.is_free:
            raise UsageError("The built-in way asks no model: name one with --llm.")
        chat = await self._chats.open(path, until=until)
        breaks = {a: b for a, b in chat.story.breaks.items() if b.origin is BreakOrigin.HAND}
        minimum = int(chat.settings()["scene_minimum_length"])
        found = await find_breaks(chat.story.messages, self._current_writer(), minimum=minimum)
        breaks.update((b.anchor, b) for b in found if b.anchor not in breaks)
        messages = chat.story.messages
        return replace(chat.story, breaks=breaks, scenes=scenes_of(messages, breaks))

    def inclusion_limit(self, path: Path) -> int:
        """Tokens that all message recaps of an open chat may take together."""
        chat = self._open(path)
        return chat.inclusion_rules(chat.settings()).limit_tokens

    def look_after_newest(self) -> None:
        """Open the newest chat of each tavern, where that costs nothing."""
        if not self._writing().is_free:
            return
        for tavern in self.taverns:
            newest = [c.chats[0] for c in tavern.characters if c.chats]
            newest += [g.chats[0] for g in tavern.groups if g.chats]
            if newest:
                chat = max(newest, key=_modified)
                self._tasks.spawn(self._follow(chat.path), name="opening the newest chat")

    async def sync(self) -> None:
        """Look at everything again, now."""
        await self._library.load(self._tavern_path())
        for path in self._chats.paths:
            self._chats.reread_soon(path)

    def catch_up(self, path: Path) -> CatchUpPlan | None:
        """What recapping an open chat's backlog would take, while that waits for the user."""
        return self._open(path).catch_up

    async def start_catch_up(self, path: Path) -> None:
        """The user wants the backlog recapped."""
        chat = self._open(path)
        chat.is_catch_up_wanted = True
        await self._chats.plan(chat)

    # --- slots

    async def slots(
        self, path: Path, *, until: int | None = None, total: int | None = None
    ) -> SlotSet:
        """What the next prompt of a chat gets. total: bound for all slots together."""
        chat = self._chats.get(path, until) or await self._chats.open(path, until=until)
        return self._assembled(chat, total=total)

    def _assembled(self, chat: OpenChat, *, total: int | None = None) -> SlotSet:
        slots = assemble(chat.story, chat.settings(), count=self._counter.count, total=total)
        return SlotSet(slots)

    async def _slots_for_turn(self, chat: OpenChat) -> SlotSet:
        return self._revised(chat)

    def _revised(self, chat: OpenChat) -> SlotSet:
        """The chat's slots with a revision that grows only when they differ."""
        path = chat.chat.path
        fresh, last = self._assembled(chat), self._revisions.get(path)
        if last is None or last.slots != fresh.slots:
            last = replace(fresh, revision=(last.revision if last else 0) + 1)
            self._revisions[path] = last
            self.slots_changed.emit(path)
        return last

    # --- settings

    async def put_setting(self, name: str, value: Any, *, path: Path | None = None) -> None:
        """Change a setting, for one chat when `path` is given. Raises UsageError."""
        chat = None if path is None else self._open(path)
        key = self.settings.put(name, value, chat_id=None if chat is None else chat.chat_id)
        await self._store.run(lambda: self._store.settings.save(*key, value))
        if name == "backend":
            old, self._writer = self._writer, self._make_writer()
            if old is not None:
                await old.aclose()
        if name == "tavern":
            await self._library.load(self._tavern_path())
        for open_path in self._chats.paths:
            open_chat = self._chats.get(open_path)
            if open_chat is not None:
                await self._chats.refresh(open_chat)
                self._publish(open_chat)
        self._announce_health()

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)

    # --- the queue

    @property
    def is_paused(self) -> bool:
        """Whether the queue begins nothing new."""
        return self._queue.is_paused

    def pause(self) -> None:
        """Begin nothing new."""
        self._queue.pause()

    def resume(self) -> None:
        """Go on."""
        self._queue.resume()

    async def cancel(self, operation_id: int) -> None:
        """Drop an operation, at once when it runs."""
        await self._queue.cancel(operation_id)

    async def retry(self, operation_id: int) -> None:
        """Try an operation again now."""
        await self._queue.retry(operation_id)

    # --- the bridge

    async def install_bridge(self, user_folder: Path) -> BridgeStatus:
        """Put the bridge extension into a tavern and pair with it."""
        status = await asyncio.to_thread(bridge_installer.install, user_folder)
        await self._link.pair(user_folder)
        return status

    async def remove_bridge(self, user_folder: Path) -> BridgeStatus:
        """Take the bridge extension out of a tavern."""
        await self._link.part(user_folder)
        return await asyncio.to_thread(bridge_installer.remove, user_folder)

    async def bridge_status(self, user_folder: Path) -> BridgeStatus:
        """Whether the bridge stands in a tavern."""
        return await asyncio.to_thread(bridge_installer.status, user_folder)

    # --- inside

    def _tavern_path(self) -> Path | None:
        if self._given_tavern is not None:
            return self._given_tavern
        configured = str(self.settings["tavern"])
        return Path(configured) if configured else None

    def _make_writer(self) -> RecapWriter:
        spec = self._given_llm or str(self.settings["backend"])
        return make_writer(
            spec,
            count_tokens=self._counter.count,
            prompts_dir=self.folders.data / "prompts",
        )

    def _current_writer(self) -> RecapWriter:
        assert self._writer is not None
        return self._writer

    def _writing(self) -> Writing:
        writer = self._current_writer()
        return Writing(
            writer.spec, writer.prompt_version, is_free=parse_spec(writer.spec).kind == BUILTIN
        )

    def _publish(self, chat: OpenChat) -> None:
        if self._chats.get(chat.chat.path) is chat:
            self._link.publish(chat, self._revised(chat))

    def _on_story_changed(self, change: StoryChange) -> None:
        chat = self._chats.get(change.chat.path)
        if chat is not None:
            self._publish(chat)
        self.story_changed.emit(change)
        self._announce_health()

    def _on_operations_changed(self, operations: tuple[Operation, ...]) -> None:
        self.operations_changed.emit(operations)
        self._announce_health()

    def _on_library_changed(self, _: None) -> None:
        self.library_changed.emit(None)
        self._announce_health()

    def _on_link_changed(self, _: None) -> None:
        for path in self._link.shown:
            if self._chats.get(path) is None:
                self._tasks.spawn(self._follow(path), name="following a page")
        self._announce_health()

    def _on_slot_refused(self, refused: tuple[Path, str]) -> None:
        path, key = refused
        sentence = (
            f"Another extension in SillyTavern already fills {key}, and keeps it. Switch that "
            "extension off (ST-Auto-Recap?) to let Tavernkeep fill it."
        )
        self.trouble.emit((path, sentence))

    async def _follow(self, path: Path) -> None:
        """A page shows this chat: look after it."""
        try:
            chat = await self._chats.open(path)
        except TavernkeepError as error:
            self.trouble.emit((path, str(error)))
            return
        self._publish(chat)

    def _announce_health(self) -> None:
        if hasattr(self, "_queue"):
            self.health_changed.emit(self.health)


@asynccontextmanager
async def open_companion(
    folders: Folders,
    *,
    tavern: Path | None = None,
    llm: str | None = None,
    watch: bool = True,
    asks_first: bool = False,
) -> AsyncIterator[Companion]:
    """A running companion, closed cleanly at the end.

    tavern: where SillyTavern's data are, else the setting, else the usual places. llm: backend
    spec in place of the setting. watch: follow SillyTavern's files and pages. asks_first: there
    is somebody to ask before a model is given a long backlog.
    """
    companion = Companion(folders, tavern=tavern, llm=llm)
    try:
        await companion.start(watch=watch, asks_first=asks_first)
        yield companion
    finally:
        await companion.aclose()


def _modified(chat: ChatRef) -> float:
    try:
        return chat.path.stat().st_mtime
    except OSError:
        return 0.0
