"""`python -m tests.answers CHAT.json`: how many of a story's questions the next prompt answers."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from app.llm.tokenizer import counter_for
from tests.answers.measure import (
    BUILT_IN,
    FACTS,
    NOTES,
    ORACLE,
    STEP,
    TALKATIVE,
    Asked,
    asked_in,
    opened,
    reply_of,
    shares,
)
from tests.answers.notes import notes_path, read_notes
from tests.answers.notes_model import NotesModel
from tests.answers.request_counts import cost_lines, costs_of


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
    async with opened(story, reply, is_whole=options.whole) as played:
        asked = await asked_in(played, options.total, options.step)
    for total in options.total:
        here = [one for one in asked if one.total == total]
        found = shares(here)
        print(
            f"{name:20} {model:10} {total:5} {found.slots:7.2f} {found.newest:7.2f} "
            f"{found.likeliest:7.2f}"
        )
        _explain(here, why=options.why, show=options.show)
    if noted and options.counts:
        _print_counts(noted, len(story["messages"]))


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
