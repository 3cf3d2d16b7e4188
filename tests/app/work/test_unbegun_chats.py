"""A chat on which the program never worked is asked about first, however little it lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.companion import Companion
from app.core.operations import MEMORY, RECAPS, OperationKind
from tests.app.work.test_branch_reading import branch_of
from tests.oracle.asking_first import asking_first, cut_to

OLD = 42  # messages: three scenes and three readings at most, which went unasked


def read_of(companion: Companion, path: Path) -> set[int]:
    chat = companion._chats.required(path)
    return {chat.story.places[anchor] for anchor, _ in chat.reading_state.extracted}


async def test_nothing_of_an_old_chat_is_asked_of_a_model_before_the_users_word(
    tmp_path: Path,
) -> None:
    """Opening one in SillyTavern paid for recaps, readings and a search, without a question."""
    async with asking_first(tmp_path) as (companion, path, llm):
        cut_to(path, 1 + OLD)
        await companion.open_story(path)
        await companion.settled(path)
        assert not llm.requests
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert 0 < plan.scenes <= 3
        assert 0 < plan.reading.passes <= 3
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        assert companion.work.catch_up(path) is None
        assert read_of(companion, path) >= set(range(OLD - 1))


async def test_nor_is_an_old_chat_summed_up(tmp_path: Path) -> None:
    async with asking_first(tmp_path) as (companion, path, llm):
        cut_to(path, 1 + OLD)
        await companion.put_setting("running_recap_auto", False)
        await companion.put_setting("context_tokens", 2048)
        await companion.open_story(path)
        await companion.settled(path)
        assert companion.work.catch_up(path) is not None
        assert not llm.requests


async def test_it_stays_so_while_the_story_goes_on_and_in_the_next_run_with_another_model(
    tmp_path: Path,
) -> None:
    async with asking_first(tmp_path) as (companion, path, _):
        whole = cut_to(path, 1 + OLD)
        await companion.open_story(path)
        await companion.settled(path)
        path.write_bytes(b"".join(whole[: 1 + OLD + 12]))
        await companion.open_story(path)
        await companion.settled(path)
        read = read_of(companion, path)
        assert read
        assert min(read) >= OLD
    played = b"".join(whole[: 1 + OLD + 12])
    async with asking_first(tmp_path, model="another") as (companion, path, llm):
        path.write_bytes(played)
        for chat in (path, branch_of(path, 1 + OLD + 10)):
            await companion.open_story(chat)
            await companion.settled(chat)
            assert companion.work.catch_up(chat) is not None
            assert not llm.requests


async def test_a_chat_that_begins_while_the_program_looks_on_goes_on_by_itself(
    tmp_path: Path,
) -> None:
    async with asking_first(tmp_path) as (companion, path, llm):
        await companion.put_setting("memory_auto", False)
        whole = cut_to(path, 1 + 1)
        await companion.open_story(path)
        for count in range(5, 60, 4):
            path.write_bytes(b"".join(whole[: 1 + count]))
            story = await companion.open_story(path)
            story = await companion.settled(path)
            assert companion.work.catch_up(path) is None
        assert story.recaps
        assert llm.requests


async def test_a_chat_of_a_few_messages_is_not_asked_about(tmp_path: Path) -> None:
    async with asking_first(tmp_path) as (companion, path, _):
        cut_to(path, 1 + 12)
        await companion.open_story(path)
        await companion.settled(path)
        assert companion.work.catch_up(path) is None
        assert read_of(companion, path)


@pytest.mark.parametrize("part", [RECAPS, MEMORY])
async def test_of_a_part_that_was_not_wanted_nothing_follows_unasked(
    tmp_path: Path, part: str
) -> None:
    """Whoever chose only recaps had the readings paid for as soon as these were through."""
    async with asking_first(tmp_path) as (companion, path, _):
        await companion.put_setting("scene_detector", "heuristic")
        cut_to(path, 1 + OLD)
        await companion.open_story(path)
        await companion.settled(path)
        await companion.work.start_catch_up(path, part)
        story = await companion.settled(path)
        kinds = {operation.spec.kind for operation in companion.work.operations}
        assert bool(story.recaps) == (part == RECAPS)
        assert bool(read_of(companion, path)) == (part == MEMORY)
        assert (OperationKind.MEMORY_PASS in kinds) == (part == MEMORY)
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert bool(plan.scenes) == (part == MEMORY)
