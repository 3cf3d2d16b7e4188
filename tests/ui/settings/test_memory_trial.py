"""The test of a model's memory shows all that it wrote, as plain text, and keeps nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from app.memory.records import Tier
from app.views.memory_trial import ORDER
from tests.fakes import FakeLlm, RecordedRequest
from ui.program.main_window import MainWindow
from ui.settings.memory_trial import MemoryTrialSection
from ui.settings.page import SettingsPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def answer(request: RecordedRequest) -> str:
    if "long-term memory" in request.text:
        return (
            "<think>Hm.</think>[fact:3:permanent:sources=1] <b>Mara</b> looks for him.\n[what] is"
        )
    return "I would rather not."


@pytest.fixture
async def section(window: MainWindow, until: Until) -> MemoryTrialSection:
    window.show_page("settings")
    page = window.page
    assert isinstance(page, SettingsPage)
    return page.memory_test


@pytest.mark.pitfall(59)
async def test_every_tier_is_shown_with_what_was_written_word_for_word(
    section: MemoryTrialSection, until: Until
) -> None:
    assert not section.start.isEnabled()  # there is no model
    with FakeLlm(answer) as llm:
        section.begin(f"openai:a-model@{llm.url}")
        assert section.stop.isVisible()
        await until(lambda: not section.is_running)
    assert [row.trial.tier for row in section.rows] == list(ORDER)
    assert "a-model gave nothing usable" in section.verdict.text()
    first = next(row for row in section.rows if row.trial.tier is Tier.LONG_TERM)
    assert "50% of its lines understood" in first.fact.text()
    assert not first.whole.isVisible()
    QTest.mouseClick(first.toggle, Qt.MouseButton.LeftButton)
    labels = first.whole.findChildren(QLabel)
    raw = next(label for label in labels if label.text().startswith("[fact"))
    assert "<b>Mara</b>" in raw.text()
    assert raw.textFormat() is Qt.TextFormat.PlainText
    told = " ".join(label.text() for label in labels)
    assert "3 characters of reasoning" in told
    assert "A good answer" in told


async def test_a_test_is_stopped_and_what_was_heard_stays(
    section: MemoryTrialSection, until: Until
) -> None:
    def slow(request: RecordedRequest) -> str:
        if "long-term memory" not in request.text:
            llm.closing.wait(20)
        return answer(request)

    with FakeLlm(slow) as llm:
        section.begin(f"openai:a-model@{llm.url}")
        await until(lambda: len(section.rows) == 1)
        QTest.mouseClick(section.stop, Qt.MouseButton.LeftButton)
        await until(lambda: not section.is_running)
        assert section.start.isVisible()
        assert "Stopped after 1 of 5" in section._words.text()
        assert len(section.rows) == 1


async def test_a_small_model_is_warned_of_where_it_is_used(
    window: MainWindow, section: MemoryTrialSection, until: Until
) -> None:
    page = window.page
    assert isinstance(page, SettingsPage)
    row = page.row("epistemic_enabled")
    assert row.note == ""
    page.put("backend", "ollama:tiny@http://127.0.0.1:9")
    await until(lambda: "often get this wrong" in row.note)
    assert section.start.isEnabled()
    page.put("canon_auto", True)
    await until(lambda: "capable ones" in page.row("canon_auto").note)
