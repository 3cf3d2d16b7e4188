"""Keeps PySide6 from reading the source of every module that is imported."""

from __future__ import annotations

import sys
from typing import Any

import PySide6  # noqa: F401  # brings the module below


def forgo_qt_features() -> None:
    """Import with none of PySide6's "features" (methods in snake_case and the like) from now on.

    To see which modules might want them, it looks for its own name in the text of each, and Python
    keeps these texts: a sixth of the time to a window at work, and 20 MB. Where another version of
    PySide6 does it otherwise, all goes on as before.
    """
    feature: Any = sys.modules.get("shibokensupport.feature")
    if hasattr(feature, "_mod_uses_pyside"):
        feature._mod_uses_pyside = _never


def _never(_module: object) -> bool:
    return False
