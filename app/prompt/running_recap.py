"""The running recap's slot: recap, frame and budget become the text that is injected. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from app.prompt.slots import RUNNING_RECAP_KEY, Position, Role, Slot
from app.story.recap_text import HEADING, fitted, parse_recap

PLACEHOLDER = "{{running_recap}}"


def framed(content: str, template: str) -> str:
    """The recap inside its frame; nothing for no recap, the bare recap for a blank frame.

    Replaced literally (spec/auto-recap.md §3.4): no pattern in the recap means anything here.
    """
    content = content.strip()
    if not content:
        return ""
    if not template.strip():
        return content
    return template.replace(PLACEHOLDER, content)


def running_recap_slot(
    content: str, settings: Mapping[str, Any], *, budget: int, count: Callable[[str], int]
) -> Slot:
    """The slot for this recap, cut by whole lines to its budget, frame included."""
    template = str(settings["running_recap_template"])
    full = framed(content, template)
    full_tokens = count(full)
    text = full
    if full_tokens > budget:

        def count_framed(shorter: str) -> int:
            return count(framed(shorter, template))

        text = framed(shortened(content, budget, count_framed), template)
    return Slot(
        key=RUNNING_RECAP_KEY,
        position=Position(settings["running_recap_position"]),
        depth=int(settings["running_recap_depth"]),
        role=Role(settings["running_recap_role"]),
        scan=bool(settings["running_recap_scan"]),
        text=text,
        tokens=count(text),
        budget=budget,
        full_tokens=full_tokens,
    )


def shortened(content: str, budget: int, count: Callable[[str], int]) -> str:
    """As much of the recap as `count` finds to fit: whole lines, the newest and the state last.

    Headed recaps lose old developments first (recap_text.fitted); where that does not do, and in
    a text without headings, lines go from the top. Nothing, when not even the last line fits.
    """
    lines = content.strip().splitlines()
    if any(HEADING.fullmatch(line.strip()) for line in lines):
        headed = fitted(parse_recap(content), budget, count).render()
        if count(headed) <= budget:
            return headed
        lines = headed.splitlines()
    low, high = 0, len(lines)  # lines left out: `high` is enough, fewer than `low` is not
    while low < high:
        middle = (low + high) // 2
        if count("\n".join(lines[middle:])) <= budget:
            high = middle
        else:
            low = middle + 1
    return "\n".join(lines[low:]).strip()
