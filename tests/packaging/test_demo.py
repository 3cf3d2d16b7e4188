"""Stories become the user folders that SillyTavern 1.19 would have written; so did the demo."""

from __future__ import annotations

import base64
import itertools
import json
import struct
import uuid
import zlib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.sillytavern.data_folders import find_taverns
from tests.labelled import WrittenTavern, write_tavern

pytestmark = pytest.mark.slow

Json = dict[str, Any]


def story(*, group: bool) -> Json:
    names = ["Ada: the 1st", "Bo"] if group else ["Ada: the 1st"]
    messages = [
        {"name": names[0], "is_user": False, "kind": "chat", "mes": "“Hello.”\n\nShe waits."},
        {"name": "Me", "is_user": True, "kind": "chat", "mes": "Hi."},
        {"name": names[-1], "is_user": False, "kind": "chat", "mes": "A reply.\u2028More."},
        {"name": "Narrator", "is_user": False, "kind": "narrator", "mes": "Night falls."},
        {"name": "System", "is_user": False, "kind": "system", "mes": "[Saved]"},
        {"name": "Me", "is_user": True, "kind": "ooc", "mes": "(OOC: brb)"},
    ]
    characters = [{"name": name, "description": f"About {name}."} for name in names]
    return {
        "title": "A story",
        "user_name": "Me",
        "characters": characters,
        "group": group,
        "messages": messages,
        "gold": {},
    }


def lines(chat: Path) -> list[Json]:
    return [json.loads(line) for line in chat.read_text(encoding="utf-8").split("\n")]


def card_texts(card: Path) -> dict[str, Json]:
    """The characters in a card's text chunks; checks each chunk's sum on the way."""
    content = card.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    texts, position = {}, 8
    while position < len(content):
        length, kind = struct.unpack_from(">I4s", content, position)
        body = content[position + 8 : position + 8 + length]
        [checksum] = struct.unpack_from(">I", content, position + 8 + length)
        assert checksum == zlib.crc32(kind + body)
        if kind == b"tEXt":
            key, _, value = body.partition(b"\0")
            texts[key.decode()] = json.loads(base64.b64decode(value))
        position += length + 12
    return texts


def check_chat(chat: Path) -> None:
    header, *messages = lines(chat)
    assert uuid.UUID(header["chat_metadata"]["integrity"])
    assert not chat.read_bytes().endswith(b"\n")
    dates = [datetime.fromisoformat(message["send_date"]) for message in messages]
    assert all(earlier < later for earlier, later in itertools.pairwise(dates))
    for message in messages:
        assert {"name", "is_user", "is_system", "send_date", "mes", "extra"} <= set(message)
        if "swipes" in message:
            assert message["swipes"][message["swipe_id"]] == message["mes"]
            assert len(message["swipe_info"]) == len(message["swipes"])


def test_a_solo_story_lies_where_sillytavern_looks_for_it(tmp_path: Path) -> None:
    written = write_tavern(story(group=False), tmp_path)
    [card] = written.cards
    assert card == tmp_path / "characters" / "Ada the 1st.png"
    assert written.chat.parent == tmp_path / "chats" / "Ada the 1st"
    check_chat(written.chat)
    for key, spec in {"chara": "chara_card_v2", "ccv3": "chara_card_v3"}.items():
        character = card_texts(card)[key]
        assert character["spec"] == spec
        assert character["data"]["name"] == "Ada: the 1st"
        assert character["data"]["first_mes"] == "“Hello.”\n\nShe waits."
        assert character["chat"] == written.chat.stem


def test_a_group_story_has_its_group_and_says_who_spoke(tmp_path: Path) -> None:
    written = write_tavern(story(group=True), tmp_path)
    check_chat(written.chat)
    [group_file] = (tmp_path / "groups").iterdir()
    group = json.loads(group_file.read_text(encoding="utf-8"))
    assert group["id"] == group_file.stem
    assert group["members"] == [card.name for card in written.cards]
    assert [group["chat_id"]] == group["chats"]
    assert written.chat == tmp_path / "group chats" / f"{group['chat_id']}.jsonl"
    replies = [m for m in lines(written.chat)[1:] if "original_avatar" in m]
    assert [reply["original_avatar"] for reply in replies] == ["Ada the 1st.png", "Bo.png"]


def test_each_kind_of_message_looks_as_sillytavern_writes_it(tmp_path: Path) -> None:
    written = write_tavern(story(group=False), tmp_path)
    _, greeting, mine, reply, narration, notice, aside = lines(written.chat)
    assert "swipes" not in greeting
    assert mine["is_user"]
    assert reply["gen_started"] < reply["gen_finished"]
    assert (narration["extra"]["type"], narration["is_system"]) == ("narrator", False)
    assert notice["is_system"]
    assert aside["is_user"]
    assert "type" not in aside["extra"]


@pytest.mark.parametrize("group", [False, True])
def test_the_same_story_gives_the_same_files(tmp_path: Path, *, group: bool) -> None:
    first, second = (write_tavern(story(group=group), tmp_path / name) for name in ("a", "b"))
    assert first.chat.name == second.chat.name
    assert first.chat.read_bytes() == second.chat.read_bytes()
    assert first.cards[0].read_bytes() == second.cards[0].read_bytes()


def test_the_demo_is_a_whole_tavern(demo_tavern: WrittenTavern) -> None:
    check_chat(demo_tavern.chat)
    [card] = demo_tavern.cards
    assert demo_tavern.chat.parent.name == card.stem
    settings = json.loads((demo_tavern.user_folder / "settings.json").read_text(encoding="utf-8"))
    names = {message["name"] for message in lines(demo_tavern.chat)[1:]}
    assert names == {card_texts(card)["ccv3"]["data"]["name"], settings["username"]}


def test_the_demo_is_long_enough_to_need_a_memory(demo_tavern: WrittenTavern) -> None:
    assert len(lines(demo_tavern.chat)) > 100


@pytest.mark.parametrize("group", [False, True])
def test_a_tavern_from_a_story_is_found(group: bool, tmp_path: Path) -> None:
    written = write_tavern(story(group=group), tmp_path / "data" / "default-user")
    (tavern,) = find_taverns(tmp_path)
    owners = (*tavern.characters, *tavern.groups)
    assert [chat.path for owner in owners for chat in owner.chats] == [written.chat]
