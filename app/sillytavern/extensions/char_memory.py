"""What the extension CharMemory keeps in SillyTavern's Data Bank; read, never written.

Shapes, from its public code (version 2): a text file of the character's, named
`NAME-memories.md` (for one chat `NAME-chatTITLE-memories.md`, or as its setting `fileName` says),
which `extension_settings.character_attachments[card file]` lists as `{name, url}`; the file lies
under `user/files`. In it blocks `<memory chat="TITLE" date="YYYY-MM-DD HH:MM">` of lines "- ...";
the first may be a tag "[Names — matter]". A line may begin with "[date | chat] - ".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.loose_json import Json
from app.sillytavern.json_file import load_object

LARGEST_FILE = 8_000_000  # bytes
MOST_FILES = 20
MOST_LINES = 5_000  # that are taken of all files together
_DEFAULT_NAME = "char-memories.md"
_ENDING = "-memories.md"
_OPENING = re.compile(r"<memory\b([^<>]{0,2000})>", re.IGNORECASE)
_CLOSING = re.compile(r"</memory\s*>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r'\b(chat|date)="([^"]{0,1000})"')
_WITH_DATE = re.compile(r"\[[^\]]{0,300}\]\s*-\s+")
_DASHES = (" — ", " – ", " - ")
_MOST_NAMES, _LONGEST_NAME, _LONGEST_TAG = 12, 60, 600


@dataclass(frozen=True, slots=True)
class RememberedLine:
    """One line. chat: title of the chat it is from, "" unknown. names: whom its block is about.
    created: seconds since the epoch, 0 unknown.
    """

    text: str
    chat: str = ""
    names: tuple[str, ...] = ()
    created: float = 0.0


def find_char_memory(user_folder: Path, card: str, title: str) -> tuple[RememberedLine, ...]:
    """What it remembers of a character. Blocks.

    card: its card file. title: of the chat that is open; files of its other chats are not read.
    """
    held = loose.object_at(load_object(user_folder / "settings.json"), "extension_settings")
    files = loose.sequence(loose.object_at(held, "character_attachments").get(card))
    own_name = loose.text(loose.object_at(held, "charMemory").get("fileName"))
    lines: dict[str, RememberedLine] = {}
    for name in file_names(loose.objects(files), own_name, title):
        for line in lines_of(_read(user_folder / "user" / "files" / name)):
            lines.setdefault(line.text, line)
            if len(lines) >= MOST_LINES:
                return tuple(lines.values())
    return tuple(lines.values())


def file_names(attachments: Iterator[Json], own_name: str, title: str) -> tuple[str, ...]:
    """Names below `user/files` of those attachments that are memories for this chat."""
    found: dict[str, None] = {}
    for attachment in attachments:
        name = loose.text(attachment.get("name"))
        is_memories = name in {own_name, _DEFAULT_NAME} or name.endswith(_ENDING)
        of_chat = name.removesuffix(_ENDING).partition("-chat")[2]
        if not name or not is_memories or of_chat not in ("", title):
            continue
        if file := _file_of(attachment.get("url")):
            found[file] = None
    return tuple(found)[:MOST_FILES]


def lines_of(text: str) -> tuple[RememberedLine, ...]:
    """All lines of all blocks, in their order; what stands outside of blocks is none."""
    return tuple(_lines(text))


def _lines(text: str) -> Iterator[RememberedLine]:
    at = 0
    while (opening := _OPENING.search(text, at)) is not None:
        closing = _CLOSING.search(text, opening.end())
        if closing is None:
            return
        at = closing.end()
        attributes = {name: _plain(value) for name, value in _ATTRIBUTE.findall(opening[1])}
        chat = attributes.get("chat", "")
        created = _moment(attributes.get("date", ""))
        names: tuple[str, ...] = ()
        for line in text[opening.end() : closing.start()].splitlines():
            told = _told(line.strip())
            if (tagged := _tagged(told)) is not None:
                names = _names(tagged)
            elif told:
                yield RememberedLine(told, "" if chat == "unknown" else chat, names, created)


def _told(line: str) -> str:
    """What a line of a list says, "" for other lines."""
    if line.startswith("- "):
        return line[2:].strip()
    dated = _WITH_DATE.match(line)
    return line[dated.end() :].strip() if dated else ""


def _tagged(told: str) -> str | None:
    """The names in a tag "[Names — matter]", None for what is no tag."""
    if len(told) > _LONGEST_TAG or not (told.startswith("[") and told.endswith("]")):
        return None
    parts = (told[1:-1].partition(dash) for dash in _DASHES)
    return next((names for names, dash, _ in parts if dash and names.strip()), None)


def _names(listed: str) -> tuple[str, ...]:
    parts = (" ".join(part.split()) for part in listed.split(","))
    names = dict.fromkeys(part for part in parts if 0 < len(part) <= _LONGEST_NAME)
    return tuple(names)[:_MOST_NAMES]


def _plain(attribute: str) -> str:
    return attribute.replace("&quot;", '"').replace("&amp;", "&").strip()


def _moment(text: str) -> float:
    """The extension writes the machine's own time, without saying which: taken as UTC."""
    try:
        return max(0.0, datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=UTC).timestamp())
    except (ValueError, OverflowError):
        return 0.0


def _file_of(url: Any) -> str:
    """The file that an address of SillyTavern's leads to, "" for one that is elsewhere."""
    try:
        path = PurePosixPath(unquote(urlsplit(loose.text(url)).path))
    except ValueError:
        return ""
    name = path.name
    is_plain = name not in ("", ".", "..") and not any(
        sign in '\\:*?"<>|' or not sign.isprintable() for sign in name
    )
    return name if path.parts == ("/", "user", "files", name) and is_plain else ""


def _read(path: Path) -> str:
    """The text of a file, "" where it cannot be read or is absurdly large."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST_FILE + 1)
    except OSError:
        return ""
    return "" if len(raw) > LARGEST_FILE else raw.decode("utf-8", "replace")
