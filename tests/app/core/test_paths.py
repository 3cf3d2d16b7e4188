"""The program's own folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.core.paths import user_folders


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
@pytest.mark.parametrize("is_chosen", [True, False])
def test_data_and_log_are_nobody_elses_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_chosen: bool
) -> None:
    for name in ("DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    before = os.umask(0)
    try:
        folders = user_folders(tmp_path / "own" if is_chosen else None)
    finally:
        os.umask(before)
    for folder in (folders.data, folders.logs):
        assert folder.stat().st_mode & 0o777 == 0o700
