"""Measures scene detection on labelled stories: precision, recall, F1, false breaks, time."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from app.languages import load_packs
from app.story.messages import Message, MessageKind, digest
from app.story.scene_detection import FoundBreak, detect_breaks

STORIES = Path(__file__).parent.parent / "data" / "stories"
_KINDS = {"narrator": MessageKind.NARRATOR, "system": MessageKind.NOTICE}


@dataclass(frozen=True, slots=True)
class LabelledStory:
    """A story with the breaks a reader set: (last message, tolerance).

    split: "tune" when the weights were fitted on it, "heldout" when not.
    """

    name: str
    messages: tuple[Message, ...]
    gold: tuple[tuple[int, int], ...]
    decoys: tuple[int, ...]
    split: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """How well found breaks meet the labels."""

    hits: int
    found: int
    gold: int
    messages: int
    decoys: int

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
    data = json.loads(path.read_text(encoding="utf-8"))
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
    return LabelledStory(path.stem, messages, breaks, decoys, data.get("split", "tune"))


def compare(story: LabelledStory, found: tuple[FoundBreak, ...]) -> Figures:
    """Each label takes at most one break, the nearest within its tolerance."""
    left = {b.last for b in found}
    hits = 0
    for last, tolerance in story.gold:
        near = [f for f in left if abs(f - last) <= tolerance]
        if near:
            hits += 1
            left.remove(min(near, key=lambda f: abs(f - last)))
    fooled = sum(any(f in (d - 1, d) for f in left) for d in story.decoys)
    return Figures(hits, len(found), len(story.gold), len(story.messages), fooled)


def measure(
    paths: list[Path], *, with_packs: bool = True, verbose: bool = False
) -> dict[str, Figures]:
    """Figures by story name; prints one line for each."""
    packs = load_packs() if with_packs else ()
    results = {}
    for path in paths:
        story = load_story(path)
        found = detect_breaks(story.messages, packs)
        figures = results[story.name] = compare(story, found)
        show(
            f"{story.name:18} {story.split:8} precision {figures.precision:.2f}"
            f"  recall {figures.recall:.2f}  F1 {figures.f1:.2f}"
            f"  false/60 {figures.false_per_60:.2f}  decoys {figures.decoys}/{len(story.decoys)}"
        )
        if verbose:
            show("   ", [(b.last, b.cue, round(b.confidence, 2), b.name) for b in found])
            show("    labels", [last for last, _ in story.gold])
    for split in sorted({load_story(path).split for path in paths}):
        chosen = [results[story.name] for story in map(load_story, paths) if story.split == split]
        mean = sum(figures.f1 for figures in chosen) / len(chosen)
        false = sum(figures.false_per_60 for figures in chosen) / len(chosen)
        show(f"{len(chosen)} stories, {split or 'unmarked'}: F1 {mean:.2f}  false/60 {false:.2f}")
    return results


def seconds_per_10000(paths: list[Path]) -> float:
    """Time for 10,000 messages made of the given stories, one after the other."""
    packs = load_packs()
    pool = [message for path in paths for message in load_story(path).messages]
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


def report() -> None:
    """Print the figures of all stories."""
    chosen = story_paths()
    measure(chosen, with_packs="--no-packs" not in sys.argv, verbose="-v" in sys.argv)
    show(f"10,000 messages: {seconds_per_10000(chosen):.2f} s of processor time")


if __name__ == "__main__":
    report()
