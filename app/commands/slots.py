"""`tavernkeep slots`: what the next prompt of a chat gets from Tavernkeep."""

from __future__ import annotations

import argparse
from typing import Any

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.output import show, warn
from app.errors import UsageError
from app.prompt.slots import Slot, SlotSet

HELP = "show the text that goes into the next prompt"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)
    parser.add_argument(
        "--for",
        dest="responder",
        metavar="NAME",
        help="the one who answers (recaps are the same for all)",
    )
    parser.add_argument("--total", type=int, metavar="TOKENS", help="bound for all slots together")


async def run(options: argparse.Namespace) -> int:
    """Write what is missing, then print the slots; 1 when something could not be written."""
    until = checked_until(options)
    if options.total is not None and options.total < 0:
        raise UsageError("--total is a number of tokens, not less than 0.")
    async with companion_for(options) as companion:
        path = companion.find_chat(options.chat)
        await companion.open_story(path, until=until)
        story, failures = await companion.finished(path, until=until)
        slots = await companion.slots(path, until=until, total=options.total)
    warn_of_problems(story)
    for sentence in failures:
        warn(sentence)
    data = slots_data(slots) | {"for": options.responder}
    show(options, data, (_line(slot) for slot in slots.slots))
    return 1 if failures else 0


def slots_data(slots: SlotSet) -> dict[str, Any]:
    """The slots in the order of their tokens' distribution; numbers are SillyTavern's enums."""
    return {
        "slots": [
            {
                "key": slot.key,
                "position": int(slot.position),
                "depth": slot.depth,
                "role": int(slot.role),
                "scan": slot.scan,
                "text": slot.text,
                "tokens": slot.tokens,
                "budget": slot.budget,
                "full_tokens": slot.full_tokens,
            }
            for slot in slots.slots
        ],
        "total_tokens": slots.total_tokens,
    }


def _line(slot: Slot) -> str:
    place = slot.position.name.lower().replace("_", " ")
    return f"{slot.key}: {place}, {slot.tokens} of {slot.budget} tokens\n{slot.text}\n"
