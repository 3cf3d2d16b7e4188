"""`python -m tests.answers.record`: have a language model note a story, and keep what it noted.

serve PORT FOLDER          the model server; requests wait in FOLDER
next FOLDER [SECONDS]      print the oldest request without an answer, "none" when none comes
answer FOLDER N [FILE]     answer request N with a file, or with what is typed
costs FOLDER               what the requests cost
notes STORY.json FOLDER OUT.json     turn the answers into notes
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from app.prompt.tokens import estimate_tokens
from tests.answers.notes import write_notes
from tests.answers.queue_server import QueueServer, give, waiting
from tests.answers.recording import exchanges_in, recorded_in
from tests.answers.request_counts import cost_lines, costs_of


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.answers.record",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("serve", "next", "answer", "costs", "notes"):
        command = commands.add_parser(name)
        if name == "serve":
            command.add_argument("port", type=int)
        if name == "notes":
            command.add_argument("story", type=Path)
        command.add_argument("folder", type=Path)
        if name == "next":
            command.add_argument("seconds", type=float, nargs="?", default=90.0)
        if name == "answer":
            command.add_argument("number", type=int)
            command.add_argument("file", type=Path, nargs="?")
        if name == "notes":
            command.add_argument("out", type=Path)
    _do(parser.parse_args())


def _do(options: argparse.Namespace) -> None:
    folder: Path = options.folder
    match options.command:
        case "serve":
            QueueServer(options.port, folder).serve_forever()
        case "next":
            _print_next(folder, options.seconds)
        case "answer":
            given = options.file.read_text("utf-8") if options.file else sys.stdin.read()
            give(folder, options.number, given)
        case "costs":
            print("\n".join(cost_lines(costs_of(exchanges_in(folder), estimate_tokens), 100)))
        case "notes":
            story = json.loads(options.story.read_text(encoding="utf-8"))
            recorded = recorded_in(folder, story)
            write_notes(options.out, recorded)
            print(f"{len(recorded.notes)} notes, {len(recorded.scenes)} scenes")


def _print_next(folder: Path, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        request = next(waiting(folder), None)
        if request is not None:
            print(request.read_text(encoding="utf-8"))
            return
        time.sleep(0.3)
    print("none")


if __name__ == "__main__":
    main()
