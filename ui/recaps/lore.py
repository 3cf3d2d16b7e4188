"""The lore that scenes gave: to read, to copy, to give to SillyTavern, to mark as done."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, number, tr, trn
from app.story.lore_entries.lore import lore_text
from app.story.lore_entries.lore_proposals import LoreProposal
from ui.controls.buttons import Button, ButtonRole, IconButton
from ui.controls.fields import Segments
from ui.controls.labels import ElidedLabel, Label, body, meta, section
from ui.controls.surfaces import Surface, centred, scrolling
from ui.core.dialogs import choose_new_file
from ui.core.session import Session
from ui.theme.fonts import MEDIUM, SEMIBOLD, story_font, ui_font
from ui.theme.palette import ACCENT_ROLE, T2_ROLE, T3_ROLE

COLUMN = 720  # as that of a recap, which it takes the place of
OPEN, DONE = "open", "done"
SHOWN = 100  # cards at first; each holds several widgets
FILES = N_("World Info (*.json)")
PURPOSE = N_(
    "Lasting facts about people, places and things, found in your scenes. Copy them into a "
    "lorebook, or export them for SillyTavern's World Info."
)
HOW = N_(
    "None found yet. A model looks for them while it recaps a scene in stages, which takes up to "
    "four requests for each scene instead of one. The button turns that on for this chat, from "
    "the next recap on."
)
COMING = N_(
    "None found yet. A model makes the recaps of this chat in stages; the next one brings its "
    "lore here."
)
ALL_DONE = N_("Nothing left to add to a lorebook.")
NONE_DONE = N_("Nothing is marked as done yet.")
FORM = "scene_recap_form"


class LorePane(QWidget):
    """Reads the lore of the chat that is shown; marks are kept at once."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._found: tuple[LoreProposal, ...] = ()
        self._wanted = OPEN
        self._room = SHOWN
        self.cards: dict[str, LoreCard] = {}
        self._heads: list[_SceneHead] = []
        self._count = ElidedLabel(font=ui_font(12), tone=T3_ROLE)
        self.kinds = Segments(tr("Show"), {OPEN: tr("To do"), DONE: tr("Done")})
        self.kinds.choose(OPEN)
        self.copy = Button(tr("Copy"), icon="copy")
        self.export = Button(tr("Export as World Info"), icon="book")
        self.mark = Button(tr("Mark all as done"), icon="check")
        self.stages = Button(tr("Make recaps in stages"), icon="layers")
        self.more = Button(tr("Show more"))
        self.said = body()
        self._empty = body()
        self._lay_out()
        self.kinds.chosen.connect(self._on_kind)
        self.copy.clicked.connect(self._on_copy)
        self.export.clicked.connect(self._on_export)
        self.mark.clicked.connect(self._on_mark)
        self.stages.clicked.connect(self._on_stages)
        self.more.clicked.connect(self._on_more)
        session.story_changed.connect(self._on_story_changed)
        session.chat_opened.connect(self._on_chat_opened)

    def _lay_out(self) -> None:
        above = QWidget()
        top = QVBoxLayout(above)
        top.setContentsMargins(0, 0, 0, 0)
        top.setSpacing(12)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(section(tr("Lore")))
        head.addWidget(self._count, 1)
        for button in (self.copy, self.export, self.mark):
            head.addWidget(button)
        second = QHBoxLayout()
        second.setSpacing(12)
        second.addWidget(self.kinds)
        second.addWidget(self.said, 1)
        top.addLayout(head)
        top.addLayout(second)
        content = QWidget()
        middle = QVBoxLayout(content)
        middle.setContentsMargins(24, 2, 24, 32)
        block = QWidget()
        self._column = QVBoxLayout(block)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        foot = QVBoxLayout(block_foot := QWidget())
        foot.setContentsMargins(0, 8, 0, 0)
        foot.setSpacing(12)
        left = Qt.AlignmentFlag.AlignLeft
        foot.addWidget(self._empty)
        foot.addWidget(self.stages, 0, left)
        foot.addWidget(self.more, 0, left)
        self._column.addWidget(block_foot)
        self._column.addStretch(1)
        middle.addLayout(centred(block, COLUMN))
        row = centred(above, COLUMN)
        row.setContentsMargins(24, 12, 24, 0)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(14)
        outer.addLayout(row)
        self.area = scrolling(content, name=tr("Lore"))
        outer.addWidget(self.area, 1)

    # What is shown

    @property
    def shown(self) -> tuple[LoreProposal, ...]:
        """The entries that are to be taken over, or those that are done; beyond the cards, too."""
        return tuple(found for found in self._found if found.is_done == (self._wanted == DONE))

    def refresh(self) -> None:
        """Read the lore anew."""
        path = self._session.path
        lore = self._session.companion.lore
        self._found = lore.of(path) if path is not None else ()
        self._show()

    def _show(self) -> None:
        shown, total = self.shown, len(self._found)
        done = sum(found.is_done for found in self._found)
        self._count.setText(
            tr("{left} to do, {done} done", left=number(total - done), done=number(done))
            if total
            else ""
        )
        is_open = self._wanted == OPEN
        for button in (self.copy, self.export, self.mark):
            button.setVisible(bool(shown))
        self.mark.set_text(tr("Mark all as done") if is_open else tr("Restore all"))
        self.mark.set_icon("check" if is_open else "undo")
        self.kinds.setVisible(bool(total))
        self.said.setVisible(bool(total or self.said.text()))
        is_staged = self._form() == "staged"
        none_yet = f"{tr(PURPOSE)}\n\n{tr(COMING if is_staged else HOW)}"
        nothing = none_yet if not total else tr(ALL_DONE) if is_open else tr(NONE_DONE)
        self._empty.setText("" if shown else nothing)
        self._empty.setVisible(not shown)
        self.stages.setVisible(not total and not is_staged)
        self.more.setVisible(len(shown) > self._room)
        self.more.set_text(
            trn("Show {n} more", "Show {n} more", min(SHOWN, len(shown) - self._room))
        )
        self._fill(shown[: self._room])

    def _fill(self, shown: Sequence[LoreProposal]) -> None:
        """One card for each, under the scene that gave it; what is there already stays."""
        for head in self._heads:
            self._column.removeWidget(head)
            head.hide()
            head.deleteLater()
        self._heads.clear()
        for card in self.cards.values():
            # Not takeAt: the item that it gives lives on as the widget's, and the new one would
            # keep the height of its first layout for good.
            self._column.removeWidget(card)
        wanted = {found.key for found in shown}
        for key in self.cards.keys() - wanted:
            card = self.cards.pop(key)
            card.hide()
            card.deleteLater()
        scene = 0
        for found in shown:
            if found.scene != scene:
                scene = found.scene
                head = _SceneHead(found)
                self._heads.append(head)
                self._column.insertWidget(self._column.count() - 2, head)
            card = self.cards.get(found.key) or self._make_card(found)
            card.show_proposal(found)
            self._column.insertWidget(self._column.count() - 2, card)

    def _make_card(self, found: LoreProposal) -> LoreCard:
        card = LoreCard()
        card.mark_asked.connect(self._on_mark_one)
        self.cards[found.key] = card
        return card

    def _say(self, words: str) -> None:
        self.said.setText(words)
        self.said.setVisible(bool(words or self._found))

    def _form(self) -> str:
        path = self._session.path
        return str(self._session.companion.setting(FORM, path=path).value)

    def _on_story_changed(self, _change: object) -> None:
        if self.isVisible():
            self.refresh()

    def _on_chat_opened(self, _story: object) -> None:
        self._room = SHOWN
        self._say("")
        if self.isVisible():
            self.refresh()

    def _on_kind(self, key: str) -> None:
        self._wanted, self._room = key, SHOWN
        self._show()

    def _on_more(self) -> None:
        self._room += SHOWN
        self._show()

    # Commands

    def _on_copy(self) -> None:
        shown = self.shown
        QGuiApplication.clipboard().setText("\n\n".join(map(copied, shown)))
        self._say(trn("{n} entry copied.", "{n} entries copied.", len(shown)))

    def _on_mark(self) -> None:
        self._mark([found.key for found in self.shown], is_done=self._wanted == OPEN)

    def _on_mark_one(self, key: str, is_done: bool) -> None:
        self._mark([key], is_done=is_done)

    def _mark(self, keys: Sequence[str], *, is_done: bool) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._do_mark(path, keys, is_done), name=N_("marking lore"))

    async def _do_mark(self, path: Path, keys: Sequence[str], is_done: bool) -> None:
        await self._session.companion.lore.mark(path, keys, is_done=is_done)
        if path == self._session.path:
            count = len(keys)
            if is_done:
                said = trn("{n} entry marked as done.", "{n} entries marked as done.", count)
            else:
                said = trn("{n} entry restored.", "{n} entries restored.", count)
            self._say(said)
            self.refresh()

    def _on_stages(self) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._make_in_stages(path), name=N_("changing a setting"))

    async def _make_in_stages(self, path: Path) -> None:
        await self._session.companion.put_setting(FORM, "staged", path=path, noted_in=path)
        self._session.refresh()
        self._say(tr("From now on, recaps of this chat are made in stages by a model."))
        self.refresh()

    def _on_export(self) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._export(path), name=N_("exporting lore"))

    async def _export(self, path: Path) -> None:
        keys = [found.key for found in self.shown]
        start = Path.home() / f"{path.stem} lore.json"
        target = await choose_new_file(self, tr("Export the lore"), start, tr(FILES))
        if target is not None:
            await self.export_to(target, path, keys)

    async def export_to(self, target: Path, path: Path, keys: Sequence[str]) -> None:
        """Write the entries as a lorebook; the user has said that `target` may be replaced.

        Raises UsageError.
        """
        data = self._session.companion.lore.exported(path, keys)
        await self._session.companion.files.write(target, data, may_replace=True)
        self._say(
            trn(
                "{n} entry saved in {name}. Import it in SillyTavern under World Info.",
                "{n} entries saved in {name}. Import it in SillyTavern under World Info.",
                len(keys),
                name=target.name,
            )
        )


