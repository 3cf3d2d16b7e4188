"""`tavernkeep serve`: watch SillyTavern and fill its prompts, without a window."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
from pathlib import Path

from app.commands.chat_options import add_llm
from app.commands.terminal.output import show, warn
from app.companion import Companion, open_companion
from app.core.collecting import sparing_the_old
from app.core.errors import NoTavern
from app.core.paths import user_folders
from app.core.translation import N_, tr
from app.views.taverns import RemoteTavern, Tavern

HELP = N_("watch SillyTavern and fill its prompts, without a window")
CODE = N_(
    "The code is {code}. Within five minutes, enter it on SillyTavern's page under Extensions, "
    "Tavernkeep, or type /tk-pair {code} there."
)
EXAMPLE = "serve --llm ollama:llama3.1:8b"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "--tavern", type=Path, metavar="PATH", help=tr("where SillyTavern's data are")
    )
    parser.add_argument(
        "--pair",
        action="store_true",
        help=tr("show a code to pair with the page of a SillyTavern on another machine"),
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
        companion.remote.paired.connect(_on_paired)
        is_remote = options.pair or bool(companion.remote.taverns)
        if not companion.taverns and not is_remote:
            raise NoTavern(tr("No SillyTavern was found. Say where it is with --tavern PATH."))
        if companion.recovery:
            warn(companion.recovery)
        companion.trouble.connect(_on_trouble)
        companion.look_after_newest()
        rows = [
            {
                "user_folder": str(tavern.user_folder),
                "user": tavern.user,
                "bridge": await _bridge_of(companion, tavern),
            }
            for tavern in companion.taverns
        ]
        data: dict[str, object] = {"serving": rows}
        lines = [
            tr("Running for {folder}. {bridge}", folder=row["user_folder"], bridge=row["bridge"])
            for row in rows
        ]
        if options.pair:
            companion.remote.show_code()
            data["code"] = companion.remote.code_text
            lines.append(tr(CODE, code=companion.remote.code_text))
        show(options, data, lines)
        await stopping.wait()


def _on_trouble(trouble: tuple[Path, str]) -> None:
    warn(trouble[1])


def _on_paired(tavern: RemoteTavern) -> None:
    print(tr("Paired with SillyTavern's page at {host}.", host=tavern.host), flush=True)


async def _bridge_of(companion: Companion, tavern: Tavern) -> str:
    if tavern.host:
        coming = tr("Chats come from SillyTavern's page at {host}.", host=tavern.host)
        return companion.remote.problem(tavern.user_folder) or coming
    return (await companion.bridge.status(tavern.user_folder)).sentence
