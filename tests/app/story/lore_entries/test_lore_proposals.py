"""The lore that is offered: of the recaps that count, each entry once, as it was marked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from app.story.lore_entries.lore import LoreEntry
from app.story.lore_entries.lore_proposals import key_of, proposals
from app.story.recaps import IMPORTED, SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak
from app.story.story import ChatKind, ChatRef, Story

FORD = {"type": "place", "name": "Ford", "keywords": [], "content": ["Deep."]}
MILL = {"type": "place", "name": "Mill", "keywords": ["wheel"], "content": ["Burnt."]}


def recap(
    anchor: str, version: int, *entities: object, by: str = "m", now: bool = True
) -> SceneRecap:
    stored = json.dumps({"stage4": {"entities": entities}})
    return SceneRecap(anchor, version, f"Scene {anchor}", "t", "", by, 0.0, now, stored)


def story(*recaps: SceneRecap) -> Story:
    anchors = ("a", "b", "c")
    marks = {anchor: SceneBreak(anchor, BreakOrigin.HAND) for anchor in anchors}
    scenes = tuple(Scene(n + 1, n, n, marks[anchor]) for n, anchor in enumerate(anchors))
    by_anchor = {a: tuple(r for r in recaps if r.anchor == a) for a in anchors}
    chat = ChatRef(Path("c.jsonl"), ChatKind.FILE, "c")
    return replace(Story(chat), breaks=marks, scenes=scenes, recaps=by_anchor)


def test_each_entry_is_offered_once_with_the_scene_that_gave_it_first() -> None:
    found = proposals(story(recap("a", 0, FORD), recap("b", 0, FORD, MILL)))
    assert [(p.scene, p.scene_name, p.entry.name) for p in found] == [
        (1, "Scene a", "Ford"),
        (2, "Scene b", "Mill"),
    ]


def test_only_the_version_that_counts_gives_lore_and_never_an_imported_one() -> None:
    old, new = recap("a", 0, FORD, now=False), recap("a", 1, MILL)
    found = proposals(story(old, new, recap("b", 0, FORD, by=IMPORTED)))
    assert [p.entry.name for p in found] == ["Mill"]


def test_a_mark_holds_for_the_same_words_only() -> None:
    ford = LoreEntry("place", "Ford", (), ("Deep.",))
    done = frozenset({key_of(ford)})
    assert proposals(story(recap("a", 0, FORD)), done)[0].is_done
    assert proposals(story(recap("b", 3, FORD | {"keywords": ["x"]})), done)[0].is_done
    assert not proposals(story(recap("a", 0, FORD | {"content": ["Dry."]})), done)[0].is_done
