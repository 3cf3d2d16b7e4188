"""Copies of chats are kept while SillyTavern writes, and a loss is told with a way back."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.core import translation
from app.core.errors import TavernError
from app.core.tasks import TaskSupervisor
from app.sillytavern.chat_copies import ChatCopies
from app.sillytavern.chat_file import read_chat
from app.views.chat_copies import ChatAlarm, ChatCopy
from app.work.chats.guarding.chat_guard import ChatGuard

MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0


def chat_text(count: int, *, integrity: str = "slug") -> bytes:
    header = {"user_name": "Ana", "chat_metadata": {"integrity": integrity}}
    lines = [header] + [
        {"name": "Ana", "is_user": True, "mes": f"Line {n}.", "send_date": "2026-01-01T00:00:00Z"}
        for n in range(count)
    ]
    return "\n".join(json.dumps(line) for line in lines).encode()


class Guarded:
    """A chat, its guard, and the alarms; the clock is the test's."""

    def __init__(self, folder: Path, tasks: TaskSupervisor) -> None:
        self.now = 1_790_000_000.0
        self.chat = folder / "chats" / "Ana" / "Ana - 2026.jsonl"
        self.chat.parent.mkdir(parents=True)
        self.alarms: list[ChatAlarm] = []
        self.failures: list[str] = []
        self.guard = ChatGuard(folder / "copies", tasks, clock=lambda: self.now)
        self.guard.alarm.connect(self.hear_alarm)
        self.guard.failed.connect(self.hear_failure)

    def hear_alarm(self, alarm: ChatAlarm) -> None:
        self.alarms.append(alarm)

    def hear_failure(self, failure: tuple[Path, str]) -> None:
        self.failures.append(failure[1])

    async def written(self, data: bytes, *, later: float = 60.0) -> tuple[ChatCopy, ...]:
        self.now += later
        self.chat.write_bytes(data)
        await self.guard.look(self.chat)
        return await self.guard.copies(self.chat)


@pytest_asyncio.fixture
async def guarded(tmp_path: Path) -> AsyncIterator[Guarded]:
    tasks = TaskSupervisor()
    made = Guarded(tmp_path, tasks)
    yield made
    made.guard.close()
    await tasks.aclose()


async def test_each_state_that_is_seen_is_in_a_copy(guarded: Guarded) -> None:
    """The newest messages had been read and shown for minutes, and were in no copy."""
    for count in (30, 31, 35):
        copies = await guarded.written(chat_text(count))
        assert copies[0].messages == count
    assert len(await guarded.written(chat_text(35))) == len(copies)
    await guarded.written(chat_text(12))
    (alarm,) = guarded.alarms
    assert alarm.copy.messages == 35
    assert "23 messages fewer" in alarm.sentence


async def test_a_chat_that_only_grows_keeps_one_copy_of_each_stretch_of_time(
    guarded: Guarded,
) -> None:
    for count in range(30, 60):
        copies = await guarded.written(chat_text(count), later=MINUTE)
    assert 3 <= len(copies) <= 5
    # Of the two that came in one stretch the fuller one is left, also after hours without any.
    assert len(await guarded.written(chat_text(61), later=5 * HOUR)) <= 4


async def test_copies_of_a_file_that_breaks_again_and_again_push_out_no_other(
    guarded: Guarded,
) -> None:
    """Three copies of a minute were kept, and those of hours ago, with messages that nothing else
    had, were deleted.
    """
    whole = chat_text(145)
    await guarded.written(whole)
    deleted = [json.dumps({"name": "Ana", "mes": f"Deleted {n}."}).encode() for n in range(6)]
    await guarded.written(b"\n".join([whole, *deleted]), later=7 * MINUTE)
    lines = [*whole.split(b"\n"), *chat_text(165).split(b"\n")[146:]]
    await guarded.written(b"\n".join(lines), later=30 * MINUTE)
    (first,) = [c for c in await guarded.guard.copies(guarded.chat) if c.messages == 151]
    for left in (110, 104, 99, 94, 84):
        await guarded.written(b"\n".join(lines)[: len(b"\n".join(lines[:left])) - 9], later=5.0)
        await guarded.written(b"\n".join(lines), later=5.0)
    copies = await guarded.guard.copies(guarded.chat)
    assert first in copies
    assert [c.messages for c in copies].count(165) == 1
    assert copies[0].messages == 165
    told = await guarded.guard.compare(guarded.chat, first)
    assert (len(told.lost), told.added) == (6, 20)
    newest = await guarded.guard.compare(guarded.chat, copies[0])
    assert (newest.lost, newest.added, newest.elsewhere, newest.newest) == ((), 0, 6, first)


