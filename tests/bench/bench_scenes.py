"""Measures scene detection on labelled stories, and other ways beside it.

Precision, recall, F1 at tolerance 1, WindowDiff, false breaks per 60 messages, the recall of each
kind of label, time. With --books also the books of tests/scenes/corpus.py, which lie in the folder
that TAVERNKEEP_BOOKS names.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_detection import FoundBreak, detect_breaks
from tests.bench.scene_rivals import RIVALS
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
    hits = []
    for number, (last, tolerance) in enumerate(story.gold):
        near = [f for f in left if abs(f - last) <= tolerance]
        if near:
            hits.append(number)
            left.remove(min(near, key=lambda f: abs(f - last)))
    return hits


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
    kinds: defaultdict[str, list[bool]] = defaultdict(list)
    for story in stories:
        found = detect_breaks(story.messages, packs)
        figures = results[story.name] = compare(story, found)
        show(
            f"{story.name:18} {story.split:8} {line_of(figures)}"
            f"  decoys {figures.decoys}/{len(story.decoys)}"
        )
        hits = met(story, {b.last for b in found})
        for number, kind in enumerate(story.kinds):
            kinds[kind].append(number in hits)
        if verbose:
            show("   ", [(b.last, b.cue, round(b.confidence, 2), b.name) for b in found])
            show("    labels", [last for last, _ in story.gold])
    for split in sorted({story.split for story in stories}):
        chosen = [story for story in stories if story.split == split]
        show(f"{len(chosen)} stories, {split or 'unmarked'}:")
        show(f"  {'ours':14} {mean_line([results[story.name] for story in chosen])}")
        for rival in RIVALS:
            others = [figures_of(s, rival.find(s.messages, len(s.gold))) for s in chosen]
            show(f"  {rival.name:14} {mean_line(others)}")
    for kind, hit in sorted(kinds.items()):
        show(f"labels of kind {kind:8} {sum(hit)} of {len(hit)} found ({sum(hit) / len(hit):.2f})")
    return results


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


def seconds_per_10000(stories: Sequence[LabelledStory]) -> float:
    """Time for 10,000 messages made of the given stories, one after the other."""
    packs = load_packs()
    pool = [message for story in stories for message in story.messages]
    messages = (pool * (10_000 // len(pool) + 1))[:10_000]
    began = time.process_time()
    detect_breaks(messages, packs)
    return time.process_time() - began


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
    show(f"10,000 messages: {seconds_per_10000(chosen):.2f} s of processor time")


if __name__ == "__main__":
    report()
