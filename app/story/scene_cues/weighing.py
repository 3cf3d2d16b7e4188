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
    "when0": 1.7,
    "when1": 0.5,
    "stamp": 1.0,
    "turn": 5.0,
    "wake": 1.6,
    "wake0": 1.5,
    "past": -0.7,
    "skip": 1.3,
    "noskip": -0.5,
    # place
    "site": 0.9,
    "exist": 0.7,
    "path": 0.2,
    "route": 0.5,
    "go0": 0.2,
    "go1": -0.1,
    # how the message before closes
    "sleep": 0.8,
    "bye": 1.1,
    "leave": 0.6,
    "question": -0.8,
    "ends_told": 0.7,
    "rule": 9.0,
    # how the opener is told
    "lead": 0.5,
    "lead_more": 1.5,
    "scenic": 1.3,
    "longer": 1.7,
    "small": -0.5,
    "says": 0.8,
    "told": 0.3,
    "back": -0.5,
    "untold": -0.5,
    "react0": -0.8,
    "react_late0": -0.4,
    "anaphor": -0.7,
    "anaphora": -0.3,
    "named": -0.4,
    "short0": 0.2,
    "fragment": 0.5,
    "narrator": 1.7,
    # words
    "novelty": 1.0,
    "novelty_more": 1.1,
    "news": 0.3,
    "news_more": 0.3,
    "fresh": 1.2,
    "unknown": 0.3,
    "unknowns": 1.0,
    "new_name": 0.5,
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
