"""`tavernkeep recap`: scene recaps and the running recap of a chat."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from app.commands.chat_options import (
    add_again,
    add_chat,
    add_llm,
    add_until,
    companion_for,
    warn_of_problems,
    worked_off,
)
from app.commands.terminal.output import show, warn
from app.commands.terminal.progress_line import progress_shown
from app.core.translation import N_, tr
from app.story.recap_texts.replacing import Wording
from app.story.story import Story
from app.views.replacing import Part

HELP = N_("write the recaps of a chat")
EXAMPLE = 'recap "My chat.jsonl" --llm ollama:llama3.1:8b'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)
    add_again(parser)
    parser.add_argument(
        "--replace",
        nargs=2,
        metavar=("FIND", "PUT"),
        help=tr("replace FIND with PUT in all that was written; recaps get new versions"),
    )
    parser.add_argument(
        "--in",
        dest="parts",
        nargs="+",
        choices=tuple(part.value for part in Part),
        default=[part.value for part in Part],
        help=tr("where --replace looks (default: everywhere)"),
    )
    parser.add_argument(
        "--part-of-words", action="store_true", help=tr("--replace also within longer words")
    )
    parser.add_argument(
        "--any-case",
        action="store_true",
        help=tr("--replace whether letters are capital or small"),
    )
    parser.add_argument(
        "--yes", action="store_true", help=tr("make the replacement; without it, only show it")
    )


async def run(options: argparse.Namespace) -> int:
    """Write what is missing and print all of it; 1 when something could not be written."""
    if options.replace:
        return await _replace(options)
    async with companion_for(options) as companion:
        path = companion.find_chat(options.chat)
        with progress_shown(companion, path, until=options.until):
            story, failures = await worked_off(options, companion, path)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    data = recap_data(story)
    show(options, data, _lines(data))
    return 1 if failures else 0


async def _replace(options: argparse.Namespace) -> int:
    """Print what would read otherwise, or with --yes does from now on; 1 where nothing is found."""
    find, put = options.replace
    wording = Wording(find, put, is_word=not options.part_of_words, is_cased=not options.any_case)
    parts = frozenset(map(Part, options.parts))
    async with companion_for(options, keeps_memory=True) as companion:
        companion.work.pause()
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        replacing = companion.replacing
        found = replacing.finds(path, wording, parts)
        if options.yes:
            found = await replacing.replace(path, wording, parts)
    told = [f"{one.part.value}: {one.before}\n  -> {one.after}" for one in found.examples]
    if not found.count:
        told = [tr("Nothing written for this chat contains that.")]
    elif not options.yes:
        told.append(tr("Nothing was changed. Add --yes to change all this."))
    texts = {part.value: count for part, count in found.texts.items()}
    show(options, {"texts": texts, "changed": bool(options.yes and found.count)}, told)
    return 0 if found.count else 1


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
