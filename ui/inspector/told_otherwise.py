"""What the running recap does not tell of its scenes as they are recapped, and what mends that: one
by an older recap, or one not at all any more."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.core.translation import number, tr, trn
from app.prompt.reach import Reached
from app.story.story import Story
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.core.slot_words import gone_words
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


class NotToldAnyMore(QWidget):
    """Hidden while it holds something of every scene that went into it.

    Signals:
        rebuild_asked: the running recap is to be made again from the scene on that ends at this
            message.
        budget_asked: it is to get more room.
    """

    rebuild_asked = Signal(str)
    budget_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._anchor = ""
        self._words = Label(font=ui_font(12), tone=T2_ROLE, wraps=True)
        self.rebuild = Button("", icon="layers", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge)
        self.rebuild.clicked.connect(lambda: self.rebuild_asked.emit(self._anchor))
        self.budget = Button(
            tr("Larger budget"), icon="sliders", role=ButtonRole.QUIET, flush=Qt.Edge.LeftEdge
        )
        self.budget.clicked.connect(self.budget_asked)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._words)
        # One beneath the other: a narrow pane has no room for the words of both.
        column.addWidget(self.budget, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.rebuild, 0, Qt.AlignmentFlag.AlignLeft)
        self.hide()

    def show_reach(self, story: Story | None, reach: Reached, *, can_change: bool) -> None:
        """Say so of the scenes of which it is so."""
        gone = [s for s in story.scenes if s.number in reach.untold] if story is not None else []
        self.setVisible(bool(gone))
        if not gone or gone[0].closing is None:
            return
        self._anchor = gone[0].closing.anchor
        first = number(gone[0].number)
        self._words.setText(gone_words(len(gone), first))
        self.rebuild.set_text(tr("Rebuild from scene {first}", first=first))
        self.rebuild.setEnabled(can_change)
