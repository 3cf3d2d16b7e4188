"""The model says exactly what changed, and Qt's own checker agrees."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QSignalSpy

from app.story.messages import Message, digest
from tests.ui.samples import message, story, with_states
from ui.story.messages.message_model import MessageModel
from ui.story.messages.rows import RowKind


@pytest.fixture
def model(qapp: object) -> Iterator[MessageModel]:
    """A model that Qt's checker watches through every change."""
    watched = MessageModel()
    mode = QAbstractItemModelTester.FailureReportingMode.Fatal
    tester = QAbstractItemModelTester(watched, mode)
    yield watched
    del tester


def spies(model: MessageModel) -> dict[str, QSignalSpy]:
    return {
        "reset": QSignalSpy(model.modelReset),
        "inserted": QSignalSpy(model.rowsInserted),
        "removed": QSignalSpy(model.rowsRemoved),
        "changed": QSignalSpy(model.dataChanged),
    }


def counts(heard: dict[str, QSignalSpy]) -> dict[str, int]:
    return {name: spy.count() for name, spy in heard.items()}


def test_another_chat_resets(model: MessageModel) -> None:
    model.set_story(story(10, (4,)))
    heard = spies(model)
    model.set_story(story(12, (4,), path="other.jsonl"))
    assert counts(heard)["reset"] == 1


@pytest.mark.weakness(33)
def test_an_append_inserts_one_row_and_resets_nothing(model: MessageModel) -> None:
    model.set_story(story(10, (4,)))
    heard = spies(model)
    model.set_story(story(11, (4,)), first_changed=10)
    assert heard["reset"].count() == 0
    assert heard["removed"].count() == 0
    assert heard["inserted"].at(0)[1:] == [12, 12]


def test_an_edit_changes_rows_and_moves_none(model: MessageModel) -> None:
    before = story(10, (4,))
    model.set_story(before)
    heard = spies(model)
    other = replace_text(before.messages, 7, "Rewritten.")
    model.set_story(replace(before, messages=other), first_changed=7)
    assert counts(heard) == {"reset": 0, "inserted": 0, "removed": 0, "changed": 1}
    row = model.layout.row_of_message(7)
    assert heard["changed"].at(0)[0].row() == row


def replace_text(messages: tuple[Message, ...], index: int, text: str) -> tuple[Message, ...]:
    edited = message(index, text)
    assert edited.content_hash == digest(text)
    return (*messages[:index], edited, *messages[index + 1 :])


def test_folding_keeps_hold_of_the_rows_that_stay(model: MessageModel) -> None:
    model.set_story(story(40, (9, 19, 29)))
    row = model.layout.row_of_message(25)
    held = QPersistentModelIndex(model.index(row, 0))
    model.set_story(story(40, (9, 19, 29), folded=(9,)), first_changed=None)
    assert held.row() == model.layout.row_of_message(25) == row - 10


def test_a_deleted_message_removes_its_row(model: MessageModel) -> None:
    before = story(20, (9,))
    model.set_story(before)
    held = QPersistentModelIndex(model.index(model.layout.row_of_message(15), 0))
    gone = (*before.messages[:3], *before.messages[4:])
    model.set_story(story(messages=gone, breaks=(8,)), first_changed=3)
    assert model.place(held.row()).message == 14


def test_the_checker_agrees_with_a_long_random_life(model: MessageModel) -> None:
    dice = random.Random(11)
    numbers = list(range(30))
    for _ in range(60):
        match dice.randrange(3):
            case 0:
                numbers.append(max(numbers) + 1)
            case 1 if len(numbers) > 5:
                numbers.pop(dice.randrange(len(numbers)))
            case _:
                dice.shuffle(numbers[-2:])
        shown = tuple(message(n) for n in numbers)
        ends = tuple(sorted(dice.sample(range(len(shown)), 3)))
        model.set_story(story(messages=shown, breaks=ends, folded=ends[:1]))
        assert model.rowCount() == model.layout.count


def test_inclusion_alone_changes_rows_and_moves_none(model: MessageModel) -> None:
    plain = story(40, (9, 19, 29))
    model.set_story(plain)
    heard = spies(model)
    model.set_story(with_states(plain), first_changed=None)
    assert counts(heard)["inserted"] == counts(heard)["removed"] == counts(heard)["reset"] == 0
    assert counts(heard)["changed"] == 1


def test_every_row_speaks(model: MessageModel) -> None:
    model.set_story(with_states(story(40, (9, 19, 29), folded=(9,))))
    role = Qt.ItemDataRole.AccessibleTextRole
    said = [model.data(model.index(row, 0), role) for row in range(model.rowCount())]
    assert said[0] == "Scene 1, Scene name 1, collapsed, 10 messages, 0 to 9."
    assert all(said)
    row = model.layout.row_of_message(39 - 10)
    assert "Failed." in said[row]
    assert model.place(row).kind is RowKind.MESSAGE


def test_a_divider_says_how_the_break_above_it_was_found(model: MessageModel) -> None:
    model.set_story(story(40, (9, 19, 29)))
    first, second = model.scene_row(0), model.scene_row(11)
    assert first is not None
    assert second is not None
    assert first.cue == ""
    assert second.cue == "Break: place"


def test_a_hundred_thousand_messages_open_and_grow_at_once(model: MessageModel) -> None:
    count = 100_000
    long = story(count, tuple(range(39, count, 40)))
    bare = MessageModel()
    start = time.process_time()
    bare.set_story(long)
    opened = time.process_time() - start
    grown = replace(
        long,
        messages=(*long.messages, message(count)),
        scenes=(*long.scenes, replace(long.scenes[-1], first=count, last=count, closing=None)),
    )
    start = time.process_time()
    bare.set_story(grown, first_changed=count)
    appended = time.process_time() - start
    assert bare.rowCount(QModelIndex()) == count + 1 + len(grown.scenes)
    assert opened < 0.05
    assert appended < 0.05
