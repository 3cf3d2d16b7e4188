"""What other extensions left is said first, taken in on a word, and taken back by undo."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from app.companion import Companion
from app.story.story import Story
from tests.extension_data import memory_entry, without, write_lorebook
from tests.labelled import WrittenTavern
from ui.offers.recap_import import NOTHING
from ui.program.desk import Desk
from ui.program.main_window import MainWindow
from ui.story.page import StoryPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def bind_lorebook(tavern: WrittenTavern, *entries: Any) -> None:
    """Let the chat have a lorebook of MemoryBooks."""
    write_lorebook(tavern.user_folder, "Memories", *entries)
    header, rest = tavern.chat.read_bytes().split(b"\n", 1)
    told = json.loads(header)
    told["chat_metadata"]["world_info"] = "Memories"
    tavern.chat.write_bytes(json.dumps(told).encode() + b"\n" + rest)


def give_settings(tavern: WrittenTavern, **changed: Any) -> None:
    path = tavern.user_folder / "settings.json"
    held = json.loads(path.read_text("utf-8")) if path.exists() else {}
    held.setdefault("extension_settings", {}).setdefault("smart_memory", {}).update(changed)
    path.write_text(json.dumps(held), "utf-8")


def desk_of(window: MainWindow) -> Desk:
    assert window.desk is not None
    return window.desk


def press_take_in(window: MainWindow) -> None:
    """The command of the story page's menu."""
    (page,) = window.findChildren(StoryPage)
    page.story_actions.take_in.trigger()


def recaps_of(story: Story | None) -> list[str]:
    assert story is not None
    return [
        recap.text
        for versions in story.recaps.values()
        for recap in versions
        if recap.made_by == "MemoryBooks"
    ]


async def test_memory_books_scenes_are_taken_in_on_a_word_and_taken_back(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    desk = desk_of(window)
    session, notice, path = desk.session, window.frame.notice, demo_tavern.chat
    companion.work.pause()
    for made in ("scene_breaks", "scene_recaps", "running_recap", "message_recaps"):
        await companion.put_setting(f"{made}_auto", False)
    await session.open_path(path)
    assert session.story is not None
    before = session.story.recaps
    name = path.stem
    entry = memory_entry(1, 0, 9, name)
    bind_lorebook(demo_tavern, entry, without(memory_entry(2, 10, 19, name), "STMB_end"))
    await companion.open_story(path)
    press_take_in(window)
    await until(lambda: "MemoryBooks" in notice.sentence)
    assert "From MemoryBooks: 1 scene break" in notice.sentence
    assert "1 scene recap" in notice.sentence
    assert "Not imported from MemoryBooks: 1 that does not name its messages." in notice.sentence
    assert recaps_of(session.story) == [], "nothing is taken in unasked"
    notice.take_up()
    await until(lambda: recaps_of(session.story) == ["What happened in scene 1."])
    told: list[str] = []
    session.told.connect(told.append)
    press_take_in(window)
    await until(lambda: any(NOTHING in one for one in told))
    await companion.edits.undo(path)
    assert session.story is not None
    assert session.story.recaps == before


async def test_smart_memorys_settings_have_a_button_of_their_own(
    window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    desk = desk_of(window)
    notice, path = window.frame.notice, demo_tavern.chat
    companion.work.pause()
    give_settings(demo_tavern, arcs_enabled=False, openai_compat_key="a hidden word")
    await desk.session.open_path(path)
    press_take_in(window)
    await until(lambda: "Smart Memory settings" in notice.sentence)
    assert "“" not in notice.sentence
    assert "Plot threads" in notice.sentence
    assert "1 more setting of Smart Memory has no counterpart here." in notice.sentence
    assert "a hidden word" not in notice.sentence
    assert notice.way_on == "Import the settings"
    notice.take_up()
    await until(lambda: companion.settings["arcs_enabled"] is False)
    await companion.edits.undo(path)
    assert companion.settings["arcs_enabled"] is True
