"""`tavernkeep search`: words in the memories and messages of all chats."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app.commands.chat_options import companion_for
from app.commands.terminal.output import show, warn
from app.core.errors import UsageError
from app.core.translation import N_, tr, trn
from app.views.search_results import Findings, Hit
from app.work.queries.searching import MOST_HITS

HELP = N_("find words in the memories and messages of all chats")
EXAMPLE = 'search "silver key" --all'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    parser.add_argument(
        "query",
        metavar="QUERY",
        help=tr('words, in any order; "as they stand", -without, in:chat, kind:plot-threads'),
    )
    parser.add_argument(
        "--tavern", type=Path, metavar="PATH", help=tr("where SillyTavern's data are")
    )
    parser.add_argument(
        "--limit",
        type=int,
        default=20,
        metavar="N",
        help=tr("show at most N results, up to {n}", n=MOST_HITS),
    )
    parser.add_argument(
        "--all", action="store_true", help=tr("first read the chats that were never opened here")
    )
    parser.add_argument(
        "--memories", action="store_true", help=tr("memories only, not the messages themselves")
    )


async def run(options: argparse.Namespace) -> int:
    """Print what was found, best first; 0 also when that is nothing."""
    if not options.query.strip():
        raise UsageError(tr("Say what to look for."))
    if not 1 <= options.limit <= MOST_HITS:
        raise UsageError(tr("--limit goes from 1 to {n}.", n=MOST_HITS))
    async with companion_for(options, keeps_memory=True) as companion:
        if options.all:
            failed = await companion.index_all(_told if sys.stderr.isatty() else _nothing)
            if failed:
                warn(
                    trn(
                        "{n} chat could not be read and is left out.",
                        "{n} chats could not be read and are left out.",
                        failed,
                    )
                )
        findings = await companion.search.find(
            options.query, limit=options.limit, messages=not options.memories
        )
    if not findings.is_complete:
        warn(tr("Too many matches: not all of them were checked. Use rarer words."))
    show(options, search_data(findings), _lines(findings))
    return 0


def search_data(findings: Findings) -> dict[str, Any]:
    """The finds, and whether there was time for all."""
    return {"hits": [_entry(hit) for hit in findings.hits], "complete": findings.is_complete}


def _entry(hit: Hit) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "kind": "memory" if hit.memory_id else "message",
        "chat": str(hit.chat),
        "message": hit.index,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "score": round(hit.score, 4),
    }
    if not hit.memory_id:
        return {**entry, "also_in": hit.elsewhere}
    of_memory = {"id": hit.memory_id, "tier": hit.tier, "type": hit.type, "text": hit.text}
    return {**entry, **of_memory, "current": hit.is_current}


def _lines(findings: Findings) -> Iterator[str]:
    if not findings.hits:
        yield tr("Nothing was found. Add --all to also search chats never opened here.")
    for hit in findings.hits:
        where = (
            hit.chat.stem
            if hit.index is None
            else tr("{chat}, message {n}", chat=hit.chat.stem, n=hit.index)
        )
        what = (
            f"{tr(hit.tier.replace('_', ' '))} {tr(hit.type)}" if hit.memory_id else tr("message")
        )
        yield f"{where} ({what})"
        yield f"  {' '.join(hit.snippet.split())}"


def _told(done: int) -> None:
    sys.stderr.write("\r" + tr("{n} chats read", n=done))
    sys.stderr.flush()


def _nothing(done: int) -> None:
    pass
