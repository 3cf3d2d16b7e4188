"""How much each piece of evidence counts, and for which kind of break it speaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import exp

# Log-odds. They began as judgements and were then fitted by ridge regression towards those
# judgements on the stories of tests/data/stories marked "tune"; never on the held-out ones. What
# an author marks as a break (a separator, a status header) outweighs everything else.
_WEIGHTS: Mapping[str, float] = {
    # status headers
    "header_place": 5.9,
    "header_time": 4.4,
    "header_first": 1.0,
    "header_same": -2.2,
    # time
    "jump0": 3.6,
    "jump_late0": 1.0,
    "jump1": 1.4,
    "jump_late1": 0.4,
    "when0": 1.5,
    "when1": 0.5,
    "stamp": 1.0,
    "turn": 5.0,
    "wake": 1.7,
    "wake0": 1.1,
    "past": -0.6,
    "skip": 1.3,
    "noskip": -0.5,
    # place
    "site": 1.2,
    "exist": 0.9,
    "path": 0.2,
    "route": 0.4,
    "go0": 0.3,
    "go1": -0.1,
    # how the message before closes
    "sleep": 0.9,
    "bye": 1.1,
    "leave": 0.7,
    "question": -0.9,
    "ends_told": 0.5,
    "rule": 9.0,
    # how the opener is told
    "lead": 0.4,
    "lead_more": 1.6,
    "scenic": 1.4,
    "longer": 1.7,
    "small": -0.5,
    "says": 0.7,
    "says_more": 0.4,
    "told": 0.4,
    "back": -0.5,
    "untold": -0.6,
    "react0": -1.0,
    "react_late0": -0.4,
    "react1": 0.1,
    "anaphor": -0.6,
    "anaphora": -0.4,
    "named": -0.4,
    "short0": 0.3,
    "fragment": 0.8,
    "narrator": 1.7,
    # words
    "novelty": 1.1,
    "novelty_more": 1.1,
    "news": 0.3,
    "news_more": 0.4,
    "fresh": 1.0,
    "unknown": 0.4,
    "unknowns": 0.9,
    "new_name": 0.5,
    "old_name": 0.4,
    "kept": 0.6,
    "link0": -0.8,
    "apart": 0.7,
    "depth": 0.7,
    # language
    "foreign": 0.5,
}
_BIAS = -5.5

# What a break is called, by the evidence for it.
_CUES: Mapping[str, tuple[str, float]] = {
    "header_place": ("place", 2.7),
    "header_time": ("time", 2.2),
    "header_first": ("place", 1.0),
    "jump0": ("time", 2.6),
    "jump_late0": ("time", 1.0),
    "jump1": ("time", 1.2),
    "jump_late1": ("time", 0.4),
    "when0": ("time", 1.4),
    "when1": ("time", 0.5),
    "stamp": ("time", 1.0),
    "turn": ("time", 3.0),
    "skip": ("time", 1.3),
    "narrator": ("time", 0.5),
    "wake": ("sleep", 1.6),
    "sleep": ("sleep", 1.2),
    "fade": ("fade", 1.0),
    "site": ("place", 1.0),
    "exist": ("place", 1.0),
    "route": ("place", 0.8),
    "go0": ("place", 0.5),
    "go1": ("place", 0.3),
    "scenic": ("place", 0.3),
    "bye": ("cast", 0.8),
    "leave": ("cast", 0.6),
    "rule": ("separator", 4.0),
}
_LEAST = 1.0  # evidence without which a break is only a shift of the vocabulary


def weigh(evidence: Mapping[str, float]) -> float:
    """Log-odds that a scene ends here, above 0 for a break; comparable, not calibrated."""
    return _BIAS + sum(_WEIGHTS.get(name, 0.0) * value for name, value in evidence.items())


def main_cue(evidence: Mapping[str, float]) -> str:
    """The kind of break that the evidence speaks for most."""
    sums: defaultdict[str, float] = defaultdict(float)
    for name, value in evidence.items():
        if value > 0 and name in _CUES:
            cue, strength = _CUES[name]
            sums[cue] += strength * value
    best = max(sums, key=lambda cue: sums[cue], default="")
    return best if best and sums[best] >= _LEAST else "shift"


def confidence(score: float) -> float:
    """A score as a number between 0 and 1; a break that only just counts has one half."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))
