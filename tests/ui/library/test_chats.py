"""The list of chats: what it is filtered by, and what a chat is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QEnterEvent, QFontMetrics
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QListView

from app.story.story import ChatKind, ChatRef
from app.views.taverns import Character, Group, Tavern
from ui.core.chat_words import chat_title
from ui.library.chats import LibraryModel, alike, library_rows
from ui.library.popover import LibraryPopover, telling
from ui.program.main_window import MainWindow
from ui.shell import chat_card
from ui.shell.chat_card import initials, name_hue
from ui.theme.fonts import ui_font
from ui.theme.tokens import TIERS


def chat(owner: str, title: str, kind: ChatKind = ChatKind.SOLO) -> ChatRef:
    return ChatRef(Path(f"/{owner}/{title}.jsonl"), kind, title, owner, owner)


ALMA = tuple(chat("Alma", title) for title in ("Alma - 2026-03-06@19h30m00s000ms", "The ferry"))
CREW = (chat("Crew", "Night watch", ChatKind.GROUP),)
DEMO = chat("Harbour", "Demo")
TAVERNS = (
    Tavern(
        Path("/tavern"),
        "default-user",
        characters=(Character("Alma", "alma.png", ALMA), Character("Bare", "bare.png", ())),
        groups=(Group("Crew", "1", ("alma.png",), CREW),),
    ),
)


def test_owners_head_their_chats_and_the_demo_comes_last() -> None:
    rows = [row.text for row in library_rows(TAVERNS, DEMO)]
    assert rows == [
        "Alma",
        "6 March 2026, 19:30",
        "The ferry",
        "Crew",
        "Night watch",
        "Demo story",
        "Demo",
    ]


@pytest.mark.parametrize(
    ("needle", "titles"),
    [
        ("FERRY", ["The ferry"]),
        ("alma march", []),
        ("alma", ["6 March 2026, 19:30", "The ferry"]),
        ("night", ["Night watch"]),
        ("nowhere", []),
    ],
)
def test_a_filter_looks_at_names_and_titles(needle: str, titles: list[str]) -> None:
    rows = library_rows(TAVERNS, DEMO, needle)
    assert [row.text for row in rows if row.chat is not None] == titles


def test_a_chat_that_is_listed_is_not_offered_twice() -> None:
    rows = library_rows(TAVERNS, ALMA[1])
    assert [row.text for row in rows].count("The ferry") == 1


@pytest.mark.parametrize(
    ("title", "words"),
    [
        ("Alma - 2026-03-06@19h30m00s000ms", "6 March 2026, 19:30"),
        ("Alma - 2023-7-3 @21h 4m 9s 12ms", "3 July 2023, 21:04"),
        ("Branch #2 - 2026-03-06@19h30m00s", "Branch #2 - 6 March 2026, 19:30"),
        ("2026-13-40@19h30m00s000ms", "2026-13-40@19h30m00s000ms"),
        ("Rain at the inn", "Rain at the inn"),
        ("Alma - ", "Alma - "),
    ],
)
def test_a_title_is_said_as_people_say_it(title: str, words: str) -> None:
    assert chat_title(chat("Alma", title)) == words


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Captain Henrike Sloe", "CS"), ("alma", "A"), ("", "?"), ("*** ---", "?"), ("Ω mega", "ΩM")],
)
def test_initials_stand_for_any_name(name: str, letters: str) -> None:
    assert initials(name) == letters


def test_a_chat_keeps_its_colour_when_there_is_one_more(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("Alma", "Crew", "Harbour", "Captain Henrike Sloe")
    before = [name_hue(name) for name in names]
    monkeypatch.setattr(chat_card, "TIERS", (*TIERS, TIERS[0]))
    assert [name_hue(name) for name in names] == before


def test_headings_cannot_be_chosen(qapp: QApplication) -> None:
    model = LibraryModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal, model)
    model.show_rows(library_rows(TAVERNS, DEMO), ALMA[1].path)
    assert model.first_chat().row() == 1
    assert not model.flags(model.index(0)) & model.flags(model.index(1))


async def test_chats_under_the_pointer_stay_where_they_are(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A chat that is played rises to the top, under the press that was aimed at another."""
    assert window.desk is not None
    session = window.desk.session
    popover = LibraryPopover(session)
    monkeypatch.setattr(type(session.companion), "taverns", TAVERNS)
    popover.open_below(window)
    model = popover.findChildren(QListView)[0].model()
    assert isinstance(model, LibraryModel)
    before = [model.row(row).text for row in range(model.rowCount())]
    risen = replace(TAVERNS[0], characters=(replace(TAVERNS[0].characters[0], chats=ALMA[::-1]),))
    monkeypatch.setattr(type(session.companion), "taverns", (risen,))
    at, viewport = QPointF(5, 5), popover.findChildren(QListView)[0].viewport()
    QApplication.sendEvent(viewport, QEnterEvent(at, at, at))
    session.library_changed.emit()
    assert [model.row(row).text for row in range(model.rowCount())] == before
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))
    assert [model.row(row).text for row in range(3)] == ["Alma", "The ferry", before[1]]


def test_a_long_name_is_cut_where_it_is_like_another_one(dressed: QApplication) -> None:
    day = "6 March 2026, 19:30"
    names = (f"{day} restored 2026-11-26 21h58", f"{day} restored 2026-11-25 08h15", "The ferry")
    metrics = QFontMetrics(ui_font(12.5))
    same = alike(names)
    assert same == (len(f"{day} restored 2026-11-2"), len(f"{day} restored 2026-11-2"), 0)
    width = metrics.horizontalAdvance("6 March 20…1-26 21h58 and more")
    cut = [telling(name, n, metrics, width) for name, n in zip(names, same, strict=True)]
    assert "26 21h58" in cut[0]
    assert "25 08h15" in cut[1]
    assert cut[0].startswith("6 March")
    assert cut[2] == "The ferry"
    assert all(metrics.horizontalAdvance(one) <= width for one in cut)
