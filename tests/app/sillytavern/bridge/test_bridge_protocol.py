"""Frames of the bridge: strict about what a page sends, safe about where a chat lies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import BridgeError
from app.core.resources import RESOURCES
from app.prompt.slots import Slot, SlotSet
from app.settings.slot_table import Position, Role
from app.sillytavern.bridge.bridge_protocol import (
    MAX_FRAME_BYTES,
    SUBPROTOCOLS,
    Answer,
    Changed,
    ChatIdentity,
    Event,
    Hello,
    PageRequest,
    Slots,
    TurnRequest,
    decode,
    encode,
    negotiate,
    offered_token,
    wire_slots,
)
from app.story.story import ChatKind, ChatRef

SOLO = {"kind": "solo", "avatar": "Ada.png", "chat": "Ada - 2026"}
GROUP = {"kind": "group", "group": "1700000000", "chat": "1700000001"}


def test_a_hello_is_read_with_its_chat() -> None:
    frame = decode(json.dumps({"type": "hello", "version": "0.1.0", "page": "p", "chat": SOLO}))
    assert frame == Hello("0.1.0", "p", chat=ChatIdentity("solo", "Ada - 2026", avatar="Ada.png"))
    said = {"type": "hello", "version": "0.1.0", "page": "p", "language": "de-de"}
    assert decode(json.dumps(said)) == Hello("0.1.0", "p", language="de-de")


@pytest.mark.parametrize(
    ("frame", "kind"),
    [
        ({"type": "event", "name": "chat_changed", "chat": None, "length": 0}, Event),
        ({"type": "changed", "chat": GROUP, "first": 3, "length": 9}, Changed),
        ({"type": "turn", "id": "1", "chat": SOLO, "context": 4000}, TurnRequest),
        ({"type": "answer", "id": "1", "result": {"a": 1}}, Answer),
        (
            {"type": "wish", "id": "1", "kind": "scene", "chat": SOLO, "hash": 2**32 - 1},
            PageRequest,
        ),
    ],
)
def test_each_frame_of_a_page_is_known_by_its_type(frame: dict[str, object], kind: type) -> None:
    assert isinstance(decode(json.dumps(frame)), kind)


def test_fields_that_a_newer_page_adds_are_ignored() -> None:
    frame = decode('{"type":"event","name":"chat_changed","surprise":[1]}')
    assert frame == Event("chat_changed")


@pytest.mark.parametrize(
    "data",
    [
        "",
        "[]",
        "{",
        b"\xff\xfe",
        '{"type":"unknown"}',
        '{"type":"hello","version":1,"page":"p"}',
        '{"type":"hello","version":"1","page":""}',
        '{"type":"changed","chat":null,"first":0,"length":0}',
        json.dumps({"type": "changed", "chat": SOLO, "first": -1, "length": 0}),
        json.dumps({"type": "event", "name": "x" * 101}),
        json.dumps({"type": "wish", "id": "1", "kind": "scene", "chat": SOLO, "hash": 2**32}),
        json.dumps({"type": "wish", "id": "1", "kind": "scene", "chat": SOLO, "index": -1}),
        json.dumps({"type": "wish", "id": "1", "kind": "search", "chat": SOLO, "text": "x" * 501}),
        json.dumps({"type": "wish", "id": "1", "kind": "scene", "chat": None}),
        "[" * 100_000,
        '{"type":"answer","id":"1","result":' + '{"a":' * 50_000,
    ],
)
def test_what_makes_no_sense_is_refused(data: str | bytes) -> None:
    with pytest.raises(BridgeError):
        decode(data)


def test_a_refusal_repeats_nothing_of_the_frame() -> None:
    with pytest.raises(BridgeError) as caught:
        decode(json.dumps({"type": "turn", "id": "1", "chat": {**SOLO, "kind": "moonlit secret"}}))
    assert "secret" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_frame_that_is_too_large_is_refused() -> None:
    with pytest.raises(BridgeError, match="too large"):
        decode("x" * (MAX_FRAME_BYTES + 1))


@pytest.mark.parametrize(
    "identity",
    [
        {"kind": "solo", "avatar": "../Ada.png", "chat": "x"},
        {"kind": "solo", "avatar": "...png", "chat": "x"},  # ".." without its .png
        {"kind": "solo", "avatar": ".png", "chat": "x"},
        {"kind": "solo", "avatar": "Ada.png", "chat": ".."},
        {"kind": "solo", "avatar": "Ada.png", "chat": "a/../../b"},
        {"kind": "solo", "avatar": "Ada.png", "chat": "a\\b"},
        {"kind": "solo", "avatar": "Ada.png", "chat": "a\x00b"},
        {"kind": "solo", "avatar": "Ada.png", "chat": ""},
        {"kind": "solo", "avatar": "", "chat": "x"},
        {"kind": "group", "group": "", "chat": "x"},
        {"kind": "group", "group": "1", "chat": "../settings"},
        {"kind": "file", "chat": "x"},
    ],
)
def test_a_chat_that_leads_out_of_its_folder_is_refused(identity: dict[str, str]) -> None:
    with pytest.raises(BridgeError):
        decode(json.dumps({"type": "changed", "chat": identity, "first": 0, "length": 0}))


@given(st.sampled_from(["solo", "group"]), st.text(max_size=30), st.text(max_size=30))
def test_a_path_never_leaves_the_folder_of_its_kind(
    kind: Literal["solo", "group"], owner: str, chat: str
) -> None:
    try:
        identity = ChatIdentity(kind, chat, avatar=f"{owner}.png", group=owner)
    except ValueError:
        return
    user_folder = Path("/tavern/user")
    path = identity.to_path(user_folder)
    below = user_folder / "chats" if kind == "solo" else user_folder / "group chats"
    assert path.is_relative_to(below)
    assert ".." not in path.parts
    assert len(path.parts) == len(below.parts) + (2 if kind == "solo" else 1)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        (ChatKind.SOLO, ("chats", "Ada", "Evening.jsonl")),
        (ChatKind.GROUP, ("group chats", "Evening.jsonl")),
    ],
)
def test_identity_and_file_of_a_chat_agree(kind: ChatKind, parts: tuple[str, ...]) -> None:
    path = Path("/tavern/user").joinpath(*parts)
    ref = ChatRef(path, kind, "Evening", owner="Ada", user_folder=Path("/tavern/user"))
    identity = ChatIdentity.of(ref)
    assert identity is not None
    assert identity.to_path(Path("/tavern/user")) == path
    assert identity.key == f"{kind.value}/Ada/Evening"


def test_a_file_that_sillytavern_could_not_open_has_no_identity() -> None:
    assert ChatIdentity.of(ChatRef(Path("/x.jsonl"), ChatKind.FILE, "x")) is None
    assert ChatIdentity.of(ChatRef(Path("/x\\y.jsonl"), ChatKind.SOLO, "x\\y", "Ada")) is None


def test_the_owner_is_the_folder_that_sillytavern_makes_of_a_card() -> None:
    # Its server removes the first ".png", wherever it stands.
    assert ChatIdentity("solo", "x", avatar="a.pngb.png").owner == "ab.png"


def test_slots_are_sent_verbatim() -> None:
    text = "{{char}} </script> \u2028 \U0001f987 \x00\n"
    slot = Slot("key", Position.IN_CHAT, 4, Role.USER, True, text, 1, 2, 3)
    identity = ChatIdentity("solo", "x", avatar="a.png")
    sent = json.loads(encode(Slots(identity, 7, wire_slots(SlotSet((slot,), 7)))))
    assert sent == {
        "type": "slots",
        "chat": {"kind": "solo", "chat": "x", "avatar": "a.png"},
        "revision": 7,
        "slots": [{"key": "key", "position": 1, "depth": 4, "role": 1, "scan": True, "text": text}],
        "responder": "",
        "turn": "",
        "kept": [],
    }


def test_half_a_surrogate_pair_does_not_keep_slots_from_being_sent() -> None:
    slot = Slot("key", Position.IN_PROMPT, 0, Role.SYSTEM, False, "a\ud83eb", 1, 2, 3)
    identity = ChatIdentity("solo", "x", avatar="a.png")
    sent = json.loads(encode(Slots(identity, 1, wire_slots(SlotSet((slot,), 1)))))
    assert sent["type"] == "slots"
    assert sent["slots"][0]["text"] == "a\ufffdb"


def test_the_newest_protocol_of_both_sides_is_taken() -> None:
    assert negotiate(["token.x", "tavernkeep.v9", "tavernkeep.v1"]) == "tavernkeep.v1"
    assert negotiate(["token.x", "chat"]) is None


def test_the_token_is_found_among_the_protocols() -> None:
    assert offered_token(["tavernkeep.v1", "token.abc"]) == "abc"
    assert offered_token(["tavernkeep.v1"]) == ""


def test_protocol_version_of_the_page_is_one_we_speak() -> None:
    source = (RESOURCES / "bridge" / "link.js").read_text()
    assert f"PROTOCOL = '{SUBPROTOCOLS[0]}'" in source
