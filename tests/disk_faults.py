"""What a disk does to a program that writes; for this process only."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from app.companion import Companion

Fault = Callable[[], AbstractContextManager[None]]
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """No file of this process grows."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@contextlib.contextmanager
def _refused(number: int, *names: str) -> Iterator[None]:
    """Nothing can be opened for writing, and these functions of `os` fail. SQLite uses neither."""
    real = os.open

    def refuse(path: object, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    def opened(path: object, flags: int, *rest: object, **more: object) -> int:
        if flags & _WRITING:
            refuse(path)
        return real(path, flags, *rest, **more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", opened)
        for name in names:
            patch.setattr(os, name, refuse)
        yield


@contextlib.asynccontextmanager
async def full_database(companion: Companion) -> AsyncIterator[None]:
    """SQLite's file takes no further page, and says so as on a full disk."""
    database = companion._store._database
    loop = asyncio.get_running_loop()
    file = await loop.run_in_executor(database._thread, database._connection)

    def limit(pages: int) -> None:
        file.execute(f"PRAGMA max_page_count = {pages}")

    await loop.run_in_executor(database._thread, limit, 1)  # as many as there are
    try:
        yield
    finally:
        await loop.run_in_executor(database._thread, limit, 1_000_000)


def permission_lost() -> AbstractContextManager[None]:
    """Nothing can be opened for writing any more."""
    return _refused(errno.EACCES)


def read_only_disk() -> AbstractContextManager[None]:
    """The disk was mounted anew, to be read only."""
    return _refused(errno.EROFS, "mkdir", "replace", "rename", "unlink", "chmod", "utime")


@contextlib.contextmanager
def locked_files() -> Iterator[None]:
    """Another program holds each file that is there, as on Windows: new ones can be written, and
    take the place of none.
    """

    def refuse(path: object, target: object, **_: object) -> None:
        raise PermissionError(errno.EACCES, "The file is used by another process", str(target))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", refuse)
        patch.setattr(os, "rename", refuse)
        yield


FILE_FAULTS: tuple[Fault, ...] = (full_disk, permission_lost, read_only_disk, locked_files)


@contextlib.contextmanager
def locked_database(path: Path) -> Iterator[None]:
    """Another program writes into it and comes to no end."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


@contextlib.contextmanager
def closed_folder(folder: Path) -> Iterator[None]:
    """All in it may be read and nothing written, by SQLite too. Make it by `open_to_all`."""
    paths = [folder, *folder.rglob("*")]
    modes = [path.stat().st_mode for path in paths]
    is_root = os.getuid() == 0
    for path in paths:
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        if is_root:
            os.seteuid(65534)
        yield
    finally:
        if is_root:
            os.seteuid(0)
        for path, mode in zip(paths, modes, strict=True):
            path.chmod(mode)


@contextlib.contextmanager
def open_to_all() -> Iterator[Path]:
    """A folder that any user may look into; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
