"""Make what people install: freeze the program and pack it for the system that this runs on.

    python packaging/build.py                   all of this system's packages, into dist/
    python packaging/build.py --only tarball    one of them
    python packaging/build.py --check           freeze and try it, pack nothing

Linux: tarball, deb. Windows: zip, installer. macOS: image. It needs the program's dependencies and
PyInstaller; `bootstrap.py build` gives it an environment of its own with both.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bundle import checking, linux_packages, macos_packages, windows_packages
from bundle.freezing import BundleFailed, ToolMissing, freeze
from provision.places import CHECKOUT, say

Packer = Callable[[Path, Path, Path], Path]
PACKERS: dict[str, dict[str, Packer]] = {
    "linux": {"tarball": linux_packages.make_tarball, "deb": linux_packages.make_deb},
    "win32": {"zip": windows_packages.make_zip, "installer": windows_packages.make_installer},
    "darwin": {"image": macos_packages.make_image},
}
SUMS = "SHA256SUMS"


def main(arguments: Sequence[str]) -> int:
    """Do what the command line says; the exit code: 3 where a tool is missing."""
    packers = PACKERS.get(sys.platform, {})
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=CHECKOUT / "dist", help="where packages go")
    parser.add_argument("--work", type=Path, default=CHECKOUT / "build", help="for what is between")
    parser.add_argument("--only", nargs="+", choices=sorted(packers), default=sorted(packers))
    parser.add_argument("--check", action="store_true", help="freeze and try it, pack nothing")
    options = parser.parse_args(arguments)
    try:
        frozen = freeze(options.work)
        say("Trying the frozen program ...")
        checking.check(frozen)
        if options.check:
            return 0
        options.out.mkdir(parents=True, exist_ok=True)
        made = [packers[name](frozen, options.work, options.out) for name in options.only]
    except ToolMissing as missing:
        say(f"{missing}.")
        return 3
    except BundleFailed as failure:
        say(str(failure))
        return 1
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made]
    (options.out / SUMS).write_text("".join(sums), encoding="utf-8", newline="\n")
    for file in made:
        print(f"{file.stat().st_size / 1e6:6.1f} MB  {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
