"""Every text of the window goes through the translations: none is left that stays English.

Each text of the program is put in «» where it comes from; what is shown without them was never
translated. Walks all pages and sheets with the demo story.
"""

from __future__ import annotations

import asyncio
import gc
import gettext
import json
import re
import sqlite3
import string
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QAction, QPainter
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QTableView,
    QWidget,
)

from app.companion import open_companion
from app.core import translation
from app.core.paths import user_folders
from app.core.resources import RESOURCES
from app.core.tasks import TaskSupervisor
from tests.labelled import WrittenTavern
from tests.ui.told_demo import put_demo
from ui.program import poses
from ui.program.main_window import MainWindow
from ui.program.pages import PAGES
from ui.story import words
from ui.theme import theme

pytestmark = pytest.mark.slow

SETTLE_ROUNDS, SETTLE_SECONDS = 5, 0.01
ROWS = 40  # of a table or list that are looked at
LONG = 12  # letters from which a text is the story's where the story holds it
WORD = re.compile(r"[^\W\d_]{2,}")
PARTS = re.compile(r"\s{2,}|[\n·:,;.!?“”\"*()]")
MARKED = re.compile(r"«[^«»]*»|«[^«»]*$")
# Names that no language changes, and a heading in a prompt.
NAMES = ("SillyTavern", "Tavernkeep", "Ollama", "Deutsch", "English", "Markdown", "Rules")
PROMPTS = RESOURCES / "prompts"  # shown as a model reads them
KEY = re.compile(
    r"\b(Ctrl|Shift|Alt|Return|Esc|Del|Backspace|Home|End|Up|Down|Left|Right|PgUp|PgDown|Space)\b"
)
# Initials, a tokenizer, what a model has to answer, fields and macros, paths, files, a unit.
OTHER = re.compile(
    r"\b[A-Z]{1,2}\b|cl100k_base|JSON object .*|\{[\w-]+\}|~?(/[^\s,;:]+)+"
    r"|\b\w+\.(jsonl?|html|md)\b|\b(px|kB)\b"
)


class Marked(gettext.NullTranslations):
    """Each text in «», its fields outside of them: what is filled in has to be marked itself."""

    def gettext(self, message: str) -> str:
        parts = []
        for own, name, spec, _ in string.Formatter().parse(message):
            own = own.replace("{", "{{").replace("}", "}}")
            parts.append(f"«{own}»" if own else "")
            parts.append("" if name is None else f"{{{name}:{spec}}}" if spec else f"{{{name}}}")
        return "".join(parts) if "{" in message else f"«{message}»"

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        return self.gettext(msgid1 if n == 1 else msgid2)

    def pgettext(self, context: str, message: str) -> str:
        return self.gettext(message) if WORD.search(message) else message


@pytest.fixture
def marked(told_demo: Path, remembered_demo: Path, dressed: QApplication) -> Iterator[None]:
    """Needs the databases first: what is stored stays English."""
    translation.use_texts(Marked())
    yield
    translation.use(translation.ENGLISH)


class Seen:
    """What the window shows without a mark, and where.

    names, notes, story: what is not ours to say; notes may stand alone, however short.
    """

    def __init__(self, names: Iterable[str], notes: list[str], story: list[str]) -> None:
        self._names = sorted({*names, *NAMES}, key=len, reverse=True)
        told = (*self._names, *notes, *story)
        self._noted = _pieces(notes)
        self._story = "|".join(map(_letters, told))
        self._pieces = _pieces(told)
        self.left: dict[str, str] = {}
        self._looked: set[str] = set()

    def look(self, text: object, where: str) -> None:
        if not isinstance(text, str) or text in self._looked or not WORD.search(text):
            return
        self._looked.add(text)
        rest, before = text, ""
        while rest != before:  # marks stand in marks
            before, rest = rest, MARKED.sub("\n", rest)
        pieces = PARTS.split(re.sub(r"<[^<>]+>", "\n", rest))
        left = [piece for piece in pieces if not self._is_of_the_story(piece)]
        if len(left) < len(pieces):  # a quotation, in which people say short things, too
            left = [piece for piece in left if _letters(piece) not in self._pieces]
        if not all(map(self._is_name, left)):
            self.left.setdefault(text, where)

    def _is_of_the_story(self, piece: str) -> bool:
        letters = _letters(piece)
        return letters in self._story if len(letters) >= LONG or "…" in piece else False

    def _is_name(self, piece: str) -> bool:
        if _letters(piece) in self._noted:
            return True
        for name in self._names:
            piece = piece.replace(name, "")
        return not WORD.search(OTHER.sub("", KEY.sub("", piece)))

    def look_at_widgets(self, top: QWidget) -> None:
        for widget in [top, *top.findChildren(QWidget)]:
            kind = type(widget).__name__
            if kind == "InputChip":  # a field of a prompt, by its name in there
                continue
            self.look(widget.accessibleName(), f"{kind}: name")
            self.look(widget.accessibleDescription(), f"{kind}: description")
            self.look(widget.toolTip(), f"{kind}: tooltip")
            if isinstance(widget, QLabel | QAbstractButton):
                self.look(widget.text(), f"{kind}: text")
            elif isinstance(widget, QLineEdit):
                self.look(widget.placeholderText(), f"{kind}: placeholder")
            elif isinstance(widget, QComboBox):
                for place in range(widget.count()):
                    self.look(widget.itemText(place), f"{kind}: item")
            elif isinstance(widget, QAbstractItemView) and widget.isVisible():
                self._look_at_model(widget, kind)
        for action in top.findChildren(QAction):
            where = action.objectName() or type(action.parent()).__name__
            self.look(action.text(), f"action {where}")
            self.look(action.toolTip(), f"action {where}: tooltip")

    def _look_at_model(self, view: QAbstractItemView, kind: str) -> None:
        model = view.model()
        if model is None:
            return
        columns = model.columnCount() if isinstance(view, QTableView) else 1
        if isinstance(view, QTableView) and not view.horizontalHeader().isHidden():
            for column in range(columns):
                self.look(model.headerData(column, Qt.Orientation.Horizontal), f"{kind}: header")
        for row in range(min(model.rowCount(QModelIndex()), ROWS)):
            for column in range(columns):
                index = model.index(row, column)
                for role in (
                    Qt.ItemDataRole.DisplayRole,
                    Qt.ItemDataRole.AccessibleTextRole,
                    Qt.ItemDataRole.ToolTipRole,
                ):
                    self.look(index.data(role), f"{kind}: {role.name}")


