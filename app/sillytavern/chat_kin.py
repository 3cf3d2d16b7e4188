"""Whether data that name another chat belong to it, or to a chat that was renamed or copied."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.chat_line import LineDecoder, UnreadableLine, is_header, load_json

COMPARED = 3  # messages at the beginning; all chats of a character share the first
LONGEST_LINE = 1 << 20  # bytes: a longer one is compared by its beginning, and so differs


def tells_another_story(snapshot: ChatSnapshot, name: str) -> bool:
    """Whether a chat of this name (its file's, without ending) is there and begins otherwise.

    A chat that was renamed leaves none behind, one that came from another computer never had one,
    and a copy begins like what it was copied from. Blocking; for a worker thread.
    """
    ours = [line.content_hash for line in snapshot.lines[:COMPARED]]
    for path in _chats_named(snapshot.path, name):
        theirs = _beginning(path)
        alike = min(len(ours), len(theirs))
        if alike < min(2, len(ours)) or ours[:alike] != theirs[:alike]:
            return True
    return False


def _chats_named(path: Path, name: str) -> Iterator[Path]:
    """Chats of this name of all characters and groups, but not the chat itself."""
    file_name = f"{name}.jsonl"
    if Path(file_name).name != file_name or "\\" in name:
        return  # no file is called so
    folder = path.parent
    user = folder.parent.parent if folder.parent.name == "chats" else folder.parent
    folders = [folder, user / "group chats", *_folders_in(user / "chats")]
    for place in dict.fromkeys(folders):
        found = place / file_name
        if found != path and found.is_file():
            yield found


def _folders_in(folder: Path) -> list[Path]:
    try:
        return [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _beginning(path: Path) -> list[str]:
    """Content hashes of a chat's first messages; none where they cannot be read."""
    decoder, found = LineDecoder(), list[str]()
    try:
        with path.open("rb") as file:
            for line in islice(iter(lambda: file.readline(LONGEST_LINE), b""), COMPARED + 1):
                value, _ = load_json(line)
                if not is_header(value):
                    found.append(decoder.decode(line)[0].content_hash)
    except (OSError, UnreadableLine):
        return []
    return found[:COMPARED]
