"""Long texts that are built to be slow, or to break a reader, are read in bounded time.

A reader that goes through all of a text again for each sign of it takes minutes here, and runs into
the time limit.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.errors import ChatUnreadable, TavernkeepError
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.chat_file import read_chat
from app.story.answers.task_answers import Unreadable
from tests.chat_files import HEADER, jsonl, message
from tests.text_readers import READERS

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
SIGNS = 200_000 if IS_LONG else 8_000
EXAMPLES = 300 if IS_LONG else 6

_marks = st.sampled_from(
    (
        *'[]{}()"`*_<>|-=\\/#~…\n\r\t\u2028“”:,a0é漢🌙\u202e ',
        *("->", "=>", "```", "**", ". ", "!?", "<think>", "</think>", "<|channel|>", "[m1]"),
        *("- [fact", "1. ", "## ", "{{", "}}", "---\n", '{"recap":', '"a":', "[session|"),
        *("(m1)", "Mira"),
    )
)
_units = st.lists(_marks, min_size=1, max_size=4).map("".join)
hostile = st.builds(
    lambda begin, unit, end: begin + unit * (SIGNS // len(unit)) + end,
    st.lists(_marks, max_size=3).map("".join),
    _units,
    st.lists(_marks, max_size=3).map("".join),
)


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(text=hostile)
@pytest.mark.weakness(48)
def test_no_text_hangs_or_breaks_a_reader(name: str, text: str) -> None:
    with contextlib.suppress(TavernkeepError, Unreadable):
        READERS[name](text)


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
_fields = st.dictionaries(
    st.sampled_from(
        (
            *("mes", "name", "is_user", "is_system", "send_date", "extra", "swipes"),
            *("swipe_id", "swipe_info", "force_avatar", "chat_metadata", "user_name"),
        )
    ),
    _values,
    max_size=6,
)
_lines = st.binary(max_size=60) | _fields.map(lambda fields: jsonl([fields]))


@settings(max_examples=EXAMPLES * 8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(_lines, max_size=6), has_header=st.booleans())
def test_any_file_is_a_chat_or_is_refused_and_stays_as_it_is(
    tmp_path: Path, lines: list[bytes], has_header: bool
) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b"\n".join([jsonl([HEADER]), *lines] if has_header else lines))
    before = path.read_bytes()
    try:
        snapshot = read_chat(path)
    except ChatUnreadable:
        pass
    else:
        assert len(snapshot.lines) <= len(before.split(b"\n"))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


NAMES = (
    "..",
    ".",
    "CON",
    "nul.txt",
    "LPT1",
    "a" * 249,
    "é" * 124,
    "🌙" * 62,
    "\u202egpj.exe\u202c",
    "שלום עולם",
    "👩‍👩‍👧‍👦 family",
    " leading and trailing ",
    "dots...",
    "a\u0301 b\u200d",
    "semi;colon & $(echo) `x`",
    "%2e%2e%2f",
    "[glob]*?",
)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_that_a_disk_takes_is_followed_and_none_leads_out(
    tmp_path: Path, name: str
) -> None:
    user_folder = tmp_path / "default-user"
    (user_folder / "chats" / "Mira").mkdir(parents=True)
    try:
        identity = ChatIdentity("solo", name, avatar=f"{name}.png")
        place = identity.to_path(user_folder)
    except ValueError:
        assert name in ("..", ".") or not name.strip(". ")
        return
    assert place.resolve().is_relative_to(user_folder.resolve() / "chats")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(jsonl([HEADER, message(0)]))
    except OSError:
        return  # no such file can be, here
    assert read_chat(place).lines
