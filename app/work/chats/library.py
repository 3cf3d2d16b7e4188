"""Knows what chats there are, and hears of each that changes on disk."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import aclosing
from difflib import get_close_matches
from itertools import chain
from pathlib import Path

from app.core.errors import NoTavern, UsageError
from app.core.folder_watcher import FileChange
from app.core.signals import Signal
from app.core.silent_drives import is_silent
from app.core.tasks import TaskSupervisor
from app.core.translation import tr
from app.sillytavern.card import CardReader
from app.sillytavern.data_folders import find_taverns, is_user_folder, load_tavern, user_folders_in
from app.sillytavern.group_metadata import GROUP_CHATS
from app.sillytavern.watcher import LOOK_SECONDS, TavernWatcher
from app.story.story import ChatKind, ChatRef
from app.views.taverns import Tavern

log = logging.getLogger(__name__)

FOLDER_SECONDS = 2.0
MOST_NAMED = 12  # paths of chats that are called alike


class Library:
    """All taverns with their characters, groups and chats.

    Signals:
        changed: chats, cards or groups came, went or were renamed.
        gone_changed: a tavern's folder is gone, or there again.
        chat_touched: a chat file was written or removed.
    """

    def __init__(self, tasks: TaskSupervisor, copies: Callable[[], Sequence[Path]]) -> None:
        """copies: folders of the copies of taverns on other machines, as they are now."""
        self._tasks = tasks
        self._cards = CardReader()
        self._wanted: tuple[Path, ...] = ()
        self._places: tuple[Path, ...] = ()  # the last wanted ones that held a tavern
        self._watches: list[asyncio.Task[None]] = []
        self._is_watching = False
        self._looking: asyncio.Task[None] | None = None
        self._in_vain: tuple[Path, ...] = ()  # places that hold none, or not yet
        self.taverns: tuple[Tavern, ...] = ()
        self.gone: tuple[Path, ...] = ()  # folders of taverns that were there
        self._missed: tuple[Path, ...] = ()  # those of which only a chat was asked for
        self._held_chats: frozenset[Path] = frozenset()  # those that are gone and had some
        self.silent: frozenset[Path] = frozenset()  # those on drives that tell of no changes
        self._copies = copies
        self.changed: Signal[None] = Signal("changed")
        self.gone_changed: Signal[None] = Signal("gone_changed")
        self.chat_touched: Signal[Path] = Signal("chat_touched")

    @property
    def chats(self) -> tuple[ChatRef, ...]:
        """Every chat of every tavern."""
        return tuple(chat for tavern in self.taverns for chat in tavern.chats)

    def find(self, text: str) -> Path:
        """The chat meant: a file, or the title of one in a tavern. Raises UsageError."""
        if not text.strip():
            raise UsageError(tr("Name a chat: its file, or its title in SillyTavern."))
        path = Path(text).expanduser()
        if path.suffix == ".jsonl" or path.exists():
            return path.resolve()
        chats = self.chats
        found = [chat.path for chat in chats if chat.title == text]
        found = found or [chat.path for chat in chats if chat.owner_name == text]
        if len(found) == 1:
            return found[0]
        if found:
            sentence = tr(
                "{n} chats are called “{name}”; give the path of one:", n=len(found), name=text
            )
            raise UsageError("\n".join((sentence, *map(str, found[:MOST_NAMED]))))
        near = get_close_matches(text, [chat.title for chat in chats], n=3, cutoff=0.4)
        sentence = tr("There is no chat “{name}”, neither as a file nor in SillyTavern.", name=text)
        if near:
            sentence += " " + tr("Did you mean {names}?", names=", ".join(map(repr, near)))
        raise UsageError(sentence)

    def is_away(self, path: Path) -> bool:
        """Whether the tavern of a file is not where it was, also before that is told."""
        folders = {tavern.user_folder for tavern in self.taverns} | set(self.gone)
        return any(f in path.parents and (f in self.gone or not f.exists()) for f in folders)

    async def miss(self, chat: Path) -> None:
        """A chat is not there: where it went with all of its SillyTavern, that is told."""
        folder = await asyncio.to_thread(_folder_missed, chat)
        if folder is not None and folder not in self.gone:
            self._missed, self.gone = (*self._missed, folder), (*self.gone, folder)
            self._held_chats |= {folder}  # one at least
            self.gone_changed.emit(None)

    def macros_of(self, chat: ChatRef, responder: str) -> tuple[str, ...]:
        """Names of our macros in the card of whoever answers in a chat; () where it is unknown."""
        owner = f"{chat.owner}.png" if chat.kind is ChatKind.SOLO else ""
        for tavern in self.taverns:
            if tavern.user_folder != chat.user_folder:
                continue
            for character in tavern.characters:
                if character.avatar == owner if owner else character.name == responder:
                    return character.macros
        return ()

    def answering_in(self, chat: ChatRef) -> tuple[tuple[str, str], ...]:
        """Card file and name of each who may answer in a group's chat; () in any other."""
        for tavern in self.taverns if chat.kind is ChatKind.GROUP else ():
            for group in tavern.groups:
                if tavern.user_folder == chat.user_folder and group.id == chat.owner:
                    return group.answering
        return ()

    async def load(self, *places: Path) -> None:
        """Look for taverns in `places`, or else in the usual ones. Raises NoTavern for `places`
        that hold none; what was known before is kept then.
        """
        self._wanted = places
        self._in_vain = await asyncio.to_thread(_without_tavern, places)
        copies = await asyncio.to_thread(self._copied)
        try:
            found = await asyncio.to_thread(find_taverns, *places, cards=self._cards)
        except NoTavern:
            if not self.taverns and copies:
                await self._take(copies)
            raise
        self._places, self.gone, self._held_chats = places, (), frozenset()
        self._missed = ()
        await self._take((*found, *copies))

    def _copied(self) -> tuple[Tavern, ...]:
        return tuple(load_tavern(folder, self._cards) for folder in self._copies())

    async def _take(self, found: tuple[Tavern, ...]) -> None:
        """These are the taverns now."""
        folders = [tavern.user_folder for tavern in self.taverns]
        is_new = found != self.taverns
        self.taverns = found
        if is_new:
            self.changed.emit(None)
        if self._is_watching and folders != [tavern.user_folder for tavern in found]:
            await self.watch()

    async def follow_copies(self) -> None:
        """There is one copy more, or one less."""
        copies = await asyncio.to_thread(self._copied)
        await self._take((*(tavern for tavern in self.taverns if not tavern.host), *copies))

    async def watch(self) -> None:
        """Listen to all taverns from now on."""
        self._is_watching = True
        if self._looking is None:
            self._looking = self._tasks.spawn(self._look_for_folders(), name="looking for folders")
        for task in self._watches:
            task.cancel()
        await asyncio.gather(*self._watches, return_exceptions=True)
        self._watches = []
        silent = await asyncio.to_thread(_on_silent_drives, self.taverns)
        for tavern in self.taverns:
            watcher = TavernWatcher(tavern.user_folder)
            if tavern.user_folder in silent:
                log.info("A drive tells of no changes: it is looked through every few seconds")
                watcher = TavernWatcher(tavern.user_folder, check_seconds=LOOK_SECONDS)
            await watcher.start()  # before anything is read, so that no change is missed
            self._watches.append(self._tasks.spawn(self._listen(watcher), name="watching a tavern"))

        self.silent = silent

    async def _look_for_folders(self) -> None:
        """A drive is pulled out, a folder renamed: the system tells nothing of what is above."""
        while True:
            await asyncio.sleep(FOLDER_SECONDS)
            away = self._in_vain
            if away and await asyncio.to_thread(_without_tavern, away) != away:
                with contextlib.suppress(NoTavern):
                    await self.load(*self._wanted)
            folders = tuple(tavern.user_folder for tavern in self.taverns)
            gone = await asyncio.to_thread(_not_there, folders, self._held_chats)
            missed = await asyncio.to_thread(_not_there, self._missed, self._held_chats)
            self._missed = tuple(folder for folder in missed if folder not in folders)
            gone = (*gone, *self._missed)
            if gone != self.gone and folders == tuple(t.user_folder for t in self.taverns):
                had = {t.user_folder for t in self.taverns if t.chats} | self._held_chats
                self._held_chats = frozenset(had & set(gone))
                back, self.gone = set(self.gone) - set(gone), gone
                self.gone_changed.emit(None)
                if back:
                    await self._come_back(back)

    async def _come_back(self, folders: Collection[Path]) -> None:
        await self.watch()
        await self._reload()
        for chat in self.chats:
            if chat.user_folder in folders:
                self.chat_touched.emit(chat.path)

    async def _listen(self, watcher: TavernWatcher) -> None:
        async with aclosing(watcher.changes()) as news:
            async for changed in news:
                for file in changed:
                    if file.path.suffix == ".jsonl":
                        self.chat_touched.emit(file.path)
                if any(
                    file.change is not FileChange.CHANGED or file.path.suffix != ".jsonl"
                    for file in changed
                ):
                    await self._reload()

    async def _reload(self) -> None:
        try:
            found = await asyncio.to_thread(find_taverns, *self._places, cards=self._cards)
        except NoTavern:
            # The folder is being moved or replaced; the watcher goes on waiting for it.
            found = tuple(tavern for tavern in self.taverns if not tavern.host)
        if not found:  # the same of one that was found by itself
            found = tuple(tavern for tavern in self.taverns if not tavern.host)
        found = (*found, *await asyncio.to_thread(self._copied))
        if found != self.taverns:
            self.taverns = found
            self.changed.emit(None)


def _without_tavern(places: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(place for place in places if not user_folders_in(place.expanduser()))


def _on_silent_drives(taverns: Iterable[Tavern]) -> frozenset[Path]:
    return frozenset(t.user_folder for t in taverns if is_silent(t.user_folder))


def _not_there(folders: Iterable[Path], held_chats: Collection[Path]) -> tuple[Path, ...]:
    """held_chats: of those that were gone before the ones that had chats. A SillyTavern that goes
    on without its folder makes one of the same name with nothing in it: that is not it.
    """
    return tuple(
        folder
        for folder in folders
        if not is_user_folder(folder) or (folder in held_chats and not _has_chats(folder))
    )


def _folder_missed(chat: Path) -> Path | None:
    """The user folder of a chat, where not even that is there; None for a chat outside of any."""
    around = [p.parent for p in chat.parents[1:3] if p.name == "chats"]
    around += [p.parent for p in chat.parents[:1] if p.name == GROUP_CHATS]
    return next((folder for folder in around if not folder.exists()), None)


def _has_chats(folder: Path) -> bool:
    found = chain(folder.glob("chats/*/*.jsonl"), folder.glob("group chats/*.jsonl"))
    return next(found, None) is not None
