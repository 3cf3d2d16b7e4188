"""What a chat is called in lists."""

from __future__ import annotations

import re
from datetime import datetime
from typing import TYPE_CHECKING

from app.core.translation import tr
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


def owner_words(chat: ChatRef) -> str:
    """Whose chat; those of no group stand together under a name of ours. "" for nobody."""
    is_ours = bool(chat.owner_name) and not chat.owner
    return tr(chat.owner_name) if is_ours else chat.owner_name


def chat_words(chat: ChatRef) -> str:
    """Whose chat, and which of theirs: what tells it from all others."""
    owner, title = owner_words(chat), chat_title(chat)
    return f"{owner}, {title}" if owner and owner != title else title


def _moment_words(found: re.Match[str]) -> str:
    year, month, day, hour, minute = map(int, found.groups())
    try:
        moment = datetime(year, month, day, hour, minute)  # noqa: DTZ001 (the machine's own time)
    except ValueError:
        return found[0]
    return moment_words(moment)
