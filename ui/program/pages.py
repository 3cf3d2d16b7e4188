"""The pages, each imported when it is first shown: none is needed to put the window up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.translation import N_
from ui.theme.source import ThemeSource

if TYPE_CHECKING:
    from ui.budgets.page import BudgetsPage
    from ui.core.session import Session
    from ui.first_run.welcome import WelcomePage
    from ui.memories.page import MemoriesPage
    from ui.minds.page import MindsPage
    from ui.program.story_stage import StoryStage
    from ui.prompt.page import PromptPage
    from ui.recaps.page import RecapsPage
    from ui.settings.page import SettingsPage
    from ui.work.page import WorkPage

TITLES = {
    "story": N_("Story"),
    "recaps": N_("Recaps"),
    "memories": N_("Memories"),
    "minds": N_("Minds"),
    "budgets": N_("Budgets"),
    "prompt": N_("Prompt"),
    "work": N_("Work"),
    "settings": N_("Settings"),
}
BARE_PAGES = frozenset({"work", "settings"})  # need no open chat


@runtime_checkable
class TakesFocus(Protocol):
    """A page that knows what the keyboard is for on it."""

    def take_focus(self) -> None:
        """Give the keyboard to what the page is about.

        No focus proxy: Tab would step over everything that stands before it.
        """


@runtime_checkable
class StandsIn(Protocol):
    """Stands on a page that needs an open chat while there is none."""

    def show_for(self, page: str) -> None: ...


@runtime_checkable
class ShowsSlot(Protocol):
    """A page that has a row for each slot."""

    def choose(self, key: str) -> None: ...


@runtime_checkable
class HasHeader(Protocol):
    """A page with words and tools of its own for the header. place: "" for the story's name.
    tools: None for the usual ones.
    """

    @property
    def title(self) -> str: ...

    @property
    def place(self) -> str: ...

    @property
    def tools(self) -> QWidget | None: ...


@runtime_checkable
class HasPrompts(Protocol):
    """A page on which the prompts for models can be opened."""

    def open_prompts(self) -> QWidget: ...

    def go_to(self, title: str) -> None: ...

    def show_setting(self, name: str) -> None: ...


def make_story(session: Session, theme: ThemeSource, see_text: QAction) -> StoryStage:
    from ui.program.story_stage import StoryStage

    return StoryStage(session, theme, see_text)


def make_welcome(session: Session) -> WelcomePage:
    from ui.first_run.welcome import WelcomePage

    return WelcomePage(session)


def make_settings(session: Session) -> SettingsPage:
    from ui.settings.page import SettingsPage

    return SettingsPage(session)


def make_recaps(session: Session) -> RecapsPage:
    from ui.recaps.page import RecapsPage

    return RecapsPage(session)


def make_memories(session: Session) -> MemoriesPage:
    from ui.memories.page import MemoriesPage

    return MemoriesPage(session)


def make_minds(session: Session) -> MindsPage:
    from ui.minds.page import MindsPage

    return MindsPage(session)


def make_budgets(session: Session) -> BudgetsPage:
    from ui.budgets.page import BudgetsPage

    return BudgetsPage(session)


def make_work(session: Session) -> WorkPage:
    from ui.work.page import WorkPage

    return WorkPage(session)


def make_prompt(session: Session) -> PromptPage:
    from ui.prompt.page import PromptPage

    return PromptPage(session)
