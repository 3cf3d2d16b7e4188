"""What is looked at, and its versions: the pane at the left of the recaps page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QVBoxLayout, QWidget

from app.core.translation import N_, tr, tr_in, trn
from app.story.scenes import Scene
from app.story.story import Story
from ui.controls.buttons import Button, IconButton
from ui.controls.fields import Choice, Segments
from ui.controls.labels import Label, body
from ui.recaps.commands import RecapCommands
from ui.recaps.growth import GrowthLine
from ui.recaps.version_list import VersionList
from ui.recaps.version_rows import VersionModel
from ui.theme.fonts import MEDIUM, ui_font
from ui.theme.palette import T2_ROLE, T3_ROLE

RUNNING, SCENE, LORE = "running", "scene", "lore"
REBUILD = N_("Rebuild it from the first scene")


class RecapRail(QWidget):
    """Signals:
    scene_chosen: anchor of the message that closes the scene, "" for the running recap.
    lore_chosen: what scenes gave for a lorebook is to be shown.
    write_asked: a new version is to be written.
    redo_asked: the recap is to be made again, of a scene or of the whole story.
    rebuild_asked: the running recap is to be made again from this scene on.
    model_asked: the model is to write what was written without one.
    again_asked: what only deleted versions told is to be folded in again.
    clear_asked: all versions of the running recap are to be deleted.
    """

    scene_chosen = Signal(str)
    lore_chosen = Signal()
    write_asked = Signal()
    redo_asked = Signal()
    rebuild_asked = Signal()
    model_asked = Signal()
    again_asked = Signal()
    clear_asked = Signal()

    def __init__(
        self, model: VersionModel, commands: RecapCommands, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._offered: object = None
        self.can_change = True  # not so in safe mode
        self.kinds = Segments(
            tr("Recap"),
            {RUNNING: tr_in("the recap on a tab", "Running"), SCENE: tr("Scene"), LORE: tr("Lore")},
        )
        self.kinds.choose(RUNNING)
        self.kinds.chosen.connect(self._on_kind)
        self.scenes = Choice(tr("Scene"))
        self.scenes.setSizeAdjustPolicy(
            Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.scenes.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.scenes.activated.connect(self._on_scene)
        self.list = VersionList(model)
        self.list.addActions([commands.edit, commands.compare])  # it stands outside of the page
        self.growth = GrowthLine()
        self.write = Button(tr("Write your own version"), icon="pencil")
        self.write.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.write.clicked.connect(self.write_asked)
        self.more = IconButton("more", tr("More for these versions"), side=22)
        self.more.clicked.connect(self._open_menu)
        self.clear, self.redo, self.renew = commands.clear, commands.redo, commands.renew
        self.again, self.rebuild = commands.again, commands.rebuild
        self.clear.triggered.connect(self.clear_asked)
        self.redo.triggered.connect(self.redo_asked)
        self.renew.triggered.connect(self.model_asked)
        self.made_without_model: Callable[[], int] = lambda: 0  # scenes
        self.wanted_scene: Callable[[], str] = lambda: ""  # anchor; asked where a scene is shown
        self.again.triggered.connect(self.again_asked)
        self.let_go: Callable[[], Sequence[Scene]] = lambda: ()
        self.rebuild.triggered.connect(self.rebuild_asked)
        self._build()
        self.scenes.hide()

    def _build(self) -> None:
        self.setMinimumWidth(180)
        title = QHBoxLayout()
        title.setContentsMargins(8, 0, 7, 0)
        title.setSpacing(6)
        title.addWidget(Label(tr("Versions"), font=ui_font(12, MEDIUM), tone=T2_ROLE))
        title.addStretch(1)
        title.addWidget(Label(tr("tokens"), font=ui_font(12), tone=T3_ROLE))
        title.addWidget(self.more)
        inner = QVBoxLayout()
        inner.setContentsMargins(4, 0, 7, 0)
        inner.setSpacing(8)
        for widget in (self.kinds, self.scenes):
            widget.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
            inner.addWidget(widget)
        foot = QVBoxLayout()
        foot.setContentsMargins(6, 4, 7, 12)
        foot.setSpacing(8)
        foot.addWidget(self.growth)
        foot.addWidget(self.write)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 5, 6)
        column.setSpacing(0)
        column.addLayout(inner)
        column.addSpacing(8)
        self._versions = QWidget()
        versions = QVBoxLayout(self._versions)
        versions.setContentsMargins(0, 0, 0, 0)
        versions.setSpacing(0)
        versions.addLayout(title)
        versions.addSpacing(4)
        versions.addWidget(self.list, 1)
        versions.addLayout(foot)
        column.addWidget(self._versions, 1)
        self._about_lore = body(tr("Gathered from the recaps of all scenes."))
        self._about_lore.setContentsMargins(8, 0, 7, 0)
        self._about_lore.hide()
        column.addWidget(self._about_lore)
        column.addStretch(0)

    @property
    def anchor(self) -> str:
        """Of the scene whose recap is looked at, "" for the running recap."""
        return str(self.scenes.currentData() or "") if not self.scenes.isHidden() else ""

    def show_scenes(self, story: Story | None) -> None:
        """Offer the closed scenes; the one that was chosen stays."""
        closed = [s for s in story.scenes if s.closing is not None] if story is not None else []
        offered = closed, story.recaps if story is not None else None
        if offered == self._offered:
            return
        self._offered = offered
        anchors = [s.closing.anchor for s in closed if s.closing is not None]
        names = [story.scene_name(scene) if story is not None else "" for scene in closed]
        words = [f"{s.number}  {name}".rstrip() for s, name in zip(closed, names, strict=True)]
        self.scenes.fill(lambda: self._fill_scenes(words, anchors))

    def _fill_scenes(self, words: list[str], anchors: list[str]) -> None:
        shown = [self.scenes.itemText(i) for i in range(self.scenes.count())]
        held = [self.scenes.itemData(i) for i in range(self.scenes.count())]
        if (words, anchors) == (shown, held):
            return
        chosen = self.scenes.currentData()
        self.scenes.clear()
        for word, anchor in zip(words, anchors, strict=True):
            self.scenes.addItem(word, anchor)
        place = self.scenes.findData(chosen)
        self.scenes.setCurrentIndex(place if place >= 0 else self.scenes.count() - 1)
        if not anchors and not self.scenes.isHidden():
            self.choose("")

    def choose(self, anchor: str) -> None:
        """Look at a scene's recap, or with "" at the running recap."""
        self.kinds.choose(SCENE if anchor else RUNNING)
        self.scenes.setVisible(bool(anchor))
        self._versions.show()
        self._about_lore.hide()
        if anchor:
            self.scenes.setCurrentIndex(self.scenes.findData(anchor))
        self.scene_chosen.emit(anchor)

    def show_lore(self) -> None:
        """Show what scenes gave for a lorebook in place of versions."""
        self.kinds.choose(LORE)
        self.scenes.hide()
        self._versions.hide()
        self._about_lore.show()
        self.lore_chosen.emit()

    def _on_kind(self, key: str) -> None:
        if key == LORE:
            self.show_lore()
            return
        has_scene = key == SCENE and self.scenes.count() > 0
        self.kinds.choose(SCENE if has_scene else RUNNING)
        if not has_scene:
            self.choose("")
        elif not self.follow_wanted():
            self.choose(str(self.scenes.currentData()))

    def follow_wanted(self) -> bool:
        """Look at the scene that is wanted by now, if any; whether there was one."""
        wanted = self.wanted_scene()
        if self.scenes.findData(wanted) < 0:
            return False
        if wanted != self.anchor:
            self.choose(wanted)
        return True

    def _on_scene(self, _place: int) -> None:
        self.scene_chosen.emit(self.anchor)

    def offer(self) -> None:
        """Let each command say and do what there is to do now, in the menu and in the palette."""
        has_some = any(not row.is_deleted for row in self._model.rows)
        self.redo.setText(tr("Redo this recap") if self.anchor else tr(REBUILD))
        self.redo.setEnabled(bool(self.anchor) or has_some)
        self._offer_what_was_let_go()
        scenes = self.made_without_model()
        self.renew.setEnabled(scenes > 0)
        if scenes:
            self.renew.setText(
                trn(
                    "Let the model redo {n} recap that was written without it",
                    "Let the model redo {n} recaps that were written without it",
                    scenes,
                )
            )
        is_told = any(row.told for row in self._model.rows)
        self.rebuild.setEnabled(bool(self.anchor) and is_told)
        self.clear.setEnabled(not self.anchor and has_some)
        if not self.can_change:
            for action in (self.redo, self.again, self.renew, self.rebuild, self.clear):
                action.setEnabled(False)

    def _open_menu(self) -> None:
        self.offer()
        menu = QMenu(self)
        menu.addAction(self.redo)
        menu.addActions([one for one in (self.again, self.renew) if one.isEnabled()])
        menu.addAction(self.rebuild if self.anchor else self.clear)
        menu.popup(self.more.mapToGlobal(QPoint(0, self.more.height() + 4)))

    def _offer_what_was_let_go(self) -> None:
        scenes = self.let_go()
        self.again.setEnabled(bool(scenes))
        if not scenes:
            return
        first, last = scenes[0].number, scenes[-1].number
        self.again.setText(
            tr("Add scene {n} again", n=first)
            if first == last
            else tr("Add scenes {first} to {last} again", first=first, last=last)
        )
