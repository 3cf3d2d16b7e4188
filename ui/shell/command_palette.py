"""One field that finds commands, settings, scenes, memories and messages, and goes there."""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QListView, QVBoxLayout, QWidget

from app.core.help_pages import HelpPage, found_pages, help_pages
from app.core.translation import N_, tr
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from app.story.messages import Message
from app.story.story import Story
from app.views.search_results import Hit
from ui.controls.buttons import key_text
from ui.controls.fields import Field
from ui.controls.labels import body, words_of
from ui.controls.surfaces import FloatingSheet
from ui.controls.timers import once
from ui.core.actions import ALSO_CALLED
from ui.shell.entries import (
    ENTRY_ROLE,
    ROW_HEIGHT,
    Entry,
    EntryModel,
    Index,
    above_rows,
    entry_list,
    step_in,
)
from ui.shell.setting_entries import setting_entries

WIDTH = 560
ROWS_SHOWN = 11
MOST_MESSAGES = 30
MOST_HELP = 4
MOST_MEMORIES = 8
LEAST_LETTERS = 2  # before memories and messages are looked through
SNIPPET_BEFORE = 24
SNIPPET = 90
_GAP = re.compile(r"\s+")
SETTLE_MS = 60

NOTHING = N_("Nothing found")

Remember = Callable[[str], Coroutine[Any, Any, Sequence[Hit]]]


@dataclass(frozen=True, slots=True)
class FarCommand:
    """A command of a page that is not in front.

    page: its key. place: of the command among those of its page, from 0. title: of the page. also:
    further words that find it.
    """

    page: str
    place: int
    title: str
    name: str
    icon: str
    also: str = ""


def find_entries(
    needle: str,
    actions: tuple[tuple[QAction, str], ...],
    story: Story | None,
    far: Sequence[FarCommand] = (),
    memories: Sequence[Hit] = (),
) -> tuple[Entry, ...]:
    """Commands, settings and scenes whose name holds all words of `needle`, then pages of help,
    memories and messages that hold it. far: commands of other pages, found by words only, as are
    those that have nothing to do now. memories: what a search for the words gave.
    """
    words = needle.casefold().split()
    there_are = [(action, icon) for action, icon in actions if action.isVisible()]
    usable = [(action, icon) for action, icon in there_are if action.isEnabled()]
    idle = [(a, i) for a, i in there_are if not a.isEnabled() and words and _has(words, _names(a))]
    # What is called so comes before what is only found by other words for it.
    called = [(a, i) for a, i in usable if _has(words, words_of(a))]
    also = [(a, i) for a, i in usable if (a, i) not in called and _has(words, _names(a))]
    settings = setting_entries(words)
    there = [one for one in far if words and _has(words, one.name)]
    also_there = [
        one for one in far if words and one not in there and _has(words, f"{one.name} {one.also}")
    ]
    found = [
        *map(_entry_of, called),
        *settings.called,
        *map(_far_entry, there),
        *map(_entry_of, also),
        *settings.told,
        *map(_far_entry, also_there),
        *(replace(_entry_of(one), is_faded=True) for one in idle),
    ]
    titled, told = _help(words)
    found.extend(titled)
    if story is None:
        return (*found, *told)
    for scene in story.scenes:
        title, by_number = story.scene_name(scene), tr("Scene {number}", number=scene.number)
        name = title or by_number
        if words and all(word in f"{scene.number} {name}".casefold() for word in words):
            anchor = story.messages[scene.first].anchor
            found.append(Entry(name, by_number if title else "", "book", anchor=anchor))
    found.extend(told)
    remembered = [hit for hit in memories if words and _has(words, hit.text)]
    found.extend(map(_memory_entry, remembered[:MOST_MEMORIES]))
    if len(needle.strip()) >= LEAST_LETTERS:
        found.extend(_messages(needle.strip().casefold(), words, story))
    return tuple(found)


