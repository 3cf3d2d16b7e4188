"""Long chats are read again only where they changed, and read as if they were new."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.sillytavern.chat_file import ChatSnapshot, read_chat
from tests.chat_files import HEADER, jsonl, message

Lines = list[dict[str, object]]
LENGTH = 500
FILLING = "All of it was as it had been before the storm. " * 60  # some blocks long


def long_lines() -> Lines:
    return [HEADER, *(message(n, f"{n}: {FILLING}") for n in range(LENGTH))]


def header(lines: Lines) -> Lines:
    return [{**HEADER, "user_name": "Somebody with a longer name"}, *lines[1:]]


def without_header(lines: Lines) -> Lines:
    return lines[1:]


def appended(lines: Lines) -> Lines:
    return [*lines, message(LENGTH, "One more.")]


def edited(lines: Lines) -> Lines:
    return [*lines[:250], message(249, "Another text."), *lines[251:]]


def cut(lines: Lines) -> Lines:
    return lines[:300]


def moved(lines: Lines) -> Lines:
    return [*lines[:100], *lines[101:]]


@pytest.mark.parametrize("change", [header, without_header, appended, edited, cut, moved])
@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_a_reading_behind_another_gives_what_a_first_reading_gives(
    tmp_path: Path, change: Callable[[Lines], Lines], ending: bytes
) -> None:
    path = tmp_path / "chat.jsonl"
    lines = long_lines()
    path.write_bytes(jsonl(lines).rstrip(b"\n") + ending)
    before = read_chat(path)
    path.write_bytes(jsonl(change(lines)).rstrip(b"\n") + ending)
    again, anew = read_chat(path, before), read_chat(path)
    assert again.lines == anew.lines
    assert again.header == anew.header
    assert np.array_equal(again.line_numbers, anew.line_numbers)
    assert np.array_equal(again.line_digests, anew.line_digests)
    assert again.blocks == anew.blocks


def test_any_run_of_changes_is_read_as_the_file_is(tmp_path: Path) -> None:
    dice, path, lines = random.Random(4), tmp_path / "chat.jsonl", long_lines()
    path.write_bytes(jsonl(lines))
    snapshot = read_chat(path)
    for _ in range(12):
        change = dice.choice((header, appended, edited, cut, moved))
        lines = change(lines)
        text = jsonl(lines)
        if dice.random() < 0.3:
            text = text.replace(b"\n", b"\n\n", 3)  # blank lines count, and say nothing
        path.write_bytes(text)
        snapshot = read_chat(path, snapshot)
        assert snapshot.lines == read_chat(path).lines


def test_what_did_not_change_keeps_its_objects(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    lines = long_lines()
    path.write_bytes(jsonl(lines))
    before = read_chat(path)
    path.write_bytes(jsonl(appended(lines)))
    again = read_chat(path, before)
    assert len(again.lines) == len(before.lines) + 1
    assert all(one is other for one, other in zip(before.lines, again.lines, strict=False))


def read_after(
    path: Path, lines: Lines, change: Callable[[Lines], Lines]
) -> tuple[ChatSnapshot, ...]:
    """Both ways of reading again, of the end alone and then all, and reading anew."""
    path.write_bytes(jsonl(lines))
    before = read_chat(path)
    path.write_bytes(jsonl(change(lines)))
    hasty = read_chat(path, before, is_end_enough=True)
    return hasty, read_chat(path, hasty), read_chat(path)


@pytest.mark.parametrize("change", [header, without_header, appended, edited, cut, moved])
def test_the_end_is_enough_only_where_the_chat_went_on(
    tmp_path: Path, change: Callable[[Lines], Lines]
) -> None:
    hasty, again, anew = read_after(tmp_path / "chat.jsonl", long_lines(), change)
    assert hasty.lines == again.lines == anew.lines
    assert again.is_compared


def far_up_and_appended(lines: Lines) -> Lines:
    """Of the same length, so that nothing behind it moves."""
    text = f"1: {FILLING}".swapcase()
    return [*lines[:2], message(1, text), *lines[3:], message(LENGTH, "One more.")]


def test_what_changed_far_up_is_read_by_comparing_all(tmp_path: Path) -> None:
    hasty, again, anew = read_after(tmp_path / "chat.jsonl", long_lines(), far_up_and_appended)
    assert hasty.lines[-1] == anew.lines[-1]
    assert not hasty.is_compared
    assert again.is_compared
    assert again.lines == anew.lines != hasty.lines


def test_what_is_kept_are_the_lines_of_the_reading_before(tmp_path: Path) -> None:
    path, lines = tmp_path / "chat.jsonl", long_lines()
    path.write_bytes(jsonl(lines))
    before = read_chat(path)
    path.write_bytes(jsonl(appended(lines)))
    after = read_chat(path, before)
    assert after.kept > LENGTH // 2
    assert all(
        new is old for new, old in zip(after.lines[: after.kept], before.lines, strict=False)
    )
