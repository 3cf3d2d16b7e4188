"""The model looks for scene breaks: what it takes, how it goes, and what it found."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

from app.companion import Companion
from app.story.break_search import SearchCost
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from ui.offers.break_search import ASKS_NO_MODEL, NOTHING_LEFT, cost_sentence, found_sentence
from ui.program.main_window import MainWindow
from ui.settings.page import SettingsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]
CHOOSABLE = re.compile(r"^Message #(\d+) \[\w+\] \w+: This is message (\d+)\.", re.MULTILINE)
RECAP = json.dumps({"name": "Name", "recap": {"developments": ["Something happened."]}})


def model_that_ends_scenes_at(*places: int) -> FakeLlm:
    """A server that chooses the first of these messages that it may choose, else none."""

    def reply(request: RecordedRequest) -> str:
        if "sceneBreakAt" not in request.text:
            return RECAP
        numbers = {int(index): int(number) for number, index in CHOOSABLE.findall(request.text)}
        found = next((numbers[place] for place in places if place in numbers), False)
        return json.dumps({"sceneBreakAt": found, "rationale": "They part for the night."})

    return FakeLlm(reply)


async def opened(window: MainWindow, folder: Path) -> Path:
    """A chat without any break of its own, on the story page."""
    path = write_chat(folder / "chat.jsonl", [message(number) for number in range(40)])
    assert window.desk is not None
    await window.desk.session.open_path(path)
    window.show_page("story")
    return path


def find(window: MainWindow) -> None:
    assert window.desk is not None
    assert window.desk.story_stage is not None
    window.desk.story_stage.page.story_actions.find_breaks.trigger()


async def test_without_a_model_it_says_so_and_leads_to_the_settings(
    window: MainWindow, tmp_path: Path, until: Until
) -> None:
    await opened(window, tmp_path)
    find(window)
    notice = window.frame.notice
    await until(lambda: notice.sentence == ASKS_NO_MODEL)
    assert notice.way_on == "Choose a model"
    notice.take_up()
    assert isinstance(window.page, SettingsPage)


async def test_nothing_is_asked_before_the_user_has_seen_what_it_takes(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    with model_that_ends_scenes_at(11, 23) as llm:
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion.settings.put("scene_detector", "model")
        path = await opened(window, tmp_path)
        find(window)
        notice = window.frame.notice
        assert notice.way_on == "Find scene breaks"
        assert notice.sentence.startswith("Looking for scene breaks in ")
        assert llm.requests == []
        notice.take_up()
        await until(lambda: notice.way_on == "Show the first")
        assert notice.sentence == "The model found 2 scene breaks, after #11 and #23."
        assert window.frame.status.said == ""
        notice.take_up()
        assert window.desk is not None
        stage = window.desk.story_stage
        assert stage is not None
        assert stage.page.view.current_message() == 11
        find(window)
        await until(lambda: notice.sentence == NOTHING_LEFT)
        story = companion.story(path)
        assert story is not None
        row = stage.page.model.scene_row(stage.page.model.layout.row_of_scene(1))
        assert row is not None
        assert row.why_here == "Why here: They part for the night."
        await companion.settled(path)


async def test_answers_of_no_use_are_not_taken_for_no_more_breaks(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    """The note said that the model found no more; the status bar, that it gave no result."""
    with FakeLlm(lambda _: "The night was long, and nobody spoke.") as llm:
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion.settings.put("scene_detector", "model")
        path = await opened(window, tmp_path)
        find(window)
        notice = window.frame.notice
        notice.take_up()
        await until(lambda: notice.sentence.startswith("No scene break was found. "))
        assert "got no usable answer; the page Work says why." in notice.sentence
        await companion.settled(path)


async def test_a_closed_offer_asks_nothing(
    window: MainWindow, companion: Companion, tmp_path: Path
) -> None:
    with model_that_ends_scenes_at(11) as llm:
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion.settings.put("scene_detector", "model")
        path = await opened(window, tmp_path)
        find(window)
        window.frame.notice.close_shown()
        await companion.settled(path)
        assert llm.requests == []


def test_what_a_search_takes_is_said_whole() -> None:
    sentence = cost_sentence(SearchCost(90, 12, 60, 9_000, 1_000))
    assert sentence == (
        "Looking for scene breaks in 90 messages takes about 12 requests to the model, at most "
        "60, and about 10,000 tokens."
    )


def test_what_was_found_is_said_with_its_places() -> None:
    assert found_sentence([], 0) == "The model found no more scene breaks."
    assert found_sentence([7], 0) == "The model found 1 scene break, after #7."
    assert found_sentence([1, 2, 3, 4, 5, 6], 2) == (
        "The model found 6 scene breaks, after #1, #2, #3, #4 and 2 more. "
        "2 questions got no usable answer; the page Work says why."
    )
    assert found_sentence([], 1) == (
        "No scene break was found. 1 question got no usable answer; the page Work says why."
    )
