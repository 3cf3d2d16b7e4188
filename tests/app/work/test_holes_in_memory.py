"""Every message is read for memory in the end, or a row of the queue stands for it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.core.operations import FINISHED, OFF, Operation, OperationKind, OperationStatus
from app.core.translation import tr
from tests.chat_files import message, save_like_sillytavern
from tests.fakes import Behaviour, FakeLlm, RecordedRequest, Wire
from tests.scripted_memory import Play, Script, gated, is_reading, new_in, playing

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
NONSENSE = "Once upon a time there was a model that told a tale of its own, and no line of it fits."
OFFERED = "sees the"


def readings_of(play: Play) -> list[Operation]:
    """Rows of the queue that are about reading for memory, newest first where they ended."""
    pass_ = OperationKind.MEMORY_PASS
    return [op for op in play.companion.work.operations if op.spec.kind is pass_]


async def cut(play: Play, lines: int) -> bytes:
    """Leave of the chat's file so many whole messages and half of the next; gives what it was."""
    whole = play.path.read_bytes()
    kept = b"\n".join(whole.split(b"\n")[: lines + 1])
    save_like_sillytavern(play.path, kept + b'\n{"name": "Mira", "mes": "She sa')
    await play.companion.open_story(play.path)
    return whole


async def mend(play: Play, whole: bytes) -> None:
    """Put back what the chat's file was."""
    save_like_sillytavern(play.path, whole)
    await play.companion.open_story(play.path)
    await play.companion.settled(play.path)


def foolish(request: RecordedRequest) -> str | Behaviour:
    """A model that can do nothing with what is shown to it."""
    return NONSENSE if is_reading(request) else "NONE"


def said(numbers: range) -> list[str]:
    return [
        f"{'Ana' if n % 2 else 'Mira'} {OFFERED} thing number {n} on the table." for n in numbers
    ]


async def test_what_failed_and_is_tried_again_while_the_file_breaks_is_read_in_the_end(
    tmp_path: Path,
) -> None:
    """A reading that had failed before was given up without a word when the file was cut for some
    seconds while it was tried again: no row stood for it, and no later reading held its messages.
    """
    script = Script()
    async with playing(tmp_path, script, memory_every=10) as play:
        play.llm.reply = foolish
        await play.add(*said(range(6)))
        await play.read()
        assert [op.status for op in readings_of(play)] == [OperationStatus.FAILED]
        gate = gated(play.llm, script, "thing number 5")
        await play.companion.work.retry_all()
        await gate.reached()
        whole = await cut(play, 3)
        gate.opened.set()
        await play.companion.settled(play.path)
        play.llm.reply = script.reply
        answered = len(play.readings)
        await mend(play, whole)
        await play.read()
        shown = " ".join(text for r in play.readings[answered:] for text in new_in(r).values())
        assert all(f"thing number {n} " in shown for n in range(6)), shown
        assert not [op for op in readings_of(play) if op.status not in FINISHED]


async def test_a_branch_reads_what_its_parent_could_not(tmp_path: Path) -> None:
    """It began with the mark that its messages had been asked about in vain, and with no row."""
    script = Script()
    async with playing(tmp_path, script, memory_every=10) as play:
        play.llm.reply = foolish
        await play.add(*said(range(6)))
        await play.read()
        play.llm.reply = script.reply
        lines = play.path.read_text("utf-8").splitlines()
        header = json.loads(lines[0])
        header["chat_metadata"]["main_chat"] = play.path.stem
        parent, play.path = play.path, play.path.with_name("Branch #1.jsonl")
        play.path.write_text("\n".join([json.dumps(header), *lines[1:6]]), "utf-8")
        answered = len(play.readings)
        await play.companion.open_story(play.path)
        await play.read()
        shown = " ".join(text for r in play.readings[answered:] for text in new_in(r).values())
        assert all(f"thing number {n} " in shown for n in range(5)), shown
        assert "thing number 5 " not in shown
        answered, play.path = len(play.readings), parent
        await play.companion.open_story(parent)
        await play.read()
        await play.restart()
        await play.companion.open_story(parent)
        await play.read()
        assert len(play.readings) == answered, "what failed there waits for the user's word"


@pytest.mark.parametrize("deed", ["switched off", "deleted for good"])
async def test_a_row_says_that_it_is_planned_again_only_where_that_is_so(
    tmp_path: Path, deed: str
) -> None:
    script = Script()
    async with playing(tmp_path, script, memory_every=10) as play:
        await play.add(*said(range(6)))
        gate = gated(play.llm, script, "thing number 5")
        await play.companion.remembered.read_now(play.path)
        await gate.reached()
        if deed == "switched off":
            await play.companion.put_setting("chat_off", True, path=play.path)
        else:
            del play.messages[4:]
            await play.show()
        gate.opened.set()
        await play.companion.settled(play.path)
        row = readings_of(play)[-1]
        assert row.status is OperationStatus.OUTDATED
        assert "it is planned again" not in row.error
        assert (row.error == tr(OFF)) is (deed == "switched off")


async def test_what_a_start_breaks_off_is_told_by_its_row(tmp_path: Path) -> None:
    """It was counted for the day alone: the row told of the second attempt's tokens only."""
    script = Script()
    async with playing(tmp_path, script, memory_every=1) as play:
        gate = gated(play.llm, script, "thing number 3")
        play.messages += [message(n, text) for n, text in enumerate(said(range(6)))]
        await play.show()
        await gate.reached()
        await play.restart()
        spent = play.companion.use.cap.spent
        assert spent.requests == 1
        (row,) = readings_of(play)
        assert (row.requests, row.prompt_tokens) == (1, spent.prompt_tokens)
        gate.opened.set()
        await play.companion.open_story(play.path)
        await play.companion.settled(play.path)
        row, spent = readings_of(play)[-1], play.companion.use.cap.spent
        assert (row.requests, row.prompt_tokens) == (2, spent.prompt_tokens)


