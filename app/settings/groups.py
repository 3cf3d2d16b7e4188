"""Groups of settings: a class for each subject, whose fields are its settings.

Of the class a field is the setting itself, of a group over the values in force it is the value, of
the type that it has: `MemorySettings(chat.settings()).memory_every` is a number for whoever reads
it and for mypy.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from app.settings.setting import Setting


class Values(Protocol):
    """Settings as they hold somewhere, by name."""

    def __getitem__(self, name: str, /) -> Any: ...


class Group:
    """The settings of one subject, as they hold somewhere."""

    def __init__(self, values: Values) -> None:
        self.values = values


class Several:
    """Settings of a group that are one for each of something, and read by their names."""

    def __init__(self, settings: Iterable[Setting[Any]]) -> None:
        self.settings = tuple(settings)


def settings_of(group: type[Group]) -> tuple[Setting[Any], ...]:
    """All settings of a group, in the order in which they stand there."""
    found: list[Setting[Any]] = []
    for field in vars(group).values():
        if isinstance(field, Setting):
            found.append(field)
        elif isinstance(field, Several):
            found += field.settings
    return tuple(found)