class LoreCard(Surface):
    """One entry.

    Signals:
        mark_asked: (key, whether it is done).
    """

    mark_asked = Signal(str, bool)

    def __init__(self) -> None:
        super().__init__("raised", edge="line")
        self._found: LoreProposal | None = None
        self._name = ElidedLabel(font=ui_font(13, SEMIBOLD))
        self._type = meta()
        self._keys = Label(font=ui_font(11.5), tone=T3_ROLE, wraps=True)
        self._words = Label(font=story_font(14), wraps=True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = IconButton("copy", tr("Copy this entry"), side=24, icon_size=14)
        self.mark = Button(tr("Done"), icon="check", role=ButtonRole.QUIET, flush=Qt.Edge.RightEdge)
        self.copy.clicked.connect(self._on_copy)
        self.mark.clicked.connect(self._on_mark)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._name)
        head.addWidget(self._type)
        head.addStretch(1)
        head.addWidget(self.copy)
        head.addWidget(self.mark)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 14, 12)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._words)
        column.addSpacing(2)
        column.addWidget(self._keys)

    @property
    def text(self) -> str:
        """The sentences as they are shown."""
        return self._words.text()

    def show_proposal(self, found: LoreProposal) -> None:
        """Show an entry, and whether it is done."""
        self._found = found
        entry = found.entry
        self._name.setText(entry.name)
        self._type.setText(entry.type)
        self._words.setText("\n".join(entry.content))
        self._words.setForegroundRole(T3_ROLE if found.is_done else T2_ROLE)
        also = ", ".join(entry.keywords)
        self._keys.setText(tr("Also triggered by: {keys}", keys=also) if also else "")
        self._keys.setVisible(bool(also))
        self.copy.set_name(tr("Copy {name}", name=entry.name))
        self.mark.set_text(tr("Restore") if found.is_done else tr("Done"))
        self.mark.set_icon("undo" if found.is_done else "check")
        self.mark.setAccessibleName(f"{self.mark.text()}: {entry.name}")

    def _on_copy(self) -> None:
        if self._found is not None:
            QGuiApplication.clipboard().setText(copied(self._found))

    def _on_mark(self) -> None:
        if self._found is not None:
            self.mark_asked.emit(self._found.key, not self._found.is_done)


class _SceneHead(QWidget):
    """Which scene gave what follows."""

    def __init__(self, found: LoreProposal) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(2, 10, 2, 0)
        row.setSpacing(8)
        row.addWidget(Label(str(found.scene), font=ui_font(12.5, SEMIBOLD), tone=ACCENT_ROLE))
        row.addWidget(ElidedLabel(found.scene_name, font=ui_font(12.5, MEDIUM)), 1)


def copied(found: LoreProposal) -> str:
    """An entry as text."""
    entry = found.entry
    keys = ", ".join((entry.name, *entry.keywords))
    return f"{entry.name} ({entry.type})\nKeys: {keys}\n{lore_text(entry)}"
