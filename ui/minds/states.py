"""What the page shows while nobody is known to know anything."""

from __future__ import annotations

from app.core.translation import N_, tr
from ui.memories.pane.states import EmptyState

TITLE = N_("Nobody's mind is known yet")
SENTENCE = N_(
    "Who knows, suspects, hides or is wrong about what is read from the story while it goes on. "
    "Here it becomes a map: who may hear of a secret, who told whom, and what a reply gives away."
)
READING = N_("The story is being read. People and their secrets appear here as they are found.")
NO_SECRETS = N_(
    "The story was read, and nothing was found that one knows and another does not. It appears "
    "here once somebody hides, suspects or finds out something."
)


class NoMinds(EmptyState):
    """As in memories, in words of its own."""

    def show_minds_state(
        self, *, is_reading: bool, has_model: bool, is_demo: bool, has_memories: bool
    ) -> None:
        """Say what can be done from here."""
        self.show_state(is_known=True, is_reading=is_reading, has_model=has_model, is_demo=is_demo)
        self.title.setText(tr("Reading") if is_reading else tr(TITLE))
        words = tr(READING) if is_reading else tr(NO_SECRETS) if has_memories else tr(SENTENCE)
        self.sentence.setText(words)
