"""A text in its frame, cut by whole lines to a budget. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from app.story.recap_text import fitted, is_headed, parse_recap

MACRO = re.compile(r"\{\{(?!(?:char|user|group|persona)\}\})", re.IGNORECASE)


def framed(content: str, template: str, placeholder: str) -> str:
    """The content inside its frame; nothing for no content, the bare content for a blank frame.

    Replaced literally (spec/auto-recap.md §3.4): no pattern in the content means anything here,
    and of SillyTavern's macros only names do, since a story must not set variables or roll dice.
    """
    content = MACRO.sub("{ {", content.strip())
    if not content:
        return ""
    if not template.strip():
        return content
    return template.replace(placeholder, content)


def shortened(content: str, budget: int, count: Callable[[str], int]) -> str:
    """As much of the content as `count` finds to fit: whole lines, the newest and the state last.

    Headed recaps lose old developments first (recap_text.fitted); where that does not do, and in
    a text without headings, lines go from the top. Nothing, when not even the last line fits.
    """
    lines = content.strip().splitlines()
    if is_headed(content):
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
