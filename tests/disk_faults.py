"""What a disk does to a program that writes; for this process only."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

import pytest


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
def permission_lost() -> Iterator[None]:
    """Nothing can be opened for writing any more; SQLite has its own way, and a test of its own."""
    real = os.open

    def refuse(path: object, flags: int, *rest: object, **more: object) -> int:
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, flags, *rest, **more)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", refuse)
        yield
