"""Which drives tell nothing of what another machine changes."""

from __future__ import annotations

import sys
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest

from app.core import silent_drives
from app.core.silent_drives import filesystem_of, is_remote, is_silent

MOUNTS = """22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:21 / /srv rw - btrfs /dev/sda2 rw
24 23 0:45 / /srv/ada/NAS rw - nfs4 nas:/tank rw
25 23 0:46 / /srv/ada/My\\040share rw - cifs //nas/share rw
26 22 0:47 / /mnt/c rw - 9p C: rw
27 22 0:48 / /mnt/over rw - cifs //nas/a rw
28 27 0:49 / /mnt/over rw - ext4 /dev/sdb1 rw
nonsense
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/srv/ada/SillyTavern/data", "btrfs"),
        ("/srv/ada/NAS/SillyTavern", "nfs4"),
        ("/srv/ada/NASty", "btrfs"),
        ("/srv/ada/My share/data", "cifs"),
        ("/mnt/c/Users/Ada", "9p"),
        ("/mnt/over/data", "ext4"),  # what was mounted last lies on top
        ("/opt", "ext4"),
        ("relative", ""),
    ],
)
def test_the_innermost_mount_is_what_a_folder_lies_on(folder: str, kind: str) -> None:
    assert filesystem_of(PurePosixPath(folder), MOUNTS) == kind


@pytest.mark.parametrize(
    ("folder", "is_so"),
    [
        (r"\\wsl$\Debian\srv\SillyTavern", True),
        (r"\\wsl.localhost\Debian\home", True),
        (r"\\nas\share\SillyTavern", True),
        (r"N:\SillyTavern", True),
        (r"C:\SillyTavern", False),
    ],
)
def test_what_windows_has_from_elsewhere(folder: str, is_so: bool) -> None:
    kinds = {"N:\\": 4, "C:\\": 3}
    assert is_remote(PureWindowsPath(folder), kinds.__getitem__) is is_so


def test_a_network_drive_is_silent_and_a_disk_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    monkeypatch.setattr(silent_drives, "_MOUNTS", mounts)
    monkeypatch.setattr(sys, "platform", "linux")
    assert not is_silent(tmp_path)
    for kind, is_so in (("ext4", False), ("fuse.sshfs", True)):
        mounts.write_text(f"1 0 0:1 / / rw - {kind} /dev/x rw\n")
        assert is_silent(tmp_path) is is_so
