"""Bytes that nobody would write break no reader, hold none up and are written nowhere.

TAVERNKEEP_TEST_LONG=1 tries fifty times as many; `python -m tests.fuzz` goes on for hours.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
EXAMPLES = 1000 if IS_LONG else 20
SIGNS = (b"\x00", b"\xff\xfe", b'"', b"{", b"}", b"[", b"\\ud800", b"\n", b"1e999", b"null", b"--")


@st.composite
def damaged(draw: st.DrawFn, seeds: tuple[bytes, ...]) -> bytes:
    """A seed with parts cut out, doubled, exchanged and put in."""
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        end = draw(st.integers(at, min(len(data), at + 200)))
        new = draw(st.sampled_from(SIGNS) | st.binary(max_size=8) | st.just(data[at:end] * 3))
        data = data[:at] + new + data[end:]
    return data


@pytest.mark.timeout(3600 if IS_LONG else 60)
@pytest.mark.parametrize("name", TARGETS)
def test_no_bytes_break_a_reader(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    @given(data=damaged(target.seeds) | st.binary(max_size=300))
    def look(data: bytes) -> None:
        target.run(data)

    look()


@pytest.mark.parametrize("name", TARGETS)
def test_what_a_reader_is_for_it_takes(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)
