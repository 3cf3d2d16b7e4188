"""Many recaps at one command: what they take is said first, and nothing is queued before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from app.companion import Companion
from app.core.operations import FINISHED, OperationKind
from app.views.asked_cost import Asked, AskedCost
from tests.chat_files import message, write_chat
from tests.fakes import MODEL, FakeLlm
from ui.offers.asked_recaps import asked_sentence
from ui.program.main_window import MainWindow
from ui.recaps.page import RecapsPage
from ui.work.page import WorkPage

Until = Callable[[Callable[[], bool]], Awaitable[None]]


def test_the_question_names_requests_tokens_and_price() -> None:
    cost = AskedCost(3_012, 1_500_000, 200_000)
    assert asked_sentence(cost) == (
        "Recapping these messages takes 3,012 requests to the model, about 1.7 million "
        "tokens. These come before everything else in the queue."
    )
    dear = asked_sentence(AskedCost(7, 7_000, 700, 1.5, of=Asked.SCENES), is_paused=True)
    assert dear.startswith("Recapping these scenes takes 7 requests to the model")
    assert "about 1.50 at your prices" in dear
    assert "paused" in dear
    unsent = asked_sentence(cost, is_unsent=True)
    assert "do not go into the prompt" in unsent
    assert "do not go" not in asked_sentence(AskedCost(7, 7, 7, of=Asked.SCENES), is_unsent=True)


async def test_all_missing_recaps_are_begun_only_at_the_users_word(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    """One press queued 3,012 requests, before all else, without a word on what they take."""
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(40)])
    assert window.desk is not None

    def queued() -> int:
        return sum(
            op.spec.kind is OperationKind.MESSAGE_RECAP and op.status not in FINISHED
            for op in companion.work.operations
        )

    with FakeLlm(lambda _request: "They talked at the quay.") as llm:
        for name, value in (
            ("scene_detector", "heuristic"),
            ("memory_auto", False),
            ("message_recaps_auto", False),
            ("message_recaps_model", False),
        ):
            companion.settings.put(name, value)
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion.work.pause()
        await window.desk.session.open_path(path)
        window.show_page("story")
        assert window.desk.story_stage is not None
        actions = window.desk.story_stage.page.story_actions
        actions.recap_missing.setEnabled(True)
        actions.recap_missing.trigger()
        notice = window.frame.notice
        await until(lambda: "requests to the model" in notice.sentence)
        assert notice.way_on == "Write the recaps"
        assert queued() == 0
        notice.take_up()
        await until(lambda: queued() > 20)
        count = queued()
        window.show_page("work")
        page = window.page
        assert isinstance(page, WorkPage)
        page.table.select_row(0)
        drop = page.commands.clear_asked
        await until(drop.isEnabled)
        assert drop.text() == f"Drop all {count} that were requested together"
        drop.trigger()
        await until(lambda: queued() == 0)
        page.commands.put_back.trigger()
        await until(lambda: queued() == count)
        await companion.edits.undo(path)
        assert queued() == 0


async def test_a_running_recap_is_made_again_only_at_the_users_word(
    window: MainWindow, companion: Companion, tmp_path: Path, until: Until
) -> None:
    """One press folded all scenes in anew, without a word on what that takes."""
    path = write_chat(tmp_path / "chat.jsonl", [message(number) for number in range(20)])
    assert window.desk is not None
    with FakeLlm(lambda _request: "They talked at the quay.") as llm:
        for name, value in (("scene_breaks_auto", False), ("memory_auto", False)):
            companion.settings.put(name, value)
        await window.desk.session.open_path(path)
        story = companion.story(path)
        assert story is not None
        for number in range(1, 20, 2):
            await companion.edits.scenes.mark(path, story.messages[number].anchor)
        await companion.finished(path)
        story = companion.story(path)
        assert story is not None
        before = len(story.running.versions)
        assert before > 6  # of which rules wrote each
        await companion.put_setting("backend", f"openai:{MODEL}@{llm.url}")
        companion.work.pause()
        window.show_page("recaps")
        page = window.page
        assert isinstance(page, RecapsPage)
        notice = window.frame.notice

        def is_retired() -> bool:
            story = companion.story(path)
            return story is not None and any(v.is_retired for v in story.running.versions)

        page.rail.redo.trigger()
        await until(lambda: "running recap from this scene on" in notice.sentence)
        assert f"takes {before - 1} requests to the model" in notice.sentence
        assert notice.way_on == "Make it again"
        assert not is_retired()
        page.rail.renew.trigger()
        await until(lambda: "Recapping these scenes takes" in notice.sentence)
        assert not is_retired()
        page.rail.redo.trigger()
        await until(lambda: "Rebuilding the running recap" in notice.sentence)
        notice.take_up()
        await until(is_retired)
