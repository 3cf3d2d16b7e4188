"""Of which scenes the running recap still tells anything. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

from app.prompt.choosing.framing import one_line
from app.prompt.choosing.retold import are_retold
from app.prompt.rendering.text_slots import sentences
from app.recall.words import ANY_WORDS
from app.story.recap_texts.recap_text import parse_recap
from app.story.recaps import FOLD, YOU, RunningVersion, SceneRecap, injected_version
from app.story.scenes import Scene
from app.story.story import Story


def untold_scenes(story: Story, text: str) -> tuple[Scene, ...]:
    """The scenes that went into the running recap and of which this text of its slot holds nothing:
    no sentence of their recaps, and none that has most of one's rarer words. A scene that nobody
    can know again is taken for told: one whose recap never went in, or was written over.
    """
    version = injected_version(story.running, story.places)
    if version is None:
        return ()
    reach = story.places.get(version.last_anchor, -1)
    scenes = story.scenes[: bisect_right(story.scenes, reach, key=lambda scene: scene.last)]
    known = [(scene, texts) for scene in scenes if (texts := _said_of(story, scene))]
    said = tuple(texts for _, texts in known)
    is_told = _are_told(text, said)
    if all(is_told):
        return ()
    own = _others_words(story.running.versions, version)
    end = story.places.get(own.last_anchor, -1) if own is not None else -1
    was_told = _are_told(own.content, said) if own is not None else is_told
    return tuple(
        scene
        for (scene, _), is_now, was in zip(known, is_told, was_told, strict=True)
        if not is_now and (was or scene.last > end)
    )


def _said_of(story: Story, scene: Scene) -> tuple[str, ...]:
    """The texts by which a scene went into the running recap."""
    recaps = story.recaps.get(scene.closing.anchor, ()) if scene.closing is not None else ()
    return tuple(recap.text for recap in recaps if _went_in(recap))


def _went_in(recap: SceneRecap) -> bool:
    return recap.is_locked and bool(recap.text.strip())


def _others_words(
    versions: Sequence[RunningVersion], version: RunningVersion
) -> RunningVersion | None:
    """The newest version that the user or another program wrote: its words may be none of a scene's
    recap.
    """
    earlier = (one for one in reversed(versions) if one.version <= version.version)
    return next((one for one in earlier if one.made_by == YOU or one.reason != FOLD), None)


@lru_cache(maxsize=8)  # asked at each turn, while texts change with each scene
def _are_told(text: str, scenes: tuple[tuple[str, ...], ...]) -> tuple[bool, ...]:
    """For each scene whether a text tells any sentence of its recaps."""
    lines = [line for line in map(one_line, text.splitlines()) if line]
    whole = "\n".join(lines).casefold()
    owners: list[int] = []
    own: list[frozenset[str]] = []
    found = [False] * len(scenes)
    for number, recaps in enumerate(scenes):
        told = [sentence for recap in recaps for sentence in _happened(recap)]
        if not told or any(sentence.casefold() in whole for sentence in told):
            found[number] = True
        owners += [number] * len(told)
        own += [_terms(sentence) for sentence in told]
    for number, is_told in zip(owners, are_retold(own, list(map(_terms, lines))), strict=True):
        found[number] = found[number] or is_told
    return tuple(found)


@lru_cache(maxsize=4096)
def _happened(recap: str) -> tuple[str, ...]:
    """The sentences on what happened; how things stood then is not told for long."""
    parts = parse_recap(recap)
    items = (*parts.developments, *parts.resolved) or (*parts.open, *parts.state)
    return tuple(sentence for item in items for sentence in sentences(item))


@lru_cache(maxsize=16384)  # of a thousand scenes, which a new version leaves as they are
def _terms(sentence: str) -> frozenset[str]:
    return frozenset(ANY_WORDS.of(sentence))
