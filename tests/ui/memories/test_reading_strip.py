"""What the strip over the memories says of a reading that is under way, or cannot be."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from app.core.operations import Operation, OperationKind, OperationSpec, OperationStatus
from ui.memories.pane.states import EmptyState, ReadingStrip
from ui.minds.page import READ_HERE

AWAY = "No answer from http://localhost:5001. Is the model server running there?"
SPEC = OperationSpec(OperationKind.MEMORY_PASS, 1, "key", "anchor", "Memories of #0 to #9")
WAITS = Operation(1, SPEC, OperationStatus.WAITING, error=AWAY)


def test_why_a_reading_waits_stands_behind_what_waits(dressed: QApplication) -> None:
    """“…running there?: Memories of #0 to #9” was no sentence, and cut where it began to tell."""
    strip, said = ReadingStrip(), []
    for operation in (
        WAITS,
        replace(WAITS, status=OperationStatus.PENDING, error="", held=AWAY),
        replace(WAITS, status=OperationStatus.RUNNING),
        replace(WAITS, status=OperationStatus.PENDING, error=""),
    ):
        strip.show_operations((operation,), {"anchor": 3}, 9)
        said.append(strip.words.text())
    assert said == [
        f"Memories of #0 to #9: {AWAY}",
        f"Memories of #0 to #9: {AWAY}",
        "Reading now: Memories of #0 to #9",
        "Next: Memories of #0 to #9",
    ]
    strip.deleteLater()


def test_a_story_is_not_said_to_be_read_while_nobody_answers(dressed: QApplication) -> None:
    strip = ReadingStrip()
    empty, said = EmptyState(strip), []
    for operation in (WAITS, replace(WAITS, status=OperationStatus.RUNNING)):
        strip.show_operations((operation,), {"anchor": 3}, 9)
        empty.show_state(is_known=True, is_reading=True, has_model=True, is_demo=False)
        said.append(empty.title.text())
    assert said == ["Reading waits", "Reading"]
    empty.deleteLater()
    strip.deleteLater()


def test_a_page_without_texts_says_nothing_of_a_text_that_failed(dressed: QApplication) -> None:
    """ "No profile" stood over Memories and over Minds at once."""
    spec = replace(SPEC, kind=OperationKind.PROFILE)
    failed = Operation(1, spec, OperationStatus.FAILED, error="No profile.")
    for strip, is_said in ((ReadingStrip(), True), (ReadingStrip(kinds=READ_HERE), False)):
        strip.show_operations((failed,), {"anchor": 3}, 9)
        assert (not strip.isHidden()) is is_said
        strip.deleteLater()
