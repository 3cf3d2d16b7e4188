"""Other ways to cut a story into scenes, to be measured beside ours: all of them without a model.

TextTiling (Hearst 1997) by shifts of the vocabulary, a list of phrases as Smart Memory's
built-in check looks for (spec/smart-memory.md, section 7; the words here are our own), and breaks
at even distances, as many as the labels have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt

from app.story.messages import Message

_WORD = re.compile(r"[^\W\d_]{4,}")
_WIDTH = 5  # messages on each side of a place that TextTiling compares
_LEAST_SCENE = 3
_UNIT = r"(?:hours?|days?|weeks?|months?|years?)"
_PLACE = r"(?:the|an?|his|her|their|my|your|our)\s+\w+"
_TIMES = r"(?:dawn|morning|noon|dusk|night|nightfall|evening|midnight)"
_PHRASES = re.compile(
    rf"\blater that (?:day|night|morning|evening|afternoon|week)\b"
    rf"|\b(?:the )?(?:next|following) (?:day|morning|night|evening|week)\b"
    rf"|\b\w+ {_UNIT} (?:later|passed|went by)\b|\b(?:some time later|meanwhile|after a while)\b"
    rf"|\ba (?:year|month|week|decade)\b|\bseveral {_UNIT}\b"
    rf"|\b(?:arriv\w+ (?:at|in)|found \w+sel\w+ (?:in|at)|made \w+ way to) {_PLACE}"
    rf"|\b(?:headed|led \w+|walk\w*|wander\w*) (?:to|into|toward) {_PLACE}"
    rf"|\b(?:made|set up) camp\b|\btook shelter\b|\bsettl\w+ (?:in|into|down)\b"
    rf"|\b(?:dawn|night|dusk) (?:came|broke|fell|falls|breaks|comes)\b"
    rf"|\bfell asleep\b|\bdrift\w+ (?:off )?to sleep\b|\bw(?:oke|akes?|oken) up\b"
    rf"|\b(?:regain\w+ consciousness|came to (?:his|her|their) senses)\b"
    rf"|\breturn\w* to {_PLACE}|\bupon (?:arriving|reaching|entering)\b"
    rf"|\bthe morning after\b|\bby {_TIMES}\b|\bin the days that followed\b"
    rf"|^\s*[-*~]{{3,}}\s*$|\*\s?\*\s?\*",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Rival:
    """Finds the last messages of scenes; `count` is how many breaks the labels have."""

    name: str
    find: Callable[[Sequence[Message], int], list[int]]


def text_tiling(messages: Sequence[Message], count: int) -> list[int]:
    """Places whose vocabulary dips deeper than the mean depth and half its deviation."""
    bags = [Counter(_WORD.findall(message.text.casefold())) for message in messages]
    similar = [0.0] * len(bags)
    for at in range(1, len(bags)):
        left, right = Counter[str](), Counter[str]()
        for bag in bags[max(0, at - _WIDTH) : at]:
            left.update(bag)
        for bag in bags[at : at + _WIDTH]:
            right.update(bag)
        norm = sqrt(_square(left) * _square(right))
        similar[at] = sum(n * right[word] for word, n in left.items()) / norm if norm else 0.0
    depths = [_depth(similar, at) for at in range(len(similar))]
    if len(depths) < 2 * _LEAST_SCENE:
        return []
    mean = sum(depths) / len(depths)
    deviation = sqrt(sum((depth - mean) ** 2 for depth in depths) / len(depths))
    found: list[int] = []
    for at in sorted(range(1, len(depths)), key=lambda at: -depths[at]):
        if depths[at] < mean + deviation / 2:
            break
        if all(abs(at - 1 - other) >= _LEAST_SCENE for other in found):
            found.append(at - 1)
    return sorted(found)


def phrase_list(messages: Sequence[Message], count: int) -> list[int]:
    """Before each message that holds one of the phrases, when the scene has three messages."""
    found: list[int] = []
    first = 0
    for at, message in enumerate(messages):
        if at - first >= _LEAST_SCENE and _PHRASES.search(message.text):
            found.append(at - 1)
            first = at
    return found


def evenly_spaced(messages: Sequence[Message], count: int) -> list[int]:
    """As many breaks as there are labels, at even distances."""
    return [len(messages) * (n + 1) // (count + 1) - 1 for n in range(count)]


RIVALS = (
    Rival("TextTiling", text_tiling),
    Rival("phrase list", phrase_list),
    Rival("evenly spaced", evenly_spaced),
)


def _square(bag: Counter[str]) -> int:
    return sum(n * n for n in bag.values())


def _depth(similar: Sequence[float], at: int) -> float:
    """How far a place lies below the tops that are reached by climbing on both sides of it."""
    left = right = at
    while left > 1 and similar[left - 1] >= similar[left]:
        left -= 1
    while right + 1 < len(similar) and similar[right + 1] >= similar[right]:
        right += 1
    return similar[left] + similar[right] - 2 * similar[at] if at else 0.0
