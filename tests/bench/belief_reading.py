"""`python -m tests.bench.belief_reading`: what a language model's reading makes of ToMi's stories.

lay FOLDER       write the request of each story, N.txt, as the program asks for it
score [FOLDER]   read the answers N.txt of a folder, or those that are kept, and ask the map
keep FOLDER      keep the answers of a folder in tests/data/beliefs

--again: of other stories, which nobody looked at when rules and prompts were changed.
TAVERNKEEP_TOMI names the folder that holds ToMi (tests/bench/tomi.py). The stories are made anew
each time and are not kept here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.languages import load_packs
from app.work.queries.leak_check import epistemic_map
from tests.answers.measure import opened
from tests.answers.queue_server import CONTEXT
from tests.answers.shown import Task, task_of
from tests.bench.belief_chats import (
    AGAIN,
    SEED,
    chat_of,
    chosen,
    comes_back,
    digest_of,
    places_of,
)
from tests.bench.belief_map import Answer, Outcome, Shown
from tests.bench.tomi import FOLDER_VARIABLE, Asked, BeliefStory
from tests.fakes import RecordedRequest

KEPT_IN = Path(__file__).parents[1] / "data" / "beliefs"
KEPT = {SEED: KEPT_IN / "answers.json", AGAIN: KEPT_IN / "again.json"}  # by the stories' seed
NONE, INDEPENDENT = "NONE", "INDEPENDENT"
# A recap tells nothing of who knows what, and none is recorded.
WITHOUT = ("scene_recaps_auto", "running_recap_auto")


class NotOneRequest(Exception):
    """A story took more or less than one reading, so that its answer cannot stand by itself."""


class AnswersUnfit(Exception):
    """Kept answers belong to other stories than those that were made now."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One question of a story. by_map: what the map shows; with_common: with what all are told.
    comes_back: whether somebody of the story comes into a place once more.
    """

    number: int
    asked: Asked
    by_map: Answer
    with_common: Answer
    comes_back: bool = False


class Reader:
    """Answers each reading of one story alike, and what else is asked with nothing new."""

    def __init__(self, answer: str = NONE) -> None:
        self.readings: list[RecordedRequest] = []
        self.other = Counter[Task]()
        self._answer = answer

    def reply(self, request: RecordedRequest) -> str:
        """The answer to a request."""
        task = task_of(str(request.messages[-1]["content"]), request.text)
        if task is Task.PASS:
            self.readings.append(request)
            return self._answer
        self.other[task] += 1
        return INDEPENDENT if task is Task.COMPARISON else NONE


async def request_of(chat: Mapping[str, Any]) -> str:
    """The one request by which a chat is read to its end. Raises NotOneRequest."""
    reader = Reader()
    async with opened(chat, reader.reply, is_whole=True, context=CONTEXT) as played:
        for name in WITHOUT:
            await played.companion.put_setting(name, False)
        await played.companion.open_story(played.chat)
        await played.companion.finished(played.chat)
    if len(reader.readings) != 1:
        raise NotOneRequest(f"{chat['title']}: {len(reader.readings)} readings instead of one")
    parts = (f"=== {m['role']} ===\n{m['content']}\n" for m in reader.readings[0].messages)
    return "".join(parts)


async def score(story: BeliefStory, number: int, answer: str, seed: int = SEED) -> list[Scored]:
    """Read a story with an answer, through the program, and ask its map what ToMi asks."""
    reader = Reader(answer)
    chat = chat_of(story, number, seed)
    async with opened(chat, reader.reply, is_whole=True, context=CONTEXT) as played:
        for name in WITHOUT:
            await played.companion.put_setting(name, False)
        await played.companion.open_story(played.chat)
        _, failures = await played.companion.finished(played.chat)
        for sentence in failures:
            _say(f"story {number}: {sentence}")
        view = played.companion.memory(played.chat)
        known = await asyncio.to_thread(epistemic_map, view, load_packs())
    found = []
    for asked in story.questions:
        shown = Shown(known, view, places_of(story, asked.thing))
        answers = shown.of(asked), shown.with_common(asked)
        found.append(Scored(number, asked, *answers, comes_back(story)))
    return found


def lines_of(scored: Sequence[Scored]) -> Iterator[str]:
    """The shares in words."""
    for title, attribute in (
        ("by the map", "by_map"),
        ("with what all are told", "with_common"),
    ):
        for order, is_second in (("first order", False), ("second order", True), ("both", None)):
            of_order = [s for s in scored if is_second in (None, bool(s.asked.of))]
            for kind in (None, True, False) if is_second is not None else (None,):
                these = [s for s in of_order if kind in (None, s.asked.is_false)]
                name = f"{title}, {order}{_KINDS[kind]}"
                yield _line(name, [getattr(s, attribute).outcome(s.asked.told) for s in these])
        these = [s for s in scored if not s.comes_back]
        name = f"{title}, stories in which nobody comes back"
        yield _line(name, [getattr(s, attribute).outcome(s.asked.told) for s in these])


_KINDS = {None: "", True: ", false beliefs", False: ", true beliefs"}


def _line(name: str, outcomes: Iterable[Outcome]) -> str:
    counts = Counter(outcomes)
    share = 100 * counts[Outcome.RIGHT] / max(1, counts.total())
    rest = ", ".join(f"{counts[o]} {o}" for o in Outcome if o is not Outcome.RIGHT and counts[o])
    return f"{name:52} {counts.total():4} questions {share:6.1f} %{rest and f' ({rest})'}"


def answers_in(folder: Path) -> dict[int, str]:
    """The answers N.txt of a folder, by number."""
    found = sorted(folder.glob("*.txt"))
    return {int(p.stem): p.read_text("utf-8") for p in found if re.fullmatch(r"\d+", p.stem)}


def keep(
    path: Path, stories: Sequence[BeliefStory], answers: Mapping[int, str], seed: int = SEED
) -> None:
    """Keep answers in a file, each with the digest of the chat that it was given to."""
    kept = [
        {
            "number": number,
            "chat": digest_of(chat_of(story, number, seed)),
            "answer": answers[number],
        }
        for number, story in enumerate(stories, 1)
        if number in answers
    ]
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", "utf-8")


def kept_in(path: Path, stories: Sequence[BeliefStory], seed: int = SEED) -> dict[int, str]:
    """The kept answers by number. Raises AnswersUnfit."""
    found = {}
    for one in json.loads(path.read_text("utf-8")):
        number = int(one["number"])
        if digest_of(chat_of(stories[number - 1], number, seed)) != one["chat"]:
            raise AnswersUnfit(f"The answer {number} was given to another story: record it anew.")
        found[number] = str(one["answer"])
    return found


def main(arguments: Sequence[str]) -> int:
    """Run one of the commands; 1 where ToMi or the answers are missing."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.belief_reading",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("lay", "score", "keep"))
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--wrong", action="store_true", help="say what was answered wrongly")
    parser.add_argument("--again", action="store_true", help="stories that nobody looked at")
    options = parser.parse_args(arguments)
    tomi = os.environ.get(FOLDER_VARIABLE, "")
    seed = AGAIN if options.again else SEED
    kept = KEPT[seed]
    if not tomi or (options.folder is None and (options.command != "score" or not kept.exists())):
        _say(f"{FOLDER_VARIABLE} names no folder with ToMi" if not tomi else "Which folder?")
        return 1
    stories = chosen(Path(tomi), seed)
    match options.command:
        case "lay":
            requests = asyncio.run(_requests_of(stories, seed))
            options.folder.mkdir(parents=True, exist_ok=True)
            for number, request in enumerate(requests, 1):
                (options.folder / f"{number}.txt").write_text(request, "utf-8")
            _say(f"{len(requests)} requests")
        case "keep":
            keep(kept, stories, answers_in(options.folder), seed)
        case "score":
            folder = options.folder
            answers = answers_in(folder) if folder else kept_in(kept, stories, seed)
            asyncio.run(_print_scores(stories, answers, seed, with_wrong=options.wrong))
    return 0


async def _requests_of(stories: Sequence[BeliefStory], seed: int) -> list[str]:
    chats = [chat_of(story, number, seed) for number, story in enumerate(stories, 1)]
    return [await request_of(chat) for chat in chats]


async def _print_scores(
    stories: Sequence[BeliefStory], answers: Mapping[int, str], seed: int, *, with_wrong: bool
) -> None:
    scored: list[Scored] = []
    for number, story in enumerate(stories, 1):
        if number in answers:
            scored += await score(story, number, answers[number], seed)
    if missing := [n for n in range(1, len(stories) + 1) if n not in answers]:
        _say(f"without an answer, and left out: {missing}")
    for line in lines_of(scored):
        _say(line)
    for one in scored if with_wrong else ():
        for title, answer in (("by the map", one.by_map), ("with all", one.with_common)):
            outcome = answer.outcome(one.asked.told)
            if outcome is not Outcome.RIGHT:
                _say(f"{one.number}, {title}: {outcome}: {one.asked} -> {answer.texts}")


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
