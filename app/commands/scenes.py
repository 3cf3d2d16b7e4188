"""`tavernkeep scenes`: where a chat's scenes end, and how each break was found."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.terminal.output import show
from app.core.translation import N_, tr, tr_in, trn
from app.memory.documents.scene_memories import memories_by_scene
from app.memory.standing import Standing
from app.story.scene_cues.cue_words import cue_word
from app.story.scenes import SceneBreak
from app.story.story import Story

HELP = N_("find the scenes of a chat")
EXAMPLE = 'scenes "My chat.jsonl"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_until(parser)
    add_llm(parser)
    parser.add_argument(
        "--detector",
        choices=("heuristic", "llm"),
        default="heuristic",
        help=tr("who looks for scene breaks (default: heuristic)"),
    )


async def run(options: argparse.Namespace) -> None:
    """Print the scenes."""
    until = checked_until(options)
    async with companion_for(options, keeps_memory=True) as companion:
        companion.work.pause()
        path = companion.find_chat(options.chat)
        if options.detector == "llm":
            story = await companion.breaks.found(path, until=until)
        else:
            await companion.open_story(path, until=until)
            story = await companion.settled(path, until=until)
        warn_of_problems(story)
        view = companion.memory(path, until=until)
    given = memories_by_scene(story.scenes, view.memories, view.ground)
    scenes = scene_rows(story, given)
    data = {"messages": len(story.messages), "scenes": scenes}
    cues = [_cue(scene.closing) for scene in story.scenes]
    widest = max(map(len, cues), default=0)
    lines = (
        f"{row['first']:>6} - {row['last']:<6} {cue:<{widest}} "
        f"{_percent(row['confidence']):>4}  {row['name']}{_count(memories)}"
        for row, cue, memories in zip(scenes, cues, given, strict=True)
    )
    show(options, data, lines)


def _cue(closing: SceneBreak | None) -> str:
    """By what its end was found, for people."""
    return cue_word(closing) if closing is not None else tr_in("a scene", "open")


def _count(memories: Sequence[Standing]) -> str:
    """How many memories a scene gave, "" for none."""
    if not memories:
        return ""
    return "  " + trn("({n} memory)", "({n} memories)", len(memories))


def _percent(confidence: object) -> str:
    return f"{confidence:.0%}" if isinstance(confidence, float) else ""


def scene_rows(story: Story, given: Sequence[Sequence[Standing]]) -> list[dict[str, object]]:
    """One object per scene; the open one has no cue and no confidence. given: by scene, the
    memories that it gave.
    """
    rows: list[dict[str, object]] = []
    for scene, memories in zip(story.scenes, given, strict=True):
        closing = scene.closing
        rows.append(
            {
                "first": scene.first,
                "last": scene.last,
                "name": story.scene_name(scene),
                "cue": closing.cue if closing else None,
                "confidence": round(closing.confidence, 3) if closing else None,
                "rationale": closing.rationale if closing else None,
                "memories": [standing.memory.id for standing in memories],
            }
        )
    return rows
