"""How the ways into the next prompt look and what they are called."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QBrush, QColor, QPainter

from app.core.translation import N_, tr
from app.prompt.reach import Mend, Reach
from ui.story.lettering import hatch_brush, pattern_brush
from ui.theme.style import rounded
from ui.theme.tokens import Tokens, faded

GROUND = 0.34  # of the colour, under a pattern
WORDS = {
    Reach.VERBATIM: N_("Word for word"),
    Reach.RECAP: N_("Own recap"),
    Reach.SCENE: N_("Scene recap"),
    Reach.RUNNING: N_("Running recap"),
    Reach.SUMMARY: N_("Summary"),
    Reach.MEMORIES: N_("Memories"),
    Reach.NOT_AT_ALL: N_("Not at all"),
    Reach.ASIDE: N_("Not part of the story"),
}
SENTENCES = {
    Reach.VERBATIM: N_("The next prompt holds this message word for word."),
    Reach.RECAP: N_("The next prompt contains this message's recap instead of the message."),
    Reach.SCENE: N_("The next prompt tells it through the recap of its scene."),
    Reach.RUNNING: N_("The next prompt tells it through the running recap."),
    Reach.SUMMARY: N_("The next prompt tells it through the summary."),
    Reach.MEMORIES: N_("Only memories from this message reach the next prompt."),
    Reach.NOT_AT_ALL: N_("Nothing in the next prompt tells of this message."),
    Reach.ASIDE: N_("A notice of SillyTavern, not part of the story."),
}
MENDS = {
    Mend.RECAP_SCENE: N_("Its scene has no recap yet. Write one to bring it in."),
    Mend.RAISE_SCENES: N_("Its scene's recap does not fit. Give recaps a larger budget."),
    Mend.RAISE_RECAPS: N_("Its recap does not fit. Give recaps a larger budget."),
    Mend.REBUILD_RECAP: N_(
        "Its scene is not in the running recap any more, for want of room. Give the recap a larger "
        "budget and rebuild it from that scene, or pin what has to stay."
    ),
    Mend.CLOSE_SCENE: N_("Its scene is still open. Recaps are written once a scene has ended."),
}
ICONS = {
    Reach.VERBATIM: "chat",
    Reach.RECAP: "document",
    Reach.SCENE: "book",
    Reach.RUNNING: "layers",
    Reach.SUMMARY: "fold",
    Reach.MEMORIES: "bookmark",
    Reach.NOT_AT_ALL: "barred",
}
SHOWN = tuple(ICONS)


def reach_word(reach: Reach) -> str:
    """ "Word for word", "Not at all"."""
    return tr(WORDS[reach])


def reach_tip(reach: Reach, mend: Mend) -> str:
    """One sentence on how a message reaches the prompt, and one on what would mend that."""
    said = [tr(SENTENCES[reach])]
    if mend in MENDS:
        said.append(tr(MENDS[mend]))
    return " ".join(said)


def reach_colour(tokens: Tokens, reach: Reach) -> QColor:
    """The colour of bars and icons."""
    match reach:
        case Reach.VERBATIM:
            return tokens.included.fill
        case Reach.RECAP:
            return tokens.long_term.fill
        case Reach.SCENE:
            return tokens.slot_hues["scenes"]
        case Reach.RUNNING | Reach.SUMMARY:
            return tokens.slot_hues["short-term"]
        case Reach.MEMORIES:
            return tokens.slot_hues["arcs"]
        case Reach.NOT_AT_ALL:
            return tokens.out_of_budget.text
        case _:
            return tokens.line2


def reach_brush(tokens: Tokens, reach: Reach) -> QBrush:
    """Solid for what is there itself; each stand-in has a pattern of its own."""
    colour = reach_colour(tokens, reach)
    ground = faded(colour, GROUND)
    match reach:
        case Reach.SCENE:
            return hatch_brush(colour, ground)
        case Reach.RUNNING:
            return pattern_brush("lines", colour, ground)
        case Reach.SUMMARY:
            return pattern_brush("columns", colour, ground)
        case Reach.MEMORIES:
            return pattern_brush("grid", colour, ground)
        case _:
            return QBrush(colour)


def paint_reach(
    painter: QPainter, tokens: Tokens, reach: Reach, brush: QBrush, area: QRectF
) -> None:
    """One bar, rail or tick; hollow where nothing of the message is told."""
    if reach is Reach.NOT_AT_ALL:
        if area.width() < 3:
            painter.fillRect(area, tokens.ctl)
        else:
            rounded(painter, area, 1, None, tokens.ctl)
        return
    painter.fillRect(area, brush)
    if reach is Reach.RECAP:  # shorter than what it stands for
        notch = QRectF(area.x(), area.y() + 2, area.width(), 2)
        painter.fillRect(notch.intersected(area), tokens.stage)
