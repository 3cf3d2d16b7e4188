"""A text in its frame, cut by whole lines to a budget. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from app.story.recap_texts.recap_text import fitted, is_headed, parse_recap

# A brace before another one, unless both open a name; seen one by one, so that no row of braces
# leaves a pair.
MACRO = re.compile(r"\{(?=\{)(?!\{(?:char|user|group|persona)\}\})", re.IGNORECASE)


def defused(text: str) -> str:
    """A text that makes SillyTavern do nothing: of its macros only names stay."""
    return MACRO.sub("{ ", text)


def one_line(text: str) -> str:
    """A text that nobody wrote for a prompt, as part of one line of it."""
    return defused(" ".join(text.split()))


def framed(content: str, template: str, placeholder: str) -> str:
    """The content inside its frame; nothing for no content, the bare content for a blank frame.

    Replaced literally (spec/auto-recap.md §3.4): no pattern in the content means anything here,
    and of SillyTavern's macros only names do, since a story must not set variables or roll dice.
    """
    content = defused(content.strip())
    if not content:
        return ""
    if not template.strip():
        return content
    # A brace of the frame and one of the content make no macro either.
    if content.startswith("{") and "{" + placeholder in template:
        content = " " + content
    if content.endswith("{") and placeholder + "{" in template:
        content += " "
    return template.replace(placeholder, content)


def shortened(
    content: str, budget: int, count: Callable[[str], int], *, spare: Sequence[str] = ()
) -> str:
    """As much of the content as `count` finds to fit: whole lines, the newest and the state last.

    Headed recaps lose old entries first (recap_text.fitted); where that does not do, and in
    a text without headings, lines go from the top. Nothing, when not even the last line fits.
    spare: parts of which other slots tell, which go before anything else.
    """
    lines = content.strip().splitlines()
    if is_headed(content):
        headed = fitted(parse_recap(content), budget, count, spare=spare).render()
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
