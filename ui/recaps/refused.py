"""What the recaps page offers and a story that must not change refuses: greyed, and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton

from app.core.translation import N_, tr
from ui.recaps.commands import RecapCommands
from ui.recaps.comparing.pane import ComparePane
from ui.recaps.rail import RecapRail
from ui.recaps.reading import ReadingPane

UNCHANGED = N_("Safe mode does not change stories. Start normally to do that.")


def grey_changes(
    commands: RecapCommands,
    rail: RecapRail,
    reading: ReadingPane,
    comparison: ComparePane,
) -> None:
    """Grey all that would change the story, for good: a window stays in safe mode. Settings, and
    what is marked of lore, can be changed then, too.
    """
    rail.can_change = comparison.tools.can_change = False
    greyed: Sequence[QAbstractButton | QAction] = (
        *(commands.edit, commands.write, commands.use),
        *(reading.restore, reading.use, reading.edit, reading.delete, reading.told.rebuild),
        *(reading.offer.go_on, reading.offer.discard),
        *(reading.pins.put_back, reading.pins.unpin),
        rail.write,
    )
    for one in greyed:
        one.setEnabled(False)
        one.setToolTip(tr(UNCHANGED))
