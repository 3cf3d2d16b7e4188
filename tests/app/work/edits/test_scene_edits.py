"""Scene breaks by hand: each deed is one step, loses nothing, and can be taken back."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.story.drafts import SCENE_RECAP, Draft
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin
from app.story.story import Story
from app.work.edits.scene_edits import SceneEdits
from tests.chat_files import message, write_chat

LENGTH = 40
BREAKS = (9, 19, 29)


class Desk:
    """A story of four scenes, the last one open, and what can be done to it."""

    def __init__(self, companion: Companion, path: Path) -> None:
        self.companion = companion
        self.path = path

    @property
    def story(self) -> Story:
        story = self.companion.story(self.path)
        assert story is not None
        return story

    @property
    def ends(self) -> list[int]:
        return [scene.last for scene in self.story.scenes if scene.is_closed]

    @property
    def edits(self) -> SceneEdits:
        return self.companion.edits.scenes

    def anchor(self, index: int) -> str:
        return self.story.messages[index].anchor

    def recap(self, index: int) -> SceneRecap | None:
        """The recap that counts for the scene that ends there."""
        scene = self.story.scene_at(index)
        assert scene is not None
        return self.story.scene_recap(scene)

    async def settled(self) -> Story:
        return await self.companion.settled(self.path)

    async def is_undone(self) -> str:
        return await self.companion.edits.undo(self.path)


@pytest_asyncio.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    texts = (f"Mira carried {n} lanterns to the harbour of Vell." for n in range(LENGTH))
    path = write_chat(tmp_path / "chat.jsonl", [message(n, text) for n, text in enumerate(texts)])
    async with open_companion(user_folders(tmp_path / "own data"), watch=False) as companion:
        companion.settings.put("scene_breaks_auto", False)
        await companion.open_story(path)
        desk = Desk(companion, path)
        for number, index in enumerate(BREAKS, 1):
            await desk.edits.mark(path, desk.anchor(index), name=f"Scene {number}")
        await desk.settled()
        yield desk


async def test_a_moved_break_takes_its_name_its_recaps_and_its_draft_along(desk: Desk) -> None:
    start, end = desk.anchor(19), desk.anchor(24)
    await desk.companion.edits.edit_scene_recap(desk.path, start, "They met.")
    versions = [recap.text for recap in desk.story.recaps[start]]
    await desk.companion.edits.drafts.save(desk.path, Draft(SCENE_RECAP, start, "They m"))
    await desk.edits.move(desk.path, start, end)
    assert desk.ends == [9, 24, 29]
    mark = desk.story.breaks[end]
    assert (mark.name, mark.origin) == ("Scene 2", BreakOrigin.HAND)
    assert not desk.story.breaks[start].is_visible
    assert [recap.text for recap in desk.story.recaps[end]] == versions
    recap = desk.recap(24)
    assert recap is not None
    assert recap.text == "They met."
    drafts = await desk.companion.edits.drafts.of(desk.path)
    assert ("They m", end) in [(draft.text, draft.anchor) for draft in drafts]


async def test_undo_brings_a_moved_break_back_with_all_that_hung_on_it(desk: Desk) -> None:
    before = desk.story
    desk.companion.work.pause()
    await desk.edits.move(desk.path, desk.anchor(19), desk.anchor(14))
    assert desk.ends == [9, 14, 29]
    assert await desk.is_undone() == "moved end of scene 2"
    assert (desk.story.scenes, desk.story.breaks) == (before.scenes, before.breaks)
    assert (desk.story.recaps, desk.story.running) == (before.recaps, before.running)


async def test_the_recaps_of_both_scenes_are_written_anew_after_a_move(desk: Desk) -> None:
    before = {index: desk.recap(index) for index in (19, 29)}
    await desk.edits.move(desk.path, desk.anchor(29), desk.anchor(25))
    await desk.settled()
    recap = desk.recap(25)
    assert recap is not None
    assert recap != before[29]
    assert desk.recap(19) == before[19]


@pytest.mark.parametrize("to", [5, 9, 29, 35])
async def test_a_break_never_passes_another(desk: Desk, to: int) -> None:
    with pytest.raises(UsageError, match="between its own first message"):
        await desk.edits.move(desk.path, desk.anchor(19), desk.anchor(to))
    assert desk.ends == list(BREAKS)
    assert desk.edits.places(desk.path, desk.anchor(19)) == range(10, 29)
    assert desk.edits.places(desk.path, desk.anchor(20)) == range(0)


async def test_a_break_that_is_dropped_where_it_stood_leaves_no_step(desk: Desk) -> None:
    before = await desk.companion.edits.undo_labels(desk.path)
    await desk.edits.move(desk.path, desk.anchor(19), desk.anchor(19))
    assert await desk.companion.edits.undo_labels(desk.path) == before


async def test_what_a_shortened_scene_loses_is_told_by_the_running_recap(desk: Desk) -> None:
    await desk.settled()
    covered = [version.last_anchor for version in desk.story.running.versions]
    assert covered == [desk.anchor(9), desk.anchor(19)]
    await desk.edits.move(desk.path, desk.anchor(19), desk.anchor(15))
    covered = [version.last_anchor for version in desk.story.running.versions]
    assert covered[-1] == desk.anchor(15)
    await desk.edits.mark(desk.path, desk.anchor(35))
    story = await desk.settled()
    assert story.running.current is not None
    assert story.running.current.last_anchor == desk.anchor(29)
    assert story.running.current.scene_count == 3


async def test_a_split_cuts_where_it_is_set_and_keeps_the_recap_with_the_second_part(
    desk: Desk,
) -> None:
    recap = desk.recap(19)
    desk.companion.work.pause()
    await desk.edits.split(desk.path, desk.anchor(14), name=" The harbour ")
    assert desk.ends == [9, 14, 19, 29]
    assert [scene.name for scene in desk.story.scenes[1:3]] == ["The harbour", "Scene 2"]
    assert desk.recap(19) == recap
    assert desk.recap(14) is None
    with pytest.raises(UsageError, match="already"):
        await desk.edits.split(desk.path, desk.anchor(19))
    assert await desk.is_undone() == "split of scene 2"
    assert desk.ends == list(BREAKS)


async def test_a_merge_joins_two_scenes_under_the_name_of_the_second_or_else_the_first(
    desk: Desk,
) -> None:
    await desk.edits.merge(desk.path, desk.anchor(9))
    assert desk.ends == [19, 29]
    assert desk.story.scenes[0].name == "Scene 2"
    assert await desk.is_undone() == "merge of scenes 1 and 2"
    assert desk.ends == list(BREAKS)
    await desk.edits.rename(desk.path, desk.anchor(19), "")
    await desk.edits.merge(desk.path, desk.anchor(9))
    assert desk.story.scenes[0].name == "Scene 1"
    assert await desk.is_undone() == "merge of scenes 1 and 2"
    assert [scene.name for scene in desk.story.scenes[:2]] == ["Scene 1", ""]


async def test_the_last_closed_scene_can_be_merged_with_the_open_one(desk: Desk) -> None:
    await desk.edits.merge(desk.path, desk.anchor(29))
    assert desk.ends == [9, 19]
    with pytest.raises(UsageError, match="No scene ends"):
        await desk.edits.merge(desk.path, desk.anchor(29))


async def test_a_deleted_break_puts_its_recaps_away_and_undo_brings_all_back(desk: Desk) -> None:
    before = desk.story
    assert any(v.last_anchor == desk.anchor(19) for v in before.running.versions)
    desk.companion.work.pause()
    await desk.edits.delete(desk.path, desk.anchor(19))
    assert desk.ends == [9, 29]
    assert all(v.last_anchor != desk.anchor(19) for v in desk.story.running.versions)
    assert desk.anchor(19) not in desk.story.recaps
    await desk.edits.mark(desk.path, desk.anchor(19))
    assert (desk.recap(19), desk.story.scenes[1].name) == (None, "")
    assert await desk.is_undone() == "shown scene break at #19"
    assert await desk.is_undone() == "deleted scene break at #19"
    assert (desk.story.breaks, desk.story.recaps) == (before.breaks, before.recaps)
    assert desk.story.running == before.running


async def test_a_hidden_break_shows_again_with_what_hangs_on_it(desk: Desk) -> None:
    await desk.edits.hide(desk.path, desk.anchor(19))
    assert desk.ends == [9, 29]
    await desk.edits.mark(desk.path, desk.anchor(19))
    assert desk.ends == list(BREAKS)
    assert desk.story.scenes[1].name == "Scene 2"
    assert desk.recap(19) is not None
    await desk.edits.mark(desk.path, desk.anchor(35))
    assert desk.ends == [*BREAKS, 35]
    labels = [await desk.is_undone() for _ in range(3)]
    named = ("scene break at #35", "shown scene break at #19", "removed scene break at #19")
    assert labels == [*named]
    assert desk.ends == list(BREAKS)


async def test_what_is_not_there_is_said_and_changes_nothing(desk: Desk) -> None:
    before = desk.story
    commands: list[Callable[[], Awaitable[Any]]] = [
        lambda: desk.edits.mark(desk.path, "gone"),
        lambda: desk.edits.hide(desk.path, desk.anchor(20)),
        lambda: desk.edits.rename(desk.path, "gone", "Name"),
        lambda: desk.edits.delete(desk.path, desk.anchor(20)),
        lambda: desk.edits.move(desk.path, desk.anchor(19), "gone"),
        lambda: desk.edits.split(desk.path, "gone"),
        lambda: desk.edits.hide(desk.path.with_name("other.jsonl"), desk.anchor(19)),
    ]
    for deed in commands:
        with pytest.raises(UsageError):
            await deed()
    assert desk.story.breaks == before.breaks


async def test_undo_and_redo_of_a_merge_write_no_versions_but_bring_back_those_that_were(
    desk: Desk,
) -> None:
    anchor, before = desk.anchor(29), desk.recap(29)
    await desk.edits.merge(desk.path, desk.anchor(19))
    await desk.settled()
    merged = desk.recap(29)
    assert merged != before
    for again in (False, True, False):
        await (desk.companion.edits.redo if again else desk.companion.edits.undo)(desk.path)
        await desk.settled()
        assert desk.recap(29) == (merged if again else before)
    assert len(desk.story.recaps[anchor]) == 2
