"""`tavernkeep update-check`: asks once whether there is a newer version."""

from __future__ import annotations

import argparse

import msgspec

from app.commands.terminal.output import show
from app.core.translation import N_, tr
from app.releases.release_look import ReleaseLook

HELP = N_("ask once whether there is a newer version; it is never looked up by itself")
EXAMPLE = "update-check"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None of its own."""


async def run(options: argparse.Namespace) -> None:
    """Print what was found. Raises ReleasesUnknown."""
    newest = await ReleaseLook().look()
    lines = [newest.sentence]
    if newest.is_newer:
        lines.append(tr("Get it at {page}", page=newest.page))
    show(options, msgspec.to_builtins(newest), lines)
