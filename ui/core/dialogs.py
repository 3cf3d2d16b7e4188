"""Dialogs are awaited, never executed: exec() inside a coroutine drops other tasks' wake-ups."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QFileDialog, QWidget

BESIDE = QSize(48, 48)


def size_over(window: QWidget, wished: QSize) -> QSize:
    """The size of a dialog: as wished, but some of the window stays to be seen around it."""
    return wished.boundedTo(window.window().size() - BESIDE)


async def ask(dialog: QDialog) -> bool:
    """Show the dialog window-modally and say whether it was accepted."""
    closed: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def on_finished(code: int) -> None:
        if not closed.done():
            closed.set_result(code)

    dialog.finished.connect(on_finished)
    dialog.open()
    try:
        return await closed == QDialog.DialogCode.Accepted
    finally:
        dialog.close()
        dialog.deleteLater()


async def choose_folder(parent: QWidget, title: str, start: Path) -> Path | None:
    """Let the user name a folder; None when they change their mind."""
    dialog = QFileDialog(parent, title, str(start))
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly)
    if not await ask(dialog):
        return None
    files = dialog.selectedFiles()
    return Path(files[0]) if files else None


async def choose_file(parent: QWidget, title: str, start: Path, kinds: str) -> Path | None:
    """Let the user name a file to read; None when they change their mind. kinds: Qt's filter."""
    dialog = QFileDialog(parent, title, str(start), kinds)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    if not await ask(dialog):
        return None
    files = dialog.selectedFiles()
    return Path(files[0]) if files else None


async def choose_new_file(parent: QWidget, title: str, start: Path, kinds: str) -> Path | None:
    """Let the user name a file to write; None when they change their mind. kinds: Qt's filter."""
    dialog = QFileDialog(parent, title, str(start.parent), kinds)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(start.suffix.removeprefix("."))
    dialog.selectFile(start.name)
    if not await ask(dialog):
        return None
    files = dialog.selectedFiles()
    return Path(files[0]) if files else None