def _pieces(texts: Iterable[str]) -> set[str]:
    return {_letters(piece) for text in texts for piece in PARTS.split(text)}


def _letters(text: str) -> str:
    return "".join(WORD.findall(text)).casefold()


def words_of(database: Path) -> tuple[set[str], list[str], list[str]]:
    """Names, memories, and all other texts that are the story's or were written about it."""
    with closing(sqlite3.connect(database)) as connection:

        def held(columns: str, table: str) -> list[str]:
            rows = connection.execute(f"SELECT {columns} FROM {table}").fetchall()
            return [text for row in rows for text in row if text]

        names = {
            *held("name", "entity"),
            *held("name", "scene_recap"),
            *held("subject", "document"),
        }
        names |= {alias for held_ in held("aliases", "entity") for alias in json.loads(held_)}
        texts = held("text", "message_text") + held("text", "message_recap")
        texts += held("name, text", "scene_recap") + held("content", "running_version")
        texts += held("text", "document")
        notes = held("text", "memory")
        texts += [path.read_text(encoding="utf-8") for path in PROMPTS.rglob("*.*")]
        texts += [json.loads(body).get("detail", "") for body in held("body", "memory")]
        texts += [end["text"] for ends in held("endings", "memory") for end in json.loads(ends)]
    return names, notes, texts


def painted(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> None:
    """Look at what widgets paint themselves, too."""
    draw: Callable[..., None] = QPainter.drawText

    def look_and_draw(painter: QPainter, *arguments: Any) -> None:
        for argument in arguments:
            seen.look(argument, "painted")
        draw(painter, *arguments)

    monkeypatch.setattr(QPainter, "drawText", look_and_draw)


async def test_no_text_of_the_window_stays_english(
    marked: None,
    remembered_demo: Path,
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folders = user_folders(tmp_path / "own")
    put_demo(remembered_demo, folders, demo_tavern.chat)
    tavern = demo_tavern.user_folder.parent
    async with open_companion(
        folders, tavern=tavern, llm="builtin", watch=False, keeps_memory=True
    ) as companion:
        window = MainWindow(theme, TaskSupervisor())
        window.resize(1360, 860)
        window.show()
        window.attach(companion)
        assert window.desk is not None
        story = await companion.open_story(demo_tavern.chat)
        await companion.settled(demo_tavern.chat)
        names, notes, texts = words_of(remembered_demo)
        names |= {words.scene_name(story, scene) for scene in story.scenes}
        names |= {part for name in names for part in name.split(", ")}
        seen = Seen({*names, demo_tavern.chat.stem}, notes, texts)
        painted(monkeypatch, seen)
        await look_at_all(seen, window, [partial(window.show_page, "story")])
        await window.desk.session.open_path(demo_tavern.chat)
        await look_at_all(seen, window, walk(window))
        await window.detach()
        window.hide()
        window.deleteLater()
        del window
        gc.collect()
    assert seen.left == {}


async def look_at_all(
    seen: Seen, window: MainWindow, poses: Iterable[Callable[[], object]]
) -> None:
    """Let the window take each pose, and look at it and at what floats over it."""
    for pose in poses:
        pose()
        for _ in range(SETTLE_ROUNDS):
            await asyncio.sleep(SETTLE_SECONDS)
        over = (QApplication.activePopupWidget(), QApplication.activeModalWidget())
        floating = {top for top in over if top is not None}
        for top in (window, *floating):
            top.grab()
            seen.look_at_widgets(top)
        for top in floating:
            top.close()


def walk(window: MainWindow) -> Iterator[Callable[[], object]]:
    """All pages, then what floats over them, then the first steps."""
    desk = window.desk
    assert desk is not None
    for key in PAGES:
        yield partial(window.show_page, key)
    for pose in (
        poses.show_use,
        poses.show_budgets,
        poses.show_people,
        poses.show_texts,
        poses.show_minds,
        partial(poses.show_minds, as_table=True),
        poses.open_prompts,
        poses.change_prompt,
        poses.compare_versions,
        poses.show_lore,
    ):
        yield partial(pose, window)
    yield from (
        partial(window.show_page, "story"),
        desk.open_chats,
        desk.open_palette,
        partial(poses.search_all, window, ""),
        desk.everywhere.open_history,
        desk.everywhere.open_health,
        desk.banners.copies.begin,
        partial(poses.offer_safe_mode, window),
        partial(poses.be_safe, window),
    )
    for number in range(4):
        yield partial(poses.show_step, window, number)
