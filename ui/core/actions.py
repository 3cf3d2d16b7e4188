"""Every action of the window, once: its name, its key, and a sentence on what it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr
from ui.controls.buttons import key_text

ALSO_CALLED = "also called"  # property of an action: further words that find it


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """key: how code calls it. name: names the command. shortcuts: portable key names."""

    key: str
    name: str
    sentence: str
    shortcuts: tuple[str, ...] = ()
    icon: str = ""


@dataclass(frozen=True, slots=True)
class PageAction(ActionSpec):
    """The action that shows a page, and what the window says of the page beside that.

    purpose: what stands there once a chat is open; "" for a page that needs none. list_width: of
    its list, in px; 0: it has none. show_list, show_pane: on the buttons for its list and its pane
    where the window is too narrow for them.
    """

    purpose: str = ""
    list_width: int = 0
    show_list: str = ""
    show_pane: str = ""


PAGE_ACTIONS = (
    PageAction(
        "page.story",
        N_("Story"),
        N_("Read the story and its scenes."),
        ("Ctrl+1",),
        "book",
        list_width=256,
        show_list=N_("Show scenes"),
        show_pane=N_("Show the running recap"),
    ),
    PageAction(
        "page.recaps",
        N_("Recaps"),
        N_("See every version of the running recap."),
        ("Ctrl+2",),
        "document",
        purpose=N_(
            "Every version of the story so far, by scene and as a whole, to compare and edit."
        ),
        list_width=228,
        show_list=N_("Show versions"),
    ),
    PageAction(
        "page.memories",
        N_("Memories"),
        N_("See and change what is remembered."),
        ("Ctrl+3",),
        "layers",
        purpose=N_(
            "What is remembered of a story and from which messages; edit it or add your own."
        ),
        list_width=220,
        show_list=N_("Show kinds of memory"),
        show_pane=N_("Show details"),
    ),
    PageAction(
        "page.minds",
        N_("Minds"),
        N_("See who knows, suspects and hides what."),
        ("Ctrl+4",),
        "graph",
        purpose=N_("Who knows, suspects and hides what, as a map across the scenes."),
        show_pane=N_("Show the person or matter"),
    ),
    PageAction(
        "page.budgets",
        N_("Budgets"),
        N_("See and set what each part of the prompt may use."),
        ("Ctrl+5",),
        "sliders",
        purpose=N_(
            "How many tokens each part of the memory may take in the prompt, and what is left out."
        ),
    ),
    PageAction(
        "page.prompt",
        N_("Prompt"),
        N_("Read the exact text of the next prompt."),
        ("Ctrl+6",),
        "prompt",
        purpose=N_("The exact text of the next prompt, and of prompts already sent."),
        list_width=228,
    ),
    PageAction(
        "page.work", N_("Work"), N_("See what is being made and what failed."), ("Ctrl+7",), "pulse"
    ),
    PageAction(
        "page.settings", N_("Settings"), N_("Change how Tavernkeep works."), ("Ctrl+,",), "settings"
    ),
)
PAGE_OF: Mapping[str, PageAction] = MappingProxyType(
    {spec.key.removeprefix("page."): spec for spec in PAGE_ACTIONS}
)

# What people type who do not know our names for things.
_ALSO = {
    "page.settings": N_(
        "language theme dark light contrast font zoom size model ollama key tray bridge install "
        "uninstall options preferences"
    ),
    "page.work": N_("queue failed errors tokens cost set prices"),
    "page.recaps": N_("lore make recaps in stages export as world info compare versions"),
    "page.budgets": N_("tokens room give recaps more room"),
    "page.minds": N_("secrets knows epistemic"),
    "copies": N_("backup restore lost deleted gone renamed"),
    "history": N_("undo restore"),
    "replace": N_("rename change name substitute"),
    "health": N_("help report bug problem status"),
    "off": N_("disable enable switch on chat"),
    "pause": N_("stop hold queue"),
    "prompts": N_("templates instructions edit the prompts rewrite"),
    "text.larger": N_("zoom font bigger"),
    "text.smaller": N_("zoom font"),
    "setup": N_("first run help tutorial wizard install bridge ollama"),
    "updates": N_("update upgrade release about program"),
    "help": N_("manual documentation guide faq"),
    "quit": N_("exit quit leave"),
}

_ACTIONS = (
    *PAGE_ACTIONS,
    ActionSpec(
        "search",
        N_("Search or run a command"),
        N_("Find a scene, a message or a command."),
        ("Ctrl+K",),
        "search",
    ),
    ActionSpec(
        "search.all",
        N_("Search all chats"),
        N_("Find words in the memories and messages of every chat."),
        ("Ctrl+Shift+F",),
        "search",
    ),
    ActionSpec(
        "chats", N_("Choose a chat"), N_("Open another chat."), ("Ctrl+O", "Ctrl+P"), "chat"
    ),
    ActionSpec(
        "copies",
        N_("Copies of this chat"),
        N_("See the saved copies of this chat and restore one as a new chat."),
        (),
        "layers",
    ),
    ActionSpec(
        "replace",
        N_("Find and replace in recaps and memories"),
        N_("Change words in everything written for this chat, such as a new name."),
        (),
        "pencil",
    ),
    ActionSpec("sync", N_("Sync"), N_("Read the chat again now."), ("F5",), "sync"),
    ActionSpec("undo", N_("Undo"), N_("Take back the last change."), ("Ctrl+Z",), "undo"),
    ActionSpec(
        "redo", N_("Redo"), N_("Apply the change again."), ("Ctrl+Shift+Z", "Ctrl+Y"), "redo"
    ),
    ActionSpec(
        "history",
        N_("History of changes"),
        N_("See what was done to this chat, and go back to any step."),
        ("Ctrl+H",),
        "clock",
    ),
    ActionSpec(
        "health",
        N_("How Tavernkeep is doing"),
        N_("See the state of each part, fix problems and copy a report."),
        ("Ctrl+Shift+H",),
        "pulse",
    ),
    ActionSpec(
        "log",
        N_("Open the log folder"),
        N_("Open the log to send it to someone who helps you. It contains no story text."),
        (),
        "document",
    ),
    ActionSpec(
        "updates",
        N_("Look for a newer version"),
        N_("Shows your version, with a button to check for a newer one."),
        (),
        "sync",
    ),
    ActionSpec(
        "help",
        N_("Help"),
        N_("Read how Tavernkeep works and what to do when something goes wrong."),
        ("F1",),
        "question",
    ),
    ActionSpec(
        "off",
        N_("Switch off for this chat"),
        N_(
            "Tavernkeep does nothing for this chat and adds nothing to its prompts. Nothing is "
            "deleted."
        ),
        ("Ctrl+Shift+O",),
        "eye-off",
    ),
    ActionSpec("pause", N_("Pause the work"), N_("Start nothing new from the queue."), (), "pause"),
    ActionSpec(
        "prompts",
        N_("Prompts for the model"),
        N_("Read and change what the model is told."),
        (),
        "pencil",
    ),
    ActionSpec(
        "pane.left",
        N_("Show or hide the list at the left"),
        N_("The list of scenes, versions or kinds of memory."),
        ("Ctrl+Shift+E",),
        "panel-left",
    ),
    ActionSpec(
        "pane.right",
        N_("Show or hide the pane at the right"),
        N_("The running recap, or the details of a memory."),
        ("Ctrl+Shift+R",),
        "panel-right",
    ),
    ActionSpec(
        "export.bible",
        N_("Export the story bible"),
        N_("Recap, scenes, people, what each knows, timeline and open threads as one file."),
        (),
        "document",
    ),
    ActionSpec(
        "export.bible.free",
        N_("Export the story bible without spoilers"),
        N_("The same, without what your character does not know."),
        (),
        "eye-off",
    ),
    ActionSpec(
        "export.lorebook",
        N_("Export memories as a lorebook"),
        N_("A file that SillyTavern can import as World Info."),
        (),
        "book",
    ),
    ActionSpec(
        "export.lorebook.free",
        N_("Export a lorebook without spoilers"),
        N_("The same, without what your character does not know."),
        (),
        "eye-off",
    ),
    ActionSpec("text.larger", N_("Larger story text"), "", ("Ctrl++", "Ctrl+="), "plus"),
    ActionSpec("text.smaller", N_("Smaller story text"), "", ("Ctrl+-",), "minus"),
    ActionSpec("text.normal", N_("Story text in normal size"), "", ("Ctrl+0",), ""),
    ActionSpec(
        "setup",
        N_("Set up step by step"),
        N_("SillyTavern, the bridge, a model and a first chat, one after the other."),
        (),
        "settings",
    ),
    ActionSpec(
        "restart",
        N_("Start again"),
        N_("Close the window and open it again to apply your choice."),
        (),
        "sync",
    ),
    ActionSpec("quit", N_("Close Tavernkeep"), "", ("Ctrl+Q",), "cross"),
)


DISABLED_AT_FIRST = frozenset(
    {
        "prompts",
        "chats",
        "updates",
        "copies",
        "replace",
        "sync",
        "undo",
        "redo",
        "history",
        "pause",
        "off",
    }
)


class Actions:
    """The QActions of one window, by key."""

    def __init__(self, window: QWidget) -> None:
        self._actions: dict[str, QAction] = {}
        self._icons: dict[str, str] = {}
        for spec in _ACTIONS:
            action = QAction(tr(spec.name), window)
            action.setObjectName(spec.key)
            action.setShortcuts([QKeySequence(key) for key in spec.shortcuts])
            action.setToolTip(_tooltip(spec))
            if spec.key in _ALSO:
                action.setProperty(ALSO_CALLED, tr(_ALSO[spec.key]))
            is_of_a_chat = spec.key in DISABLED_AT_FIRST or spec.key.startswith("export.")
            action.setEnabled(not is_of_a_chat)
            window.addAction(action)
            self._actions[spec.key] = action
            self._icons[spec.key] = spec.icon

    def __getitem__(self, key: str) -> QAction:
        return self._actions[key]

    def icon(self, key: str) -> str:
        """Name of the action's icon, "" for none."""
        return self._icons[key]

    def all(self) -> tuple[QAction, ...]:
        """Every action, in the order of the table."""
        return tuple(self._actions.values())


def _tooltip(spec: ActionSpec) -> str:
    key = key_text(QKeySequence(spec.shortcuts[0])) if spec.shortcuts else ""
    sentence = tr(spec.sentence or spec.name)
    return f"{sentence} ({key})" if key else sentence