async def test_a_message_of_which_no_copy_can_be_kept_is_put_aside(guarded: Guarded) -> None:
    """Each reply that is asked for anew leaves one that nothing else has."""
    lines = chat_text(30).split(b"\n")
    for n in range(40):
        reply = {"name": "Ana", "mes": f"Reply {n}.", "send_date": f"2026-11-28T10:00:{n:02}.123Z"}
        await guarded.written(b"\n".join([*lines, json.dumps(reply).encode()]), later=HOUR)
    copies = await guarded.guard.copies(guarded.chat)
    assert len(copies) < 30
    assert copies[-1].is_rest
    texts = [gzip.decompress(copy.path.read_bytes()) for copy in copies]
    for n in range(40):
        assert sum(f"Reply {n}.".encode() in text for text in texts) == 1
    restored = await guarded.guard.restore(guarded.chat, copies[-1])
    assert len(read_chat(restored).lines) == copies[-1].messages


async def test_a_loss_is_told_beside_what_was_whole_and_not_beside_what_was_broken(
    guarded: Guarded,
) -> None:
    lines = chat_text(160).split(b"\n")
    await guarded.written(b"\n".join(lines))
    for left in (130, 110):
        await guarded.written(b"\n".join([*lines[:left], lines[left][:20]]))
    for alarm, lost in zip(guarded.alarms, (31, 51), strict=True):
        assert alarm.copy.messages == 160
        assert f"{lost} messages fewer" in alarm.sentence


async def test_a_chat_that_shrank_is_told_once_with_a_copy_of_before(guarded: Guarded) -> None:
    before = chat_text(200)
    await guarded.written(before)
    await guarded.written(chat_text(150))
    await guarded.written(chat_text(149))
    (alarm,) = guarded.alarms
    assert alarm.copy.messages == 200
    assert "50 messages fewer" in alarm.sentence
    restored = await guarded.guard.restore(guarded.chat, alarm.copy)
    assert restored.parent == guarded.chat.parent
    assert restored.read_bytes() == before
    assert guarded.chat.read_bytes() == chat_text(149)
    assert await guarded.guard.restore(guarded.chat, alarm.copy) != restored


async def test_all_that_is_gone_is_told_under_the_name_that_the_chat_has(guarded: Guarded) -> None:
    """52 messages were gone, and 40 were told: those that had come since the copy were not."""
    guarded.guard.name = lambda chat: "Ana, the first evening"
    await guarded.written(chat_text(60))
    await guarded.written(chat_text(72))
    await guarded.written(chat_text(20))
    (alarm,) = guarded.alarms
    assert "“Ana, the first evening” has 52 messages fewer than at" in alarm.sentence
    assert alarm.copy.messages == 72


async def test_what_came_since_the_copy_is_kept_when_the_chat_is_left(
    guarded: Guarded, tmp_path: Path
) -> None:
    """12 messages of an evening were in no copy when the file was cut the next day."""
    guarded.guard.follow(guarded.chat)
    await guarded.written(chat_text(60), later=HOUR)
    guarded.now += HOUR
    guarded.chat.write_bytes(chat_text(72))
    guarded.guard.follow(tmp_path / "chats" / "Ana" / "another.jsonl")
    await guarded.guard.settled()
    copies = await guarded.guard.copies(guarded.chat)
    assert [copy.messages for copy in copies] == [72, 60]


async def test_what_came_since_the_copy_is_kept_when_the_program_ends(guarded: Guarded) -> None:
    guarded.guard.follow(guarded.chat)
    await guarded.written(chat_text(60))
    for text, messages in ((chat_text(72), [72, 60]), (chat_text(72), [72, 60])):
        guarded.now += HOUR
        guarded.chat.write_bytes(text)
        await guarded.guard.rest()
        copies = await guarded.guard.copies(guarded.chat)
        assert [copy.messages for copy in copies] == messages
    # What lost something is not kept silently in place of what was: the next look says so.
    guarded.chat.write_bytes(chat_text(20))
    await guarded.guard.rest()
    assert len(await guarded.guard.copies(guarded.chat)) == 2
    await guarded.guard.look(guarded.chat)
    (alarm,) = guarded.alarms
    assert alarm.copy.messages == 72
    guarded.chat.unlink()
    await guarded.guard.rest()
    assert guarded.failures == []


