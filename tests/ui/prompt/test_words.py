"""The words of the prompt page."""

from __future__ import annotations

from typing import Any

from app.prompt.prefix import PrefixBreak
from app.prompt.slots import PassageShown, Reason, SlotContent
from app.prompt.turns import Share
from app.views.turn_view import TurnView
from ui.prompt.words import REASONS, break_sentence, passage_lines


def test_every_reason_for_which_something_is_left_out_has_words() -> None:
    assert set(REASONS) == set(Reason)


def test_what_a_turn_shares_with_the_one_before_adds_up() -> None:
    """Of 14,696 tokens 28 were the same and 11,096 read again: nothing said what the rest was."""
    turn: Any = object()  # only how both compare is told
    broken = PrefixBreak(Share.CHAT, kept=28, again=11_096, new=3_572)
    assert break_sentence(TurnView(turn, turn, broken)) == (
        "The first 28 of 14,696 tokens (0 %) are the same as in the turn before. The chat changes "
        "first: after that 11,096 tokens are read again, and 3,572 are new."
    )


def test_what_comes_back_by_its_meaning_alone_names_no_words() -> None:
    """“Asks about” stood before nothing."""
    shown = (PassageShown(4, (), is_asked=True), PassageShown(7, ("well",), is_asked=True))
    content = SlotContent("triggered", (), (), tokens=9, budget=9, full_tokens=9, passages=shown)
    assert passage_lines(content) == (
        "From message #4: close in meaning to the question\nFrom message #7: asks about well"
    )
