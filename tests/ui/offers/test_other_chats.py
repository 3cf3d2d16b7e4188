"""That a chat is told memories of the character's other chats is said once, and can be refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from app.companion import Companion
from tests.chat_files import message, write_chat
from tests.labelled import WrittenTavern
from tests.memory_world import opened
from ui.core.session import Session
from ui.offers.other_chats import KEEP_THEM, LEAVE_OUT, SWITCH, OtherChats
from ui.program.main_window import MainWindow
from ui.shell.notice import Notice

Until = Callable[[Callable[[], bool]], Awaitable[None]]


FACTS = ("The well is deep.", "The mill burnt down.", "The ford is closed.")


@pytest.fixture
async def companion(tmp_path: Path, demo_tavern: WrittenTavern) -> AsyncIterator[Companion]:
    """One that keeps memory; the character remembers facts of a story."""
    async with opened(demo_tavern, tmp_path / "own") as world:
        facts = [world.kept(fact, place) for place, fact in enumerate(FACTS, 3)]
        await world.write(*facts)
        yield world.companion


@pytest.fixture
async def other(window: MainWindow, demo_tavern: WrittenTavern, until: Until) -> Path:
    """Another story of that character, open, with the notice."""
    session, notice = session_of(window), window.frame.notice
    path = demo_tavern.chat.with_name("Elsewhere.jsonl")
    write_chat(path, [message(n, f"The harbour, hour {n}.") for n in range(6)])
    await session.open_path(demo_tavern.chat)
    await until(lambda: bool(session.slots.contents))
    assert notice.way_on != LEAVE_OUT
    await session.open_path(path)
    await until(lambda: notice.way_on == LEAVE_OUT)
    return path


def session_of(window: MainWindow) -> Session:
    assert window.desk is not None
    return window.desk.session


async def test_they_are_left_out_of_this_chat_and_undo_brings_them_back(
    window: MainWindow, companion: Companion, other: Path, until: Until
) -> None:
    session, notice = session_of(window), window.frame.notice
    told = session.slots.of_other_chats
    assert told == len(FACTS)
    assert notice.sentence == (
        "The next prompt tells 3 memories of Captain Henrike Sloe's other chats."
    )
    for page in ("work", "settings"):
        window.show_page(page)
        assert notice.way_on != LEAVE_OUT
    # It stood on the page Story alone, and who looked at the memories was told of none.
    for page in ("memories", "prompt", "budgets", "story"):
        window.show_page(page)
        assert notice.way_on == LEAVE_OUT
    notice.take_up()
    await until(lambda: session.slots.of_other_chats == 0)
    assert notice.way_on != LEAVE_OUT
    assert not companion.setting(SWITCH, path=other).value
    assert companion.setting(SWITCH).value
    session.undo()
    await until(lambda: session.slots.of_other_chats == told)


async def test_who_keeps_them_is_not_asked_again_after_a_restart_either(
    window: MainWindow, companion: Companion, other: Path, until: Until
) -> None:
    session, notice = session_of(window), window.frame.notice
    assert notice.ways == (KEEP_THEM,)
    notice.choose(KEEP_THEM)
    await until(lambda: companion.setting(SWITCH, path=other).is_own)
    anew = Notice()
    anew.follow_page("story")
    OtherChats(session, anew)
    session.slots_changed.emit(session.slots)
    assert session.slots.of_other_chats
    assert notice.way_on != LEAVE_OUT
    assert anew.sentence == ""
    anew.deleteLater()


async def test_who_closes_it_is_asked_at_the_next_start(
    window: MainWindow, companion: Companion, other: Path
) -> None:
    session, notice = session_of(window), window.frame.notice
    notice.close_shown()
    session.slots_changed.emit(session.slots)
    assert notice.way_on != LEAVE_OUT
    assert not companion.setting(SWITCH, path=other).is_own
    anew = Notice()
    anew.follow_page("story")
    OtherChats(session, anew)
    session.slots_changed.emit(session.slots)
    assert anew.way_on == LEAVE_OUT
    anew.deleteLater()
