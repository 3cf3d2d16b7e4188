"""The companion on real chat files: what happens to a chat happens to its memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import ChatUnreadable, NoTavern, StoreError, UsageError
from app.core.operations import OperationStatus
from app.core.part_health import Light
from app.core.paths import user_folders
from app.story.scenes import BreakOrigin
from app.story.story import Story
from app.views.story_change import StoryChange
from app.work.chats.open_chat import OpenChat
from tests.chat_files import save_like_sillytavern
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern


class Chat:
    """A chat file that is changed the way SillyTavern changes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header, *self.messages = [json.loads(line) for line in path.read_text().splitlines()]

    def save(self, path: Path | None = None) -> None:
        lines = (json.dumps(line, ensure_ascii=False) for line in [self.header, *self.messages])
        save_like_sillytavern(path or self.path, "\n".join(lines).encode())

    def edit(self, index: int, text: str) -> None:
        self.messages[index]["mes"] = text

    def swipe(self, index: int, text: str) -> None:
        message = self.messages[index]
        swipes = message.setdefault("swipes", [message["mes"]])
        infos = message.setdefault("swipe_info", [{"send_date": message["send_date"], "extra": {}}])
        swipes.append(text)
        date = message["send_date"].replace("2026", "2027")
        infos.append({"send_date": date, "extra": {}})
        message.update(mes=text, send_date=date, swipe_id=len(swipes) - 1)


@pytest.fixture
def chat(demo_tavern: WrittenTavern) -> Chat:
    return Chat(demo_tavern.chat)


