"""A start that did not get through is known to the next one."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.start_mark import StartMark


def test_starts_that_did_not_get_through_are_counted_over_restarts(tmp_path: Path) -> None:
    assert StartMark(tmp_path).crashes == 0
    StartMark(tmp_path).begin()
    StartMark(tmp_path).begin()
    assert StartMark(tmp_path).crashes == 2


def test_one_start_that_got_through_ends_the_row(tmp_path: Path) -> None:
    StartMark(tmp_path).begin()
    mark = StartMark(tmp_path)
    mark.begin()
    mark.got_through()
    assert StartMark(tmp_path).crashes == 0


@pytest.mark.parametrize("text", [b"", b"many", b"-3", b"\xff\xfe", b"9" * 400])
def test_a_broken_mark_is_none(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "starting").write_bytes(text)
    assert StartMark(tmp_path).crashes == 0


def test_a_folder_that_cannot_be_written_only_notices_no_crash(tmp_path: Path) -> None:
    mark = StartMark(tmp_path / "gone")
    mark.begin()
    mark.got_through()
    assert mark.crashes == 0
