"""The headless commands: the same program without a window."""

from __future__ import annotations

from app.commands.entry import main

__all__ = ["main"]
