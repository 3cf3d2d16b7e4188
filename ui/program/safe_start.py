"""Safe mode: offered after crashes, said over every page, and left by starting again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from app.core.translation import N_, tr
from ui.controls.buttons import Button, ButtonRole
from ui.controls.labels import Label
from ui.shell.notice import Notice
from ui.theme.fonts import display_font, ui_font
from ui.theme.palette import FLOAT_ROLE, T2_ROLE

SAFE = "safe mode"
WORD = "--safe"
BANNER = N_(
    "Safe mode: SillyTavern is not watched, nothing is written, no model is asked, and stories "
    "cannot be changed."
)
START_NORMALLY = N_("Start normally")
OFFER = N_(
    "Tavernkeep closed unexpectedly the last few times. Safe mode opens your stories for reading "
    "only and leaves out what may have caused it: watching SillyTavern, pending work and the "
    "bridge. Your stories and memories are safe either way."
)


class SafeStartOffer(QDialog):
    """Accepted for safe mode; closing it starts normally."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setBackgroundRole(FLOAT_ROLE)
        self.setAutoFillBackground(True)
        self.setWindowTitle(tr("Safe mode"))
        self.setFixedWidth(480)
        self.safe = Button(tr("Open in safe mode"), role=ButtonRole.MAIN)
        self.safe.clicked.connect(self.accept)
        self.normal = Button(tr(START_NORMALLY))
        self.normal.clicked.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 22, 24, 20)
        column.setSpacing(12)
        column.addWidget(Label(tr("The last starts failed"), font=display_font(20)))
        column.addWidget(Label(tr(OFFER), font=ui_font(12.5), tone=T2_ROLE, wraps=True))
        column.addSpacing(6)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(self.normal)
        row.addWidget(self.safe)
        column.addLayout(row)
        self.setFixedHeight(self.heightForWidth(self.width()))  # else a longer text is cut
        self.safe.setFocus()


def say_safe(
    banner: Notice, window: QWidget, start_normally: Callable[[], None] = lambda: None
) -> None:
    """Say over every page, and in the title, that this is safe mode, with a way out of it."""

    def on_acted(key: str) -> None:
        if key == SAFE:
            start_normally()

    banner.acted.connect(on_acted)
    banner.offer(SAFE, tr(BANNER), way_on=tr(START_NORMALLY))
    window.setWindowTitle(tr("Tavernkeep (safe mode)"))


def words_to_start_again() -> list[str]:
    """The command that started this program, without safe mode."""
    is_frozen = getattr(sys, "frozen", False)
    words = sys.argv[1:] if is_frozen else sys.orig_argv[1:]
    return [sys.executable, *(word for word in words if word != WORD)]


def start_again() -> int:
    """Become the same program anew, without safe mode; the exit code where that takes a child."""
    words = words_to_start_again()
    os.environ.pop("QT_SCALE_FACTOR", None)  # the next start asks what was chosen
    if os.name != "nt":
        os.execv(words[0], words)
    subprocess.Popen(words)  # there, an exec would be a child, too
    return 0
