"""A book as a chat: nothing of it is lost, and its marks become labels."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.scenes.books import Json, Style, chat_of
from tests.scenes.corpus import CHAPTERS, KEPT_ASIDE, TUNED

PAGE = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">
<body epub:type="{kind}"><section><h2>{title}</h2>{text}</section></body></html>"""
PACKAGE = """<package xmlns="http://www.idpf.org/2007/opf"><spine><itemref idref="imprint.xhtml"/>
<itemref idref="one.xhtml"/><itemref idref="two.xhtml"/></spine></package>"""


def paragraphs(word: str, count: int) -> str:
    return "".join(f"<p>{f'{word}{n} ' * 40}ends.</p>" for n in range(count))


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("author_title")
    text = folder / "src" / "epub" / "text"
    text.mkdir(parents=True)
    (folder / "src" / "epub" / "content.opf").write_text(PACKAGE)
    spoken = "<p>“Go,” I was saying, “to my house.”<a epub:type='noteref'>1</a></p>"
    pages = {
        "imprint": ("frontmatter", "Imprint", "<p>Not of the story.</p>"),
        "one": ("bodymatter", "I", f"{paragraphs('a', 9)}<hr/>{paragraphs('b', 7)}"),
        "two": ("bodymatter", "II", f"{spoken}{paragraphs('c', 8)}"),
    }
    for name, (kind, title, body) in pages.items():
        page = PAGE.format(kind=kind, title=title, text=body)
        (text / f"{name}.xhtml").write_text(page, encoding="utf-8")
    who = ("-c", "user.name=Test", "-c", "user.email=test@example.org")
    for command in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "book")):
        subprocess.run(["git", "-C", str(folder), *command], check=True)
    return folder


def text_of(chat: Json) -> str:
    return " ".join(entry["mes"] for entry in chat["messages"])


def test_a_book_keeps_its_words_and_loses_its_headings_and_front_matter(book: Path) -> None:
    told = text_of(chat_of(book))
    assert [word for word in "abc" if f"{word}0 " not in told] == []
    assert told.count("ends.") == 24
    assert "Not of the story" not in told
    assert "II" not in told


def test_rules_and_chapters_become_labels_and_are_left_out_of_the_text(book: Path) -> None:
    chat = chat_of(book)
    marks = chat["gold"]["scene_breaks"]
    assert [mark["cue"] for mark in marks] == ["rule", "chapter"]
    ends = [chat["messages"][mark["last_message"]]["mes"] for mark in marks]
    begins = [chat["messages"][mark["last_message"] + 1]["mes"] for mark in marks]
    assert "a8 " in ends[0]
    assert begins[0].startswith("b0 ")
    assert "b6 " in ends[1]
    assert begins[1].startswith("“Go,”")


def test_the_last_message_of_a_scene_is_no_shorter_than_others(book: Path) -> None:
    chat = chat_of(book)
    last = chat["messages"][chat["gold"]["scene_breaks"][0]["last_message"]]["mes"]
    assert len(last.split()) >= 40


def test_a_book_told_as_a_chat_speaks_to_you_between_asterisks(book: Path) -> None:
    chat = chat_of(book, Style(asterisks=True, second_person=True))
    assert "“Go,” *you were saying,* “to my house.”" in text_of(chat)


def test_what_is_kept_aside_is_of_authors_who_are_not_learned_from() -> None:
    aside, learned = ({name.split("_")[0] for name in names} for names in (KEPT_ASIDE, TUNED))
    assert len(KEPT_ASIDE) == 12
    assert not aside & (learned | {name.split("_")[0] for name in CHAPTERS})
