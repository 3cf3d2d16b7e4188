"""How a reasonable model folds a scene's recap into a running recap: by rules, always alike.

Nothing that holds is said in other words; what is settled leaves the open threads; of what two
entries say of the same person the newer stays; where there is too little room, what matters least
goes, the oldest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from tests.answers.notes import RecapAnswer

WORD = re.compile(r"\w+")
HEADINGS = {"DEVELOPMENTS": "developments", "OPEN": "open", "STATE": "state"}
NUMBER = re.compile(r"^(?:[A-Z]?\d+[.)]|-|\*)\s+|\s*\[\d{1,3}\]$")
SAME = 0.8  # share of words in common from which two entries say the same
SETTLED = 0.5  # the same, of an open entry and of a thread that was closed
SAME_THING = 0.2  # the same, of two states of one person
STATES_OF_ONE = 3  # entries of older scenes that stay beside each other
# Entries that stay although developments would have to go. In six recaps that language models
# folded, eight to ten words of eleven tell developments; the others are about so many entries.
KEPT_OPEN, KEPT_STATE = 4, 3

Weigh = Callable[[str], int]
Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a model knows of a story beside the texts that it merges.

    names: of people, things and places. closed: threads and secrets that are over by the end of
    the scene. weigh: how much an entry matters, 3 for most.
    """

    names: frozenset[str]
    closed: Sequence[str]
    weigh: Weigh


def recap_in(text: str) -> RecapAnswer:
    """The entries below their headings, without the numbers that they are shown with."""
    found: dict[str, list[str]] = {part: [] for part in HEADINGS.values()}
    into: list[str] | None = None
    for line in map(str.strip, text.splitlines()):
        if line.rstrip(":") in HEADINGS:
            into = found[HEADINGS[line.rstrip(":")]]
        elif into is not None and line and not line.startswith("("):
            into.append(NUMBER.sub("", line))
    return RecapAnswer(*(tuple(found[part]) for part in HEADINGS.values()))


def merged(
    before: RecapAnswer, scene: RecapAnswer, judgement: Judgement, limit: int, count: Count
) -> RecapAnswer:
    """Both as one recap of no more than `limit` tokens, as `count` counts an answer's entries."""
    open_ = [entry for entry in before.open if not _is_closed(entry, judgement.closed)]
    whole = RecapAnswer(
        _each_once((*before.developments, *scene.developments)),
        _each_once((*open_, *scene.open)),
        _states(before.state, scene.state, judgement.names),
    )
    return fitted(whole, judgement.weigh, limit, count)


def fitted(recap: RecapAnswer, weigh: Weigh, limit: int, count: Count) -> RecapAnswer:
    """What matters most of a recap within so many tokens."""
    room = limit - sum(map(count, recap.entries))
    while room < 0 and recap.entries:
        part = _spared(recap)
        entries = list(getattr(recap, part))
        gone = min(range(len(entries)), key=lambda place: (weigh(entries[place]), place))
        room += count(entries.pop(gone))
        recap = replace(recap, **{part: tuple(entries)})
    return recap


def _spared(recap: RecapAnswer) -> str:
    """Of which part an entry goes next."""
    if len(recap.state) > KEPT_STATE:
        return "state"
    if len(recap.open) > KEPT_OPEN or not (recap.developments or recap.state):
        return "open"
    return "developments" if recap.developments else "state"


def words_of(text: str) -> frozenset[str]:
    """The words by which entries are compared; of a script without spaces, pairs of signs."""
    words = [word for word in WORD.findall(text.casefold()) if len(word) > 2 or not word.isascii()]
    pairs = [
        word[at : at + 2]
        for word in words
        if not word.isascii() and ord(max(word)) > 0x2E80
        for at in range(len(word) - 1)
    ]
    return frozenset(word[:6] for word in words) | frozenset(pairs)


def alike(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of their words that two texts have in common."""
    return len(one & other) / max(1, min(len(one), len(other)))


def _each_once(entries: Iterable[str]) -> tuple[str, ...]:
    """Entries without those that another says too; the fuller stays, in its place."""
    kept: list[tuple[str, frozenset[str]]] = []
    for entry in entries:
        words = words_of(entry)
        same = next(
            (
                n
                for n, (_, other) in enumerate(kept)
                if len(words & other) >= SAME * max(len(words), len(other), 1)
            ),
            None,
        )
        if same is None:
            kept.append((entry, words))
        elif len(entry) > len(kept[same][0]):
            kept[same] = entry, words
    return tuple(entry for entry, _ in kept)


def _is_closed(entry: str, closed: Sequence[str]) -> bool:
    words = words_of(entry)
    return any(
        len(words & other) >= SETTLED * max(1, min(len(words), len(other)))
        for other in map(words_of, closed)
    )


def _states(before: Sequence[str], now: Sequence[str], names: frozenset[str]) -> tuple[str, ...]:
    """How things stand: an older entry goes where a newer one tells of the same."""
    subjects = {entry: _subject(entry, names) for entry in (*before, *now)}
    told = [(subjects[entry], words_of(entry) - words_of(subjects[entry])) for entry in now]
    kept: list[str] = []
    for entry in before:
        own = words_of(entry) - words_of(subjects[entry])
        if not any(
            subject == subjects[entry] and alike(own, words) >= SAME_THING
            for subject, words in told
        ):
            kept.append(entry)
    last: list[str] = []
    for entry in reversed(kept):
        if sum(subjects[other] == subjects[entry] for other in last) < STATES_OF_ONE:
            last.insert(0, entry)
    return _each_once((*last, *now))


def _subject(entry: str, names: frozenset[str]) -> str:
    """Whom or what an entry is about: the name that comes first in it, the longest there."""
    found = [(entry.find(name), -len(name), name) for name in names if name in entry]
    return min(found)[2] if found else entry.split(" ")[0]
