"""What keeps the program from its work has one line, with a way on, and takes it back by itself."""

from __future__ import annotations

import pytest

from app.companion import Companion
from ui.program.main_window import MainWindow

GONE = "SillyTavern's folder is gone: /data."


async def test_a_folder_that_is_gone_is_the_one_thing_that_is_said(
    demo_window: MainWindow, companion: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That a chat in it was missed, too, came first and covered it."""
    notice, said = demo_window.frame.notice, ""
    monkeypatch.setattr(Companion, "folder_gone", property(lambda _: said))
    notice.say("The chat is no longer there.")
    said = GONE
    companion.health_changed.emit(companion.health)
    assert (notice.sentence, notice.way_on) == (GONE, "Choose the folder")
    said = ""
    companion.health_changed.emit(companion.health)
    assert notice.sentence == ""
    assert demo_window.frame.status.said == "SillyTavern's folder is there again."
