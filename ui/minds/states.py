"""What the page shows while nobody is known to know anything."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr, trn
from app.memory.records import Tier
from app.views.memory_view import MemoryView
from ui.controls.buttons import Button, ButtonRole
from ui.memories.pane.states import EmptyState

TITLE = N_("Nothing is known yet about who knows what")
SENTENCE = N_(
    "As the story goes on, Tavernkeep notes who knows, suspects, hides or is wrong about what. "
    "Here you see it as a map: who may hear of a secret, who told whom, and what a reply gives "
    "away."
)
READING = N_("The story is being read. People and their secrets appear here as they are found.")
NO_SECRETS = N_(
    "The story was read, but nothing was found that one character knows and another does not. It "
    "appears here once somebody hides, suspects or finds out something."
)


def in_review(view: MemoryView) -> int:
    """How many entries of who knows what wait for the user's word."""
    return sum(standing.memory.tier is Tier.EPISTEMIC for standing in view.review)


class NoMinds(EmptyState):
    """As in memories, in words of its own.

    Signals:
        review_asked: what waits for review is to be seen.
    """

    review_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.review = Button(tr("Review them"), icon="check", role=ButtonRole.MAIN)
        self.review.clicked.connect(self.review_asked)
        self.commands.insertWidget(0, self.review)

    @property
    def target(self) -> QWidget:
        return super().target if self.review.isHidden() else self.review

    def show_minds_state(
        self,
        *,
        is_reading: bool,
        has_model: bool,
        is_demo: bool,
        has_memories: bool,
        in_review: int,
    ) -> None:
        """Say what can be done from here. in_review: entries that wait for the user's word."""
        self.show_state(is_known=True, is_reading=is_reading, has_model=has_model, is_demo=is_demo)
        self.title.setText(tr("Reading") if is_reading else tr(TITLE))
        words = tr(READING) if is_reading else tr(NO_SECRETS) if has_memories else tr(SENTENCE)
        self.review.setVisible(in_review > 0)
        if in_review:  # it was read: what was found is what there is to see first
            self.read.hide()
            words = trn(
                "{n} entry was found and waits for your review. It appears here once you approve "
                "it.",
                "{n} entries were found and wait for your review. They appear here once you "
                "approve them.",
                in_review,
            )
        self.sentence.setText(words)
