"""Settings of a file or of another extension, to be looked at before they are taken over."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from app.settings.values import REGISTRY


@dataclass(frozen=True, slots=True)
class NewSettings:
    """What a file would change. values: those that differ from what holds now. unknown: how many
    this version does not know. warnings: sentences on what is to be asked before: where stories
    would be sent, that chats would be written into, that more may be spent.
    """

    values: dict[str, Any]
    unknown: int
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TheirSettings:
    """values: those that fit here, were changed there and are otherwise here. left_out: how many
    were changed there and have no counterpart, or no value that fits.
    """

    values: dict[str, Any] = field(default_factory=dict)
    left_out: int = 0

    def __bool__(self) -> bool:
        return bool(self.values)

    @property
    def labels(self) -> tuple[str, ...]:
        """What the settings are called here."""
        return tuple(REGISTRY[name].label for name in self.values)
