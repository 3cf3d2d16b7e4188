"""A branch that is made while its parent is read does not offer to pay for the same as if new."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern

COUNT = 120
SCENES = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def branch_of(parent: Path, count: int = COUNT - 10) -> Path:
    lines = parent.read_text("utf-8").splitlines()
    header = json.loads(lines[0])
    header.setdefault("chat_metadata", {})["main_chat"] = parent.stem
    made = parent.with_name("branch.jsonl")
    made.write_text("\n".join([json.dumps(header), *lines[1:count]]), "utf-8")
    return made


def opened(folder: Path, llm: FakeLlm) -> AbstractAsyncContextManager[Companion]:
    """A companion with data of its own, that asks before it works off a backlog."""
    return open_companion(
        user_folders(folder / "own"),
        llm=f"openai:{MODEL}@{llm.url}",
        watch=False,
        asks_first=True,
        keeps_memory=True,
    )


async def test_a_branch_says_what_its_parent_reads_and_takes_it_over(tmp_path: Path) -> None:
    parent = write_chat(tmp_path / "parent.jsonl", [message(number) for number in range(COUNT)])
    with FakeLlm(lambda _request: "nothing") as llm:
        async with opened(tmp_path, llm) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.settings.put("catch_up_scenes", 1)
            companion.work.pause()
            await companion.open_story(parent)
            await until(lambda: companion.work.catch_up(parent) is not None)
            await companion.work.start_catch_up(parent)
            branch = branch_of(parent)
            await companion.open_story(branch)
            await until(lambda: companion.work.catch_up(branch) is not None)
            plan = companion.work.catch_up(branch)
            assert plan is not None
            assert plan.read_in == "parent"
            source = companion._chats.required(parent).chat_id
            anchors = [m.anchor for m in companion._chats.required(parent).story.messages]
            store = companion._store

            def read() -> None:
                store._database.execute_many(
                    "INSERT INTO extracted (chat_id, task, anchor, content_hash) VALUES (?,?,?,?)",
                    [(source, "pass", anchor, "hash") for anchor in anchors[:50]],
                )

            await store.run(read)
            await companion.work.stop_catch_up(source, at_once=True)
            target = companion._chats.required(branch).chat_id

            async def taken() -> int:
                rows = await store.run(
                    lambda: store._database.execute(
                        "SELECT count(*) FROM extracted WHERE chat_id = ?", (target,)
                    )
                )
                return int(rows[0][0])

            async with asyncio.timeout(20):
                while await taken() < 50:  # noqa: ASYNC110
                    await asyncio.sleep(0.02)
            plan = companion.work.catch_up(branch)
            assert plan is None or plan.read_in == ""


async def test_what_the_parent_was_given_meanwhile_is_not_offered_again_at_a_price(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    """269 requests were named for what was all kept, and no request was made."""
    parent = demo_tavern.chat
    with FakeLlm(lambda _request: SCENES) as llm:
        async with opened(tmp_path, llm) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.settings.put("memory_auto", False)
            companion.settings.put("catch_up_scenes", 5)
            companion.work.pause()
            await companion.open_story(parent)
            await companion.work.start_catch_up(parent)
            branch = branch_of(parent, len(parent.read_text("utf-8").splitlines()))
            await companion.open_story(branch)
            assert companion.work.catch_up(branch) is not None
            companion.work.resume()
            await companion.settled(parent)
            await companion.settled(branch)
            paid = len(llm.requests)
            assert paid

            def recapped(path: Path) -> frozenset[str]:
                story = companion.story(path)
                return frozenset(story.recaps) if story is not None else frozenset()

            assert recapped(parent)
            await until(lambda: recapped(branch) == recapped(parent))
            await companion.settled(branch)
            assert companion.work.catch_up(branch) is None
            told, own = companion.story(parent), companion.story(branch)
            assert told is not None
            assert own is not None
            assert own.running.current is not None
            assert told.running.current is not None
            assert own.running.current.content == told.running.current.content
            await companion.open_story(branch)
            await companion.settled(branch)
            assert len(llm.requests) == paid


async def test_what_is_kept_of_another_chat_is_folded_in_only_when_the_question_is_answered(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    """Five folds were paid for while the question about the rest of the chat stood there."""
    whole = demo_tavern.chat
    lines = whole.read_text("utf-8").splitlines()
    beginning = whole.with_name("beginning.jsonl")
    beginning.write_text("\n".join(lines[:70]), "utf-8")
    with FakeLlm(lambda _request: SCENES) as llm:
        async with opened(tmp_path, llm) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.settings.put("memory_auto", False)
            companion.settings.put("running_recap_auto", False)
            await companion.open_story(beginning)
            await companion.settled(beginning)
            if companion.work.catch_up(beginning) is not None:
                await companion.work.start_catch_up(beginning)
            story = await companion.settled(beginning)
            known = len(story.recaps)
            assert known > 3
            companion.settings.put("running_recap_auto", True)
            paid = len(llm.requests)
            other = tmp_path / "other.jsonl"
            other.write_text("\n".join(lines), "utf-8")
            await companion.open_story(other)
            story = await companion.settled(other)
            assert len(story.recaps) >= known - 1  # kept, and free
            assert companion.work.catch_up(other) is not None
            assert len(llm.requests) == paid
