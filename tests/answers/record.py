"""`python -m tests.answers.record`: have a language model note a story, and keep what it noted.

serve PORT FOLDER          the model server; requests wait in FOLDER
next FOLDER [SECONDS]      print the oldest request without an answer, "none" when none comes
answer FOLDER N [FILE]     answer request N with a file, or with what is typed
costs FOLDER               what the requests cost
look STORY.json FOLDER     play a noted story; only looks through memory wait in FOLDER
looked STORY.json FOLDER   add what these looks ended to the story's notes
notes STORY.json FOLDER OUT.json     turn the answers into notes
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from app.llm.tokenizer import counter_for
from app.prompt.tokens import estimate_tokens
from tests.answers.measure import STEP, beside
from tests.answers.notes import RecordedNotes, notes_path, read_notes, write_notes
from tests.answers.notes_model import UPKEEP, NotesModel
from tests.answers.queue_server import QueueServer, give, waiting
from tests.answers.recording import exchanges_in, recorded_in
from tests.answers.request_counts import cost_lines, costs_of
from tests.answers.shown import Task, task_of
from tests.fakes import RecordedRequest


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.answers.record",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("serve", "next", "answer", "costs", "notes", "look", "looked"):
        command = commands.add_parser(name)
        if name == "serve":
            command.add_argument("port", type=int)
        if name in ("notes", "look", "looked"):
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
        case "look":
            _look(options.story, folder)
        case "looked":
            _keep_looks(options.story, folder)


def _look(path: Path, folder: Path) -> None:
    """Play a story with its notes; who looks through memory is asked."""
    story = json.loads(path.read_text(encoding="utf-8"))
    model = NotesModel(story, read_notes(notes_path(path)), counter_for().count)

    def known(body: dict[str, Any]) -> str | None:
        request = RecordedRequest("", body, 0.0)
        user = str(request.messages[-1]["content"])
        return None if task_of(user, request.text) is Task.UPKEEP else model.reply(request)

    with QueueServer(0, folder, known) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_address[1]
        asyncio.run(_played(story, f"openai:queue@http://127.0.0.1:{port}"))
        server.shutdown()


async def _played(story: dict[str, Any], llm: str) -> None:
    async with beside(story, llm) as played:
        last = len(story["messages"]) - 1
        async for place in played.until_each({last}, STEP):
            print(f"played to message {place}")


def _keep_looks(path: Path, folder: Path) -> None:
    """Put what was ended behind the notes that there are, in place of earlier looks."""
    story = json.loads(path.read_text(encoding="utf-8"))
    kept = read_notes(notes_path(path))
    notes = [note for note in kept.notes if note.kind != UPKEEP]
    new = [note for note in recorded_in(folder, story).notes if note.kind == UPKEEP]
    write_notes(notes_path(path), RecordedNotes((*notes, *new), kept.scenes))
    print(f"{len(new)} lines of looks through memory")


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