async def test_a_restored_chat_is_named_in_the_language_of_the_program(guarded: Guarded) -> None:
    (copy,) = await guarded.written(chat_text(12))
    translation.use("de")
    try:
        restored = await guarded.guard.restore(guarded.chat, copy)
    finally:
        translation.use(translation.ENGLISH)
    assert restored.stem.startswith(f"{guarded.chat.stem} - Stand ")


async def test_a_line_that_broke_in_the_middle_is_told_with_the_copy_that_has_it(
    guarded: Guarded,
) -> None:
    """Only the status bar counted it, and nothing led to the copy with the message."""
    whole = chat_text(60)
    await guarded.written(whole)
    lines = whole.split(b"\n")
    lines[30] = lines[30][:25]
    await guarded.written(b"\n".join(lines))
    (alarm,) = guarded.alarms
    assert "1 line of" in alarm.sentence
    assert alarm.copy.messages == 60
    assert b"Line 29." in await asyncio.to_thread(gzip.decompress, alarm.copy.path.read_bytes())
    # It is said once; and what was broken when it was first seen has no better copy.
    await guarded.written(b"\n".join(lines), later=HOUR)
    lines.append(lines[-1].replace(b"Line 59.", b"Line 60."))
    await guarded.written(b"\n".join(lines), later=HOUR)
    assert len(guarded.alarms) == 1


async def test_a_few_deleted_messages_are_nobodys_business(guarded: Guarded) -> None:
    await guarded.written(chat_text(200))
    await guarded.written(chat_text(192))
    assert guarded.alarms == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "can no longer be read"),
        (b"\0" * 4096, "can no longer be read"),
        (chat_text(40)[:-9], "broken off"),
        (chat_text(1), "fewer"),
    ],
)
async def test_a_broken_chat_is_told(guarded: Guarded, data: bytes, words: str) -> None:
    await guarded.written(chat_text(40))
    await guarded.written(data)
    (alarm,) = guarded.alarms
    assert words in alarm.sentence
    restored = await guarded.guard.restore(guarded.chat, alarm.copy)
    assert len(read_chat(restored).lines) == 40


async def test_a_chat_that_was_broken_when_first_seen_has_no_copy_to_go_back_to(
    guarded: Guarded,
) -> None:
    guarded.chat.write_bytes(chat_text(40)[:-9])
    await guarded.guard.look(guarded.chat)
    await guarded.guard.look(guarded.chat)
    assert not guarded.alarms


async def test_another_chat_in_its_place_is_told_at_once_though_it_is_as_long(
    guarded: Guarded,
) -> None:
    before = chat_text(40)
    await guarded.written(before)
    other = chat_text(40, integrity="another").replace(b"Line", b"Another line")
    await guarded.written(other)
    (alarm,) = guarded.alarms
    assert "40 messages" in alarm.sentence
    restored = await guarded.guard.restore(guarded.chat, alarm.copy)
    assert restored.read_bytes() == before
    await guarded.written(other)
    assert len(guarded.alarms) == 1


async def test_messages_that_are_lost_while_others_come_are_told(guarded: Guarded) -> None:
    await guarded.written(chat_text(40))
    lines = chat_text(60).split(b"\n")
    del lines[5:20]
    more = chat_text(100).split(b"\n")[80:]
    await guarded.written(b"\n".join(lines + more))
    (alarm,) = guarded.alarms
    assert "15 messages" in alarm.sentence


async def test_what_only_looks_different_is_no_loss(guarded: Guarded) -> None:
    """Hidden, with a recap, swiped, in another order, under another slug: the words are there."""
    await guarded.written(chat_text(40))
    header, *lines = [json.loads(line) for line in chat_text(40).split(b"\n")]
    for number, line in enumerate(lines):
        line["is_system"] = number % 2 == 0
        line["extra"] = {"auto_recap_memory": {"memory": "Told."}}
        line |= {"swipes": [line["mes"], "Another."], "mes": "Another.", "swipe_id": 1}
    header["chat_metadata"]["integrity"] = "another"
    changed = "\n".join(json.dumps(line) for line in (header, *lines[::-1])).encode()
    await guarded.written(changed, later=HOUR)
    assert guarded.alarms == []


async def test_what_only_the_copy_has_is_named(guarded: Guarded) -> None:
    (copy,) = await guarded.written(chat_text(12))
    guarded.chat.write_bytes(chat_text(10) + b'\n{"name":"Ana","mes":"New."}')
    told = await guarded.guard.compare(guarded.chat, copy)
    assert (told.kept, told.added) == (10, 1)
    assert told.lost == ("Ana: Line 10.", "Ana: Line 11.")


