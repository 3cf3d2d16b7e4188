"""What was typed for each kind of backend, which stays while another one is looked at."""

from __future__ import annotations

import json

from PySide6.QtCore import QObject, Signal

from ui.controls.fields import Field
from ui.controls.timers import once

REST_MS = 800  # after the last letter


class KeptFields(QObject):
    """Fields that several kinds share, each with words of its own in them. Owned by the first.

    Signals:
        changed: other words stand in them; all that was typed, as `restore` reads it.
    """

    changed = Signal(str)

    def __init__(self, kind: str, *fields: Field) -> None:
        super().__init__(fields[0])
        self._kind = kind
        self._fields = fields
        self._typed: dict[str, tuple[str, ...]] = {}
        self._told = ""
        self._rest = once(self, REST_MS, self._tell)
        for field in fields:
            field.textEdited.connect(self._rest.start)

    def turn_to(self, kind: str) -> None:
        """Keep what stands in the fields for the kind so far, show what was typed for this one."""
        if kind == self._kind:
            return
        self._keep()
        self._kind = kind  # first: who hears that a field changed may ask for this again
        self._show()
        self._tell()

    def restore(self, kept: str) -> None:
        """Take up what was typed in an earlier run, where nothing was since."""
        self._told = kept
        self._typed = _typed_in(kept, len(self._fields)) | self._typed

    def _keep(self) -> None:
        if any(typed := tuple(field.text() for field in self._fields)):
            self._typed[self._kind] = typed
        else:
            self._typed.pop(self._kind, None)

    def _show(self) -> None:
        typed = self._typed.get(self._kind, ("",) * len(self._fields))
        for field, text in zip(self._fields, typed, strict=True):
            field.setText(text)

    def _tell(self) -> None:
        self._keep()
        kept = json.dumps(self._typed, ensure_ascii=False, sort_keys=True) if self._typed else ""
        if kept != self._told:
            self._told = kept
            self.changed.emit(kept)


def _typed_in(kept: str, count: int) -> dict[str, tuple[str, ...]]:
    """By kind; nothing where somebody else has written it."""
    try:
        found = json.loads(kept) if kept else {}
    except ValueError:
        return {}
    return {
        str(kind): tuple(texts)
        for kind, texts in (found.items() if isinstance(found, dict) else ())
        if isinstance(texts, list)
        and len(texts) == count
        and all(isinstance(text, str) for text in texts)
    }
