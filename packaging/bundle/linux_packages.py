"""Linux: a tarball that runs where it is unpacked, and a .deb of the same files."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

from bundle.freezing import BundleFailed, require_program
from bundle.icons import draw, drawing
from bundle.linking import outside
from bundle.specification import BUNDLE, MAINTAINER, NAME, processor, project
from provision.places import CHECKOUT, say
from provision.system import DEBIAN_PACKAGES

FILES = BUNDLE / "linux"
ICON_SIDE = 256
# Loaded by name at run time, so that nothing links to them.
LOADED_PACKAGES = ("libwayland-cursor0", "libwayland-egl1", "fontconfig")
DEBIAN_PROCESSORS = {"x86_64": "amd64", "arm64": "arm64"}
COMPILERS_PACKAGES = {"libgcc_s.so.1": "libgcc-s1", "libstdc++.so.6": "libstdc++6"}
# libc6's own, of which ld-linux is named after the processor.
OF_LIBC = re.compile(r"(lib(c|m|dl|pthread|resolv|rt|util)|ld-linux.*)\.so\.\d+")
CONTROL = """Package: {name}
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {kilobytes}
Depends: {depends}
Recommends: gnome-keyring | kwalletmanager | keepassxc
Section: utils
Priority: optional
Description: memory for long SillyTavern stories
 Finds where scenes end, writes recaps of scenes and of the whole story,
 remembers who knows what, and puts what fits the token budget into
 SillyTavern's next prompt. Works without a model, too.
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tavernkeep

Files: *
Copyright: The Tavernkeep maintainers
License: AGPL-3.0-or-later
 The whole text lies beside this file as LICENSE.
"""


def lay_out_share(share: Path) -> None:
    """Write desktop file, icons and AppStream data as they lie below /usr/share."""
    scalable = share / "icons" / "hicolor" / "scalable" / "apps"
    fixed = share / "icons" / "hicolor" / f"{ICON_SIDE}x{ICON_SIDE}" / "apps"
    for folder in (scalable, fixed, share / "applications", share / "metainfo"):
        folder.mkdir(parents=True)
    (scalable / f"{NAME}.svg").write_text(drawing(), encoding="utf-8")
    draw(fixed / f"{NAME}.png", ICON_SIDE)
    shutil.copyfile(FILES / f"{NAME}.desktop", share / "applications" / f"{NAME}.desktop")
    metainfo = (FILES / "metainfo.xml").read_text(encoding="utf-8")
    date = time.strftime("%Y-%m-%d", time.gmtime(_epoch()))
    metainfo = metainfo.replace("@VERSION@", project().version).replace("@DATE@", date)
    (share / "metainfo" / f"{NAME}.metainfo.xml").write_text(metainfo, encoding="utf-8")


def make_tarball(frozen: Path, work: Path, out: Path) -> Path:
    """Pack the frozen folder with its share folder; the .tar.xz in `out`."""
    title = f"{NAME}-{project().version}-linux-{processor()}"
    top = _fresh(work / "tarball") / title
    shutil.copytree(frozen, top, symlinks=True)
    lay_out_share(top / "share")
    shutil.copy(FILES / "add-to-menu.sh", top)
    shutil.copyfile(CHECKOUT / "LICENSE", top / "LICENSE")
    file = out / f"{title}.tar.xz"
    say(f"Packing {file.name} ...")
    with tarfile.open(file, "w:xz", preset=6) as archive:
        for path in sorted([top, *top.rglob("*")]):
            archive.add(path, path.relative_to(top.parent), recursive=False, filter=_nobodys)
    return file


def make_deb(frozen: Path, work: Path, out: Path) -> Path:
    """Pack the frozen folder as a Debian package; the .deb in `out`. Raises ToolMissing."""
    tool = require_program("dpkg-deb", "Debian's package dpkg")
    root = _fresh(work / "deb")
    program = root / "usr" / "lib" / NAME
    program.parent.mkdir(parents=True)
    shutil.copytree(frozen, program, symlinks=True)
    (root / "usr" / "bin").mkdir()
    (root / "usr" / "bin" / NAME).symlink_to(f"../lib/{NAME}/{NAME}")
    lay_out_share(root / "usr" / "share")
    documents = root / "usr" / "share" / "doc" / NAME
    documents.mkdir(parents=True)
    (documents / "copyright").write_text(COPYRIGHT, encoding="utf-8")
    shutil.copyfile(CHECKOUT / "LICENSE", documents / "LICENSE")
    _write_control(root, program)
    architecture = DEBIAN_PROCESSORS.get(processor(), processor())
    file = out / f"{NAME}_{project().version}_{architecture}.deb"
    say(f"Packing {file.name} ...")
    environ = os.environ | {"SOURCE_DATE_EPOCH": str(_epoch())}
    command = [tool, "--root-owner-group", "-Zxz", "--build", str(root), str(file)]
    if subprocess.run(command, env=environ, stdout=subprocess.DEVNULL).returncode != 0:
        raise BundleFailed("dpkg-deb failed; see above.")
    return file


def depends(program: Path) -> list[str]:
    """The Debian packages that hold what the bundle links to and does not bring.

    Raises BundleFailed for a library of which nobody has said where it comes from.
    """
    homes = DEBIAN_PACKAGES | COMPILERS_PACKAGES
    packages, unknown = set(LOADED_PACKAGES), []
    taken = outside(program)
    for library in taken.libraries:
        package = homes.get(library)
        if OF_LIBC.fullmatch(library):
            package = f"libc6 (>= {'.'.join(map(str, taken.libc))})"
        if package is None:
            unknown.append(library)
        else:
            packages.add(package)
    if unknown:
        raise BundleFailed(f"Which Debian package holds {', '.join(unknown)}?")
    return sorted(packages)


def _write_control(root: Path, program: Path) -> None:
    about = root / "DEBIAN"
    about.mkdir()
    files = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink()]
    files = [path for path in files if about not in path.parents]
    control = CONTROL.format(
        name=NAME,
        version=project().version,
        architecture=DEBIAN_PROCESSORS.get(processor(), processor()),
        maintainer=MAINTAINER,
        kilobytes=sum(path.stat().st_size for path in files) // 1024,
        depends=", ".join(depends(program)),
    )
    (about / "control").write_text(control, encoding="utf-8")
    sums = [f"{hashlib.md5(p.read_bytes()).hexdigest()}  {p.relative_to(root)}\n" for p in files]
    (about / "md5sums").write_text("".join(sums), encoding="utf-8")


def _epoch() -> int:
    """The release's time: that of the commit where there is one, so that two builds agree."""
    said = os.environ.get("SOURCE_DATE_EPOCH")
    if said:
        return int(said)
    command = ["git", "-C", str(CHECKOUT), "log", "-1", "--format=%ct"]
    try:
        return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    except (OSError, ValueError, subprocess.CalledProcessError):
        return int(time.time())


def _nobodys(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mtime = _epoch()
    return entry


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
