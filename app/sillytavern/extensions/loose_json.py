"""Reads values out of JSON that anybody may have written: what has the wrong shape is as good as
not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

Json = Mapping[str, Any]

MOST_ENTRIES = 20_000  # of one list; a file that holds more is broken
LATEST = 250_000_000_000_000  # milliseconds since the epoch; calendars end in the year 9999


def list_at(values: Json, name: str) -> Sequence[Any]:
    """A list that an object holds, at most MOST_ENTRIES of it."""
    return sequence(values.get(name))


def sequence(value: Any) -> Sequence[Any]:
    """A list, at most MOST_ENTRIES of it."""
    return value[:MOST_ENTRIES] if isinstance(value, list) else ()


def object_at(values: Json, name: str) -> Json:
    """An object that an object holds."""
    value = values.get(name)
    return value if isinstance(value, dict) else {}


def items_of(values: Json) -> Iterator[tuple[str, Any]]:
    """Names and values, at most MOST_ENTRIES."""
    return islice(((text(name), value) for name, value in values.items()), MOST_ENTRIES)


def objects(entries: Iterable[Any]) -> Iterator[Json]:
    """Those entries that are objects."""
    return (entry for entry in entries if isinstance(entry, dict))


def text(value: Any) -> str:
    """Without halves of signs, which no database takes."""
    return value.encode("utf-8", "replace").decode().strip() if isinstance(value, str) else ""


def strings(value: Any) -> tuple[str, ...]:
    """Those entries of a list that say something."""
    return tuple(filter(None, map(text, sequence(value))))


def is_number(value: Any) -> bool:
    """Whether it is a number that can be reckoned with."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -1e15 < value < 1e15  # also no "not a number"
    )


def whole(value: Any, default: int) -> int:
    """A whole number, cut off behind the point."""
    return int(value) if is_number(value) else default


def real(value: Any, default: float) -> float:
    """A number."""
    return float(value) if is_number(value) else default


def seconds(milliseconds: Any) -> float:
    """Since the epoch; 0 for what is no time."""
    return milliseconds / 1000 if is_number(milliseconds) and 0 < milliseconds < LATEST else 0.0
