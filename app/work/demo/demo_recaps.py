"""The recaps that come with the demo story: what a good model makes of it, seen without one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import msgspec

from app.core.resources import RESOURCES
from app.settings.recaps import RecapSettings
from app.settings.scenes import SceneSettings
from app.store.store import Store
from app.store.stories.recaps import Recaps
from app.story.recap_texts.recap_length import scene_recap_length
from app.story.recap_texts.recap_text import Recap, fitted
from app.story.recaps import BUILT_IN, DEMO_AUTHORS, RunningVersion, SceneRecap
from app.story.scenes import Scene
from app.story.story import Story
from app.work.planning.planner import recap_bounds, recap_room, recapped_messages, source_digest

FILE = RESOURCES / "demo" / "recaps.json"
Count = Callable[[str], int]


class _Scene(msgspec.Struct, forbid_unknown_fields=True):
    """first, last: indexes of its messages. The lists are as in Recap."""

    first: int
    last: int
    name: str
    developments: tuple[str, ...]
    open: tuple[str, ...]
    state: tuple[str, ...]

    @property
    def text(self) -> str:
        return Recap(self.developments, self.open, self.state).render()


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A line of the running recap. since: the scene that brought it, 1 for the first. until: the
    scene that ended it or told it in other words, None while it holds.
    """

    field: Literal["developments", "open", "state"]
    text: str
    since: int
    until: int | None = None


class _Demo(msgspec.Struct, forbid_unknown_fields=True):
    scenes: tuple[_Scene, ...]
    running: tuple[_Entry, ...]

    def running_after(self, number: int) -> Recap:
        """The running recap into which so many scenes were folded."""

        def of(field: str) -> tuple[str, ...]:
            return tuple(
                entry.text
                for entry in self.running
                if entry.field == field
                and entry.since <= number
                and (entry.until is None or number < entry.until)
            )

        return Recap(of("developments"), of("open"), of("state"))


@dataclass(frozen=True, slots=True)
class _Given:
    """New versions, oldest first: those of scenes, and those of the running recap, unnumbered."""

    scenes: tuple[SceneRecap, ...]
    running: tuple[RunningVersion, ...]


async def give_demo_recaps(
    store: Store, path: Path, story: Story, settings: Mapping[str, Any], count_tokens: Count
) -> bool:
    """Write the demo story's recaps behind those that the built-in way writes; once, and only where
    nobody else has written, chosen to delete or imported any.

    path, story: of the demo's chat, which was read before. settings: of that chat. Scenes that end
    elsewhere than in the demo's own telling get none. Gives whether anything was written. Raises
    StoreError.
    """

    def state() -> tuple[bool, bool]:
        chat_id = store.chats.id_of(str(path))
        return _is_untouched(store.recaps, chat_id), bool(store.recaps.running(chat_id).versions)

    is_untouched, has_running = await store.run(state)
    if not is_untouched:
        return False
    demo = msgspec.json.decode(await asyncio.to_thread(FILE.read_bytes), type=_Demo)
    pairs = list(_matched(demo, story))
    if not pairs:
        return False
    given = await asyncio.to_thread(
        _given, demo, pairs, story, settings, count_tokens, has_running=has_running
    )

    def unit() -> bool:
        chat_id = store.chats.id_of(str(path))
        recaps = store.recaps
        if not _is_untouched(recaps, chat_id):
            return False
        recaps.import_scene_recaps(chat_id, given.scenes)
        first = recaps.next_running(chat_id)
        numbered = [replace(v, version=first + n) for n, v in enumerate(given.running)]
        recaps.import_running(chat_id, numbered, first + len(numbered) - 1 if numbered else None)
        return True

    return await store.run(unit)


def _is_untouched(recaps: Recaps, chat_id: int) -> bool:
    """Whether there are no recaps, or the built-in way's alone, none of them put away."""
    running = recaps.running(chat_id)
    if recaps.deleted_scene_recaps(chat_id) or recaps.deleted_running(chat_id):
        return False
    scenes = recaps.scene_recaps(chat_id).values()
    makers = {recap.made_by for versions in scenes for recap in versions}
    makers.update(version.made_by for version in running.versions)
    return makers <= {BUILT_IN} and not any(version.is_retired for version in running.versions)


