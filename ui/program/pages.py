"""The pages of the window: what each is called and made by, and what a page may have.

A page is a widget in a package of its own, imported when it is first shown: none is needed to put
the window up. It says what it wants by signals, whose names the desk knows (`Desk`); whatever else
the window does for it follows from the protocols below. A new page takes a row here and one in
`ui.core.actions.PAGE_ACTIONS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.translation import N_
from ui.core.actions import Actions
from ui.core.session import Session
from ui.shell.side_split import SideSplit
from ui.theme.source import ThemeSource

if TYPE_CHECKING:
    from ui.memories.whole import WholeCommands


@dataclass(frozen=True, slots=True)
class PageParts:
    """What a page may be made of."""

    session: Session
    theme: ThemeSource
    actions: Actions


@dataclass(frozen=True, slots=True)
class PageSpec:
    """title: in the header. make: imports and makes it. is_bare: it needs no open chat. has_undo:
    what its own tools do is taken back by the window's undo. commands: makes the page's commands,
    each with the name of its icon, without the page, in the order in which the page has them.
    """

    title: str
    make: Callable[[PageParts], QWidget]
    is_bare: bool = False
    has_undo: bool = False
    commands: Callable[[QWidget], Mapping[QAction, str]] | None = None


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
class HasNavigator(Protocol):
    """A page with a list of its own, which stands under the card."""

    @property
    def navigator(self) -> QWidget: ...


@runtime_checkable
class HasSplit(Protocol):
    """A page whose right pane gives way in a narrow window."""

    split: SideSplit


@runtime_checkable
class HasCommands(Protocol):
    """A page with commands for the palette."""

    @property
    def command_icons(self) -> Mapping[QAction, str]: ...


@runtime_checkable
class HasSpeaker(Protocol):
    """A page that wants things by the signals of one of its parts."""

    @property
    def speaker(self) -> QWidget: ...


@runtime_checkable
class TakesWhole(Protocol):
    """A page that offers what is done to all that is remembered."""

    def take_whole(self, whole: WholeCommands) -> None: ...


@runtime_checkable
class ShowsMemory(Protocol):
    """A page that can go to one memory, or to all that a field of its search finds."""

    def show_memory(self, memory_id: str) -> None: ...

    def search_for(self, field: str, name: str) -> None: ...


@runtime_checkable
class ShowsTexts(Protocol):
    """A page that can show the longer texts of memory, and what waits for review."""

    def show_texts(self) -> None: ...

    def show_review(self) -> None: ...


@runtime_checkable
class HasPrompts(Protocol):
    """A page on which the prompts for models can be opened."""

    def open_prompts(self) -> QWidget: ...

    def go_to(self, title: str) -> None: ...

    def show_setting(self, name: str) -> None: ...


def _story(parts: PageParts) -> QWidget:
    from ui.program.story_stage import StoryStage

    return StoryStage(parts.session, parts.theme, parts.actions["page.prompt"])


def _welcome(parts: PageParts) -> QWidget:
    from ui.first_run.welcome import WelcomePage

    return WelcomePage(parts.session)


def _settings(parts: PageParts) -> QWidget:
    from ui.settings.page import SettingsPage

    return SettingsPage(parts.session)


def _recaps(parts: PageParts) -> QWidget:
    from ui.recaps.page import RecapsPage

    return RecapsPage(parts.session)


def _memories(parts: PageParts) -> QWidget:
    from ui.memories.page import MemoriesPage

    return MemoriesPage(parts.session)


def _minds(parts: PageParts) -> QWidget:
    from ui.minds.page import MindsPage

    return MindsPage(parts.session)


def _budgets(parts: PageParts) -> QWidget:
    from ui.budgets.page import BudgetsPage

    return BudgetsPage(parts.session)


def _work(parts: PageParts) -> QWidget:
    from ui.work.page import WorkPage

    return WorkPage(parts.session)


def _prompt(parts: PageParts) -> QWidget:
    from ui.prompt.page import PromptPage

    return PromptPage(parts.session)


def _story_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.story.story_actions import StoryActions

    return StoryActions(owner).icons


def _recap_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.recaps.commands import RecapCommands

    return RecapCommands(owner).icons


def _memory_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.memories.commands import MemoryCommands

    return MemoryCommands(owner).in_palette


def _mind_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.minds.commands import MindCommands

    return MindCommands(owner).icons


def _budget_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.budgets.commands import BudgetCommands

    return BudgetCommands(owner).icons


def _prompt_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.prompt.commands import PromptCommands

    return PromptCommands(owner).icons


def _work_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.work.commands import WorkCommands

    return WorkCommands(owner).icons


def _preset_commands(owner: QWidget) -> Mapping[QAction, str]:
    from ui.prompts.commands import PresetCommands

    return PresetCommands(owner).icons


PAGES: Mapping[str, PageSpec] = MappingProxyType(
    {
        "story": PageSpec(N_("Story"), _story, commands=_story_commands),
        "recaps": PageSpec(N_("Recaps"), _recaps, commands=_recap_commands),
        "memories": PageSpec(N_("Memories"), _memories, has_undo=True, commands=_memory_commands),
        "minds": PageSpec(N_("Minds"), _minds, commands=_mind_commands),
        "budgets": PageSpec(N_("Budgets"), _budgets, has_undo=True, commands=_budget_commands),
        "prompt": PageSpec(N_("Prompt"), _prompt, commands=_prompt_commands),
        "work": PageSpec(N_("Work"), _work, is_bare=True, commands=_work_commands),
        "settings": PageSpec(N_("Settings"), _settings, is_bare=True, commands=_preset_commands),
    }
)
WELCOME = PageSpec("", _welcome)  # stands where a page needs a chat and none is open


def is_bare(key: str) -> bool:
    """Whether a page needs no open chat."""
    return PAGES[key].is_bare


def command_icons(page: QWidget | None) -> tuple[tuple[QAction, str], ...]:
    """The commands of a page for the palette, each with the name of its icon."""
    return tuple(page.command_icons.items()) if isinstance(page, HasCommands) else ()
