"""Offers the draft that was begun of a text, as long as it is no version and not thrown away."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.story.drafts import Draft
from ui.recaps.draft_keeper import DraftKeeper
from ui.recaps.reading import ReadingPane
from ui.recaps.version_rows import VersionModel


class DraftOffer(QObject):
    """What the pane says of a draft. model: the versions that there are."""

    def __init__(self, keeper: DraftKeeper, reading: ReadingPane, model: VersionModel) -> None:
        super().__init__(keeper)
        self._keeper, self._reading, self._model = keeper, reading, model
        keeper.found.connect(self._on_found)
        keeper.kept_changed.connect(reading.show_kept)
        reading.discard_asked.connect(self._on_discard)

    def end(self) -> None:
        """It becomes a version."""
        self._keeper.forget()
        self._reading.show_draft(None)

    def leave(self) -> None:
        """Stop writing; what was written stays as a draft, where it is not what was there."""
        row, text = self._reading.row, self._reading.text.text
        self._reading.text.set_editing(False)
        is_same = text.strip() == (row.text.strip() if row is not None else "")
        if is_same and self._keeper.is_begun:
            self._keeper.discard()
        self._keeper.flush()

    def _on_found(self, draft: Draft | None) -> None:
        texts = {row.text.strip() for row in self._model.rows if not row.is_deleted}
        if draft is not None and draft.text.strip() in texts | {""}:
            self._keeper.discard()  # it became a version before the program was killed
            draft = None
        self._reading.show_draft(draft)

    def _on_discard(self) -> None:
        self._keeper.discard()
        self._reading.show_draft(None)
