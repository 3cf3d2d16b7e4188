"""Reading character cards of all versions, and those that are broken."""

from __future__ import annotations

import base64
import json
import os
import struct
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.sillytavern import card as card_module
from app.sillytavern.card import PNG_SIGNATURE, CardReader, read_card
from tests.character_card import write_card

V1 = {
    "name": "Mira",
    "description": "A pilot.",
    "personality": "calm",
    "scenario": "At sea.",
    "first_mes": "Aboard!",
    "mes_example": "<START>",
    "creatorcomment": "Enjoy.",
    "tags": ["sea", 7],
}


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def encoded(character: object) -> bytes:
    return base64.b64encode(json.dumps(character).encode())


def png(path: Path, *chunks: bytes) -> Path:
    picture = [chunk(b"IHDR", bytes(13)), chunk(b"IDAT", bytes(5000))]
    path.write_bytes(PNG_SIGNATURE + b"".join([*picture, *chunks, chunk(b"IEND", b"")]))
    return path


def text(keyword: bytes, character: object) -> bytes:
    return chunk(b"tEXt", keyword + b"\0" + encoded(character))


def test_version_1_has_its_fields_at_the_top(tmp_path: Path) -> None:
    card = read_card(png(tmp_path / "mira.png", text(b"chara", V1)))
    assert card.problem == ""
    assert (card.avatar, card.name, card.description) == ("mira.png", "Mira", "A pilot.")
    assert (card.personality, card.scenario, card.first_mes) == ("calm", "At sea.", "Aboard!")
    assert (card.mes_example, card.creator_notes, card.tags) == ("<START>", "Enjoy.", ("sea",))


@pytest.mark.parametrize(
    "field", ["system_prompt", "description", "personality", "scenario", "mes_example"]
)
def test_macros_are_found_in_each_of_five_fields(tmp_path: Path, field: str) -> None:
    named = {field: "So: {{ SmartMemory-Arcs }} {{smartmemory-nonsense}} {{char}}"}
    character = {"data": V1 | named | {"creator_notes": "{{smartmemory-long}}"}}
    card = read_card(png(tmp_path / "mira.png", text(b"chara", character)))
    assert card.macros == ("smartmemory-arcs",)


def test_version_2_has_them_in_data(tmp_path: Path) -> None:
    character = {"name": "old", "spec": "chara_card_v2", "data": V1 | {"creator_notes": "Notes."}}
    card = read_card(png(tmp_path / "mira.png", text(b"chara", character)))
    assert (card.name, card.creator_notes) == ("Mira", "Notes.")


def test_version_3_goes_before_version_2(tmp_path: Path) -> None:
    newer = {"spec": "chara_card_v3", "data": {"name": "Mira the Third"}}
    card = read_card(png(tmp_path / "m.png", text(b"chara", V1), text(b"ccv3", newer)))
    assert card.name == "Mira the Third"


def test_a_broken_version_3_falls_back_to_version_2(tmp_path: Path) -> None:
    broken = chunk(b"tEXt", b"ccv3\0" + base64.b64encode(b"{"))
    assert read_card(png(tmp_path / "m.png", broken, text(b"Chara", V1))).name == "Mira"


def test_a_card_as_sillytavern_writes_it(tmp_path: Path) -> None:
    write_card(tmp_path / "m.png", name="Mira", description="A pilot.", first_message="Aboard!")
    card = read_card(tmp_path / "m.png")
    assert (card.name, card.description, card.first_mes) == ("Mira", "A pilot.", "Aboard!")


@pytest.mark.parametrize(
    "body",
    [
        chunk(b"zTXt", b"chara\0\0" + zlib.compress(encoded(V1))),
        chunk(b"iTXt", b"chara\0\0\0en\0chara\0" + encoded(V1)),
        chunk(b"iTXt", b"chara\0\1\0en\0chara\0" + zlib.compress(encoded(V1))),
    ],
)
def test_other_editors_text_chunks(tmp_path: Path, body: bytes) -> None:
    assert read_card(png(tmp_path / "m.png", body)).name == "Mira"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is not a PNG picture"),
        (b"GIF89a", "is not a PNG picture"),
        (PNG_SIGNATURE, "contains no character"),
        (PNG_SIGNATURE + chunk(b"IEND", b""), "contains no character"),
        (PNG_SIGNATURE + chunk(b"tEXt", b"chara\0!!!"), "is damaged"),
        (PNG_SIGNATURE + text(b"chara", [1, 2]), "is damaged"),
        (PNG_SIGNATURE + chunk(b"zTXt", b"chara\0\0junk"), "is damaged"),
        (PNG_SIGNATURE + struct.pack(">I", 0xFFFFFFF0) + b"tEXt", "is too large"),
        (PNG_SIGNATURE + text(b"chara", V1)[:30], "is damaged"),
    ],
)
def test_a_broken_card_goes_by_its_file_name(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "Lady Ana.png"
    path.write_bytes(data)
    card = read_card(path)
    assert card.name == "Lady Ana"
    assert card.avatar == "Lady Ana.png"
    assert reason in card.problem
    assert "Lady Ana.png" in card.problem


def test_a_text_that_grows_without_bound_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_module, "MAX_TEXT_BYTES", 100_000)
    bomb = chunk(b"zTXt", b"chara\0\0" + zlib.compress(bytes(10_000_000)))
    assert "is too large" in read_card(png(tmp_path / "m.png", bomb)).problem


def test_texts_that_no_character_is_in_are_not_unfolded(tmp_path: Path) -> None:
    """Nor what repeats a keyword: each takes 1 KB of the file, and a megabyte of memory."""
    packed = zlib.compress(bytes(1_000_000))
    bombs = [chunk(b"zTXt", b"k%d\0\0" % number + packed) for number in range(60)]
    again = [chunk(b"zTXt", b"chara\0\0" + packed)] * 60
    path = png(tmp_path / "m.png", text(b"chara", V1), *bombs, *again)
    tracemalloc.start()
    try:
        assert read_card(path).name == "Mira"
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


def test_a_nameless_card_goes_by_its_file_name(tmp_path: Path) -> None:
    card = read_card(png(tmp_path / "m.png", text(b"chara", {"name": "  ", "tags": None})))
    assert (card.name, card.tags, card.problem) == ("m", (), "")


def test_a_missing_card_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    card = CardReader().card(tmp_path / "m.png")
    assert card.name == "m"
    assert "cannot be read" in card.problem


def test_a_card_is_read_once_until_it_changes(tmp_path: Path) -> None:
    reader = CardReader()
    path = png(tmp_path / "m.png", text(b"chara", V1))
    first = reader.card(path)
    assert reader.card(path) is first
    png(path, text(b"chara", V1 | {"name": "Mirabel"}))
    os.utime(path, (1, 1))
    assert reader.card(path).name == "Mirabel"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.binary(max_size=300), st.integers(0, 200), st.integers(0, 300))
def test_no_bytes_make_it_fail(tmp_path: Path, noise: bytes, cut: int, at: int) -> None:
    path = png(tmp_path / "m.png", text(b"chara", V1))
    data: Any = path.read_bytes()
    start = len(data) - 400 + at
    path.write_bytes(data[:start] + noise + data[start + cut :])
    assert read_card(path).avatar == "m.png"
