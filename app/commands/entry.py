"""Reads the command line, runs one command, and turns errors into sentences and exit codes."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from types import ModuleType

from app.commands import (
    bridge,
    clear,
    doctor,
    export,
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
)
from app.errors import TavernkeepError, UsageError

DONE, FAILED, WRONG_USAGE = 0, 1, 2

COMMANDS: tuple[ModuleType, ...] = (
    *(
        scenes,
        recap,
        memory,
        leaks,
        search,
        export,
        inclusion,
        slots,
        clear,
        prompts,
        model_test,
        serve,
        bridge,
        doctor,
    ),
)


def build_parser() -> argparse.ArgumentParser:
    """The parser with one subcommand per module of this package."""
    parser = argparse.ArgumentParser(
        prog="tavernkeep",
        description="A memory for long SillyTavern stories. Without a command: the window.",
    )
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in COMMANDS:
        name = module.__name__.rpartition(".")[2].replace("_", "-")
        subparser = subparsers.add_parser(name, help=module.HELP, description=module.HELP)
        subparser.add_argument("--json", action="store_true", help="print one JSON object")
        subparser.add_argument(
            "--data-dir", type=Path, metavar="DIR", help="keep Tavernkeep's own data there"
        )
        module.add_arguments(subparser)
        subparser.set_defaults(run=module.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 done, 1 failed, 2 wrong usage."""
    try:
        options = build_parser().parse_args(arguments)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else WRONG_USAGE
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
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
        print(f"tavernkeep: {error.filename or 'a file'}: {error.strerror}.", file=sys.stderr)
        return FAILED
