"""How often words occur in a chat, counted on from one state of it to the next."""

from __future__ import annotations

import pytest

from app.memory.epistemic import word_counts
from app.memory.epistemic.word_counts import WordCounts
from app.story.messages import Message
from tests.ui.samples import message


def _messages(*texts: str) -> tuple[Message, ...]:
    return tuple(message(number, text) for number, text in enumerate(texts))


def test_a_word_counts_once_for_each_message_that_holds_it() -> None:
    found = WordCounts().of(_messages("The lamp, the lamp!", "A Lamp.", "Nothing."))
    assert (found.of("lamp"), found.of("the"), found.of("oil"), found.messages) == (2, 1, 0, 3)


def test_counting_on_gives_what_counting_anew_does() -> None:
    counts, old = WordCounts(), _messages("oil", "wick", "oil and wick", "tide")
    counts.of(old)
    new = (old[0], message(1, "swiped away"), *old[2:], message(4, "oil again"))
    assert counts.of(new) == WordCounts().of(new)
    assert counts.of(old[:2]) == WordCounts().of(old[:2])


def test_of_a_long_chat_the_newest_messages_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_counts, "NEWEST", 2)
    counts, chat = WordCounts(), _messages("oil", "wick", "tide")
    counts.of(chat[:2])
    found = counts.of(chat)
    assert (found.of("oil"), found.of("tide"), found.messages) == (0, 1, 2)
