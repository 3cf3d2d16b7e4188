"""`tavernkeep bridge`: put the extension into SillyTavern, take it out, or say how it stands."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from app.commands.output import show
from app.commands.tavern_options import add_tavern, chosen_taverns
from app.core.errors import NoTavern
from app.core.translation import N_, tr
from app.sillytavern.bridge import bridge_installer
from app.sillytavern.bridge.bridge_installer import REMOVED, BridgeStatus

HELP = N_("install the bridge into SillyTavern, remove it, or show its state")
EXAMPLE = "bridge install"

_COMMANDS = {
    "install": bridge_installer.install,
    "remove": bridge_installer.remove,
    "status": bridge_installer.status,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    words = tr("install it or bring it up to date, remove it, or say how it stands (status)")
    parser.add_argument(
        "subcommand", choices=tuple(_COMMANDS), metavar="|".join(_COMMANDS), help=words
    )
    add_tavern(parser)


async def run(options: argparse.Namespace) -> None:
    """Do it in every tavern that is found."""
    taverns = await chosen_taverns(options)
    if not taverns:
        raise NoTavern(tr("No SillyTavern was found. Say where it is with --tavern PATH."))
    states = [
        await asyncio.to_thread(_do, options.subcommand, tavern.user_folder) for tavern in taverns
    ]
    show(
        options,
        {"taverns": [_row(state) for state in states]},
        (f"{state.path}: {state.sentence}" for state in states),
    )


def _do(command: str, user_folder: Path) -> BridgeStatus:
    """How it stands afterwards; a removal says that it was one, and what is left to do."""
    was_there = bridge_installer.status(user_folder).installed
    state = _COMMANDS[command](user_folder)
    if command == "remove" and was_there and not state.installed:
        return replace(state, sentence=tr(REMOVED))
    return state


def _row(state: BridgeStatus) -> dict[str, object]:
    return {
        "path": str(state.path),
        "installed": state.installed,
        "version": state.version,
        "newer_available": state.newer_available,
        "sentence": state.sentence,
    }
