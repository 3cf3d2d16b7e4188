"""What recap extensions left in a chat, in the forms in which it is kept here. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import structs

from app.sillytavern.chat_file import ChatSnapshot
from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.message_extras import (
    RunningExtra,
    SceneExtra,
    message_recaps,
    running_extra,
    scene_extra,
)
from app.sillytavern.extensions.scene_writing import stored_recap
from app.sillytavern.extensions.stored_recap import display_text
from app.story.clearance import Forgotten
from app.story.messages import Absence, Message, MessageRecap
from app.story.recaps import FOREIGN, IMPORTED, RunningVersion, SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scene_digest, scenes_of
from app.story.story import Story
from app.views.findings import Left
from app.work.planning.planner import recapped_messages

NO_BREAKS: Mapping[str, SceneBreak] = {}


def left_by_others(
    snapshot: ChatSnapshot,
    messages: Sequence[Message],
    *,
    is_others: Callable[[ChatSnapshot, str], bool],
    speakers: str = "both",
    known: Mapping[str, SceneBreak] = NO_BREAKS,
) -> Left:
    """All that ST-Auto-Recap and its kin left in the chat (spec/auto-recap.md §1 and §12).

    messages: as the snapshot has them. is_others: whether data under another chat's name belong to
    that chat (chat_kin.tells_another_story). speakers: whose messages scene recaps are made from
    here, so that theirs are not taken to be outdated. known: breaks of which we know.
    """
    scenes = {
        index: extra
        for index, line in enumerate(snapshot.lines)
        # A recap without its break counts again when a break is set there.
        if line.recaps
        and (extra := scene_extra(line)) is not None
        and (extra.is_break or any(extra.versions))
    }
    breaks = tuple(
        _scene_break(messages[index], extra) for index, extra in scenes.items() if extra.is_break
    )
    marks = {**{mark.anchor: mark for mark in breaks}, **known}
    running = running_extra(snapshot.chat_metadata)
    versions: tuple[RunningVersion, ...] = ()
    is_foreign = running is not None and _is_foreign(running, snapshot, is_others)
    if running is not None:
        versions = tuple(_versions(running, messages, foreign=is_foreign))
    return Left(
        breaks,
        tuple(_scene_recaps(messages, scenes, marks, speakers)),
        versions,
        running.current_version if running is not None and not is_foreign else None,
        {
            # What is not known to be of another text is taken to be of the one shown.
            messages[index].anchor: structs.replace(
                recap,
                source_hash=recap.source_hash or messages[index].content_hash,
                swipe=messages[index].swipe,
            )
            for index, recap in message_recaps(snapshot.lines).items()
        },
    )


def what_is_new(left: Left, story: Story, forgotten: Forgotten) -> Left:
    """What of it is neither known nor was put away here.

    A message's recap is new where there is none, or where it was written there by hand and not
    here: ours may be newer than what the chat says of it.
    """
    put_away = forgotten.scene_recaps
    known = {
        anchor: {one.text for one in versions} | {stored_recap(one) for one in versions}
        for anchor in (story.recaps.keys() | put_away.keys())
        if (versions := (*story.recaps.get(anchor, ()), *put_away.get(anchor, ())))
    }
    # Of running recaps by their words alone: their numbers here may be others, and what the
    # extension knows of their place is an index.
    told = {version.content for version in (*story.running.versions, *forgotten.running)}
    return Left(
        tuple(
            mark
            for mark in left.breaks
            if mark.anchor not in story.breaks and mark.anchor not in forgotten.scenes
        ),
        tuple(
            recap
            for recap in left.scene_recaps
            if not {recap.text, recap.stored} & known.get(recap.anchor, set())
        ),
        tuple(version for version in left.running if version.content not in told),
        left.current,
        {
            anchor: recap
            for anchor, recap in left.message_recaps.items()
            if recap.text not in {gone.text for gone in forgotten.messages.get(anchor, ())}
            and _is_wanted(recap, story.message_recaps.get(anchor, MessageRecap()))
        },
    )


def _is_wanted(theirs: MessageRecap, ours: MessageRecap) -> bool:
    if not theirs.text or ours.absence is Absence.REMOVED or ours.is_edited:
        return False
    return not ours.text or (theirs.is_edited and theirs.text != ours.text)


def _scene_break(message: Message, extra: SceneExtra) -> SceneBreak:
    return SceneBreak(
        anchor=message.anchor,
        origin=BreakOrigin.IMPORT,
        cue="import",
        name=extra.name,
        is_visible=extra.is_visible,
        is_collapsed=extra.is_collapsed,
    )


def _scene_recaps(
    messages: Sequence[Message],
    extras: Mapping[int, SceneExtra],
    marks: Mapping[str, SceneBreak],
    speakers: str,
) -> list[SceneRecap]:
    """All versions of all imported scenes, as texts; taken to be of the scene as it is now."""
    found: list[SceneRecap] = []
    scenes = {s.last: s for s in scenes_of(messages, marks)}
    for index, extra in extras.items():
        scene = scenes.get(index)
        source = scene_digest(recapped_messages(messages, scene, speakers)) if scene else ""
        for place, version in enumerate(extra.versions):
            metadata = extra.metadata.get(place, {})
            combined = metadata.get("combined_at")
            text = display_text(version)
            if not text:  # the extension stores an empty version when it only draws a break
                continue
            found.append(
                SceneRecap(
                    anchor=messages[index].anchor,
                    version=place,
                    name=extra.name,
                    text=text,
                    source_digest=source,
                    made_by=IMPORTED,
                    created=loose.seconds(metadata.get("timestamp")),
                    is_current=place == extra.current,
                    stored=version,
                    combined_at=loose.seconds(combined) if loose.is_number(combined) else None,
                )
            )
    return found


def _is_foreign(
    running: RunningExtra, snapshot: ChatSnapshot, is_others: Callable[[ChatSnapshot, str], bool]
) -> bool:
    """Whether a running recap was written for another chat, and this is no branch or copy of it,
    nor the same one under another name (spec/auto-recap.md §1.10).
    """
    return (
        running.chat_id not in ("", snapshot.path.stem)
        and "main_chat" not in snapshot.chat_metadata
        and is_others(snapshot, running.chat_id)
    )


def _versions(
    running: RunningExtra, messages: Sequence[Message], *, foreign: bool
) -> Iterator[RunningVersion]:
    for extra in running.versions:
        # An index behind the end tells of messages that are gone: kept, and never injected.
        anchors = [
            messages[index].anchor if 0 <= index < len(messages) else f"gone {index}"
            for index in (extra.prev_scene_index, extra.new_scene_index)
        ]
        yield RunningVersion(
            version=extra.version,
            content=extra.content,
            scene_count=extra.scene_count,
            first_anchor=anchors[0] if extra.prev_scene_index else "",
            last_anchor=anchors[1],
            made_by=IMPORTED,
            created=loose.seconds(extra.timestamp) or time.time(),
            # Another chat's memory is neither thrown away nor used unasked: it can be chosen.
            reason=FOREIGN if foreign else "import",
            is_retired=foreign,
        )
