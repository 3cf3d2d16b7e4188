"""Help in each language tells the same pages, and names what is there."""

from __future__ import annotations

import re

import pytest

from app.commands.entry import command_lines
from app.core import translation
from app.core.help_pages import FOLDER, help_pages
from app.core.resources import RESOURCES
from app.prompt.placement import MACROS_BY_KEY
from app.settings.slot_table import SlotName

LANGUAGES = [path.stem for path in sorted(FOLDER.glob("*.md"))]
QUOTED = re.compile("[“„]([^“”„\\n]+)[”“]")


@pytest.fixture(autouse=True)
def _english_again() -> object:
    yield
    translation.use(translation.ENGLISH)


@pytest.mark.parametrize("code", LANGUAGES)
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


@pytest.mark.parametrize("code", LANGUAGES)
def test_help_lists_every_command_of_the_page(code: str) -> None:
    there = (RESOURCES / "bridge" / "commands.js").read_text(encoding="utf-8")
    made = set(re.findall(r"name: '([a-z-]+)'", there)) | {"tk-pair"}
    assert set(re.findall(r"`/([a-z-]+)", _whole(code))) == made


@pytest.mark.parametrize("code", LANGUAGES)
def test_help_lists_every_command_without_a_window(code: str) -> None:
    translation.use(code)
    page = help_pages()[-2].text
    listed = set(re.findall(r"^\| `([a-z-]+)", page, re.MULTILINE))
    assert listed == {name for name, _ in command_lines()}


@pytest.mark.parametrize("code", LANGUAGES)
def test_help_lists_every_macro(code: str) -> None:
    listed = re.findall(r"`\{\{(smartmemory-[a-z]+)\}\}`", _whole(code))
    made = {macro for key, macro in MACROS_BY_KEY.items() if key != SlotName.REPAIR.key}
    assert len(listed) == len(set(listed))
    assert set(listed) == made


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_help_quotes_is_what_the_window_says(code: str) -> None:
    whole = _whole(code)
    texts = getattr(translation._catalogue("de"), "_catalog")  # noqa: B009 - typed as private
    words = "\n".join(map(str, texts if code == translation.ENGLISH else texts.values()))
    pieces = [piece.strip() for name in QUOTED.findall(whole) for piece in name.split("…")]
    assert pieces
    assert [piece for piece in pieces if piece not in words] == []


def test_every_link_of_the_readme_to_the_help_leads_to_a_page() -> None:
    translation.use(translation.ENGLISH)
    readme = (RESOURCES.parent / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(resources/help/en\.md#([^)]+)\)", readme))
    pages = {re.sub(r"[^\w -]", "", page.title.lower()).replace(" ", "-") for page in help_pages()}
    assert len(linked) > 5
    assert linked <= pages


def _whole(code: str) -> str:
    translation.use(code)
    return "\n".join(page.text for page in help_pages())


def test_words_find_pages_in_any_case() -> None:
    assert [page.title for page in help_pages() if page.has(["macro", "card"])]
    assert not [page for page in help_pages() if page.has(["no such thing"])]
