"""The words of the prompt page."""

from __future__ import annotations

from app.prompt.slots import Reason
from ui.prompt.words import REASONS


def test_every_reason_for_which_something_is_left_out_has_words() -> None:
    assert set(REASONS) == set(Reason)