def _help(words: list[str]) -> tuple[list[Entry], list[Entry]]:
    """Pages of help: those with the words in their title, and others; none for no words."""
    found = found_pages(help_pages(), words) if words else []
    entries: tuple[list[Entry], list[Entry]] = ([], [])
    for page in found[:MOST_HELP]:
        is_told = not _has(words, page.title)
        entries[is_told].append(Entry(page.title, tr("Help"), "question", value=page))
    return entries


def _entry_of(shown: tuple[QAction, str]) -> Entry:
    action, icon = shown
    return Entry(words_of(action), key_text(action.shortcut()), icon, action=action)


def _far_entry(command: FarCommand) -> Entry:
    return Entry(command.name, command.title, command.icon, value=command)


def _memory_entry(hit: Hit) -> Entry:
    place = "" if hit.index is None else f" #{hit.index}"
    kind = tr(TIERS[Tier(hit.tier)].words.name)
    return Entry(
        " ".join(hit.text.split()),
        f"{kind}{place}",
        "layers",
        value=hit,
        is_faded=not hit.is_current,
    )


def _has(words: list[str], name: str) -> bool:
    return all(word in name.casefold() for word in words)


def _names(action: QAction) -> str:
    return f"{words_of(action)} {action.property(ALSO_CALLED) or ''}"


def _messages(needle: str, words: Sequence[str], story: Story) -> list[Entry]:
    """The newest messages that hold the text as it stands, then those with all of its words."""
    exact: list[Entry] = []
    scattered: list[Entry] = []
    by_words = len(words) > 1
    place = max(words, key=len, default="")
    for index in range(len(story.messages) - 1, -1, -1):
        text = story.messages[index].text.casefold()
        if (at := text.find(needle)) >= 0:
            exact.append(_message_entry(story.messages[index], index, at))
            if len(exact) == MOST_MESSAGES:
                break
        elif by_words and len(scattered) < MOST_MESSAGES and all(word in text for word in words):
            scattered.append(_message_entry(story.messages[index], index, text.find(place)))
    return [*exact, *scattered][:MOST_MESSAGES]


def _message_entry(message: Message, index: int, at: int) -> Entry:
    """at: where in its text what was found stands."""
    start = _word_at(message.text, max(0, at - SNIPPET_BEFORE), at)
    snippet = " ".join(message.text[start : start + SNIPPET].replace("*", "").split())
    lead = "…" if start else ""
    return Entry(f"{lead}{snippet}", f"{message.name} #{index}", "chat", anchor=message.anchor)


def _word_at(text: str, start: int, found: int) -> int:
    """Where the first whole word from `start` on begins, or the one in which something is found."""
    if start == 0 or text[start - 1].isspace():
        return start
    gap = _GAP.search(text, start, found)
    if gap is not None:
        return gap.end()
    before = [gap.end() for gap in _GAP.finditer(text, max(0, start - SNIPPET), start)]
    return before[-1] if before else start  # one word without end, or a script without spaces


