"""Keys as people say them."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from ui.controls.buttons import key_text


@pytest.mark.parametrize(
    ("key", "said"),
    [("Alt+Shift+Up", "Alt Shift ↑"), ("Alt+Down", "Alt ↓"), ("Ctrl+K", "Ctrl K")],
)
def test_arrow_keys_are_arrows(qapp: QApplication, key: str, said: str) -> None:
    assert key_text(QKeySequence(key)) == said
