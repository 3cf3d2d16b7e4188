"""A long chat is searched for breaks in parts, and what was searched is not searched again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.languages import load_packs
from app.story.messages import Message, digest
from app.story.scene_detection import FoundBreak, detect_breaks
from app.work.chats import cue_search
from app.work.chats.cue_search import CueSearch

PACKS = load_packs()
STORIES = sorted((Path(__file__).parents[3] / "data" / "stories").glob("*.json"))


def messages_in(path: Path) -> tuple[Message, ...]:
    told = json.loads(path.read_text(encoding="utf-8"))["messages"]
    return tuple(
        Message(str(index), digest(one["mes"]), one["name"], one["mes"], one.get("is_user", False))
        for index, one in enumerate(told)
    )


def in_parts(messages: tuple[Message, ...]) -> list[FoundBreak]:
    parts = CueSearch(PACKS).parts(messages, start=0, since=0, minimum=3)
    return [found for part in parts for found in part]


@pytest.mark.parametrize("part", [40, 77])
@pytest.mark.parametrize("path", STORIES[:4], ids=lambda path: path.stem)
def test_parts_of_a_chat_give_the_breaks_of_the_whole(
    path: Path, part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cue_search, "PART", part)
    messages = messages_in(path)
    settled = messages if messages[-1].is_user else messages[:-1]
    whole = detect_breaks(settled, PACKS)
    assert whole, "a story without a break shows nothing"
    assert in_parts(messages) == list(whole)


def test_what_holds_no_more_breaks_is_not_searched_again() -> None:
    search = CueSearch(PACKS)
    messages = messages_in(STORIES[0]) * 24
    search.note(messages, 3)
    assert search.since(messages, 3) is None
    longer = (*messages, messages[0])
    since = search.since(longer, 3)
    assert since is not None
    assert len(messages) - 300 < since < len(messages)
    assert search.since(longer, 2) == 2, "a break was taken away: what lies behind it may hold more"
    assert search.since((*messages[:900], messages[0]), 3) == 3, "that little is searched whole"
    changed = (*messages[:5], messages[0], *messages[6:])
    assert search.since(changed, 3) == 3
