"""Finds a short name for a scene in its own words: a place, a thing that it is about, a time."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from app.story.name_ends import name_ended
from app.story.scene_cues.company import company
from app.story.scene_cues.language import LanguagePack, spans_of, tokens_of
from app.story.scene_cues.narration import Voice
from app.story.scene_cues.reading import STEM, VETO, Reading, Sentence
from app.story.scene_cues.topics import OFTEN, ONCE, SELDOM, topics

LONGEST_NAME = 50
_SCENE_START = 6  # messages of a scene that name it: later ones would tell how it ends
_SETTING = 2  # its first ones, which say where it is
_SETTING_WEIGHT = 1.7
_SETTING_WORDS = 60  # of a piece of narration, which say where it is by naming it once
_PARTS = 3  # of a name without a time: the second and third find what the first does not
_ROOM = 40  # characters of a name that has several
_LONGEST_PART = 600  # characters of one piece of narration
_LEAST = 2.0  # what a candidate must score
_SIMILE = 6  # words behind a simile that belong to it
_MODIFIERS = 3  # words between an article and its noun
_DENIED = 5  # words behind a "no" that it denies
_SPOKEN_OF = 14  # words behind one of speaking that it may be about
_MENTIONED = frozenset({"mention", *VETO})  # what a sentence only speaks of is nowhere near
_WHEN = ("jump", "date")
_LATE = 2  # words before a time that still opens its sentence
_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[.!?…:;,\n]")
_ENDS = frozenset(".!?…\n")
_POSSESSIVE = re.compile(r"['’]s$")
_PLACE_END = re.compile(r"[,(|]")
_JOINTS = frozenset({"of", "the", "de", "la", "du", "des", "del", "von", "der", "zum", "am", "di"})


def scene_name(
    scene: Sequence[Reading],
    before: Sequence[Reading],
    pack: LanguagePack | None,
    people: frozenset[str],
) -> str:
    """A name of at most LONGEST_NAME characters, "" without a good candidate.

    before: what was read before the scene; what was named there already is no name of this one.
    people: casefolded words of names that are no places.
    """
    for reading in scene:
        if place := _header_place(reading):
            is_known = any(_header_place(other) == place for other in before)
            least = SELDOM if is_known else OFTEN
            about = ""
            if pack is not None:
                about = _about(scene, pack, people, place, _Known(before), least=least)
            return _joined(place, about)
    if scene and scene[0].title:
        return _tidy(scene[0].title)
    if pack is None or not scene:
        return ""
    when = _time(scene[0], pack)
    where = _where(scene, before, pack, people, is_dated=bool(when))
    return _joined(where, _within(when, pack)) if where else when


def _header_place(reading: Reading) -> str:
    text = reading.header.place_text if reading.header else ""
    return _tidy(_PLACE_END.split(text)[0]) if text else ""


def _joined(name: str, more: str) -> str:
    """A name with what says more, where both have room."""
    has_room = len(name) + len(more) + 2 <= LONGEST_NAME
    return f"{name}, {more}" if more and has_room else name


def _within(when: str, pack: LanguagePack) -> str:
    """A time as it is written within a name: only the words that always have one keep a capital."""
    first = next(iter(tokens_of(when)), "")
    if pack.capital_nouns:
        numbers = pack.classes.get("number", frozenset())
        is_small = first in pack.articles or first in pack.stopwords or first in numbers
    else:
        is_small = not any(
            first in pack.classes.get(name, frozenset()) for name in ("month", "weekday", "feast")
        )
    return when[:1].lower() + when[1:] if is_small else when


def _about(
    scene: Sequence[Reading],
    pack: LanguagePack,
    apart: frozenset[str],
    name: str,
    known: _Known,
    *,
    least: int,
) -> str:
    """The things that a scene is about, as far as they have room behind a name.

    apart: casefolded words that are no things. least: times that a thing is named; where OFTEN,
    one is enough.
    """
    numbers = pack.classes.get("number", frozenset())
    no_things = apart | pack.titles | _calendar(pack) | pack.vague | numbers | set(tokens_of(name))
    found = topics(scene, pack, no_things, known.usual, least=least)
    most = _PARTS - bool(name) - (bool(name) and least == OFTEN)
    taken = list[str]()
    length = len(name)
    for thing in found:
        if len(taken) < most and length + len(thing) + 2 <= _ROOM:
            taken.append(thing)
            length += len(thing) + 2
    return ", ".join(taken)


def _where(
    scene: Sequence[Reading],
    before: Sequence[Reading],
    pack: LanguagePack,
    people: frozenset[str],
    *,
    is_dated: bool,
) -> str:
    """The place of a scene, or who is in it, with what it is about; "" for nothing.

    is_dated: its time finds it, too, so that things named but once are not needed.
    """
    known = _Known(before)
    texts = [
        [_TOKEN.findall(text) for text in _told([reading])] for reading in scene[:_SCENE_START]
    ]
    strangers = people | pack.titles | _people([w for of in texts for w in of], pack)
    strangers |= _calendar(pack)
    best, is_found = _named_place(texts, pack, strangers, known)
    place = best if is_found and best.casefold() not in pack.place_kinds else ""
    name = _tidy(place or _place(scene[0], pack, known) or (best if is_found else ""))
    least = SELDOM if " " in name or is_dated else ONCE
    if not name:
        apart = people | pack.titles | _calendar(pack)
        name = company(scene, pack, apart, known.usual)
    about = _about(scene, pack, people | strangers, name, known, least=least)
    return _joined(name, about) if name else _tidy(about)


def _named_place(
    texts: Sequence[Sequence[list[str]]],
    pack: LanguagePack,
    strangers: frozenset[str],
    known: _Known,
) -> tuple[str, bool]:
    """The name that is most likely the scene's place, and whether it is likely enough.

    texts: words of what each of the first messages narrates. A place that is named but once is
    where the scene plays only if its setting says so: further on it is spoken of.
    """
    scores: defaultdict[str, float] = defaultdict(float)
    times, of_setting = Counter[str](), set[str]()
    for number, pieces in enumerate(texts):
        is_setting = number < _SETTING
        for words in pieces:
            for name, score, at in _candidates(words, pack, strangers, known):
                scores[name] += score * (_SETTING_WEIGHT if is_setting else 1.0)
                times[name] += 1
                if is_setting and at < _SETTING_WORDS:
                    of_setting.add(name)
    likely = [name for name in scores if times[name] > 1 or name in of_setting]
    best = max(likely, key=lambda name: (scores[name], len(name)), default="")
    return best, bool(best) and scores[best] >= _LEAST


def _place(reading: Reading, pack: LanguagePack, known: _Known) -> str:
    """The place that a scene opens in: a word for a kind of place with what says which one."""
    for sentence in reading.opening[:2]:
        if sentence.cues & _MENTIONED:
            continue
        found = list(_TOKEN.finditer(sentence.text))
        words = [match[0] for match in found]
        lower = [word.casefold() for word in words]
        for at, word in enumerate(lower):
            if word not in pack.place_kinds:
                continue
            is_compared = pack.similes.intersection(lower[max(0, at - _SIMILE) : at])
            is_elsewhere = bool(is_compared) or _is_denied(lower, at, pack)
            if not is_elsewhere and known.freshness([word]) > 0.5:
                begin = _phrase_begin(words, at, pack)
                end = _phrase_end(words, at + 1, pack)
                return sentence.text[found[begin].start() : found[end - 1].end()]
    return ""


def _phrase_begin(words: Sequence[str], at: int, pack: LanguagePack) -> int:
    """Where the words that belong to the noun at `at` begin: its name, or those behind its article.

    Without either it stands alone.
    """
    lower = [word.casefold() for word in words[:at]]
    begin = at
    while begin > max(0, at - _MODIFIERS) and words[begin - 1][0].isupper():
        begin -= 1
    if begin < at and not pack.capital_nouns and not pack.stopwords.intersection(lower[begin:]):
        return begin
    for begin in range(at, max(0, at - _MODIFIERS) - 1, -1):
        if begin > 0 and lower[begin - 1] in pack.articles:
            return begin
        if begin > 0 and (not lower[begin - 1][0].isalpha() or lower[begin - 1] in pack.stopwords):
            break
    return at


def _phrase_end(words: Sequence[str], end: int, pack: LanguagePack) -> int:
    """Where the words end that tell which one is meant: its own name, or whose it is."""
    named = _name_end(words, end)
    if named > end and not pack.capital_nouns:
        return named
    at = end
    while at < len(words) and at - end < 2 and words[at] in _JOINTS:
        at += 1
    if at == end or at >= len(words) or not words[at][0].isalpha():
        return end
    named = _name_end(words, at)
    if named > at:
        return named
    return end if words[at].casefold() in pack.stopwords else at + 1


def _is_elsewhere(lower: Sequence[str], at: int, pack: LanguagePack) -> bool:
    """Whether the sentence of a word only speaks of it, or says that it is not so."""
    begin = max(0, at - _SPOKEN_OF)
    ends = [index for index in range(begin, at) if lower[index] in _ENDS]
    words = tokens_of(" ".join(lower[ends[-1] if ends else begin : at]))
    is_mentioned = any(hit.cue == "mention" for hit in pack.find(words))
    return is_mentioned or _is_denied(lower, at, pack)


def _is_denied(lower: Sequence[str], at: int, pack: LanguagePack) -> bool:
    """Whether a word before this one, in the same clause, says that it is not so."""
    begin = max(0, at - _DENIED)
    clause = max((i for i in range(begin, at) if not lower[i][0].isalnum()), default=begin - 1)
    words = tokens_of(" ".join(lower[clause + 1 : at]))
    return any(hit.cue == "not" for hit in pack.statements.find(words))


def _time(reading: Reading, pack: LanguagePack) -> str:
    """The time that a scene begins with, in its own words."""
    if not reading.opening:
        return ""
    first = reading.opening[0]
    if first.cues & VETO or any(hit.cue == "anaphor" and hit.start == 0 for hit in first.hits):
        return ""
    spans = spans_of(first.text)
    hits = [hit for hit in first.hits if hit.cue in _WHEN and hit.start <= _LATE]
    calendar = _calendar(pack)
    hits = [
        hit
        for hit in hits
        if not _says_more(first, hit.start)
        and (not calendar or calendar.intersection(first.tokens[hit.start : hit.end]))
    ]
    best = max(hits, key=lambda hit: hit.end - hit.start, default=None)
    if best is None or best.end > len(spans):
        return ""
    return _tidy(first.text[spans[best.start][0] : spans[best.end - 1][1]])


def _says_more(sentence: Sentence, start: int) -> bool:
    """Whether something happens before the time in a sentence: then it is half of one."""
    return any(hit.cue in ("go", "react", "wake") and hit.start < start for hit in sentence.hits)


def _calendar(pack: LanguagePack) -> frozenset[str]:
    names = ("month", "weekday", "season", "daypart", "hour", "unit", "feast", "nth")
    return frozenset[str]().union(*(pack.classes.get(name, frozenset()) for name in names))


def _told(readings: Sequence[Reading]) -> Iterator[str]:
    """What is narrated, without the heads of logs."""
    for reading in readings:
        head = reading.opening[0].text if reading.log is not None and reading.opening else ""
        for span in reading.spans:
            if span.voice is Voice.NARRATION:
                text = span.text[:_LONGEST_PART]
                yield text.replace(head, " ", 1) if head else text


def _people(texts: Sequence[list[str]], pack: LanguagePack) -> frozenset[str]:
    """Capitalised words next to a verb of saying, looking or moving."""
    found = set()
    for words in texts:
        for at, word in enumerate(words):
            if not word[0].isupper() or word.casefold() in found:
                continue
            beside = words[max(0, at - 1) : at] + words[at + 1 : at + 2]
            cues = {cue for other in beside for cue in pack.cues_of(other.casefold())}
            if cues & {"react", "leave", "go"}:
                found.add(word.casefold())
    return frozenset(found)


def _candidates(
    words: Sequence[str], pack: LanguagePack, people: frozenset[str], known: _Known
) -> Iterator[tuple[str, float, int]]:
    """Names in a text with what each mention is worth, and where it stands."""
    lower = [word.casefold() for word in words]
    at = 0
    while at < len(words):
        if not words[at][0].isupper() and lower[at] not in pack.place_kinds:
            at += 1
            continue
        end = _name_end(words, at)
        is_name = end > at and not pack.capital_nouns
        is_kind = end <= at + 1 and lower[at] in pack.place_kinds
        end = max(end, at + 1)
        parts = lower[at:end]
        led = lower[max(0, at - 2) : at]
        has_article = bool(led) and led[-1] in pack.articles
        before = set(led if has_article else led[-1:])
        is_strange = any(part in people or part in pack.stopwords for part in parts)
        is_vague = len(parts) == 1 and parts[0] in pack.vague
        if not led or is_strange or is_vague or _is_elsewhere(lower, at, pack):
            pass
        elif is_name and led[-1][0].isalpha() and not _POSSESSIVE.search(words[end - 1]):
            worth = 1.0 * (end - at > 1) + 2.0 * bool(before & pack.place_words)
            yield " ".join(words[at:end]), worth * known.freshness(parts), at
        elif is_kind and not pack.similes.intersection(lower[max(0, at - _SIMILE) : at]):
            worth = 0.4 + 0.4 * has_article + 0.4 * bool(before & pack.place_words)
            yield words[at], worth * known.freshness(parts), at
        at = end


class _Known:
    """How often words were used in the messages before a scene."""

    def __init__(self, before: Sequence[Reading]) -> None:
        self._stems = [reading.stems for reading in before]
        self._counts: dict[str, int] = {}

    def freshness(self, parts: Sequence[str]) -> float:
        """1 for words that were not used, less for the others."""
        return 1 / (1 + 0.7 * sum(map(self._count, parts)) / len(parts))

    def usual(self, parts: Sequence[str]) -> float:
        """The share of the messages before that have such words."""
        return sum(map(self._count, parts)) / len(parts) / max(1, len(self._stems))

    def _count(self, word: str) -> int:
        stem = word[:STEM]
        if stem not in self._counts:
            self._counts[stem] = sum([stem in stems for stems in self._stems])
        return self._counts[stem]


def _name_end(words: Sequence[str], at: int) -> int:
    """End of the run of capitalised words from `at`, `at` itself when there is none."""
    end = at
    while end < len(words) and end - at < 5:
        if words[end][0].isupper():
            end += 1
        elif (
            end > at
            and words[end] in _JOINTS
            and end + 1 < len(words)
            and words[end + 1][0].isupper()
        ):
            end += 2
        else:
            break
    return end


def _tidy(name: str) -> str:
    name = " ".join(name.split()).strip(" *_\"'’`.,;:-–—📍🏠")
    if len(name) > LONGEST_NAME:
        name = name_ended(name[: LONGEST_NAME - 1].rsplit(" ", 1)[0], is_cut=True) + "…"
    return name[:1].upper() + name[1:]
