"""`tavernkeep leaks`: who says what they cannot know."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import Any

from app.commands.chat_options import add_chat, add_llm, companion_for, warn_of_problems
from app.commands.terminal.output import show, warn
from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.memory.epistemic.leaks import Leak, LeakKind
from app.memory.records import Memory
from app.work.queries.leak_check import leak_sentence

HELP = N_("check a message for what its speaker cannot know")
EXAMPLE = 'leaks "My chat.jsonl" --message 118'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    parser.add_argument(
        "--message", type=int, metavar="N", help=tr("the message to check, instead of the newest")
    )


async def run(options: argparse.Namespace) -> int:
    """Extract what memory lacks, and check one message."""
    async with companion_for(options, keeps_memory=True) as companion:
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        story, failures = await companion.finished(path)
        message = len(story.messages) - 1 if options.message is None else options.message
        if not 0 <= message < len(story.messages):
            raise UsageError(
                tr(
                    "There is no message {message}; the chat has {n}.",
                    message=message,
                    n=len(story.messages),
                )
            )
        leaks = await companion.remembered.leaks(path, message)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    show(options, leaks_data(message, leaks), _lines(message, leaks))
    return 1 if failures else 0


def leaks_data(message: int, leaks: Sequence[Leak]) -> dict[str, Any]:
    """Leaks and what keepers told; messages are given by their index."""
    return {
        "message": message,
        "leaks": [_entry(leak) for leak in leaks if leak.kind is not LeakKind.TOLD],
        "told": [_entry(leak) for leak in leaks if leak.kind is LeakKind.TOLD],
    }


def _entry(leak: Leak) -> dict[str, Any]:
    entry = {
        "kind": leak.kind.value,
        "speaker": leak.speaker,
        "sentence": leak.sentence,
        "message": leak.message,
        "entry": _memory(leak.entry.memory) | {"valid_from": leak.entry.start},
        "learned_at": leak.learned_at,
    }
    if leak.truth is not None:
        entry["truth"] = _memory(leak.truth.memory) | {"valid_from": leak.truth.start}
    return entry


def _memory(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": memory.type,
        "holder": memory.subject,
        "from": memory.target,
        "text": memory.text,
    }


def _lines(message: int, leaks: Sequence[Leak]) -> Iterator[str]:
    for leak in leaks:
        yield leak_sentence(leak)
        yield f"  “{leak.sentence}”"
    if not leaks:
        yield tr("Nothing in message {n} that its speaker cannot know.", n=message)
