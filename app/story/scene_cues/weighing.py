"""How much each piece of evidence counts, and for which kind of break it speaks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp

from app.core.resources import RESOURCES
from app.story.scene_cues.trees import Trees, learned_trees

_FILE = RESOURCES / "scene_weights.json"

# What a break is called, by the evidence for it.
_CUES: Mapping[str, tuple[str, float]] = {
    "header_place": ("place", 2.7),
    "header_time": ("time", 2.2),
    "header_first": ("place", 1.0),
    "titled": ("place", 2.0),
    "jump0": ("time", 2.6),
    "jump_late0": ("time", 1.0),
    "jump1": ("time", 1.2),
    "jump_late1": ("time", 0.4),
    "date0": ("time", 2.4),
    "date_late0": ("time", 1.6),
    "date1": ("time", 0.8),
    "lapse": ("time", 2.4),
    "log_jump": ("time", 2.6),
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


@dataclass(frozen=True, slots=True)
class Weights:
    """Log-odds of each piece of evidence, in short turns of talk and in long ones of prose.

    prose_from, prose_until: usual lengths of a message (evidence "prose") between which the one
    passes into the other. trees: what they say is added to the weights of prose.
    """

    talk: Mapping[str, float]
    talk_bias: float
    prose: Mapping[str, float]
    prose_bias: float
    prose_from: float
    prose_until: float
    trees: Callable[[], Trees] | None = None

    def share_of_prose(self, evidence: Mapping[str, float]) -> float:
        """0 among short turns, 1 among long ones.

        A chat that puts its narration between asterisks is played, however long its turns are:
        there talk counts for a quarter.
        """
        above = evidence.get("prose", 0.0) - self.prose_from
        share = max(0.0, min(1.0, above / (self.prose_until - self.prose_from)))
        return share * (1 - evidence.get("starred", 0.0) / 4)

    def weigh(self, entries: Sequence[Mapping[str, float]]) -> list[float]:
        """Log-odds that a scene ends at each of the places whose evidence is given.

        Above 0 for a break; comparable, not calibrated.
        """
        shares = [self.share_of_prose(evidence) for evidence in entries]
        prose = iter(self._of_prose([e for e, share in zip(entries, shares, strict=True) if share]))
        return [
            (1 - share) * (self.talk_bias + _sum(self.talk, evidence) if share < 1 else 0.0)
            + (share * next(prose) if share else 0.0)
            for evidence, share in zip(entries, shares, strict=True)
        ]

    def _of_prose(self, entries: Sequence[Mapping[str, float]]) -> list[float]:
        # What no novel has was not taught to the trees: it counts by its weight.
        scores = [self.prose_bias + _sum(self.prose, evidence) for evidence in entries]
        if self.trees is None or not entries:
            return scores
        told = self.trees().scores(entries)
        return [score + float(more) for score, more in zip(scores, told, strict=True)]


def parse_weights(text: str) -> Weights:
    """Weights from the JSON that tests/scenes/fit.py writes. Raises ValueError or KeyError."""
    data = json.loads(text)
    return Weights(
        talk=data["talk"]["weights"],
        talk_bias=data["talk"]["bias"],
        prose=data["prose"]["weights"],
        prose_bias=data["prose"]["bias"],
        prose_from=data["prose_from"],
        prose_until=data["prose_until"],
    )


# A part of the program, like its code: it is read once and never changes.
WEIGHTS = replace(parse_weights(_FILE.read_text(encoding="utf-8")), trees=learned_trees)


def _sum(weights: Mapping[str, float], evidence: Mapping[str, float]) -> float:
    return sum(
        [weights[name] * value for name, value in evidence.items() if value and name in weights]
    )


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
