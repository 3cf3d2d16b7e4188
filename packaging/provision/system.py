"""What the operating system has to bring: Qt's libraries on Linux, installed or named."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from provision.places import SetupFailed, say

# What Qt's wheels link to and do not bring: library and the Debian package that holds it.
DEBIAN_PACKAGES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libGLX.so.0": "libglx0",
    "libOpenGL.so.0": "libopengl0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
APT = ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0"]
INSTALL = [*APT, "install", "--yes", "--no-install-recommends"]


def is_debian() -> bool:
    """Debian or a system made from it, such as Ubuntu."""
    return sys.platform == "linux" and shutil.which("apt-get") is not None


def is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def can_install() -> bool:
    """Packages can be installed without asking anybody."""
    return is_debian() and is_root()


def install_packages(packages: Sequence[str], *, why: str) -> None:
    """Install Debian packages, or raise SetupFailed with the command that does.

    why: half a sentence that names what is missing.
    """
    if not can_install():
        command = f"sudo apt-get install --yes {' '.join(packages)}"
        hint = (
            f"Install it with: {command}" if is_debian() else "Install it with your system's tools."
        )
        raise SetupFailed(f"{why}. {hint}")
    say(f"{why}. Installing {' '.join(packages)} ...")
    environ = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    if _succeeds([*INSTALL, *packages], environ):
        return
    # A fresh system or container has no package lists yet, or ones that are too old.
    _succeeds([*APT, "update"], environ)
    if not _succeeds([*INSTALL, *packages], environ):
        raise SetupFailed(f"{why}, and apt-get could not install {' '.join(packages)}; see above.")


def require_qt_libraries(python: Path, platform_plugins: Iterable[str]) -> None:
    """Install or name the system libraries that Qt misses on Linux.

    platform_plugins: Qt's names for how it draws, such as `xcb`, `wayland` or `offscreen`.
    """
    if sys.platform != "linux":
        return
    missing = missing_libraries(_qt_files(python, platform_plugins))
    if not missing:
        return
    why = f"Qt misses {', '.join(missing)}"
    if is_debian():
        packages = sorted({DEBIAN_PACKAGES[name] for name in missing if name in DEBIAN_PACKAGES})
        if packages:
            install_packages(packages, why=why)
        missing = missing_libraries(_qt_files(python, platform_plugins)) if can_install() else []
        if missing:
            raise SetupFailed(f"Qt still misses {', '.join(missing)}. Install what holds them.")
        return
    raise SetupFailed(f"{why}. {_install_hint(missing)}")


def missing_libraries(files: Iterable[Path]) -> list[str]:
    """The names of the libraries that the loader does not find for `files`, sorted."""
    loader = shutil.which("ldd")
    existing = [str(file) for file in files if file.exists()]
    if loader is None or not existing:
        return []
    listed = subprocess.run([loader, *existing], capture_output=True, text=True, timeout=60)
    found = re.findall(r"^\s*(\S+) => not found", listed.stdout, flags=re.MULTILINE)
    return sorted(set(found))


def qt_plugins_for_window() -> list[str]:
    """Qt's platform plugins that a window needs here; SetupFailed when nothing can show one."""
    chosen = os.environ.get("QT_QPA_PLATFORM")
    if chosen:
        return [chosen.split(":")[0]]
    if sys.platform != "linux" or os.environ.get("DISPLAY"):
        return ["xcb"]
    if os.environ.get("WAYLAND_DISPLAY"):
        return ["wayland"]
    raise SetupFailed(
        "There is no display to open the window on: start it from a desktop session, "
        "or give a command to work without a window ('run --help' lists them).",
        exit_code=2,
    )


def _qt_files(python: Path, platform_plugins: Iterable[str]) -> list[Path]:
    qt = next(python.parent.parent.glob("lib*/python*/site-packages/PySide6"), None)
    if qt is None:
        return []
    plugins = qt / "Qt" / "plugins" / "platforms"
    return [
        *(plugins / f"libq{name}.so" for name in platform_plugins),
        *(qt / "Qt" / "lib" / f"libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "Svg")),
    ]


def _install_hint(libraries: Sequence[str]) -> str:
    """dnf and zypper find packages by the library inside."""
    for tool in ("dnf", "zypper"):
        if shutil.which(tool):
            names = " ".join(f"'{name}()(64bit)'" for name in libraries)
            return f"Install them with: sudo {tool} install {names}"
    return "Install the packages of your system that hold them."


def _succeeds(command: Sequence[str], environ: dict[str, str]) -> bool:
    return subprocess.run(command, stdout=sys.stderr, env=environ).returncode == 0
