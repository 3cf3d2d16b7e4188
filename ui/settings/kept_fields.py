"""What was typed for each kind of backend, which stays while another one is looked at."""

from __future__ import annotations

from ui.controls.fields import Field


class KeptFields:
    """Fields that several kinds share, each with words of its own in them."""

    def __init__(self, kind: str, *fields: Field) -> None:
        self._kind = kind
        self._fields = fields
        self._typed: dict[str, tuple[str, ...]] = {}

    def turn_to(self, kind: str) -> None:
        """Keep what stands in the fields for the kind so far, show what was typed for this one."""
        if kind == self._kind:
            return
        self._typed[self._kind] = tuple(field.text() for field in self._fields)
        self._kind = kind  # first: who hears that a field changed may ask for this again
        typed = self._typed.get(kind, ("",) * len(self._fields))
        for field, text in zip(self._fields, typed, strict=True):
            field.setText(text)
