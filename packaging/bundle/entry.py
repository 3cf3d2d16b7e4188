"""Where the frozen program begins."""

import os
import sys
from collections.abc import MutableMapping
from pathlib import Path
from types import ModuleType


def give_back(environ: MutableMapping[str, str]) -> None:
    """Undo what the frozen program's loader changed, which is not for the programs that it starts.

    A browser or a file manager would else load our libraries in place of its own, and a new start
    of this program would take itself for a part of the old one.
    """
    for name in [name for name in environ if name.startswith("_PYI_")]:
        del environ[name]
    for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"):
        before = environ.pop(f"{name}_ORIG", None)
        if before:
            environ[name] = before
        else:
            environ.pop(name, None)


def find_streams() -> None:
    """Windows gives none to a program without a console."""
    if sys.stdout is None or sys.stderr is None:
        nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until it ends
        sys.stdout = sys.stdout or nowhere
        sys.stderr = sys.stderr or nowhere


def find_loose_modules(loader: ModuleType | None) -> None:
    """Leave the search for modules to Python where none lies in the frozen program's archive.

    Its finder looks there first for each of a thousand modules, then asks Python's and puts into
    words what that found: a fortieth of the time to a window at work.
    loader: PyInstaller's module for imports.
    """
    if loader is None or loader.pyz_archive.toc:
        return
    sys.path_hooks.remove(loader.PyiFrozenFinder.path_hook)
    sys.path_importer_cache.clear()


if __name__ == "__main__":
    give_back(os.environ)
    find_loose_modules(sys.modules.get("pyimod02_importers"))
    find_streams()
    from ui.__main__ import main

    sys.exit(main())
