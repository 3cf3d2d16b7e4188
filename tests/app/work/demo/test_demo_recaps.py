"""The demo story shows what good recaps are like, and what is done to its recaps stays done."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.paths import Folders, user_folders
from app.story.recap_texts.recap_text import parse_recap
from app.story.recaps import BUILT_IN, DEMO_AUTHORS
from app.story.story import Story
from tests.ui.told_demo import tell_demo

IN_ORDER = [BUILT_IN, DEMO_AUTHORS]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    for name in ("chats", "characters"):
        (tmp_path / "data" / "default-user" / name).mkdir(parents=True)
    return user_folders(tmp_path / "own")


def opened(folders: Folders) -> AbstractAsyncContextManager[Companion]:
    tavern = folders.data.parent / "data"
    return open_companion(folders, tavern=tavern, llm="builtin", watch=False)


async def tell(companion: Companion) -> Story:
    await companion.open_story(companion.demo.path)
    return await companion.settled(companion.demo.path)


def makers(story: Story) -> list[list[str]]:
    return [[recap.made_by for recap in versions] for versions in story.recaps.values()]


async def test_each_scene_has_a_recap_and_a_name_as_a_model_writes_them(folders: Folders) -> None:
    async with opened(folders) as companion:
        story = await tell(companion)
    closed = [scene for scene in story.scenes if scene.closing is not None]
    assert makers(story) == [IN_ORDER] * len(closed)
    for scene in closed:
        recap = story.scene_recap(scene)
        assert recap is not None
        assert recap.made_by == DEMO_AUTHORS
        assert story.scene_name(scene) == recap.name
        told = parse_recap(recap.text)
        assert told.developments
        assert told.open
        assert told.state


async def test_the_running_recap_grows_with_the_scenes(folders: Folders) -> None:
    async with opened(folders) as companion:
        story = await tell(companion)
        running = story.running
        assert running.current is not None
        assert companion.count_tokens(running.current.content) < 1000
    folded = len(story.recaps) - 1  # the newest closed scene stands in the chat
    by_authors = [v for v in running.versions if v.made_by == DEMO_AUTHORS]
    assert [v.made_by for v in running.versions] == [BUILT_IN] * folded + [DEMO_AUTHORS] * folded
    assert running.current == by_authors[-1]
    assert [v.scene_count for v in by_authors] == list(range(1, folded + 1))
    for scene, version in zip(story.scenes, by_authors, strict=False):
        assert scene.closing is not None
        assert version.last_anchor == scene.closing.anchor
        # How things stand is how they stand at the end of its newest scene.
        recap = story.scene_recap(scene)
        assert recap is not None
        assert set(parse_recap(recap.text).state) <= set(parse_recap(version.content).state)


async def test_recaps_that_were_deleted_or_rewritten_stay_so(folders: Folders) -> None:
    async with opened(folders) as companion:
        story = await tell(companion)
        path, (first, second) = companion.demo.path, list(story.recaps)[:2]
        current = story.running.current_version
        assert current is not None
        await companion.edits.delete_running_version(path, current)
        await companion.edits.select_scene_recap_version(path, first, 0)
        await companion.edits.edit_scene_recap(path, second, "Mine.")
        before = await tell(companion)
    async with opened(folders) as companion:
        after = await tell(companion)
        assert after.recaps == before.recaps
        assert after.running == before.running
        assert after.running.current_version == current - 1
        await companion.edits.undo(path)
        await companion.edits.undo(path)
        await companion.edits.undo(path)
        undone = companion.story(path)
        assert undone is not None
        assert undone.running.current_version == current
        assert undone.recaps == story.recaps


async def test_what_was_cleared_does_not_come_back_by_itself(folders: Folders) -> None:
    async with opened(folders) as companion:
        await tell(companion)
        await companion.edits.clear_all(companion.demo.path)
        await companion.settled(companion.demo.path)
    async with opened(folders) as companion:
        story = await tell(companion)
    assert all(DEMO_AUTHORS not in made for made in makers(story))


async def test_a_moved_break_has_its_scenes_recapped_as_ever(folders: Folders) -> None:
    async with opened(folders) as companion:
        story = await tell(companion)
        path, last = companion.demo.path, story.scenes[-2]
        middle = story.messages[(last.first + last.last) // 2].anchor
        await companion.edits.scenes.split(path, middle)
        story = await companion.settled(path)
        half = story.scene_ending_at(middle)
        assert half is not None
        recap = story.scene_recap(half)
        assert recap is not None
        assert recap.made_by == BUILT_IN


async def test_the_built_in_way_folds_nothing_behind_the_authors_version(folders: Folders) -> None:
    async with opened(folders) as companion:
        await tell(companion)
        path = companion.demo.path
        await companion.put_setting("running_recap_leave_out", 0, path=path)
        story = await companion.settled(path)
        assert story.running.current is not None
        assert story.running.current.made_by == DEMO_AUTHORS


async def test_its_built_in_versions_are_what_the_built_in_way_writes(
    folders: Folders, tmp_path: Path
) -> None:
    from app.store.store import Store

    async with opened(folders) as companion:
        story = await tell(companion)
    told = Store(tell_demo(tmp_path / "told"), backups=tmp_path / "backups")
    try:
        await told.open()
        recaps, running = await told.run(
            lambda: (told.recaps.scene_recaps(1), told.recaps.running(1))
        )
    finally:
        await told.aclose()

    by_rules = [(vs[0].name, vs[0].text, vs[0].source_digest) for vs in story.recaps.values()]
    written = [(vs[0].name, vs[0].text, vs[0].source_digest) for vs in recaps.values()]
    assert sorted(by_rules) == sorted(written)
    contents = [version.content for version in running.versions]
    assert [v.content for v in story.running.versions][: len(contents)] == contents


async def test_who_has_the_demo_with_built_in_recaps_gets_the_authors_behind_them(
    folders: Folders, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def nothing(*_: object) -> bool:
        return False

    with monkeypatch.context() as patched:
        patched.setattr("app.work.demo.demo_story.give_demo_recaps", nothing)
        async with opened(folders) as companion:
            before = await tell(companion)
    async with opened(folders) as companion:
        story = await tell(companion)
    assert makers(before) == [[BUILT_IN]] * len(before.recaps)
    assert makers(story) == [IN_ORDER] * len(before.recaps)
    assert story.running.versions[: len(before.running.versions)] == before.running.versions
    assert story.running.current is not None
    assert story.running.current.made_by == DEMO_AUTHORS
