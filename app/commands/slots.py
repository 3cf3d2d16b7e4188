"""`tavernkeep slots`: what the next prompt of a chat gets from Tavernkeep."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from app.commands.chat_options import (
    add_chat,
    add_llm,
    add_until,
    checked_until,
    companion_for,
    warn_of_problems,
)
from app.commands.terminal.output import show, warn
from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.prompt.generation import Turn
from app.prompt.slot_names import slot_name
from app.prompt.slots import Slot, SlotSet, TurnKind
from app.settings.slots import PLACES
from app.story.messages import MessageKind
from app.story.story import ChatKind, Story

HELP = N_("show the text that goes into the next prompt")
EXAMPLE = 'slots "My chat.jsonl" --explain'


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of this command."""
    add_chat(parser)
    add_llm(parser)
    add_until(parser)
    parser.add_argument(
        "--for",
        dest="responder",
        metavar="NAME",
        help=tr("write it for this character, with their secrets, profile and canon"),
    )
    parser.add_argument(
        "--turn",
        choices=[kind.value for kind in TurnKind],
        help=tr("the kind of turn (default: read from the last message)"),
    )
    parser.add_argument("--unified", action="store_true", help=tr("put all of it into one block"))
    parser.add_argument(
        "--explain", action="store_true", help=tr("show what was left out, and why")
    )
    parser.add_argument(
        "--total",
        type=int,
        metavar="TOKENS",
        help=tr(
            "limit for everything together; part of it is reserved for the newest messages until "
            "a model has read them"
        ),
    )


async def run(options: argparse.Namespace) -> int:
    """Write what is missing, then print the slots; 1 when something could not be written."""
    until = checked_until(options)
    if options.total is not None and options.total < 0:
        raise UsageError(tr("--total is a number of tokens, 0 or more."))
    turn = Turn(
        options.responder or "",
        kind=TurnKind(options.turn) if options.turn else None,
        is_unified=True if options.unified else None,
    )
    async with companion_for(options, keeps_memory=True) as companion:
        path = companion.find_chat(options.chat)
        await companion.open_story(path, until=until)
        story, failures = await companion.finished(path, until=until)
        if until is None and options.total is None and turn == Turn():
            slots = await companion.next_prompt(path)  # as the window shows it
        else:
            slots = await companion.slots(path, until=until, total=options.total, turn=turn)
        counter = companion.tokens.counter
    warn_of_problems(story)
    for sentence in (*failures, *slots.warnings, *_unknown(turn.responder, story)):
        warn(sentence)
    if not counter.default.is_exact:
        warn(tr("Token counts are estimates: the tokenizer's files are missing or damaged."))
    data = slots_data(slots) | {"for": slots.responder or None, "counted_as": counter.encoding}
    if options.explain:
        data |= explained(slots)
    lines = [_line(slot) for slot in slots.slots]
    show(options, data, [*lines, *(_why(slots) if options.explain else ())])
    return 1 if failures else 0


def _unknown(name: str, story: Story) -> Iterator[str]:
    """That nobody of this name answers here, if so: a slip of the pen gives other slots."""
    replies = (m.name for m in story.messages if not m.is_user and m.kind is MessageKind.CHAT)
    card = () if story.chat.kind is ChatKind.GROUP else (story.chat.owner_name,)
    names = sorted({*story.chat.speakers, *card, *replies} - {""})
    if name and name.casefold() not in map(str.casefold, names):
        said = tr("Nobody called {name} answers in this chat.", name=name)
        yield (
            f"{said} {tr('Characters who do: {names}', names=', '.join(names))}" if names else said
        )


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
                "macro": slot.macro,
            }
            for slot in slots.slots
        ],
        "total_tokens": slots.total_tokens,
        "turn": slots.turn.value if slots.turn else None,
        "warnings": list(slots.warnings),
    }


def explained(slots: SlotSet) -> dict[str, Any]:
    """What each slot of memory shows and leaves out; memories by their ids, best first."""
    contents = {
        content.key: {
            "tokens": content.tokens,
            "budget": content.budget,
            "full_tokens": content.full_tokens,
            "shown": list(content.shown),
            "left_out": [
                {"memory": one.memory, "text": one.text, "reason": one.reason.value}
                for one in content.left_out
            ],
        }
        for content in slots.contents
    }
    return {"responder": slots.responder, "contents": contents, "tuned": list(slots.notes)}


def _why(slots: SlotSet) -> Iterator[str]:
    if slots.turn:
        who = slots.responder or tr("anyone")
        yield tr("For {who}, {turn}", who=who, turn=tr(slots.turn.value)) + "\n"
    for content in slots.contents:
        yield tr(
            "{slot}: {tokens} of {budget}, {full} in full",
            slot=slot_name(content.key),
            tokens=content.tokens,
            budget=content.budget,
            full=content.full_tokens,
        )
        for one in content.left_out:
            yield tr("  left out, {reason}: {text}", reason=tr(one.reason.value), text=one.text)
    yield from slots.notes


def _line(slot: Slot) -> str:
    told = tr(
        "{slot}: {place}, {tokens} of {budget} tokens",
        slot=slot_name(slot.key),
        place=tr(PLACES[slot.position]),
        tokens=slot.tokens,
        budget=slot.budget,
    )
    return f"{told}\n{slot.text}\n"
