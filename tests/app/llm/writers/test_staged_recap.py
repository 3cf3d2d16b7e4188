"""Scene recaps in stages: few requests, each within the context, none of them asked twice."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from app.core.errors import AnswerUnusable, BackendUnreachable
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import STAGES, load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.builtin import BuiltinWriter
from app.llm.writers.model_writer import ModelWriter
from app.llm.writers.writer import SceneDraft, Staging
from app.llm.writers.written import Written
from app.prompt.tokens import estimate_tokens
from app.sillytavern.extensions.stored_recap import display_text
from app.story.lore_entries.lore import LoreEntry, stored_entries
from app.story.messages import Message, digest
from app.story.recap_texts.recap_text import parse_recap

EXTRACTED = {"name": "The ford", "extracted": ["Ann left.", "The ford is deep."]}
FORD = {"type": "place", "name": "Ford", "keywords": ["river"], "content": ["The ford is deep."]}
ORGANISED = {
    "recap": {"developments": ["Ann left.", "It rained."], "open": [], "state": ["Bo waits."]},
    "entities": [FORD],
}
FILTERED = {"developments": ["Ann left."], "open": [], "state": ["Bo waits."], "resolved": []}
NOTHING: dict[str, list[str]] = {"developments": [], "open": [], "state": [], "resolved": []}
KNOWN = (LoreEntry("place", "Old Ford", (), ("There is a ferry.",)),)
PROMPTS = load_prompts()


class Model:
    """Answers each stage as it is told to; which one is known by its prompt."""

    label = "scripted"
    spec = "ollama:scripted"

    def __init__(self, context_tokens: int = 8192, **answers: Any) -> None:
        self.context_tokens = context_tokens
        self.answers: dict[str, Any] = {
            "scene_extract": EXTRACTED,
            "scene_organise": ORGANISED,
            "scene_filter": FILTERED,
            "scene_lore": {"entities": []},
        } | answers
        self.asked: list[str] = []
        self.requests: list[Request] = []

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        stage = next(task for task in STAGES if PROMPTS[task].system == request.system)
        self.asked.append(stage)
        self.requests.append(request)
        answer = self.answers[stage]
        if isinstance(answer, Exception):
            raise answer
        text = answer if isinstance(answer, str) else json.dumps(answer)
        if on_text is not None:
            on_text(text)
        return Answer(text, prompt_tokens=10, output_tokens=3)

    async def aclose(self) -> None: ...


class Kept(dict[str, str]):
    """Answers in memory."""

    async def get(self, key: str) -> str | None:  # type: ignore[override]
        return dict.get(self, key)

    async def keep(self, key: str, answer: str) -> None:
        self[key] = answer


def messages(count: int = 3, text: str = "Something was done here by someone.") -> list[Message]:
    return [
        Message(str(i), digest(f"{text} {i}"), "Ann" if i % 2 else "Bo", f"{text} {i}", bool(i % 2))
        for i in range(count)
    ]


async def recap(
    model: Model,
    kept: Kept | None = None,
    *,
    previous: str = "Before.",
    lore: tuple[LoreEntry, ...] = KNOWN,
    said: list[Message] | None = None,
    heard: list[str] | None = None,
) -> Written[SceneDraft]:
    writer = ModelWriter(Asker(model, count_tokens=estimate_tokens), PROMPTS)
    return await writer.scene_recap(
        said or messages(),
        previous=previous,
        tokens=200,
        on_text=None if heard is None else heard.append,
        staging=Staging(kept if kept is not None else Kept(), lore),
    )


async def test_four_requests_make_a_recap_of_what_is_new() -> None:
    model, heard = Model(), list[str]()
    written = await recap(model, heard=heard)
    assert model.asked == list(STAGES)
    assert written.value.name == "The ford"
    assert written.value.text == "DEVELOPMENTS\nAnn left.\n\nSTATE\nBo waits."
    assert display_text(written.value.stored) == written.value.text
    assert (written.prompt_tokens, written.output_tokens) == (40, 12)
    assert heard[-1] == written.value.text
    assert "[CHARACTER: Bo]" in model.requests[0].prompt
    assert "- The ford is deep." in model.requests[1].prompt
    assert "Before." in model.requests[2].prompt
    assert "It rained." in model.requests[2].prompt
    assert "There is a ferry." in model.requests[3].prompt


async def test_where_nothing_is_known_nothing_is_asked_about_it() -> None:
    model = Model()
    written = await recap(model, previous="", lore=())
    assert model.asked == ["scene_extract", "scene_organise"]
    assert "It rained." in written.value.text
    (entry,) = stored_entries(written.value.stored)
    assert (entry.name, entry.keywords, entry.content) == (
        "Ford",
        ("river",),
        ("The ford is deep.",),
    )


async def test_lore_that_is_nobodys_is_new_without_a_question() -> None:
    model = Model()
    written = await recap(model, lore=(LoreEntry("place", "Mill", (), ("It burnt.",)),))
    assert "scene_lore" not in model.asked
    assert [entry.name for entry in stored_entries(written.value.stored)] == ["Ford"]


@pytest.mark.weakness(26)
async def test_a_scene_that_adds_nothing_is_no_failure_and_still_told() -> None:
    model = Model(scene_filter=NOTHING)
    written = await recap(model)
    assert model.asked == list(STAGES)
    assert written.value.text == "DEVELOPMENTS\nAnn left.\nIt rained.\n\nSTATE\nBo waits."
    assert parse_recap(display_text(written.value.stored)).render() == written.value.text
    stored = json.loads(written.value.stored)
    assert not any(stored["stage3"].values())
    assert stored["known_from"] == digest("Before.")


@pytest.mark.parametrize("stage", STAGES[1:3])
async def test_a_fault_in_a_later_stage_costs_no_earlier_stage_again(stage: str) -> None:
    kept, model = Kept(), Model()
    model.answers[stage] = BackendUnreachable("Gone.")
    with pytest.raises(BackendUnreachable):
        await recap(model, kept)
    before = STAGES[: STAGES.index(stage)]
    assert model.asked == [*before, stage]
    again = Model()
    written = await recap(again, kept)
    assert again.asked == [stage, *STAGES[STAGES.index(stage) + 1 :]]
    assert written.value.text == (await recap(Model())).value.text
    silent = Model()
    assert (await recap(silent, kept)).value == written.value
    assert silent.asked == []


async def test_another_story_so_far_asks_only_what_is_new_in_it() -> None:
    kept = Kept()
    await recap(Model(), kept)
    model = Model()
    await recap(model, kept, previous="Something else.")
    assert model.asked == ["scene_filter"]


async def test_an_unreadable_stage_is_asked_once_more_and_never_kept() -> None:
    kept, model = Kept(), Model(scene_filter="I would rather not.")
    with pytest.raises(AnswerUnusable, match=r"No recap: .*twice"):
        await recap(model, kept)
    assert model.asked == [*STAGES[:3], "scene_filter"]
    assert len(kept) == 2


async def test_lore_that_cannot_be_compared_is_kept_whole() -> None:
    model = Model(scene_lore="no")
    written = await recap(model)
    assert [entry.name for entry in stored_entries(written.value.stored)] == ["Ford"]


@pytest.mark.parametrize("context", [3500, 4096, 8192])
async def test_no_stage_goes_beyond_the_context_however_much_there_is(context: int) -> None:
    many = {
        "name": "x",
        "extracted": [f"Fact {n} of this long scene was noted." for n in range(99)],
    }
    recap_of_many = {
        "recap": {"developments": [f"Deed {n} was done by somebody." for n in range(280)]},
        "entities": [
            {"name": f"Ford {n}", "content": ["A long sentence about it. " * 8]} for n in range(60)
        ],
    }
    model = Model(context, scene_extract=many, scene_organise=recap_of_many)
    known = tuple(LoreEntry("place", f"Ford {n}", (), ("Known. " * 30,)) for n in range(500))
    said = messages(150, "A long walk through the old town and its markets.")
    await recap(model, previous="p. " * 9000, lore=known, said=said)
    assert model.asked.count("scene_extract") > 1 or context == 8192
    assert [stage for stage in model.asked if stage != "scene_extract"] == list(STAGES[1:])
    for request in model.requests:
        needed = estimate_tokens(request.system) + estimate_tokens(request.prompt)
        assert needed + request.max_output_tokens <= context


async def test_without_a_model_there_are_no_stages() -> None:
    writer = BuiltinWriter(count_tokens=estimate_tokens)
    staged = await writer.scene_recap(
        messages(), previous="", tokens=99, staging=Staging(Kept(), ())
    )
    assert staged == await writer.scene_recap(messages(), previous="", tokens=99)


@pytest.mark.real_model(1)
async def test_what_is_new_and_too_long_is_asked_for_once_more_and_kept_whole() -> None:
    many = [f"Ann did deed number {n} at the mill by the river." for n in range(40)]
    model = Model(
        scene_organise={"recap": {"developments": many}},
        scene_filter={**NOTHING, "developments": many},
    )
    written = await recap(model)
    assert model.asked.count("scene_filter") == 2
    assert "had 40 entries" in model.requests[-1].prompt
    assert parse_recap(written.value.text).developments == tuple(many)


@pytest.mark.real_model(1)
async def test_what_a_small_context_has_no_room_to_put_in_order_is_counted() -> None:
    many = [f"Fact {n} of this long scene was noted down by somebody." for n in range(250)]
    model = Model(3500, scene_extract={"name": "x", "extracted": many})
    written = await recap(model)
    shown = model.requests[model.asked.index("scene_organise")].prompt
    missing = sum(f"- {fact}" not in shown for fact in many)
    assert missing
    assert written.left_out == missing
