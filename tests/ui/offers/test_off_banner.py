"""The window says over every page that Tavernkeep is off for the chat, and switches it on again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_the_switch_is_an_action_that_the_banner_and_undo_take_back(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path, banner = demo_tavern.chat, demo_window.frame.banner
    action = demo_window.actions_["off"]
    assert action.isEnabled()
    assert not action.shortcut().isEmpty()
    assert banner.sentence == ""
    action.trigger()
    await until(lambda: "off for this chat" in banner.sentence)
    assert "tavernkeep" not in banner.sentence  # here is a button, and no command line
    assert banner.way_on == "Switch it on"
    assert companion.setting("chat_off", path=path).value is True
    assert action.text() == "Switch on for this chat"
    banner.take_up()
    await until(lambda: companion.setting("chat_off", path=path).value is False)
    await until(lambda: action.text() == "Switch off for this chat")
    assert banner.sentence == ""
    action.trigger()
    await until(lambda: bool(banner.sentence))
    assert demo_window.desk is not None
    demo_window.desk.session.undo()
    await until(lambda: banner.sentence == "")
    assert action.text() == "Switch off for this chat"


async def test_it_stays_as_it_was_while_the_chat_takes_another_name(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    banner = demo_window.frame.banner
    demo_window.actions_["off"].trigger()
    await until(lambda: bool(banner.sentence))
    assert demo_window.desk is not None
    session = demo_window.desk.session
    said, renamed = banner.sentence, demo_tavern.chat.with_name("Another name.jsonl")
    demo_tavern.chat.rename(renamed)
    await companion.open_story(renamed)
    session.slots_changed.emit(session.slots)  # before the window has followed
    assert banner.sentence == said
    await until(lambda: session.path == renamed)
    await until(lambda: banner.sentence == said)