class Model:
    """A model whose mood is set: it answers, talks nonsense, or lets nobody in; and may be held."""

    def __init__(self, llm: FakeLlm) -> None:
        self.mood = "good"
        self.going = threading.Event()
        self.going.set()
        self.answered: set[str] = set()  # what stood among the new messages of a request
        llm.reply = self.reply

    def reply(self, request: RecordedRequest) -> str | Behaviour:
        if not is_reading(request):
            return "NONE"
        mood = self.mood
        self.going.wait(20)
        if mood == "good":
            self.answered.update(new_in(request).values())
        return {"good": "NONE", "foolish": NONSENSE}.get(mood, refused)


def refused(wire: Wire) -> None:
    wire.head(401, "application/json")
    wire.send(b'{"error": {"message": "no such key"}}')


@dataclass
class Deeds:
    """What may happen to a chat while it is read."""

    play: Play
    model: Model
    whole: bytes = b""  # what the file is to be again, while it is cut

    async def tell(self) -> None:
        await self.mend()
        count = len(self.play.messages)
        new = said(range(count, count + 3))
        self.play.messages += [message(count + n, text) for n, text in enumerate(new)]
        await self.play.show()

    async def delete(self) -> None:
        await self.mend()
        del self.play.messages[max(4, len(self.play.messages) - 2) :]
        await self.play.show()

    async def read(self) -> None:
        await self.play.companion.remembered.read_now(self.play.path)

    async def cut(self) -> None:
        await self.mend()
        self.whole = await cut(self.play, len(self.play.messages) // 2)

    async def mend(self) -> None:
        if self.whole:
            save_like_sillytavern(self.play.path, self.whole)
            await self.play.companion.open_story(self.play.path)
        self.whole = b""

    async def again(self) -> None:
        await self.play.companion.work.retry_all()

    async def cancel(self) -> None:
        for operation in readings_of(self.play):
            if operation.status not in FINISHED:
                await self.play.companion.work.cancel(operation.id)
                return

    async def restart(self) -> None:
        await self.play.restart()
        await self.play.companion.open_story(self.play.path)

    async def hold(self) -> None:
        self.model.going.clear()

    async def let(self) -> None:
        self.model.going.set()

    async def do(self, name: str) -> None:
        if name in ("good", "foolish", "refusing"):
            self.model.mood = name
            return
        await getattr(self, name)()
        if self.model.going.is_set():
            await self.play.companion.settled(self.play.path)
        else:
            await asyncio.sleep(0.05)

    async def all_well(self) -> None:
        """The file is whole and the model answers; nobody has brought back what failed."""
        for name in ("good", "let", "mend"):
            await self.do(name)
        self.play.companion.work.resume()
        self.play.companion.work.go_on_in_vain()
        await self.do("read")

    def lacking(self) -> set[str]:
        """Told messages that no answered request held, or that do not count as read."""
        chat = self.play.companion._chats.required(self.play.path)
        read = chat.reading_state.extracted
        return {
            shown.text
            for shown in chat.story.messages
            if (shown.anchor, shown.content_hash) not in read
            or f"{shown.name}: {shown.text}" not in self.model.answered
        }

    def stood_for(self) -> set[str]:
        """Messages that a row names which waits for the user."""
        story = self.play.companion.story(self.play.path)
        assert story is not None
        waiting = [
            anchor
            for operation in readings_of(self.play)
            if operation.status not in (OperationStatus.DONE, OperationStatus.OUTDATED)
            for anchor in operation.spec.params["anchors"]
        ]
        return {shown.text for shown in story.messages if shown.anchor in waiting}


async def in_the_end_all_is_read(folder: Path, names: Sequence[str]) -> None:
    async with playing(folder, Script(), memory_every=1) as play:
        deeds = Deeds(play, Model(play.llm))
        for name in ("tell", "tell", *names):
            await deeds.do(name)
        await deeds.all_well()
        assert deeds.lacking() <= deeds.stood_for()
        await deeds.do("restart")
        await deeds.do("read")
        assert deeds.lacking() <= deeds.stood_for()
        await deeds.do("again")
        await deeds.do("read")
        assert deeds.lacking() == set()
        assert not re.search(r"noted already|read before", play.llm.requests[-1].text)


NAMES = (
    *("tell", "tell", "delete", "read", "cut", "mend", "again", "cancel", "restart", "hold", "let"),
    *("good", "foolish", "refusing"),
)


@pytest.mark.slow
@settings(deadline=None, max_examples=150 if IS_LONG else 12)
@given(names=st.lists(st.sampled_from(NAMES), min_size=4, max_size=14))
@example(names=["foolish", "tell", "read", "hold", "again", "cut", "let", "mend"])
@example(names=["foolish", "tell", "read", "hold", "again", "cut", "restart", "let", "mend"])
@example(names=["foolish", "tell", "read", "hold", "good", "again", "cancel", "restart"])
@example(names=["refusing", "tell", "read", "hold", "again", "tell", "cut", "let", "foolish"])
def test_whatever_happens_each_message_is_read_or_a_row_stands_for_it(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    asyncio.run(in_the_end_all_is_read(tmp_path_factory.mktemp("deeds"), names))
