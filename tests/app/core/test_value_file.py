"""A value in a file of its own is read within bounds and said when it cannot be kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.errors import StoreError
from app.core.value_file import LONGEST, ValueFile


def test_a_value_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = ValueFile(tmp_path / "value")
    assert (file.read(), file.number()) == ("", 0)
    file.write("großer Rabe")
    assert (file.read(), file.number()) == ("großer Rabe", 0)
    file.write(130)
    assert (file.read(), file.number()) == ("130", 130)
    file.remove()
    assert file.read() == ""


def test_no_more_of_a_file_is_read_than_a_value_takes(tmp_path: Path) -> None:
    (tmp_path / "value").write_bytes(b"9" * 10_000)
    file = ValueFile(tmp_path / "value")
    assert (len(file.read()), file.number()) == (LONGEST, 0)


def test_what_cannot_be_kept_or_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "value").mkdir()
    file = ValueFile(tmp_path / "value")
    assert file.read() == ""
    with pytest.raises(StoreError, match="cannot be written"):
        file.write("x")
    with pytest.raises(StoreError, match="cannot be written"):
        file.remove()
