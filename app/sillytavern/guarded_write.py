"""The one way to replace a file of SillyTavern's: whole, durable, and only if nobody else did."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.core.errors import WriteRefused, reason_of
from app.core.translation import tr
from app.sillytavern.chat_file import ChatSnapshot, stamp_of
from app.sillytavern.chat_line import BOM, UnreadableLine, load_json
from app.sillytavern.copy_mark import refuse_copy

LONGEST_NAME = 255  # bytes that a file system takes
LONGEST_STEM = 200  # of a backup, beside its moment
BACKUPS_KEPT = 10  # of each chat
DIGITS = 20
LEFT_SECONDS = 3600.0  # after which whoever wrote a new file has died
_NEW_FILE_MODE = 0o644
_MOMENT = re.compile(r"\d{8}-\d{6}(-\d+)?")
_BINARY = getattr(os, "O_BINARY", 0)  # Windows would translate newlines


def write_file_atomically(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    check: Callable[[], None] = lambda: None,
) -> None:
    """Replace `path` by `data`: at each moment the old file is there, or the whole new one.

    mode: of the new file, from its first moment on; None keeps the old one's. check: called at the
    last moment; when it raises nothing is replaced. Raises OSError, and then the old file is as it
    was.
    """
    if mode is None:
        try:
            mode = path.stat().st_mode & 0o777
        except FileNotFoundError:
            mode = _NEW_FILE_MODE
    # Digits behind the name, as SillyTavern's own writer has them: whoever watches the folder
    # ignores those already. More of them than it takes, so that ours are known.
    digits = f".{secrets.randbelow(10**DIGITS):0{DIGITS}d}"
    name = os.fsencode(path.name)[: LONGEST_NAME - len(digits)].decode("utf-8", "ignore")
    temporary = path.with_name(name + digits)
    try:
        _write_new(temporary, data, mode)
        check()
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(path.parent)


def guarded_replace(path: Path, expected: ChatSnapshot, data: bytes, backup_folder: Path) -> Path:
    """Replace a chat that is still as it was read; returns the backup made before.

    expected: the reading that `data` was made from. Of each chat BACKUPS_KEPT backups are kept.
    Raises WriteRefused when the chat changed since, when `data` carries another integrity slug, or
    when the disk fails; in each case the chat's file is as it was.
    """
    refuse_copy(path)
    try:
        stamp = stamp_of(path.stat())
        current = path.read_bytes()
        if not np.array_equal(_line_digests(current), expected.line_digests):
            raise WriteRefused(_changed(path))
        if integrity_of(current) != integrity_of(data):
            raise WriteRefused(
                tr(
                    "{name} was not changed: the change belongs to another chat.",
                    name=path.name,
                )
            )

        def check() -> None:
            if not stamp_of(path.stat()).is_same(stamp):
                raise WriteRefused(_changed(path))

        _sweep(path)
        backup = _back_up(path, current, backup_folder)
        write_file_atomically(path, data, check=check)
    except OSError as error:
        raise WriteRefused(
            tr(
                "{name} was not changed ({reason}). The file is as it was before.",
                name=path.name,
                reason=reason_of(error),
            )
        ) from error
    return backup


def _write_new(path: Path, data: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, mode)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    path.chmod(mode)  # the umask may have taken some of it


def _sync_folder(folder: Path) -> None:
    """Make the rename itself durable, where a folder can be opened at all."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(path: Path) -> None:
    """Remove the new files beside a chat that a program left which died while it wrote them."""
    with contextlib.suppress(OSError):
        for left in path.parent.glob(f"{glob.escape(path.name)}.{'[0-9]' * DIGITS}"):
            if time.time() - left.stat().st_mtime > LEFT_SECONDS:
                left.unlink()


def _back_up(path: Path, data: bytes, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    moment = time.strftime("%Y%m%d-%H%M%S", time.localtime())
    stem = _backup_stem(path)
    backup = folder / f"{stem}{moment}{path.suffix}"
    number = 1
    while backup.exists():
        number += 1
        backup = backup.with_name(f"{stem}{moment}-{number}{path.suffix}")
    write_file_atomically(backup, data)
    _thin_out(folder, stem, path.suffix)
    return backup


def _backup_stem(path: Path) -> str:
    """Whose backup it is; of a long name the beginning and a digest of all of it."""
    stem = f"{path.parent.name}_{path.stem}"
    raw = os.fsencode(stem)
    if len(raw) > LONGEST_STEM:
        digest = hashlib.blake2b(raw, digest_size=8).hexdigest()
        stem = f"{raw[: LONGEST_STEM - 17].decode('utf-8', 'ignore')}-{digest}"
    return f"{stem}_"


def _thin_out(folder: Path, stem: str, suffix: str) -> None:
    """Keep the newest backups of a chat, and all of those whose names only begin like its own."""
    with contextlib.suppress(OSError):  # one backup too many is no reason not to write
        now = time.time_ns()
        # The one just made stays, also when the clock was set back since the others were.
        own = [
            ((moment := backup.stat().st_mtime_ns) <= now, moment, backup)
            for backup in folder.glob(f"{glob.escape(stem)}*{suffix}")
            if _MOMENT.fullmatch(backup.stem.removeprefix(stem))
        ]
        for *_, backup in sorted(own)[:-BACKUPS_KEPT]:
            backup.unlink(missing_ok=True)


def _line_digests(data: bytes) -> list[int]:
    """As read_chat takes them: of each line without its newline."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return [hash(line) for line in lines]


def integrity_of(data: bytes) -> str:
    """The slug in a chat's first line, "" without one."""
    try:
        header, _ = load_json(data.partition(b"\n")[0].removeprefix(BOM))
    except UnreadableLine:
        return ""
    metadata = header.get("chat_metadata") if isinstance(header, dict) else None
    slug = metadata.get("integrity") if isinstance(metadata, dict) else None
    return slug if isinstance(slug, str) else ""


def _changed(path: Path) -> str:
    return tr(
        "{name} was not changed: SillyTavern has saved it in the meantime. It is read again; "
        "then try once more.",
        name=path.name,
    )
