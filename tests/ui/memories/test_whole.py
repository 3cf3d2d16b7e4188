"""All memories at once: each deed says first what goes, is done at once, and can be undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu

from app.companion import Companion
from app.core.operations import OperationKind
from app.memory.lifecycle.contradictions import Keeps
from app.memory.lifecycle.policy import Policy
from app.memory.records import MemoryChange, Review, Tier
from app.memory.standing import Status
from tests.labelled import WrittenTavern
from ui.memories.page import MemoriesPage
from ui.memories.whole import WholeCommands
from ui.program.main_window import MainWindow
from ui.shell.command_palette import find_entries

pytestmark = pytest.mark.slow

Until = Callable[[Callable[[], bool]], Awaitable[None]]


@pytest.fixture
def whole(demo_window: MainWindow) -> WholeCommands:
    assert demo_window.desk is not None
    return demo_window.desk._whole


def counts(page: MemoriesPage, tier: Tier) -> int:
    view = page._view
    return -1 if view is None else len(view.of(tier))  # -1 while it is being read


async def test_clearing_says_what_goes_and_waits_for_a_word(
    page: MemoriesPage, whole: WholeCommands, demo_window: MainWindow, until: Until
) -> None:
    notice = demo_window.frame.notice
    before = counts(page, Tier.SESSION)
    whole.clear[Tier.SESSION].trigger()
    assert f"{before} session memories" in notice.sentence
    assert "undone" in notice.sentence
    assert counts(page, Tier.SESSION) == before
    notice.take_up()
    await until(lambda: counts(page, Tier.SESSION) == 0)
    whole.clear[Tier.SESSION].trigger()
    assert notice.sentence == ""  # there is nothing to ask about
    assert demo_window.desk is not None
    demo_window.desk.session.undo()
    await until(lambda: counts(page, Tier.SESSION) == before)


async def test_a_chat_is_forgotten_alone_or_with_all_that_is_kept(
    page: MemoriesPage,
    whole: WholeCommands,
    demo_window: MainWindow,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    notice = demo_window.frame.notice
    assert demo_window.desk is not None
    session = demo_window.desk.session
    whole.fresh.trigger()
    assert notice.sentence
    await session.open_path(demo_tavern.chat)
    assert notice.sentence == ""  # it was offered for what was shown then
    for deed, stays in ((whole.forget, True), (whole.fresh, False)):
        deed.trigger()
        assert ("long-term" in notice.sentence) is not stays
        notice.take_up()
        tier = Tier.SESSION if stays else Tier.LONG_TERM
        await until(lambda tier=tier: counts(page, tier) == 0)  # type: ignore[misc]
        assert bool(counts(page, Tier.LONG_TERM)) is stays


async def test_reading_all_again_says_first_what_it_takes_and_then_does_it(
    whole: WholeCommands,
    demo_window: MainWindow,
    companion: Companion,
    demo_tavern: WrittenTavern,
    until: Until,
) -> None:
    """A click did it, the question stood elsewhere, and nothing new was read meanwhile."""
    companion.work.pause()
    await companion.put_setting("backend", "openai:m@http://127.0.0.1:1/v1")
    chat, notice = companion._chats.required(demo_tavern.chat), demo_window.frame.notice
    known = chat.reading_state.extracted
    assert known
    whole.again.trigger()
    await until(lambda: notice.sentence.startswith("Reading this story again from its beginning"))
    assert "requests" in notice.sentence
    assert chat.reading_state.extracted == known
    notice.take_up()
    await until(
        lambda: any(op.spec.kind is OperationKind.MEMORY_PASS for op in companion.work.operations)
    )
    assert not chat.reading_state.extracted


async def test_what_may_be_kept_is_chosen_and_shown(
    page: MemoriesPage, whole: WholeCommands, until: Until
) -> None:
    assert whole.policies[Policy.FULL].isChecked()
    assert not page.paused.isVisible()
    whole.policies[Policy.READ_ONLY].trigger()
    await until(lambda: page.paused.isVisible())
    assert "nothing is added" in page.paused.words.text()
    assert whole.policies[Policy.READ_ONLY].isChecked()
    assert not page.paused.commit.isVisible()


async def test_a_pause_is_shown_and_ended_from_its_strip(
    page: MemoriesPage, whole: WholeCommands, demo_window: MainWindow, until: Until
) -> None:
    assert not whole.commit.isEnabled()
    whole.pause.trigger()
    await until(lambda: page.paused.isVisible())
    assert "nothing was played since" in page.paused.words.text()
    assert not whole.pause.isEnabled()
    assert not page.paused.discard.isVisible()  # there is nothing to leave
    QTest.mouseClick(page.paused.commit, Qt.MouseButton.LeftButton)
    await until(lambda: not page.paused.isVisible())
    whole.pause.trigger()
    await until(lambda: whole.discard.isEnabled())
    whole.discard.trigger()
    assert "stays" in demo_window.frame.notice.sentence
    demo_window.frame.notice.take_up()
    await until(lambda: whole.pause.isEnabled())


async def test_the_menu_and_the_palette_hold_the_same_deeds(
    page: MemoriesPage, whole: WholeCommands, demo_window: MainWindow
) -> None:
    menu = whole.menu(page)
    shown: list[QAction] = []
    for action in menu.actions():
        inner = action.menu()
        shown += inner.actions() if isinstance(inner, QMenu) else [action]
    names = {action.text() for action in shown if action.text()}
    assert names == {action.text() for action in whole.icons if action.isEnabled()}
    menu.deleteLater()
    assert demo_window.desk is not None
    demo_window.show_page("story")
    actions = demo_window.desk._shown_actions()
    for needle, action in (("forget chat", whole.forget), ("read-only", whole.pause)):
        assert action in [entry.action for entry in find_entries(needle, actions, None)]


async def test_a_contradiction_is_seen_and_settled(
    page: MemoriesPage, demo_window: MainWindow, until: Until
) -> None:
    assert demo_window.desk is not None
    companion, path = demo_window.desk.session.companion, demo_window.desk.session.path
    assert path is not None
    view = companion.memory(path)
    facts = [s.memory for s in view.of(Tier.LONG_TERM) if s.is_active]
    held, other = facts[0], facts[1]
    wrong = replace(
        other, contradicts=(held.id,), review=Review.WAITING, notes=("A check found it.",)
    )
    against = MemoryChange((wrong,))
    await companion._store.run(lambda: companion._store.memories.write(against))
    await companion.put_setting("context_tokens", 9000)
    await until(lambda: held.id in page._by_id and page._by_id[other.id].status is Status.WAITING)
    page.show_memory(held.id)
    (box,) = page.pane.detail.against
    assert box.other.memory.id == other.id
    QTest.mouseClick(box.buttons[Keeps.OTHER], Qt.MouseButton.LeftButton)
    await until(lambda: page._by_id[held.id].status is Status.ENDED)
    assert page._by_id[other.id].is_active
