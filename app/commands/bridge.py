"""`tavernkeep bridge`: put the extension into SillyTavern, take it out, or say how it stands; make
its folder for a SillyTavern on another machine.
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace
from pathlib import Path

from app.commands.tavern_options import add_tavern, chosen_taverns
from app.commands.terminal.output import show
from app.core.errors import NoTavern, UsageError
from app.core.translation import N_, tr
from app.sillytavern.bridge import bridge_export, bridge_installer
from app.views.bridge import REMOVED, BridgeStatus

HELP = N_("install the bridge into SillyTavern, remove it, show its state, or export it")
EXAMPLE = "bridge install"

_COMMANDS = {
    "install": bridge_installer.install,
    "remove": bridge_installer.remove,
    "status": bridge_installer.status,
}
_EXPORT = "export"
WHERE = N_(
    "Copy {folder} into data/default-user/extensions of that SillyTavern. Its data folder is, in "
    "Docker, what is mounted as /home/node/app/data; in WSL "
    "\\\\wsl$\\NAME\\home\\USER\\SillyTavern\\data; in Termux ~/SillyTavern/data."
)
NEXT = N_(
    "Reload its page, have Tavernkeep show a code (Settings, SillyTavern), and type it there "
    "among the extensions or as /tk-pair CODE."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    words = tr(
        "install or update it, remove it, show its state (status), or create its folder for a "
        "SillyTavern on another machine (export FOLDER)"
    )
    names = (*_COMMANDS, _EXPORT)
    parser.add_argument("subcommand", choices=names, metavar="|".join(names), help=words)
    parser.add_argument(
        "folder", nargs="?", type=Path, metavar="FOLDER", help=tr("where export creates its folder")
    )
    add_tavern(parser)


async def run(options: argparse.Namespace) -> None:
    """Do it in every tavern that is found; an export goes to its folder alone."""
    if options.subcommand == _EXPORT:
        await _export(options)
        return
    if options.folder is not None:
        raise UsageError(
            tr("Only export takes a folder. Say where SillyTavern is with --tavern PATH.")
        )
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


async def _export(options: argparse.Namespace) -> None:
    if options.folder is None:
        raise UsageError(tr("Name a folder to export to: tavernkeep bridge export FOLDER."))
    folder = await asyncio.to_thread(bridge_export.export, options.folder.expanduser())
    show(options, {"folder": str(folder)}, (tr(WHERE, folder=folder), tr(NEXT)))


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
