"""One window per data folder: a second start knocks at the first one's door, and it comes forward.

Whether somebody is at home is decided by the lock of the data folder; the socket only carries the
message. A socket that a crash left behind is swept away by whoever holds no living neighbour.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.store.folder_lock import FolderLock

PATIENCE_MS = 2000
LONGEST_NAME = 100  # bytes that every Unix takes
LONGEST = 64_000  # bytes of a knock; no path is longer
HEARD = b"heard\n"
TOKEN = "XDG_ACTIVATION_TOKEN"  # by which Wayland lets the window come forward


@dataclass(frozen=True, slots=True)
class Knock:
    """What a second start wants. chat: to be opened, None for none. token: Wayland's, or ""."""

    chat: Path | None = None
    token: str = ""


def door_name(data: Path) -> str:
    """Where the window of a data folder listens; short, since Unix allows 100 bytes."""
    digest = hashlib.sha256(str(data.resolve()).encode("utf-8", "surrogatepass")).hexdigest()
    name = f"tavernkeep-{digest[:16]}"
    if os.name == "nt":
        return name
    # Both are of this user alone: in the folder for all another one could wait to be knocked at.
    for folder in (os.environ.get("XDG_RUNTIME_DIR", ""), str(data.resolve())):
        path = os.path.join(folder, name)  # noqa: PTH118 - a name that may not be text
        if folder and Path(folder).is_dir() and len(os.fsencode(path)) <= LONGEST_NAME:
            return path
    return name


def is_somebody_in(data: Path) -> bool:
    """Whether a program that stays works in this data folder. Raises StoreError."""
    lock = FolderLock(data)
    is_free = lock.acquire("program")
    lock.release()
    return not is_free and lock.holder() == "program"


def knock(data: Path, chat: Path | None) -> bool:
    """Ask the window of this data folder to come forward; whether it heard. Blocks, at most 4 s."""
    socket = QLocalSocket()
    socket.connectToServer(door_name(data))
    if not socket.waitForConnected(PATIENCE_MS):
        return False
    request = {
        "chat": str(chat.resolve()) if chat is not None else "",
        "token": os.environ.get(TOKEN, ""),
    }
    socket.write(json.dumps(request).encode() + b"\n")
    socket.flush()
    heard = b""
    while not heard.endswith(b"\n") and socket.waitForReadyRead(PATIENCE_MS):
        heard += bytes(socket.readAll().data())
    socket.abort()
    return heard == HEARD


class FrontDoor(QObject):
    """Listens for second starts as long as it lives.

    Signals:
        knocked: Knock, somebody started Tavernkeep with this data folder again.
    """

    knocked = Signal(object)

    def __init__(self, data: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._name = door_name(data)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._on_connection)
        self._said: dict[QLocalSocket, bytes] = {}

    def open(self) -> bool:
        """Begin to listen; false where that cannot be, which costs nothing but the knocking."""
        # Qt would put the new socket in the place of one that is answered.
        probe = QLocalSocket()
        probe.connectToServer(self._name)
        is_alive = probe.waitForConnected(PATIENCE_MS)
        probe.abort()
        if is_alive:
            return False
        QLocalServer.removeServer(self._name)
        return self._server.listen(self._name)

    def close(self) -> None:
        """Hear no more; the socket goes."""
        self._server.close()
        for socket in tuple(self._said):
            socket.abort()
        self._said.clear()

    def _on_connection(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            self._said[socket] = b""
            socket.readyRead.connect(self._on_ready)
            socket.disconnected.connect(self._on_gone)

    def _on_ready(self) -> None:
        socket = self.sender()
        if not isinstance(socket, QLocalSocket) or socket not in self._said:
            return
        self._said[socket] += bytes(socket.readAll().data())
        line, end, _ = self._said[socket].partition(b"\n")
        if len(line) > LONGEST:
            socket.abort()
        elif end:
            request = read_knock(line)
            if request is None:
                socket.abort()
                return
            socket.write(HEARD)
            socket.flush()
            self.knocked.emit(request)

    def _on_gone(self) -> None:
        socket = self.sender()
        if isinstance(socket, QLocalSocket) and self._said.pop(socket, None) is not None:
            socket.deleteLater()


def read_knock(line: bytes) -> Knock | None:
    """What a knock says; None for what is none."""
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(request, dict):
        return None
    chat, token = request.get("chat", ""), request.get("token", "")
    if not isinstance(chat, str) or not isinstance(token, str) or "\0" in chat + token:
        return None
    return Knock(Path(chat) if chat else None, token)
