"""What follows from a reading, such as portraits and summaries, is told before it begins."""

from __future__ import annotations

from pathlib import Path

from tests.oracle.asking_first import asking_first


async def test_no_more_is_asked_for_than_the_plan_said(tmp_path: Path) -> None:
    """21 requests were named, and 35 asked: threads, portraits, keywords, histories, merges."""
    async with asking_first(tmp_path) as (companion, path, llm):
        await companion.put_setting("scene_detector", "heuristic")
        await companion.put_setting("running_recap_auto", False)
        await companion.open_story(path)
        await companion.settled(path)
        plan = companion.work.catch_up(path)
        assert plan is not None
        assert 0 < plan.texts < plan.requests
        assert plan.parts["recaps"].texts == 0
        assert plan.parts["memory"].texts == plan.texts
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        assert companion.work.catch_up(path) is None
        assert plan.requests <= len(llm.requests) <= plan.requests + plan.texts
        spent = sum(op.prompt_tokens + op.output_tokens for op in companion.work.operations)
        named = plan.prompt_tokens + plan.output_tokens
        assert spent <= 1.25 * (named + plan.text_tokens)
