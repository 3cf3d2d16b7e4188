"""Reads the status headers that some characters put on every message: place, time and day."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from app.story.scene_cues.language import tokens_of

LONG_GAP_MINUTES = 45
_MINUTES_PER_DAY = 24 * 60
_LINES = 6  # headers stand in the first or last lines of a message
_LONGEST = 240  # characters of a header line
_CLOCK = re.compile(
    r"\b([01]?\d|2[0-3])\s?(?:[:.h]\s?([0-5]\d)\b(?:\s*([ap])\.?m\b)?|()([ap])\.?m\b)", re.I
)
_DATE = re.compile(r"\b\d{1,4}[./-]\d{1,2}(?:[./-]\d{1,4})?\b")
_FRAME = re.compile(r"^\s*(?:[\[(【{<`#>|╔┌🕐-🕧📅📆📍🗓⏰🌍🏠🗺]|\*\*|__)")
_PART = re.compile(r"[|•·;\n]|\s[-–—/]\s|\]\s*\[")
_KEY = re.compile(r"^\W*([^\W\d_][\w ]{0,18}?)\W*[:=]\s*(.+)$", re.DOTALL)
_MARK = re.compile(r"[\[【{|:=#📍🏠🗺🌍🏰📌🕐-🕧]")  # every header has one of them
_ASIDE = re.compile(r"\booc\b|\(\(", re.IGNORECASE)
# What a status line counts: "HP 18/20", "O2 94 %".
_GAUGE = re.compile(
    r"\W*(?:[^\W\d][^/%]{0,23}?[\s:=]+\d+\s*/\s*\d+\b(?!\s*[./-]\s*\d)"
    r"|(?:[^\W\d][^/%]{0,23}?[\s:=]+)?[+-]?\d+(?:[.,]\d+)?\s*%)"
)
_WEEKDAY = re.compile(r"\W*[^\W\d_][^\W\d_A-Z]{1,2}[.,]?\s+\d")  # "Fri 12/05" is a date
_PIN = re.compile(r"[📍🏠🗺🌍🏰📌]")


@dataclass(frozen=True, slots=True)
class Header:
    """What a header says. minutes: of the day, None when it gives no clock."""

    place: frozenset[str] = frozenset()
    day: str = ""
    minutes: int | None = None
    place_text: str = ""
    time_text: str = ""


def split_header(text: str, keys: Mapping[str, str]) -> tuple[Header | None, str]:
    """The header of a message and the text without its lines.

    keys: casefolded header word -> "place", "time" or "day". Lines of prose are never a header:
    it takes a frame of brackets or bars, or a known key, and at least one field. What a status line
    counts is taken from the text as well, but is no header.
    """
    lines = text.split("\n")
    spots = [*range(min(_LINES, len(lines))), *range(max(_LINES, len(lines) - _LINES), len(lines))]
    found: dict[str, str] = {}
    taken = set()
    for spot in spots:
        line = lines[spot]
        if not line.strip() or len(line) > _LONGEST:
            continue
        if _is_status(line, keys):
            taken.add(spot)
        elif fields := _fields(line, keys):
            taken.add(spot)
            for field, value in fields.items():
                found.setdefault(field, value)
    if not taken:
        return None, text
    rest = "\n".join(line for spot, line in enumerate(lines) if spot not in taken)
    if not found:
        return None, rest
    place = found.get("place", "")
    return Header(
        frozenset(tokens_of(place)),
        " ".join(tokens_of(found.get("day", ""))),
        _minutes(found.get("time", "")),
        place,
        " ".join(tokens_of(found.get("time", ""))),
    ), rest


def _is_status(line: str, keys: Mapping[str, str]) -> bool:
    """Whether a line counts what somebody has left: "HP 18/20 | Carrying: a lamp"."""
    if not (_FRAME.match(line) or "|" in line) or _ASIDE.search(line):
        return False
    parts = [part for part in _PART.split(line) if part and part.strip()]
    return any(_is_gauge(part) for part in parts) and not any(
        _keyed(part, keys)[0] or _minutes(part) is not None or _PIN.search(part) for part in parts
    )


def _is_gauge(part: str) -> bool:
    return _GAUGE.match(part) is not None and not _WEEKDAY.match(part)


def _keyed(part: str, keys: Mapping[str, str]) -> tuple[str, str]:
    """The field and the value of "Location: Bridge"; no field for a word that no pack knows."""
    keyed = _KEY.match(part)
    return (keys.get(" ".join(tokens_of(keyed[1])), ""), keyed[2]) if keyed else ("", "")


def _fields(line: str, keys: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    if not _MARK.search(line) or _ASIDE.search(line):
        return found
    bare: list[str] = []
    is_keyed = False
    parts = [part for part in _PART.split(line) if part and part.strip()]
    for part in parts:
        field, value = _keyed(part, keys)
        if field:
            is_keyed = True
            found.setdefault(field, value.strip(" *_`])}"))
            if field != "place" and _minutes(part) is not None:
                found.setdefault("time", value)
        elif _is_gauge(part):
            continue
        elif _PIN.search(part):
            is_keyed = True
            found.setdefault("place", part.strip(" *_`[](){}"))
        elif _minutes(part) is not None:
            found.setdefault("time", part)
            if _says_day(part, keys):
                found.setdefault("day", _CLOCK.sub(" ", part))
        elif _says_day(part, keys):
            found.setdefault("day", part)
        elif not value or not keys:  # "Mood: calm" is no place
            bare.append(part.strip(" *_`[](){}"))
    is_framed = bool(_FRAME.match(line)) or "|" in line
    if (
        not found
        or not (is_keyed or is_framed)
        or (len(tokens_of(line)) > 14 and not is_keyed and len(parts) < 2)
    ):
        return {}
    if is_framed and bare and len(bare[0]) < 60:
        found.setdefault("place", bare[0])
    return found


def _says_day(part: str, keys: Mapping[str, str]) -> bool:
    words = tokens_of(part)
    numbered = any(
        keys.get(word) == "day" and index + 1 < len(words) and words[index + 1].isdecimal()
        for index, word in enumerate(words)
    )
    return numbered or bool(_DATE.search(part))


def _minutes(text: str) -> int | None:
    clock = _CLOCK.search(text)
    if clock is None:
        return None
    hour, minute = int(clock[1]), int(clock[2] or 0)
    half = (clock[3] or clock[5] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return hour * 60 + minute


def place_changed(before: Header, after: Header) -> bool:
    """Whether both name a place, and not the same."""
    if not before.place or not after.place:
        return False
    common = len(before.place & after.place)
    return common / len(before.place | after.place) <= 0.6


def minutes_between(before: Header, after: Header) -> int:
    """Minutes that went by, a whole day when the day changed, 0 when nothing is known."""
    if before.day and after.day and before.day != after.day:
        return _MINUTES_PER_DAY
    if before.minutes is None or after.minutes is None:
        said = before.time_text and after.time_text and before.minutes is after.minutes
        return LONG_GAP_MINUTES if said and before.time_text != after.time_text else 0
    gap = (after.minutes - before.minutes) % _MINUTES_PER_DAY
    return gap if gap < _MINUTES_PER_DAY - 60 else 0  # a clock set back a little is a slip
