"""The SillyTaverns of other machines whose pages were paired with this program."""

from __future__ import annotations

import re
import secrets
import shutil
import time
from dataclasses import replace
from pathlib import Path

import msgspec
from msgspec import Struct

from app.core.errors import BridgeError, reason_of
from app.core.translation import tr
from app.sillytavern.guarded_write import write_file_atomically
from app.sillytavern.remote.copy_folder import CopyFolder
from app.views.taverns import RemoteTavern

MOST_TAVERNS = 20
_LIST = "paired.json"
_ORIGIN = re.compile(r"https?://([a-z0-9.-]{1,253}|\[[0-9a-f:.]{2,45}\])(:[0-9]{1,5})?")
_ID = re.compile(r"[0-9a-f]{16}")


class _Entry(Struct, frozen=True):
    id: str
    origin: str
    token: str
    port: int
    since: float


class RemoteTaverns:
    """Keeps the list of those that are paired. folder: where list and copies lie; need not exist.

    What changes it blocks, and raises BridgeError where it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.all: tuple[RemoteTavern, ...] = ()

    def load(self) -> None:
        """Read the list; one that makes no sense is as none: then all have to be paired anew."""
        try:
            entries = msgspec.json.decode((self._folder / _LIST).read_bytes(), type=list[_Entry])
        except (OSError, UnicodeError, RecursionError, msgspec.MsgspecError):
            entries = []
        self.all = tuple(
            self._tavern(entry)
            for entry in entries
            if _ID.fullmatch(entry.id) and _ORIGIN.fullmatch(entry.origin)
        )

    def of(self, folder: Path) -> RemoteTavern | None:
        """The tavern whose copy lies in `folder`."""
        return next((tavern for tavern in self.all if tavern.folder == folder), None)

    def add(self, origin: str, port: int) -> RemoteTavern:
        """Pair with pages of an origin, which know the token from now on. One that was paired
        before keeps its copy; its old token is void.
        """
        if not _ORIGIN.fullmatch(origin):
            raise BridgeError(tr("A page without an address of its own cannot be paired."))
        others = tuple(tavern for tavern in self.all if tavern.origin != origin)
        if len(others) >= MOST_TAVERNS:
            raise BridgeError(tr("Too many SillyTaverns are paired. Remove one first."))
        known = next((tavern.id for tavern in self.all if tavern.origin == origin), "")
        token = secrets.token_urlsafe(32)
        entry = _Entry(known or secrets.token_hex(8), origin, token, port, time.time())
        tavern = self._tavern(entry)
        CopyFolder(tavern.folder).prepare(tavern.host)
        self._keep((*others, tavern))
        return tavern

    def forget(self, tavern: RemoteTavern) -> None:
        """Let its pages in no more; its copy stays, also for when it is paired again."""
        self._keep(
            tuple(replace(one, token="") if one.id == tavern.id else one for one in self.all)
        )

    def erase(self, tavern: RemoteTavern) -> None:
        """Let its pages in no more, and take its copy away."""
        self._keep(tuple(one for one in self.all if one.id != tavern.id))
        shutil.rmtree(tavern.folder, ignore_errors=True)

    def _tavern(self, entry: _Entry) -> RemoteTavern:
        folder = self._folder / entry.id
        return RemoteTavern(entry.id, entry.origin, entry.token, entry.port, entry.since, folder)

    def _keep(self, taverns: tuple[RemoteTavern, ...]) -> None:
        entries = [_Entry(one.id, one.origin, one.token, one.port, one.since) for one in taverns]
        path = self._folder / _LIST
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
            write_file_atomically(path, msgspec.json.encode(entries), mode=0o600)
        except OSError as error:
            raise BridgeError(
                tr("The pairing could not be saved: {reason}.", reason=reason_of(error))
            ) from error
        self.all = taverns
