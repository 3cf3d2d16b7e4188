"""The folder that holds the copy of another machine's SillyTavern: the one module that writes it.

It is laid out as SillyTavern's own data are, so that everything reads it as those. Nothing but what
its page sent lies in it, and every name in it was checked here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from app.core.errors import CopyRefused, reason_of
from app.core.translation import tr
from app.sillytavern.bridge.bridge_protocol import ChatIdentity
from app.sillytavern.copy_mark import MARK
from app.sillytavern.guarded_write import write_file_atomically
from app.sillytavern.remote.card_file import card_file
from app.sillytavern.remote.chat_draft import CopiedChat
from app.sillytavern.remote.page_answers import MOST_CHAT_BYTES, PageGroup, PageMember

LONGEST_NAME = 200  # bytes: there has to be room for an ending, and for a name while it is written
MOST_FILES = 5_000  # that one SillyTavern may have here, of each kind
MOST_BYTES = 8 * 1024**3  # of all that one SillyTavern may have here

_FOLDERS = ("chats", "characters", "groups", "group chats")
# What SillyTavern itself leaves out of file names, on every system.
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f-\x9f/\\:*?"<>|\ud800-\udfff]')
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_BEFORE, _BEHIND = b'{"chat_metadata":', b',"user_name":"unused","character_name":"unused"}'


def checked_name(name: str) -> str:
    """The name, where it names a file on every system and no folder. Raises CopyRefused."""
    if (
        not name.strip(". ")
        or name[0] in ". "
        or name[-1] in ". "
        or _FORBIDDEN.search(name)
        or _RESERVED.fullmatch(name)
        or len(name.encode("utf-8")) > LONGEST_NAME
    ):
        raise CopyRefused(tr("The page used a name that cannot be a file name."))
    return name


class CopyFolder:
    """Reads and writes one copy. All of it blocks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self, host: str) -> None:
        """Make the folder, empty, as SillyTavern has it, and mark it as a copy of what a page at
        `host` shows. Raises CopyRefused.
        """
        try:
            for name in _FOLDERS:
                (self.folder / name).mkdir(parents=True, exist_ok=True)
            self.folder.chmod(0o700)
            write_file_atomically(self.folder / MARK, msgspec.json.encode({"host": host}))
        except OSError as error:
            raise _unwritten(error) from error

    def path_of(self, chat: ChatIdentity) -> Path:
        """The file of a chat's copy. Raises CopyRefused for a name that is none."""
        if chat.kind == "solo":
            checked_name(chat.avatar)
            if not chat.avatar.endswith(".png"):
                raise CopyRefused(tr("The page used a name that cannot be a file name."))
        checked_name(chat.owner)
        checked_name(chat.chat)
        return chat.to_path(self.folder)

    def chat(self, chat: ChatIdentity) -> CopiedChat | None:
        """What was copied of a chat, None for nothing that is whole. Raises CopyRefused."""
        path = self.path_of(chat)
        try:
            if path.is_symlink() or path.stat().st_size > MOST_CHAT_BYTES * 2:
                return None
            header, *lines = path.read_bytes().split(b"\n")
        except OSError:
            return None
        if not (header.startswith(_BEFORE) and header.endswith(_BEHIND)):
            return None
        return CopiedChat(header[len(_BEFORE) : -len(_BEHIND)], tuple(lines))

    def write_chat(self, chat: ChatIdentity, copied: CopiedChat) -> Path:
        """Replace a chat's copy whole; gives its file. Raises CopyRefused."""
        path = self.path_of(chat)
        header = _BEFORE + copied.header + _BEHIND
        self._write(path, b"\n".join((header, *copied.lines)))
        return path

    def write_card(self, member: PageMember) -> None:
        """Keep what a character's card says. Raises CopyRefused."""
        if not checked_name(member.avatar).endswith(".png"):
            raise CopyRefused(tr("The page used a name that cannot be a file name."))
        self._write(self.folder / "characters" / member.avatar, card_file(member))

    def write_group(self, group: PageGroup, open_chat: str) -> None:
        """Keep who is in a group, and which chats are its own. Raises CopyRefused."""
        checked_name(open_chat)  # other names in the file name no file of ours
        content: Mapping[str, Any] = msgspec.to_builtins(group) | {"chat_id": open_chat}
        path = self.folder / "groups" / f"{checked_name(group.id)}.json"
        self._write(path, msgspec.json.encode(content))

    def rename_chat(self, old: ChatIdentity, new: ChatIdentity) -> None:
        """Let a copy go on under its chat's new name, if that is free. Raises CopyRefused."""
        before, after = self.path_of(old), self.path_of(new)
        try:
            if before.parent == after.parent and before.is_file() and not after.exists():
                before.rename(after)
        except OSError as error:
            raise _unwritten(error) from error

    def _write(self, path: Path, data: bytes) -> None:
        """Write below the folder, through no link, and only where something is different."""
        try:
            for folder in (self.folder, *reversed(path.relative_to(self.folder).parents[:-1])):
                place = self.folder / folder
                if place.is_symlink():
                    raise CopyRefused(tr("The folder of the copy leads somewhere else."))
                place.mkdir(exist_ok=True)
            if path.is_symlink():
                raise CopyRefused(tr("The folder of the copy leads somewhere else."))
            self._check_twins(path)
            if path.exists() and path.read_bytes() == data:
                return
            self._check_room(path, len(data))
            write_file_atomically(path, data)
        except OSError as error:
            raise _unwritten(error) from error

    def _check_twins(self, path: Path) -> None:
        """Where capitals make no name, as on Windows, two chats elsewhere must not be one file."""
        if not (self.folder / MARK.upper()).exists():
            return
        for part in (path, *path.parents):
            if part == self.folder:
                return
            for other in part.parent.iterdir() if part.parent.is_dir() else ():
                if other.name != part.name and other.name.casefold() == part.name.casefold():
                    raise CopyRefused(
                        tr(
                            "{name} and {other} would be the same file on this computer. Rename "
                            "one of them in SillyTavern.",
                            name=part.name,
                            other=other.name,
                        )
                    )

    def _check_room(self, path: Path, size: int) -> None:
        is_new, before = not path.exists(), path.stat().st_size if path.exists() else 0
        if is_new and sum(1 for _ in path.parent.iterdir()) >= MOST_FILES:
            raise CopyRefused(
                tr("The page named more chats or characters than Tavernkeep can keep.")
            )
        if size <= before:
            return
        kept = sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())
        if kept + size - before > MOST_BYTES:
            raise CopyRefused(tr("The page's chats need more room than a copy may take."))


def _unwritten(error: OSError) -> CopyRefused:
    return CopyRefused(
        tr(
            "The copy of SillyTavern's chat could not be written: {reason}.",
            reason=reason_of(error),
        )
    )
