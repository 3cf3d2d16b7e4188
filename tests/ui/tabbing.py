"""What Tab need not reach."""

from __future__ import annotations

from PySide6.QtWidgets import QAbstractButton, QWidget


def excludes_others(widget: QWidget) -> bool:
    """Whether it is a button of which only one of several is on: Tab reaches that one, arrows the
    rest.
    """
    if not isinstance(widget, QAbstractButton):
        return False
    group = widget.group()
    return widget.autoExclusive() or (group is not None and group.exclusive())
