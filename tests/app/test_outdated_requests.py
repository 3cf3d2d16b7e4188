"""An edit under a running request: it is dropped at once, and asked anew in the new words."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from app.companion import open_companion
from app.core.operations import FINISHED, Operation, OperationKind, OperationStatus
from app.core.paths import user_folders
from app.memory.records import DocumentKind
from app.work.chats import open_chats
from tests.chat_files import message, swiped
from tests.fakes import MODEL, Behaviour, FakeLlm, RecordedRequest, Wire
from tests.labelled import WrittenTavern
from tests.scripted_memory import Script, playing


class Waited:
    """What the queue says, one news after the other."""

    def __init__(self) -> None:
        self._news: asyncio.Queue[tuple[Operation, ...]] = asyncio.Queue()

    def hear(self, operations: tuple[Operation, ...]) -> None:
        self._news.put_nowait(operations)

    async def until(self, kind: OperationKind, status: OperationStatus) -> None:
        async with asyncio.timeout(15):
            while not any(
                operation.spec.kind is kind and operation.status is status
                for operation in await self._news.get()
            ):
                pass


def edit(path: Path, index: int, text: str) -> None:
    """Write one message anew, as SillyTavern saves it."""
    lines = path.read_text().splitlines()
    lines[index + 1] = json.dumps({**json.loads(lines[index + 1]), "mes": text})
    path.write_text("\n".join(lines))


@pytest.mark.parametrize("changes_what_is_read", [True, False])
async def test_only_an_edit_of_what_it_reads_ends_a_request(
    tmp_path: Path, demo_tavern: WrittenTavern, changes_what_is_read: bool
) -> None:
    left, may_answer = threading.Event(), threading.Event()

    def drip(wire: Wire) -> None:
        wire.head()
        try:
            while not may_answer.is_set() and wire.wait(0.02):
                wire.piece(" ")
            wire.piece(json.dumps({"name": "A", "recap": {"developments": ["They met."]}}))
            wire.send(b"data: [DONE]\n\n")
        except OSError:
            left.set()

    waited, path = Waited(), demo_tavern.chat
    with FakeLlm(lambda _request: drip) as llm:
        folders = user_folders(tmp_path / "own")
        spec = f"openai:{MODEL}@{llm.url}"
        tavern = demo_tavern.user_folder.parent
        async with open_companion(folders, tavern=tavern, llm=spec, watch=False) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.operations_changed.connect(waited.hear)
            story = await companion.open_story(path)
            await waited.until(OperationKind.SCENE_RECAP, OperationStatus.RUNNING)
            await asyncio.to_thread(llm.wait_for_request, 0)
            read: RecordedRequest = llm.requests[0]
            if changes_what_is_read:
                edit(path, 1, "Nothing of that was true.")
                await companion.open_story(path)
                assert await asyncio.to_thread(left.wait, 10)
                may_answer.set()
                await companion.settled(path)
                asked = [request.text for request in llm.requests[1:]]
                assert sum("Nothing of that was true." in text for text in asked) == 1
                assert read.text not in asked
            else:
                edit(path, len(story.messages) - 1, "Nothing of that was true.")
                await companion.open_story(path)
                may_answer.set()
                await waited.until(OperationKind.SCENE_RECAP, OperationStatus.DONE)
                assert not left.is_set()
            assert "Nothing of that was true." not in read.text
            may_answer.set()


@pytest.mark.parametrize("is_swiped", [True, False])
async def test_a_swipe_ends_the_check_of_the_reply_before_its_correction_is_asked_for(
    tmp_path: Path, *, is_swiped: bool
) -> None:
    """Seed 004, EV4: what reads a reply that is gone ends at once."""
    entered, left, may_answer = threading.Event(), threading.Event(), threading.Event()

    def drip(wire: Wire) -> None:
        wire.head()
        entered.set()
        try:
            while not may_answer.is_set() and wire.wait(0.02):
                wire.piece(" ")
            wire.piece("1 | It says that the lamp is red, but it is green.")
            wire.send(b"data: [DONE]\n\n")
        except OSError:
            left.set()

    def reply(request: RecordedRequest) -> str | Behaviour:
        if "contradicts the facts" in request.text and not entered.is_set():
            return drip
        return script.reply(request)

    green = "[fact:2:permanent:sources={n}] The lamp on the quay is green."
    script = Script({"lamp is green": green}, {"note to the writer": "The lamp is green."})
    settings: dict[str, Any] = {
        "hardware_profile": "b",
        "continuity_auto": True,
        "continuity_repair": True,
    }
    told = [message(0, "The lamp is green."), message(1), message(2)]
    async with playing(tmp_path, script, messages=told, **settings) as play:
        play.llm.reply = reply
        await play.follow()
        play.messages.append(swiped(3, "The lamp is red.", "All is quiet.", shown=0))
        await play.show()
        assert await asyncio.to_thread(entered.wait, 20)
        if is_swiped:
            play.messages[-1] = swiped(3, "The lamp is red.", "All is quiet.", shown=1)
            await play.show()
            assert await asyncio.to_thread(left.wait, 10)
        may_answer.set()
        await play.companion.settled(play.path)
        corrections = [d for d in play.view.documents if d.kind is DocumentKind.REPAIR]
        assert bool(corrections) is not is_swiped
        assert left.is_set() is is_swiped


@pytest.mark.weakness(14)
async def test_a_recap_that_comes_while_another_chat_is_open_belongs_to_its_own(
    tmp_path: Path, demo_tavern: WrittenTavern
) -> None:
    may_answer = threading.Event()

    def late(wire: Wire) -> None:
        wire.head()
        while not may_answer.is_set() and wire.wait(0.02):
            pass
        wire.piece(json.dumps({"name": "A", "recap": {"developments": ["They met."]}}))
        wire.send(b"data: [DONE]\n\n")

    waited, path = Waited(), demo_tavern.chat
    other = path.with_name("Another evening.jsonl")
    header, *lines = path.read_text().splitlines()
    header = json.dumps({**json.loads(header), "chat_metadata": {"integrity": "another"}})
    other.write_text("\n".join([header, *lines[-5:]]))
    with FakeLlm(lambda _request: late) as llm:
        spec = f"openai:{MODEL}@{llm.url}"
        async with open_companion(
            user_folders(tmp_path / "own"),
            tavern=demo_tavern.user_folder.parent,
            llm=spec,
            watch=False,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.operations_changed.connect(waited.hear)
            await companion.open_story(path)
            await waited.until(OperationKind.SCENE_RECAP, OperationStatus.RUNNING)
            await companion.open_story(other)
            may_answer.set()
            await waited.until(OperationKind.SCENE_RECAP, OperationStatus.DONE)
            companion.work.pause()
            here, there = await companion.settled(path), companion.story(other)
            assert there is not None
            assert any(r.text for versions in here.recaps.values() for r in versions)
            assert there.recaps == {}


async def test_nothing_is_asked_and_nothing_has_failed_of_a_chat_that_was_deleted(
    tmp_path: Path, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_chats, "RENAME_SECONDS", 0.05)
    left = threading.Event()

    def drip(wire: Wire) -> None:
        wire.head()
        while wire.wait(0.02):
            try:
                wire.piece(" ")
            except OSError:
                left.set()
                return

    waited, path = Waited(), demo_tavern.chat
    with FakeLlm(lambda _request: drip) as llm:
        folders = user_folders(tmp_path / "own")
        spec = f"openai:{MODEL}@{llm.url}"
        tavern = demo_tavern.user_folder.parent
        async with open_companion(folders, tavern=tavern, llm=spec, watch=False) as companion:
            companion.settings.put("scene_detector", "heuristic")
            companion.operations_changed.connect(waited.hear)
            await companion.open_story(path)
            await waited.until(OperationKind.SCENE_RECAP, OperationStatus.RUNNING)
            await asyncio.to_thread(llm.wait_for_request, 0)
            path.unlink()
            companion._chats.reread(path)
            await waited.until(OperationKind.SCENE_RECAP, OperationStatus.OUTDATED)
            assert await asyncio.to_thread(left.wait, 10)
            await companion._queue.wait_idle()
            open_ones = [op for op in companion.work.operations if op.status not in FINISHED]
            assert open_ones == []
            assert not any(op.status is OperationStatus.FAILED for op in companion.work.operations)
            assert len(llm.requests) == 1
