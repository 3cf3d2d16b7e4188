"""Fits the weights of scene detection for prose: `python -m tests.scenes.fit FOLDER_OF_BOOKS`.

Logistic regression on the books of the corpus that were not kept aside, and on the ends of
chapters of others: of the evidence, and of the words that messages begin and end with. Then trees
on the same evidence, where the words of each author are weighed as others taught them, and on our
own stories that are tuned on, so that trees know how a story is played, too. What it prints is
measured with each author left out of the fit (in groups).
Needs scikit-learn and lightgbm, which the program itself does not.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from pathlib import Path

import lightgbm
import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix, hstack, vstack
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from app.core.resources import RESOURCES
from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_cues.evidence import gather
from app.story.scene_cues.phrasing import closing_features, opening_features
from app.story.scene_cues.reading import is_story, read_all
from tests.bench.bench_scenes import load_story
from tests.scenes.books import Json
from tests.scenes.corpus import CHAPTERS, TUNED, chats_of

FILE = RESOURCES / "scene_weights.json"
PHRASES = RESOURCES / "scene_phrases.json"
TREES = RESOURCES / "scene_trees.json"
LANGUAGE = "en"  # of the corpus
# Of a book whose author marks chapters only, much of what is no break in the labels is one.
SHARE_OF_CHAPTERS = 0.3
STRENGTH = 0.3  # of what is learned against weights of 0
STRENGTH_OF_PHRASES = 0.15  # beside that of the evidence
AUTHORS = 8  # that have a phrase at least, so that none belongs to a story or an author
MOST_PHRASES = 3_000  # more were no better with authors left out
GROUPS = 6
LONG = 0.6  # "prose" from which turns are long
SHARE_OF_OWN = 3.0  # a place in a story of our own counts as three in a book: there are few
STORIES = Path(__file__).parent.parent / "data" / "stories"
SURE = 1.7  # log-odds that the threshold lies below even odds: a missed break costs more
LEARNED = ("opens", "closes")  # the sums of the phrases' weights
TREES_GROWN = 250  # more were no better with authors left out
TREE = {
    "objective": "binary",
    "boost_from_average": False,
    "num_leaves": 12,
    "learning_rate": 0.04,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "num_threads": 1,
    "seed": 0,
    "verbose": -1,
}
LEFT_OUT = {
    *LEARNED,
    *("header_place", "header_time", "header_first", "header_same"),
    *("rule", "turn", "titled", "starred"),
}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """Weights of the evidence, in its own units, of the phrases, and what is added."""

    names: tuple[str, ...]
    weights: Floats
    phrases: Mapping[str, float]
    bias: float

    def scores(self, case: Case) -> Floats:
        said = self.said(case).sum(axis=1)
        return np.asarray(matrix(case, self.names) @ self.weights + said + self.bias)

    def said(self, case: Case) -> Floats:
        """By place what its phrases speak for: those that open, those that close."""
        sides = ("opening ", "closing ")
        return np.array(
            [
                [
                    sum(self.phrases.get(each, 0.0) for each in entry if each.startswith(side))
                    for side in sides
                ]
                for entry in case.phrases
            ]
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A book: the evidence and the phrases at each place, and which of them are breaks."""

    author: str
    evidence: tuple[dict[str, float], ...]
    phrases: tuple[frozenset[str], ...]
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
            phrases = list(phrases_of([messages[index].text for index in told]))
            author = str(chat["title"]).split("_")[0]
            yield Case(author, tuple(evidence), tuple(phrases), np.array(marked, float), share)


def phrases_of(texts: Sequence[str]) -> Iterator[frozenset[str]]:
    """What each text begins with, and the one before it ends with."""
    before = ""
    for text in texts:
        opening = (f"opening {each}" for each in opening_features(text))
        yield frozenset([*opening, *(f"closing {each}" for each in closing_features(before))])
        before = text


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


def known_phrases(chosen: Sequence[Case]) -> dict[str, int]:
    """The phrases that enough authors have, with a number for each."""
    authors: dict[str, set[str]] = {}
    for case in chosen:
        authors.setdefault(case.author, set()).update(*case.phrases)
    counts = Counter(phrase for phrases in authors.values() for phrase in phrases)
    return {
        phrase: number
        for number, phrase in enumerate(sorted(p for p, n in counts.items() if n >= AUTHORS))
    }


