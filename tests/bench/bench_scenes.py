"""Measures scene detection on labelled stories, and other ways beside it.

Precision, recall, F1 at tolerance 1, WindowDiff and false breaks per 60 messages, of each story and
of each kind of cue; beside each what the others reach; time, beside that of before weights were
learned. With --books also the books of tests/scenes/corpus.py, which lie in the folder that
TAVERNKEEP_BOOKS names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_detection import FoundBreak, detect_breaks
from tests.bench.scene_rivals import RIVALS
from tests.bench.scene_speed import BEFORE, MOST, seconds_side_by_side
from tests.scenes.corpus import KEPT_ASIDE, TUNED, chats_of, folder_of_books

STORIES = Path(__file__).parent.parent / "data" / "stories"
_KINDS = {"narrator": MessageKind.NARRATOR, "system": MessageKind.NOTICE}


@dataclass(frozen=True, slots=True)
class LabelledStory:
    """A story with the breaks a reader set: (last message, tolerance).

    split: "tune" when the weights were fitted on it, "heldout" when not. kinds: of the breaks.
    """

    name: str
    messages: tuple[Message, ...]
    gold: tuple[tuple[int, int], ...]
    decoys: tuple[int, ...]
    split: str = ""
    kinds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Figures:
    """How well found breaks meet the labels."""

    hits: int
    found: int
    gold: int
    messages: int
    decoys: int = 0
    window_diff: float = 0.0

    @property
    def precision(self) -> float:
        return self.hits / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.hits / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        return 2 * self.hits / (self.found + self.gold) if self.found + self.gold else 0.0

    @property
    def false_per_60(self) -> float:
        return 60 * (self.found - self.hits) / self.messages


def show(*parts: object) -> None:
    sys.stdout.write(" ".join(map(str, parts)) + "\n")


def load_story(path: Path) -> LabelledStory:
    return story_of(path.stem, json.loads(path.read_text(encoding="utf-8")))


def story_of(name: str, data: dict[str, Any], split: str = "") -> LabelledStory:
    messages = tuple(
        Message(
            anchor=f"m{index}",
            content_hash=digest(entry["mes"]),
            name=entry["name"],
            text=entry["mes"],
            is_user=entry["is_user"],
            kind=_KINDS.get(entry["kind"], MessageKind.CHAT),
        )
        for index, entry in enumerate(data["messages"])
    )
    gold = data["gold"]
    breaks = tuple((b["last_message"], max(1, b["tolerance"])) for b in gold["scene_breaks"])
    decoys = tuple(decoy["message"] for decoy in gold.get("decoys", ()))
    kinds = tuple(str(b["cue"]) for b in gold["scene_breaks"])
    return LabelledStory(name, messages, breaks, decoys, split or data.get("split", "tune"), kinds)


def compare(story: LabelledStory, found: Sequence[FoundBreak]) -> Figures:
    """Each label takes at most one break, the nearest within its tolerance."""
    return figures_of(story, [b.last for b in found])


def figures_of(story: LabelledStory, lasts: Sequence[int]) -> Figures:
    left = set(lasts)
    hits = len(met(story, left))
    fooled = sum(any(f in (d - 1, d) for f in left) for d in story.decoys)
    wrong = window_diff(lasts, [last for last, _ in story.gold], len(story.messages))
    return Figures(hits, len(lasts), len(story.gold), len(story.messages), fooled, wrong)


def met(story: LabelledStory, left: set[int]) -> list[int]:
    """Which of the labels, by number, a break meets; takes those breaks out of `left`."""
    return list(pairs_of(story, left))


def pairs_of(story: LabelledStory, left: set[int]) -> dict[int, int]:
    """The break that meets each label, by the label's number; takes those breaks out of `left`."""
    pairs = {}
    for number, (last, tolerance) in enumerate(story.gold):
        near = [f for f in left if abs(f - last) <= tolerance]
        if near:
            pairs[number] = min(near, key=lambda f: abs(f - last))
            left.remove(pairs[number])
    return pairs


def window_diff(found: Collection[int], gold: Collection[int], size: int) -> float:
    """Share of windows, half a mean scene long, in which the numbers of breaks differ.

    Pevzner and Hearst 2002; 0 is best.
    """
    width = max(2, round(size / (len(gold) + 1) / 2))
    if size <= width:
        return 0.0
    differ = sum(
        sum(at <= f < at + width for f in found) != sum(at <= g < at + width for g in gold)
        for at in range(size - width)
    )
    return differ / (size - width)


