"""What all commands about one chat have in common: their arguments, and opening it."""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from app.commands.terminal.output import warn
from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.core.translation import tr, trn
from app.story.story import Story


def add_chat(parser: argparse.ArgumentParser) -> None:
    """CHAT and --tavern."""
    parser.add_argument("chat", metavar="CHAT", help=tr("a chat's .jsonl file, or its title"))
    parser.add_argument(
        "--tavern", type=Path, metavar="PATH", help=tr("where SillyTavern's data are")
    )


def add_until(parser: argparse.ArgumentParser) -> None:
    """--until."""
    parser.add_argument(
        "--until", type=int, metavar="N", help=tr("see the chat as if message N were its last")
    )


def add_llm(parser: argparse.ArgumentParser) -> None:
    """--llm."""
    words = tr(
        "the model: builtin (none), ollama:MODEL[@URL] or openai:MODEL@URL (default: that of the "
        "settings)"
    )
    parser.add_argument("--llm", metavar="SPEC", help=words)


def add_again(parser: argparse.ArgumentParser) -> None:
    """--again."""
    parser.add_argument(
        "--again", action="store_true", help=tr("first retry what failed in earlier runs")
    )


@asynccontextmanager
async def companion_for(
    options: argparse.Namespace, *, keeps_memory: bool = False
) -> AsyncIterator[Companion]:
    """A companion for one look at one chat: nothing is watched, nothing is injected."""
    folders = user_folders(options.data_dir)
    llm = getattr(options, "llm", None)
    tavern = getattr(options, "tavern", None)
    async with open_companion(
        folders, tavern=tavern, llm=llm, watch=False, keeps_memory=keeps_memory
    ) as companion:
        if companion.recovery:
            warn(companion.recovery)
        yield companion


def checked_until(options: argparse.Namespace) -> int | None:
    """The value of --until. Raises UsageError for a negative one."""
    until: int | None = options.until
    if until is not None and until < 0:
        raise UsageError(tr("--until counts messages from 0."))
    return until


async def worked_off(
    options: argparse.Namespace, companion: Companion, path: Path
) -> tuple[Story, list[str]]:
    """The story when all work on it has ended, and a sentence for each piece that failed.

    What failed in an earlier run is tried again with --again only, and else said. Raises
    UsageError for --again with --until.
    """
    until = checked_until(options)
    if options.again and until is not None:
        raise UsageError(tr("What failed is retried for the whole chat: leave out --until."))
    await companion.open_story(path, until=until)
    if options.again:
        await companion.work.retry_all(path)
    story, failures = await companion.finished(path, until=until)
    failed = 0 if failures or until is not None else companion.work.failed(path)
    if failed:
        failures = [
            trn(
                "{n} job failed before. Add --again to retry it.",
                "{n} jobs failed before. Add --again to retry them.",
                failed,
            )
        ]
    return story, failures


def warn_of_problems(story: Story) -> None:
    """Say which lines of the chat could not be read."""
    for problem in story.problems:
        warn(problem.sentence)