@pytest_asyncio.fixture
async def companion(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[Companion]:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as opened:
        yield opened


async def settled(companion: Companion, path: Path) -> Story:
    await companion.open_story(path)
    return await companion.settled(path)


def done(companion: Companion) -> int:
    return sum(op.status is OperationStatus.DONE for op in companion.work.operations)


def made(companion: Companion) -> int:
    """Operations that wrote something, instead of finding it among what was kept."""
    return sum(
        op.status is OperationStatus.DONE and op.backend != "kept"
        for op in companion.work.operations
    )


async def test_a_swipe_keeps_the_anchor_and_makes_the_recap_stale_until_it_is_swiped_back(
    companion: Companion, chat: Chat
) -> None:
    companion.settings.put("message_recaps_auto", True)
    before = await settled(companion, chat.path)
    companion.work.pause()
    old = dict(chat.messages[50])
    chat.swipe(50, "Something else entirely happened here.")
    chat.save()
    story = await companion.open_story(chat.path)
    assert [m.anchor for m in story.messages] == [m.anchor for m in before.messages]
    assert story.messages[50].text == "Something else entirely happened here."
    assert story.inclusion[50].is_stale
    assert sum(inclusion.is_stale for inclusion in story.inclusion) == 1
    chat.messages[50] = old
    chat.save()
    story = await companion.open_story(chat.path)
    assert not story.inclusion[50].is_stale


@pytest.mark.weakness(5)
async def test_a_message_inserted_at_the_top_shifts_everything_and_loses_nothing(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    count = made(companion)
    chat.messages.insert(
        0, dict(chat.messages[0], mes="A prologue.", send_date="2025-01-01T00:00:00.000Z")
    )
    chat.save()
    story = await settled(companion, chat.path)
    assert [m.anchor for m in story.messages[1:]] == [m.anchor for m in before.messages]
    assert [(s.first, s.last) for s in story.scenes[1:]] == [
        (s.first + 1, s.last + 1) for s in before.scenes[1:]
    ]
    assert story.running == before.running
    assert story.recaps == before.recaps
    assert made(companion) <= count + 1  # a recap of the new message at most


async def test_messages_deleted_from_the_end_take_the_future_out_of_the_prompt(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    versions = before.running.versions
    assert len(versions) > 4
    kept_scene = before.scenes[2]
    del chat.messages[kept_scene.last + 3 :]
    chat.save()
    story = await settled(companion, chat.path)
    text = (await companion.slots(chat.path)).slots[0].text
    assert versions[2].content in text
    assert versions[-1].content not in text
    assert story.running.versions == versions  # and nothing was thrown away


class Renames(list[tuple[Path, Path]]):
    """Old and new name of each chat that was found to be renamed."""

    def __init__(self, companion: Companion) -> None:
        super().__init__()
        companion.chat_renamed.connect(self._on_renamed)

    def _on_renamed(self, renamed: tuple[Path, Path]) -> None:
        self.append(renamed)


@pytest.mark.weakness(3)
async def test_a_renamed_chat_keeps_its_memory_and_costs_nothing(
    companion: Companion, chat: Chat, demo_tavern: WrittenTavern
) -> None:
    before = await settled(companion, chat.path)
    count = done(companion)
    heard = Renames(companion)
    renamed = chat.path.with_name("Another name.jsonl")
    chat.path.rename(renamed)
    story = await settled(companion, renamed)
    assert heard == [(chat.path, renamed)]
    assert story.running == before.running
    assert story.breaks == before.breaks
    assert done(companion) == count


@pytest.mark.weakness(4)
async def test_a_branch_begins_with_the_memory_of_its_parent_and_without_its_future(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    count = made(companion)
    third = before.scenes[2]
    parent = chat.path.stem
    chat.header["chat_metadata"] |= {"main_chat": parent, "integrity": "a new one"}
    del chat.messages[third.last + 4 :]
    branch = chat.path.with_name(f"{parent} - Branch #1.jsonl")
    chat.save(branch)
    story = await settled(companion, branch)
    assert [s.last for s in story.scenes[:3]] == [s.last for s in before.scenes[:3]]
    assert story.running.versions == before.running.versions[:3]
    assert made(companion) == count
    text = (await companion.slots(branch)).slots[0].text
    assert before.running.versions[-1].content not in text
    # What happens in the branch stays in the branch.
    await companion.edits.scenes.hide(branch, story.messages[third.last].anchor)
    assert companion.story(chat.path).scenes[2] == third  # type: ignore[union-attr]


async def test_a_copy_with_the_same_integrity_is_no_rename(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    copy = chat.path.with_name("Copy.jsonl")
    chat.save(copy)
    assert (await settled(companion, copy)).running.versions == before.running.versions
    assert (await settled(companion, chat.path)).running == before.running


async def test_a_removed_break_joins_two_scenes_is_not_found_again_and_comes_back_by_undo(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    second = before.scenes[1]
    await companion.edits.scenes.hide(chat.path, before.messages[second.last].anchor)
    story = await settled(companion, chat.path)
    assert story.scenes[1].last == before.scenes[2].last
    chat.edit(140, "An edit, so that everything is read again.")
    chat.save()
    assert (await settled(companion, chat.path)).scenes[1] == story.scenes[1]
    assert (await companion.edits.undo_labels(chat.path))[0].startswith("removed scene break at #")
    await companion.edits.undo(chat.path)
    assert companion.story(chat.path).scenes == before.scenes  # type: ignore[union-attr]


async def test_a_break_by_hand_cuts_where_it_is_set_and_both_halves_are_recapped(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    scene = max(before.scenes[:-1], key=lambda scene: scene.length)
    middle = scene.first + scene.length // 2
    await companion.edits.scenes.mark(chat.path, before.messages[middle].anchor, name="By hand")
    story = await companion.settled(chat.path)
    mark = story.breaks[before.messages[middle].anchor]
    assert (mark.origin, mark.name) == (BreakOrigin.HAND, "By hand")
    assert len(story.scenes) == len(before.scenes) + 1
    assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)


@pytest.mark.weakness(7, 17)
async def test_an_edited_running_recap_is_a_new_version_and_in_the_prompt_at_once(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    published: list[Path] = []  # to the page, and to the bridge file

    def hear(path: Path) -> None:
        published.append(path)

    companion.slots_changed.connect(hear)
    await companion.edits.edit_running_recap(chat.path, "STATE\nThe lamps are out.")
    await companion.settled(chat.path)
    assert published == [chat.path]
    story = companion.story(chat.path)
    assert story is not None
    current = story.running.current
    assert current is not None
    assert (current.made_by, current.reason) == ("you", "edit")
    assert story.running.versions[:-1] == before.running.versions
    assert "The lamps are out." in (await companion.slots(chat.path)).slots[0].text
    await companion.edits.select_running_version(chat.path, 0)
    await companion.settled(chat.path)
    assert published == [chat.path] * 2
    assert before.running.versions[0].content in (await companion.slots(chat.path)).slots[0].text
    assert (await companion.settled(chat.path)).running.current_version == 0
    with pytest.raises(UsageError, match="100"):
        await companion.edits.select_running_version(chat.path, 99)


@pytest.mark.weakness(20)
async def test_a_scene_recap_done_again_keeps_the_old_version(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    anchor = before.messages[before.scenes[0].last].anchor
    await companion.edits.edit_scene_recap(chat.path, anchor, "They met.")
    await companion.edits.redo_scene_recap(chat.path, anchor)
    story = await companion.settled(chat.path)
    texts = [recap.text for recap in story.recaps[anchor]]
    assert texts == [before.recaps[anchor][0].text, "They met.", before.recaps[anchor][0].text]
    assert [recap.is_current for recap in story.recaps[anchor]] == [False, False, True]
    # What the running recap tells of this scene and of those behind it stays as it is.
    assert story.running == before.running


async def test_what_st_auto_recap_left_in_a_chat_is_taken_in_and_the_file_left_alone(
    companion: Companion, chat: Chat
) -> None:
    ours = {"scene_break": True, "scene_break_name": "The tavern", "scene_recap_memory": "Two met."}
    versions = {"scene_recap_versions": ["First try.", "Two met."], "scene_recap_current_index": 1}
    chat.messages[11]["extra"]["auto_recap_memory"] = ours | versions
    chat.messages[5]["extra"]["auto_recap_memory"] = {"memory": "A short recap.", "remember": True}
    chat.messages[6]["extra"]["auto_summarize_memory"] = {"memory": "Old.", "exclude": True}
    chat.header["chat_metadata"]["auto_recap_running_scene_recaps"] = {
        "chat_id": chat.path.stem,
        "current_version": 3,
        "versions": [
            {"version": 2, "content": "Older.", "scene_count": 1, "new_scene_index": 11},
            {"version": 3, "content": "What was so far.", "scene_count": 1, "new_scene_index": 11},
        ],
    }
    chat.save()
    before = chat.path.read_bytes()
    companion.work.pause()
    story = await companion.open_story(chat.path)
    assert (story.scenes[0].last, story.scenes[0].name) == (11, "The tavern")
    recap = story.scene_recap(story.scenes[0])
    assert recap is not None
    assert recap.text == "Two met."
    assert [v.text for v in story.recaps[recap.anchor]] == ["First try.", "Two met."]
    assert story.inclusion[5].state.value == "long-term"
    assert story.inclusion[6].state.value == "excluded"
    assert [v.content for v in story.running.versions] == ["Older.", "What was so far."]
    assert "What was so far." in (await companion.slots(chat.path)).slots[0].text
    assert chat.path.read_bytes() == before


async def test_a_chat_that_vanished_keeps_its_last_story_and_says_so(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    heard: asyncio.Queue[tuple[Path, str]] = asyncio.Queue()
    companion.trouble.connect(heard.put_nowait)
    chat.path.unlink()
    await companion.sync()
    _, sentence = await asyncio.wait_for(heard.get(), 15)
    assert chat.path.name in sentence
    assert companion.story(chat.path) == before


async def test_a_new_message_saved_by_sillytavern_arrives_by_itself(
    demo_tavern: WrittenTavern, tmp_path: Path, chat: Chat
) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder) as companion:
        await settled(companion, chat.path)
        changes: asyncio.Queue[StoryChange] = asyncio.Queue()
        companion.story_changed.connect(changes.put_nowait)
        chat.messages.append(
            dict(chat.messages[-1], mes="A new line.", send_date="2027-01-01T00:00:00.000Z")
        )
        chat.save()
        async with asyncio.timeout(15):
            while (await changes.get()).first_message != 145:
                pass
        story = companion.story(chat.path)
        assert story is not None
        assert story.messages[-1].text == "A new line."


async def test_an_answer_that_makes_no_sense_fails_in_one_sentence_and_costs_nothing_else(
    demo_tavern: WrittenTavern, tmp_path: Path, chat: Chat
) -> None:
    is_foolish = True

    def reply(request: Any) -> str:
        scene = request.text.rpartition("<scene>")[2]
        is_it = is_foolish and "Drowned Bell" in scene
        return "" if is_it else '{"name": "N", "recap": {"state": ["S."]}}'

    folders = user_folders(tmp_path / "own data")
    with FakeLlm(reply) as model:
        llm = f"openai:{MODEL}@{model.url}"
        async with open_companion(
            folders, tavern=demo_tavern.user_folder, llm=llm, watch=False
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            story, failures = await companion.finished(chat.path)
            is_foolish = False
            await companion.work.retry_all()
            later, later_failures = await companion.finished(chat.path)
            left = companion.work.operations
    assert failures
    assert all(one.startswith(("No ", "Model for ")) for one in failures), failures
    # A scene that the model has no recap for gets one without it, and says so.
    writers = {recap.made_by for scene in story.scenes if (recap := story.scene_recap(scene))}
    assert writers == {MODEL, f"built-in, in place of {MODEL}"}
    assert len(story.running.versions) > 2
    # Once the model answers, what failed is made by it, and no failure is left.
    assert {r.made_by for scene in later.scenes if (r := later.scene_recap(scene))} == {MODEL}
    assert not later_failures
    # What had taken in the stand-in is made anew with what the model wrote.
    assert "Drowned Bell" in str([version.content for version in story.running.versions])
    usable = [version for version in later.running.versions if not version.is_retired]
    assert "Drowned Bell" not in str([version.content for version in usable])
    assert later.running.current == usable[-1]
    assert OperationStatus.FAILED not in {operation.status for operation in left}


async def test_a_backlog_waits_for_the_users_word_and_says_what_it_would_take(
    demo_tavern: WrittenTavern, tmp_path: Path, chat: Chat
) -> None:
    recap = {"developments": ["Something happened."]}
    answer = {"name": "Name", "recap": recap, "changes": {"drop": [], "replace": [], "add": {}}}
    folders = user_folders(tmp_path / "own data")
    with FakeLlm(lambda _: json.dumps(answer)) as model:
        async with open_companion(
            folders,
            tavern=demo_tavern.user_folder,
            llm=f"openai:{MODEL}@{model.url}",
            watch=False,
            asks_first=True,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            story = await settled(companion, chat.path)
            plan = companion.work.catch_up(chat.path)
            assert plan is not None
            assert not model.requests
            closed = sum(scene.is_closed for scene in story.scenes)
            assert (plan.scenes, plan.folds) == (closed, closed - 1)
            assert plan.requests == closed, "a scene's recap asks for the fold before it, too"
            assert (plan.first, plan.last) == (0, story.scenes[-2].last)
            assert plan.prompt_tokens > sum(story.message_tokens[: plan.last])
            await companion.work.start_catch_up(chat.path)
            story = await companion.settled(chat.path)
            assert companion.work.catch_up(chat.path) is None
            assert len(story.running.versions) == closed - 1
            assert len(model.requests) == plan.requests


@pytest.mark.weakness(19, 20)
async def test_rebuilding_from_a_scene_keeps_what_was_before_and_doubles_nothing(
    companion: Companion, chat: Chat
) -> None:
    before = await settled(companion, chat.path)
    versions = before.running.versions
    third = before.messages[before.scenes[2].last].anchor
    await companion.edits.edit_scene_recap(chat.path, third, "The third scene, told by hand.")
    companion.work.pause()
    await companion.edits.rebuild_running_recap(chat.path, third)
    # Until the new versions reach as far, the old one stays in the prompt.
    assert versions[-1].content in (await companion.slots(chat.path)).slots[0].text
    companion.work.resume()
    story = await companion.settled(chat.path)
    rebuilt = story.running.versions[len(versions) :]
    assert [version.scene_count for version in rebuilt] == list(range(3, len(versions) + 1))
    assert rebuilt[0].first_anchor == versions[1].last_anchor
    assert all("told by hand" in version.content for version in rebuilt[:1])
    assert story.running.current == rebuilt[-1]
    assert story.running.versions[: len(versions)] == tuple(
        replace(version, is_retired=version.scene_count > 2) for version in versions
    )


@pytest.mark.weakness(3)
async def test_another_chats_running_recap_is_set_aside_and_can_be_chosen(
    companion: Companion, chat: Chat
) -> None:
    stored = {"version": 0, "content": "Of another chat.", "scene_count": 1, "new_scene_index": 9}
    chat.header["chat_metadata"]["auto_recap_running_scene_recaps"] = {
        "chat_id": "Some other chat",
        "current_version": 0,
        "versions": [stored],
    }
    chat.save()
    other = {"name": "Ann", "mes": "Another story.", "send_date": "2026-01-01T00:00:00.000Z"}
    chat.path.with_name("Some other chat.jsonl").write_text(json.dumps(other), "utf-8")
    companion.work.pause()
    story = await companion.open_story(chat.path)
    (foreign,) = story.running.versions
    assert foreign.reason == "foreign"
    assert (await companion.slots(chat.path)).slots[0].text == ""
    await companion.edits.select_running_version(chat.path, foreign.version)
    assert "Of another chat." in (await companion.slots(chat.path)).slots[0].text


async def test_renaming_a_chat_while_its_recaps_are_written_goes_on_under_the_new_name(
    companion: Companion, chat: Chat
) -> None:
    await companion.open_story(chat.path)
    renamed = chat.path.with_name("Another name.jsonl")
    chat.path.rename(renamed)
    story = await settled(companion, renamed)
    assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)
    assert companion.story(chat.path) is None
    assert not [op for op in companion.work.operations if op.status is OperationStatus.FAILED]


async def test_a_recap_kept_by_its_key_is_never_that_of_another_text(
    demo_tavern: WrittenTavern, tmp_path: Path, chat: Chat
) -> None:
    def reply(request: Any) -> str:
        seen = "walrus" if "walrus" in request.text else "nobody"
        return json.dumps({"name": "N", "recap": {"developments": [f"{seen} came."]}})

    folders = user_folders(tmp_path / "own data")
    with FakeLlm(reply) as model:
        llm = f"openai:{MODEL}@{model.url}"
        async with open_companion(
            folders, tavern=demo_tavern.user_folder, llm=llm, watch=False
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.work.pause()
            story = await companion.open_story(chat.path)
            before = chat.messages[2]["mes"]
            chat.edit(2, "A purple walrus came in.")
            chat.save()
            await companion.open_story(chat.path)
            companion.work.resume()
            story = await companion.settled(chat.path)
            first = story.scene_recap(story.scenes[0])
            assert first is not None
            assert "walrus" in first.text
            assert len(story.recaps[first.anchor]) == 1
            asked = len(model.requests)
            chat.edit(2, before)
            chat.save()
            await companion.open_story(chat.path)
            await companion.edits.redo_scene_recap(chat.path, first.anchor)
            story = await companion.settled(chat.path)
            again = story.scene_recap(story.scenes[0])
            assert again is not None
            assert "walrus" not in again.text
            assert len(model.requests) == asked + 1


async def test_undo_of_an_edit_keeps_the_scenes_folded_in_since(
    companion: Companion, chat: Chat
) -> None:
    messages = chat.messages
    chat.messages = messages[:60]
    chat.save()
    await settled(companion, chat.path)
    await companion.edits.edit_running_recap(chat.path, "STATE\nAs the user says.")
    chat.messages = messages
    chat.save()
    before = await settled(companion, chat.path)
    current = before.running.current_version
    await companion.edits.undo(chat.path)
    story = companion.story(chat.path)
    assert story is not None
    assert story.running.current_version == current
    assert all(version.reason != "edit" for version in story.running.versions)
    await companion.edits.redo(chat.path)
    story = companion.story(chat.path)
    assert story is not None
    assert story.running == before.running


async def test_a_chat_that_could_not_be_read_at_first_is_still_imported_and_branched(
    companion: Companion, chat: Chat
) -> None:
    chat.messages[5]["extra"]["auto_recap_memory"] = {"memory": "A short recap."}
    late = chat.path.with_name("Late.jsonl")
    with pytest.raises(ChatUnreadable):
        await companion.open_story(late)
    chat.save(late)
    companion.work.pause()
    story = await companion.open_story(late)
    assert story.message_recaps[story.messages[5].anchor].text == "A short recap."


async def test_two_programs_never_work_in_one_data_folder(
    companion: Companion, chat: Chat, demo_tavern: WrittenTavern
) -> None:
    folders = companion.folders
    with pytest.raises(StoreError, match="already running"):
        async with open_companion(folders, tavern=demo_tavern.user_folder):
            raise AssertionError("it must not start")


async def test_a_setting_that_makes_no_sense_is_refused_and_an_old_one_survived(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as companion:
        with pytest.raises(UsageError):
            await companion.put_setting("backend", "nonsense")
        with pytest.raises(NoTavern):
            await companion.put_setting("tavern", str(tmp_path / "nowhere"))
        assert companion.settings["backend"] == "builtin"
        store = companion._store
        await store.run(lambda: store.settings.save("global", "", "backend", "nonsense"))
        await store.run(lambda: store.settings.save("global", "", "tavern", "/gone"))
    async with open_companion(folders, watch=False) as companion:
        assert companion.health.backend.light is Light.BAD
        assert companion.taverns == ()
        await companion.put_setting("theme", "light")
        assert "not a model address" in companion.health.backend.sentence
        await companion.put_setting("prompt_preset", "")
        assert "not a model address" in companion.health.backend.sentence
        await companion.put_setting("backend", "builtin")
        assert "/gone" in companion.health.backend.sentence
        await companion.put_setting("tavern", str(demo_tavern.user_folder))
        mended = companion.health.backend
        assert mended.light is Light.OFF


async def test_a_reset_setting_is_forgotten_for_good(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    path, name = demo_tavern.chat, "running_recap_budget"
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as companion:
        await settled(companion, path)
        await companion.put_setting(name, 900)
        await companion.put_setting(name, 300, path=path)
        budget = (await companion.slots(path)).slots[0].budget
        assert budget == 300
        await companion.reset_setting(name, path=path)
        assert (await companion.slots(path)).slots[0].budget == 900
        assert not companion.setting(name, path=path).is_own
        await companion.reset_setting(name)
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as companion:
        assert companion.settings[name] == 1000


async def test_a_model_is_tried_without_being_chosen(companion: Companion) -> None:
    with FakeLlm(lambda request: "Ada hides a letter.") as llm:
        trial = await companion.models.test(f"openai:{MODEL}@{llm.url}")
    assert trial.text == "Ada hides a letter."
    assert companion.settings["backend"] == "builtin"


async def test_recaps_of_all_messages_without_one_are_written_when_asked(
    companion: Companion, chat: Chat
) -> None:
    companion.settings.put("message_recaps_auto", False)
    await settled(companion, chat.path)
    missing = companion.edits.messages.missing(chat.path)
    assert missing > 100
    await companion.edits.messages.write_missing(chat.path)
    story = await companion.settled(chat.path)
    assert sum(bool(recap.text) for recap in story.message_recaps.values()) > 100
    assert companion.edits.messages.missing(chat.path) < missing


async def test_a_scene_whose_message_was_edited_has_a_stale_recap(
    companion: Companion, chat: Chat
) -> None:
    story = await settled(companion, chat.path)
    scene = story.scenes[2]
    assert scene.closing is not None
    anchor = scene.closing.anchor
    assert not companion.edits.is_scene_recap_stale(chat.path, anchor)
    companion.work.pause()
    chat.edit(scene.first, "Something else entirely happened here.")
    chat.save()
    await companion.open_story(chat.path)
    assert companion.edits.is_scene_recap_stale(chat.path, anchor)


async def test_what_the_window_alone_reads_has_no_chat_read_anew(
    companion: Companion, chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a long story the choice of a theme took seconds, and closing the window minutes."""
    await companion.open_story(chat.path)
    anew: list[object] = []
    refresh = companion._chats.refresh

    async def watched(one: OpenChat) -> None:
        anew.append(one)
        await refresh(one)

    monkeypatch.setattr(companion._chats, "refresh", watched)
    heard: list[str] = []

    def hear(name: str) -> None:
        heard.append(name)

    companion.settings_changed.connect(hear)
    for name, value in (("theme", "light"), ("window_state", "{}"), ("story_text_size", 18.0)):
        await companion.put_setting(name, value)
    assert heard == ["theme", "window_state", "story_text_size"]
    assert anew == []
    await companion.put_setting("context_tokens", 4096)
    assert anew  # maybe again for what that changes in turn
