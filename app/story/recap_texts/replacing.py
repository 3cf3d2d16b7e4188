"""One wording for another, wherever recaps say it. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

LONGEST = 200  # characters of what is looked for


@dataclass(frozen=True)
class Wording:
    """find: as it stands in the texts, letter by letter. put: in its place, "" to drop it.
    is_word: not within a longer word. is_cased: not in other letters, capital or small.
    """

    find: str
    put: str
    is_word: bool = True
    is_cased: bool = True

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        flags = re.NOFLAG if self.is_cased else re.IGNORECASE
        if self.is_word:
            # \b asks for a letter at the edge of what is looked for, which there may be none.
            return re.compile(rf"(?<!\w){re.escape(self.find)}(?!\w)", flags)
        return re.compile(f"{re.escape(self.find)}", flags)

    def in_text(self, text: str) -> tuple[str, int]:
        """The text with the other wording, and how often it was there."""
        if not self.find or len(self.find) > LONGEST:
            return text, 0
        # Not as a template: what is put may hold backslashes.
        return self._pattern.subn(lambda _: self.put, text)

    def in_json(self, stored: str) -> str:
        """A recap as an extension keeps it, with the other wording in each of its texts; "" where
        it is no JSON.
        """
        try:
            value = msgspec.json.decode(stored.encode("utf-8", "surrogatepass"))
        except (msgspec.MsgspecError, ValueError, RecursionError):
            return ""
        return msgspec.json.encode(self._in_value(value)).decode()

    def _in_value(self, value: Any) -> Any:
        match value:
            case str():
                return self.in_text(value)[0]
            case list():
                return [self._in_value(item) for item in value]
            case dict():
                return {key: self._in_value(item) for key, item in value.items()}
            case _:
                return value
