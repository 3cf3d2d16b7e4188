"""What the window remembers survives, and nonsense does not keep it from opening."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ui.core.window_state import WindowState, read_state

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def test_a_state_comes_back_as_it_was() -> None:
    state = WindowState("Zm9v", "work", 240, False, 400, False, "/chats/a.jsonl")
    assert read_state(state.to_text()) == state


@given(st.text())
def test_any_text_gives_a_state(text: str) -> None:
    assert isinstance(read_state(text), WindowState)


@given(st.dictionaries(st.sampled_from(["page", "geometry", "navigator_width"]), JSON))
def test_values_of_the_wrong_kind_are_left_out(raw: dict[str, object]) -> None:
    state = read_state(json.dumps(raw))
    assert isinstance(state.page, str)
    assert isinstance(state.geometry, str)
    assert type(state.navigator_width) is int
