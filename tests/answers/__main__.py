"""`python -m tests.answers CHAT.json`: how many of a story's questions the next prompt answers."""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Sequence
from pathlib import Path

from tests.answers.measure import BUILT_IN, FACTS, ORACLE, STEP, TALKATIVE, Asked, asked_of, shares


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    parser.add_argument("chats", nargs="+", type=Path, metavar="CHAT.json")
    parser.add_argument(
        "--total", type=int, nargs="+", default=[1000], help="tokens of slots and newest messages"
    )
    parser.add_argument(
        "--model",
        nargs="+",
        choices=(ORACLE, TALKATIVE, FACTS, BUILT_IN),
        default=[ORACLE, BUILT_IN],
        help="the labels' own, one that notes much else too, one that files all as facts, or none",
    )
    parser.add_argument("--step", type=int, default=STEP, help="messages between two looks")
    parser.add_argument("--whole", action="store_true", help="read to the end, as commands do")
    parser.add_argument(
        "--why",
        action="store_true",
        help="say which questions have no answer, and where it was cut",
    )
    parser.add_argument("--show", type=int, metavar="PLACE", help="the prompts at this message")
    options = parser.parse_args()
    print(f"{'story':20} {'model':10} {'total':>5} {'slots':>7} {'newest':>7} {'BM25':>7}")
    for path in options.chats:
        story = json.loads(path.read_text(encoding="utf-8"))
        for model in options.model:
            began = time.monotonic()
            asked = asyncio.run(
                asked_of(
                    story,
                    options.total,
                    model=model,
                    step=options.step,
                    is_whole=options.whole,
                )
            )
            for total in options.total:
                here = [one for one in asked if one.total == total]
                found = shares(here)
                print(
                    f"{path.stem:20} {model:10} {total:5} {found.slots:7.2f} {found.newest:7.2f} "
                    f"{found.likeliest:7.2f}"
                )
                _explain(here, why=options.why, show=options.show)
            print(f"    {time.monotonic() - began:.1f} s")


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
