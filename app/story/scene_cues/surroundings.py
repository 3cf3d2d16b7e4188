"""What changes from the messages before a place to those from it on: names, voices, words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from math import sqrt

from app.story.scene_cues.cohesion import Common
from app.story.scene_cues.reading import Reading

AHEAD = 4  # messages from a place on that are compared
_BEFORE = 5  # with so many before it
_KNOWN = 60  # messages that tell who belongs to the story
_SENTENCES = 3  # of an opening whose tense is told
_LONG = 400.0  # characters of a message that is rather prose than talk
_ENTRIES = 20  # messages back to the entry of a log before this one
_WIDTHS = (1, 2, 4)


def add_surroundings(
    entry: dict[str, float], readings: Sequence[Reading], common: Common, at: int
) -> None:
    """Add what the surroundings of a place tell; looks back 60 messages, ahead AHEAD.

    All of it counts in prose alone.
    """
    left, right = readings[max(0, at - _BEFORE) : at], readings[at : at + AHEAD]
    opener = readings[at]
    _add_cast(entry, readings, left, right, at)
    _add_voices(entry, left, right)
    _add_tense(entry, opener, readings[at - 1])
    _add_widths(entry, common, at, len(readings))
    entry["paragraph"] = min(opener.first_paragraph or opener.size, 800) / 400
    _add_words(entry, opener, readings[at - 1])
    entry["opens"] = opener.opens
    entry["closes"] = last_told(readings, at).closes


def last_told(readings: Sequence[Reading], at: int) -> Reading:
    """The last message before a place that can close a scene: no word out of character can."""
    return next(
        (r for r in readings[max(0, at - 3) : at][::-1] if not r.is_aside), readings[at - 1]
    )


class Style:
    """How a story that goes on is written: how long its messages are, and how many are starred."""

    def __init__(self) -> None:
        # Of all messages up to each.
        self._sizes = [0]
        self._starred = [0]

    def add(self, reading: Reading) -> None:
        """One message more."""
        self._sizes.append(self._sizes[-1] + min(reading.size, 2_000))
        self._starred.append(self._starred[-1] + reading.is_starred)

    def at(self, at: int) -> dict[str, float]:
        """What is usual in the messages up to this one."""
        since, until = max(0, at - 24), at + 1
        size = (self._sizes[until] - self._sizes[since]) / (until - since)
        starred = (self._starred[until] - self._starred[since]) / (until - since)
        return {"prose": min(1.5, size / (2 * _LONG)), "starred": starred}


def _add_cast(
    entry: dict[str, float],
    readings: Sequence[Reading],
    left: Sequence[Reading],
    right: Sequence[Reading],
    at: int,
) -> None:
    """Who was told of and is no more, and who is told of from here on."""
    here = Counter(name for reading in right for name in reading.cast)
    there = Counter(name for reading in left for name in reading.cast)
    both = sum(min(here[name], there[name]) for name in here)
    norm = sqrt(sum(n * n for n in here.values()) * sum(n * n for n in there.values()))
    dot = sum(here[name] * there[name] for name in here)
    entry["cast_alike"] = dot / norm if norm else 0.5
    entry["cast_gone"] = 1 - (both + 1) / (sum(there.values()) + 2)
    entry["cast_new"] = 1 - (both + 1) / (sum(here.values()) + 2)
    opener = readings[at]
    new = opener.names - there.keys()
    entry["cast_enters"] = min(3, len(new)) / 3
    known = readings[max(0, at - _KNOWN) : max(0, at - _BEFORE)]
    back = sum(any(name in reading.cast for reading in known) for name in new) if new else 0
    entry["cast_returns"] = min(2, back) / 2
    entry["cast_stays"] = float(bool(opener.names & readings[at - 1].cast))


def _add_voices(entry: dict[str, float], left: Sequence[Reading], right: Sequence[Reading]) -> None:
    """How much is told and how much said, on both sides."""
    before = sum(reading.told for reading in left) / max(1, len(left))
    after = sum(reading.told for reading in right) / len(right)
    entry["told_before"] = before
    entry["told_after"] = after
    entry["told_last"] = left[-1].told if left else 0.0
    entry["told_turn"] = right[0].told - (left[-1].told if left else 0.0)


def _add_tense(entry: dict[str, float], opener: Reading, before: Reading) -> None:
    """What had happened before the scene is told where it opens."""
    first = opener.opening[:_SENTENCES]
    entry["perfect"] = sum("perfect" in sentence.cues for sentence in first) / _SENTENCES
    entry["perfect0"] = float(bool(first) and "perfect" in first[0].cues)
    entry["perfect_last"] = float(any("perfect" in s.cues for s in before.closing))


def _add_words(entry: dict[str, float], opener: Reading, before: Reading) -> None:
    """What the first words of a scene say: that it goes on, or when it is."""
    entry["colon"] = float(before.ends_open)  # what follows is quoted
    if not opener.opening:
        return
    first = opener.opening[0]
    begun = {hit.cue for hit in first.hits if hit.start == 0}
    entry["goes_on"] = float("goes_on" in begun)
    entry["frame"] = float("frame" in begun)
    entry["pronoun"] = float("anaphor" in begun)
    times = {hit.start for hit in first.hits if hit.cue in ("jump", "when", "date", "lapse")}
    entry["times"] = min(3, len(times)) / 3


def add_log(entry: dict[str, float], readings: Sequence[Reading], at: int) -> None:
    """A log whose number jumps; entries that follow each other day by day are its usual step."""
    number = readings[at].log
    if number is None:
        return
    before = [r.log for r in readings[max(0, at - _ENTRIES) : at] if r.log is not None]
    if not before:
        entry["log_first"] = 1.0
        return
    steps = [abs(b - a) for a, b in pairwise(before)][-3:]
    entry["log_jump"] = float(abs(number - before[-1]) > max(steps, default=0))


def _add_widths(entry: dict[str, float], common: Common, at: int, size: int) -> None:
    """Cohesion at several widths: what so many messages before a place share with as many on."""
    rows = common.rows
    for width in _WIDTHS:
        before = range(max(0, at - width), at)
        after = range(at, min(size, at + width))
        shared = sum(rows[i][j - i] for i in before for j in after)
        own = sum(rows[i][0] for i in before) * sum(rows[j][0] for j in after)
        entry[f"shared{width}"] = shared / sqrt(own) if own > 0 else 0.0
