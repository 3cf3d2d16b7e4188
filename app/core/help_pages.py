"""The pages of help that come with the program: one file for each language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.core.resources import RESOURCES
from app.core.translation import ENGLISH, language

FOLDER = RESOURCES / "help"
_PAGE = re.compile(r"^## +(.+)$", re.MULTILINE)
IN_TITLE = 100.0  # more than any text has
PAGE = 2000  # characters of a page of usual length
SHORTEST = 4  # letters of a word whose last may be another


@dataclass(frozen=True, slots=True)
class HelpPage:
    """text: Markdown, without the title."""

    title: str
    text: str

    def has(self, words: Sequence[str]) -> bool:
        """Whether all of these words, casefolded, are in it, in another form of theirs too."""
        whole = f"{self.title} {self.text}".casefold()
        return all(word in whole or bool(_forms(word).search(whole)) for word in words)

    def worth(self, words: Sequence[str]) -> float:
        """How much it is about these words, casefolded: in its title they weigh most, in its text
        by how often they stand in how much of it.
        """
        title, text = self.title.casefold(), self.text.casefold()
        called = sum(2 if word in title else bool(_forms(word).search(title)) for word in words)
        told = sum(len(_forms(word).findall(text)) for word in words)
        return IN_TITLE * called + told / (1 + len(text) / PAGE)


def _forms(word: str) -> re.Pattern[str]:
    """Words that begin as this one, whose last letter may be another: copy, copies."""
    return re.compile(rf"\b{re.escape(word[:-1] if len(word) >= SHORTEST else word)}")


def found_pages(pages: Sequence[HelpPage], words: Sequence[str]) -> list[HelpPage]:
    """Those that have all of these words, casefolded, the best first; for no words all, as they
    stand.
    """
    return sorted((p for p in pages if p.has(words)), key=lambda page: -page.worth(words))


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
