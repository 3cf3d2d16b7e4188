"""Tells which chats, cards and groups of a tavern changed on disk."""

from __future__ import annotations

from pathlib import Path

from app.core.folder_watcher import FolderWatcher

# Folder below the user folder: how its files end and how deep they lie. Temporary files of
# SillyTavern's ("<file>.<digits>", renamed when complete) do not end so.
_WATCHED = {
    "chats": (".jsonl", 2),
    "group chats": (".jsonl", 1),
    "groups": (".json", 1),
    "characters": (".png", 1),
}


LOOK_SECONDS = 5.0  # between two looks at a drive that tells nothing


class TavernWatcher(FolderWatcher):
    """Watches one user folder; see FolderWatcher."""

    def __init__(
        self,
        user_folder: Path,
        *,
        force_polling: bool = False,
        tick_seconds: float = 2.0,
        check_seconds: float = 60.0,
    ) -> None:
        super().__init__(
            user_folder,
            _WATCHED,
            force_polling=force_polling,
            tick_seconds=tick_seconds,
            check_seconds=check_seconds,
        )
