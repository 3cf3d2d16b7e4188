"""`tavernkeep serve`: watch SillyTavern and fill its prompts, without a window."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from app.commands.chat_options import add_llm
from app.commands.output import show, warn
from app.companion import open_companion
from app.core.collecting import sparing_the_old
from app.core.errors import NoTavern
from app.core.paths import user_folders
from app.core.translation import N_, tr

HELP = N_("watch SillyTavern and fill its prompts, without a window")
EXAMPLE = "serve --llm ollama:llama3.1:8b"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "--tavern", type=Path, metavar="PATH", help=tr("where SillyTavern's data are")
    )
    add_llm(parser)


async def run(options: argparse.Namespace) -> None:
    """Until interrupted."""
    with sparing_the_old():
        await _serve(options)


async def _serve(options: argparse.Namespace) -> None:
    stopping = asyncio.Event()
    if sys.platform != "win32":
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopping.set)
    folders = user_folders(options.data_dir)
    async with open_companion(
        folders, tavern=options.tavern, llm=options.llm, keeps_memory=True
    ) as companion:
        if not companion.taverns:
            raise NoTavern(tr("No SillyTavern was found. Say where it is with --tavern PATH."))
        if companion.recovery:
            warn(companion.recovery)
        companion.trouble.connect(_on_trouble)
        companion.look_after_newest()
        rows = [
            {
                "user_folder": str(tavern.user_folder),
                "user": tavern.user,
                "bridge": (await companion.bridge.status(tavern.user_folder)).sentence,
            }
            for tavern in companion.taverns
        ]
        show(
            options,
            {"serving": rows},
            (
                tr("Serving {folder}. {bridge}", folder=row["user_folder"], bridge=row["bridge"])
                for row in rows
            ),
        )
        await stopping.wait()


def _on_trouble(trouble: tuple[Path, str]) -> None:
    warn(trouble[1])
