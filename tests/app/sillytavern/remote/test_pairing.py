"""Who is paired: by a code for one page and five minutes, kept without a secret, revocable."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from app.core.errors import BridgeError
from app.sillytavern.data_folders import is_user_folder
from app.sillytavern.remote.pairing_code import LIFETIME_SECONDS, MOST_TRIES, PairingCode
from app.sillytavern.remote.remote_taverns import MOST_TAVERNS, RemoteTaverns

ORIGIN = "http://192.168.1.5:8000"


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def code(clock: Clock) -> PairingCode:
    return PairingCode(clock)


def test_a_code_is_taken_once_however_it_is_typed(code: PairingCode) -> None:
    text = code.show().text
    assert len(text) == 7
    code.use(f" {text.lower().replace('-', ' ')} ")
    with pytest.raises(BridgeError, match="not showing a code"):
        code.use(text)


def test_five_wrong_tries_end_a_code(code: PairingCode) -> None:
    text = code.show().text
    for _ in range(MOST_TRIES - 1):
        with pytest.raises(BridgeError, match="not the code"):
            code.use("wrong")
    with pytest.raises(BridgeError, match="too often"):
        code.use("wrong")
    assert code.shown is None
    with pytest.raises(BridgeError):
        code.use(text)


def test_a_code_holds_five_minutes(code: PairingCode, clock: Clock) -> None:
    text = code.show().text
    clock.now += LIFETIME_SECONDS
    assert code.shown is None
    with pytest.raises(BridgeError):
        code.use(text)


def test_a_newer_code_and_a_withdrawal_void_the_last(code: PairingCode) -> None:
    first = code.show().text
    second = code.show().text
    assert first != second
    with pytest.raises(BridgeError):
        code.use(first)
    code.withdraw()
    with pytest.raises(BridgeError):
        code.use(second)


@pytest.mark.parametrize("typed", ["", "-", "\ud800", "x" * 100_000])
def test_nonsense_is_a_wrong_code(code: PairingCode, typed: str) -> None:
    code.show()
    with pytest.raises(BridgeError):
        code.use(typed)


@pytest.fixture
def taverns(tmp_path: Path) -> RemoteTaverns:
    return RemoteTaverns(tmp_path / "remote")


def test_a_pairing_is_known_after_a_restart_to_its_user_alone(
    taverns: RemoteTaverns, tmp_path: Path
) -> None:
    tavern = taverns.add(ORIGIN, 47100)
    assert is_user_folder(tavern.folder)
    again = RemoteTaverns(tmp_path / "remote")
    again.load()
    assert again.all == (tavern,)
    assert again.all[0].is_paired
    assert again.all[0].port == 47100
    assert tavern.token not in repr(tavern)
    if sys.platform != "win32":
        assert stat.S_IMODE((tmp_path / "remote" / "paired.json").stat().st_mode) == 0o600


def test_the_copys_folder_is_named_by_us(taverns: RemoteTaverns) -> None:
    tavern = taverns.add(ORIGIN, 47100)
    assert tavern.folder.name == tavern.id
    assert not set(tavern.id) - set("0123456789abcdef")
    assert tavern.host == "192.168.1.5:8000"


def test_pairing_again_keeps_the_copy_and_voids_the_old_token(taverns: RemoteTaverns) -> None:
    first = taverns.add(ORIGIN, 47100)
    (first.folder / "chats" / "kept").mkdir()
    second = taverns.add(ORIGIN, 50000)
    assert (second.id, len(taverns.all)) == (first.id, 1)
    assert (second.folder / "chats" / "kept").is_dir()
    assert first.token != taverns.all[0].token == second.token


def test_one_that_is_forgotten_comes_in_no_more(taverns: RemoteTaverns) -> None:
    kept = taverns.add(ORIGIN, 47100)
    gone = taverns.add("https://tavern.example", 47100)
    taverns.erase(gone)
    assert taverns.all == (kept,)
    assert not gone.folder.exists()
    taverns.forget(kept)
    assert not taverns.all[0].is_paired
    assert kept.folder.exists()
    assert kept.token not in (taverns.all[0].folder.parent / "paired.json").read_text()
    assert taverns.add(ORIGIN, 47100).folder == kept.folder
    assert taverns.all[0].is_paired


@pytest.mark.parametrize(
    "origin",
    ["", "null", "file://", "http://", "http://a/b", "http://a\n", "chrome-extension://abc", "a"],
)
def test_a_page_without_an_address_of_its_own_is_not_paired(
    taverns: RemoteTaverns, origin: str
) -> None:
    with pytest.raises(BridgeError, match="address"):
        taverns.add(origin, 47100)


def test_there_is_an_end_to_pairings(taverns: RemoteTaverns) -> None:
    for number in range(MOST_TAVERNS):
        taverns.add(f"http://10.0.0.{number}:8000", 47100)
    with pytest.raises(BridgeError, match="Too many"):
        taverns.add(ORIGIN, 47100)
    taverns.add("http://10.0.0.1:8000", 47100)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[1]",
        b"\xff",
        b'[{"id": "../x", "origin": "http://a", "token": "", "port": 1, "since": 1}]',
        b'[{"id": "0123456789abcdef", "origin": "x", "token": "", "port": 1, "since": 1}]',
    ],
)
def test_a_list_that_makes_no_sense_lets_nobody_in(
    taverns: RemoteTaverns, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "remote").mkdir()
    (tmp_path / "remote" / "paired.json").write_bytes(content)
    taverns.load()
    assert taverns.all == ()
