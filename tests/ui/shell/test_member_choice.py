"""Prompt and Budgets of a group say whose prompt they show, and let one choose."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.companion import Companion
from tests.labelled import WrittenTavern, write_tavern
from ui.budgets.page import BudgetsPage
from ui.program.main_window import MainWindow
from ui.prompt.page import PromptPage
from ui.shell.member_choice import MemberChoice

NAMES = ("Ana", "Mira", "Oswin")
Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
def crew(demo_tavern: WrittenTavern) -> Path:
    """A chat of a group in which Mira spoke last."""
    story = {
        "title": "Lanterns",
        "user_name": NAMES[0],
        "characters": [{"name": name, "description": "Of Vell."} for name in NAMES[1:]],
        "group": True,
        "messages": [
            {
                "name": NAMES[n % 3],
                "is_user": not n % 3,
                "kind": "chat",
                "mes": f"We carried {n} lanterns to the harbour.",
            }
            for n in range(11)
        ],
    }
    return write_tavern(story, demo_tavern.user_folder).chat


def choose(members: MemberChoice, name: str) -> None:
    """As by a click on it in the open list."""
    members.setCurrentText(name)
    members.activated.emit(members.findText(name))


async def test_a_group_lets_one_choose_whose_prompt_is_shown(
    crew: Path,
    window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    """Before the first prompt was sent, what only one member gets was shown as nothing."""
    assert window.desk is not None
    session = window.desk.session
    await session.open_path(crew)
    window.show_page("prompt")
    prompt = window.page
    assert isinstance(prompt, PromptPage)
    await until(lambda: session.slots.responder == "Mira")
    assert prompt.members.isVisible()
    assert prompt.members.currentText() == "Mira"
    choose(prompt.members, "Oswin")
    await until(lambda: session.slots.responder == "Oswin")
    window.show_page("budgets")
    budgets = window.page
    assert isinstance(budgets, BudgetsPage)
    await until(lambda: budgets.place == "Oswin answers next")
    assert budgets.members.isVisible()
    choose(budgets.members, "Mira")
    await until(lambda: budgets.place == "Mira answers next")
    await session.open_path(demo_tavern.chat)
    await until(lambda: session.is_counted)
    assert budgets.members.isHidden()
    assert session.member == ""