def phrase_matrix(case: Case, numbers: Mapping[str, int]) -> csr_matrix:
    """One row for each place but the first, a column for each phrase."""
    columns: list[int] = []
    ends = [0]
    for phrases in case.phrases[1:]:
        columns += sorted(numbers[phrase] for phrase in phrases if phrase in numbers)
        ends.append(len(columns))
    return csr_matrix(
        (np.ones(len(columns)), columns, ends), shape=(len(case.phrases) - 1, len(numbers))
    )


def fit(chosen: Sequence[Case], names: tuple[str, ...]) -> Fitted:
    numbers = known_phrases(chosen)
    rows = np.vstack([matrix(case, names)[1:] for case in chosen])
    said = vstack([phrase_matrix(case, numbers) for case in chosen]).tocsr()
    breaks = np.concatenate([case.is_break[1:] for case in chosen])
    shares = np.concatenate([np.full(len(case.evidence) - 1, case.share) for case in chosen])
    spread, middle = rows.std(axis=0) + 1e-3, rows.mean(axis=0)
    both = hstack([csr_matrix((rows - middle) / spread), said * STRENGTH_OF_PHRASES]).tocsr()
    model = LogisticRegression(C=STRENGTH, max_iter=100)
    model.fit(both, breaks, sample_weight=shares)
    weights = model.coef_[0][: len(names)] / spread
    learned = model.coef_[0][len(names) :] * STRENGTH_OF_PHRASES
    # Those that change most: by how much they say and how often they are there.
    worth = np.abs(learned) * np.sqrt(np.asarray(said.sum(axis=0)).ravel())
    telling = set(np.argsort(-worth)[:MOST_PHRASES])
    phrases = {p: float(learned[number]) for p, number in numbers.items() if number in telling}
    return Fitted(names, weights, phrases, float(model.intercept_[0] - middle @ weights) + SURE)


def left_out(all_cases: Sequence[Case], names: tuple[str, ...]) -> list[Floats]:
    """What the phrases say of each book, as the books of others taught them.

    Prints how often the score says the right thing of authors who were not fitted on.
    """
    authors = [case.author for case in all_cases]
    said: list[Floats] = [np.zeros((0, len(LEARNED)))] * len(all_cases)
    hits = found = marked = 0.0
    for train, test in GroupKFold(GROUPS).split(all_cases, groups=authors):
        fitted = fit([all_cases[index] for index in train], names)
        for index in test:
            case = all_cases[index]
            said[index] = fitted.said(case)
            if case.share == 1:
                above = fitted.scores(case)[1:] > 0
                hits += float((above * case.is_break[1:]).sum())
                found, marked = found + float(above.sum()), marked + float(case.is_break[1:].sum())
    print(f"authors left out, each place by itself: precision {hits / found:.2f}, ", end="")
    print(f"recall {hits / marked:.2f}")
    return said


@dataclass(frozen=True, slots=True)
class Lesson:
    """What trees learn from: rows of evidence, which of them are breaks, how much each counts, and
    the log-odds that each has already.
    """

    rows: Floats
    breaks: Floats
    shares: Floats
    known: Floats


def lesson_of_books(
    all_cases: Sequence[Case], names: tuple[str, ...], said: Sequence[Floats]
) -> Lesson:
    rows = [
        np.hstack((matrix(case, names), phrases))[1:]
        for case, phrases in zip(all_cases, said, strict=True)
    ]
    breaks = np.concatenate([case.is_break[1:] for case in all_cases])
    shares = np.concatenate([np.full(len(case.evidence) - 1, case.share) for case in all_cases])
    return Lesson(np.vstack(rows), breaks, shares, np.zeros(len(breaks)))


