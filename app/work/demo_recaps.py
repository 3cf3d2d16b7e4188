"""The recaps that come with the demo story: what a good model makes of it, seen without one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import msgspec

from app.paths import RESOURCES
from app.store.recaps import Recaps
from app.store.store import Store
from app.story.recap_length import scene_recap_length
from app.story.recap_text import Recap, fitted
from app.story.recaps import BUILT_IN, DEMO_AUTHORS, RunningVersion, SceneRecap
from app.story.scenes import Scene
from app.story.story import Story
from app.work.planner import recap_bounds, recap_room, recapped_messages, source_digest

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
    pairs: list[tuple[Scene, _Scene]],
    story: Story,
    settings: Mapping[str, Any],
    count_tokens: Count,
    *,
    has_running: bool,
) -> _Given:
    """What is written. has_running: the built-in way folded scenes in already."""
    # Imported when needed: numpy.
    from app.story.extractive import extract_scene_recap
    from app.story.folding import fold_running

    now, room = time.time(), recap_room(settings)
    end = sum(scene.closing is not None for scene in story.scenes)
    end -= int(settings["running_recap_leave_out"])
    # A running recap has no gaps.
    whole = takewhile(
        lambda one: one[1] == one[0][0].number, zip(pairs, range(1, end + 1), strict=False)
    )
    folded = {number for _, number in whole}
    scenes: list[SceneRecap] = []
    by_rules: list[RunningVersion] = []
    by_authors: list[RunningVersion] = []
    before = text = ""
    for scene, told in pairs:
        assert scene.closing is not None
        anchor, is_folded = scene.closing.anchor, scene.number in folded
        built_in = next(iter(story.recaps.get(anchor, ())), None)
        recap = SceneRecap(
            anchor=anchor,
            version=0,
            name=told.name,
            text=told.text,
            source_digest=source_digest(story, scene, settings),
            made_by=DEMO_AUTHORS,
            created=now,
            combined_at=now if is_folded else None,
        )
        if built_in is None:
            messages = recapped_messages(
                story.messages, scene, str(settings["scene_recap_messages"])
            )
            length = scene_recap_length(
                sum(count_tokens(message.text) for message in messages), *recap_bounds(settings)
            )
            extract = extract_scene_recap(messages, tokens=length, count_tokens=count_tokens)
            built_in = replace(
                recap, name=extract.name, text="\n".join(extract.sentences), made_by=BUILT_IN
            )
            scenes.append(replace(built_in, is_current=False))
        scenes.append(recap)
        if not is_folded:
            continue
        version = RunningVersion(
            version=0,
            content=fitted(demo.running_after(scene.number), room, count_tokens).render(),
            scene_count=scene.number,
            first_anchor=before,
            last_anchor=anchor,
            made_by=DEMO_AUTHORS,
            created=now,
        )
        by_authors.append(version)
        if not has_running:
            # As when it is planned: by the name that the scene bears then.
            name = scene.name or built_in.name
            text = fold_running(text, name, built_in.text, tokens=room, count_tokens=count_tokens)
            by_rules.append(replace(version, content=text, made_by=BUILT_IN))
        before = anchor
    return _Given(tuple(scenes), (*by_rules, *by_authors))
