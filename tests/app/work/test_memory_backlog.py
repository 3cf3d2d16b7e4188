"""A model is not given a long chat to read for memory before the user said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.core.operations import RECAPS, OperationKind
from tests.oracle.asking_first import Reply, asking_first, cut_to
from tests.scripted_memory import is_reading


@pytest.mark.asyncio
@pytest.mark.pitfall(7)
async def test_a_backlog_waits_for_the_users_word_and_its_cost_is_said(tmp_path: Path) -> None:
    async with asking_first(tmp_path) as (companion, path, llm):
        await companion.put_setting("scene_recaps_auto", False)
        await companion.put_setting("running_recap_auto", False)
        await companion.open_story(path)
        await companion.settled(path)
        assert not llm.requests
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert (plan.reading.first, plan.reading.last) == (0, 144)
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        # Beside small questions and texts made of memories, which nobody can foresee.
        readings = [r.text for r in llm.requests if is_reading(r)]
        assert plan.reading.requests < plan.requests  # the rest asks about doubtful breaks
        assert len(readings) == pytest.approx(plan.reading.requests, abs=1)
        prompt = sum(map(companion.count_tokens, readings))
        assert plan.reading.prompt_tokens == pytest.approx(prompt, rel=0.3)
        assert companion.work.catch_up(path) is None
        assert companion.memory(path).memories


@pytest.mark.asyncio
async def test_nothing_of_an_unread_chat_is_paid_before_the_one_question_about_it(
    tmp_path: Path,
) -> None:
    """Two readings for memory went ahead while the recaps of the same chat waited for a word."""
    async with asking_first(tmp_path) as (companion, path, llm):
        cut_to(path, 70)
        await companion.put_setting("scene_detector", "heuristic")
        await companion.put_setting("catch_up_scenes", limit := 5)
        await companion.open_story(path)
        await companion.settled(path)
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert 0 < plan.reading.passes <= limit < plan.scenes
        assert plan.has_parts
        assert not llm.requests
        await companion.work.start_catch_up(path, RECAPS)
        companion.work.pause()
        queued = {operation.spec.kind for operation in companion.work.operations}
        assert OperationKind.MEMORY_PASS not in queued


def _reads_badly(reply: Reply) -> Reply:
    return lambda asked: "Hm." if is_reading(asked) else reply(asked)


@pytest.mark.asyncio
async def test_what_waits_for_the_user_is_given_no_time(tmp_path: Path) -> None:
    """ "About 8 min left" stood beside what went on only when somebody said so."""
    async with asking_first(tmp_path, answer=_reads_badly) as (companion, path, _):
        await companion.open_story(path)
        await companion.settled(path)
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        assert companion.work.held_in_vain
        (progress,) = companion.work.catching_up
        assert progress.why == "4 jobs in a row got no usable answer."
        said = companion.health.queue.sentence
        assert said.endswith("to do: 4 jobs in a row got no usable answer.")


@pytest.mark.asyncio
async def test_what_is_played_while_a_question_waits_goes_on(tmp_path: Path) -> None:
    """New messages were not read for memory as long as nobody had answered about the old ones."""
    async with asking_first(tmp_path) as (companion, path, llm):
        whole = cut_to(path, 1 + (old := 100))
        await companion.put_setting("scene_detector", "heuristic")
        await companion.open_story(path)
        unread = await companion.settled(path)
        before = companion.work.catch_up(path)
        assert before is not None
        assert before.has_parts
        assert not llm.requests
        path.write_bytes(b"".join(whole[: 1 + old + 24]))
        await companion.open_story(path)
        story = await companion.settled(path)
        chat = companion._chats.required(path)
        places = story.places
        read = {places[anchor] for anchor, _ in chat.reading_state.extracted}
        assert read
        assert min(read) >= old
        assert story.recaps
        assert not story.recaps.keys() & {s.closing.anchor for s in unread.scenes if s.closing}
        after = companion.work.catch_up(path)
        assert after is not None
        assert (after.scenes, after.reading.last) == (before.scenes, old - 1)
        # Their answer is about the old part, which is then read in its order.
        asked = len(llm.requests)
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        assert len(llm.requests) > asked
        read = {places[anchor] for anchor, _ in chat.reading_state.extracted}
        assert read >= set(range(old))
        assert companion.work.catch_up(path) is None
