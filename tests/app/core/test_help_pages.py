"""Help in each language tells the same pages, and names what is there."""

from __future__ import annotations

import re

import pytest

from app.core import translation
from app.core.help_pages import FOLDER, help_pages
from app.core.resources import RESOURCES


@pytest.fixture(autouse=True)
def _english_again() -> object:
    yield
    translation.use(translation.ENGLISH)


@pytest.mark.parametrize("code", [path.stem for path in sorted(FOLDER.glob("*.md"))])
def test_each_language_has_all_pages_with_all_their_rows(code: str) -> None:
    translation.use(translation.ENGLISH)
    english = help_pages()
    translation.use(code)
    told = help_pages()
    assert len(told) == len(english) > 5
    for page, other in zip(told, english, strict=True):
        assert page.title
        assert page.text.count("\n|") == other.text.count("\n|"), page.title
        assert page.text.count("\n- ") == other.text.count("\n- "), page.title


def test_the_commands_of_the_page_that_help_names_are_there() -> None:
    there = (RESOURCES / "bridge" / "commands.js").read_text(encoding="utf-8")
    named = {name for page in help_pages() for name in re.findall(r"`/(tk-[a-z]+)`", page.text)}
    assert named
    assert all(f"'{name}'" in there for name in named)


def test_words_find_pages_in_any_case() -> None:
    assert [page.title for page in help_pages() if page.has(["macro", "slot"])]
    assert not [page for page in help_pages() if page.has(["no such thing"])]
