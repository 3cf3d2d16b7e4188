"""One window per data folder: a second start makes the first one come forward."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtNetwork import QLocalServer, QLocalSocket
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.store.folder_lock import FolderLock
from tests.labelled import WrittenTavern
from ui.program.front_door import (
    LONGEST,
    TOKEN,
    FrontDoor,
    Knock,
    door_name,
    is_somebody_in,
    knock,
    read_knock,
)
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]
ROOT = Path(__file__).parents[3]


@pytest.fixture
def door(qapp: QApplication, tmp_path: Path) -> Iterator[FrontDoor]:
    opened = FrontDoor(tmp_path)
    assert opened.open()
    yield opened
    opened.close()
    opened.deleteLater()


def test_another_data_folder_has_a_door_of_its_own(door: FrontDoor, tmp_path: Path) -> None:
    assert door_name(tmp_path) != door_name(tmp_path / "other")
    assert not knock(tmp_path / "other", None)


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps pipes apart by itself")
@pytest.mark.parametrize("has_runtime", [True, False])
def test_no_other_user_can_wait_at_its_place(
    monkeypatch: pytest.MonkeyPatch, *, has_runtime: bool
) -> None:
    """A name in the folder that all users share may be taken, and who knocks is heard there."""
    with tempfile.TemporaryDirectory(prefix="d") as own, tempfile.TemporaryDirectory() as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime if has_runtime else "")
        place = Path(door_name(Path(own))).parent
        assert place == Path(runtime if has_runtime else own).resolve()
    # One too long for a socket is the exception.
    assert len(os.fsencode(door_name(Path("/" + "long/" * 30)))) <= 100


def test_what_a_crash_left_behind_is_swept_away(qapp: QApplication, tmp_path: Path) -> None:
    name = door_name(tmp_path)
    script = (
        "import os, sys\n"
        "from PySide6.QtCore import QCoreApplication\n"
        "from PySide6.QtNetwork import QLocalServer\n"
        "application = QCoreApplication([])\n"
        "server = QLocalServer()\n"
        "assert server.listen(sys.argv[1]), server.errorString()\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, name], check=True, timeout=50)
    assert not knock(tmp_path, None)
    door = FrontDoor(tmp_path)
    try:
        assert door.open()
    finally:
        door.close()


def test_a_door_that_is_answered_is_not_taken_away(door: FrontDoor, tmp_path: Path) -> None:
    second = FrontDoor(tmp_path)
    assert not second.open()
    probe = QLocalSocket()
    probe.connectToServer(door_name(tmp_path))
    assert probe.waitForConnected(2000)
    probe.abort()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"[]",
        b'{"chat": 3}',
        b'{"chat": "a\\u0000b"}',
        b"\xff",
        b'{"token": []}',
        b"[" * 60_000,
    ],
)
def test_what_is_no_knock_is_none(line: bytes) -> None:
    assert read_knock(line) is None


async def test_who_talks_without_end_is_hung_up_on(
    door: FrontDoor, tmp_path: Path, until: Until
) -> None:
    stranger = QLocalSocket()
    stranger.connectToServer(door_name(tmp_path))
    await until(lambda: stranger.state() is QLocalSocket.LocalSocketState.ConnectedState)
    stranger.write(b"x" * (LONGEST + 10))
    await until(lambda: stranger.state() is QLocalSocket.LocalSocketState.UnconnectedState)


@pytest.mark.parametrize(("kind", "is_in"), [("program", True), ("command", False), ("", False)])
def test_only_a_program_that_stays_is_knocked_at(tmp_path: Path, kind: str, is_in: bool) -> None:
    lock = FolderLock(tmp_path)
    if kind:
        assert lock.acquire(kind)
    try:
        assert is_somebody_in(tmp_path) is is_in
    finally:
        lock.release()


async def test_the_window_comes_forward_with_the_chat(
    window: MainWindow, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert window.desk is not None
    window.showMinimized()
    window.on_knocked(Knock(demo_tavern.chat))
    assert not window.isMinimized()
    session = window.desk.session
    await until(lambda: session.path == demo_tavern.chat)


def test_a_second_start_hands_its_chat_over_and_ends_well(
    door: FrontDoor, tmp_path: Path, qtbot: QtBot
) -> None:
    lock = FolderLock(tmp_path)
    assert lock.acquire("program")
    heard: list[Knock] = []
    door.knocked.connect(heard.append)
    words = ["--data-dir", str(tmp_path), "--chat", "some.jsonl"]
    second = subprocess.Popen(
        [sys.executable, "-m", "ui", *words],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", TOKEN: "token"},
    )
    try:
        qtbot.waitUntil(lambda: second.poll() is not None, timeout=40_000)
        assert second.returncode == 0
    finally:
        second.kill()  # nothing where it has ended
        second.wait()
        lock.release()
    assert heard == [Knock((ROOT / "some.jsonl").resolve(), "token")]


def test_the_socket_is_for_this_user_only(door: FrontDoor) -> None:
    server = door.findChild(QLocalServer)
    assert server is not None
    assert server.socketOptions() == QLocalServer.SocketOption.UserAccessOption
