"""The scale of the window outlives the program, and nonsense is the normal one."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.chosen_scale import NAME, NORMAL, SCALES, ChosenScale
from app.core.errors import StoreError


def test_a_scale_is_read_as_it_was_chosen(tmp_path: Path) -> None:
    assert ChosenScale(tmp_path).get() == NORMAL
    for scale in SCALES:
        ChosenScale(tmp_path).put(scale)
        assert ChosenScale(tmp_path).get() == scale


@pytest.mark.parametrize("text", [b"", b"0", b"7000", b"-100", b"1e3", b"\xff", b"9" * 40])
def test_what_is_no_scale_is_the_normal_one(tmp_path: Path, text: bytes) -> None:
    (tmp_path / NAME).write_bytes(text)
    assert ChosenScale(tmp_path).get() == NORMAL


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        ChosenScale(tmp_path / "gone").put(130)
