"""Finding SillyTavern's data and listing what is in it."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import NoTavern
from app.core.paths import places_of, text_of_places
from app.sillytavern.card import PNG_SIGNATURE, CardReader
from app.sillytavern.data_folders import PLACE_VARIABLE, chat_ref_for, find_taverns, usual_places
from app.story.story import ChatKind
from app.views.taverns import Tavern
from tests.chat_files import message, write_chat


@pytest.fixture(autouse=True)
def nobody_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without any SillyTavern, whatever this machine has."""
    home = tmp_path / "home"
    home.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    for name in (PLACE_VARIABLE, "XDG_DATA_HOME", "APPDATA", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture
def install(tmp_path: Path) -> Path:
    """An installation with one user who has two characters and a group."""
    user = make_user(tmp_path / "SillyTavern" / "data" / "default-user")
    (tmp_path / "SillyTavern" / "data" / "_cache" / "chats").mkdir(parents=True)
    (tmp_path / "SillyTavern" / "data" / "_cache" / "characters").mkdir()
    card(user, "Mira.png", "Captain Mira")
    card(user, "default_Ana.png", "Ana")
    chat(user, "chats/Mira/first.jsonl", 1)
    chat(user, "chats/Mira/second.jsonl", 3)
    chat(user, "chats/Mira/third.jsonl", 2)
    chat(user, "group chats/g1.jsonl", 1)
    chat(user, "group chats/g2.jsonl", 2)
    group(user, "7.json", id="7", name="Crew", chats=["g1", "g2", "gone"], chat_id="g2")
    return tmp_path / "SillyTavern"


def make_user(folder: Path) -> Path:
    for name in ("chats", "group chats", "groups", "characters"):
        (folder / name).mkdir(parents=True)
    return folder


def card(user: Path, avatar: str, name: str) -> None:
    """The smallest file that is a card."""
    body = b"chara\0" + base64.b64encode(json.dumps({"name": name}).encode())
    head = len(body).to_bytes(4, "big") + b"tEXt"
    (user / "characters" / avatar).write_bytes(PNG_SIGNATURE + head + body + bytes(4))


def chat(user: Path, name: str, age: int) -> Path:
    path = write_chat(user / name, [message(0)])
    os.utime(path, (1_700_000_000 + age, 1_700_000_000 + age))
    return path


def group(user: Path, file: str, **fields: Any) -> None:
    members = {"members": ["Mira.png", "default_Ana.png", "lost.png"]}
    (user / "groups" / file).write_text(json.dumps(members | fields))


def only(taverns: tuple[Tavern, ...]) -> Tavern:
    (tavern,) = taverns
    return tavern


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "data",
        "data/default-user",
        "data/default-user/chats",
        "data/default-user/chats/Mira",
        "..",
    ],
)
def test_any_folder_of_an_installation_leads_to_its_users(install: Path, inside: str) -> None:
    tavern = only(find_taverns(install / inside))
    assert tavern.user_folder.samefile(install / "data" / "default-user")
    assert tavern.user == "default-user"


def test_every_user_is_a_tavern(install: Path) -> None:
    make_user(install / "data" / "guest")
    assert [tavern.user for tavern in find_taverns(install)] == ["default-user", "guest"]


def test_the_data_root_of_the_configuration_is_followed(tmp_path: Path, install: Path) -> None:
    moved = tmp_path / "elsewhere"
    (install / "data").rename(moved)
    (install / "config.yaml").write_text(f'# dataRoot: no\ndataRoot: "{moved}"  # here\nport: 1\n')
    assert only(find_taverns(install)).user_folder == moved / "default-user"


def test_a_path_without_any_data_is_named_with_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(NoTavern, match="chats") as caught:
        find_taverns(tmp_path)
    assert str(tmp_path) in str(caught.value)
    with pytest.raises(NoTavern, match="does not exist"):
        find_taverns(tmp_path / "missing")


def test_without_a_path_nothing_found_is_no_error() -> None:
    assert find_taverns() == ()


def test_the_environment_names_the_place(install: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLACE_VARIABLE, str(install))
    assert only(find_taverns()).user == "default-user"
    monkeypatch.setenv(PLACE_VARIABLE, str(install / "missing"))
    with pytest.raises(NoTavern):
        find_taverns()


