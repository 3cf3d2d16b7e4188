"""A catch-up that was said yes to, or stopped, with how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from app.core.operations import CatchUp, Operation, Worked
from app.story.story import ChatRef
from app.views.catch_up import CatchUpPlan, CatchUpProgress
from app.work.planning.catch_up import Pace, catch_up_progress

# Searching finds scenes that no plan could name, and a model may have to be asked twice. So many
# times what was agreed goes unasked.
AGREED_TIMES = 1.25


def agreed_to(kept: CatchUp, plan: CatchUpPlan | None) -> CatchUp:
    """With what was named to the user who said yes to its part of a plan."""
    if plan is None:
        return kept
    named = plan.of_part(kept.part)
    tokens = named.prompt_tokens + named.output_tokens + named.text_tokens
    return replace(kept, agreed=named.requests, agreed_tokens=tokens)


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
        """The requests that were agreed where more was taken since, 0 else."""
        is_more = self.asked > self.kept.agreed or self._takes_more(1)
        return self.kept.agreed if is_more else 0

    def _takes_more(self, times: float) -> bool:
        """Whether so many times the tokens that were agreed are spent, texts that follow among
        them: requests are counted as planned, and those of folds that were to be asked for beside
        others not at all.
        """
        agreed = self.kept.agreed_tokens
        return agreed > 0 and self.worked.spent > agreed * times

    def is_beyond(self, limit: int) -> bool:
        """Whether it grew so far beyond what was agreed that the rest is asked about, where that is
        more than goes unasked.
        """
        left = self.left.requests if self.left else 0
        asks = self.kept.agreed > 0 and not self.kept.is_stopped
        is_more = self.asked >= self.kept.agreed * AGREED_TIMES or self._takes_more(AGREED_TIMES)
        return asks and is_more and left > limit

    def progress(
        self, running: Operation | None, pace: Pace, *, now: float, is_held: bool
    ) -> CatchUpProgress:
        """How far it is now; see `catch_up_progress`."""
        found = catch_up_progress(
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
        return replace(
            found,
            part=self.kept.part,
            tokens=self.worked.spent,
            requests=self.worked.requests,
            agreed=self.kept.agreed,
        )
