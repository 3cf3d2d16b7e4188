"""Windows: a zip that runs where it is unpacked, and an installer by Inno Setup."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from bundle.freezing import BundleFailed, ToolMissing
from bundle.specification import BUNDLE, NAME, processor, project
from provision.places import say

INSTALLER = BUNDLE / "windows" / "installer.iss"
COMPILER = r"%ProgramFiles(x86)%\Inno Setup 6\ISCC.exe"


def make_zip(frozen: Path, work: Path, out: Path) -> Path:
    """Pack the frozen folder; the .zip in `out`."""
    title = f"{NAME}-{project().version}-windows-{processor()}"
    top = work / "zip"
    shutil.rmtree(top, ignore_errors=True)
    shutil.copytree(frozen, top / title)
    say(f"Packing {title}.zip ...")
    return Path(shutil.make_archive(str(out / title), "zip", top, title))


def make_installer(frozen: Path, work: Path, out: Path) -> Path:
    """Make the installer; the .exe in `out`. Raises ToolMissing without Inno Setup's compiler."""
    place = Path(os.path.expandvars(COMPILER))
    compiler = shutil.which("ISCC") or (str(place) if place.is_file() else None)
    if compiler is None:
        raise ToolMissing("ISCC is not installed (Inno Setup 6)")
    version = project().version
    values = (f"/DVersion={version}", f"/DProgram={frozen}", f"/DOut={out}")
    say("Making the installer ...")
    if subprocess.run([compiler, "/Qp", *values, str(INSTALLER)], stdout=sys.stderr).returncode:
        raise BundleFailed("Inno Setup failed; see above.")
    return out / f"{NAME}-{version}-windows-x86_64-setup.exe"
