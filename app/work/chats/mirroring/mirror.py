"""Keeps SillyTavern's chats in step with what Tavernkeep knows, where the user wants that."""

from __future__ import annotations

import asyncio
import contextlib
import time
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from app.core.errors import BridgeError, TavernkeepError, WriteRefused, reason_of
from app.core.signals import Signal
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.sillytavern.bridge.bridge_link import Page
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.page_writing import hide, saved_state, set_extras
from app.sillytavern.chat_edit import edited
from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.copy_mark import host_of
from app.sillytavern.guarded_write import guarded_replace
from app.store.store import Store
from app.story.auto_hide import HideState
from app.work.chats.bursts import Bursts
from app.work.chats.mirroring.mirror_plan import Difference, difference, is_wanted
from app.work.chats.open_chat import OpenChat

DEBOUNCE_SECONDS = 1.0  # as the extension waits (spec/auto-recap.md §2.9)
LONGEST_DEBOUNCE_SECONDS = 10.0
# A page that lost us comes back within half a minute; before that it may have the chat open.
QUIET_SECONDS = 45.0
PAUSES = (0, 1, 2, 4)  # before each try, in debounce times
FLUSH_SECONDS = 5.0


class Pages(Protocol):
    """SillyTavern's pages, as the mirror needs them (app/work/pages/link.py)."""

    @property
    def pages(self) -> tuple[Page, ...]: ...

    def is_paired(self, user_folder: Path) -> bool: ...

    async def ask(self, page: Page, kind: str, params: dict[str, Any]) -> dict[str, Any]: ...


