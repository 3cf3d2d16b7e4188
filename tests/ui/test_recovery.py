"""A damaged database is brought back, and the window says what was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from ui.program.main_window import MainWindow


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """What lies where the companion will keep its database."""
    folder = tmp_path / "own"
    folder.mkdir()
    path = folder / "tavernkeep.sqlite3"
    path.write_bytes(b"nothing that a database would hold" * 300)
    return path


@pytest.mark.expects_log("app.store.database.recovery")
async def test_the_window_says_that_the_database_was_damaged(
    damaged: Path, window: MainWindow
) -> None:
    assert "was damaged" in window.frame.notice.sentence
    assert "were not touched" in window.frame.notice.sentence
    assert damaged.stem in window.frame.notice.sentence
