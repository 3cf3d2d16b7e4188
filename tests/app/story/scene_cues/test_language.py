"""Language packs and the phrases found with them."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.languages import load_packs
from app.story.scene_cues.language import LanguagePack, parse_pack, tokens_of

PACK = """
code = "xx"
name = "Test"
stopwords = ["the", "and"]
[headers]
place = ["Where"]
[names]
kinds = ["mill"]
[classes]
number = ["two", "three"]
unit = ["days"]
[cues]
jump = ["<number> <unit> later", "the (very) next day", "o'clock"]
wake = ["wak*"]
when = ["day", "翌朝"]
"""


@pytest.fixture(scope="module")
def pack() -> LanguagePack:
    return parse_pack(PACK)


def found(pack: LanguagePack, text: str) -> list[tuple[str, int, int]]:
    return [(*hit,) for hit in pack.find(tokens_of(text))]


@pytest.mark.parametrize(
    ("text", "hits"),
    [
        ("Three DAYS later, rain", [("jump", 0, 3)]),
        ("12 days later", [("jump", 0, 3)]),
        ("the very next day", [("jump", 0, 4), ("when", 3, 4)]),
        ("the next day", [("jump", 0, 3), ("when", 2, 3)]),
        ("at six o’clock", [("jump", 2, 4)]),
        ("she was waking", [("wake", 2, 3)]),
        ("days later", []),
        ("山に翌朝着いた", [("when", 2, 4)]),
        ("", []),
    ],
)
def test_phrases_are_found(pack: LanguagePack, text: str, hits: list[tuple[str, int, int]]) -> None:
    assert found(pack, text) == hits


def test_headers_are_found_by_their_casefolded_word(pack: LanguagePack) -> None:
    assert pack.header_keys == {"where": "place"}


@pytest.mark.parametrize(
    "source",
    [
        "",
        "code = 1",
        "not toml [",
        PACK.replace("<unit>", "<nothing>"),
        PACK.replace('"wak*"', '""'),
        PACK.replace('"wak*"', '"a<b"'),
        PACK.replace('stopwords = ["the", "and"]', "stopwords = 3"),
    ],
)
def test_what_is_no_pack_is_refused_with_a_sentence(source: str) -> None:
    with pytest.raises(UsageError, match="This language pack cannot be read"):
        parse_pack(source)


@cache
def shipped() -> tuple[LanguagePack, ...]:
    return load_packs()[:2]


@given(st.text(max_size=300))
def test_hits_lie_within_the_text(text: str) -> None:
    tokens = tokens_of(text)
    for pack in shipped():
        for hit in pack.find(tokens):
            assert 0 <= hit.start < hit.end <= len(tokens)


def test_looking_twice_finds_the_same(pack: LanguagePack) -> None:
    text = "three days later the very next day she wakes"
    assert found(pack, text) == found(pack, text)
