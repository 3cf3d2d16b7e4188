"""What was done outside of all chats and is taken back by the window's undo."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from app.companion import Companion
from tests.labelled import WrittenTavern
from ui.program.main_window import MainWindow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


async def test_a_change_made_before_and_shown_later_takes_no_way_back(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    session = demo_window.desk.session
    offered: list[str] = []
    taken_back: list[bool] = []
    session.undo_changed.connect(lambda undo, _redo: offered.append(undo))
    session.refresh()
    await until(lambda: offered == [""])

    async def bring_back() -> None:
        taken_back.append(True)

    put = companion.put_setting
    await put("budget_epistemic", 400, path=demo_tavern.chat, noted_in=demo_tavern.chat)
    await session.can_take_back("deleting an API key", bring_back)
    session.refresh()
    await until(lambda: len(offered) >= 3)
    assert offered[-1] == "deleting an API key"
    session.undo()
    await until(lambda: bool(taken_back))


async def test_what_is_done_afterwards_in_the_chat_goes_first(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    session = demo_window.desk.session
    offered: list[str] = []
    session.undo_changed.connect(lambda undo, _redo: offered.append(undo))

    async def bring_back() -> None: ...

    await session.can_take_back("deleting an API key", bring_back)
    put = companion.put_setting
    await put("budget_epistemic", 400, path=demo_tavern.chat, noted_in=demo_tavern.chat)
    session.refresh()
    await until(lambda: bool(offered) and "200 → 400" in offered[-1])
