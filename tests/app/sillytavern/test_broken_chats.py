"""Reading chats that are broken: what can be read is, the rest is named, the file is untouched."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import ChatUnreadable
from app.sillytavern import chat_file
from app.sillytavern.chat_file import MAX_PROBLEMS, ChatSnapshot, read_chat
from app.sillytavern.chat_line import LineDecoder
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern, swiped, write_chat


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chats" / "Mira" / "Mira - 2026-11-20.jsonl"


def read(path: Path, *messages: object) -> ChatSnapshot:
    return read_chat(write_chat(path, messages))


def texts(snapshot: ChatSnapshot) -> list[str]:
    return [line.text for line in snapshot.lines]


def only_problem(snapshot: ChatSnapshot) -> str:
    (problem,) = snapshot.problems
    return problem.sentence


def read_bytes(path: Path, data: bytes) -> ChatSnapshot:
    """Read a file and check that reading left it as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    try:
        return read_chat(path)
    finally:
        assert path.read_bytes() == data


def test_a_broken_line_in_the_middle_costs_only_itself(path: Path) -> None:
    good = [jsonl([m]) for m in (HEADER, message(0, "One."), message(1), message(2, "Two."))]
    snapshot = read_bytes(path, b"\n".join([*good[:2], good[2][:40], good[3]]))
    assert texts(snapshot) == ["One.", "Two."]
    assert only_problem(snapshot) == (
        f"Line 3 of {path.name} is cut off or damaged; it is left out, the rest is shown."
    )
    assert snapshot.problems[0].line == 3
    assert snapshot.line_numbers.tolist() == [2, 4]


def test_a_cut_off_end_costs_only_the_last_line(path: Path) -> None:
    snapshot = read_bytes(path, jsonl([HEADER, message(0, "One."), message(1)])[:-20])
    assert texts(snapshot) == ["One."]
    assert "Line 3" in only_problem(snapshot)


def test_a_broken_header_costs_no_message(path: Path) -> None:
    snapshot = read_bytes(path, jsonl([HEADER])[:-5] + b"\n" + jsonl([message(0)]))
    assert len(snapshot.lines) == 1
    assert not snapshot.has_header
    assert "Line 1" in only_problem(snapshot)


def test_an_empty_file_is_an_empty_chat(path: Path) -> None:
    snapshot = read_bytes(path, b"")
    assert snapshot.lines == ()
    assert snapshot.problems == ()


def test_only_a_header_is_an_empty_chat(path: Path) -> None:
    snapshot = read_bytes(path, jsonl([HEADER]))
    assert snapshot.has_header
    assert snapshot.lines == ()


def test_a_byte_order_mark_and_windows_newlines_do_no_harm(path: Path) -> None:
    data = b"\xef\xbb\xbf" + jsonl([HEADER, message(0), message(1)]).replace(b"\n", b"\r\n")
    snapshot = read_bytes(path, data + b"\r\n\r\n")
    assert snapshot.has_header
    assert len(snapshot.lines) == 2
    assert snapshot.problems == ()


def test_a_huge_line_is_read(path: Path) -> None:
    huge = "x" * 50_000_000
    snapshot = read_bytes(path, jsonl([HEADER, message(0, huge), message(1, "Small.")]))
    assert [len(text) for text in texts(snapshot)] == [50_000_000, 6]


def test_bytes_that_are_no_text_are_shown_as_such(path: Path) -> None:
    data = jsonl([HEADER, message(0, "caf@ noir")]).replace(b"@", b"\xe9")
    snapshot = read_bytes(path, data)
    assert texts(snapshot) == ["caf\N{REPLACEMENT CHARACTER} noir"]
    said = f"Line 2 of {path.name} contains bytes that are not UTF-8"
    assert only_problem(snapshot).startswith(said)


def test_a_message_without_text_keeps_its_place(path: Path) -> None:
    textless = message(1)
    del textless["mes"]
    snapshot = read(path, message(0, "One."), textless, message(2, "Two."))
    assert texts(snapshot) == ["One.", "", "Two."]
    assert only_problem(snapshot).startswith(f"Line 3 of {path.name} has no text")


def test_deep_nesting_is_no_crash(path: Path) -> None:
    deep = b'{"name":"Mira","mes":"x","extra":{"a":' + b"[" * 200_000 + b"]" * 200_000 + b"}}"
    snapshot = read_bytes(path, jsonl([HEADER, message(0, "One.")]) + b"\n" + deep)
    assert texts(snapshot) == ["One."]
    assert "Line 3" in only_problem(snapshot)
    assert "nested too deeply" in only_problem(snapshot)


