"""`tavernkeep imports`: what other memory extensions left of a chat, and taking it in."""

from __future__ import annotations

import argparse

from app.commands.chat_options import add_chat, companion_for
from app.commands.output import show
from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.work.chats.findings import Finding

HELP = N_("show what other memory extensions left of a chat, and take it in")
EXAMPLE = 'imports "My chat.jsonl"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    parser.add_argument(
        "--yes", action="store_true", help=tr("take it in; else only what there is is said")
    )


async def run(options: argparse.Namespace) -> int:
    """Print what is not known here, by extension, and what of it cannot be taken in; with --yes it
    is taken in. It can be undone in the window.

    Raises UsageError when another program works in the data folder.
    """
    async with companion_for(options, keeps_memory=True) as companion:
        companion.work.pause()  # what is made of it is for the program that looks after the chat
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        await companion.settled(path)
        if options.yes and companion.is_reading_only:
            raise UsageError(tr("Another Tavernkeep works in this data folder: take it in there."))
        extension = companion.edits.extension
        found = await (extension.take_in(path) if options.yes else extension.found(path))
    lines = [line for finding in found.of for line in _lines(finding)]
    if not found:
        lines.append(tr("Nothing to take in: all that there is is known here."))
    elif not options.yes:
        lines.append(tr("Nothing was changed. Add --yes to take all this in."))
    data = {"taken_in": bool(options.yes and found), "found": [_data(one) for one in found.of]}
    show(options, data, lines)
    return 0


def _lines(finding: Finding) -> list[str]:
    taken = [f"{finding.whose}: {part}" for part in finding.parts]
    return taken + [
        tr("{extension}, not taken: {reason}", extension=finding.whose, reason=reason)
        for reason in finding.reasons
    ]


def _data(finding: Finding) -> dict[str, object]:
    left = finding.left
    return {
        "extension": finding.whose,
        "scene_breaks": len(left.breaks),
        "hidden_breaks": len(left.hidden),
        "scene_recaps": len(left.scene_recaps),
        "running_recaps": len(left.running),
        "message_recaps": len(left.message_recaps),
        "memories": len(finding.memories.memories),
        "left_out": {why.value: count for why, count in finding.left_out.items()},
    }
