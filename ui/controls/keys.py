"""Which part of a control the keyboard changes it with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QWidget

from ui.theme.focus import announce


def give_keys(control: QWidget) -> None:
    """Put the keyboard on a control, or on the first part of it that takes keys."""
    reached = next(filter(_takes_keys, (control, *control.findChildren(QWidget))), None)
    if reached is not None:
        announce(reached)
        reached.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _takes_keys(widget: QWidget) -> bool:
    by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    is_other_word = (
        isinstance(widget, QAbstractButton)
        and (widget.autoExclusive() or widget.group() is not None)
        and not widget.isChecked()
    )
    return bool(by_tab) and widget.isEnabled() and not widget.isHidden() and not is_other_word
