"""The binding keeps out of what is imported once its features are forgone."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import linecache, sys
from ui.core.qt_features import forgo_qt_features
forgo_qt_features()
seen = []
sys.setprofile(lambda frame, *_: seen.append(frame.f_code.co_filename))
import colorsys
sys.setprofile(None)
from PySide6.QtWidgets import QWidget
assert not [name for name in seen if "shibokensupport" in name], "stands in the import"
assert not [name for name in linecache.cache if name.endswith("colorsys.py")], "read the source"
assert not hasattr(QWidget, "window_title")
"""


def test_an_import_is_pythons_own_and_reads_no_source() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], timeout=50, check=True)
