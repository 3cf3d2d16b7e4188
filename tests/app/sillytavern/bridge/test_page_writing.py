"""What a page is asked to write: only the messages that are meant, in pieces, saved once."""

from __future__ import annotations

from typing import Any
from zlib import crc32

from msgspec import structs

from app.sillytavern.bridge import page_writing
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.bridge.page_writing import hide, line_checksum, saved_state, set_extras
from app.sillytavern.chat_edit import LineEdit
from app.sillytavern.chat_line import LineDecoder
from tests.chat_files import jsonl, message, swiped

CHAT = ChatIdentity(kind="solo", chat="Harbour", avatar="Mira.png")
LINES = [
    LineDecoder().decode(jsonl([raw]))[0]
    for raw in (message(0, "é"), swiped(1, "one", "two", shown=1), message(2, is_system=True))
]


class FakePage:
    """Remembers what it was asked."""

    def __init__(self, **answer: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.answer = answer

    async def ask(self, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        self.asked.append((kind, params))
        return self.answer


def test_the_checksum_is_of_name_text_hiding_and_swipe() -> None:
    assert line_checksum(LINES[0]) == crc32("Ana\0é\x000\x000".encode())
    assert line_checksum(LINES[1]) == crc32(b"Mira\0two\x000\x001")
    assert line_checksum(LINES[2]) == crc32(b"Ana\0This is message 2.\x001\x000")


def test_the_state_of_a_file_is_of_all_texts_in_their_order_and_not_of_hiding() -> None:
    first = crc32("Ana\0é\x001".encode())
    state = saved_state(LINES[:2], "slug")
    assert state["sum"] == (first * 31 + crc32(b"Mira\0two\x002")) % 2**32
    assert (state["count"], state["integrity"]) == (2, "slug")
    assert saved_state([], "") == {"count": 0, "sum": 0, "integrity": ""}
    assert saved_state(LINES[1::-1], "slug") != state
    shown = structs.replace(LINES[2], is_hidden=False)
    assert saved_state([shown], "") == saved_state(LINES[2:], "")


async def test_edits_name_their_message_by_index_and_checksum() -> None:
    page = FakePage(done=[0], missed=[1])
    edits = {
        1: LineEdit({"ns": {"a": 1}}, {"ns": {"b": 2}}),
        0: LineEdit({"ns": {"a": None}}),
        2: LineEdit(is_hidden=True),
    }
    assert await set_extras(page.ask, CHAT, LINES, edits, {"key": {"x": 1}}) == [1]
    ((kind, params),) = page.asked
    assert kind == "set_extras"
    assert params == {
        "chat": {"kind": "solo", "chat": "Harbour", "avatar": "Mira.png"},
        "edits": [
            {
                "index": 0,
                "hash": line_checksum(LINES[0]),
                "extra": {"ns": {"a": None}},
                "swipes": {},
            },
            {
                "index": 1,
                "hash": line_checksum(LINES[1]),
                "extra": {"ns": {"a": 1}},
                "swipes": {"ns": {"b": 2}},
            },
        ],
        "metadata": {"key": {"x": 1}},
        "save": True,
        "saved": None,
    }


async def test_many_edits_come_in_pieces_and_are_saved_once_with_the_metadata() -> None:
    page = FakePage()
    long = "x" * (page_writing.BATCH_BYTES // 2)
    edits = {index: LineEdit({"ns": {"a": long}}) for index in range(3)}
    await set_extras(page.ask, CHAT, LINES, edits, {"key": 1})
    assert [len(params["edits"]) for _, params in page.asked] == [2, 1]
    assert [params["save"] for _, params in page.asked] == [False, True]
    assert [params["metadata"] for _, params in page.asked] == [{}, {"key": 1}]


async def test_hiding_checks_the_ends_of_each_range() -> None:
    page = FakePage()
    await hide(page.ask, CHAT, LINES, ranges=[(0, 1)], unhide=[(2, 2)])
    ((kind, params),) = page.asked
    assert kind == "hide"
    assert (params["ranges"], params["unhide"]) == ([[0, 1]], [[2, 2]])
    assert params["checks"] == [[index, line_checksum(LINES[index])] for index in range(3)]