def measure(
    stories: Sequence[LabelledStory], *, with_packs: bool = True, verbose: bool = False
) -> dict[str, Figures]:
    """Figures by story name; prints one line for each."""
    packs = load_packs() if with_packs else ()
    results = {}
    others: dict[str, dict[str, list[int]]] = {rival.name: {} for rival in RIVALS}
    kinds: defaultdict[str, list[Figures]] = defaultdict(list)
    for story in stories:
        found = detect_breaks(story.messages, packs)
        figures = results[story.name] = compare(story, found)
        for rival in RIVALS:
            others[rival.name][story.name] = list(rival.find(story.messages, len(story.gold)))
        beside = (f"{n} {figures_of(story, of[story.name]).f1:.2f}" for n, of in others.items())
        show(
            f"{story.name:18} {story.split:8} {line_of(figures)}"
            f"  decoys {figures.decoys}/{len(story.decoys)}  F1 of {', '.join(beside)}"
        )
        for kind, of_kind in figures_by_kind(story, found).items():
            kinds[kind].append(of_kind)
        if verbose:
            show("   ", [(b.last, b.cue, round(b.confidence, 2), b.name) for b in found])
            show("    labels", [last for last, _ in story.gold])
    for split in sorted({story.split for story in stories}):
        chosen = [story for story in stories if story.split == split]
        show(f"{len(chosen)} stories, {split or 'unmarked'}:")
        show(f"  {'ours':14} {mean_line([results[story.name] for story in chosen])}")
        for name, of in others.items():
            show(f"  {name:14} {mean_line([figures_of(s, of[s.name]) for s in chosen])}")
    show_kinds(stories, kinds, others)
    return results


def figures_by_kind(story: LabelledStory, found: Sequence[FoundBreak]) -> dict[str, Figures]:
    """Figures of each kind of cue: its labels, the breaks that meet them, and the false breaks that
    such a cue was given for.
    """
    pairs = pairs_of(story, {b.last for b in found})
    right = set(pairs.values())
    of_kind: defaultdict[str, list[int]] = defaultdict(list)
    for number, kind in enumerate(story.kinds):
        of_kind[kind].append(number)
    size = len(story.messages)
    figures = {}
    for kind in {*of_kind, *(b.cue for b in found if b.last not in right)}:
        hits = [pairs[number] for number in of_kind[kind] if number in pairs]
        false = [b.last for b in found if b.cue == kind and b.last not in right]
        labels = [story.gold[number][0] for number in of_kind[kind]]
        wrong = window_diff([*hits, *false], labels, size)
        figures[kind] = Figures(
            len(hits), len(hits) + len(false), len(labels), size, window_diff=wrong
        )
    return figures


def show_kinds(
    stories: Sequence[LabelledStory],
    kinds: dict[str, list[Figures]],
    others: dict[str, dict[str, list[int]]],
) -> None:
    """One line for each kind of cue, of all stories together, and what the others find of it."""
    messages = sum(len(story.messages) for story in stories)
    for kind, parts in sorted(kinds.items()):
        whole = Figures(
            sum(part.hits for part in parts),
            sum(part.found for part in parts),
            sum(part.gold for part in parts),
            messages,
            window_diff=sum(part.window_diff for part in parts) / len(parts),
        )
        beside = []
        for name, of in others.items():
            hits = sum(
                story.kinds[number] == kind
                for story in stories
                for number in met(story, set(of[story.name]))
            )
            beside.append(f"{name} {hits / max(1, whole.gold):.2f}")
        show(f"cue {kind:9} {whole.gold:4} labels  {line_of(whole)}  recall of {', '.join(beside)}")


def line_of(figures: Figures) -> str:
    return (
        f"precision {figures.precision:.2f}  recall {figures.recall:.2f}  F1 {figures.f1:.2f}"
        f"  WindowDiff {figures.window_diff:.2f}  false/60 {figures.false_per_60:.2f}"
    )


def mean_line(results: Sequence[Figures]) -> str:
    count = len(results)
    means = [
        sum(getattr(figures, name) for figures in results) / count
        for name in ("precision", "recall", "f1", "window_diff", "false_per_60")
    ]
    return (
        "precision {:.2f}  recall {:.2f}  F1 {:.2f}  WindowDiff {:.2f}  false/60 {:.2f}"
    ).format(*means)


def ten_thousand(stories: Sequence[LabelledStory]) -> list[Message]:
    """So many messages made of the given stories, one after the other."""
    pool = [message for story in stories for message in story.messages]
    return (pool * (10_000 // len(pool) + 1))[:10_000]


def story_paths() -> list[Path]:
    """From the command line, else TAVERNKEEP_STORIES (files or folders), else our own."""
    named = [a for a in sys.argv[1:] if a.endswith(".json")]
    given = named or os.environ.get("TAVERNKEEP_STORIES", "").split(os.pathsep)
    roots = [Path(item) for item in given if item] or [STORIES]
    return [p for root in roots for p in (sorted(root.glob("*.json")) if root.is_dir() else [root])]


def books() -> list[LabelledStory]:
    """Those of the corpus that are there; kept aside and tuned on."""
    folder = folder_of_books()
    if folder is None:
        raise SystemExit("TAVERNKEEP_BOOKS names no folder of books.")
    parts = (("aside", KEPT_ASIDE), ("tuned", TUNED))
    return [
        story_of(chat["title"], chat, split)
        for split, names in parts
        for chat in chats_of(names, folder)
    ]


def report() -> None:
    """Print the figures of all stories."""
    chosen = books() if "--books" in sys.argv else [load_story(path) for path in story_paths()]
    measure(chosen, with_packs="--no-packs" not in sys.argv, verbose="-v" in sys.argv)
    try:
        now, before = seconds_side_by_side(ten_thousand(chosen))
    except subprocess.CalledProcessError:
        show(f"no time: the history here has no commit {BEFORE} to compare with")
        return
    show(
        f"10,000 messages: {now:.2f} s of processor time, {before:.2f} before weights were learned:"
        f" {now / before:.2f} times (most {MOST})"
    )


if __name__ == "__main__":
    report()
