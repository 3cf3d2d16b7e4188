"""Files where the user wants them: read within bounds, and none written over unasked."""

from __future__ import annotations

import asyncio
from pathlib import Path

from app.core.errors import UsageError, reason_of
from app.core.translation import tr
from app.sillytavern.guarded_write import write_file_atomically


class UserFiles:
    """Read and written off the event loop's thread."""

    @staticmethod
    async def read(source: Path, most: int) -> bytes:
        """The first bytes of a file, at most so many. Raises UsageError when it cannot be read."""

        def read() -> bytes:
            try:
                with source.open("rb") as file:
                    return file.read(most)
            except OSError as error:
                raise UsageError(
                    tr("{source} cannot be read: {reason}.", source=source, reason=reason_of(error))
                ) from error

        return await asyncio.to_thread(read)

    @staticmethod
    async def write(target: Path, data: bytes, *, may_replace: bool = False) -> None:
        """Write a file that was not there. Raises UsageError for one that was, or cannot be made.

        may_replace: the user has said that the old one may go.
        """

        def write() -> None:
            if target.exists() and not may_replace:
                raise UsageError(tr("{target} already exists; nothing was written.", target=target))
            try:
                write_file_atomically(target, data)
            except OSError as error:
                raise UsageError(
                    tr(
                        "{target} cannot be written: {reason}.",
                        target=target,
                        reason=reason_of(error),
                    )
                ) from error

        await asyncio.to_thread(write)
