"""`tavernkeep recap`: scene recaps and the running recap of a chat."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.terminal.output import show, warn
from app.commands.terminal.progress_line import progress_shown
from app.core.translation import N_, tr
from app.story.story import Story

HELP = N_("write the recaps of a chat")
EXAMPLE = 'recap "My chat.jsonl" --llm ollama:llama3.1:8b'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)


async def run(options: argparse.Namespace) -> int:
    """Write what is missing and print all of it; 1 when something could not be written."""
    until = checked_until(options)
    async with companion_for(options) as companion:
        path = companion.find_chat(options.chat)
        with progress_shown(companion, path, until=until):
            await companion.open_story(path, until=until)
            story, failures = await companion.finished(path, until=until)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    data = recap_data(story)
    show(options, data, _lines(data))
    return 1 if failures else 0


def recap_data(story: Story) -> dict[str, Any]:
    """Scenes with their recaps, and every version of the running recap."""
    scenes = []
    for scene in story.scenes:
        recap = story.scene_recap(scene)
        versions = story.recaps.get(scene.closing.anchor, ()) if scene.closing else ()
        scenes.append(
            {
                "first": scene.first,
                "last": scene.last,
                "name": story.scene_name(scene),
                "recap": recap.text if recap else None,
                "versions": [version.text for version in versions],
            }
        )
    positions = {message.anchor: index for index, message in enumerate(story.messages)}
    running = [
        {
            "version": version.version,
            "content": version.content,
            "scene_count": version.scene_count,
            "last_message": positions.get(version.last_anchor),
            "made_by": version.made_by,
            "created": version.created,
            "reason": version.reason,
        }
        for version in story.running.versions
    ]
    return {
        "scenes": scenes,
        "running": running,
        "current_version": story.running.current_version,
    }


def _lines(data: dict[str, Any]) -> Iterator[str]:
    for number, scene in enumerate(data["scenes"], start=1):
        name = scene["name"] or tr("Scene")
        yield f"{number}. {name} (#{scene['first']}-{scene['last']})"
        yield (scene["recap"] or tr("  no recap")) + "\n"
    current = data["current_version"]
    for version in data["running"]:
        if version["version"] == current:
            yield tr("Running recap, version {n}:", n=current)
            yield version["content"]
