"""A catch-up that was said yes to, or stopped, with how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field

from app.core.operations import CatchUp, Operation, Worked
from app.story.story import ChatRef
from app.views.catch_up import CatchUpPlan, CatchUpProgress
from app.work.planning.catch_up import Pace, catch_up_progress

# Searching finds scenes that no plan could name. So many times what was agreed goes unasked.
AGREED_TIMES = 1.25


@dataclass
class Followed:
    """left: what is planned of it still, None while that is not known."""

    chat: ChatRef
    kept: CatchUp
    left: CatchUpPlan | None = None
    worked: Worked = field(default_factory=Worked)

    @property
    def asked(self) -> int:
        """Requests so far, as the plan counts them."""
        return sum(self.left.requests_in(self.worked)) if self.left else 0

    @property
    def exceeded(self) -> int:
        """The requests that were agreed where more were asked for since, 0 else."""
        return self.kept.agreed if self.asked > self.kept.agreed else 0

    def is_beyond(self, limit: int) -> bool:
        """Whether it grew so far beyond what was agreed that the rest is asked about, where that is
        more than goes unasked.
        """
        left = self.left.requests if self.left else 0
        asks = self.kept.agreed > 0 and not self.kept.is_stopped
        return asks and self.asked >= self.kept.agreed * AGREED_TIMES and left > limit

    def progress(
        self, running: Operation | None, pace: Pace, *, now: float, is_held: bool
    ) -> CatchUpProgress:
        """How far it is now; see `catch_up_progress`."""
        return catch_up_progress(
            self.kept.chat,
            self.chat.owner_name or self.chat.title,
            left=self.left,
            worked=self.worked,
            running=running,
            pace=pace,
            now=now,
            is_stopping=self.kept.is_stopped,
            is_held=is_held,
        )
