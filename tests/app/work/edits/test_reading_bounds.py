"""Messages that the user keeps out of what memory reads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.paths import Folders
from app.memory.documents.summary import to_summarise
from app.memory.reading.left_out import left_out_of, stored
from tests.labelled import WrittenTavern
from tests.oracle.asking_first import asking_first
from tests.scripted_memory import is_reading
from tests.ui.samples import message

Opened = Callable[[], AbstractAsyncContextManager[Companion]]


@pytest.fixture
def demo_opened(demo_tavern: WrittenTavern, tmp_path: Path) -> Opened:
    """Opens the demo's tavern, each time with the same folder of its own."""
    own = tmp_path / "own"
    own.mkdir()
    return partial(
        open_companion,
        Folders(own, own),
        tavern=demo_tavern.user_folder,
        llm="builtin",
        watch=False,
    )


def test_anchors_are_kept_in_one_text() -> None:
    assert left_out_of({"memory_left_out": ""}) == frozenset()
    assert left_out_of({"memory_left_out": stored({"b", "a"})}) == {"a", "b"}


def test_a_summary_passes_them_over() -> None:
    shown = [message(n) for n in range(4)]
    assert list(to_summarise(shown, -1, 3, {shown[1].anchor})) == [0, 2, 3]


@pytest.mark.asyncio
async def test_leaving_out_is_a_step_that_can_be_taken_back(
    demo_tavern: WrittenTavern, demo_opened: Opened
) -> None:
    async with demo_opened() as companion:
        story = await companion.open_story(demo_tavern.chat)
        path, bounds, edits = story.chat.path, companion.reading_bounds, companion.edits
        one, two = story.messages[3].anchor, story.messages[4].anchor
        await bounds.toggle(path, [one])
        assert bounds.left_out(path) == {one}
        assert (await edits.undo_labels(path))[0] == "memory leaves out #3"
        await bounds.toggle(path, [one, two])
        assert bounds.left_out(path) == {one, two}
        await bounds.toggle(path, [one, two, "gone"])
        assert bounds.left_out(path) == frozenset()
        assert (await edits.undo_labels(path))[0] == "memory reads 2 messages again"
        await edits.undo(path)
        assert bounds.left_out(path) == {one, two}
        await edits.undo(path)
        await edits.undo(path)
        assert bounds.left_out(path) == frozenset()


@pytest.mark.asyncio
async def test_a_message_that_is_left_out_reaches_no_reading(tmp_path: Path) -> None:
    async with asking_first(tmp_path) as (companion, path, llm):
        companion.settings.put("scene_detector", "heuristic")
        for name in ("scene_recaps_auto", "running_recap_auto"):
            await companion.put_setting(name, False)
        story = await companion.open_story(path)
        await companion.settled(path)
        left_out = [story.messages[n] for n in (0, 21, 22)]
        await _leave_out(companion, path, [m.anchor for m in left_out])
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        view = companion.remembered.view(path)
        held = [s for s in view.memories if s.is_active]
        noted = next(s.memory.sources[0].anchor for s in held if s.memory.sources)
        stays = sum(noted in {of.anchor for of in s.memory.sources} for s in held)
        assert await companion.reading_bounds.toggle(path, [noted]) == stays > 0
        assert await companion.reading_bounds.toggle(path, [noted]) == 0
    readings = [request.text for request in llm.requests if is_reading(request)]
    for one in left_out:
        longest = max(one.text.splitlines(), key=len)
        assert not any(longest in text for text in readings)
    beside = max(story.messages[23].text.splitlines(), key=len)
    assert any(beside in text for text in readings)


async def _leave_out(companion: Companion, path: Path, anchors: list[str]) -> None:
    await companion.reading_bounds.toggle(path, anchors)


@pytest.mark.asyncio
async def test_a_restored_copy_leaves_out_what_its_chat_left_out(
    demo_tavern: WrittenTavern, demo_opened: Opened
) -> None:
    """The copy's memory read what the user had kept from it, and told of other chats again."""
    async with demo_opened() as companion:
        path, bounds = demo_tavern.chat, companion.reading_bounds
        story = await companion.open_story(path)
        left_out = [story.messages[n].anchor for n in (3, 4)]
        await bounds.toggle(path, left_out)
        await companion.put_setting("other_chats_enabled", False, path=path)
        await companion.put_setting("mirror_to_chat", True, path=path)
        await companion.guard.look(path)
        (copy,) = await companion.guard.copies(path)
        restored = await companion.guard.restore(path, copy)
        again = await companion.open_story(restored)
        assert [m.anchor for m in again.messages] == [m.anchor for m in story.messages]
        assert bounds.left_out(restored) == set(left_out)
        assert not companion.setting("other_chats_enabled", path=restored).value
        # Nothing is written into a chat before somebody says so of it.
        assert not companion.setting("mirror_to_chat", path=restored).value
        # What is set for one of them from then on is its own.
        await bounds.toggle(restored, left_out)
        assert bounds.left_out(path) == set(left_out)
    async with demo_opened() as companion:
        await companion.open_story(restored)
        assert companion.reading_bounds.left_out(restored) == frozenset()
        assert not companion.setting("other_chats_enabled", path=restored).value
