"""Versions of recaps: chosen, written, deleted and restored, none ever lost; drafts of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.store.store import Store
from app.story.drafts import RUNNING_RECAP, SCENE_RECAP, Draft
from app.story.story import Story
from tests.labelled import WrittenTavern


@pytest.fixture
def chat(demo_tavern: WrittenTavern) -> Path:
    return demo_tavern.chat


@pytest_asyncio.fixture
async def companion(
    demo_tavern: WrittenTavern, tmp_path: Path, chat: Path
) -> AsyncIterator[Companion]:
    folders = user_folders(tmp_path / "own")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as opened:
        await opened.open_story(chat)
        await opened.settled(chat)
        yield opened


def story(companion: Companion, chat: Path) -> Story:
    found = companion.story(chat)
    assert found is not None
    return found


def numbers(companion: Companion, chat: Path) -> list[int]:
    return [version.version for version in story(companion, chat).running.versions]


async def deleted(companion: Companion, chat: Path) -> list[int]:
    return [v.version for v in await companion.edits.deleted_running_versions(chat)]


async def prompt(companion: Companion, chat: Path) -> str:
    return (await companion.slots(chat)).slots[0].text


async def test_a_recap_is_locked_once_it_is_folded_in_and_a_rebuild_unlocks_it(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat)
    *folded, newest = [scene for scene in before.scenes if scene.is_closed]
    recaps = [before.scene_recap(scene) for scene in folded]
    assert all(recap is not None and recap.is_locked for recap in recaps)
    left_out = before.scene_recap(newest)
    assert left_out is not None
    assert not left_out.is_locked
    first = folded[0].closing
    assert first is not None
    # What is written now is another version: the running recap does not tell it yet.
    await companion.edits.edit_scene_recap(chat, first.anchor, "They met.")
    versions = story(companion, chat).recaps[first.anchor]
    assert [version.is_locked for version in versions] == [True, False]
    companion.work.pause()
    unlocked = story(companion, chat)
    await companion.edits.rebuild_running_recap(chat, first.anchor)
    rebuilt = story(companion, chat)
    assert not any(v.is_locked for versions in rebuilt.recaps.values() for v in versions)
    await companion.edits.undo(chat)
    assert story(companion, chat) == unlocked
    await companion.edits.redo(chat)
    companion.work.resume()
    after = await companion.settled(chat)
    assert [version.is_locked for version in after.recaps[first.anchor]] == [False, True]


async def test_what_is_rebuilt_takes_the_place_of_what_reached_farther_than_recaps_go_now(
    companion: Companion, chat: Path
) -> None:
    """It ended one scene short of the version in the prompt, which stayed there for good."""
    before = story(companion, chat)
    old = before.running.current
    assert old is not None
    second = before.scenes[1].closing
    assert second is not None
    await companion.put_setting("running_recap_leave_out", 2, path=chat)
    await companion.edits.rebuild_running_recap(chat, second.anchor)
    new = (await companion.settled(chat)).running.current
    assert new is not None
    assert not new.is_retired
    assert (new.scene_count, new.last_anchor) == (old.scene_count, old.last_anchor)
    # Also where the end of its last scene is gone, so that nothing can reach as far.
    await companion.edits.scenes.delete(chat, old.last_anchor)
    await companion.edits.rebuild_running_recap(chat, second.anchor)
    newest = (await companion.settled(chat)).running.current
    assert newest is not None
    assert not newest.is_retired
    assert newest.version > new.version


async def test_a_rebuild_keeps_what_the_user_wrote_into_the_running_recap(
    companion: Companion, chat: Path
) -> None:
    current = story(companion, chat).running.current
    first = story(companion, chat).scenes[0].closing
    assert current is not None
    assert first is not None
    own = "Her other name is Kunigunde."
    await companion.edits.edit_running_recap(chat, f"{current.content}\n{own}")
    await companion.edits.rebuild_running_recap(chat, first.anchor)
    rebuilt = (await companion.settled(chat)).running.current
    assert rebuilt is not None
    assert not rebuilt.is_retired
    assert rebuilt.made_by != "you"
    assert own in rebuilt.content


async def test_a_deleted_current_version_gives_way_to_the_highest_left(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat).running
    last = before.versions[-1].version
    await companion.edits.delete_running_version(chat, last)
    running = (await companion.settled(chat)).running
    assert running.versions == before.versions[:-1]
    assert running.current == before.versions[-2]
    assert before.versions[-2].content in await prompt(companion, chat)
    assert await deleted(companion, chat) == [last]
    with pytest.raises(UsageError, match=f"version {last + 1} "):
        await companion.edits.delete_running_version(chat, last)


async def test_a_deleted_version_is_not_folded_again_and_its_number_not_given_again(
    companion: Companion, chat: Path
) -> None:
    last = numbers(companion, chat)[-1]
    await companion.edits.delete_running_version(chat, last)
    await companion.settled(chat)
    await companion.edits.edit_running_recap(chat, "By hand.")
    await companion.settled(chat)
    assert numbers(companion, chat)[-1] == last + 1
    assert last not in numbers(companion, chat)


async def test_the_next_number_is_known_beforehand_also_after_an_undo(
    companion: Companion, chat: Path
) -> None:
    edits = companion.edits
    for text in ("one", "two"):
        number = await edits.next_recap_version(chat)
        await edits.edit_running_recap(chat, text)
        assert numbers(companion, chat)[-1] == number
        await edits.undo(chat)
    scene = story(companion, chat).scenes[0]
    assert scene.closing is not None
    assert await edits.next_recap_version(chat, scene.closing.anchor) == 1


async def test_deleting_another_version_leaves_the_current_one(
    companion: Companion, chat: Path
) -> None:
    current = story(companion, chat).running.current_version
    await companion.edits.delete_running_version(chat, 2)
    assert story(companion, chat).running.current_version == current


async def test_a_restored_version_stands_in_its_place_and_does_not_become_current(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat).running
    last = before.versions[-1].version
    await companion.edits.delete_running_version(chat, last)
    await companion.edits.restore_running_version(chat, last)
    running = story(companion, chat).running
    assert running.versions == before.versions
    assert running.current == before.versions[-2]
    assert await deleted(companion, chat) == []
    with pytest.raises(UsageError, match="deleted version"):
        await companion.edits.restore_running_version(chat, last)


@pytest.mark.weakness(53)
async def test_a_cleared_recap_leaves_the_prompt_stays_away_and_comes_back_by_undo(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat).running
    await companion.edits.clear_running_recap(chat)
    running = (await companion.settled(chat)).running
    assert (running.versions, running.current) == ((), None)
    assert before.versions[-1].content not in await prompt(companion, chat)
    assert await deleted(companion, chat) == [v.version for v in before.versions]
    assert await companion.edits.undo(chat) == "clear the running recap"
    assert story(companion, chat).running == before


async def test_a_recap_can_be_written_by_hand_where_there_is_none(
    companion: Companion, chat: Path
) -> None:
    await companion.edits.clear_running_recap(chat)
    await companion.edits.edit_running_recap(chat, "Begun anew.")
    running = story(companion, chat).running
    assert running.current is not None
    assert (running.current.content, running.current.scene_count) == ("Begun anew.", 0)
    assert "Begun anew." in await prompt(companion, chat)


async def test_a_rebuild_folds_in_what_deleted_versions_held(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat)
    closing = before.scenes[0].closing
    assert closing is not None
    await companion.edits.clear_running_recap(chat)
    await companion.edits.rebuild_running_recap(chat, closing.anchor)
    running = (await companion.settled(chat)).running
    assert running.current is not None
    assert running.current.content == before.running.versions[-1].content
    assert min(v.version for v in running.versions) > before.running.versions[-1].version


async def test_a_rebuild_is_taken_back_with_all_that_was_folded_in_since(
    companion: Companion, chat: Path
) -> None:
    before = story(companion, chat)
    closing, number = before.scenes[1].closing, len(before.running.versions)
    assert closing is not None
    await companion.edits.edit_scene_recap(chat, closing.anchor, "Told by hand.")
    edited = story(companion, chat)
    told = []
    companion.story_changed.connect(lambda _: told.append(story(companion, chat).running.current))
    await companion.edits.rebuild_running_recap(chat, closing.anchor)
    rebuilt = await companion.settled(chat)
    assert told  # and until it reaches as far, what was in the prompt stays there
    assert [current.scene_count for current in told if current is not None] == [
        before.running.versions[-1].scene_count
    ] * len(told)
    assert "Told by hand." in await prompt(companion, chat)
    companion.work.pause()
    await companion.edits.undo(chat)
    after = story(companion, chat)
    assert (after.recaps, after.running.current) == (edited.recaps, edited.running.current)
    assert after.running.versions[:number] == edited.running.versions
    # Nothing is thrown away, and nothing is built on what was taken back.
    assert [v.content for v in after.running.versions] == [
        v.content for v in rebuilt.running.versions
    ]
    assert all(v.is_retired for v in after.running.versions[number:])
    assert before.running.versions[-1].content in await prompt(companion, chat)
    await companion.edits.redo(chat)
    assert story(companion, chat) == rebuilt
    await companion.edits.undo(chat)
    companion.work.resume()
    assert (await companion.settled(chat)).running == after.running


async def test_an_edit_covers_the_scenes_of_the_version_it_began_from(
    companion: Companion, chat: Path
) -> None:
    old = story(companion, chat).running.versions[3]
    await companion.edits.edit_running_recap(chat, "Shorter.", base=old.version)
    current = story(companion, chat).running.current
    assert current is not None
    assert (current.scene_count, current.last_anchor) == (old.scene_count, old.last_anchor)


async def test_choosing_a_version_of_a_scene_recap_can_be_undone(
    companion: Companion, chat: Path
) -> None:
    scene = story(companion, chat).scenes[0]
    assert scene.closing is not None
    anchor = scene.closing.anchor

    def current() -> int | None:
        recap = story(companion, chat).scene_recap(scene)
        return recap.version if recap is not None else None

    await companion.edits.edit_scene_recap(chat, anchor, "They met.")
    assert current() == 1
    await companion.edits.select_scene_recap_version(chat, anchor, 0)
    assert current() == 0
    assert await companion.edits.undo(chat) == "recap of scene 1 v1"
    assert current() == 1
    with pytest.raises(UsageError, match="no version 8"):
        await companion.edits.select_scene_recap_version(chat, anchor, 7)


async def test_drafts_survive_a_crash_one_for_each_text(
    companion: Companion, chat: Path, tmp_path: Path
) -> None:
    drafts = companion.edits.drafts
    await drafts.save(chat, Draft(RUNNING_RECAP, "", "The lamps"))
    await drafts.save(chat, Draft(RUNNING_RECAP, "", "The lamps are out", base=3))
    await drafts.save(chat, Draft(SCENE_RECAP, "a", "They met"))
    store = Store(user_folders(tmp_path / "own").database)  # as after a kill: nothing was closed
    await store.open()
    found = {
        draft.kind: draft
        for draft in await store.run(lambda: store.drafts.of(store.chats.id_of(str(chat))))
    }
    await store.aclose()
    assert found[RUNNING_RECAP].text == "The lamps are out"
    assert (found[RUNNING_RECAP].base, found[SCENE_RECAP].anchor) == (3, "a")
    assert found[RUNNING_RECAP].saved > 0


async def test_a_draft_is_gone_once_its_text_is_a_version_or_discarded(
    companion: Companion, chat: Path
) -> None:
    scene = story(companion, chat).scenes[0]
    assert scene.closing is not None
    anchor, drafts = scene.closing.anchor, companion.edits.drafts
    await drafts.save(chat, Draft(RUNNING_RECAP, "", "one"))
    await drafts.save(chat, Draft(SCENE_RECAP, anchor, "two"))
    await drafts.save(chat, Draft(SCENE_RECAP, "other", "three"))
    await companion.edits.edit_running_recap(chat, "one")
    await companion.edits.edit_scene_recap(chat, anchor, "two")
    assert [draft.text for draft in await drafts.of(chat)] == ["three"]
    await drafts.discard(chat, SCENE_RECAP, "other")
    await drafts.discard(chat, SCENE_RECAP, "never there")
    assert await drafts.of(chat) == ()
