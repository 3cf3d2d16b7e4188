"""The guarded writer: whole or not at all, and never over somebody else's work."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from app.core.errors import WriteRefused
from app.sillytavern.chat_file import read_chat
from app.sillytavern.guarded_write import BACKUPS_KEPT, guarded_replace, write_file_atomically
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern, write_chat

NEW = jsonl([HEADER, message(0, "New.")])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_chat(tmp_path / "chats" / "Mira" / "chat.jsonl", [message(0), message(1)])


@pytest.fixture
def backups(tmp_path: Path) -> Path:
    return tmp_path / "backups"


def full_disk(monkeypatch: pytest.MonkeyPatch, *, after: int = 0) -> None:
    """The disk takes `after` bytes and then no more."""
    real = os.write
    left = [after]

    def write(descriptor: int, data: bytes) -> int:
        if left[0] <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = real(descriptor, data[: left[0]])
        left[0] -= written
        return written

    monkeypatch.setattr(os, "write", write)


def test_the_file_is_replaced_and_nothing_else_is_left(path: Path) -> None:
    write_file_atomically(path, NEW)
    assert path.read_bytes() == NEW
    assert list(path.parent.iterdir()) == [path]


def test_a_new_file_can_be_written(tmp_path: Path) -> None:
    write_file_atomically(tmp_path / "new.json", b"{}")
    assert (tmp_path / "new.json").read_bytes() == b"{}"


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_the_mode_stays(path: Path, mode: int) -> None:
    path.chmod(mode)
    write_file_atomically(path, NEW)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_short_writes_are_continued(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
    write_file_atomically(path, NEW)
    assert path.read_bytes() == NEW


@pytest.mark.parametrize("after", [0, 10])
def test_a_full_disk_leaves_the_old_file(
    path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    old = path.read_bytes()
    full_disk(monkeypatch, after=after)
    with pytest.raises(OSError, match="No space left"):
        write_file_atomically(path, NEW)
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


def test_a_failing_fsync_leaves_the_old_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = path.read_bytes()

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        write_file_atomically(path, NEW)
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


def test_an_unchanged_chat_is_replaced_after_a_backup(path: Path, backups: Path) -> None:
    old = path.read_bytes()
    backup = guarded_replace(path, read_chat(path), NEW, backups)
    assert path.read_bytes() == NEW
    assert backup.parent == backups
    assert backup.read_bytes() == old


def test_backups_of_one_second_do_not_replace_each_other(path: Path, backups: Path) -> None:
    for number in range(3):
        guarded_replace(path, read_chat(path), jsonl([HEADER, message(number)]), backups)
    assert len(list(backups.iterdir())) == 3


def test_of_each_chat_the_newest_backups_are_kept(path: Path, backups: Path) -> None:
    backups.mkdir()
    others = [backups / f"Mira_{name}_20260101-000000.jsonl" for name in ("chat_x", "other", "cha")]
    for number, backup in enumerate(others):
        backup.write_bytes(b"")
        os.utime(backup, (number, number))
    oldest = guarded_replace(path, read_chat(path), NEW, backups)
    for number in range(BACKUPS_KEPT):
        guarded_replace(path, read_chat(path), jsonl([HEADER, message(number)]), backups)
    assert not oldest.exists()
    assert len(list(backups.iterdir())) == BACKUPS_KEPT + len(others)


def test_a_chat_that_changed_since_it_was_read_is_left_alone(path: Path, backups: Path) -> None:
    snapshot = read_chat(path)
    theirs = jsonl([HEADER, message(0), message(1), message(2)])
    save_like_sillytavern(path, theirs)
    with pytest.raises(WriteRefused, match="in the meantime"):
        guarded_replace(path, snapshot, NEW, backups)
    assert path.read_bytes() == theirs
    assert not backups.exists()


def test_a_save_during_the_backup_is_not_lost(
    path: Path, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshot = read_chat(path)
    theirs = jsonl([HEADER, message(0), message(1), message(2)])
    real = os.fsync

    def save_meanwhile(descriptor: int) -> None:
        save_like_sillytavern(path, theirs)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", save_meanwhile)
    with pytest.raises(WriteRefused, match="in the meantime"):
        guarded_replace(path, snapshot, NEW, backups)
    assert path.read_bytes() == theirs
    assert list(path.parent.iterdir()) == [path]


def test_a_chat_with_another_integrity_is_left_alone(path: Path, backups: Path) -> None:
    old = path.read_bytes()
    stranger = jsonl([{"chat_metadata": {"integrity": "another"}}, message(0)])
    with pytest.raises(WriteRefused, match="another chat"):
        guarded_replace(path, read_chat(path), stranger, backups)
    assert path.read_bytes() == old


def test_a_full_disk_is_a_refusal_in_words(
    path: Path, backups: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, snapshot = path.read_bytes(), read_chat(path)
    full_disk(monkeypatch, after=len(old))
    with pytest.raises(WriteRefused, match=r"chat\.jsonl was not changed \(No space left"):
        guarded_replace(path, snapshot, NEW, backups)
    assert path.read_bytes() == old


def test_a_deleted_chat_is_not_written_anew(path: Path, backups: Path) -> None:
    snapshot = read_chat(path)
    path.unlink()
    with pytest.raises(WriteRefused):
        guarded_replace(path, snapshot, NEW, backups)
    assert not path.exists()


def test_a_chat_with_broken_lines_and_a_newline_at_the_end_can_be_replaced(
    path: Path, backups: Path
) -> None:
    path.write_bytes(path.read_bytes() + b"\n{broken\r\n\n")
    guarded_replace(path, read_chat(path), NEW, backups)
    assert path.read_bytes() == NEW


def test_a_chat_with_the_longest_name_is_written_and_backed_up(
    tmp_path: Path, backups: Path
) -> None:
    folder = tmp_path / ("ж" * 120)
    folder.mkdir()
    stems = ["щ" * 124 + end for end in ("a", "b")]
    for stem in stems:
        path = folder / f"{stem}.jsonl"
        for count in (1, 2):
            write_chat(path, [message(n) for n in range(count)])
            guarded_replace(path, read_chat(path), NEW, backups)
        assert path.read_bytes() == NEW
    assert len(list(backups.iterdir())) == 4
