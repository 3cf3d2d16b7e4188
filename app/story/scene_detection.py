"""Finds the ends of scenes without a model, from cues in the text and shifts of its vocabulary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack, language_shares, tokens_of
from app.story.scene_cues.reading import Reading, Sentence, is_story, read

CONTEXT = 60  # messages before `start` that are read for comparison
_VETO = frozenset({"past", "habit", "future", "soon"})
_THRESHOLD = 0.7


@dataclass(frozen=True, slots=True)
class FoundBreak:
    """A scene break: the index of the LAST message of the scene that it closes.

    cue: time, place, cast, separator, fade, sleep or shift. confidence: 0 to 1. name: short, from
    the scene's own text, "" without a good candidate.
    """

    last: int
    cue: str
    confidence: float
    name: str = ""


def detect_breaks(
    messages: Sequence[Message],
    packs: Sequence[LanguagePack],
    *,
    start: int = 0,
    minimum_length: int = 3,
    settled: int | None = None,
) -> tuple[FoundBreak, ...]:
    """Find the scene breaks from `start` on, where a scene begins.

    settled: how many messages, from the first, are final; a break stands on one of them and has a
    message after it (None: all but the last).
    """
    limit = min(len(messages) - 1, len(messages) if settled is None else settled)
    story = [i for i in range(max(0, start - CONTEXT), len(messages)) if is_story(messages[i])]
    readings = _read_all(messages, story, packs)
    scored: list[tuple[float, str, int, int]] = []
    for at in range(1, len(story)):
        score, cue = _score(readings, at)
        if score >= _THRESHOLD:
            scored.append((score, cue, story[at - 1], at))
    found: list[FoundBreak] = []
    first = start
    for score, cue, last, at in scored:
        if last < start or last >= limit or last - first + 1 < minimum_length:
            continue
        rivals = [s for s in scored if 0 < abs(s[3] - at) < minimum_length]
        if any(r[0] > score or (r[0] == score and r[3] < at) for r in rivals):
            continue
        found.append(FoundBreak(last, cue, min(1.0, score / 2)))
        first = last + 1
    return tuple(found)


def _read_all(
    messages: Sequence[Message], story: Sequence[int], packs: Sequence[LanguagePack]
) -> list[Reading]:
    stopwords: frozenset[str] = frozenset().union(*(pack.stopwords for pack in packs))
    counts = [0] * len(packs)
    readings = []
    for index in story:
        words = tokens_of(messages[index].text[:600])
        shares = language_shares(words, packs)
        counts = [old * 0.9 + new for old, new in zip(counts, shares, strict=True)]
        pack = packs[counts.index(max(counts))] if packs else None
        readings.append(read(messages[index], pack, stopwords))
    return readings


def _clean(sentence: Sentence, cue: str) -> bool:
    return cue in sentence.cues and not (sentence.cues & _VETO)


def _score(readings: Sequence[Reading], at: int) -> tuple[float, str]:
    before, opener = readings[at - 1], readings[at]
    if opener.is_aside:
        return 0.0, ""
    weights = {"time": 0.0, "place": 0.0, "fade": 0.0, "separator": 0.0, "shift": 0.0}
    for number, sentence in enumerate(opener.opening):
        if _clean(sentence, "jump"):
            weights["time"] = max(weights["time"], (1.1, 0.7, 0.4)[number])
        if _clean(sentence, "when"):
            weights["time"] = max(weights["time"], (0.6, 0.3, 0.2)[number])
        if "wake" in sentence.cues and number < 2:
            weights["time"] = max(weights["time"], 0.7)
        if {"go", "path"} <= sentence.cues and "future" not in sentence.cues:
            weights["place"] = max(weights["place"], (0.5, 0.3, 0.2)[number])
        if "exist" in sentence.cues and not sentence.cues & {"react"}:
            weights["place"] = max(weights["place"], (0.3, 0.2, 0.1)[number])
    if before.closing:
        ending = frozenset().union(*(s.cues for s in before.closing[-2:]))
        weights["fade"] = (
            0.3 * ("fade" in ending) + 0.4 * ("sleep" in ending) + 0.3 * ("leave" in ending)
        )
    if "bye" in before.last_words:
        weights["fade"] += 0.2
    if "skip" in before.aside and "noskip" not in before.aside:
        weights["time"] += 0.6
    if opener.rule_at >= 0 and opener.rule_at < 0.34:
        weights["separator"] = 1.1
    if before.rule_at >= 0.34:
        weights["separator"] = 1.1
    window = frozenset().union(*(r.stems for r in readings[max(0, at - 8) : at]))
    fresh = [s for s in opener.head_stems if s not in window]
    novelty = len(fresh) / max(8, len(opener.head_stems))
    weights["shift"] = 0.6 * max(0.0, novelty - 0.5)
    if opener.starts_with_speech:
        weights["place"] *= 0.3
        weights["time"] *= 0.6
        weights["shift"] *= 0.3
    if opener.lead < 60:
        weights["place"] *= 0.5
    return sum(weights.values()), max(weights, key=lambda cue: weights[cue])
