"""Names in a stretch of a story, without a model: by their case, their number and their company."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from app.memory.names import name_in
from app.memory.tiers.claims import Mention
from app.story.recap_texts.terms import is_capital
from app.story.scene_cues.language import LanguagePack

LEAST_MENTIONS = 3  # and in as many messages as LEAST_MESSAGES: precision comes first
LEAST_MESSAGES = 2
MOST_NAMES = 12  # new ones of one stretch
LONGEST_RUN = 4
OF_PEOPLE = frozenset({"react", "leave", "go"})  # cues of verbs that only somebody does
JOINTS = frozenset({"of", "the", "de", "la", "du", "des", "del", "von", "van", "der"})
OPENERS = frozenset('.!?…:;"“”„«»‹›(*_—–-\n「『')
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\s\w]|\n")
_OWNED = re.compile(r"['’]s$")


@dataclass(slots=True)
class _Tally:
    """What is known of one candidate. spellings: as written. numbers: of messages."""

    spellings: Counter[str] = field(default_factory=Counter)
    numbers: set[int] = field(default_factory=set)
    as_person: int = 0
    as_place: int = 0


def found_names(
    texts: Sequence[str], packs: Sequence[LanguagePack | None]
) -> tuple[tuple[Mention, tuple[int, ...]], ...]:
    """Names with the numbers (from 1) of the texts that have them, the most frequent first.

    packs: the language of each text, None where it is not known; there nothing is found, since
    one cannot tell there what is written with a capital for other reasons. A word at the beginning
    of a sentence proves nothing, and a word that is also written small is no name.
    """
    small: Counter[str] = Counter()
    tallies: defaultdict[str, _Tally] = defaultdict(_Tally)
    opening: list[tuple[int, list[str], int, int, LanguagePack]] = []
    for number, (text, pack) in enumerate(zip(texts, packs, strict=True), 1):
        if pack is None:
            continue
        words = _TOKEN.findall(text)
        small.update(word for word in words if word[0].islower())
        for begin, end, is_first in _runs(words, pack):
            if is_first:
                opening.append((number, words, begin, end, pack))
            else:
                _count(tallies, number, words, begin, end, pack)
    for number, words, begin, end, pack in opening:
        # The first word of a sentence belongs to a name that is one inside of sentences too.
        if _name(words, begin, end).casefold() not in tallies:
            begin += 1
        if begin < end:
            _count(tallies, number, words, begin, end, pack)
    found = [
        (_mention(tally), tuple(sorted(tally.numbers)), sum(tally.spellings.values()))
        for folded, tally in tallies.items()
        if _is_name(folded, tally, small)
    ]
    found.sort(key=lambda f: (-f[2], f[0].name))
    return tuple((mention, numbers) for mention, numbers, _ in found[:MOST_NAMES])


def _name(words: Sequence[str], begin: int, end: int) -> str:
    return _OWNED.sub("", " ".join(words[begin:end]))


def _count(
    tallies: defaultdict[str, _Tally],
    number: int,
    words: Sequence[str],
    begin: int,
    end: int,
    pack: LanguagePack,
) -> None:
    name = _name(words, begin, end)
    tally = tallies[name.casefold()]
    tally.spellings[name] += 1
    tally.numbers.add(number)
    tally.as_person += _is_person(words, begin, end, pack)
    tally.as_place += _is_place(words, begin, end, pack)


def _runs(words: Sequence[str], pack: LanguagePack) -> Iterator[tuple[int, int, bool]]:
    """Runs of capitalised words, each with whether it opens a sentence without a title."""
    barred = pack.stopwords | _calendar(pack)
    at = 0
    while at < len(words):
        if not is_capital(words[at]):
            at += 1
            continue
        end = at
        while end < len(words) and end - at < LONGEST_RUN:
            if is_capital(words[end]):
                end += 1
                if _OWNED.search(words[end - 1]):
                    break
            elif end + 1 < len(words) and words[end] in JOINTS and is_capital(words[end + 1]):
                end += 2
            else:
                break
        begin = at
        at = end
        is_first = begin == 0 or words[begin - 1] in OPENERS
        is_first = is_first and words[begin].casefold() not in pack.titles
        first = begin
        while begin < end and words[begin].casefold() in (barred | JOINTS):
            begin += 1
        if begin + 1 == end and words[begin].casefold() in pack.titles:
            continue  # "Captain!" is anybody's
        if begin < end and not (pack.capital_nouns and not _is_person(words, begin, end, pack)):
            yield begin, end, is_first and begin == first


def _is_name(folded: str, tally: _Tally, small: Counter[str]) -> bool:
    mentions = sum(tally.spellings.values())
    if mentions < LEAST_MENTIONS or len(tally.numbers) < LEAST_MESSAGES:
        return False
    # "Mother" is a name only where nobody speaks of a mother.
    is_also_small = any(small[word] for word in folded.split() if word not in JOINTS)
    return bool(name_in(folded)) and not (is_also_small and " " not in folded)


def _mention(tally: _Tally) -> Mention:
    name = tally.spellings.most_common(1)[0][0]
    mentions = sum(tally.spellings.values())
    if tally.as_person * 5 >= mentions and tally.as_person > tally.as_place:
        return Mention(name, "character")
    if tally.as_place * 2 >= mentions and not tally.as_person:
        return Mention(name, "place")
    return Mention(name)


def _is_person(words: Sequence[str], begin: int, end: int, pack: LanguagePack) -> bool:
    """Whether somebody of this name does something, or has a title."""
    if begin and words[begin - 1].casefold() in pack.titles:
        return True
    if words[begin].casefold() in pack.titles and end - begin > 1:
        return True
    if _OWNED.search(words[end - 1]) or (begin and words[begin - 1].casefold() in pack.articles):
        return False
    after = words[end].casefold() if end < len(words) else ""
    return bool(OF_PEOPLE.intersection(pack.cues_of(after))) if after.isalpha() else False


def _is_place(words: Sequence[str], begin: int, end: int, pack: LanguagePack) -> bool:
    """Whether it is somewhere that one can be, by its own last word."""
    if words[end - 1].casefold() in pack.place_kinds and end - begin > 1:
        return True
    before = [word.casefold() for word in words[max(0, begin - 2) : begin]]
    if before and before[-1] in pack.articles:
        before.pop()
    return bool(before) and before[-1] in STANDING and before[-1] in pack.place_words


# One may be "from" a person and go "to" one; these stand before places alone.
STANDING = frozenset(
    {"in", "inside", "into", "aboard", "dans", "dentro", "nella", "nel", "em", "na", "w", "в"}
)


def _calendar(pack: LanguagePack) -> frozenset[str]:
    names = ("month", "weekday", "season", "daypart", "hour")
    return frozenset[str]().union(*(pack.classes.get(name, frozenset()) for name in names))
