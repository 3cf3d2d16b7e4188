"""Fits the weights of scene detection for prose: `python -m tests.scenes.fit FOLDER_OF_BOOKS`.

Logistic regression on the books of the corpus that were not kept aside, and on the ends of
chapters of others. What it prints is measured with each author left out of the fit (in groups).
Needs scikit-learn, which the program itself does not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from app.core.resources import RESOURCES
from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_cues.evidence import gather
from app.story.scene_cues.reading import is_story, read_all
from tests.scenes.books import Json
from tests.scenes.corpus import CHAPTERS, TUNED, chats_of

FILE = RESOURCES / "scene_weights.json"
# Of a book whose author marks chapters only, much of what is no break in the labels is one.
SHARE_OF_CHAPTERS = 0.3
STRENGTH = 0.3  # of what is learned against weights of 0
GROUPS = 6
SURE = 2.0  # log-odds that the threshold lies below even odds: a missed break costs more
LEFT_OUT = frozenset(
    {
        "header_place",
        "header_time",
        "header_first",
        "header_same",
        "rule",
        "turn",
        "titled",
        "starred",
    }
)

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights of the evidence, in its own units, and what is added."""

    names: tuple[str, ...]
    weights: Floats
    bias: float

    def scores(self, rows: Floats) -> Floats:
        return np.asarray(rows @ self.weights + self.bias)


@dataclass(frozen=True, slots=True)
class Case:
    """A book: the evidence at each place, and which of them are breaks."""

    author: str
    evidence: tuple[dict[str, float], ...]
    is_break: Floats
    share: float


def cases(folder: Path) -> Iterator[Case]:
    """The books that are fitted on."""
    packs = load_packs()
    for names, share in ((TUNED, 1.0), (CHAPTERS, SHARE_OF_CHAPTERS)):
        for chat in chats_of(names, folder):
            messages = [message_of(number, entry) for number, entry in enumerate(chat["messages"])]
            told = [index for index, message in enumerate(messages) if is_story(message)]
            evidence = gather(read_all([messages[index] for index in told], packs))
            ends = {mark["last_message"] for mark in chat["gold"]["scene_breaks"]}
            marked = [bool(at) and told[at - 1] in ends for at in range(len(told))]
            author = str(chat["title"]).split("_")[0]
            yield Case(author, tuple(evidence), np.array(marked, float), share)


def message_of(number: int, entry: Json) -> Message:
    return Message(
        anchor=f"m{number}",
        content_hash=digest(entry["mes"]),
        name=entry["name"],
        text=entry["mes"],
        is_user=entry["is_user"],
        kind=MessageKind.NARRATOR if entry["kind"] == "narrator" else MessageKind.CHAT,
    )


def matrix(case: Case, names: Sequence[str]) -> Floats:
    return np.array([[entry.get(name, 0.0) for name in names] for entry in case.evidence])


def fit(chosen: Sequence[Case], names: tuple[str, ...]) -> Fitted:
    rows = np.vstack([matrix(case, names)[1:] for case in chosen])
    breaks = np.concatenate([case.is_break[1:] for case in chosen])
    shares = np.concatenate([np.full(len(case.evidence) - 1, case.share) for case in chosen])
    spread, middle = rows.std(axis=0) + 1e-3, rows.mean(axis=0)
    model = LogisticRegression(C=STRENGTH, max_iter=300)
    model.fit((rows - middle) / spread, breaks, sample_weight=shares)
    weights = model.coef_[0] / spread
    return Fitted(names, weights, float(model.intercept_[0] - middle @ weights) + SURE)


def left_out(all_cases: Sequence[Case], names: tuple[str, ...]) -> None:
    """Print how often the score says the right thing of authors who were not fitted on."""
    authors = [case.author for case in all_cases]
    hits = found = marked = 0.0
    for train, test in GroupKFold(GROUPS).split(all_cases, groups=authors):
        fitted = fit([all_cases[index] for index in train], names)
        for index in test:
            case = all_cases[index]
            if case.share == 1:
                said = fitted.scores(matrix(case, names))[1:] > 0
                hits += float((said * case.is_break[1:]).sum())
                found, marked = found + float(said.sum()), marked + float(case.is_break[1:].sum())
    print(f"authors left out, each place by itself: precision {hits / found:.2f}, ", end="")
    print(f"recall {hits / marked:.2f}")


def main() -> None:
    everything = list(cases(Path(sys.argv[1])))
    known = {name for case in everything for entry in case.evidence for name in entry}
    names = tuple(sorted(known - LEFT_OUT))
    left_out(everything, names)
    fitted = fit(everything, names)
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    learned = dict(zip(names, (round(float(weight), 3) for weight in fitted.weights), strict=True))
    # No book of the corpus has what a chat's author marks: it counts as it does in talk.
    learned |= {
        name: stored["talk"]["weights"][name]
        for name in LEFT_OUT
        if name in stored["talk"]["weights"]
    }
    stored["prose"] = {
        "bias": round(fitted.bias, 3),
        "weights": {name: weight for name, weight in sorted(learned.items()) if weight},
    }
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
