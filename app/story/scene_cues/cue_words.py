"""What people call the cue by which a scene break was found. Pure."""

from __future__ import annotations

from app.core.translation import N_, tr
from app.story.scenes import BreakOrigin, SceneBreak

_CUES = {
    "time": N_("time"),
    "place": N_("place"),
    "cast": N_("cast"),
    "separator": N_("separator line"),
    "fade": N_("fade out"),
    "sleep": N_("sleep"),
    "shift": N_("change of subject"),
    "soft": N_("change of subject"),
    "hand": N_("by hand"),
    "model": N_("by the model"),
}
_ORIGINS = {
    BreakOrigin.HAND: N_("by hand"),
    BreakOrigin.HEURISTIC: N_("found"),
    BreakOrigin.MODEL: N_("by the model"),
    BreakOrigin.IMPORT: N_("from the chat"),
}


def cue_word(found: SceneBreak) -> str:
    """In a word or two; a model's own words as they are, cut."""
    cue = found.cue.strip()
    known = _CUES.get(cue.lower()) or ("" if cue else _ORIGINS[found.origin])
    return tr(known) if known else cue[:40]
