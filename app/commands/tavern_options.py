"""Which taverns a command is about: of --tavern, else of the setting, else the usual ones."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from app.core.paths import places_of, user_folders
from app.core.translation import tr
from app.settings.values import Settings
from app.sillytavern.data_folders import find_taverns
from app.store.store import Store
from app.views.taverns import Tavern


def add_tavern(parser: argparse.ArgumentParser) -> None:
    """--tavern."""
    parser.add_argument(
        "--tavern", type=Path, metavar="PATH", help=tr("where SillyTavern's data are")
    )


async def chosen_taverns(options: argparse.Namespace) -> tuple[Tavern, ...]:
    """The taverns found. Raises NoTavern for a place that was given, or set, and holds none."""
    if options.tavern is not None:
        return await asyncio.to_thread(find_taverns, options.tavern)
    return await asyncio.to_thread(find_taverns, *places_of(await _configured(options)))


async def _configured(options: argparse.Namespace) -> str:
    folders = user_folders(options.data_dir)
    if not folders.database.exists():
        return ""
    store = Store(folders.database, backups=folders.backups)
    try:
        await store.open()
        return str(Settings(await store.run(store.settings.load))["tavern"])
    finally:
        await store.aclose()
