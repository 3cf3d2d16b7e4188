"""What a card of the review says of where a memory comes from."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from app.memory.reading.extraction import OTHER_WORDS
from app.memory.records import NO_SOURCE, Grounding, Memory, Review, Source, Tier
from app.memory.standing import Ground, Standing, Status
from tests.ui.samples import story
from ui.controls.labels import Label
from ui.memories.pane.review import READ_UP_TO, ReviewCard


@pytest.mark.parametrize(("note", "is_evidence"), [(NO_SOURCE, False), (OTHER_WORDS, True)])
def test_a_message_that_a_memory_does_not_cite_is_not_shown_as_its_proof(
    qtbot: QtBot, note: str, is_evidence: bool
) -> None:
    """It stood right beneath "It cites no message." in the form of evidence."""
    of = story(8, ())
    said = of.messages[3]
    memory = Memory(
        "m", 1, Tier.LONG_TERM, "fact", "Ada sails.",
        sources=(Source(1, said.anchor, said.content_hash),),
        grounding=Grounding.UNGROUNDED, review=Review.WAITING, notes=(note,),
    )  # fmt: skip
    card = ReviewCard(Standing(memory, Status.WAITING, 3), is_open=True)
    qtbot.addWidget(card)
    card.open_up(of, Ground.of(1, of.messages), (), can_change=True)
    words = [label.text() for label in card.findChildren(Label)]
    assert card.proof is not None  # where it was noticed
    assert (READ_UP_TO in words) is not is_evidence