def _matched(demo: _Demo, story: Story) -> Iterator[tuple[Scene, _Scene]]:
    """The closed scenes of the chat that are scenes of the demo's telling."""
    told = {(scene.first, scene.last): scene for scene in demo.scenes}
    for scene in story.scenes:
        by_authors = told.get((scene.first, scene.last))
        if by_authors is not None and scene.closing is not None:
            yield scene, by_authors


def _given(
    demo: _Demo,
    pairs: Sequence[tuple[Scene, _Scene]],
    story: Story,
    settings: Mapping[str, Any],
    count_tokens: Count,
    *,
    has_running: bool,
) -> _Given:
    """What is written. has_running: the built-in way folded scenes in already."""
    now = time.time()
    end = sum(scene.closing is not None for scene in story.scenes)
    end -= RecapSettings(settings).running_recap_leave_out
    # A running recap has no gaps.
    whole = takewhile(
        lambda one: one[1] == one[0][0].number, zip(pairs, range(1, end + 1), strict=False)
    )
    folded = {number for _, number in whole}
    written: list[SceneRecap] = []
    told: list[tuple[Scene, SceneRecap]] = []  # what is folded in, as the built-in way wrote it
    for scene, by_authors in pairs:
        assert scene.closing is not None
        recap = SceneRecap(
            anchor=scene.closing.anchor,
            version=0,
            name=by_authors.name,
            text=by_authors.text,
            source_digest=source_digest(story, scene, settings),
            made_by=DEMO_AUTHORS,
            created=now,
            combined_at=now if scene.number in folded else None,
        )
        built_in = next(iter(story.recaps.get(recap.anchor, ())), None)
        if built_in is None:
            built_in = _by_rules(recap, story, scene, settings, count_tokens)
            written.append(built_in)
        written.append(recap)
        if scene.number in folded:
            told.append((scene, built_in))
    room = recap_room(settings)
    contents = [
        fitted(demo.running_after(scene.number), room, count_tokens).render() for scene, _ in told
    ]
    running = _versions(told, contents, DEMO_AUTHORS, now)
    if not has_running:
        running = _versions(told, _folded(told, room, count_tokens), BUILT_IN, now) + running
    return _Given(tuple(written), running)


def _by_rules(
    recap: SceneRecap, story: Story, scene: Scene, settings: Mapping[str, Any], count_tokens: Count
) -> SceneRecap:
    """What the built-in way writes of the same scene."""
    # Imported when needed: numpy.
    from app.story.recap_texts.extractive import extract_scene_recap

    messages = recapped_messages(
        story.messages, scene, SceneSettings(settings).scene_recap_messages
    )
    tokens = sum(count_tokens(message.text) for message in messages)
    length = scene_recap_length(tokens, *recap_bounds(settings))
    extract = extract_scene_recap(messages, tokens=length, count_tokens=count_tokens)
    text = "\n".join(extract.sentences)
    return replace(recap, name=extract.name, text=text, made_by=BUILT_IN, is_current=False)


def _folded(
    told: Sequence[tuple[Scene, SceneRecap]], room: int, count_tokens: Count
) -> Iterator[str]:
    """The running recap after each scene as the built-in way folds it in."""
    from app.story.recap_texts.folding import fold_running

    text = ""
    for scene, recap in told:
        name = scene.name or recap.name  # as when it is planned
        text = fold_running(text, name, recap.text, tokens=room, count_tokens=count_tokens)
        yield text


def _versions(
    told: Sequence[tuple[Scene, SceneRecap]], contents: Iterable[str], made_by: str, now: float
) -> tuple[RunningVersion, ...]:
    """Running versions, one for each scene, each built on the one before."""
    anchors = [recap.anchor for _, recap in told]
    return tuple(
        RunningVersion(
            version=0,
            content=content,
            scene_count=scene.number,
            first_anchor=before,
            last_anchor=recap.anchor,
            made_by=made_by,
            created=now,
        )
        for (scene, recap), before, content in zip(told, ["", *anchors], contents, strict=False)
    )
