"""What a memory is worth: how important, how sure, who saw it, and by whom it was made."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping

from PySide6.QtWidgets import QWidget

from app.core.translation import tr
from app.memory.records import Memory, Tier
from ui.controls.dates import time_words
from ui.controls.labels import body, meta
from ui.memories.pane.pieces import titled
from ui.memories.words import (
    IMPORTANCE_WORDS,
    confidence_title,
    confidence_words,
    importance_words,
    learned_words,
    made_words,
)


def worth_parts(memory: Memory, kept_by: Mapping[str, str]) -> Iterator[QWidget]:
    """Titles and sentences, one under the other. kept_by: who else keeps a memory, by its id."""
    word = tr(IMPORTANCE_WORDS.get(memory.importance, ""))
    yield titled(tr("Importance {importance} of 3", importance=memory.importance), word)
    yield body(importance_words(memory))
    yield titled(confidence_title(memory))
    yield body(confidence_words(memory))
    learned = learned_words(memory)
    if memory.tier is Tier.EPISTEMIC and learned:
        yield titled(tr("How they know"))
        yield body(f"{learned}.")
    if memory.witnessed_by:
        yield titled(tr("Who was there"))
        yield body(", ".join(memory.witnessed_by))
    if memory.id in kept_by:
        yield titled(tr("Lived through elsewhere"))
        yield body(
            tr(
                "Remembered by {who}; characters who were there know it in this chat too.",
                who=kept_by[memory.id],
            )
        )
    made = made_words(memory)
    if memory.created:
        made += f", {time_words(memory.created, now=time.time())}"
    yield meta(made, wraps=True)
