"""What the column says of a row, or of a part of it, under a resting pointer."""

from __future__ import annotations

from app.core.translation import tr
from ui.story import words
from ui.story.messages.message_delegate import TOOL_TIPS, state_tip
from ui.story.messages.message_model import STALE_SCENE, MessageModel
from ui.story.messages.parts import RECAP, REDO, is_grip
from ui.story.reach_look import reach_tip


def tip_of(model: MessageModel, row: int, part: str, *, in_gutter: bool) -> str:
    """One tooltip, "" for none. in_gutter: the pointer rests left of the text."""
    if part in TOOL_TIPS:
        return tr(TOOL_TIPS[part])
    shown = model.message_row(row)
    if shown is not None:
        if in_gutter and shown.reach is not None:
            return reach_tip(shown.reach, model.mend_of(shown.index))
        if in_gutter:
            return state_tip(shown, injects=model.injects_recaps)
        return words.recap_tip(shown.recap) if part == RECAP else ""
    if part == REDO:
        return f"{tr(STALE_SCENE)} {tr('Rewrite it. (R)')}"
    number = model.place(row).scene - 1
    closing = model.layout.scenes[number].closing if number >= 0 else None
    if closing is None:
        return ""
    tip = [words.why_here(closing)] if closing.rationale else []
    if is_grip(model, row, part):
        tip.append(
            tr(
                "Drag to end scene {number} elsewhere. (Alt Shift Up, Alt Shift Down)",
                number=number + 1,
            )
        )
    return "\n".join(tip)
