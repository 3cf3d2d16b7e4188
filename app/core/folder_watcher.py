"""Tells which files below a folder changed on disk, each change once."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from watchfiles import Change, watch

log = logging.getLogger(__name__)

_DEBOUNCE_MS = 250
_STEP_MS = 50  # how soon a watch that is left ends
_LONGEST_RETRY_SECONDS = 15.0


class FileChange(StrEnum):
    """What happened to a file."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file, and what happened to it since it was last told of."""

    path: Path
    change: FileChange


_Times = dict[str, tuple[int, int, int]]
_Folders = dict[str, tuple[int, int]]


class FolderWatcher:
    """Watches some of the folders in one.

    watched: by name of a folder in `folder`, how its files end and how deep they lie, 1 for those
    in it. The system's news are checked against the files' times before they are passed on: a
    change is told once, whoever notices it first. force_polling: for network drives and WSL, where
    the system tells nothing. tick_seconds: how often it is checked that the folders are still those
    that are watched. check_seconds: how often every file is checked for news that were missed.
    """

    def __init__(
        self,
        folder: Path,
        watched: Mapping[str, tuple[str, int]],
        *,
        force_polling: bool = False,
        tick_seconds: float = 2.0,
        check_seconds: float = 60.0,
    ) -> None:
        self._folder = folder
        self._watched = watched
        self._force_polling = force_polling
        self._tick_seconds = tick_seconds
        self._check_seconds = check_seconds
        self._times: _Times | None = None
        self._next_check = 0.0

    async def start(self) -> None:
        """Take note of the files as they are: `changes` tells what happens from here on."""
        self._times = await asyncio.to_thread(self._scan)

    async def changes(self) -> AsyncGenerator[frozenset[ChangedFile], None]:
        """What changed since `start`, or else from now on: sets that are never empty, no end.

        A missing folder is waited for. Leave early through contextlib.aclosing, or by cancelling.
        """
        if self._times is None:
            await self.start()
        pause = self._tick_seconds
        while True:
            folders = await asyncio.to_thread(self._present_folders)
            if folders:
                try:
                    async with aclosing(self._watch(folders)) as news:
                        async for changed in news:
                            yield changed
                    pause = self._tick_seconds
                except FileNotFoundError:
                    log.debug("A folder vanished before it was watched")
                except (OSError, RuntimeError) as error:
                    log.warning("No news from the system (%s), polling", type(error).__name__)
                    self._force_polling = True
            changed = await asyncio.to_thread(self._check_all)
            if changed:
                yield changed
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_RETRY_SECONDS)

    async def _watch(self, folders: _Folders) -> AsyncGenerator[frozenset[ChangedFile], None]:
        """Changes until the folders are others than those that are watched."""
        self._next_check = 0.0  # what changed before the watch stood is found at the first tick
        news = folder_events(
            *folders,
            timeout_ms=int(self._tick_seconds * 1000),
            force_polling=self._force_polling or None,
        )
        async with aclosing(news):
            async for events in news:
                changed = await asyncio.to_thread(self._check, {path for _, path in events})
                if changed:
                    yield changed
                # A folder made anew may get the inode of the one before, so ask for both signs.
                if any(c is Change.deleted and path in folders for c, path in events):
                    return
                if await asyncio.to_thread(self._present_folders) != folders:
                    return

    def _check(self, paths: Iterable[str]) -> frozenset[ChangedFile]:
        """Which of the files are news; of all files when it is time, or when a folder changed."""
        if time.monotonic() >= self._next_check or any(map(self._may_be_folder, paths)):
            return self._check_all()
        wanted = {path for path in paths if self._is_wanted(path)}
        return self._compare(wanted, dict(_stamps(wanted)))

    def _check_all(self) -> frozenset[ChangedFile]:
        self._next_check = time.monotonic() + self._check_seconds
        now = self._scan()
        return self._compare(now.keys() | (self._times or {}).keys(), now)

    def _compare(self, paths: Iterable[str], now: _Times) -> frozenset[ChangedFile]:
        """What is different about `paths`, and remember it."""
        times = self._times or {}
        changed = set()
        for path in paths:
            old, new = times.get(path), now.get(path)
            if old == new:
                continue
            if new is None:
                del times[path]
                change = FileChange.REMOVED
            else:
                times[path] = new
                change = FileChange.CHANGED if old else FileChange.ADDED
            changed.add(ChangedFile(Path(path), change))
        self._times = times
        return frozenset(changed)

    def _present_folders(self) -> _Folders:
        """Device and inode of each watched folder that exists: another one may take its name."""
        found: _Folders = {}
        for name in self._watched:
            try:
                status = (self._folder / name).stat()
            except OSError:
                continue
            found[str(self._folder / name)] = (status.st_dev, status.st_ino)
        return found

    def _scan(self) -> _Times:
        paths = (
            path
            for name, (ending, depth) in self._watched.items()
            for path in _files(str(self._folder / name), ending, depth)
        )
        return dict(_stamps(paths))

    def _is_wanted(self, path: str) -> bool:
        try:
            top, *rest = Path(path).relative_to(self._folder).parts
        except ValueError:
            return False
        ending, depth = self._watched.get(top, ("", 0))
        return len(rest) == depth and path.endswith(ending)

    def _may_be_folder(self, path: str) -> bool:
        """A folder of files that came or went: of the files in it nothing is told.

        Also a path that is not below the folder's own name, as macOS tells where links lead.
        """
        if not Path(path).is_relative_to(self._folder):
            return True
        above = Path(path).parent
        return any(d > 1 and above == self._folder / n for n, (_, d) in self._watched.items())


async def folder_events(
    *folders: str, timeout_ms: int, force_polling: bool | None
) -> AsyncGenerator[set[tuple[Change, str]], None]:
    """Changes and their paths, at the latest after `timeout_ms` an empty set. Leave early through
    contextlib.aclosing, or by cancelling. Raises OSError and RuntimeError where it cannot watch.

    watchfiles.awatch does so, too, but its event loop of any kind (anyio) takes at the start as
    long as opening the database. Setting up a watch of many folders blocks no loop here, either.
    """
    loop, left = asyncio.get_running_loop(), threading.Event()
    news = watch(
        *folders,
        watch_filter=None,
        debounce=_DEBOUNCE_MS,
        step=_STEP_MS,
        stop_event=left,
        rust_timeout=timeout_ms,
        yield_on_timeout=True,
        force_polling=force_polling,
    )
    # One of its own: the loop's few threads would all wait for folders.
    thread = ThreadPoolExecutor(1, thread_name_prefix="watch")
    try:
        while (events := await loop.run_in_executor(thread, next, news, None)) is not None:
            yield events
    finally:
        left.set()
        try:
            await loop.run_in_executor(thread, news.close)
        finally:
            thread.shutdown(wait=False)


def _files(folder: str, ending: str, depth: int) -> Iterator[str]:
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except OSError:
        return
    for entry in entries:
        if depth == 1 and entry.name.endswith(ending):
            yield entry.path
        elif depth > 1 and entry.is_dir():
            yield from _files(entry.path, ending, depth - 1)


def _stamps(paths: Iterable[str]) -> Iterator[tuple[str, tuple[int, int, int]]]:
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116 - thousands of paths, and Path costs more than stat
        except OSError:
            continue
        yield path, (status.st_mtime_ns, status.st_size, status.st_ino)