def test_several_places_hold_together_also_while_one_is_away(
    install: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user(tmp_path / "Other" / "data" / "guest")
    away = tmp_path / "drive"
    text = text_of_places([install, tmp_path / "Other", away, install])
    places = places_of(text)
    assert places == (install, tmp_path / "Other", away)
    assert [tavern.user for tavern in find_taverns(*places)] == ["default-user", "guest"]
    monkeypatch.setenv(PLACE_VARIABLE, text)
    assert [tavern.user for tavern in find_taverns()] == ["default-user", "guest"]
    with pytest.raises(NoTavern, match="drive"):
        find_taverns(away)


@pytest.mark.parametrize("name", ["a:b", "a;b", " a"])
def test_a_folder_whose_name_holds_the_sign_between_places_is_one(
    tmp_path: Path, name: str
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert places_of(str(folder)) == (folder,)
    assert places_of("") == ()


def test_the_usual_places_are_searched(nobody_at_home: Path, install: Path) -> None:
    install.rename(nobody_at_home / "SillyTavern")
    (nobody_at_home / "Documents").mkdir()
    (nobody_at_home / "Documents" / "SillyTavern").symlink_to(nobody_at_home / "SillyTavern")
    assert len(find_taverns()) == 1


@pytest.mark.parametrize(
    ("system", "environ", "place"),
    [
        ("linux", {}, "SillyTavern"),
        ("linux", {}, ".local/share/SillyTavern/data"),
        ("linux", {"XDG_DATA_HOME": "/x"}, "/x/SillyTavern/data"),
        ("linux", {}, "SillyTavern-Launcher/SillyTavern"),
        ("linux", {}, "/data/data/com.termux/files/home/SillyTavern"),
        ("darwin", {}, "Library/Application Support/SillyTavern/data"),
        ("darwin", {}, "Documents/SillyTavern"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/SillyTavern/Data/data"),
        ("win32", {"APPDATA": "/r"}, "/r/SillyTavern"),
        ("win32", {}, "SillyTavern-Launcher/SillyTavern"),
    ],
)
def test_where_each_system_keeps_it(system: str, environ: dict[str, str], place: str) -> None:
    assert Path("/home/me") / place in usual_places(system, environ, Path("/home/me"))


def test_characters_have_the_names_of_their_cards(install: Path) -> None:
    tavern = only(find_taverns(install))
    assert [(c.name, c.avatar) for c in tavern.characters] == [
        ("Ana", "default_Ana.png"),
        ("Captain Mira", "Mira.png"),
    ]
    assert tavern.characters[0].chats == ()


def test_chats_come_newest_first_and_know_whose_they_are(install: Path) -> None:
    mira = only(find_taverns(install)).characters[1]
    assert [chat.title for chat in mira.chats] == ["second", "third", "first"]
    newest = mira.chats[0]
    assert (newest.kind, newest.owner, newest.owner_name) == (ChatKind.SOLO, "Mira", "Captain Mira")
    assert newest.speakers == ("Captain Mira",)
    assert newest.user_folder == install / "data" / "default-user"
    assert newest.path.is_file()


def test_groups_have_their_members_names_and_the_chats_that_exist(install: Path) -> None:
    (crew,) = only(find_taverns(install)).groups
    assert (crew.name, crew.id) == ("Crew", "7")
    assert crew.members == ("Captain Mira", "Ana", "lost")
    assert [chat.title for chat in crew.chats] == ["g2", "g1"]
    assert (crew.chats[0].kind, crew.chats[0].owner) == (ChatKind.GROUP, "7")


def test_chats_that_lost_their_card_or_group_are_kept(install: Path) -> None:
    user = install / "data" / "default-user"
    chat(user, "chats/Forgotten/old.jsonl", 1)
    chat(user, "group chats/stray.jsonl", 1)
    tavern = only(find_taverns(install))
    forgotten = next(c for c in tavern.characters if c.name == "Forgotten")
    assert (forgotten.avatar, [c.title for c in forgotten.chats]) == ("", ["old"])
    stray = tavern.groups[-1]
    assert (stray.id, [c.title for c in stray.chats]) == ("", ["stray"])


def test_temporary_files_and_others_are_no_chats(install: Path) -> None:
    folder = install / "data" / "default-user" / "chats" / "Mira"
    (folder / "first.jsonl.1234567").write_text("{}")
    (folder / "notes.txt").write_text("x")
    assert len(only(find_taverns(install)).characters[1].chats) == 3


def test_what_cannot_be_read_is_reported_and_the_rest_is_there(install: Path) -> None:
    user = install / "data" / "default-user"
    (user / "characters" / "Broken.png").write_bytes(b"no picture")
    (user / "groups" / "bad.json").write_text("{")
    group(user, "odd.json", members="x", chats=None, chat_id=5, name=None)
    tavern = only(find_taverns(install))
    assert [problem.path.name for problem in tavern.problems] == ["Broken.png", "bad.json"]
    assert all(problem.path.name in problem.sentence for problem in tavern.problems)
    assert [c.name for c in tavern.characters] == ["Ana", "Broken", "Captain Mira"]
    assert [g.name for g in tavern.groups] == ["Crew", "odd"]


LIST_AS_NOBODY = """
import os, sys
from pathlib import Path
from app.sillytavern.data_folders import find_taverns
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
(tavern,) = find_taverns(Path(sys.argv[1]))
print(len(tavern.characters), *[problem.sentence for problem in tavern.problems])
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions of POSIX")
def test_a_closed_folder_is_reported() -> None:
    # Not below tmp_path: pytest's own folders are closed to others, and then they are to blame.
    with tempfile.TemporaryDirectory() as folder:
        user = make_user(Path(folder) / "user")
        Path(folder).chmod(0o755)
        card(user, "Mira.png", "Mira")
        chat(user, "chats/Mira/a.jsonl", 1)
        closed = user / "chats" / "Mira"
        closed.chmod(0)
        try:
            done = subprocess.run(
                [sys.executable, "-c", LIST_AS_NOBODY, str(user)],
                capture_output=True,
                text=True,
                timeout=30,
                check=True,
            )
        finally:
            closed.chmod(0o755)
    assert done.stdout.startswith("1 ")
    assert f"{closed} cannot be read" in done.stdout


SEARCH_AS_NOBODY = """
import os, sys
from app.sillytavern.data_folders import find_taverns
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
print(find_taverns())
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions of POSIX")
def test_a_usual_place_that_may_not_be_entered_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0)
        monkeypatch.setenv("HOME", folder)
        done = subprocess.run(
            [sys.executable, "-c", SEARCH_AS_NOBODY],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        Path(folder).chmod(0o700)
    assert done.stdout == "()\n"


@pytest.mark.parametrize("name", ["chats/Mira/first.jsonl", "group chats/g1.jsonl"])
def test_a_path_finds_the_same_chat_as_the_list(install: Path, name: str) -> None:
    path = install / "data" / "default-user" / name
    tavern = only(find_taverns(install))
    listed = [chat for owner in tavern.characters for chat in owner.chats]
    listed += [chat for group in tavern.groups for chat in group.chats]
    assert chat_ref_for(path) in listed
    assert chat_ref_for(path).path == path


def test_a_file_outside_of_any_tavern_goes_by_its_own_name(tmp_path: Path) -> None:
    ref = chat_ref_for(tmp_path / "chats" / "Mira" / "saved.jsonl")
    assert (ref.kind, ref.title, ref.owner_name) == (ChatKind.FILE, "saved", "")
    assert ref.user_folder is None


def test_a_chat_without_card_or_group_has_a_ref(install: Path) -> None:
    user = install / "data" / "default-user"
    assert chat_ref_for(user / "chats" / "Gone" / "a.jsonl").owner_name == "Gone"
    ref = chat_ref_for(user / "group chats" / "nobody.jsonl")
    assert (ref.kind, ref.title, ref.user_folder) == (ChatKind.GROUP, "nobody", user)


def test_a_card_that_changed_is_read_again(install: Path) -> None:
    cards = CardReader()
    before = only(find_taverns(install, cards=cards))
    path = install / "data" / "default-user" / "characters" / "Mira.png"
    card(install / "data" / "default-user", "Mira.png", "Admiral Mira")
    os.utime(path, (1, 1))
    after = only(find_taverns(install, cards=cards))
    assert [c.name for c in before.characters] == ["Ana", "Captain Mira"]
    assert [c.name for c in after.characters] == ["Admiral Mira", "Ana"]


def test_a_program_folder_without_data_says_where_they_may_be(tmp_path: Path) -> None:
    """ "Choose SillyTavern's folder", it said of SillyTavern's folder."""
    place = tmp_path / "SillyTavern"
    (place / "public").mkdir(parents=True)
    (place / "server.js").write_text("// starts it", "utf-8")
    with pytest.raises(NoTavern, match="--dataRoot"):
        find_taverns(place)
