"""Scenes of labelled stories where a model is asked about what is in doubt, and what that takes.

`python -m tests.scenes.asking FOLDER STORY.json ...` writes each request to FOLDER and stops; with
its answer beside it (STORY-1.answer.json for STORY-1.prompt.md) it goes on. So any model at hand
can be asked, by whoever reads the prompt alone. Where nothing is left to ask it prints figures.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.languages import load_packs
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.model_writer import ModelWriter
from app.prompt.tokens import estimate_tokens
from app.settings.values import REGISTRY
from app.story.break_search import ScenesOfMessages, Searched
from app.story.doubts import ASKED, asked, next_stretch
from app.story.scene_detection import detect_breaks
from app.story.scenes import SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.work.chats.doubtful_places import DoubtfulPlaces
from app.work.chats.found_breaks import scene_break_of
from app.work.jobs.model_breaks import ask_all, searched_row, settled
from app.work.planning.break_planner import SearchState, stretch_rules
from tests.bench.bench_scenes import Figures, LabelledStory, figures_of, line_of, load_story, show

CONTEXT = 16_000  # tokens of the model


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


async def with_answers(labelled: LabelledStory, folder: Path) -> tuple[Figures, Figures, list[int]]:
    """Figures of the cues, the same with the answers, and the tokens of each request."""
    packs = load_packs()
    found = detect_breaks(labelled.messages, packs)
    marks = [scene_break_of(each, labelled.messages) for each in found]
    story = _story(labelled, {mark.anchor: mark for mark in marks})
    backend = FolderBackend(folder, labelled.name)
    writer = ModelWriter(Asker(backend, count_tokens=estimate_tokens), load_prompts())
    settings = {name: setting.default for name, setting in REGISTRY.items()}
    rules, doubts = stretch_rules(settings), DoubtfulPlaces(packs)
    searched: list[Searched] = []
    while True:
        state = await doubts.taken_in(SearchState(searched=searched), story, settings)
        place = ScenesOfMessages(story.messages, story.message_tokens, story.breaks, searched)
        done = asked(story, searched)
        search = next_stretch(place, story, frozenset(state.doubts), done, rules)
        if search is None:
            break
        answers = (await ask_all(writer, place, search)).value
        searched.append(searched_row(place, search, ASKED))
        changed = settled(story, story.breaks, search, answers or (), rules.minimum)
        story = _story(labelled, story.breaks | {mark.anchor: mark for mark in changed})
    before = figures_of(labelled, [each.last for each in found])
    ends = [scene.last for scene in story.scenes if scene.is_closed]
    return before, figures_of(labelled, ends), backend.tokens


def _story(labelled: LabelledStory, breaks: dict[str, SceneBreak]) -> Story:
    chat = ChatRef(Path(f"{labelled.name}.jsonl"), ChatKind.FILE, labelled.name)
    messages = labelled.messages
    counted = tuple(estimate_tokens(message.text) for message in messages)
    story = Story(chat=chat, messages=messages, breaks=breaks, message_tokens=counted)
    return replace(story, scenes=scenes_of(messages, breaks))


async def main() -> None:
    folder, *paths = map(Path, sys.argv[1:])
    folder.mkdir(parents=True, exist_ok=True)
    total: list[tuple[Figures, Figures]] = []
    requests = messages = 0
    for path in paths:
        labelled = load_story(path)
        try:
            before, after, tokens = await with_answers(labelled, folder)
        except Unanswered as waits:
            show(f"{labelled.name}: {waits} waits for its answer")
            continue
        total.append((before, after))
        requests, messages = requests + len(tokens), messages + len(labelled.messages)
        show(f"{labelled.name:14} cues    {line_of(before)}")
        show(f"{'':14} asked   {line_of(after)}  requests {len(tokens)}, tokens {tokens}")
    if total:
        means = [sum(pair[side].f1 for pair in total) / len(total) for side in (0, 1)]
        show(
            f"{len(total)} stories: F1 {means[0]:.2f} by cues, {means[1]:.2f} asked;"
            f" {100 * requests / messages:.1f} requests for 100 messages"
        )


if __name__ == "__main__":
    asyncio.run(main())
