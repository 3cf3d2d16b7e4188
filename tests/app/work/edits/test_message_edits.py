"""Message recaps by hand: each deed is one step, and undo restores the exact state."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.story.inclusion import InclusionState
from app.story.message_data import Mark
from app.story.messages import Absence, MessageRecap
from app.story.story import Story
from tests.chat_files import jsonl, message, save_like_sillytavern, swiped, write_chat

TEXTS = (
    "Mira lit the lamp above the counter.",
    "“Two crowns for the rope,” Tobias said.",
    "She paid him and carried the rope to the quay.",
    "The boat was gone, and the tide with it.",
    "Mira sat down on the wet stones to wait.",
    "At dusk a sail stood in the mouth of the harbour.",
)


class Desk:
    """A chat whose recaps the built-in rules wrote; its fourth message has two swipes."""

    def __init__(self, companion: Companion, path: Path) -> None:
        self.companion = companion
        self.path = path
        self.edits = companion.edits.messages

    @property
    def story(self) -> Story:
        story = self.companion.story(self.path)
        assert story is not None
        return story

    def anchor(self, index: int) -> str:
        return self.story.messages[index].anchor

    def anchors(self, *indexes: int) -> list[str]:
        return [self.anchor(index) for index in indexes]

    def recap(self, index: int) -> MessageRecap:
        return self.story.message_recaps.get(self.anchor(index), MessageRecap())

    async def saved(self, messages: list[dict[str, object]]) -> Story:
        """SillyTavern saves; the story when all work on it is done."""
        header = self.path.read_bytes().split(b"\n")[0]
        save_like_sillytavern(self.path, header + b"\n" + jsonl(messages))
        await self.companion.open_story(self.path)
        return await self.companion.settled(self.path)

    async def deed(self, do: Awaitable[object], label: str) -> Story:
        """Do it, take it back, do it again; the story follows exactly."""
        self.companion.work.pause()
        before = self.story
        await do
        after = self.story
        assert after != before
        assert await self.companion.edits.undo(self.path) == label
        assert self.story == before
        assert await self.companion.edits.redo(self.path) == label
        assert self.story == after
        self.companion.work.resume()
        return await self.companion.settled(self.path)


def chat(*, shown: int = 1) -> list[dict[str, object]]:
    messages = [message(n, text) for n, text in enumerate(TEXTS)]
    messages[3] = swiped(3, "The boat lay where she had left it.", TEXTS[3], shown=shown)
    return messages


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    path = write_chat(tmp_path / "chat.jsonl", chat())
    async with open_companion(user_folders(tmp_path / "own data"), watch=False) as companion:
        await companion.open_story(path)
        await companion.settled(path)
        yield Desk(companion, path)


async def test_a_removed_recap_is_not_written_again_by_itself(desk: Desk) -> None:
    story = await desk.deed(
        desk.edits.edit(desk.path, desk.anchor(1), ""), "edit of the recap of #1"
    )
    assert desk.recap(1).absence is Absence.REMOVED
    assert story.inclusion[1].state is InclusionState.NONE
    assert story.inclusion[1].reason == "You removed its recap."
    messages = chat()
    messages[1]["mes"] = "“Three crowns for the rope,” Tobias said."
    story = await desk.saved(messages)
    assert "Three" in story.messages[1].text
    assert desk.recap(1).text == ""


async def test_who_asks_for_all_missing_recaps_gets_removed_ones_too(desk: Desk) -> None:
    await desk.edits.clear(desk.path, desk.anchors(0, 1))
    assert desk.edits.missing(desk.path) == 3  # and the last message, which still waits
    await desk.edits.write_missing(desk.path)
    await desk.companion.settled(desk.path)
    assert all(desk.recap(index).text for index in range(6))


@pytest.mark.parametrize(
    ("indexes", "label"), [((2,), "clear recap of #2"), ((0, 1, 2), "clear 3 recaps")]
)
async def test_clearing_takes_recaps_and_marks_away(
    desk: Desk, indexes: tuple[int, ...], label: str
) -> None:
    await desk.edits.mark(desk.path, desk.anchors(2), Mark.EXCLUDED)
    anchors = desk.anchors(*indexes)
    story = await desk.deed(desk.edits.clear(desk.path, anchors), label)
    for index in indexes:
        recap = desk.recap(index)
        assert (recap.text, recap.is_excluded, recap.absence) == ("", False, Absence.REMOVED)
    assert all(story.message_recaps[desk.anchor(index)].text for index in (3, 4))


async def test_clearing_what_is_cleared_is_no_step(desk: Desk) -> None:
    await desk.edits.clear(desk.path, desk.anchors(2))
    await desk.edits.clear(desk.path, desk.anchors(2))
    await desk.companion.edits.undo(desk.path)
    assert desk.recap(2).text


async def test_an_edit_to_the_same_words_is_no_step(desk: Desk) -> None:
    await desk.edits.clear(desk.path, desk.anchors(2))
    await desk.edits.edit(desk.path, desk.anchor(1), desk.recap(1).text)
    assert await desk.companion.edits.undo(desk.path) == "clear recap of #2"


@pytest.mark.parametrize(
    ("mark", "label"),
    [(Mark.EXCLUDED, "leave out 2 messages"), (Mark.REMEMBERED, "remember 2 messages")],
)
async def test_toggling_sets_what_lacks_the_mark_and_lifts_it_where_all_have_it(
    desk: Desk, mark: Mark, label: str
) -> None:
    def marked() -> list[bool]:
        return [getattr(desk.recap(index), mark.value) for index in range(3)]

    await desk.edits.mark(desk.path, desk.anchors(1), mark, True)
    await desk.deed(desk.edits.mark(desk.path, desk.anchors(0, 1, 2), mark), label)
    assert marked() == [True, True, True]
    await desk.edits.mark(desk.path, desk.anchors(0, 1, 2), mark)
    assert marked() == [False, False, False]


async def test_a_mark_that_was_lifted_again_keeps_no_recap_from_being_written(desk: Desk) -> None:
    last = desk.anchors(5)
    await desk.edits.mark(desk.path, last, Mark.EXCLUDED, True)
    await desk.edits.mark(desk.path, last, Mark.EXCLUDED, False)
    messages = [*chat(), message(6, "A gull cried over the empty quay.")]
    await desk.saved(messages)
    assert desk.recap(5).text


async def test_the_recap_of_the_previous_swipe_is_found_and_can_be_taken_over(desk: Desk) -> None:
    assert await desk.edits.previous_swipe(desk.path, desk.anchor(3)) is None
    await desk.saved(chat(shown=0))
    await desk.edits.edit(desk.path, desk.anchor(3), "The boat was there.")
    assert await desk.edits.previous_swipe(desk.path, desk.anchor(3)) is None
    await desk.saved(chat(shown=1))
    found = await desk.edits.previous_swipe(desk.path, desk.anchor(3))
    assert found is not None
    assert found.text == "The boat was there."
    await desk.deed(
        desk.edits.take_from_previous_swipe(desk.path, desk.anchor(3)),
        "recap of #3 from the previous swipe",
    )
    assert desk.recap(3).text == "The boat was there."
    assert desk.recap(3).source_hash == desk.story.messages[3].content_hash


async def test_a_message_without_an_earlier_swipe_has_nothing_to_take_over(desk: Desk) -> None:
    with pytest.raises(UsageError, match="has no recap"):
        await desk.edits.take_from_previous_swipe(desk.path, desk.anchor(2))


Deed = Callable[[Desk], Awaitable[object]]


@pytest.mark.parametrize(
    "deed",
    [
        lambda desk: desk.edits.edit(desk.path, "gone", "text"),
        lambda desk: desk.edits.clear(desk.path, ["gone"]),
        lambda desk: desk.edits.mark(desk.path, ["gone"], Mark.EXCLUDED),
        lambda desk: desk.edits.previous_swipe(desk.path, "gone"),
    ],
)
async def test_what_is_asked_of_a_message_that_is_gone_changes_nothing(
    desk: Desk, deed: Deed
) -> None:
    before = desk.story
    await deed(desk)
    assert desk.story == before
