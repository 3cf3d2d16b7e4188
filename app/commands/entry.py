"""Reads the command line, runs one command, and turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from types import ModuleType

from app.commands import (
    bridge,
    clear,
    doctor,
    export,
    imports,
    inclusion,
    leaks,
    memory,
    model_test,
    prompts,
    recap,
    scenes,
    search,
    serve,
    slots,
    switch,
    update_check,
)
from app.core import translation
from app.core.chosen_language import use_chosen
from app.core.errors import TavernkeepError, UsageError, reason_of
from app.core.paths import data_folder
from app.core.private_log import log_to_stderr
from app.core.translation import tr

DONE, FAILED, WRONG_USAGE = 0, 1, 2

COMMANDS: tuple[ModuleType, ...] = (
    scenes,
    recap,
    memory,
    leaks,
    search,
    export,
    imports,
    inclusion,
    slots,
    switch,
    clear,
    prompts,
    model_test,
    serve,
    bridge,
    update_check,
    doctor,
)


def own_folder_words() -> str:
    """What --data-dir does, for the help; argparse reads "%" in it."""
    own = str(data_folder()).replace("%", "%%")
    return tr("folder for Tavernkeep's own data (default: {folder})", folder=own)


def command_lines() -> tuple[tuple[str, str], ...]:
    """Name of each command and what it does, in the order of the help."""
    return tuple((_name_of(module), tr(module.HELP)) for module in COMMANDS)


def _name_of(module: ModuleType) -> str:
    return module.__name__.rpartition(".")[2].replace("_", "-")


def build_parser() -> argparse.ArgumentParser:
    """The parser with one subcommand per module of this package."""
    parser = argparse.ArgumentParser(
        prog="tavernkeep",
        description=tr("A memory for long SillyTavern stories. Without a command: the window."),
        epilog=tr("tavernkeep COMMAND --help explains a command."),
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        subparser = subparsers.add_parser(
            _name_of(module),
            help=tr(module.HELP),
            description=tr(module.HELP),
            epilog=tr("For example: {command}", command=f"tavernkeep {module.EXAMPLE}"),
            formatter_class=argparse.RawDescriptionHelpFormatter,  # an address stays whole
        )
        subparser.add_argument("--json", action="store_true", help=tr("print one JSON object"))
        subparser.add_argument(
            "--data-dir",
            type=Path,
            metavar="DIR",
            help=own_folder_words(),
        )
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 done, 1 failed, 2 wrong usage. With --json all of it is in English."""
    use_chosen(sys.argv[1:] if arguments is None else arguments)
    try:
        options = build_parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG_USAGE
    if options.json:
        translation.use(translation.ENGLISH)
    log_to_stderr()
    run: Callable[[argparse.Namespace], Coroutine[None, None, int | None]] = options.run
    try:
        return asyncio.run(run(options)) or DONE
    except UsageError as error:
        print(f"tavernkeep: {error}", file=sys.stderr)
        return WRONG_USAGE
    except TavernkeepError as error:
        print(f"tavernkeep: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return FAILED
    except BrokenPipeError:  # whoever reads the output has seen enough
        sys.stdout = None
        return DONE
    except OSError as error:
        name = error.filename or tr("a file")
        print(f"tavernkeep: {name}: {reason_of(error)}.", file=sys.stderr)
        return FAILED