async def test_a_deleted_chat_is_told_and_a_renamed_one_is_not(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.work.chats.guarding.chat_guard.GONE_SECONDS", 0.0)
    await guarded.written(chat_text(12))
    renamed = guarded.chat.with_name("Another name.jsonl")
    guarded.chat.rename(renamed)
    await guarded.guard.look(guarded.chat)
    await guarded.guard.settled()
    assert guarded.alarms == []
    renamed.unlink()
    await guarded.guard.look(guarded.chat)
    await guarded.guard.settled()
    (alarm,) = guarded.alarms
    assert "was deleted" in alarm.sentence
    restored = await guarded.guard.restore(guarded.chat, alarm.copy)
    assert restored.read_bytes() == chat_text(12)


async def test_a_folder_that_was_moved_away_deleted_no_chat(
    guarded: Guarded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.work.chats.guarding.chat_guard.GONE_SECONDS", 0.0)
    await guarded.written(chat_text(12))
    chats = guarded.chat.parents[1]
    chats.rename(chats.with_name("elsewhere"))
    await guarded.guard.look(guarded.chat)
    await guarded.guard.settled()
    assert guarded.alarms == []


async def test_a_copy_that_cannot_be_written_is_said(guarded: Guarded, tmp_path: Path) -> None:
    (tmp_path / "copies").write_text("in the way")
    await guarded.written(chat_text(12))
    assert "could be saved" in guarded.failures[0]


async def test_a_copy_that_is_damaged_is_refused(guarded: Guarded) -> None:
    (copy,) = await guarded.written(chat_text(12))
    copy.path.write_bytes(copy.path.read_bytes()[:-20])
    with pytest.raises(TavernError, match="cannot be read"):
        await guarded.guard.restore(guarded.chat, copy)
    assert [path.name for path in guarded.chat.parent.iterdir()] == [guarded.chat.name]


def test_a_name_of_full_length_has_room_for_the_date(tmp_path: Path) -> None:
    chat = tmp_path / "Ana" / f"{'ж' * 124}x.jsonl"
    copies = ChatCopies(tmp_path / "copies")
    copy = copies.keep(chat, chat_text(3), 1_790_000_000.0)
    chat.parent.mkdir()
    restored = copies.restore(copy, chat)
    assert len(os.fsencode(restored.name)) <= 255
    assert "as of" in restored.name


@pytest.mark.weakness(11)
def test_all_chats_together_stay_within_bounds_and_keep_one_copy_each(tmp_path: Path) -> None:
    copies = ChatCopies(tmp_path / "copies", most_bytes=20_000)
    chats = [tmp_path / "Ana" / f"{n}.jsonl" for n in range(4)]
    for n in range(12):
        for chat in chats:
            copies.keep(chat, os.urandom(2000), 1_790_000_000.0 + n * DAY)
    found = [copies.of(chat) for chat in chats]
    assert all(found)
    assert sum(copy.bytes for kept in found for copy in kept) <= 20_000


async def test_copies_of_a_chat_that_is_gone_are_found_beside_another(guarded: Guarded) -> None:
    """Once the notice was closed, nothing led to the copy of a chat that was deleted."""
    await guarded.written(chat_text(30))
    other = guarded.chat.with_name("Ana - 2027.jsonl")
    assert await guarded.guard.gone(other) == ()
    guarded.chat.unlink()
    assert await guarded.guard.gone(other) == (guarded.chat,)
    [copy] = await guarded.guard.copies(guarded.chat)
    restored = await guarded.guard.restore(guarded.chat, copy)
    assert restored.read_bytes() == chat_text(30)


async def test_a_renamed_chat_keeps_its_copies(guarded: Guarded) -> None:
    """A rename after a damage cut off the way back that a notice had promised."""
    await guarded.written(chat_text(30))
    await guarded.written(chat_text(60), later=HOUR)
    new = guarded.chat.with_name("Ana - The clock.jsonl")
    guarded.chat.rename(new)
    guarded.guard.follow_rename(guarded.chat, new)
    await guarded.guard.settled()
    assert [copy.messages for copy in await guarded.guard.copies(new)] == [60, 30]
    assert await guarded.guard.copies(guarded.chat) == ()
    assert await guarded.guard.gone(new) == ()
