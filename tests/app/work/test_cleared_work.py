"""What a model is asked for once all of a chat was cleared, and what is said of it before."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.story.messages import MessageRecap
from app.work.queue import patience
from tests.chat_files import append, message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest

TALK = (
    '*She nods and turns her cup a little.* "Yes. I told you so."',
    '"You did." *He shrugs.* "I never listen."',
    '*She laughs.* "Nobody at this table ever does."',
    '"And the cup? Is it yours?"',
)
SURE = '***\n\n*The next morning they meet at the harbour.* "You are late."'
NUMBERED = re.compile(r"^Message #(\d+) ", re.MULTILINE)
LENGTH, SCENE = 60, 20


def _answer(request: RecordedRequest) -> str:
    if "sceneBreakAt" in request.text:
        numbers = [int(number) for number in NUMBERED.findall(request.text)]
        place = numbers[len(numbers) // 2] if len(numbers) > SCENE else False
        return json.dumps({"sceneBreakAt": place, "rationale": "They part."})
    if "The message:" in request.text:
        return "They talked of the cup at the table."
    return json.dumps({"name": "Quay", "recap": {"developments": ["It was so."]}})


@asynccontextmanager
async def _opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **settings: Any
) -> AsyncIterator[tuple[Companion, Path, FakeLlm]]:
    """A chat, all of it worked off as in the window, where a backlog is asked about first."""
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.0)
    texts = [SURE if n % SCENE == 0 and n else TALK[n % len(TALK)] for n in range(LENGTH)]
    told = [message(n, f"{text} (no. {n})") for n, text in enumerate(texts)]
    path = write_chat(tmp_path / "chat.jsonl", told)
    llm = FakeLlm(_answer)
    with llm:
        async with open_companion(
            user_folders(tmp_path / "own data"),
            llm=f"openai:{MODEL}@{llm.url}",
            watch=True,
            asks_first=True,
        ) as companion:
            for name, value in ({"memory_auto": False} | settings).items():
                await companion.put_setting(name, value)
            await companion.open_story(path)
            await companion.finished(path)
            if companion.work.catch_up(path) is not None:
                await companion.work.start_catch_up(path)
            await companion.finished(path)
            assert companion.work.catch_up(path) is None
            yield companion, path, llm


def told_of(companion: Companion, path: Path) -> Mapping[str, MessageRecap]:
    """Its messages' recaps."""
    story = companion.story(path)
    assert story is not None
    return story.message_recaps


SEARCHED = {"scene_detector": "model", "scene_breaks_on_load": True}


@pytest.mark.parametrize("settings", [{}, SEARCHED], ids=["cues", "model"])
async def test_nothing_is_asked_after_clearing_before_the_user_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    """The few scenes of a short chat were written anew at once, and paid for."""
    async with _opened(tmp_path, monkeypatch, **settings) as (companion, path, llm):
        # What is kept was written to another length.
        await companion.put_setting("scene_recap_tokens", 150)
        asked, before = len(llm.requests), companion.story(path)
        assert before is not None
        cost = await companion.command_costs.of_all_anew(path)
        for do in (companion.edits.clear_all, companion.edits.undo, companion.edits.redo):
            await do(path)
            await companion.finished(path)
            assert len(llm.requests) == asked
        cleared = companion.story(path)
        assert cleared is not None
        assert (cleared.recaps, len(cleared.scenes)) == ({}, len(before.scenes))
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert plan.requests == cost.requests == 2
        await companion.work.start_catch_up(path)
        await companion.finished(path)
        assert len(llm.requests) == asked + 2


@pytest.mark.parametrize("settings", [{}, SEARCHED], ids=["cues", "model"])
async def test_answers_that_are_kept_cost_nothing_after_clearing_and_are_counted_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: dict[str, Any]
) -> None:
    async with _opened(tmp_path, monkeypatch, **settings) as (companion, path, llm):
        asked, before = len(llm.requests), companion.story(path)
        assert before is not None
        cost = await companion.command_costs.of_all_anew(path)
        assert (cost.requests, cost.tokens) == (0, 0)
        assert cost.kept >= 3
        await companion.edits.clear_all(path)
        await companion.finished(path)
        anew = companion.story(path)
        assert anew is not None
        assert len(llm.requests) == asked
        assert companion.work.catch_up(path) is None
        texts = [[r.text for r in versions] for versions in before.recaps.values()]
        assert [[r.text for r in versions] for versions in anew.recaps.values()] == texts


async def test_messages_are_not_recapped_by_the_model_after_clearing_before_the_user_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ten newest were, since no question is about recaps of messages."""
    settings = {"message_recaps_model": True, "running_recap_auto": False}
    async with _opened(tmp_path, monkeypatch, **settings) as (companion, path, llm):
        recaps = told_of(companion, path)
        assert len(recaps) == 10
        # What is kept is of another model; what came of scenes comes back for nothing.
        await companion.put_setting("model_message_recaps", f"openai:other@{llm.url}")
        await companion.finished(path)
        asked = len(llm.requests)
        cost = await companion.command_costs.of_all_anew(path)
        assert cost.requests == 10
        for do in (companion.edits.clear_all, companion.edits.undo, companion.edits.redo):
            await do(path)
            await companion.finished(path)
            assert len(llm.requests) == asked
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert (plan.requests, plan.messages, plan.scenes) == (10, 10, 0)
        assert plan.prompt_tokens == cost.prompt_tokens
        # What comes since is recapped as it always is.
        told = [message(LENGTH + n, text) for n, text in enumerate(TALK[:2])]
        append(path, *told)
        await companion.open_story(path)
        await companion.finished(path)
        assert len(llm.requests) == asked + 1
        await companion.work.start_catch_up(path)
        await companion.finished(path)
        assert companion.work.catch_up(path) is None
        assert len(told_of(companion, path)) == 10


async def test_recaps_of_messages_that_are_kept_come_back_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with _opened(tmp_path, monkeypatch, message_recaps_model=True) as (companion, path, llm):
        asked, before = len(llm.requests), told_of(companion, path)
        await companion.edits.clear_all(path)
        await companion.finished(path)
        anew = told_of(companion, path)
        assert {a: r.text for a, r in anew.items()} == {a: r.text for a, r in before.items()}
        assert len(llm.requests) == asked
        assert companion.work.catch_up(path) is None


async def test_what_looking_for_breaks_anew_takes_is_in_the_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was said that it comes on top, and not how much that is."""
    async with _opened(tmp_path, monkeypatch, **SEARCHED) as (companion, path, llm):
        other = f"openai:other@{llm.url}"
        await companion.put_setting("price_prompt_tokens", 2.0)
        await companion.put_setting("model_scene_breaks", other)
        await companion.finished(path)
        cost = await companion.command_costs.of_all_anew(path)
        assert cost.searches == cost.requests > 0
        assert cost.price is not None
        assert cost.kept == 3  # two recaps, one folded in
        asked = len(llm.requests)
        await companion.edits.clear_all(path)
        await companion.finished(path)
        assert len(llm.requests) == asked
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert plan.search.requests == cost.searches
        assert plan.price == pytest.approx(cost.price)
