"""`python -m tests.oracle CHAT.json`: how well memory follows a story when the model is right."""

from __future__ import annotations

import argparse
import asyncio
import time
from pathlib import Path

from tests.oracle.gold import Gold
from tests.oracle.play import Played, play


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("chats", nargs="+", type=Path, metavar="CHAT.json")
    parser.add_argument("--seed", type=int, default=7, help="of the careless answers")
    parser.add_argument("--why", action="store_true", help="say what is missing, and what extra")
    options = parser.parse_args()
    print(f"{'story':24} {'answers':9} {'tier':13} {'precision':>9} {'recall':>7} {'requests':>9}")
    for path in options.chats:
        gold = Gold.read(path)
        for words, sloppiness in (("clean", 0.0), ("careless", 0.5)):
            began = time.monotonic()
            played = asyncio.run(play(gold, sloppiness=sloppiness, seed=options.seed))
            _show(path.stem, words, played, time.monotonic() - began, why=options.why)


def _show(story: str, words: str, played: Played, seconds: float, *, why: bool) -> None:
    for tier, score in played.scores.items():
        print(
            f"{story:24} {words:9} {tier:13} {score.precision:9.3f} {score.recall:7.3f} "
            f"{len(played.requests):9}"
        )
        if why:
            for place, one in score.missing:
                print(f"    missing at {place}: {one}")
            for place, one in score.extra:
                print(f"    extra at {place}: {one}")
    print(f"    {seconds:.1f} s")


if __name__ == "__main__":
    main()
