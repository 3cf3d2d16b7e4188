"""The pages of help that come with the program: one file for each language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.core.resources import RESOURCES
from app.core.translation import ENGLISH, language

FOLDER = RESOURCES / "help"
_PAGE = re.compile(r"^## +(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class HelpPage:
    """text: Markdown, without the title."""

    title: str
    text: str

    def has(self, words: list[str]) -> bool:
        """Whether all of these words, casefolded, are in it."""
        whole = f"{self.title} {self.text}".casefold()
        return all(word in whole for word in words)


def help_pages() -> tuple[HelpPage, ...]:
    """All pages in the language in use, in English where there are none in it."""
    path = FOLDER / f"{language()}.md"
    return _pages_of(path if path.is_file() else FOLDER / f"{ENGLISH}.md")


@cache
def _pages_of(path: Path) -> tuple[HelpPage, ...]:
    parts = _PAGE.split(path.read_text(encoding="utf-8"))
    return tuple(
        HelpPage(title.strip(), text.strip())
        for title, text in zip(parts[1::2], parts[2::2], strict=True)
    )