def test_values_that_are_no_messages_are_left_out(path: Path) -> None:
    snapshot = read(path, message(0, "One."), [1], 7, "text", None, {"a": 1})
    assert texts(snapshot) == ["One."]
    assert [problem.line for problem in snapshot.problems] == [3, 4, 5, 6, 7]


def test_a_file_that_is_no_chat_is_named_with_its_first_trouble(path: Path) -> None:
    with pytest.raises(ChatUnreadable) as caught:
        read_bytes(path, b"Dear diary,\ntoday nothing happened.\n")
    assert str(path) in str(caught.value)
    assert "Line 1" in str(caught.value)


def test_the_number_of_problems_is_bounded(path: Path) -> None:
    snapshot = read_bytes(path, jsonl([message(0)]) + b"\n{" * (MAX_PROBLEMS + 50))
    assert len(snapshot.problems) == MAX_PROBLEMS + 1
    assert "50 more" in snapshot.problems[-1].sentence


def test_a_mended_line_is_reported_again_where_it_stands_now(path: Path) -> None:
    lines = [jsonl([m]) for m in (HEADER, message(0), message(1))]
    before = read_bytes(path, b"\n".join([*lines, b"{"]))
    save_like_sillytavern(path, b"\n".join([lines[0], lines[2], b"{"]))
    after = read_chat(path, before)
    assert [problem.line for problem in before.problems] == [4]
    assert [problem.line for problem in after.problems] == [3]


def test_a_chat_that_was_deleted_is_named(path: Path) -> None:
    snapshot = read(path, message(0))
    path.unlink()
    with pytest.raises(ChatUnreadable, match="no longer there") as caught:
        read_chat(path, snapshot)
    assert str(path) in str(caught.value)


def test_a_renamed_chat_is_read_under_its_new_name(path: Path) -> None:
    snapshot = read(path, message(0))
    renamed = path.rename(path.with_name("New name.jsonl"))
    again = read_chat(renamed, snapshot)
    assert again.path == renamed
    assert again.lines[0] is snapshot.lines[0]


def test_a_folder_is_no_chat(tmp_path: Path) -> None:
    folder = tmp_path / "chat.jsonl"
    folder.mkdir()
    with pytest.raises(ChatUnreadable, match="is a folder"):
        read_chat(folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "chat.jsonl")
    with pytest.raises(ChatUnreadable, match="not a chat file"):
        read_chat(tmp_path / "chat.jsonl")


READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from app.core.errors import ChatUnreadable
from app.sillytavern.chat_file import read_chat
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    read_chat(Path(sys.argv[1]))
except ChatUnreadable as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="permissions of POSIX")
def test_a_chat_without_permission_is_named() -> None:
    # Not below tmp_path: pytest's own folders are closed to others, and then they are to blame.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = write_chat(Path(folder) / "secret.jsonl", [message(0)])
        before = path.read_bytes()
        path.chmod(0)
        done = subprocess.run(
            [sys.executable, "-c", READ_AS_NOBODY, str(path)],
            capture_output=True,
            text=True,
            timeout=30,
            check=True,
        )
        assert str(path) in done.stdout
        assert "permissions" in done.stdout
        path.chmod(0o600)
        assert path.read_bytes() == before


def test_a_file_that_changes_while_it_is_read_is_read_again(path: Path) -> None:
    """Editors write in place; what is shown then is one state, not half of two."""
    write_chat(path, [message(0, "before")])

    class Interrupted(LineDecoder):
        is_done = False

        def decode(self, line: bytes) -> Any:
            if not Interrupted.is_done:
                Interrupted.is_done = True
                with path.open("r+b") as file:
                    file.write(jsonl([HEADER, message(0, "after!"), message(1, "more")]))
            return super().decode(line)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chat_file, "LineDecoder", Interrupted)
        snapshot = read_chat(path)
    assert texts(snapshot) == ["after!", "more"]
    assert not snapshot.stamp.is_settled


def test_memory_stays_below_three_times_the_file(path: Path) -> None:
    write_chat(path, [swiped(n, "word " * 300, "other " * 300, shown=0) for n in range(2000)])
    tracemalloc.start()
    try:
        snapshot = read_chat(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(snapshot.lines) == 2000
    assert peak < 3 * path.stat().st_size
