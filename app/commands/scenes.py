"""`tavernkeep scenes`: where a chat's scenes end, and how each break was found."""

from __future__ import annotations

import argparse

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.terminal.output import show
from app.core.translation import N_, tr, tr_in
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
    async with companion_for(options) as companion:
        companion.work.pause()
        path = companion.find_chat(options.chat)
        if options.detector == "llm":
            story = await companion.breaks.found(path, until=until)
        else:
            await companion.open_story(path, until=until)
            story = await companion.settled(path, until=until)
        warn_of_problems(story)
    scenes, unended = scene_rows(story), tr_in("a scene", "open")
    show(
        options,
        {"messages": len(story.messages), "scenes": scenes},
        (
            f"{scene['first']:>6} - {scene['last']:<6} {scene['cue'] or unended:<10} "
            f"{_percent(scene['confidence']):>4}  {scene['name']}"
            for scene in scenes
        ),
    )


def _percent(confidence: object) -> str:
    return f"{confidence:.0%}" if isinstance(confidence, float) else ""


def scene_rows(story: Story) -> list[dict[str, object]]:
    """One object per scene; the open one has no cue and no confidence."""
    rows: list[dict[str, object]] = []
    for scene in story.scenes:
        closing = scene.closing
        rows.append(
            {
                "first": scene.first,
                "last": scene.last,
                "name": story.scene_name(scene),
                "cue": closing.cue if closing else None,
                "confidence": round(closing.confidence, 3) if closing else None,
                "rationale": closing.rationale if closing else None,
            }
        )
    return rows
