"""Whether windows can have parts that show what lies behind them."""

from __future__ import annotations

import ctypes
from functools import cache

from PySide6.QtGui import QGuiApplication

X11, MANAGER = "libX11.so.6", "_NET_WM_CM_S{screen}"


@cache
def can_be_translucent() -> bool:
    """False on a screen of X that nobody composes: what should show through stays black there. Qt
    says so no more; the standard is that a composer owns a selection of each screen.
    """
    if QGuiApplication.platformName() != "xcb":
        return True
    try:
        x11 = ctypes.CDLL(X11)
        x11.XOpenDisplay.restype = ctypes.c_void_p
        x11.XInternAtom.restype = x11.XGetSelectionOwner.restype = ctypes.c_ulong
        display = ctypes.c_void_p(x11.XOpenDisplay(None))
        if not display.value:
            return False
        name = MANAGER.format(screen=x11.XDefaultScreen(display)).encode()
        atom = ctypes.c_ulong(x11.XInternAtom(display, name, 0))
        owner = x11.XGetSelectionOwner(display, atom)
        x11.XCloseDisplay(display)
    except (OSError, AttributeError):  # no such library
        return False
    return bool(owner)
