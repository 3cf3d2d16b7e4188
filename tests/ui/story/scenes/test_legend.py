"""The legend: a way to the messages of a state, and no colour where nothing goes anywhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from app.companion import Companion
from app.story.inclusion import InclusionState
from tests.labelled import WrittenTavern
from tests.ui.samples import story, with_states
from tests.ui.story.conftest import ListeningSession
from ui.program.main_window import MainWindow
from ui.story.page import StoryPage
from ui.theme import DARK

LEFT = Qt.MouseButton.LeftButton
Until = Callable[[Callable[[], bool]], Awaitable[None]]


def spot(page: StoryPage, state: InclusionState | None) -> QPoint:
    legend = page.navigator.legend
    legend.resize(legend.sizeHint().width() + 80, legend.sizeHint().height())
    return next(e.area.center().toPoint() for e in legend._entries() if e.state is state)


def test_a_row_leads_to_the_first_message_and_then_to_the_next(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(with_states(story(60, (9, 19, 29, 39))))
    legend = page.navigator.legend
    at = spot(page, InclusionState.EXCLUDED)
    seen = []
    for _ in range(4):
        qtbot.mouseClick(legend, LEFT, pos=at)
        seen.append(page.view.current_message())
    assert seen == [14, 39, 47, 14]
    qtbot.mouseClick(legend, LEFT, pos=spot(page, InclusionState.FAILED))
    assert page.view.current_message() == 49
    qtbot.mouseClick(legend, LEFT, pos=spot(page, None))
    assert page.view.current_message() == 30


def test_the_keyboard_chooses_a_row(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(with_states(story(60, (9, 19))))
    legend = page.navigator.legend
    assert legend.focusPolicy() & Qt.FocusPolicy.TabFocus
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        qtbot.keyClick(legend, key)
    assert page.view.current_message() == 52  # the first that lags behind


def test_a_row_without_messages_leads_nowhere(
    page: StoryPage, session: ListeningSession, qtbot: QtBot
) -> None:
    session.show(story(40, (9,), state=InclusionState.INCLUDED))
    before = page.view.visible
    qtbot.mouseClick(page.navigator.legend, LEFT, pos=spot(page, InclusionState.FAILED))
    assert page.view.current_message() is None
    assert page.view.visible == before


def test_recaps_that_go_nowhere_are_grey_and_say_so(
    page: StoryPage, session: ListeningSession
) -> None:
    session.companion.injects = False
    session.show(with_states(story(60, (9, 19))))
    legend = page.navigator.legend
    assert legend.accessibleName().startswith("Message recaps, not in the prompt: Included")
    assert DARK.included.fill.name() in colours_of(page)
    assert legend.heading(240) == ("not in the prompt", "Messages")
    # It goes unsaid in no width, nor in a language of longer words.
    assert legend.heading(130) == ("not in the prompt", "")
    session.companion.injects = True
    session.health_changed.emit(None)
    assert legend.heading(130) == ("", "Messages")  # what it is of, the choice above says
    assert legend.accessibleName().startswith("Message recaps: Included")
    assert DARK.included.fill.name() in colours_of(page)


def colours_of(page: StoryPage) -> set[str]:
    """Colours in the strip's row of bars."""
    picture = page.strip.grab().toImage()
    y = picture.height() - 10
    return {picture.pixelColor(x, y).name() for x in range(picture.width())}


async def test_the_legend_follows_the_setting(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    assert demo_window.desk is not None
    stage = demo_window.desk.story_stage
    assert stage is not None
    assert not stage.page.model.injects_recaps
    await companion.put_setting("message_recaps_inject", True, path=demo_tavern.chat)
    await until(lambda: stage.page.model.injects_recaps)
