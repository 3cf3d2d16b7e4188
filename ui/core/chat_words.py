"""What a chat is called in lists."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from ui.controls.dates import moment_words

if TYPE_CHECKING:
    from app.story.story import ChatRef

# SillyTavern names a new chat after the character and the moment (spec/sillytavern.md).
_MOMENT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?\d{1,2}s(?: ?\d{1,3}ms)?", re.ASCII
)


def chat_title(chat: ChatRef) -> str:
    """The title without the owner's name before it; a moment SillyTavern wrote, as people do."""
    title = chat.title.removeprefix(f"{chat.owner_name} - ") if chat.owner_name else chat.title
    return _MOMENT.sub(_moment_words, title).strip() or chat.title


def chat_words(chat: ChatRef) -> str:
    """Whose chat, and which of theirs: what tells it from all others."""
    owner, title = chat.owner_name, chat_title(chat)
    return f"{owner}, {title}" if owner and owner != title else title


def _moment_words(found: re.Match[str]) -> str:
    year, month, day, hour, minute = map(int, found.groups())
    try:
        moment = datetime(year, month, day, hour, minute)  # noqa: DTZ001 (the machine's own time)
    except ValueError:
        return found[0]
    return moment_words(moment)
