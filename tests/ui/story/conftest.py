"""The story page over a session that only listens."""

from __future__ import annotations

import inspect
from collections.abc import Coroutine, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.prompt.reach import NOTHING_REACHED, Reached
from app.settings.values import ValueInForce
from app.story.story import Story
from app.views.asked_cost import AskedCost
from app.work.edits.message_edits import MessageEdits
from app.work.edits.reading_bounds import ReadingBounds
from app.work.edits.scene_edits import SceneEdits
from app.work.edits.story_edits import StoryEdits
from app.work.pages.page_side import PageSide
from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_model import MessageModel
from ui.story.page import StoryPage
from ui.theme import theme as window_theme
from ui.theme.source import ThemeChoice, ThemeSource


class Edits:
    """Stands for one class of the user's commands: writes down what it is asked for, in order."""

    def __init__(self, of: type, name: str, asked: list[tuple[Any, ...]]) -> None:
        self._of, self._name, self._asked = of, name, asked

    def __getattr__(self, name: str) -> Any:
        form = inspect.signature(getattr(self._of, name))

        async def deed(*given: Any, **named: Any) -> None:
            form.bind(self, *given, **named)
            self._asked.append((f"{self._name}{name}", *given[1:], *named.items()))

        return deed


class MessageRecaps(Edits):
    """Those of message recaps."""

    def missing(self, _path: Path) -> int:
        return 3


class StoryCommands(Edits):
    """Those of a whole story, and the two kinds that stand by themselves."""

    def __init__(self, asked: list[tuple[Any, ...]]) -> None:
        super().__init__(StoryEdits, "", asked)
        self.stale: set[str] = set()
        self.scenes = Edits(SceneEdits, "scenes.", asked)
        self.messages = MessageRecaps(MessageEdits, "messages.", asked)

    def is_scene_recap_stale(self, _path: Path, anchor: str) -> bool:
        return anchor in self.stale


class Pages(Edits):
    """SillyTavern's pages, of which one may show the chat."""

    is_shown = False

    def shows(self, _path: Path) -> bool:
        return self.is_shown


class Bounds(Edits):
    """Which messages memory reads."""

    anchors: frozenset[str] = frozenset()
    stays = 0  # memories that come from them

    async def toggle(self, _path: Path, anchors: Sequence[str]) -> int:
        self._asked.append(("bounds.toggle", anchors))
        return self.stays

    def left_out(self, _path: Path) -> frozenset[str]:
        return self.anchors


class FreeRecaps:
    """What recaps take where no model is asked."""

    def of_messages(self, _path: Path, _anchors: object = None) -> AskedCost:
        return AskedCost()

    def of_scenes(self, _path: Path, _anchors: object) -> AskedCost:
        return AskedCost()

    def of_rebuild(self, _path: Path, _anchor: str) -> AskedCost:
        return AskedCost()


class Program:
    """Stands for the Companion."""

    demo = "the demo"
    is_reading_only = False

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []
        self.edits = StoryCommands(self.asked)
        self.reading_bounds = Bounds(ReadingBounds, "bounds.", self.asked)
        self.page = Pages(PageSide, "page.", self.asked)
        self.command_costs = FreeRecaps()
        self.injects = True
        self.colours = "recaps"  # of which most of these tests are

    def setting(self, name: str, *, path: Path | None = None) -> ValueInForce:
        values = {"message_recaps_inject": self.injects, "story_colours": self.colours}
        return ValueInForce(values[name], False, is_own=False)

    async def put_setting(self, name: str, value: object) -> None:
        self.asked.append((name, value))


class ListeningSession(QObject):
    """A session without a program behind it; a test says what the program would."""

    chat_opened = Signal(object)
    story_changed = Signal(object)
    reading = Signal(bool)
    health_changed = Signal(object)
    reach_changed = Signal(object)
    told = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.companion = Program()
        self.story: Story | None = None
        self.reach = NOTHING_REACHED
        self.opened: list[object] = []

    def do(self, coroutine: Coroutine[Any, Any, object], *, name: str) -> None:
        with pytest.raises(StopIteration):
            coroutine.send(None)

    def open_chat(self, chat: object) -> None:
        self.opened.append(chat)

    def show(self, story: Story) -> None:
        """Open a chat."""
        self.story = story
        self.chat_opened.emit(story)

    def reaches(self, reach: Reached) -> None:
        """Tell how messages get into the next prompt."""
        self.reach = reach
        self.reach_changed.emit(reach)

    def change(self, story: Story, first_message: int | None = None) -> None:
        """Tell of another state of the open chat."""
        self.story = story
        self.story_changed.emit(Change(first_message))


class Change:
    """What the page reads of a StoryChange."""

    def __init__(self, first_message: int | None) -> None:
        self.first_message = first_message


@pytest.fixture
def theme(dressed: QApplication) -> Iterator[ThemeSource]:
    """The window's own theme, in the dark and at its usual size before and after."""
    yield window_theme
    window_theme.set_choice(ThemeChoice.DARK)
    window_theme.set_reading_px(15.5)


@pytest.fixture
def session() -> ListeningSession:
    return ListeningSession()


@pytest.fixture
def page(qtbot: QtBot, theme: ThemeSource, session: ListeningSession) -> StoryPage:
    """A shown page, 900 by 700, without a chat."""
    shown = StoryPage(session, theme)  # type: ignore[arg-type]
    shown.recaps_asked.connect(lambda _cost, begin: session.do(begin(), name="recaps"))
    qtbot.addWidget(shown)
    qtbot.addWidget(shown.navigator)
    shown.resize(900, 700)
    with qtbot.waitActive(shown, timeout=30_000):  # a real screen takes a moment
        shown.show()
        shown.activateWindow()
    return shown


@pytest.fixture
def view(qtbot: QtBot, theme: ThemeSource) -> ChatView:
    """A shown column, 760 by 600, without a story."""
    shown = ChatView(MessageModel(), theme)
    qtbot.addWidget(shown)
    shown.resize(760, 600)
    with qtbot.waitActive(shown, timeout=30_000):  # a real screen takes a moment
        shown.show()
        shown.activateWindow()
    return shown
