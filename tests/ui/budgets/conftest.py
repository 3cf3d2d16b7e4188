"""The budgets page in a living window, with a few secrets of the demo story."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.memory.records import Tier
from tests.labelled import WrittenTavern
from ui.budgets.page import BudgetsPage
from ui.program.main_window import MainWindow

SECRETS = (
    "that the brass seal lies under the floor of the old chapel by the ferry",
    "that the northern mill was sold to the abbey for half of what it is worth",
    "that the grey boat leaves at dawn and takes nobody who has not paid twice",
    "that the bell rope was cut from above, by somebody who had the tower's key",
)
Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
async def companion(tmp_path: Path, demo_tavern: WrittenTavern) -> AsyncIterator[Companion]:
    """A real companion without a model that keeps memory; it writes no recaps."""
    folders = user_folders(tmp_path / "own")
    tavern = demo_tavern.user_folder.parent
    async with open_companion(
        folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True
    ) as running:
        running.work.pause()
        yield running


@pytest_asyncio.fixture
async def page(window: MainWindow, demo_tavern: WrittenTavern, until: Until) -> BudgetsPage:
    """It shows one budget for each tier, with so little for who knows what that some falls out."""
    assert window.desk is not None
    session = window.desk.session
    await session.open_path(demo_tavern.chat)
    story = session.companion.story(demo_tavern.chat)
    assert story is not None
    for at, secret in enumerate(SECRETS, 3):
        await session.companion.memories.add(
            demo_tavern.chat,
            Tier.EPISTEMIC,
            "knows",
            secret,
            subject="Captain Henrike Sloe",
            anchor=story.messages[at * 20].anchor,
        )
    changes = {"budget_mode": "advanced", "budget_epistemic": 60}
    await session.companion.budgets.put(demo_tavern.chat, changes, "a scarce budget")
    window.show_page("budgets")
    shown = window.page
    assert isinstance(shown, BudgetsPage)
    window.activateWindow()
    await until(lambda: bool(shown.pane.facts and shown.pane.facts.needs))
    return shown