def lesson_of_own(names: Sequence[str], talk: Mapping[str, float], lengths: Floats) -> Lesson:
    """Our stories that are tuned on, as if their turns were as long as those of books.

    What names leave out counts as in talk. lengths: "prose" of the places in books.
    """
    packs, dice = load_packs(), np.random.RandomState(0)
    rows: list[list[float]] = []
    breaks: list[float] = []
    known: list[float] = []
    for path in sorted(STORIES.glob("*.json")):
        story = load_story(path)
        if story.split != "tune":
            continue
        told = [index for index, message in enumerate(story.messages) if is_story(message)]
        ends = {last for last, _ in story.gold}
        evidence = gather(read_all([story.messages[index] for index in told], packs))
        for at, entry in enumerate(evidence[1:], 1):
            rows.append([entry.get(name, 0.0) for name in names])
            breaks.append(float(not ends.isdisjoint(range(told[at - 1], told[at]))))
            known.append(sum(w * entry.get(n, 0.0) for n, w in talk.items() if n not in names))
    table = np.array(rows)
    table[:, names.index("prose")] = dice.choice(lengths[lengths > LONG], len(table))
    return Lesson(table, np.array(breaks), np.full(len(table), SHARE_OF_OWN), np.array(known))


def grown(names: Sequence[str], lessons: Sequence[Lesson]) -> Json:
    """Trees in the form that app/story/scene_cues/trees.py reads."""
    breaks = np.concatenate([lesson.breaks for lesson in lessons])
    shares = np.concatenate([lesson.shares for lesson in lessons])
    odds = float((breaks * shares).sum() / ((1 - breaks) * shares).sum())
    known = np.concatenate([lesson.known for lesson in lessons]) + log(odds)
    rows = np.vstack([lesson.rows for lesson in lessons])
    data = lightgbm.Dataset(rows, breaks, weight=shares, init_score=known)
    model = lightgbm.train(TREE, data, TREES_GROWN).dump_model()
    trees = [_tree(each["tree_structure"]) for each in model["tree_info"]]
    return {"bias": round(log(odds) + SURE, 4), "names": list(names), "trees": trees}


def _tree(top: Json) -> Json:
    questions: dict[int, list[float]] = {}
    ends: dict[int, float] = {}

    def number(node: Json) -> int:
        if "leaf_value" in node:
            ends[node.get("leaf_index", 0)] = round(node["leaf_value"], 4)
            return -1 - int(node.get("leaf_index", 0))
        # Rounded up: what was as much as the threshold stays below it.
        most = ceil(node["threshold"] * 1e4) / 1e4
        ways = [number(node["left_child"]), number(node["right_child"])]
        questions[node["split_index"]] = [node["split_feature"], most, *ways]
        return int(node["split_index"])

    number(top)
    return {
        "questions": [questions[at] for at in sorted(questions)],
        "ends": [ends[at] for at in sorted(ends)],
    }


def main() -> None:
    everything = list(cases(Path(sys.argv[1])))
    known = {name for case in everything for entry in case.evidence for name in entry}
    names = tuple(sorted(known - LEFT_OUT))
    fitted = fit(everything, names)
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    books = lesson_of_books(everything, names, left_out(everything, names))
    asked, talk = (*names, *LEARNED), stored["talk"]["weights"]
    own = lesson_of_own(asked, talk, books.rows[:, asked.index("prose")])
    trees = grown(asked, (books, own))
    # What no book of the corpus has counts as it does in talk.
    untaught = {name: talk[name] for name in sorted(talk.keys() - set(asked))}
    stored["prose"] = {"bias": 0.0, "weights": untaught}
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    PHRASES.write_text(_phrases_text(fitted.phrases), encoding="utf-8")
    TREES.write_text(trees_text(trees), encoding="utf-8")


def trees_text(trees: Json) -> str:
    """JSON with a tree on each line, so that a change shows which ones changed."""
    lines = ",\n".join(json.dumps(tree, separators=(",", ":")) for tree in trees["trees"])
    names = json.dumps(trees["names"])
    return f'{{"bias": {trees["bias"]}, "names": {names}, "trees": [\n{lines}\n]}}\n'


def _phrases_text(phrases: Mapping[str, float]) -> str:
    sides: dict[str, dict[str, float]] = {"opening": {}, "closing": {}}
    for phrase, weight in sorted(phrases.items()):
        side, _, words = phrase.partition(" ")
        if rounded := round(weight, 2):
            sides[side][words] = rounded
    return json.dumps({LANGUAGE: sides}, indent=0, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
