"""`tavernkeep inclusion`: which message recaps go into the prompt, and why the others do not."""

from __future__ import annotations

import argparse

from app.commands.chat_options import add_chat, companion_for, warn_of_problems
from app.commands.terminal.output import show, warn
from app.core.translation import N_, tr

HELP = N_("show which message recaps are in the prompt, and why others are not")
EXAMPLE = 'inclusion "My chat.jsonl"'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)


async def run(options: argparse.Namespace) -> int:
    """Print one row per message; 1 when a recap could not be written."""
    async with companion_for(options) as companion:
        path = companion.find_chat(options.chat)
        await companion.open_story(path)
        story, failures = await companion.finished(path)
        limit = companion.inclusion_limit(path)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    rows = [
        {
            "index": index,
            "anchor": message.anchor,
            "state": inclusion.state.value,
            "reason": inclusion.reason,
            "tokens": inclusion.tokens,
            "stale": inclusion.is_stale,
            "edited": inclusion.is_edited,
        }
        for index, (message, inclusion) in enumerate(
            zip(story.messages, story.inclusion, strict=True)
        )
    ]
    show(
        options,
        {"limit": limit, "messages": rows},
        (
            f"{index:>6}  {tr(one.state.value):<14} {one.tokens:>5}  {tr(one.reason)}"
            for index, one in enumerate(story.inclusion)
        ),
    )
    return 1 if failures else 0
