"""Puts what speaks for a scene break between two messages into numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import log2

import msgspec

from app.story.scene_cues.cohesion import (
    NEIGHBOURS,
    RIGHT,
    Common,
    Floats,
    depths,
    similarities,
)
from app.story.scene_cues.headers import LONG_GAP_MINUTES, minutes_between, place_changed
from app.story.scene_cues.language import Hit
from app.story.scene_cues.reading import VETO, Reading, Sentence
from app.story.scene_cues.surroundings import Style, add_log, add_surroundings, last_told

NEAR = 8  # messages that count as just said
_LONGER = 12  # and as said not long ago
_EVER = 60  # and as ever said
_SETTING = frozenset({"jump", "when", "date", "exist"})
_CLOCK = re.compile(r"\b\d{1,2}[:.h]\d{2}\b")
_STAMPED = 40  # characters at the start of an opening where a clock's time sets it
_SMALL = 60  # characters of a message that hardly sets a scene
_AWAY = 2  # words behind a time where its sentence may go on to something else
_EARLY = 3  # words before a time that opens its sentence
AHEAD = 3  # messages behind the opener that are looked at
REACH = NEIGHBOURS + RIGHT  # messages at the end of a story whose evidence what follows may change

Evidence = dict[str, float]


def gather(readings: Sequence[Reading]) -> list[Evidence]:
    """Evidence for a break before each message, one entry each; the first has none.

    Looks back at most 60 messages and ahead at most REACH.
    """
    return Gathering().of(readings)


class Gathering:
    """Gathers again and again of a story that goes on; what nothing new can change is kept.

    prose_from: usual length of a message (evidence "prose") up to which that is left out which
    counts in prose alone, since it takes long.
    """

    def __init__(self, prose_from: float = -1.0) -> None:
        self._prose_from = prose_from
        self._style = Style()
        self._table: list[Evidence] = [{}]
        self._common = Common()
        self._last_use: dict[str, int] = {}
        self._news: list[_News] = []
        self._leads: list[float] = []
        self._sizes: list[float] = []

    def of(self, readings: Sequence[Reading]) -> list[Evidence]:
        """The same as `gather`. readings: those of the last call, and more of them behind."""
        table, news = self._table, self._news
        del table[max(1, len(news) - REACH) :]
        for reading in readings[len(news) :]:
            self._common.add(reading.stems)
            self._style.add(reading)
            news.append(_news(reading, len(news), self._last_use))
            self._leads.append(log2(1 + min(reading.lead, 400) / 20))
            self._sizes.append(log2(1 + reading.size / 20))
        similar = similarities(self._common)
        deep = depths(similar)
        for at in range(len(table), len(readings)):
            entry: Evidence = {"foreign": float(not readings[at].language)}
            _add_header(entry, readings, at)
            _add_opening(entry, readings, at)
            _add_closing(entry, readings, at)
            _add_usual(entry, readings, news, self._leads, self._sizes, at)
            _add_voice(entry, readings, at)
            _add_cohesion(entry, readings, news[at].unheard, similar, deep, at)
            add_log(entry, readings, at)
            entry |= self._style.at(at)
            if entry["prose"] > self._prose_from:
                add_surroundings(entry, readings, self._common, at)
            table.append(entry)
        return table[: len(readings)]


def _add_header(entry: Evidence, readings: Sequence[Reading], at: int) -> None:
    header = readings[at].header
    if header is None:
        return
    before = next(
        (r.header for r in reversed(readings[max(0, at - 20) : at]) if r.header is not None), None
    )
    if before is None:
        entry["header_first"] = float(at > 4)
        return
    gap = minutes_between(before, header)
    if place_changed(before, header):
        entry["header_place"] = 1.0
    if gap >= LONG_GAP_MINUTES:
        entry["header_time"] = 1.0
    if not entry.keys() & {"header_place", "header_time"}:
        entry["header_same"] = 1.0


def _early(sentence: Sentence, cue: str) -> bool:
    """Whether a cue stands where a sentence sets its scene, not within a later clause."""
    return any(hit.cue == cue and hit.start <= _EARLY for hit in sentence.hits)


def _happens(sentence: Sentence, cue: str) -> bool:
    """Whether a time is narrated, not remembered, usual, planned or a moment long.

    Words that say so stand before the time or close behind it. What is part of its own phrase
    says nothing else.
    """
    times = [hit for hit in sentence.hits if hit.cue == cue]
    if not times:
        return False
    first = min(times, key=lambda hit: hit.end)
    vetoes = [
        hit.start
        for hit in sentence.hits
        if hit.cue in VETO and not any(t.start <= hit.start and hit.end <= t.end for t in times)
    ]
    return not vetoes or min(vetoes) > first.end + _AWAY


def _lapses(sentence: Sentence) -> bool:
    """Whether a sentence begins with how long it took, or with how long ago all that is."""
    begins = any(hit.cue == "lapse" and hit.start == 0 for hit in sentence.hits)
    return begins and _happens(sentence, "lapse")


def _pointing_back(sentence: Sentence) -> list[Hit]:
    """Words like "it" and "that", but for those of a phrase that sets a scene ("that evening")."""
    setting = [hit for hit in sentence.hits if hit.cue in _SETTING and hit.end - hit.start > 1]
    return [
        hit
        for hit in sentence.hits
        if hit.cue == "anaphor"
        and not any(other.start <= hit.start and hit.end <= other.end for other in setting)
    ]


def _add_opening(entry: Evidence, readings: Sequence[Reading], at: int) -> None:
    opener = readings[at]
    sentences = opener.opening
    if not sentences:
        entry["untold"] = 1.0
        return
    for number, sentence in enumerate(sentences[:3]):
        cues = sentence.cues
        place = "0" if number == 0 else "1"
        name = next((cue for cue in ("jump", "date", "when") if _happens(sentence, cue)), "")
        if number == 0 and name in ("", "when") and _lapses(sentence):
            entry["lapse"] = 1.0
        elif name:
            entry[name + ("" if _early(sentence, name) else "_late") + place] = 1.0
        if "wake" in cues:
            entry["wake"] = 1.0
        if "go" in cues:
            entry["go" + place] = 1.0
    first = sentences[0]
    if not entry.keys() & {"jump0", "date0", "when0"} and _CLOCK.search(first.text[:_STAMPED]):
        entry["when0"] = 1.0
    entry["wake0"] = float(_happens(first, "wake"))
    routes = [sum(hit.cue == "path" for hit in s.hits) for s in sentences if "go" in s.cues]
    entry["route"] = float(max(routes, default=0) >= 2)
    hits = [hit for sentence in sentences[:3] for hit in sentence.hits]
    entry["path"] = min(3, sum(hit.cue == "path" for hit in hits)) / 3
    entry["exist"] = min(3, sum(hit.cue == "exist" for hit in hits)) / 3
    if "react" in first.cues:
        entry["react0" if _early(first, "react") else "react_late0"] = 1.0
    entry["past"] = float("past" in first.cues)
    entry["back"] = float(any(s.cues & {"back", "soon"} for s in sentences[:3]))
    if len(first.tokens) <= 7 and any(_happens(first, cue) for cue in ("jump", "date", "when")):
        entry["stamp"] = 1.0
    entry["anaphor"] = float(any(hit.start == 0 for hit in _pointing_back(first)))
    entry["anaphora"] = min(3, sum(len(_pointing_back(s)) for s in sentences[:2])) / 3
    entry["named"] = float(opener.first_is_name)
    if len(first.tokens) <= 4:
        entry["short0" if first.cues & {"react", "anaphor"} else "fragment"] = 1.0
    head = [stem for stems in opener.head_stems[:2] for stem in stems]
    near = readings[at - 1].stems | (readings[at - 2].stems if at > 1 else frozenset())
    entry["link0"] = sum(stem in near for stem in head) / (len(head) + 2)


def _add_closing(entry: Evidence, readings: Sequence[Reading], at: int) -> None:
    opener = readings[at]
    before = last_told(readings, at)
    for sentence in before.closing:
        for cue in ("fade", "sleep", "leave"):
            if cue in sentence.cues:
                entry[cue] = 1.0
    if "bye" in before.last_words:
        entry["bye"] = 1.0
    entry["question"] = float(before.ends_with_question)
    entry["ends_told"] = float(before.ends_told)
    skips = [r.aside for r in readings[max(0, at - 2) : at] if "skip" in r.aside]
    if skips:
        entry["noskip" if any("noskip" in s for s in skips) else "skip"] = 1.0
    usual = readings[max(0, at - 9) : at - 1]
    ruled = sum(r.rule_at >= 0 for r in usual) > 0.4 * len(usual)  # decoration of every message
    if not ruled and (before.rule_at >= 0.4 or 0 <= opener.rule_at < 0.4):
        entry["rule"] = 1.0
    if before.turn_at >= 0.4 or 0 <= opener.turn_at < 0.4:
        entry["turn"] = 1.0
    titles = [reading.title for reading in readings[max(0, at - 20) : at] if reading.title]
    if opener.title and opener.title != "".join(titles[-1:]):
        entry["titled"] = float(sum(bool(r.title) for r in usual) <= 0.4 * len(usual))


def _add_usual(
    entry: Evidence,
    readings: Sequence[Reading],
    news: Sequence[_News],
    leads: Sequence[float],
    sizes: Sequence[float],
    at: int,
) -> None:
    opener = readings[at]
    speaker = opener.speaker
    same = [i for i in range(max(0, at - 24), at) if readings[i].speaker == speaker][-8:]
    lead = leads[at]
    usual = [leads[i] for i in same] + [2.0] * 2
    entry["lead"] = lead / 4
    entry["lead_more"] = (lead - sum(usual) / len(usual)) / 4
    before = [news[i].opening for i in same] + [0.6] * 2
    entry["novelty"] = news[at].opening
    entry["novelty_more"] = news[at].opening - sum(before) / len(before)
    whole = [news[i].whole for i in same] + [0.5] * 2
    entry["news"] = news[at].whole
    entry["news_more"] = news[at].whole - sum(whole) / len(whole)
    entry["fresh"] = min(24, news[at].count) / 24
    entry["unknown"] = news[at].unknown
    entry["unknowns"] = min(12, news[at].unknowns) / 12
    entry["new_name"] = min(2, news[at].new_names) / 2
    before = [sizes[i] for i in same]
    entry["longer"] = (sizes[at] - sum(before) / len(before)) / 4 if before else 0.0
    if opener.is_narrator:
        around = readings[max(0, at - 20) : at]
        entry["narrator"] = 1 - sum(r.is_narrator for r in around) / len(around)
    entry["scenic"] = (
        max(0.0, entry["lead_more"])
        * (1 - entry.get("react0", 0.0))
        * (1 - entry.get("anaphor", 0.0))
        * (1 - 0.5 * entry.get("named", 0.0))
    )


def _add_voice(entry: Evidence, readings: Sequence[Reading], at: int) -> None:
    """Whether the opener tells or says, and whether it is more than a few words."""
    opener = readings[at]
    entry["says"] = float(opener.starts_with_speech)
    entry["told"] = opener.told
    entry["small"] = float(opener.size < _SMALL)


def _add_cohesion(
    entry: Evidence,
    readings: Sequence[Reading],
    new: frozenset[str],
    similar: Floats,
    deep: Floats,
    at: int,
) -> None:
    usual = similar[max(1, at - 15) : at]
    entry["apart"] = float(usual.mean() - similar[at]) * 5 if len(usual) else 0.0
    entry["depth"] = float(deep[at]) * 5
    after = readings[at + 1 : at + 1 + AHEAD]
    kept = sum(any(stem in reading.stems for reading in after) for stem in new)
    entry["kept"] = min(4, kept) / 4
    entry["site"] = float(bool(readings[at].sites & new))


class _News(msgspec.Struct, frozen=True, gc=False):
    """How many words of a message were not used in the NEAR messages before it.

    opening: share in its first sentences. count: number in them. whole: share in all of it.
    unheard: those of the first sentences that were not used for a little longer. unknown: share
    in the first sentences of those that were not used at all; unknowns: their number. new_names:
    number of names in the first sentences that were not used at all.
    """

    opening: float
    count: int
    whole: float
    unheard: frozenset[str]
    unknown: float
    unknowns: int
    new_names: int


def _news(reading: Reading, at: int, last_use: dict[str, int]) -> _News:
    """Of the message `at`. last_use: which one used a word last; goes on by this one."""
    head = [stem for stems in reading.head_stems[:3] for stem in stems]
    heard = {stem for stem in reading.stems if last_use.get(stem, -99) >= at - NEAR}
    fresh = {stem: last_use.get(stem, -99) for stem in head if stem not in heard}
    count = sum(stem in fresh for stem in head)
    unknowns = sum(use < at - _EVER for use in fresh.values())
    new = len(reading.stems) - len(heard)
    news = _News(
        opening=(count + 1.8) / (len(head) + 3),
        count=len(fresh),
        whole=(new + 3) / (len(reading.stems) + 6),
        unheard=frozenset(stem for stem, use in fresh.items() if use < at - _LONGER),
        unknown=(unknowns + 1) / (len(head) + 2),
        unknowns=unknowns,
        new_names=sum(last_use.get(stem, -99) < at - _EVER for stem in reading.names),
    )
    last_use.update(dict.fromkeys(reading.stems, at))
    return news
