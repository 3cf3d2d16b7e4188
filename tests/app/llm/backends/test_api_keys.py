"""API keys go into the system's keyring, else into a file of this user's; nowhere else."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from app.core.errors import StoreError, UsageError
from app.llm.backends.api_keys import ApiKeys

URL = "https://models.example/api/v1"
KEY = "sk-planted-0123456789"


class MemoryKeyring(KeyringBackend):
    """A keyring that works."""

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.is_locked:
            raise KeyringLocked("locked")
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.is_locked:
            raise KeyringLocked("locked")
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.kept.pop((service, username), None) is None:
            raise PasswordDeleteError("not there")


@pytest.fixture
def ring(monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryKeyring]:
    monkeypatch.delenv("TAVERNKEEP_API_KEY", raising=False)
    before, made = keyring.get_keyring(), MemoryKeyring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


@pytest.fixture
def no_ring(ring: MemoryKeyring) -> None:
    keyring.set_keyring(NoKeyring())  # type: ignore[no-untyped-call]


async def loaded(file: Path) -> ApiKeys:
    keys = ApiKeys(file)
    await keys.load()
    return keys


async def test_a_key_is_in_the_keyring_and_not_in_the_file(
    ring: MemoryKeyring, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    keys = await loaded(file)
    assert os.listdir(tmp_path) == []  # noqa: PTH208
    await keys.keep(URL, f" {KEY} ")
    assert list(ring.kept.values()) == [KEY]
    assert KEY not in file.read_text("utf-8")
    again = await loaded(file)
    assert again.find("https://models.example/other/path") == KEY
    assert again.find("https://elsewhere.example") is None
    assert not again.is_in_file(URL)


@pytest.mark.usefixtures("no_ring")
async def test_without_a_keyring_the_file_is_for_this_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    await (await loaded(file)).keep(URL, KEY)
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = await loaded(file)
    assert again.find(URL) == KEY
    assert again.is_in_file(URL)
    await again.keep(URL, "")
    assert KEY not in file.read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["keys.json"]  # noqa: ASYNC240


async def test_a_forgotten_key_is_gone_everywhere(ring: MemoryKeyring, tmp_path: Path) -> None:
    keys = await loaded(tmp_path / "keys.json")
    await keys.keep(URL, KEY)
    await keys.keep(URL, "")
    assert keys.find(URL) is None
    assert not ring.kept
    assert (await loaded(tmp_path / "keys.json")).find(URL) is None


async def test_a_locked_keyring_is_no_error(ring: MemoryKeyring, tmp_path: Path) -> None:
    keys = await loaded(tmp_path / "keys.json")
    await keys.keep(URL, KEY)
    ring.is_locked = True
    locked = await loaded(tmp_path / "keys.json")
    assert locked.find(URL) is None
    await locked.keep("https://another.example", "sk-another")
    ring.is_locked = False
    assert (await loaded(tmp_path / "keys.json")).find(URL) == KEY
    ring.is_locked = True
    await keys.keep(URL, "sk-other")
    assert keys.is_in_file(URL)
    ring.is_locked = False
    assert (await loaded(tmp_path / "keys.json")).find(URL) == "sk-other"


@pytest.mark.usefixtures("ring")
async def test_the_environment_goes_before_all(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    keys = await loaded(tmp_path / "keys.json")
    await keys.keep(URL, KEY)
    monkeypatch.setenv("TAVERNKEEP_API_KEY", "sk-given")
    assert keys.find(URL) == "sk-given"


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("key", ["se\ncret", "schlüssel", "k" * 5000])
async def test_what_is_no_key_is_refused(key: str, tmp_path: Path) -> None:
    keys = await loaded(tmp_path / "keys.json")
    with pytest.raises(UsageError):
        await keys.keep(URL, key)
    assert keys.find(URL) is None


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize("held", [b"", b"[]", b'{"a": 1}', b"\0\0", b'{"a": "\xff"}'])
async def test_a_broken_file_is_told_and_does_not_stop_the_start(
    held: bytes, tmp_path: Path
) -> None:
    file = tmp_path / "keys.json"
    file.write_bytes(held)
    keys = await loaded(file)
    assert str(file) in keys.problem
    assert keys.find(URL) is None


@pytest.mark.usefixtures("no_ring")
async def test_a_key_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    keys = await loaded(tmp_path / "keys.json")
    (tmp_path / "keys.json").mkdir()
    with pytest.raises(StoreError, match="could not be saved"):
        await keys.keep(URL, KEY)
    assert os.listdir(tmp_path) == ["keys.json"]  # noqa: PTH208
