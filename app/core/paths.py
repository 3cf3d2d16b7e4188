"""The folders that Tavernkeep uses, and those that it is told. Alone asks platformdirs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from app.core.errors import StoreError, reason_of


@dataclass(frozen=True, slots=True)
class Folders:
    """Where this installation keeps its own files."""

    data: Path
    logs: Path

    @property
    def database(self) -> Path:
        return self.data / "tavernkeep.sqlite3"

    @property
    def backups(self) -> Path:
        return self.data / "backups"


def data_folder(data_dir: Path | None = None) -> Path:
    """Where this user's data are, or `data_dir` when one is given; whether it is there or not."""
    if data_dir is not None:
        return data_dir.expanduser().resolve()
    import platformdirs  # 25 ms that a window, and whoever names a folder, need not wait for

    return platformdirs.user_data_path("tavernkeep", appauthor=False)


def user_folders(data_dir: Path | None = None) -> Folders:
    """The folders of this user, or all below `data_dir` when one is given. Created when missing.

    Raises StoreError where they cannot be made."""
    data = data_folder(data_dir)
    if data_dir is not None:
        logs = data / "logs"
    else:
        import platformdirs

        logs = platformdirs.user_log_path("tavernkeep", appauthor=False)
    try:
        data.mkdir(parents=True, exist_ok=True)
        logs.mkdir(parents=True, exist_ok=True)
        for folder in (data, logs):
            folder.chmod(0o700)  # recaps and the names of chats are nobody else's business
    except OSError as error:
        from app.core.translation import tr  # which asks here where translations lie

        raise StoreError(
            tr(
                "Tavernkeep cannot keep its data in {data}: {reason}. Make the folder writable "
                "again; then all is there as before. Or choose another folder with --data-dir, "
                "which begins without what is kept here.",
                data=data,
                reason=reason_of(error),
            )
        ) from error
    return Folders(data=data, logs=logs)


def places_of(text: str) -> tuple[Path, ...]:
    """The places that a setting or a variable names, apart as those of PATH are: a;b on Windows,
    a:b elsewhere.
    """
    if not text or is_folder(Path(text).expanduser()):  # a folder's name may hold the sign
        return (Path(text),) if text else ()
    return tuple(Path(part) for part in text.split(os.pathsep) if part.strip())


def text_of_places(places: Iterable[Path]) -> str:
    """The places as a setting names them."""
    return os.pathsep.join(dict.fromkeys(map(str, places)))


def is_folder(path: Path) -> bool:
    """Path.is_dir() raises where a folder above may not be entered."""
    try:
        return path.is_dir()
    except OSError:
        return False
