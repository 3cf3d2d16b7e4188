"""The hashes that extensions store; the expected values were computed by JavaScript."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.extensions.string_hash import recap_hash, string_hashes

STRING_HASHES = {
    "": 3338908027751811,
    "a": 7929297801672961,
    "hello \N{GRINNING FACE} world": 4917448175400301,
    "x" * 3000: 5281414893841557,
}


def test_the_golden_numbers_of_the_recap_hash() -> None:
    assert recap_hash("") == "0"
    assert recap_hash("a") == "2p"
    assert recap_hash("héllo \N{GRINNING FACE} world" * 50) == "dt3mn2"


def test_the_recap_hash_does_not_see_space_around_the_text() -> None:
    assert recap_hash(" \ufeff\u00a0a\n") == recap_hash("a")
    assert recap_hash("\x1ca") != recap_hash("a")


def test_the_string_hash_is_that_of_sillytavern() -> None:
    assert string_hashes(list(STRING_HASHES)) == list(STRING_HASHES.values())
    assert string_hashes([]) == []


def as_javascript(text: str) -> str:
    value = 0
    raw = text.encode("utf-16-le", "surrogatepass")
    for at in range(0, len(raw), 2):
        value = (value * 31 + int.from_bytes(raw[at : at + 2], "little")) & 0xFFFFFFFF
    value = abs(value - (1 << 32) if value >> 31 else value)
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    out = ""
    while value:
        out, value = digits[value % 36] + out, value // 36
    return out or "0"


@given(
    st.text(st.characters(exclude_categories=["Zs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff"))
)
def test_the_recap_hash_is_the_loop_over_utf16_units(text: str) -> None:
    assert recap_hash(text) == as_javascript(text)


@given(st.lists(st.text(), max_size=5))
def test_hashing_side_by_side_is_hashing_one_by_one(texts: list[str]) -> None:
    assert string_hashes(texts) == [string_hashes([text])[0] for text in texts]
