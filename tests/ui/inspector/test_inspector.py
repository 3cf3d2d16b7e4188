"""The pane beside the story tells of the recap that the next prompt gets, and how much of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtTest import QSignalSpy

from app.companion import Companion
from app.prompt.slots import RUNNING_RECAP_KEY, Slot, SlotSet
from app.story.recaps import injected_version
from tests.labelled import WrittenTavern
from ui.controls.labels import Label
from ui.core.chat_words import chat_words
from ui.inspector.inspector import ALL_CLOSED_STAY_OUT, Inspector
from ui.program.main_window import MainWindow
from ui.program.story_stage import StoryStage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def stage_of(window: MainWindow) -> StoryStage:
    window.show_page("story")
    assert isinstance(window.page, StoryStage)
    return window.page


def says(stage: StoryStage, words: str) -> bool:
    labels = stage.inspector.findChildren(Label)
    return any(words in label.text() and label.isVisible() for label in labels)


async def test_a_chat_that_shrank_shows_the_version_that_its_prompt_gets(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    pane = stage_of(demo_window).inspector
    await until(lambda: bool(pane.shown_text))
    before = companion.story(demo_tavern.chat)
    assert before is not None
    assert before.running.current is not None
    newest = before.running.current.content
    gone = before.places[before.running.current.last_anchor]
    lines = demo_tavern.chat.read_text("utf-8").splitlines()
    demo_tavern.chat.write_text("\n".join(lines[: gone + 1]), "utf-8")
    await companion.open_story(demo_tavern.chat)

    def is_older() -> bool:
        story = companion.story(demo_tavern.chat)
        assert story is not None
        told = injected_version(story.running, story.places)
        return told is not None and pane.shown_text == told.content != newest

    await until(is_older)
    assert pane.version_choice.currentText()


async def test_safe_mode_offers_no_edit_that_it_would_refuse(
    demo_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert demo_window.desk is not None
    for is_safe in (False, True):
        monkeypatch.setattr(Companion, "is_reading_only", is_safe)
        pane = Inspector(demo_window.desk.session, QAction("See the exact text"))
        assert pane._edit.isEnabled() is not is_safe
        assert pane.version_choice.isEnabled() is not is_safe
        pane.deleteLater()


async def test_what_the_sent_messages_tell_themselves_is_said_to_be_left_out(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    stage = stage_of(demo_window)
    await until(lambda: bool(stage.inspector.shown_text))
    assert not says(stage, "word for word tell their part themselves")
    chat = companion._chats.required(demo_tavern.chat)
    chat.context_tokens = 24_000  # as a turn says it
    assert demo_window.desk is not None
    session = demo_window.desk.session
    session.refresh()
    await until(lambda: says(stage, "word for word tell their part themselves"))
    assert session.slots.whole_recap
    assert session.slots.recap is not None
    whole = session.slots.recap.tokens  # as the pages Recaps and Prompt say it
    slot = next(s for s in session.slots.slots if s.key == RUNNING_RECAP_KEY)
    words = f"gets {slot.full_tokens:,} of its {whole:,} tokens"
    assert slot.full_tokens >= whole or says(stage, words)
    text = (await companion.slots(demo_tavern.chat)).slots[0].text
    assert session.slots.slots[0].text != text


async def test_that_the_prompt_has_no_room_for_its_budget_is_said(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    stage = stage_of(demo_window)
    await until(lambda: bool(stage.inspector.shown_text))
    words = "the prompt has room for only"
    assert not says(stage, words)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: bool(session.slots.slots))

    def squeezed(slot: Slot) -> Slot:
        return replace(slot, tokens=180, budget=200, full_tokens=600)

    slots = tuple(
        squeezed(slot) if slot.key == RUNNING_RECAP_KEY else slot for slot in session.slots.slots
    )
    session.slots_changed.emit(replace(session.slots, slots=slots))
    assert says(stage, "gets 420 tokens less of it")
    assert says(stage, f"{words} 200 of")
    told = next(one for one in stage.inspector.findChildren(Label) if words in one.text())
    assert words in told.toolTip()  # read whole also where room is scarce


async def test_what_is_explained_keeps_its_lines_whole_in_a_low_window(
    demo_window: MainWindow, until: Until
) -> None:
    pane = stage_of(demo_window).inspector
    await until(lambda: bool(pane.shown_text))
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: bool(session.slots.slots))
    slots = tuple(
        replace(slot, tokens=180, budget=200, full_tokens=600)
        if slot.key == RUNNING_RECAP_KEY
        else slot
        for slot in session.slots.slots
    )
    session.slots_changed.emit(replace(session.slots, slots=slots, whole_recap=900))
    pane.setMaximumHeight(260)
    words = next(one for one in pane.findChildren(Label) if "besides the messages" in one.text())
    await until(lambda: pane.height() <= 260)
    await until(lambda: words.height() >= words.heightForWidth(words.width()))
    pane._facts.hide()
    pane._stack.setCurrentIndex(1)
    pane._empty.setText(ALL_CLOSED_STAY_OUT * 2)
    empty = pane._empty
    await until(lambda: empty.isVisible() and empty.height() >= empty.heightForWidth(empty.width()))


async def test_whoever_writes_the_recap_has_the_height_of_the_pane_for_it(
    demo_window: MainWindow, until: Until
) -> None:
    """The field was a line and a half high, over ten rows of the next prompt."""
    pane = stage_of(demo_window).inspector
    await until(lambda: bool(pane.shown_text) and pane._next.isVisible())
    pane.setMaximumHeight(400)
    await until(lambda: pane.height() <= 400)
    before = pane._text.height()
    pane._edit.click()
    await until(lambda: pane._text.height() > before + pane._next.height() // 2)
    assert pane._drop_button.width() >= pane._drop_button.sizeHint().width()
    pane._drop_button.click()
    await until(lambda: pane._text.height() == before)


async def test_what_the_next_reply_gets_is_what_its_budget_lets_through(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    """ "Gets 1,042 of its 1,458 tokens" stood over 997 that it got."""
    stage = stage_of(demo_window)
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: bool(session.slots.slots))
    budget = int(companion.setting("running_recap_budget", path=session.path).value)

    def cut(slot: Slot) -> Slot:
        return replace(slot, tokens=budget - 3, budget=budget, full_tokens=budget + 42)

    slots = tuple(
        cut(slot) if slot.key == RUNNING_RECAP_KEY else slot for slot in session.slots.slots
    )
    assert session.slots.recap is not None
    recap = replace(session.slots.recap, tokens=budget + 458)
    told = replace(session.slots, slots=slots, whole_recap=budget + 425, recap=recap)
    session.slots_changed.emit(told)
    assert says(stage, f"gets {budget - 3:,} of its {budget + 458:,} tokens")


async def test_beside_a_part_of_the_recap_stands_no_change_of_all_of_it(
    demo_window: MainWindow, companion: Companion, until: Until
) -> None:
    """ "174 of 597 tokens, −15 since v7": the change was that of 494 tokens."""
    pane = stage_of(demo_window).inspector
    assert demo_window.desk is not None
    session = demo_window.desk.session
    await until(lambda: bool(session.slots.slots))

    def shown(tokens: int | None) -> tuple[Slot, ...]:
        return tuple(
            replace(slot, tokens=tokens or slot.tokens, full_tokens=tokens or slot.tokens)
            if slot.key == RUNNING_RECAP_KEY
            else slot
            for slot in session.slots.slots
        )

    story = session.story
    assert story is not None
    assert story.running.current is not None
    path = story.chat.path
    count = companion.recap_texts.running_counter(path)
    whole = count(companion.recap_texts.shown(path, story.running.current.content))
    session.slots_changed.emit(replace(session.slots, slots=shown(whole), revision=8))
    await until(lambda: "since v" in pane._change.text())
    session.slots_changed.emit(replace(session.slots, slots=shown(17), revision=9))
    assert pane._change.text() == ""


def running_text(companion: Companion, path: Path) -> str:
    """The running recap that is in the prompt."""
    story = companion.story(path)
    assert story is not None
    assert story.running.current is not None
    return story.running.current.content


async def test_a_recap_has_the_headings_of_its_prompt_where_it_is_read_and_written(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    await companion.put_setting("headings_language", "de", path=path)
    await companion.edits.edit_running_recap(path, "DEVELOPMENTS\n- The key is sold.")
    pane = stage_of(demo_window).inspector
    await until(lambda: pane.shown_text == "GESCHEHENES\n- The key is sold.")
    pane._text.set_text("GESCHEHENES\n- The key is gone.")
    pane._keep()
    await until(lambda: "gone" in running_text(companion, path))
    assert running_text(companion, path) == "DEVELOPMENTS\n- The key is gone."


async def test_what_was_folded_in_while_the_recap_was_corrected_beside_the_story_stays(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    path = demo_tavern.chat
    await companion.edits.edit_running_recap(path, "Dov sold the key.\nThey wait.")
    pane = stage_of(demo_window).inspector
    await until(lambda: "They wait." in pane.shown_text)
    pane._begin_edit()
    pane._text.set_text("Dov gave the key away.\nThey wait.")
    await companion.edits.edit_running_recap(path, "Dov sold the key.\nThey wait.\nMidge sang.")
    pane._keep()
    await until(lambda: "gave" in running_text(companion, path))
    assert running_text(companion, path) == "Dov gave the key away.\nThey wait.\nMidge sang."


async def test_that_it_tells_a_scene_by_an_older_recap_is_said_with_a_way_to_the_new_one(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """It went on telling what an edit and a new recap had changed, and nothing said so."""
    path = demo_tavern.chat
    stage = stage_of(demo_window)
    pane = stage.inspector
    await until(lambda: bool(pane.shown_text))
    story = companion.story(path)
    assert story is not None
    assert story.told_otherwise == ()
    assert not pane._otherwise.isVisible()
    scene = story.scenes[1]
    assert scene.closing is not None
    await companion.edits.edit_scene_recap(path, scene.closing.anchor, "The mill is told anew.")
    await until(lambda: says(stage, "It still tells scene 2 by an older recap."))
    assert pane._otherwise.rebuild.text() == "Rebuild from scene 2"
    pane._otherwise.rebuild.click()
    await until(lambda: "The mill is told anew." in running_text(companion, path))
    await until(lambda: not pane._otherwise.isVisible())


async def test_scenes_that_it_holds_nothing_of_are_said_with_what_helps(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern, until: Until
) -> None:
    """Their beginning was called told by the running recap, which had dropped every line of it."""
    path = demo_tavern.chat
    stage = stage_of(demo_window)
    pane, session = stage.inspector, stage.page._session
    await until(lambda: bool(pane.shown_text) and bool(session.reach.codes))
    companion._chats.required(path).context_tokens = 9_000  # as a turn says it
    session.refresh()
    await until(lambda: session.reach.verbatim_from > 20)
    assert not session.reach.untold
    assert not pane._gone.isVisible()
    await companion.put_setting("running_recap_budget", 100, path=path)
    await until(lambda: len(session.reach.untold) > 0)
    first = min(session.reach.untold)
    assert says(stage, "not in it any more")
    assert pane._gone.rebuild.text() == f"Rebuild from scene {first}"
    asked = QSignalSpy(stage.page.budget_wanted)
    pane._gone.budget.click()
    assert asked.count() == 1


async def test_a_recap_has_one_size_in_whatever_language_its_prompt_is(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    """It was counted under English headings where the prompt had others."""
    path = demo_tavern.chat
    await companion.put_setting("headings_language", "de", path=path)
    await companion.edits.edit_running_recap(path, "DEVELOPMENTS\n- The key is sold.\nOPEN\n- Who?")
    story = companion.story(path)
    assert story is not None
    assert story.running.current is not None
    (running, *_) = (await companion.slots(path)).slots
    count = companion.recap_texts.running_counter(path)
    assert count(story.running.current.content) == running.full_tokens


async def test_the_title_tells_one_chat_of_a_character_from_another(
    demo_window: MainWindow, companion: Companion, demo_tavern: WrittenTavern
) -> None:
    story = companion.story(demo_tavern.chat)
    assert story is not None
    assert demo_window.windowTitle() == f"{chat_words(story.chat)} — Tavernkeep"
    assert story.chat.owner_name in demo_window.windowTitle()
    assert demo_window.windowTitle() != f"{story.chat.owner_name} — Tavernkeep"


async def test_nothing_is_said_to_be_sent_where_nothing_is(
    demo_window: MainWindow, until: Until
) -> None:
    """With Tavernkeep off for the chat "The next reply gets 238 of its tokens" stayed."""
    stage = stage_of(demo_window)
    await until(lambda: says(stage, "of 1,000 tokens"))
    assert demo_window.desk is not None
    demo_window.desk.session.slots_changed.emit(SlotSet())
    assert not says(stage, "of 1,000 tokens")
