"""The copy of another machine's SillyTavern: read like a real one, and never left by a name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import BridgeError, CopyRefused, WriteRefused
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.card import CardReader
from app.sillytavern.chat_copies import ChatCopies
from app.sillytavern.chat_file import read_chat
from app.sillytavern.copy_mark import MARK
from app.sillytavern.data_folders import is_user_folder, load_tavern
from app.sillytavern.guarded_write import guarded_replace
from app.sillytavern.remote import copy_folder
from app.sillytavern.remote.chat_draft import CopiedChat
from app.sillytavern.remote.copy_folder import CopyFolder, checked_name
from app.sillytavern.remote.page_answers import PageGroup, PageMember

CHAT = ChatIdentity("solo", "Evening", avatar="Ada.png")
GROUP_CHAT = ChatIdentity("group", "Gathering", group="1700000000000")
COPIED = CopiedChat(
    b'{"integrity":"one"}',
    (b'{"name":"Ada","mes":"The lamp burns."}', '{"name":"Mira","mes":"Für wen?"}'.encode()),
)


@pytest.fixture
def copy(tmp_path: Path) -> CopyFolder:
    copy = CopyFolder(tmp_path / "copies" / "0123456789abcdef")
    copy.prepare("tavern.example:8000")
    return copy


def test_a_copy_reads_like_sillytaverns_own_folder(copy: CopyFolder) -> None:
    path = copy.write_chat(CHAT, COPIED)
    copy.write_card(PageMember("Ada.png", "Ada Lovelace", description="{{char}} counts."))
    copy.write_card(PageMember("Bram.png", "Bram"))
    copy.write_chat(GROUP_CHAT, COPIED)
    group = PageGroup("1700000000000", "Crew", ("Ada.png", "Bram.png"), ("Gathering", "Older"))
    copy.write_group(group, "Gathering")

    assert is_user_folder(copy.folder)
    tavern = load_tavern(copy.folder, CardReader())
    assert tavern.problems == ()
    assert tavern.host == "tavern.example:8000"
    assert [character.name for character in tavern.characters] == ["Ada Lovelace", "Bram"]
    assert tavern.groups[0].members == ("Ada Lovelace", "Bram")
    assert tavern.groups[0].chats[0].title == "Gathering"
    snapshot = read_chat(path)
    assert [line.text for line in snapshot.lines] == ["The lamp burns.", "Für wen?"]
    assert snapshot.integrity == "one"
    assert ChatIdentity.of(tavern.characters[0].chats[0]) == CHAT


def test_what_was_written_is_had_again_and_a_foreign_file_is_not(copy: CopyFolder) -> None:
    assert copy.chat(CHAT) is None
    path = copy.write_chat(CHAT, COPIED)
    assert copy.chat(CHAT) == COPIED
    path.write_text(json.dumps({"user_name": "Mira", "chat_metadata": {}}))
    assert copy.chat(CHAT) is None


def test_a_copy_is_not_written_as_if_it_were_the_chat(copy: CopyFolder, tmp_path: Path) -> None:
    for chat in (CHAT, GROUP_CHAT):
        path = copy.write_chat(chat, COPIED)
        with pytest.raises(WriteRefused, match="another machine"):
            guarded_replace(path, read_chat(path), path.read_bytes(), tmp_path / "backups")
        copies = ChatCopies(tmp_path / "copies-of-chats")
        kept = copies.keep(path, path.read_bytes(), 1_700_000_000)
        with pytest.raises(WriteRefused, match="another machine"):
            copies.restore(kept, path)
        assert copy.chat(chat) == COPIED


def test_what_is_the_same_is_not_written_again(copy: CopyFolder) -> None:
    path = copy.write_chat(CHAT, COPIED)
    before = path.stat().st_ino
    copy.write_chat(CHAT, COPIED)
    assert path.stat().st_ino == before


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", "../x", "a/b", "a\\b", "/etc/passwd", "C:\\x", "C:x", "a\0b", "a\nb"),
        *("x:stream", "CON", "nul", "com1.png", "aux.jsonl", "a ", "a.", " a", ".hidden", "~/\x7f"),
        *("a*", "a?", 'a"', "a<b>", "a|b", "é" * 101, "x" * 201, "a\ud800"),
    ],
)
def test_a_name_that_could_leave_its_folder_on_any_system_is_refused(
    copy: CopyFolder, name: str
) -> None:
    before = sorted(copy.folder.parent.parent.rglob("*"))
    with pytest.raises(CopyRefused):
        checked_name(name)
    with pytest.raises(CopyRefused):
        copy.write_card(PageMember(f"{name}/.png" if name else "", "x"))
    with pytest.raises(CopyRefused):
        copy.write_group(PageGroup(name, "x", ()), "x")
    made: tuple[Callable[[], ChatIdentity], ...] = (
        lambda: ChatIdentity("solo", name, avatar="Ada.png"),
        lambda: ChatIdentity("solo", "x", avatar=f"{name}/.png"),
        lambda: ChatIdentity("group", name, group="1"),
        lambda: ChatIdentity("group", "x", group=name),
    )
    for make in made:
        with pytest.raises((CopyRefused, ValueError)):
            copy.write_chat(make(), COPIED)
    assert sorted(copy.folder.parent.parent.rglob("*")) == before


@given(st.text(max_size=30))
def test_a_name_that_is_taken_names_one_file_below_its_folder(name: str) -> None:
    try:
        taken = checked_name(name)
    except CopyRefused:
        return
    path = Path("/copies/one/chats") / taken
    assert path.parent == Path("/copies/one/chats")
    assert path.name == name


def test_a_card_without_a_cards_name_is_refused(copy: CopyFolder) -> None:
    with pytest.raises(CopyRefused):
        copy.write_card(PageMember("Ada.exe", "Ada"))
    with pytest.raises(CopyRefused):
        copy.write_chat(ChatIdentity("solo", "x", avatar="Ada"), COPIED)


def test_no_link_is_followed(copy: CopyFolder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (copy.folder / "chats" / "Ada").symlink_to(elsewhere)
    with pytest.raises(CopyRefused, match="somewhere else"):
        copy.write_chat(CHAT, COPIED)
    assert not list(elsewhere.iterdir())
    (copy.folder / "characters" / "Ada.png").symlink_to(elsewhere / "stolen.png")
    with pytest.raises(CopyRefused, match="somewhere else"):
        copy.write_card(PageMember("Ada.png", "Ada"))
    assert not list(elsewhere.iterdir())


def test_a_page_cannot_fill_the_disk_with_names(
    copy: CopyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_folder, "MOST_FILES", 2)
    for name in ("a.png", "b.png", "a.png"):
        copy.write_card(PageMember(name, "x"))
    with pytest.raises(CopyRefused, match="more chats or characters"):
        copy.write_card(PageMember("c.png", "x"))


def test_a_page_cannot_fill_the_disk_with_long_chats(
    copy: CopyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copy_folder, "MOST_BYTES", 3_000)
    long = CopiedChat(b"{}", (b'{"mes":"' + b"x" * 1_800 + b'"}',))
    path = copy.write_chat(CHAT, long)
    other = ChatIdentity("solo", "Another", avatar="Ada.png")
    with pytest.raises(CopyRefused, match="more room"):
        copy.write_chat(other, long)
    assert not copy.path_of(other).exists()
    copy.write_chat(CHAT, COPIED)  # what becomes shorter makes room
    assert path.stat().st_size < 1_800
    copy.write_chat(other, long)


def test_a_chats_copy_goes_along_when_it_is_renamed(copy: CopyFolder) -> None:
    copy.write_chat(CHAT, COPIED)
    new = ChatIdentity("solo", "Night", avatar="Ada.png")
    copy.rename_chat(CHAT, new)
    assert copy.chat(CHAT) is None
    assert copy.chat(new) == COPIED
    copy.write_chat(CHAT, COPIED)
    copy.write_chat(new, CopiedChat(b"{}", ()))
    copy.rename_chat(CHAT, new)
    assert copy.chat(new) == CopiedChat(b"{}", ())


def test_a_full_disk_is_a_sentence(copy: CopyFolder, tmp_path: Path) -> None:
    (copy.folder / "chats" / "Ada").write_text("a file in the way")
    with pytest.raises(BridgeError, match="could not be written"):
        copy.write_chat(CHAT, COPIED)


@pytest.mark.parametrize("other", ["Evening.jsonl", "evening.jsonl"])
def test_two_chats_are_never_one_file_where_capitals_make_no_name(
    copy: CopyFolder, other: str
) -> None:
    """A server keeps them apart; on Windows the one took the place of the other."""
    if not (copy.folder / MARK.upper()).exists():
        (copy.folder / MARK.upper()).write_bytes(b"")  # as such a system answers
    path = copy.write_chat(CHAT, COPIED)
    chat = ChatIdentity("solo", other.removesuffix(".jsonl"), avatar="Ada.png")
    card = PageMember("ADA.png", "Another")
    copy.write_card(PageMember("Ada.png", "Ada"))
    if chat == CHAT:
        assert copy.write_chat(chat, COPIED) == path
        return
    before = path.read_bytes()
    with pytest.raises(CopyRefused, match="the same file on this computer"):
        copy.write_chat(chat, CopiedChat(b"{}", ()))
    with pytest.raises(CopyRefused, match="the same file on this computer"):
        copy.write_chat(ChatIdentity("solo", "Night", avatar="ADA.png"), COPIED)
    with pytest.raises(CopyRefused, match="the same file on this computer"):
        copy.write_card(card)
    assert path.read_bytes() == before


def test_where_capitals_make_a_name_both_are_kept(copy: CopyFolder) -> None:
    if (copy.folder / MARK.upper()).exists():
        pytest.skip("this system tells no capitals apart")
    first = copy.write_chat(CHAT, COPIED)
    second = copy.write_chat(ChatIdentity("solo", "evening", avatar="Ada.png"), COPIED)
    assert first != second
    assert first.exists()
