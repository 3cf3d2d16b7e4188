"""The chats that a group's own file lists: what it does not, SillyTavern never shows."""

from __future__ import annotations

import json
import time
from pathlib import Path

from app.core.errors import WriteRefused, reason_of
from app.core.translation import tr
from app.sillytavern.chat_file import stamp_of
from app.sillytavern.copy_mark import refuse_copy
from app.sillytavern.group_metadata import GROUP_CHATS
from app.sillytavern.guarded_write import write_file_atomically
from app.sillytavern.json_file import load_object


def listing_group(chat: Path) -> tuple[Path, str] | None:
    """File and id of the group that lists a chat, None for none. Blocks."""
    if chat.parent.name != GROUP_CHATS:
        return None
    for file in sorted((chat.parent.parent / "groups").glob("*.json")):
        group = load_object(file)
        chats = group.get("chats")
        if isinstance(chats, list) and chat.stem in chats:
            return file, str(group.get("id") or file.stem)
    return None


def list_chat(file: Path, chat: str, backups: Path) -> None:
    """Add a chat to the list in a group's file, unless it is there; blocks.

    backups: folder of what the file was before. Raises WriteRefused, also when somebody else writes
    it just now.
    """
    refuse_copy(file)
    try:
        stamp, before = stamp_of(file.stat()), file.read_bytes()
        group = json.loads(before)
        chats = group.get("chats") if isinstance(group, dict) else None
        if not isinstance(chats, list):
            raise WriteRefused(_unchanged(file, tr("it lists no chats")))
        if chat in chats:
            return
        group["chats"] = [*chats, chat]
        data = json.dumps(group, ensure_ascii=False, indent=4).encode()

        def check() -> None:
            if not stamp_of(file.stat()).is_same(stamp):
                raise WriteRefused(_unchanged(file, tr("SillyTavern has just saved it")))

        backups.mkdir(parents=True, exist_ok=True)
        moment = time.strftime("%Y%m%d-%H%M%S", time.localtime())
        write_file_atomically(backups / f"{file.stem}_{moment}{file.suffix}", before)
        write_file_atomically(file, data, check=check)
    except OSError as error:
        raise WriteRefused(_unchanged(file, reason_of(error))) from error
    except (ValueError, RecursionError) as error:
        raise WriteRefused(_unchanged(file, tr("it cannot be read"))) from error


def _unchanged(file: Path, reason: str) -> str:
    return tr(
        "{name} was not changed ({reason}). The file is as it was before.",
        name=file.name,
        reason=reason,
    )
