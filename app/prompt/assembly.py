"""Story and settings become the slots of a turn: the one place that decides placement. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.prompt.running_recap import running_recap_slot
from app.prompt.slots import Slot
from app.story.recaps import injected_version
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
    no bound but their own budgets. A slot that is switched off is there with an empty text, so
    that what stood in it before is cleared.
    """
    positions = {message.anchor: index for index, message in enumerate(story.messages)}
    version = injected_version(story.running, positions)
    content = version.content if version else ""
    if not settings["running_recap_enabled"]:
        content = ""
    budget = int(settings["running_recap_budget"])
    if total is not None:
        budget = min(budget, total)
    return (running_recap_slot(content, settings, budget=budget, count=count),)
