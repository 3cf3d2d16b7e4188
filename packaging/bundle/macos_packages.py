"""macOS: the app in a disk image, one for each processor."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bundle.freezing import BundleFailed, require_program
from bundle.specification import NAME, TITLE, processor, project
from provision.places import say


def make_image(app: Path, work: Path, out: Path) -> Path:
    """Pack the app beside a link to Applications; the .dmg in `out`. Raises ToolMissing."""
    tool = require_program("hdiutil", "comes with macOS")
    top = work / "image"
    shutil.rmtree(top, ignore_errors=True)
    shutil.copytree(app, top / app.name, symlinks=True)
    (top / "Applications").symlink_to("/Applications")
    file = out / f"{NAME}-{project().version}-macos-{processor()}.dmg"
    say(f"Packing {file.name} ...")
    command = [tool, "create", "-volname", TITLE, "-srcfolder", str(top), "-ov", "-format", "ULFO"]
    if subprocess.run([*command, str(file)], stdout=sys.stderr).returncode != 0:
        raise BundleFailed("hdiutil failed; see above.")
    return file
