"""Keeps out of a prompt what the one who answers does not know. Pure."""

from __future__ import annotations

from dataclasses import replace

from app.memory.epistemic.withheld import Withheld
from app.prompt.choosing.drafts import Draft
from app.prompt.slots import LeftOut, Reason
from app.settings.slot_table import SlotName

# Who knows what says itself what somebody does not know; a correction is for what was said.
EXEMPT = frozenset({SlotName.EPISTEMIC, SlotName.REPAIR})


def kept_secret(draft: Draft, withheld: Withheld) -> Draft:
    """The draft without the entries that tell what the responder does not know."""
    if draft.name in EXEMPT or not withheld:
        return draft
    is_told = {e: withheld.would_be_told(f"{e.head}{e.text}") for e in draft.entries}
    told = [entry for entry in draft.entries if is_told[entry]]
    if not told:
        return draft
    left = (LeftOut(e.head + e.text, Reason.UNKNOWN, e.memory) for e in told)
    kept = tuple(entry for entry in draft.entries if not is_told[entry])
    return replace(draft, entries=kept, left_out=(*draft.left_out, *left))


def lines_kept_secret(text: str, withheld: Withheld) -> str:
    """A text without the lines that tell it."""
    if not withheld:
        return text
    return "\n".join(line for line in text.splitlines() if not withheld.would_be_told(line))
