"""The bridge file: slots left in the tavern for pages that the websocket cannot reach."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from app.core.errors import reason_of
from app.core.tasks import TaskSupervisor
from app.sillytavern.bridge.bridge_protocol import ChatIdentity, WireSlot, wire_slots
from app.sillytavern.bridge.published import Published
from app.sillytavern.guarded_write import write_file_atomically

log = logging.getLogger(__name__)

BRIDGE_FILE = Path("user") / "files" / "tavernkeep-bridge.json"
CHATS_KEPT = 20
CHATS_WITH_MEMBERS = 4  # the newest; of older ones there are the slots for whoever answers
MAX_FILE_BYTES = 8 * 1024 * 1024
RETRY_SECONDS = 10.0  # after a write that failed
COALESCE_SECONDS = 0.5


class Entry(Struct, frozen=True, omit_defaults=True):
    """The slots of one chat. Revisions only compare within one session of the program.

    members: of those who answer in a group each one's own, by card file.
    """

    session: str
    revision: int
    slots: tuple[WireSlot, ...]
    members: dict[str, tuple[WireSlot, ...]] = {}


class Content(Struct, frozen=True):
    """The whole file. chats: by ChatIdentity.key, the newest last. written: seconds since epoch."""

    sequence: int = 0
    written: float = 0.0
    chats: dict[str, Entry] = {}


def read_bridge_file(user_folder: Path) -> Content:
    """What the file says; an empty one for a file that is missing or makes no sense."""
    path = user_folder / BRIDGE_FILE
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            return Content()
        return msgspec.json.decode(path.read_bytes(), type=Content)
    except (OSError, UnicodeError, RecursionError, msgspec.MsgspecError):
        return Content()


def make_files_folder(user_folder: Path) -> None:
    """The folder of the bridge file, where the user's folder is there.

    One that was moved away is not put back empty: what is moved back would land inside of it, and
    SillyTavern might take it for a new installation. Raises OSError.
    """
    folder = user_folder
    for part in BRIDGE_FILE.parent.parts:
        folder /= part
        folder.mkdir(exist_ok=True)


def write_for_tavern(
    user_folder: Path, path: Path, data: bytes, *, is_secret: bool = False
) -> None:
    """Replace a file in the tavern's folder in one step, readable by whoever reads the tavern.

    is_secret: where SillyTavern runs as this user, by nobody else. Raises OSError; the file is then
    as it was.
    """
    write_file_atomically(path, data, mode=_mode_of(user_folder, is_secret=is_secret))


def _mode_of(user_folder: Path, *, is_secret: bool) -> int:
    # SillyTavern may run as another user (a container): its settings show who has to read, and whom
    # they belong to is who wrote them.
    try:
        status = (user_folder / "settings.json").stat()
    except OSError:
        return 0o644
    is_ours = os.name == "posix" and status.st_uid == os.getuid()
    return status.st_mode & (0o600 if is_secret and is_ours else 0o666)


class BridgeFile:
    """Keeps the bridge file of one tavern; several changes in a row make one write.

    `aclose` writes what is left. A write that fails is logged once, and tried again until it works.
    """

    def __init__(self, user_folder: Path, session: str, tasks: TaskSupervisor) -> None:
        self._user_folder = user_folder
        self._session = session
        self._tasks = tasks
        self._entries: dict[str, Entry] | None = None
        self._sequence = 0
        self._news: dict[str, Entry] = {}
        self._is_behind = False  # the last write failed
        self._writing: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def publish(self, chat: ChatIdentity, published: Published) -> None:
        """Leave the slots of a chat, in place of what the file says of it."""
        slots = published.slots
        members = {avatar: wire_slots(own) for avatar, own in published.members.items()}
        self._news.pop(chat.key, None)
        self._news[chat.key] = Entry(self._session, slots.revision, wire_slots(slots), members)
        if self._writing is None or self._writing.done():
            self._writing = self._tasks.spawn(self._write_soon(), name="bridge file")

    async def aclose(self) -> None:
        """Write what is not written yet."""
        self._closing.set()
        if self._writing is not None:
            await self._writing

    async def _write_soon(self) -> None:
        while self._news or (self._is_behind and not self._closing.is_set()):
            seconds = RETRY_SECONDS if self._is_behind else COALESCE_SECONDS
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), seconds)
            await self._write()

    async def _write(self) -> None:
        if self._entries is None:
            content = await asyncio.to_thread(read_bridge_file, self._user_folder)
            self._entries, self._sequence = dict(content.chats), content.sequence
        news, self._news = self._news, {}
        for key, entry in news.items():
            self._entries.pop(key, None)
            self._entries[key] = entry
        for key in list(self._entries)[:-CHATS_KEPT]:
            del self._entries[key]
        for key in list(self._entries)[:-CHATS_WITH_MEMBERS]:
            self._entries[key] = replace(self._entries[key], members={})
        self._sequence += 1
        content = Content(self._sequence, time.time(), dict(self._entries))
        self._is_behind = not await asyncio.to_thread(self._save, content)

    def _save(self, content: Content) -> bool:
        path = self._user_folder / BRIDGE_FILE
        try:
            make_files_folder(self._user_folder)
            write_for_tavern(self._user_folder, path, msgspec.json.encode(content))
        except OSError as error:
            # That the whole folder is gone is said elsewhere, and of all of it.
            if not self._is_behind and self._user_folder.exists():
                log.warning("%s could not be written: %s", path, reason_of(error))
            return False
        return True
