"""`tavernkeep clear`: forget what is known of a chat, all of it in one step."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from app.commands.chat_options import add_chat, companion_for
from app.commands.terminal.output import show
from app.core.errors import UsageError
from app.core.translation import N_, tr

HELP = N_("delete all recaps, scene breaks and marks of a chat")
EXAMPLE = 'clear "My chat.jsonl"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    parser.add_argument(
        "--yes",
        action="store_true",
        help=tr("delete them; without it, only show what would be deleted"),
    )


async def run(options: argparse.Namespace) -> int:
    """Print the seven counts of what goes; with --yes it goes. It can be undone in the window.

    Raises UsageError when another program works in the data folder.
    """
    async with companion_for(options) as companion:
        companion.work.pause()  # what is made anew is for the program that looks after the chat
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        await companion.settled(path)
        if options.yes and companion.is_reading_only:
            raise UsageError(
                tr("Another Tavernkeep is using this data folder: clear the chat there.")
            )
        edits = companion.edits
        gone = await (edits.clear_all(path) if options.yes else edits.clearance(path))
    data = {**asdict(gone), "cleared": bool(options.yes and gone)}
    lines = list(gone.parts) or [tr("nothing to delete")]
    if gone and not options.yes:
        lines.append(tr("Nothing was changed. Add --yes to delete all this."))
    elif gone:
        lines.append(tr("All this is deleted. Undo in the window brings it back."))
    show(options, data, lines)
    return 0
