"""Installing the bridge touches what is ours and nothing else."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from itertools import count
from pathlib import Path

import pytest

from app.core.errors import BridgeError
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_file import BRIDGE_FILE, write_for_tavern
from app.sillytavern.bridge.bridge_installer import (
    SOURCE,
    extension_folder,
    install,
    program_version,
    remove,
    status,
    update,
    write_pairing,
)
from app.sillytavern.guarded_write import DIGITS
from tests.disk_faults import FILE_FAULTS


@pytest.fixture
def user_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "default-user"
    (folder / "extensions" / "other").mkdir(parents=True)
    (folder / "extensions" / "other" / "manifest.json").write_text("{}")
    (folder / "settings.json").write_text('{"mine": true}')
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_install_brings_every_file_of_the_extension(user_folder: Path) -> None:
    result = install(user_folder)
    assert result.installed
    assert not result.newer_available
    assert result.version == program_version()
    installed = files(result.path)
    for source in SOURCE.iterdir():
        assert installed[source.name] == source.read_bytes()
    assert json.loads(installed["pairing.json"]) == {"port": 0, "token": ""}
    assert "chats" in json.loads((user_folder / BRIDGE_FILE).read_text())


@pytest.mark.parametrize(
    ("settings", "is_off"),
    [
        ('{"extension_settings": {"disabledExtensions": ["third-party/tavernkeep"]}}', True),
        ('{"extension_settings": {"disabledExtensions": ["third-party/other", 3]}}', False),
        ('{"extension_settings": {"disabledExtensions": "third-party/tavernkeep"}}', False),
        ('{"extension_settings": []}', False),
        ("no JSON", False),
    ],
)
def test_it_says_when_sillytavern_does_not_load_it(
    user_folder: Path, settings: str, is_off: bool
) -> None:
    (user_folder / "settings.json").write_text(settings)
    assert not status(user_folder).is_switched_off  # nothing is there to be switched off
    now = install(user_folder)
    assert now.is_switched_off is is_off
    assert ("switched off" in now.sentence) is is_off


def test_the_script_says_the_version_of_the_manifest() -> None:
    script = (SOURCE / "index.js").read_text()
    said = re.search(r"const VERSION = '(.+)';", script)
    assert said is not None
    assert said[1] == program_version()


def test_remove_leaves_the_tavern_as_it_was(user_folder: Path) -> None:
    before = files(user_folder)
    install(user_folder)
    write_pairing(user_folder, 4000, "token")
    result = remove(user_folder)
    assert not result.installed
    assert files(user_folder) == before
    assert not extension_folder(user_folder).exists()


def test_remove_leaves_files_of_others_and_says_so(user_folder: Path) -> None:
    folder = install(user_folder).path
    (folder / "notes.txt").write_text("mine")
    result = remove(user_folder)
    assert not result.installed
    assert str(folder) in result.sentence
    assert files(folder) == {"notes.txt": b"mine"}


def test_removing_what_is_not_there_is_no_error(user_folder: Path) -> None:
    assert not remove(user_folder).installed


def test_installing_again_keeps_the_pairing(user_folder: Path) -> None:
    install(user_folder)
    write_pairing(user_folder, 4000, "token")
    install(user_folder)
    pairing = json.loads((extension_folder(user_folder) / "pairing.json").read_text())
    assert pairing == {"port": 4000, "token": "token"}


def make_older(user_folder: Path) -> Path:
    folder = install(user_folder).path
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"version": "0.0.9"}))
    (folder / "old.js").write_text("")
    inventory = json.loads((folder / "installed.json").read_text())
    inventory["files"] += ["old.js", "../../../settings.json"]
    (folder / "installed.json").write_text(json.dumps(inventory))
    return folder


def test_an_older_version_is_brought_up_to_date_with_its_files(user_folder: Path) -> None:
    folder = make_older(user_folder)
    assert status(user_folder).newer_available
    assert update(user_folder)
    assert status(user_folder).version == program_version()
    assert not (folder / "old.js").exists()
    assert not update(user_folder)


def test_a_list_of_files_that_was_tampered_with_deletes_nothing_else(user_folder: Path) -> None:
    make_older(user_folder)
    remove(user_folder)
    assert (user_folder / "settings.json").read_text() == '{"mine": true}'


def test_a_newer_installed_version_is_not_called_outdated(user_folder: Path) -> None:
    folder = install(user_folder).path
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"version": "99.0"}))
    assert not status(user_folder).newer_available


@pytest.mark.parametrize("manifest", ["{}", "[]", "{broken", '{"display_name":"Tavernkeep"}', None])
def test_a_folder_that_is_not_ours_is_left_alone(user_folder: Path, manifest: str | None) -> None:
    folder = extension_folder(user_folder)
    folder.mkdir()
    (folder / "index.js").write_text("theirs")
    if manifest is not None:
        (folder / "manifest.json").write_text(manifest)
    before = files(user_folder)
    with pytest.raises(BridgeError, match="something else"):
        install(user_folder)
    with pytest.raises(BridgeError, match="not touched"):
        remove(user_folder)
    assert not status(user_folder).installed
    assert not write_pairing(user_folder, 1, "t")
    assert files(user_folder) == before


def test_a_link_to_a_folder_elsewhere_is_left_alone(user_folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "working-copy"
    install(tmp_path / "scratch").path.rename(elsewhere)
    extension_folder(user_folder).symlink_to(elsewhere)
    before = files(elsewhere)
    with pytest.raises(BridgeError):
        install(user_folder)
    with pytest.raises(BridgeError):
        remove(user_folder)
    assert files(elsewhere) == before


def test_no_pairing_is_written_where_nothing_is_installed(user_folder: Path) -> None:
    before = files(user_folder)
    assert not write_pairing(user_folder, 4000, "token")
    assert files(user_folder) == before


def test_a_tavern_that_cannot_be_written_is_said_in_words(user_folder: Path) -> None:
    (user_folder / "extensions" / "other" / "manifest.json").unlink()
    (user_folder / "extensions" / "other").rmdir()
    (user_folder / "extensions").rmdir()
    (user_folder / "extensions").write_text("a file where a folder should be")
    with pytest.raises(BridgeError, match="could not be installed"):
        bridge_installer.install(user_folder)


@pytest.fixture
def small_bridge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few files: each is written with certainty, which takes a disk its time."""
    source = tmp_path / "bridge"
    source.mkdir()
    for name in ("index.js", "manifest.json", "style.css"):
        (source / name).write_bytes((SOURCE / name).read_bytes())
    monkeypatch.setattr(bridge_installer, "SOURCE", source)


