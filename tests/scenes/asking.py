"""Scenes of labelled stories where a model is asked about what is in doubt, and what that takes.

`python -m tests.scenes.asking` answers from `tests/data/scene_ends.json`: what a language model
that saw the requests alone named in stories kept out. `... FOLDER STORY.json ...` writes each
request to FOLDER and stops; with its answer beside it (STORY-1.answer.json for STORY-1.prompt.md)
it goes on, so any model at hand can be asked; with --record the answers are kept in that file.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.core.errors import AnswerUnusable
from app.languages import load_packs
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.model_writer import ModelWriter
from app.prompt.tokens import estimate_tokens
from app.settings.values import REGISTRY
from app.story.break_search import ScenesOfMessages, Searched
from app.story.doubtful_breaks import ASKED, asked, next_stretch
from app.story.scene_detection import detect_breaks
from app.story.scenes import SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.work.chats.doubtful_places import DoubtfulPlaces
from app.work.chats.found_breaks import scene_break_of
from app.work.jobs.model_breaks import ask_all, searched_row, settled
from app.work.planning.break_planner import SearchState, stretch_rules
from tests.bench.bench_scenes import Figures, LabelledStory, figures_of, line_of, load_story, show

CONTEXT = 16_000  # tokens of the model
STORIES = Path(__file__).parent.parent / "data" / "stories"
RECORDED = STORIES.parent / "scene_ends.json"


class Unanswered(Exception):
    """A request waits for its answer."""


@dataclass
class FolderBackend:
    """A model whose answers are files."""

    folder: Path
    name: str
    label: str = "folder"
    spec: str = "openai:folder@http://127.0.0.1"
    context_tokens: int = CONTEXT
    tokens: list[int] = field(default_factory=list)
    shown: Sequence[int] = ()

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        number = len(self.tokens) + 1
        prompt = self.folder / f"{self.name}-{number}.prompt.md"
        answer = prompt.with_name(f"{self.name}-{number}.answer.json")
        text = f"{request.system}\n\n---\n\n{request.prompt}\n"
        if not answer.exists() or (prompt.exists() and prompt.read_text("utf-8") != text):
            prompt.write_text(text, encoding="utf-8")
            raise Unanswered(str(prompt))
        self.tokens.append(estimate_tokens(text))
        return Answer(answer.read_text("utf-8"), prompt_tokens=self.tokens[-1])

    async def aclose(self) -> None: ...


@dataclass
class RecordedBackend:
    """A model whose ends are known by index; it names those that it may choose."""

    ends: Mapping[int, str]
    label: str = "recorded"
    spec: str = "openai:recorded@http://127.0.0.1"
    context_tokens: int = CONTEXT
    tokens: list[int] = field(default_factory=list)
    shown: Sequence[int] = ()

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        self.tokens.append(estimate_tokens(request.system + request.prompt))
        named = [
            {"at": number, "rationale": self.ends[index]}
            for number, index in enumerate(self.shown, 1)
            if index in self.ends and f"Message #{number} [" in request.prompt
        ]
        return Answer(json.dumps({"sceneEnds": named}), prompt_tokens=self.tokens[-1])

    async def aclose(self) -> None: ...


@dataclass(frozen=True)
class Measured:
    """Figures of the cues and with the answers; tokens of each request; the ends named."""

    cues: Figures
    asked: Figures
    tokens: list[int]
    ends: dict[int, str]


def recorded() -> dict[str, dict[int, str]]:
    """By story the ends that were named, with what is new behind each."""
    kept = json.loads(RECORDED.read_text(encoding="utf-8"))
    return {name: {int(at): why for at, why in ends.items()} for name, ends in kept.items()}


async def with_answers(
    labelled: LabelledStory, backend: FolderBackend | RecordedBackend
) -> Measured:
    """Ask about all that is in doubt, in order. Raises Unanswered."""
    packs = load_packs()
    found = detect_breaks(labelled.messages, packs)
    marks = [scene_break_of(each, labelled.messages) for each in found]
    story = _story(labelled, {mark.anchor: mark for mark in marks})
    writer = ModelWriter(Asker(backend, count_tokens=estimate_tokens), load_prompts())
    settings = {name: setting.default for name, setting in REGISTRY.items()}
    rules, doubts = stretch_rules(settings), DoubtfulPlaces(packs)
    searched: list[Searched] = []
    named: dict[int, str] = {}
    while True:
        state = await doubts.taken_in(SearchState(searched=searched), story, settings)
        place = ScenesOfMessages(story.messages, story.message_tokens, story.breaks, searched)
        done = asked(story, searched)
        search = next_stretch(place, story, frozenset(state.doubts), done, rules)
        if search is None:
            break
        backend.shown = search.shown
        try:
            answers = (await ask_all(writer, place, search)).value
        except AnswerUnusable:
            answers = ()
        named |= {each.place: each.rationale for each in answers if each.place is not None}
        searched.append(searched_row(place, search, ASKED))
        changed = settled(story, story.breaks, search, answers, rules.minimum)
        story = _story(labelled, story.breaks | {mark.anchor: mark for mark in changed})
    before = figures_of(labelled, [each.last for each in found])
    ends = [scene.last for scene in story.scenes if scene.is_closed]
    return Measured(before, figures_of(labelled, ends), backend.tokens, named)


def _story(labelled: LabelledStory, breaks: dict[str, SceneBreak]) -> Story:
    chat = ChatRef(Path(f"{labelled.name}.jsonl"), ChatKind.FILE, labelled.name)
    messages = labelled.messages
    counted = tuple(estimate_tokens(message.text) for message in messages)
    story = Story(chat=chat, messages=messages, breaks=breaks, message_tokens=counted)
    return replace(story, scenes=scenes_of(messages, breaks))


async def main() -> None:
    given = [word for word in sys.argv[1:] if word != "--record"]
    backends: dict[Path, FolderBackend | RecordedBackend] = {}
    if given:
        folder, *paths = map(Path, given)
        folder.mkdir(parents=True, exist_ok=True)
        backends |= {path: FolderBackend(folder, path.stem) for path in paths}
    else:
        for name, ends in recorded().items():
            backends[STORIES / f"{name}.json"] = RecordedBackend(ends)
    total: dict[str, Measured] = {}
    messages = 0
    for path, backend in backends.items():
        labelled = load_story(path)
        try:
            found = total[labelled.name] = await with_answers(labelled, backend)
        except Unanswered as waits:
            show(f"{labelled.name}: {waits} waits for its answer")
            continue
        messages += len(labelled.messages)
        show(f"{labelled.name:14} cues    {line_of(found.cues)}")
        count = len(found.tokens)
        show(f"{'':14} asked   {line_of(found.asked)}  requests {count}, tokens {found.tokens}")
    if total:
        show_means(list(total.values()), messages)
    if "--record" in sys.argv:
        kept = {name: found.ends for name, found in total.items()}
        RECORDED.write_text(json.dumps(kept, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def show_means(found: Sequence[Measured], messages: int) -> None:
    cues, asked_ = (
        sum(each.f1 for each in side) / len(found)
        for side in ([each.cues for each in found], [each.asked for each in found])
    )
    requests = sum(len(each.tokens) for each in found)
    show(
        f"{len(found)} stories: F1 {cues:.2f} by cues, {asked_:.2f} asked;"
        f" {100 * requests / messages:.1f} requests for 100 messages"
    )


if __name__ == "__main__":
    asyncio.run(main())
