"""Reading chats: the formats of all versions, and only what changed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.core.errors import ChatUnreadable
from app.sillytavern.chat_file import ChatSnapshot, read_chat
from app.sillytavern.chat_line import LineDecoder
from app.story.messages import MessageKind, digest
from tests.chat_files import (
    HEADER,
    date_of,
    jsonl,
    message,
    save_like_sillytavern,
    swiped,
    write_chat,
)

LONG_AGO = 1_700_000_000


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats" / "Mira" / "Mira - 2026-11-20.jsonl"


def read(path: Path, *messages: object, header: dict[str, Any] | None = HEADER) -> ChatSnapshot:
    return read_chat(write_chat(path, messages, header))


def texts(snapshot: ChatSnapshot) -> list[str]:
    return [line.text for line in snapshot.lines]


# --- formats


def test_a_chat_of_today(path: Path) -> None:
    snapshot = read(path, message(0, "Hello."), swiped(1, "One.", "Two.", "Three.", shown=1))
    user, reply = snapshot.lines
    assert (user.name, user.text, user.is_user, user.sent) == ("Ana", "Hello.", True, date_of(0))
    assert (reply.name, reply.text, reply.is_user) == ("Mira", "Two.", False)
    assert (reply.swipe, reply.swipes) == (1, 3)
    assert (reply.sent, reply.first_sent) == (date_of(101), date_of(1))
    assert reply.content_hash == digest("Two.")
    assert reply.first_hash == digest("One.")
    assert snapshot.integrity == HEADER["chat_metadata"]["integrity"]
    assert snapshot.line_numbers.tolist() == [2, 3]
    assert snapshot.problems == ()


def test_a_swipe_and_an_edit_and_a_hide_leave_the_identities_that_anchors_need(path: Path) -> None:
    plain = read(path, message(0), swiped(1, "One.", "Two.", shown=0)).lines
    other = read(
        path, message(0, "Edited.", is_system=True), swiped(1, "One.", "Two.", shown=1)
    ).lines
    assert plain[1].identity == other[1].identity
    assert plain[1].content_hash != other[1].content_hash
    assert plain[0].identity != other[0].identity
    assert plain[0].weak_identity[:9] == other[0].weak_identity[:9]
    hidden = read(path, message(0, is_system=True)).lines[0]
    assert hidden.identity == plain[0].identity
    assert hidden.is_hidden


def test_a_chat_of_1_12_with_names_in_the_header_and_local_dates(path: Path) -> None:
    header = {
        "user_name": "Ana",
        "character_name": "Mira",
        "create_date": "2024-07-01@20h15m30s",
        "chat_metadata": {"note_prompt": ""},
    }
    sent = "July 1, 2024 8:15pm"
    snapshot = read(path, message(0, send_date=sent), header=header)
    assert snapshot.has_header
    assert snapshot.lines[0].sent == sent
    assert snapshot.integrity == ""


def test_a_header_of_long_ago_without_metadata(path: Path) -> None:
    snapshot = read(path, message(0), header={"user_name": "Ana", "character_name": "Mira"})
    assert snapshot.has_header
    assert len(snapshot.lines) == 1


def test_both_date_formats_in_one_file(path: Path) -> None:
    old = "November 20, 2026 11:38pm"
    snapshot = read(path, message(0, send_date=old), message(1))
    assert [line.sent for line in snapshot.lines] == [old, date_of(1)]
    assert [line.weak_identity[0] for line in snapshot.lines] == ["c", "e"]


def test_an_old_group_chat_has_its_metadata_in_the_groups_file(tmp_path: Path) -> None:
    (tmp_path / "groups").mkdir()
    group = {
        "id": "7",
        "chat_id": "open",
        "chats": ["open", "past"],
        "chat_metadata": {"note_prompt": "of the open one"},
        "past_metadata": {"past": {"note_prompt": "of the past one"}},
    }
    (tmp_path / "groups" / "7.json").write_text(json.dumps(group))
    (tmp_path / "groups" / "0 broken.json").write_text("{")
    for title in ("open", "past"):
        snapshot = read(tmp_path / "group chats" / f"{title}.jsonl", message(0), header=None)
        assert not snapshot.has_header
        assert snapshot.chat_metadata["note_prompt"] == f"of the {title} one"
        assert len(snapshot.lines) == 1
    stranger = read(tmp_path / "group chats" / "stranger.jsonl", message(0), header=None)
    assert stranger.chat_metadata == {}


def test_a_new_group_chat_has_a_header_and_says_who_speaks(tmp_path: Path) -> None:
    snapshot = read(
        tmp_path / "group chats" / "g.jsonl", message(1, original_avatar="Mira.png", extra=None)
    )
    assert snapshot.integrity
    assert snapshot.lines[0].avatar == "Mira.png"


@pytest.mark.parametrize(
    ("fields", "kind", "is_hidden"),
    [
        ({"is_system": ""}, MessageKind.CHAT, False),
        ({"is_system": True}, MessageKind.CHAT, True),
        ({"is_system": "", "extra": {"type": "narrator"}}, MessageKind.NARRATOR, False),
        ({"is_system": "[bias]", "extra": {"type": "narrator"}}, MessageKind.NARRATOR, True),
        (
            {"is_system": False, "extra": {"type": "narrator", "isSmallSys": True}},
            "narrator",
            False,
        ),
        ({"is_system": True, "extra": {"type": "comment"}}, MessageKind.NOTICE, True),
        ({"is_system": True, "extra": {"type": "assistant_note"}}, MessageKind.NOTICE, True),
        ({"is_system": True, "extra": {"isSmallSys": True}}, MessageKind.NOTICE, True),
        ({"is_system": False, "extra": {"type": "comment"}}, MessageKind.CHAT, False),
        ({"is_system": False, "extra": {"type": "assistant_message"}}, MessageKind.CHAT, False),
        ({"is_thoughts": True}, MessageKind.THOUGHT, False),
        ({"is_thoughts": "yes", "extra": None}, MessageKind.THOUGHT, False),
        ({"is_thoughts": False}, MessageKind.CHAT, False),
        (
            {"extra": {"auto_recap_memory": {"is_auto_recap_system_memory": True}}},
            MessageKind.NOTICE,
            False,
        ),
        (
            {"extra": {"auto_summarize_memory": {"is_auto_summarize_system_memory": True}}},
            MessageKind.NOTICE,
            False,
        ),
        (
            {"extra": {"auto_recap_memory": {"is_auto_recap_system_memory": False}}},
            MessageKind.CHAT,
            False,
        ),
        ({"extra": {"qvink_memory": {"memory": "its _system_memory"}}}, MessageKind.CHAT, False),
    ],
)
def test_what_a_message_is_to_the_story(
    path: Path, fields: dict[str, Any], kind: MessageKind, is_hidden: bool
) -> None:
    line = read(path, message(1, **fields)).lines[0]
    assert (line.kind, line.is_hidden) == (kind, is_hidden)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"mes": None}, {"text": ""}),
        ({"mes": 5}, {"text": "5"}),
        ({"name": None}, {"name": ""}),
        ({"name": {"a": 1}}, {"name": ""}),
        ({"send_date": 1_700_000_000_000}, {"sent": "1700000000000"}),
        ({"send_date": None}, {"sent": ""}),
        ({"is_user": None}, {"is_user": False}),
        ({"is_user": []}, {"is_user": True}),
        ({"extra": []}, {"kind": MessageKind.CHAT}),
        ({"extra": "text"}, {"kind": MessageKind.CHAT}),
        ({"extra": {"type": {"a": 1}}}, {"kind": MessageKind.CHAT}),
        ({"swipes": [], "swipe_id": 0}, {"swipes": 1, "swipe": 0}),
        ({"swipes": ["a", None], "swipe_id": "1"}, {"swipes": 2, "swipe": 1}),
        ({"swipes": [None, "b"], "swipe_id": 1}, {"first_hash": digest("")}),
        ({"swipes": "a", "swipe_id": 3}, {"swipes": 1, "swipe": 0}),
        ({"swipes": ["a"], "swipe_id": -1}, {"swipes": 1, "swipe": 0}),
        ({"swipe_id": None}, {"swipe": 0}),
        ({"swipe_info": [None], "swipes": ["x"]}, {"first_sent": date_of(1)}),
        ({"swipe_info": [{"send_date": 7}], "swipes": ["x"]}, {"first_sent": "7"}),
        ({"swipe_info": {}}, {"first_sent": date_of(1)}),
    ],
)
def test_sloppy_types_are_read_without_a_word(
    path: Path, fields: dict[str, Any], expected: dict[str, Any]
) -> None:
    snapshot = read(path, message(1, **fields))
    assert {key: getattr(snapshot.lines[0], key) for key in expected} == expected
    assert snapshot.problems == ()


def test_a_message_without_extra_or_date(path: Path) -> None:
    snapshot = read(path, {"name": "Mira", "mes": "Hello."})
    assert texts(snapshot) == ["Hello."]
    assert snapshot.problems == ()


def test_the_blocks_of_recap_extensions_are_kept_raw(path: Path) -> None:
    block = {"memory": "She came.", "unknown": [1, 2]}
    extra = {"qvink_memory": {"memory": "old"}, "auto_recap_memory": block, "model": "m"}
    line = read(path, message(1, extra=extra)).lines[0]
    assert [json.loads(raw) for raw in line.recaps] == [block, {"memory": "old"}]


def test_half_characters_become_a_sign_that_can_be_stored(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{"name":"Mira","mes":"cut \\ud83d off"}')
    assert texts(read_chat(path)) == ["cut \N{REPLACEMENT CHARACTER} off"]


# --- only what changed


def aged(path: Path) -> Path:
    """A file that was not written just now, whose times can be trusted."""
    os.utime(path, (LONG_AGO, LONG_AGO))
    return path


def test_an_unchanged_file_gives_the_same_snapshot(path: Path) -> None:
    write_chat(path, [message(0)])
    snapshot = read_chat(aged(path))
    assert read_chat(path, snapshot) is snapshot


def test_a_change_right_after_reading_is_seen_even_if_size_and_times_are_equal(path: Path) -> None:
    write_chat(path, [message(0, "aaaa")])
    status = path.stat()
    snapshot = read_chat(path)
    with path.open("r+b") as file:
        data = file.read().replace(b"aaaa", b"bbbb")
        file.seek(0)
        file.write(data)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert texts(read_chat(path, snapshot)) == ["bbbb"]


def test_a_rewrite_with_the_same_lines_keeps_all_objects(path: Path) -> None:
    snapshot = read(path, message(0), message(1))
    save_like_sillytavern(path, path.read_bytes())
    again = read_chat(path, snapshot)
    assert again.lines is snapshot.lines
    assert again.stamp.inode == path.stat().st_ino


def test_a_new_line_costs_a_new_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = [message(number) for number in range(50)]
    snapshot = read(path, *chat)
    decoded = count_decoded(monkeypatch)
    after = read_after_save(path, snapshot, [*chat, message(50, "New.")])
    assert decoded == [b"New."]
    assert all(a is b for a, b in zip(snapshot.lines, after.lines, strict=False))
    assert after.lines[-1].text == "New."


def test_a_changed_header_costs_no_message(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = [message(number) for number in range(10)]
    snapshot = read(path, *chat)
    decoded = count_decoded(monkeypatch)
    header = HEADER | {"chat_metadata": {"tainted": True}}
    save_like_sillytavern(path, jsonl([header, *chat]))
    after = read_chat(path, snapshot)
    assert decoded == []
    assert after.chat_metadata == {"tainted": True}
    assert after.lines == snapshot.lines


def test_edits_insertions_and_deletions_cost_only_themselves(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = [message(number) for number in range(20)]
    snapshot = read(path, *chat)
    decoded = count_decoded(monkeypatch)
    changed = [*chat[1:5], message(5, "Edited."), *chat[6:12], message(90, "Put in."), *chat[12:]]
    after = read_after_save(path, snapshot, changed)
    assert decoded == [b"Edited.", b"Put in."]
    assert texts(after) == [m["mes"] for m in changed]


def count_decoded(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Texts of the lines that are decoded from now on."""
    from app.sillytavern import chat_file

    decoded: list[bytes] = []

    class Counting(LineDecoder):
        def decode(self, line: bytes) -> Any:
            decoded.append(json.loads(line)["mes"].encode())
            return super().decode(line)

    monkeypatch.setattr(chat_file, "LineDecoder", Counting)
    return decoded


