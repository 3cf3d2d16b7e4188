"""`python -m tests.answers CHAT.json`: how many of a story's questions the next prompt answers."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from app.languages import load_packs
from app.llm.tokenizer import counter_for
from tests.answers.looks import (
    Told,
    facts_kept,
    keywords_held,
    last_slots,
    numbered,
    told_to_the_unaware,
)
from tests.answers.measure import (
    BUILT_IN,
    FACTS,
    NOTES,
    ORACLE,
    STEP,
    TALKATIVE,
    Asked,
    Played,
    asked_at,
    opened,
    reply_of,
    shares,
)
from tests.answers.notes import notes_path, read_notes
from tests.answers.notes_model import NotesModel
from tests.answers.questions import questions_of
from tests.answers.queue_server import CONTEXT
from tests.answers.request_counts import cost_lines, costs_of

READ_TOTALS = (1000, 2000)
LEAK_TOTALS = (1000, 2000)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("chats", nargs="+", type=Path, metavar="CHAT.json")
    parser.add_argument(
        "--total", type=int, nargs="+", default=[1000], help="tokens of slots and newest messages"
    )
    parser.add_argument(
        "--model",
        nargs="+",
        choices=(ORACLE, TALKATIVE, FACTS, BUILT_IN, NOTES),
        default=[ORACLE, BUILT_IN],
        help="the labels' own, one that notes much else too, one that files all as facts, none, or "
        "what a language model noted",
    )
    parser.add_argument("--notes", type=Path, metavar="FILE", help="what the model noted")
    parser.add_argument("--step", type=int, default=STEP, help="messages between two looks")
    parser.add_argument("--whole", action="store_true", help="read to the end, as commands do")
    parser.add_argument(
        "--why",
        action="store_true",
        help="say which questions have no answer, and where it was cut",
    )
    parser.add_argument("--show", type=int, metavar="PLACE", help="the prompts at this message")
    parser.add_argument("--counts", action="store_true", help="what requests cost (notes)")
    parser.add_argument(
        "--facts",
        action="store_true",
        help="the share of scene answers that is kept (notes), and of keywords in a running recap",
    )
    parser.add_argument(
        "--leaks",
        type=int,
        metavar="STEP",
        help="look every so many messages for lines that tell a responder what they do not know",
    )
    parser.add_argument("--read", action="store_true", help="the slots' lines at the last message")
    options = parser.parse_args()
    print(f"{'story':20} {'model':10} {'total':>5} {'slots':>7} {'newest':>7} {'BM25':>7}")
    for path in options.chats:
        for model in options.model:
            began = time.monotonic()
            story = json.loads(path.read_text(encoding="utf-8"))
            noted = None
            if model == NOTES:
                recorded = read_notes(options.notes or notes_path(path))
                noted = NotesModel(story, recorded, counter_for().count)
            asyncio.run(_measured(story, path.stem, model, noted, options))
            print(f"    {time.monotonic() - began:.1f} s")


async def _measured(
    story: Mapping[str, Any],
    name: str,
    model: str,
    noted: NotesModel | None,
    options: argparse.Namespace,
) -> None:
    """Play one story with one model, and print what is asked for."""
    reply = noted.reply if noted else reply_of(story, model)
    context = CONTEXT if noted else 0  # as the notes were recorded
    async with opened(story, reply, is_whole=options.whole, context=context) as played:
        asked: list[Asked] = []
        leaks: dict[tuple[str, str], Told] = {}
        last = len(story["messages"]) - 1
        looks = range(options.leaks - 1, last, options.leaks) if options.leaks else ()
        places = {question.place for question in questions_of(story)}
        async for place in played.until_each({*places, *looks, last}, options.step):
            if place in places:
                asked += await asked_at(played, place, options.total)
            if place in looks or (options.leaks and place == last):
                for told in await told_to_the_unaware(played, place, LEAK_TOTALS, load_packs()):
                    leaks.setdefault((told.responder, told.line), told)
        _print_shares(asked, f"{name:20} {model:10}", options)
        await _print_looks(played, noted, options)
        if options.leaks:
            _print_leaks(leaks.values())
    if noted and options.counts:
        _print_counts(noted, len(story["messages"]))


def _print_shares(asked: Sequence[Asked], head: str, options: argparse.Namespace) -> None:
    for total in options.total:
        here = [one for one in asked if one.total == total]
        found = shares(here)
        print(f"{head} {total:5} {found.slots:7.2f} {found.newest:7.2f} {found.likeliest:7.2f}")
        _explain(here, why=options.why, show=options.show)


async def _print_looks(
    played: Played, noted: NotesModel | None, options: argparse.Namespace
) -> None:
    """What is asked of the story's end."""
    if options.facts:
        facts = facts_kept(played, noted.scenes if noted else {})
        held = keywords_held(played, played.companion.count_tokens)
        print(facts.line("facts of scene answers in their versions"))
        print(held.line("keywords in the running recap"), ", ".join(held.missing))
    for total in READ_TOTALS if options.read else ():
        print(f"===== {total} tokens")
        print("\n".join(numbered(await last_slots(played, total))))


def _print_leaks(leaks: Collection[Told]) -> None:
    print(f"    lines that tell what their responder does not know: {len(leaks)}")
    for told in leaks:
        print(f"    {told.place} {told.responder} {told.slot} ({told.heading}) {told.line}")
        print(f"        {told.entry}")


def _print_counts(model: NotesModel, messages: int) -> None:
    print("\n".join(cost_lines(costs_of(model.exchanges, counter_for().count), messages)))
    print(f"    never told: {len(model.never_told)} notes", end="; ")
    print(f"ends told: {model.ends['told']}, not shown: {model.ends['not shown']}")


def _explain(asked: Sequence[Asked], *, why: bool, show: int | None) -> None:
    shown = False
    for one in asked:
        if why and not one.is_answered:
            missing = [k for k in one.question.keywords if k not in one.prompt.casefold()]
            print(f"    {one.question.place}: {one.question.text} {missing} {_left_out(one)}")
        if one.question.place == show and not shown:
            shown = True
            sizes = ", ".join(f"{slot.key} {slot.tokens}" for slot in one.slots.slots)
            print(f"--- {sizes}\n{one.prompt}\n---")


def _left_out(asked: Asked) -> str:
    """Which slots held the answer and left it out, and why."""
    return ", ".join(
        f"{content.key}: {gone.reason}"
        for content in asked.slots.contents
        for gone in content.left_out
        if asked.question.is_answered_by(gone.text)
    )


if __name__ == "__main__":
    main()
