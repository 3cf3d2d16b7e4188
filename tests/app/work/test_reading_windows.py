"""What a reading is shown again: a block that grows, or a few messages where less is read."""

from __future__ import annotations

from pathlib import Path

from tests.chat_files import message
from tests.scripted_memory import Script, new_in, playing, shown_in


async def test_an_edited_message_is_read_beside_a_few_and_not_with_its_whole_block(
    tmp_path: Path,
) -> None:
    lines = [message(number, f"Words of message {number}.") for number in range(19)]
    async with playing(tmp_path, Script({}), messages=[]) as play:
        await play.companion.put_setting("memory_requests", "one")
        for line in lines:
            play.messages.append(line)
            await play.follow()
        last = play.readings[-1]
        assert len(shown_in(last)) > 2 * len(new_in(last))  # the block, that a server knows
        play.messages[10] = message(10, "Other words.")
        await play.follow()
        again = play.readings[-1]
        assert list(new_in(again).values()) == ["Ana: Other words."]
        assert len(shown_in(again)) == 3