def read_after_save(path: Path, before: ChatSnapshot, messages: list[Any]) -> ChatSnapshot:
    save_like_sillytavern(path, jsonl([HEADER, *messages]))
    return read_chat(path, before)


line_pieces = st.one_of(
    st.builds(lambda n: jsonl([message(n)]), st.integers(0, 5)),
    st.sampled_from(
        [b"", b"  ", b"{", b"[1]", b"\xff", b'{"mes":"x\xff"}', b'{"name":"n"}', b"\r"]
    ),
    st.builds(lambda n: jsonl([HEADER | {"n": n}]), st.integers(0, 2)),
    st.binary(max_size=12),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.lists(st.lists(line_pieces, max_size=9), min_size=2, max_size=3),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_reading_what_changed_gives_what_reading_all_gives(
    tmp_path: Path, versions: list[list[bytes]], newline: bytes
) -> None:
    path = tmp_path / "any.jsonl"
    snapshot: ChatSnapshot | None = None
    for lines in versions:
        data = newline.join(lines)
        save_like_sillytavern(path, data)
        try:
            whole = read_chat(path)
        except ChatUnreadable:
            with pytest.raises(ChatUnreadable):
                read_chat(path, snapshot)
            continue
        snapshot = read_chat(path, snapshot)
        assert snapshot.lines == whole.lines
        assert snapshot.header == whole.header
        assert snapshot.problems == whole.problems
        assert snapshot.line_numbers.tolist() == whole.line_numbers.tolist()
        assert path.read_bytes() == data