class CommandPalette(FloatingSheet):
    """Arrow keys move, Return does it, Escape goes away.

    Signals:
        message_chosen: anchor of a message to show.
        memory_chosen: id of a memory to show.
        setting_chosen: name of a setting to show.
        far_chosen: a FarCommand to go to.
        idle_chosen: an action that has nothing to do now.
        help_chosen: title of a page of help to show, and what was looked for.
    """

    message_chosen = Signal(str)
    memory_chosen = Signal(str)
    setting_chosen = Signal(str)
    far_chosen = Signal(object)
    idle_chosen = Signal(object)
    help_chosen = Signal(str, str)

    def __init__(
        self,
        actions: Callable[[], tuple[tuple[QAction, str], ...]],
        story: Callable[[], Story | None],
        parent: QWidget | None = None,
        *,
        far: Callable[[], Sequence[FarCommand]] = tuple,
    ) -> None:
        super().__init__(parent)
        self._actions = actions
        self._story = story
        self._far = far
        self._remember: Remember | None = None
        self._run: Callable[[Coroutine[Any, Any, None]], object] = Coroutine.close
        self._turn = 0
        self._model = EntryModel()
        self._field = Field(
            tr("Search or run a command"),
            placeholder=tr("Search the story or run a command"),
            icon="search",
        )
        self._field.installEventFilter(self)
        self._list: QListView = entry_list(self._model, tr("Found"))
        self._list.setMinimumHeight(ROW_HEIGHT)
        self._list.clicked.connect(self._choose)
        self._nothing = body(tr(NOTHING))
        self._nothing.setContentsMargins(34, 6, 12, 0)
        self._nothing.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._settle = once(self, SETTLE_MS, self.search)
        self._field.textChanged.connect(self._settle.start)
        inner = QVBoxLayout()
        inner.setContentsMargins(8, 8, 4, 4)
        inner.setSpacing(6)
        inner.addLayout(above_rows(self._field))
        inner.addWidget(self._list, 1)
        inner.addWidget(self._nothing, 1)
        column = self.layout()
        assert isinstance(column, QVBoxLayout)
        column.addLayout(inner)

    def open_over(self, window: QWidget) -> None:
        """Show in the upper middle of `window`, empty."""
        self._field.clear()
        self.search()
        width = min(WIDTH, window.width() - 40) + 2 * self.MARGIN
        at = window.mapToGlobal(QPoint((window.width() - width) // 2, 40))
        self.setGeometry(QRect(at, QSize(width, self._height())))
        self.show()
        self._field.setFocus(Qt.FocusReason.PopupFocusReason)

    def look_into_memory(
        self, remember: Remember, run: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        """Find memories, too. remember: searches them. run: looks after a coroutine."""
        self._remember, self._run = remember, run

    def search(self) -> None:
        """Find what is written in the field; memories follow as soon as they are found."""
        self._turn += 1
        self._show(())
        words = self._field.text().strip()
        if self._remember is not None and len(words) >= LEAST_LETTERS:
            self._run(self._find_memories(self._remember, words, self._turn))

    async def _find_memories(self, remember: Remember, words: str, turn: int) -> None:
        hits = await remember(words)
        if hits and turn == self._turn:  # else something else was written meanwhile
            self._show(hits)

    def _show(self, hits: Sequence[Hit]) -> None:
        """Show what is found; the row that was reached with the arrow keys stays marked."""
        marked = self._list.currentIndex().data(ENTRY_ROLE) if hits else None
        found = find_entries(self._field.text(), self._actions(), self._story(), self._far(), hits)
        self._model.show_entries(found)
        row = found.index(marked) if marked in found else 0
        self._list.setCurrentIndex(self._model.index(row))
        is_empty = not self._model.rowCount()
        self._list.setVisible(not is_empty)
        self._nothing.setVisible(is_empty)
        if self.isVisible():
            self.resize(self.width(), self._height())

    def _height(self) -> int:
        """As high as what was found."""
        rows = max(1, min(ROWS_SHOWN, self._model.rowCount()))
        return ROW_HEIGHT * rows + 56 + 2 * self.MARGIN

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                step_in(self._list, event.key())
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                if self._settle.isActive():
                    self._settle.stop()
                    self.search()
                self._choose(self._list.currentIndex())
            case Qt.Key.Key_Escape:
                self.close()
            case Qt.Key.Key_F1:  # which is the window's, and no window's while this sheet is open
                self.close()
                self.help_chosen.emit("", "")
            case _:
                return False
        return True

    def _choose(self, index: Index) -> None:
        entry = index.data(ENTRY_ROLE) if index.isValid() else None
        if entry is None:
            return
        self.close()
        if entry.action is not None and entry.action.isEnabled():
            entry.action.trigger()
        elif entry.action is not None:
            self.idle_chosen.emit(entry.action)
        elif entry.anchor:
            self.message_chosen.emit(entry.anchor)
        elif isinstance(entry.value, FarCommand):
            self.far_chosen.emit(entry.value)
        elif isinstance(entry.value, Hit):
            self.memory_chosen.emit(entry.value.memory_id)
        elif isinstance(entry.value, HelpPage):
            self.help_chosen.emit(entry.value.title, self._field.text())
        elif isinstance(entry.value, str):
            self.setting_chosen.emit(entry.value)