class Mirror:
    """Writes what a chat lacks, a moment after it became different.

    Through the page that has the chat open, else into the file when no page can have it open;
    otherwise it waits, and `waiting` says for what. Owns its tasks.

    Signals:
        changed: what waits became different.
    """

    def __init__(
        self,
        store: Store,
        pages: Pages,
        *,
        backups: Path,
        debounce_seconds: float = DEBOUNCE_SECONDS,
        quiet_seconds: float = QUIET_SECONDS,
    ) -> None:
        self._store = store
        self._pages = pages
        self._backups = backups
        self._debounce = debounce_seconds
        self._quiet = quiet_seconds
        self._tasks = TaskSupervisor()
        self._bursts = Bursts(LONGEST_DEBOUNCE_SECONDS)  # what changes all the time is written too
        self._writing: dict[Path, asyncio.Task[None]] = {}
        self._again: dict[Path, OpenChat] = {}
        self._chats_waiting: dict[Path, tuple[OpenChat, str]] = {}
        self._connected: set[Path] = set()  # taverns with a page
        self._seen: dict[Path, float] = {}  # when they had one last
        self._started = time.monotonic()
        self.is_used = False  # whether any chat is to be written
        self.changed: Signal[None] = Signal("changed")

    @property
    def waiting(self) -> dict[Path, str]:
        """Chats that lack something we cannot write now, each with a sentence that says why."""
        return {path: sentence for path, (_, sentence) in self._chats_waiting.items()}

    def soon(self, chat: OpenChat) -> None:
        """The chat, or what is known of it, may have become different."""
        self._schedule(chat, self._debounce)

    def on_pages_changed(self) -> None:
        """A page came, went, or shows another chat: what waited may be possible now."""
        self._note_pages()
        for chat, _ in tuple(self._chats_waiting.values()):
            self.soon(chat)

    async def flush(self) -> None:
        """Write everything that is due, now."""
        self._bursts.flush()
        while self._writing:
            await asyncio.wait(self._writing.values())

    async def aclose(self) -> None:
        """Write what is due, but not for longer than FLUSH_SECONDS."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.flush(), FLUSH_SECONDS)
        self._bursts.close()
        self._again.clear()
        await self._tasks.aclose()

    # --- when

    def _schedule(self, chat: OpenChat, seconds: float) -> None:
        self._bursts.after(seconds, chat.chat.path, partial(self._start, chat))

    def _start(self, chat: OpenChat) -> None:
        path = chat.chat.path
        if path in self._writing:
            self._again[path] = chat
            return
        self._writing[path] = self._tasks.spawn(self._run(chat), name="mirroring a chat")

    async def _run(self, chat: OpenChat) -> None:
        path = chat.chat.path
        try:
            sentence = await self._write(chat)
        except TavernkeepError as error:
            # What was deleted, or goes on under another name, lacks nothing.
            sentence = str(error) if await asyncio.to_thread(path.exists) else ""
        finally:
            del self._writing[path]
        self._note_waiting(chat, sentence)
        if path in self._again:
            self._start(self._again.pop(path))

    def _note_waiting(self, chat: OpenChat, sentence: str) -> None:
        before = self.waiting
        if sentence:
            self._chats_waiting[chat.chat.path] = (chat, sentence)
        else:
            self._chats_waiting.pop(chat.chat.path, None)
        if self.waiting != before:
            self.changed.emit(None)

    # --- what

    async def _write(self, chat: OpenChat) -> str:
        """Write what the chat lacks. Gives "" when it lacks nothing, else why it must wait."""
        if not await self._is_concerned(chat):
            return ""
        self.is_used = True
        sentence = ""
        for pause in PAUSES:
            snapshot, lacks = await self._difference(chat)
            if lacks and pause:
                # SillyTavern skips a save while another one runs, and nobody hears of it.
                await asyncio.sleep(pause * self._debounce)
                snapshot, lacks = await self._difference(chat)
            if not lacks:
                return ""
            try:
                if sentence := await self._write_once(chat, snapshot, lacks):
                    return sentence
            except TavernkeepError as error:
                sentence = str(error)
        _, lacks = await self._difference(chat)
        return (
            sentence or tr("SillyTavern has not saved {title}.", title=chat.chat.title)
            if lacks
            else ""
        )

    async def _is_concerned(self, chat: OpenChat) -> bool:
        if is_wanted(chat.settings()):
            return True
        return bool(await self._store.run(lambda: self._store.hiding.states(chat.chat_id)))

    async def _difference(self, chat: OpenChat) -> tuple[ChatSnapshot, Difference]:
        """What the file lacks as it is now; what it shows of our hiding is remembered."""
        hiding, chat_id = self._store.hiding, chat.chat_id
        story, snapshot = await chat.reading()
        states, forgotten = await self._store.run(
            lambda: (hiding.states(chat_id), self._store.clearing.forgotten(chat_id))
        )
        lacks = await asyncio.to_thread(
            difference, story, snapshot, chat.settings(), states, forgotten
        )
        seen = {
            anchor: state
            for anchor, state in lacks.hiding.states.items()
            if state is not HideState.ASKED or anchor in states
        }
        if seen != states:
            await self._store.run(lambda: hiding.save(chat_id, seen))
        return snapshot, lacks

    async def _write_once(self, chat: OpenChat, snapshot: ChatSnapshot, lacks: Difference) -> str:
        """One try; the file tells what became of it. Gives why it must wait, else "".

        Raises BridgeError, WriteRefused.
        """
        identity, user_folder = ChatIdentity.of(chat.chat), chat.chat.user_folder
        self._note_pages()
        if identity is not None and user_folder is not None:
            pages = [page for page in self._pages.pages if page.user_folder == user_folder]
            showing = [page for page in pages if page.chat == identity]
            if len(showing) > 1 and lacks.hiding:
                # SillyTavern saves a while after it hid, with what the page knows by then.
                return tr(
                    "{title} is open in {n} SillyTavern pages. It is changed once only one of "
                    "them shows it.",
                    title=chat.chat.title,
                    n=len(showing),
                )
            if showing:
                await self._write_in_pages(chat, showing, identity, snapshot, lacks)
                return ""
            if sentence := self._why_not_the_file(chat, user_folder, is_connected=bool(pages)):
                return sentence
        await self._remember_asked(chat, lacks)
        return await asyncio.to_thread(_write_file, snapshot, lacks, self._backups)

    async def _write_in_pages(
        self,
        chat: OpenChat,
        pages: list[Page],
        identity: ChatIdentity,
        snapshot: ChatSnapshot,
        lacks: Difference,
    ) -> None:
        """Have the newest page save it; the next of the others to save would undo it otherwise."""
        hiding, lines = lacks.hiding, snapshot.lines
        saved = await asyncio.to_thread(saved_state, lines, snapshot.integrity)
        await self._remember_asked(chat, lacks)
        first, *others = sorted(pages, key=lambda page: page.length, reverse=True)
        ask = partial(self._pages.ask, first)
        edits, metadata = lacks.edits, lacks.metadata
        save = not hiding  # which saves by itself
        await set_extras(ask, identity, lines, edits, metadata, save=save, saved=saved)
        if hiding:
            ranges, unhide = hiding.hide, hiding.unhide
            await hide(ask, identity, lines, ranges=ranges, unhide=unhide, saved=saved)
        for page in others:
            # Without a save: it may lack what was said in the first.
            with contextlib.suppress(BridgeError):
                ask = partial(self._pages.ask, page)
                await set_extras(ask, identity, lines, edits, metadata, save=False)

    async def _remember_asked(self, chat: OpenChat, lacks: Difference) -> None:
        """Before we hide: otherwise a crash would make us take it for hidden by the user."""
        hiding = lacks.hiding
        if hiding.hide:
            await self._store.run(lambda: self._store.hiding.save(chat.chat_id, hiding.states))

    def _why_not_the_file(self, chat: OpenChat, user_folder: Path, *, is_connected: bool) -> str:
        """Why the file must not be written now, "" when no page can have the chat open."""
        title = chat.chat.title
        if host_of(user_folder):
            return tr(
                "{title} is changed once SillyTavern's page shows it: its file is on another "
                "machine.",
                title=title,
            )
        if is_connected:
            return tr("{title} is changed once SillyTavern shows it or is closed.", title=title)
        if not self._pages.is_paired(user_folder):
            return tr(
                "{title} is changed once the bridge is installed: without it, nobody knows "
                "whether SillyTavern has the chat open.",
                title=title,
            )
        left = self._seen.get(user_folder, self._started) + self._quiet - time.monotonic()
        if left > 0:
            self._schedule(chat, left)
            return tr(
                "{title} is changed once SillyTavern has been closed for a moment.", title=title
            )
        return ""

    def _note_pages(self) -> None:
        now = time.monotonic()
        connected = {page.user_folder for page in self._pages.pages}
        for user_folder in connected | self._connected:
            self._seen[user_folder] = now
        self._connected = connected


def _write_file(snapshot: ChatSnapshot, lacks: Difference, backups: Path) -> str:
    """Write into the file as it was read. Raises WriteRefused; blocks."""
    edit = lacks.for_file(snapshot)
    try:
        data = snapshot.path.read_bytes()
    except OSError as error:
        raise WriteRefused(
            tr(
                "{name} cannot be read ({reason}).",
                name=snapshot.path.name,
                reason=reason_of(error),
            )
        ) from error
    new = edited(data, edit)
    if new != data:
        guarded_replace(snapshot.path, snapshot, new, backups)
    if lacks.metadata and not edit.metadata:
        return tr(
            "The running recap of {name} is saved once SillyTavern shows the chat: it belongs in "
            "the group's own file.",
            name=snapshot.path.stem,
        )
    return ""
