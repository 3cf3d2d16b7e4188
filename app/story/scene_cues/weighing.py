"""How much each piece of evidence counts, and for which kind of break."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import exp

# Log-odds. They began as judgements and were then fitted by ridge regression towards those
# judgements on the stories of tests/data/stories marked "tune"; never on the held-out ones.
_WEIGHTS: Mapping[str, tuple[float, str]] = {
    "header_place": (2.7, "place"),
    "header_time": (2.2, "time"),
    "header_first": (1.0, "place"),
    "header_same": (-2.2, ""),
    "jump0": (2.6, "time"),
    "jump_late0": (1.0, "time"),
    "jump1": (1.2, "time"),
    "jump_late1": (0.4, "time"),
    "when0": (1.4, "time"),
    "when1": (0.5, "time"),
    "stamp": (1.0, "time"),
    "skip": (1.3, "time"),
    "noskip": (-0.5, ""),
    "narrator": (1.9, "time"),
    "past": (-0.5, ""),
    "turn": (3.0, "time"),
    "rule": (4.0, "separator"),
    "wake": (1.6, "sleep"),
    "sleep": (0.9, "sleep"),
    "bye": (1.0, "cast"),
    "leave": (0.5, "cast"),
    "exist": (1.1, "place"),
    "route": (0.6, "place"),
    "go0": (0.3, "place"),
    "go1": (0.2, "place"),
    "react0": (-0.9, ""),
    "react1": (0.2, ""),
    "anaphor": (-0.6, ""),
    "anaphora": (-0.7, ""),
    "named": (-0.4, ""),
    "question": (-0.5, ""),
    "speech_first": (-0.4, ""),
    "untold": (-0.3, ""),
    "ends_told": (0.8, ""),
    "short0": (0.4, ""),
    "lead": (0.6, ""),
    "lead_more": (1.3, "shift"),
    "scenic": (1.3, "place"),
    "longer": (1.1, ""),
    "novelty": (1.0, ""),
    "novelty_more": (0.9, "shift"),
    "apart": (0.8, "shift"),
    "depth": (0.7, "shift"),
    "kept": (0.8, "shift"),
    "link": (-0.5, "shift"),
    "link0": (-0.8, "shift"),
    "foreign": (0.4, ""),
    "fresh": (1.0, "shift"),
    "news": (0.3, ""),
    "news_more": (0.2, "shift"),
}
_BIAS = -3.6


def weigh(evidence: Mapping[str, float]) -> float:
    """Log-odds that a scene ends here, above 0 for a break; a scale to compare, not a calibration."""
    return _BIAS + sum(
        _WEIGHTS[name][0] * value for name, value in evidence.items() if name in _WEIGHTS
    )


def main_cue(evidence: Mapping[str, float]) -> str:
    """The kind of break that the evidence speaks for most."""
    sums: defaultdict[str, float] = defaultdict(float)
    for name, value in evidence.items():
        weight, cue = _WEIGHTS.get(name, (0.0, ""))
        if cue and weight * value > 0:
            sums[cue] += weight * value
    return max(sums, key=lambda cue: sums[cue], default="shift")


def confidence(score: float) -> float:
    """A score as a number between 0 and 1; a break that only just counts has one half."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))
