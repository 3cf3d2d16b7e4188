"""Finds the ends of scenes without a model, from cues in the text and shifts of its vocabulary."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from app.story.doubtful_breaks import SURE
from app.story.messages import Message
from app.story.scene_cues.evidence import REACH, Evidence, Gathering
from app.story.scene_cues.language import LanguagePack, tokens_of
from app.story.scene_cues.naming import scene_name
from app.story.scene_cues.reading import (
    RECENT,
    CommonWords,
    Reader,
    Reading,
    is_story,
)
from app.story.scene_cues.weighing import WEIGHTS, confidence, main_cue

CONTEXT = 100  # messages before `start` that are read; no evidence looks back further
SETTLES = 12  # messages from the end that a break may still depend on
_KEPT = 1_000  # messages that are kept as they were read
_REMEMBERED = 40  # messages before a scene whose names are old
_APART = 3  # messages within which only the strongest of several candidates counts
_APART_IN_PROSE = 2
_CERTAIN = 2.0  # a score that needs no such comparison beyond the minimum length
_USUAL_LENGTH = 7  # a scene shorter than this takes more evidence
_SHORT_PENALTY = 1.5
_SHORT_PENALTY_IN_PROSE = 0.5
_AWAITED = 3  # messages behind an opener that show whether its words stay
_UNSEEN_PENALTY = 1.0  # for each of them that is not written yet
_POSSIBLE = -2.0  # a score from which a place may end a scene after all


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


@dataclass(frozen=True, slots=True)
class _Candidate:
    last: int
    at: int
    score: float
    prose: float = 0.0

    @property
    def short_penalty(self) -> float:
        return _SHORT_PENALTY + self.prose * (_SHORT_PENALTY_IN_PROSE - _SHORT_PENALTY)

    @property
    def reach(self) -> int:
        """How far a stronger candidate outdoes this one, beyond the minimum length."""
        if self.score >= _CERTAIN:
            return 0
        return _APART if self.prose < 0.5 else _APART_IN_PROSE


def detect_breaks(
    messages: Sequence[Message],
    packs: Sequence[LanguagePack],
    *,
    start: int = 0,
    minimum_length: int = 3,
    settled: int | None = None,
) -> tuple[FoundBreak, ...]:
    """Find the scene breaks from `start` on, where a scene begins.

    minimum_length: of a scene, in messages of the story (notices are none). settled: how many
    messages, from the first, are final; a break stands on one of them and has a message behind it
    (None: all but the last).

    Messages that are appended change nothing further than SETTLES messages from the end, and
    running again from behind a found break finds the rest of the same breaks. Weak breaks wait
    for up to three messages behind their opener; design.md, "read-behind".
    """
    detector = Detector(packs)
    return detector.detect(messages, start=start, minimum_length=minimum_length, settled=settled)


class Detector:
    """Detects again and again in one chat: of one that went on it reads only what is new."""

    def __init__(self, packs: Sequence[LanguagePack]) -> None:
        self._packs = packs
        self._words = CommonWords(packs)
        self._forget()

    def _forget(self) -> None:
        self._read: list[Message] = []
        self._reader = Reader(self._words)
        self._readings: list[Reading] = []
        self._gathering = Gathering(WEIGHTS.prose_from)
        self._weighed: list[tuple[float, float]] = []  # score and share of prose
        self._names: dict[tuple[int, int], str] = {}  # of scenes, by their ends in the readings
        self._doubts: list[int] = []  # of the last detection

    def doubts(
        self,
        messages: Sequence[Message],
        *,
        start: int = 0,
        since: int = 0,
        minimum_length: int = 3,
    ) -> tuple[int, ...]:
        """Indexes of the last messages of scenes that may end there or not, from `since` on.

        Places that are weaker than one beside them, or nearer to the last break than a scene is
        long, are none. Of what was found, what is not sure is among them.
        """
        self.detect(messages, start=start, since=since, minimum_length=minimum_length)
        return tuple(self._doubts)

    def detect(
        self,
        messages: Sequence[Message],
        *,
        start: int = 0,
        minimum_length: int = 3,
        settled: int | None = None,
        since: int = 0,
    ) -> tuple[FoundBreak, ...]:
        """The same as `detect_breaks`.

        since: between `start` and this message there is no break, as was found before. Of a scene
        that long only the end, from CONTEXT messages before it, is read, for its name, too.
        """
        final = len(messages) - 1 if settled is None else min(settled, len(messages) - 1)
        since = max(start, since)
        story = _story_from(messages, since)
        evidence, readings, weighed = self._evidence([messages[index] for index in story])
        candidates = [
            _Candidate(story[at - 1], at, *weighed[at])
            for at in range(1, len(story))
            if not readings[at].is_aside
        ]
        scores = {candidate.at: candidate.score for candidate in candidates}
        found, names = list[FoundBreak](), self._names
        self._doubts = []
        first = bisect_left(story, start)
        for candidate in candidates:
            length = candidate.at - first
            if candidate.last >= final or candidate.last < since or length < minimum_length:
                continue
            missing = max(0, _USUAL_LENGTH - length) / _USUAL_LENGTH
            unseen = max(0, _AWAITED - (len(story) - 1 - candidate.at))
            score = candidate.score - candidate.short_penalty * missing - _UNSEEN_PENALTY * unseen
            if score <= _POSSIBLE or _is_outdone(candidate, scores, minimum_length):
                continue
            if confidence(score) < SURE:
                self._doubts.append(candidate.last)
            if score <= 0:
                continue
            cue = main_cue(evidence[candidate.at])
            name = names.get((first, candidate.at))
            if name is None:
                name = _name(readings, first, candidate.at, self._packs)
                names[first, candidate.at] = name
            found.append(FoundBreak(candidate.last, cue, confidence(score), name))
            first = candidate.at
        return tuple(found)

    def _evidence(
        self, messages: list[Message]
    ) -> tuple[list[Evidence], list[Reading], list[tuple[float, float]]]:
        """Evidence for a break before each of the messages, what each shows, and its score."""
        known = len(self._read)
        if messages[:known] != self._read:
            self._forget()
            known = 0
        self._readings += map(self._reader.read, messages[known:])
        evidence, readings = self._gathering.of(self._readings), self._readings
        del self._weighed[max(0, known - REACH) :]
        new = evidence[len(self._weighed) :]
        shares = map(WEIGHTS.share_of_prose, new)
        self._weighed += zip(WEIGHTS.weigh(new), shares, strict=True)
        weighed = self._weighed
        self._read = messages
        if len(messages) > _KEPT:
            self._forget()
        return evidence, readings, weighed


def _name(readings: Sequence[Reading], first: int, end: int, packs: Sequence[LanguagePack]) -> str:
    """A name for the scene of the readings from `first` to before `end`."""
    scene = readings[first:end]
    before = readings[max(0, first - _REMEMBERED) : first]
    pack = next((p for p in packs if scene and p.code == scene[0].language), None)
    people = {word for r in (*before[-RECENT:], *scene) for word in tokens_of(r.speaker)}
    return scene_name(scene, before, pack, frozenset(people))


def _is_outdone(candidate: _Candidate, scores: dict[int, float], minimum_length: int) -> bool:
    """Whether a neighbour is the better place for the break; of two equal ones, the first is."""
    reach = max(minimum_length - 1, candidate.reach)
    here = (candidate.score, -candidate.at)
    return any(
        (scores[at], -at) > here
        for at in range(candidate.at - reach, candidate.at + reach + 1)
        if at in scores
    )


def _story_from(messages: Sequence[Message], start: int) -> list[int]:
    """Indexes of the story's messages from `start` on, with CONTEXT of them before it."""
    # From the end: of a long chat only its newest part is looked at.
    earlier = (i for i in range(min(start, len(messages)) - 1, -1, -1) if is_story(messages[i]))
    before = list(islice(earlier, CONTEXT))[::-1]
    after = (index for index in range(start, len(messages)) if is_story(messages[index]))
    return [*before, *after]
