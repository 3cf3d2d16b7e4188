"""What changed between two readings, and the messages that follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.sillytavern.chat_diff import changes, messages_of
from app.sillytavern.chat_file import ChatSnapshot, read_chat
from app.story.anchors import align, known_after
from app.story.messages import MessageKind
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern, swiped, write_chat


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(6)])


def saved(path: Path, before: ChatSnapshot, *messages: object) -> ChatSnapshot:
    save_like_sillytavern(path, jsonl([HEADER, *messages]))
    return read_chat(path, before)


def test_everything_is_new_at_first_sight(path: Path) -> None:
    change = changes(None, read_chat(path))
    assert (change.first, change.old_end, change.new_end) == (0, 0, 6)


def test_an_equal_chat_has_no_change(path: Path) -> None:
    snapshot = read_chat(path)
    assert not changes(snapshot, saved(path, snapshot, *map(message, range(6))))


def test_the_stretch_that_changed_is_found(path: Path) -> None:
    snapshot = read_chat(path)
    chat = [*map(message, range(6))]
    after = saved(path, snapshot, *chat[:2], message(90), message(91), *chat[3:])
    change = changes(snapshot, after)
    assert (change.first, change.old_end, change.new_end) == (2, 3, 4)


def test_a_header_can_change_alone(path: Path) -> None:
    snapshot = read_chat(path)
    save_like_sillytavern(path, jsonl([{"chat_metadata": {}}, *map(message, range(6))]))
    change = changes(snapshot, read_chat(path, snapshot))
    assert change
    assert change.first is None
    assert change.is_header_changed


def test_a_message_shows_what_the_line_says(tmp_path: Path) -> None:
    line = swiped(1, "One.", "Two.", shown=1) | {
        "is_system": True,
        "original_avatar": "Mira.png",
        "extra": {"type": "narrator"},
    }
    snapshot = read_chat(write_chat(tmp_path / "chat.jsonl", [line]))
    (made,) = messages_of(snapshot, ["anchor"])
    assert (made.anchor, made.name, made.text) == ("anchor", "Mira", "Two.")
    assert (made.swipe, made.swipes, made.avatar) == (1, 2, "Mira.png")
    assert (made.is_user, made.is_hidden, made.kind) == (False, True, MessageKind.NARRATOR)
    assert (made.sent, made.content_hash) == (line["send_date"], snapshot.lines[0].content_hash)


@pytest.mark.parametrize(
    ("added", "kept"),
    [([], [True, True, False, True, True, True]), ([message(6)], [True, True] + [False] * 4)],
)
def test_messages_outside_the_changed_stretch_keep_their_objects(
    path: Path, added: list[object], kept: list[bool]
) -> None:
    snapshot = read_chat(path)
    anchors = align((), snapshot.lines)
    before = messages_of(snapshot, anchors)
    chat = [*map(message, range(6))]
    after = saved(path, snapshot, *chat[:2], message(2, "Edited."), *chat[3:], *added)
    new_anchors = align(known_after(anchors, snapshot.lines), after.lines)
    made = messages_of(after, new_anchors, snapshot, before)
    assert [a is b for a, b in zip(before, made, strict=False)] == kept
    assert made[2].text == "Edited."


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.integers(0, 5), max_size=8),
    st.lists(st.integers(0, 5), max_size=8),
    st.booleans(),
)
def test_reused_messages_equal_those_made_anew(
    tmp_path: Path, old: list[int], new: list[int], has_other_anchors: bool
) -> None:
    path = tmp_path / "chat.jsonl"
    snapshot = read_chat(write_chat(path, [*map(message, old)]))
    before = messages_of(snapshot, [f"old {n}" for n in range(len(old))])
    after = saved(path, snapshot, *map(message, new))
    kind = "new" if has_other_anchors else "old"
    anchors = [f"{kind} {n}" for n in range(len(new))]
    assert messages_of(after, anchors, snapshot, before) == messages_of(after, anchors)
