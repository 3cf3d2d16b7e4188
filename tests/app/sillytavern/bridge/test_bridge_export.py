"""The extension's folder for a SillyTavern elsewhere: whole, without a secret, in nobody's way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.core.errors import BridgeError
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_export import export
from app.sillytavern.bridge.bridge_installer import SOURCE


def test_an_export_is_the_extension_and_says_that_no_token_comes(tmp_path: Path) -> None:
    folder = export(tmp_path / "for docker")
    assert folder == tmp_path / "for docker" / "tavernkeep"
    exported = {path.name for path in folder.iterdir()}
    assert exported == {path.name for path in SOURCE.iterdir()} | {"pairing.json"}
    pairing = json.loads((folder / "pairing.json").read_bytes())
    assert pairing == {"port": 0, "token": "", "remote": True}
    for path in SOURCE.iterdir():
        assert (folder / path.name).read_bytes() == path.read_bytes()


def test_an_export_is_brought_up_to_date(tmp_path: Path) -> None:
    folder = export(tmp_path)
    (folder / "index.js").write_text("old")
    assert export(tmp_path) == folder
    assert (folder / "index.js").read_bytes() == (SOURCE / "index.js").read_bytes()


def test_an_installed_bridge_is_not_made_a_remote_one(tmp_path: Path) -> None:
    user_folder = tmp_path / "default-user"
    user_folder.mkdir()
    (user_folder / "settings.json").write_text("{}")
    bridge_installer.install(user_folder)
    bridge_installer.write_pairing(user_folder, 47100, "secret")
    with pytest.raises(BridgeError, match="already exists"):
        export(user_folder / "extensions")
    pairing = bridge_installer.extension_folder(user_folder) / "pairing.json"
    assert json.loads(pairing.read_bytes())["token"] == "secret"


def test_somebody_elses_folder_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "tavernkeep").mkdir()
    (tmp_path / "tavernkeep" / "mine.txt").write_text("mine")
    with pytest.raises(BridgeError, match="already exists"):
        export(tmp_path)
    assert [path.name for path in (tmp_path / "tavernkeep").iterdir()] == ["mine.txt"]


def test_a_tavern_that_is_found_with_an_exported_bridge_becomes_a_local_one(tmp_path: Path) -> None:
    user_folder = tmp_path / "default-user"
    user_folder.mkdir()
    (user_folder / "settings.json").write_text("{}")
    export(user_folder / "extensions")
    assert bridge_installer.write_pairing(user_folder, 47100, "secret")
    pairing = bridge_installer.extension_folder(user_folder) / "pairing.json"
    assert json.loads(pairing.read_bytes()) == {"port": 47100, "token": "secret"}


def test_a_place_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BridgeError, match="could not be saved"):
        export(tmp_path / "file")
