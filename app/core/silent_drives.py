"""Drives on which the system tells of no change that another machine makes."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path, PurePath

# Of Linux: network drives, and what a virtual machine or WSL shares with its host.
_SILENT = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ncpfs", "ceph", "glusterfs", "davfs"),
        *("9p", "v9fs", "drvfs", "vboxsf", "vmhgfs", "prl_fs", "virtiofs"),
        *("fuse.sshfs", "fuse.rclone", "fuse.vmhgfs-fuse", "fuse.glusterfs", "fuse.s3fs"),
    }
)
_MOUNTS = Path("/proc/self/mountinfo")
_ESCAPED = re.compile(r"\\([0-7]{3})")
_REMOTE_DRIVE = 4  # what Windows says of a letter that stands for a network drive


def is_silent(folder: Path) -> bool:
    """Whether changes in a folder have to be looked for. False where that cannot be known."""
    if sys.platform == "win32":
        import ctypes

        return is_remote(folder, ctypes.windll.kernel32.GetDriveTypeW)
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:  # no Linux
        return False
    return filesystem_of(Path(os.path.realpath(folder)), mounts) in _SILENT


def is_remote(folder: PurePath, kind_of_drive: Callable[[str], int]) -> bool:
    """Whether a folder of Windows is on another machine, or in WSL.

    kind_of_drive: GetDriveTypeW.
    """
    drive = folder.drive
    if drive.startswith("\\\\"):  # \\server\share, \\wsl$\Debian
        return True
    return kind_of_drive(f"{drive}\\") == _REMOTE_DRIVE


def filesystem_of(folder: PurePath, mounts: str) -> str:
    """The kind of file system that a folder lies on. mounts: as Linux lists them, later ones lie
    over earlier ones; "" for none that fits.
    """
    found, longest = "", -1
    for line in mounts.splitlines():
        place, _, rest = line.partition(" - ")
        fields = place.split(" ")
        if len(fields) < 5 or not rest:
            continue
        point = PurePath(_ESCAPED.sub(lambda sign: chr(int(sign[1], 8)), fields[4]))
        if folder.is_relative_to(point) and len(point.parts) >= longest:
            found, longest = rest.split(" ", 1)[0], len(point.parts)
    return found
