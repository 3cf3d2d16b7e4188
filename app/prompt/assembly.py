"""Story and settings become the slots of a turn: the one place that decides placement. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.prompt.recap_slots import message_recaps_slot, running_recap_slot
from app.prompt.slots import Slot
from app.story.story import Story


def assemble(
    story: Story,
    settings: Mapping[str, Any],
    *,
    count: Callable[[str], int],
    total: int | None = None,
) -> tuple[Slot, ...]:
    """The slots of the next turn, in the order in which they get their tokens.

    settings: as they hold for the chat. total: tokens that all slots may take together, None for
    no bound but their own budgets. The running recap's slot is always there, so that what stood
    in it before is cleared when it is switched off.
    """
    room = total if total is not None else 1_000_000_000
    budget = min(int(settings["running_recap_budget"]), room)
    running = running_recap_slot(story, settings, budget=budget, count=count)
    if not settings["message_recaps_inject"]:
        return (running,)
    budget = min(int(settings["message_recaps_budget"]), room - running.tokens)
    return running, message_recaps_slot(story, settings, budget=budget, count=count)