def fill_disk_after(monkeypatch: pytest.MonkeyPatch, writes: int) -> None:
    """Let so many files be written, and no more."""
    real, number = write_for_tavern, count()

    def write(user_folder: Path, path: Path, data: bytes, **how: bool) -> None:
        if next(number) >= writes:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        real(user_folder, path, data, **how)

    monkeypatch.setattr(bridge_installer, "write_for_tavern", write)


def test_what_a_full_disk_stopped_is_not_called_installed_and_can_be_done_again(
    user_folder: Path, small_bridge: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    untouched = files(user_folder)
    whole = files(install(user_folder).path)
    remove(user_folder)
    for writes in range(len(whole) + 2):  # the bridge file, and the list of its files again
        with monkeypatch.context() as patch:
            fill_disk_after(patch, writes)
            with pytest.raises(BridgeError, match="No space left"):
                install(user_folder)
            is_whole = status(user_folder).installed
            left = files(extension_folder(user_folder))
            assert is_whole == ("manifest.json" in left)
            assert not is_whole or whole.keys() <= left.keys()
        if writes % 2:
            assert not remove(user_folder).installed
            assert files(user_folder) == untouched
        assert install(user_folder).installed
        assert files(extension_folder(user_folder)) == whole
        remove(user_folder)
        assert files(user_folder) == untouched


def test_an_update_that_a_full_disk_stopped_is_made_up_for(
    user_folder: Path, small_bridge: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = files(install(user_folder).path)
    for writes in range(len(whole)):
        make_older(user_folder)
        with monkeypatch.context() as patch:
            fill_disk_after(patch, writes)
            with pytest.raises(BridgeError):
                update(user_folder)
        now = status(user_folder)
        assert now.installed
        assert (
            now.newer_available
            or whole.items()
            <= (files(now.path) | {"installed.json": whole["installed.json"]}).items()
        )
        update(user_folder)
        install(user_folder)
        assert files(now.path) == whole


def test_what_a_dead_installer_left_half_written_is_no_obstacle_and_goes(
    user_folder: Path, small_bridge: None
) -> None:
    untouched = files(user_folder)
    for act in (install, remove):
        folder = extension_folder(user_folder)
        folder.mkdir(exist_ok=True)
        (folder / f"installed.json.{'7' * DIGITS}").write_text("{")
        act(user_folder)
        assert not list(folder.glob("*.7*"))
    assert files(user_folder) == untouched


@pytest.mark.skipif(os.name != "posix", reason="limits and rights of POSIX")
@pytest.mark.parametrize("fault", FILE_FAULTS)
def test_a_pairing_that_cannot_be_written_stays_as_it_was(
    user_folder: Path, fault: Callable[[], AbstractContextManager[None]]
) -> None:
    install(user_folder)
    write_pairing(user_folder, 4000, "token")
    before = files(user_folder)
    with fault(), pytest.raises(BridgeError, match=r"could not be told .*: \w.*\.$"):
        write_pairing(user_folder, 4001, "other")
    assert files(user_folder) == before
    write_pairing(user_folder, 4001, "other")
    assert files(user_folder) != before


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_the_token_is_read_by_sillytaverns_user_alone_from_the_first_moment(
    user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user_folder / "settings.json").chmod(0o644)
    put, seen = Path.replace, []

    def replace(path: Path, target: Path) -> Path:
        if target.name == "pairing.json":
            seen.append(path.stat().st_mode & 0o777)
        return put(path, target)

    monkeypatch.setattr(Path, "replace", replace)
    path = install(user_folder).path / "pairing.json"
    path.chmod(0o644)  # as an older version left it
    assert write_pairing(user_folder, 47100, "secret")
    assert [*seen, path.stat().st_mode & 0o777] == [0o600, 0o600, 0o600]
    # What is no secret stays readable for whoever reads the tavern.
    assert (path.parent / "index.js").stat().st_mode & 0o777 == 0o644


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_a_sillytavern_that_runs_as_another_user_can_read_the_token(
    user_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user_folder / "settings.json").chmod(0o640)
    owner = user_folder.stat().st_uid
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    path = install(user_folder).path / "pairing.json"
    assert write_pairing(user_folder, 47100, "secret")
    assert path.stat().st_mode & 0o777 == 0o640
