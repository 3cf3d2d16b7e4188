"""That the running recap tells a scene by an older recap of it, and the way to the newer one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import number, tr, trn
from app.story.story import Story
from ui.controls.buttons import Button
from ui.controls.labels import Label
from ui.theme.fonts import ui_font
from ui.theme.palette import T2_ROLE


class ToldOtherwise(QWidget):
    """Hidden while it tells each scene by the recap that counts.

    Signals:
        rebuild_asked: the running recap is to be made again from the scene on that ends at this
            message.
    """

    rebuild_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._anchor = ""
        self._words = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.rebuild = Button("", icon="layers")
        self.rebuild.clicked.connect(lambda: self.rebuild_asked.emit(self._anchor))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._words)
        column.addWidget(self.rebuild)
        self.hide()

    def show_story(self, story: Story, *, can_change: bool) -> None:
        """Say so of the scenes of this story of which it is so."""
        scenes = story.told_otherwise
        self.setVisible(bool(scenes))
        if not scenes or scenes[0].closing is None:
            return
        self._anchor = scenes[0].closing.anchor
        first = number(scenes[0].number)
        self._words.setText(
            trn(
                "It still tells scene {first} by an older recap.",
                "It still tells {n} scenes by older recaps, from scene {first} on.",
                len(scenes),
                first=first,
            )
        )
        self.rebuild.set_text(tr("Rebuild from scene {first}", first=first))
        self.rebuild.setEnabled(can_change)
