"""A model is not given a long chat to read for memory before the user said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.companion import open_companion
from app.core.operations import RECAPS, OperationKind
from app.core.paths import Folders
from tests.fakes import FakeLlm
from tests.labelled import write_tavern
from tests.oracle.gold import Gold
from tests.oracle.server import Oracle
from tests.scripted_memory import is_reading

STORY = Path(__file__).parents[2] / "data" / "stories" / "lantern-district.json"


@pytest.mark.asyncio
@pytest.mark.pitfall(7)
async def test_a_backlog_waits_for_the_users_word_and_its_cost_is_said(tmp_path: Path) -> None:
    gold = Gold.read(STORY)
    written = write_tavern(gold.story, tmp_path / "data" / "default-user")
    (tmp_path / "own").mkdir()
    with FakeLlm(Oracle(gold).reply) as llm:
        async with open_companion(
            Folders(tmp_path / "own", tmp_path / "own"),
            tavern=written.user_folder,
            llm=f"openai:m@{llm.url}",
            watch=False,
            asks_first=True,
            keeps_memory=True,
        ) as companion:
            await companion.put_setting("scene_recaps_auto", False)
            await companion.put_setting("running_recap_auto", False)
            await companion.open_story(written.chat)
            await companion.settled(written.chat)
            assert not llm.requests
            plan = companion.work.catch_up(written.chat)
            assert plan is not None
            assert (plan.reading.first, plan.reading.last) == (0, 144)
            await companion.work.start_catch_up(written.chat)
            await companion.settled(written.chat)
            # Beside small questions and texts made of memories, which nobody can foresee.
            readings = [r.text for r in llm.requests if is_reading(r)]
            assert plan.reading.requests < plan.requests  # the rest asks about doubtful breaks
            assert len(readings) == pytest.approx(plan.reading.requests, abs=1)
            prompt = sum(map(companion.count_tokens, readings))
            assert plan.reading.prompt_tokens == pytest.approx(prompt, rel=0.3)
            assert companion.work.catch_up(written.chat) is None
            assert companion.memory(written.chat).memories


@pytest.mark.asyncio
async def test_nothing_of_an_unread_chat_is_paid_before_the_one_question_about_it(
    tmp_path: Path,
) -> None:
    """Two readings for memory went ahead while the recaps of the same chat waited for a word."""
    gold = Gold.read(STORY)
    written = write_tavern(gold.story, tmp_path / "data" / "default-user")
    written.chat.write_bytes(b"".join(written.chat.read_bytes().splitlines(keepends=True)[:70]))
    (tmp_path / "own").mkdir()
    with FakeLlm(Oracle(gold).reply) as llm:
        async with open_companion(
            Folders(tmp_path / "own", tmp_path / "own"),
            tavern=written.user_folder,
            llm=f"openai:m@{llm.url}",
            watch=False,
            asks_first=True,
            keeps_memory=True,
        ) as companion:
            await companion.put_setting("scene_detector", "heuristic")
            await companion.put_setting("catch_up_scenes", limit := 5)
            await companion.open_story(written.chat)
            await companion.settled(written.chat)
            plan = companion.work.catch_up(written.chat)
            assert plan is not None
            assert 0 < plan.reading.passes <= limit < plan.scenes
            assert plan.has_parts
            assert not llm.requests
            await companion.work.start_catch_up(written.chat, RECAPS)
            companion.work.pause()
            queued = {operation.spec.kind for operation in companion.work.operations}
            assert OperationKind.MEMORY_PASS not in queued


@pytest.mark.asyncio
async def test_what_waits_for_the_user_is_given_no_time(tmp_path: Path) -> None:
    """ "About 8 min left" stood beside what went on only when somebody said so."""
    gold = Gold.read(STORY)
    written = write_tavern(gold.story, tmp_path / "data" / "default-user")
    (tmp_path / "own").mkdir()
    oracle = Oracle(gold)
    with FakeLlm(lambda asked: "Hm." if is_reading(asked) else oracle.reply(asked)) as llm:
        async with open_companion(
            Folders(tmp_path / "own", tmp_path / "own"),
            tavern=written.user_folder,
            llm=f"openai:m@{llm.url}",
            watch=False,
            asks_first=True,
            keeps_memory=True,
        ) as companion:
            await companion.open_story(written.chat)
            await companion.settled(written.chat)
            await companion.work.start_catch_up(written.chat)
            await companion.settled(written.chat)
            assert companion.work.held_in_vain
            (progress,) = companion.work.catching_up
            assert progress.why == "4 jobs in a row got no usable answer."
            said = companion.health.queue.sentence
            assert said.endswith("to do: 4 jobs in a row got no usable answer.")


@pytest.mark.asyncio
async def test_what_is_played_while_a_question_waits_goes_on(tmp_path: Path) -> None:
    """New messages were not read for memory as long as nobody had answered about the old ones."""
    gold = Gold.read(STORY)
    written = write_tavern(gold.story, tmp_path / "data" / "default-user")
    whole = written.chat.read_bytes().splitlines(keepends=True)
    written.chat.write_bytes(b"".join(whole[: 1 + (old := 100)]))
    (tmp_path / "own").mkdir()
    with FakeLlm(Oracle(gold).reply) as llm:
        async with open_companion(
            Folders(tmp_path / "own", tmp_path / "own"),
            tavern=written.user_folder,
            llm=f"openai:m@{llm.url}",
            watch=False,
            asks_first=True,
            keeps_memory=True,
        ) as companion:
            await companion.put_setting("scene_detector", "heuristic")
            await companion.open_story(written.chat)
            unread = await companion.settled(written.chat)
            before = companion.work.catch_up(written.chat)
            assert before is not None
            assert before.has_parts
            assert not llm.requests
            written.chat.write_bytes(b"".join(whole[: 1 + old + 24]))
            await companion.open_story(written.chat)
            story = await companion.settled(written.chat)
            chat = companion._chats.required(written.chat)
            places = story.places
            read = {places[anchor] for anchor, _ in chat.reading_state.extracted}
            assert read
            assert min(read) >= old
            assert story.recaps
            assert not story.recaps.keys() & {s.closing.anchor for s in unread.scenes if s.closing}
            after = companion.work.catch_up(written.chat)
            assert after is not None
            assert (after.scenes, after.reading.last) == (before.scenes, old - 1)
            # Their answer is about the old part, which is then read in its order.
            asked = len(llm.requests)
            await companion.work.start_catch_up(written.chat)
            await companion.settled(written.chat)
            assert len(llm.requests) > asked
            read = {places[anchor] for anchor, _ in chat.reading_state.extracted}
            assert read >= set(range(old))
            assert companion.work.catch_up(written.chat) is None
