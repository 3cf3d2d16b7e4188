"""Whoever opens a branch pays for nothing before its story has gone on."""

from __future__ import annotations

from pathlib import Path

from app.core.operations import OperationKind
from app.work.scheduling.beginnings import BESIDE
from tests.app.work.test_branch_reading import branch_of
from tests.oracle.asking_first import asking_first, cut_to

PLAYED, KEPT = 90, 70


async def test_a_branch_that_is_only_opened_is_asked_of_nobody(tmp_path: Path) -> None:
    """A look through and portraits were paid for, since it ended elsewhere than its parent."""
    async with asking_first(tmp_path) as (companion, path, llm):
        await companion.put_setting("scene_detector", "heuristic")
        whole = cut_to(path, 1 + PLAYED)
        await companion.open_story(path)
        await companion.settled(path)
        await companion.work.start_catch_up(path)
        await companion.settled(path)
        done = {operation.spec.kind for operation in companion.work.operations}
        assert done & BESIDE
        asked = len(llm.requests)
        branch = branch_of(path, 1 + KEPT)
        await companion.open_story(branch)
        story = await companion.settled(branch)
        assert story.recaps
        assert len(llm.requests) == asked
        assert companion.work.catch_up(branch) is None
        lines = branch.read_bytes().splitlines(keepends=True)
        for count in range(KEPT, 120, 10):
            further = [line.replace(b'"mes":', b'"mes": ') for line in whole[1 + KEPT : 11 + count]]
            branch.write_bytes(b"".join((*lines, b"\n", *further)))
            await companion.open_story(branch)
            await companion.settled(branch)
        number = companion._chats.required(branch).chat_id
        ours = {op.spec.kind for op in companion.work.operations if op.spec.chat == number}
        assert OperationKind.MEMORY_PASS in ours
        assert ours & BESIDE
