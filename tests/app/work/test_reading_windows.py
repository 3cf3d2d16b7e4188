"""What a reading is shown: new messages, a few before them, and what was noted of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.chat_files import message
from tests.fakes import RecordedRequest
from tests.scripted_memory import Script, new_in, playing, shown_in

NOTED = {
    "tower": "[detail:2:session:sources={n}] The tower door is locked.",
    "quarrel": "[feels:sources={n}] Ana -> Mira: angry(high)",
    "meadow": "[state:Ana:character:sources={n}] location=the meadow",
}


def known_in(request: RecordedRequest) -> str:
    return request.text.rpartition("<known>")[2].partition("</known>")[0]


def news_in(request: RecordedRequest) -> str:
    return request.text.rpartition("<news>")[2].partition("</news>")[0]


@pytest.mark.real_model(12)
async def test_a_reading_is_shown_few_messages_again_and_all_that_was_noted(
    tmp_path: Path,
) -> None:
    texts = [f"Words of message {number}." for number in range(40)]
    texts[2], texts[4], texts[6] = "The tower.", "They quarrel.", "On the meadow."
    async with playing(tmp_path, Script(NOTED)) as play:
        for number, text in enumerate(texts):
            play.messages.append(message(number, text))
            await play.follow()
        readings = play.readings
        assert all(len(shown_in(one)) - len(new_in(one)) <= 4 for one in readings)
        for words in ("The tower door is locked.", "Ana -> Mira: angry", "location=the meadow"):
            seen = [words in known_in(one) + news_in(one) for one in readings]
            noted = seen.index(True)
            assert all(seen[noted:]), words
            assert len(new_in(readings[noted])) > 0
        # What is remembered is told alike for some readings, so that a server has read it already.
        heads = [one.text.partition("<messages>")[0] for one in readings]
        assert len(set(heads)) < len(heads) / 3


@pytest.mark.real_model(12)
async def test_an_edited_message_is_read_beside_a_few_and_not_with_its_whole_block(
    tmp_path: Path,
) -> None:
    lines = [message(number, f"Words of message {number}.") for number in range(19)]
    async with playing(tmp_path, Script({}), messages=[]) as play:
        await play.companion.put_setting("memory_requests", "one")
        for line in lines:
            play.messages.append(line)
            await play.follow()
        play.messages[10] = message(10, "Other words.")
        await play.follow()
        again = play.readings[-1]
        assert list(new_in(again).values()) == ["Ana: Other words."]
        assert len(shown_in(again)) == 5
