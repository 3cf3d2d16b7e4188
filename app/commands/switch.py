"""`tavernkeep switch`: Tavernkeep off for a chat, or on again; nothing is deleted."""

from __future__ import annotations

import argparse

from app.commands.chat_options import add_chat, companion_for
from app.commands.terminal.output import show
from app.core.errors import UsageError
from app.core.operations import OFF
from app.core.translation import N_, tr

HELP = N_("switch Tavernkeep off for a chat, or on again")
EXAMPLE = 'switch "My chat.jsonl" off'
OFF_WORDS = N_("Switch it on again with: tavernkeep switch CHAT on")
ON_WORDS = N_("Tavernkeep is on for this chat.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    parser.add_argument(
        "state",
        nargs="?",
        choices=("on", "off"),
        help=tr("the new state; without it, show the present one"),
    )


async def run(options: argparse.Namespace) -> int:
    """Switch, and print how it is now.

    Raises UsageError when another program works in the data folder.
    """
    async with companion_for(options) as companion:
        companion.work.pause()
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        if options.state is not None:
            if companion.is_reading_only:
                raise UsageError(
                    tr("Another Tavernkeep is using this data folder: switch the chat there.")
                )
            is_off = options.state == "off"
            await companion.put_setting("chat_off", is_off, path=path, noted_in=path)
        is_off = bool(companion.setting("chat_off", path=path).value)
    show(options, {"off": is_off}, [tr(OFF), tr(OFF_WORDS)] if is_off else [tr(ON_WORDS)])
    return 0
