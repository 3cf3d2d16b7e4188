"""Keeps PySide6 out of every import that follows."""

from __future__ import annotations

import builtins
from typing import Any

import PySide6  # noqa: F401  # puts its own import in place of Python's


def forgo_qt_features() -> None:
    """Import with none of PySide6's "features" (methods in snake_case and the like) from now on.

    For them it stands in each import statement, 7000 of them at a start, and looks for its own name
    in the text of each module, which Python then keeps: a sixth of the time to a window at work,
    and 20 MB. Where another version of PySide6 does it otherwise, all goes on as before.
    """
    pythons_own: Any = getattr(builtins, "__orig_import__", None)
    if pythons_own is not None:
        builtins.__import__ = pythons_own
