"""Recaps that a model writes reach their version whole, and merging them costs little."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.core.errors import AnswerUnusable
from app.llm.backends.backend import Answer, Request
from app.llm.prompts.prompt_files import SHIPPED, Prompts, load_prompts
from app.llm.writers.asking import Asker
from app.llm.writers.model_writer import ModelWriter
from app.llm.writers.writer import Merge
from app.memory.documents.away import read_away
from app.prompt.tokens import estimate_tokens
from app.story.messages import Message, digest
from app.story.recap_texts.recap_text import Recap, parse_recap

SCENES = 10
NUMBERED = re.compile(r"^(.*) \[(\d+)\]$", re.MULTILINE)


class Backend:
    """Answers by the request."""

    label = "scripted"
    spec = "ollama:scripted"

    def __init__(self, answer: Callable[[str], str], context_tokens: int = 16_384) -> None:
        self.context_tokens = context_tokens
        self.answer = answer
        self.requests: list[str] = []
        self.written = 0  # tokens

    async def generate(
        self, request: Request, *, on_text: Callable[[str], None] | None = None
    ) -> Answer:
        self.requests.append(request.prompt)
        text = self.answer(request.prompt)
        self.written += estimate_tokens(text)
        return Answer(text)

    async def aclose(self) -> None: ...


def writer_of(backend: Backend, prompts: Prompts | None = None) -> ModelWriter:
    return ModelWriter(Asker(backend, count_tokens=estimate_tokens), prompts or load_prompts())


def messages(*texts: str) -> list[Message]:
    return [Message(str(n), digest(text), "Ann", text) for n, text in enumerate(texts)]


def scene_of(number: int) -> Recap:
    commands = tuple(
        f"On day {number} Ann paid Bo {number}{deed} coins for the boat that lay at the old pier."
        for deed in range(5)
    )
    return Recap(
        commands,
        (f"Who took the lamp of house {number} from its hook at night?",),
        (f"Ann: she is at house {number} with Bo and the others.", "Bo: he sleeps by the fire."),
    )


def whole(recap: Recap) -> str:
    lists = {"developments": recap.developments, "open": recap.open, "state": recap.state}
    return json.dumps({"recap": lists})


def changes(prompt: str) -> str:
    """What a good model answers: what the scene's state tells anew goes, and what it has to."""
    shown, scene = (
        prompt.split(f"<{tag}>\n")[1].split(f"\n</{tag}>")[0] for tag in ("recap", "scene")
    )
    about = {line.split(":")[0] for line in parse_recap(scene).state}
    entries = [(text, int(number)) for text, number in NUMBERED.findall(shown)]
    drop = [number for text, number in entries if text.split(":")[0] in about]
    over = re.search(r"at least (\d+) have to go", prompt)
    oldest = [number for text, number in entries if text.startswith("On day")]
    drop += oldest[: max(0, int(over[1]) - len(drop)) if over else 0]
    return json.dumps({"drop": drop, "replace": [], "add": {}})


@pytest.mark.real_model(13)
async def test_merging_takes_a_third_of_what_writing_all_of_it_again_takes() -> None:
    backend, running, again = Backend(changes), "", 0
    for number in range(SCENES):
        text = scene_of(number).render()
        written = await writer_of(backend).running_recap(
            Merge(running, "A house", text, tokens=1000)
        )
        running = written.value
        assert set(scene_of(number).developments) <= set(parse_recap(running).developments)
        assert not written.left_out
        again += estimate_tokens(whole(parse_recap(running)))
    assert backend.written * 3 <= again
    assert len(backend.requests) == SCENES - 1
    assert parse_recap(running).state == scene_of(SCENES - 1).state, "no camp of two scenes ago"
    assert estimate_tokens(running) <= 1150


@pytest.mark.real_model(13)
async def test_the_first_scene_is_copied_without_a_request() -> None:
    backend = Backend(lambda prompt: whole(Recap(("Nothing of it.",))))
    written = await writer_of(backend).running_recap(
        Merge("", "A house", scene_of(1).render(), tokens=900)
    )
    assert written.value == scene_of(1).render()
    assert (backend.requests, written.output_tokens) == ([], 0)


@pytest.mark.real_model(1)
async def test_the_running_recap_hears_all_that_a_long_scene_has_to_tell() -> None:
    """It was told of two or three deeds of a scene, with most of its room unused."""
    scene = Recap(tuple(f"Ann did deed {n} at the old mill by the river." for n in range(30)))
    backend = Backend(changes)
    writer = writer_of(backend)
    first = await writer.running_recap(Merge("", "A", scene_of(1).render(), tokens=1000))
    then = await writer.running_recap(Merge(first.value, "B", scene.render(), tokens=1000))
    assert set(scene.developments) <= set(parse_recap(then.value).developments)
    assert all(deed in backend.requests[-1] for deed in scene.developments)


@pytest.mark.real_model(13)
async def test_the_whole_is_asked_for_where_changes_cannot_be_read() -> None:
    answers = ['{"drop": [77]}', whole(Recap(("Ann hired Bo.", "Bo left.")))]
    backend = Backend(lambda prompt: answers[len(backend.requests) - 1])
    written = await writer_of(backend).running_recap(
        Merge("Ann hired Bo.", "S", "Bo left.", tokens=200)
    )
    assert written.value == "DEVELOPMENTS\nAnn hired Bo.\nBo left."
    assert "with changes to an entry that does not exist" in backend.requests[1]
    assert '{"recap":' in backend.requests[1]


def scenes(*numbers: int) -> Recap:
    """Recaps of several scenes in one."""
    told = [scene_of(number) for number in numbers]
    return Recap(
        tuple(deed for scene in told for deed in scene.developments),
        tuple(matter for scene in told for matter in scene.open),
        told[-1].state,
    )


def last_words(prompt: str) -> str:
    """What a small model does that does not know how to go on: it repeats the end."""
    return prompt.split("\n\nAn answer to this")[0][-500:]


@pytest.mark.parametrize("before", [scene_of(0), scenes(0, 1, 2)])
async def test_an_answer_that_repeats_the_end_of_its_request_is_no_recap(before: Recap) -> None:
    """Its headings made it one, in which everything that had happened was lost."""
    backend = Backend(last_words)
    with pytest.raises(AnswerUnusable, match=r"words from the request|leaves out most"):
        await writer_of(backend).running_recap(
            Merge(before.render(), "S", scene_of(3).render(), tokens=950)
        )
    assert len(backend.requests) == 2


@pytest.mark.parametrize(
    "answer",
    [
        whole(Recap(("Ann came to the village with Bo.",), (), ("Ann: she is at the pier.",))),
        "DEVELOPMENTS\nAnn came to the village with Bo.\n\nSTATE\nAnn: she is at the pier.",
        json.dumps({"drop": [*range(1, 20)], "replace": [], "add": {}}),
    ],
)
async def test_what_loses_most_of_the_recap_is_asked_for_again(answer: str) -> None:
    before, scene = scenes(0, 1, 2), scene_of(3)
    answers = [answer, json.dumps({"drop": [], "replace": [], "add": {}})]
    backend = Backend(lambda prompt: answers[len(backend.requests) - 1])
    written = await writer_of(backend).running_recap(
        Merge(before.render(), "S", scene.render(), tokens=950)
    )
    kept = parse_recap(written.value).developments
    assert kept == (*before.developments, *scene.developments)
    assert "leaves out most" in backend.requests[1]


async def test_no_recap_of_a_scene_or_message_holds_words_of_its_request() -> None:
    backend = Backend(lambda prompt: f"DEVELOPMENTS\nAnn left.\n{last_words(prompt)}")
    with pytest.raises(AnswerUnusable, match="words from the request"):
        await writer_of(backend).scene_recap(messages("Ann left."), previous="", tokens=300)
    backend.answer = lambda prompt: (
        "The message, in the language of the message: Ann left. </message>"
    )
    with pytest.raises(AnswerUnusable, match="words from the request"):
        await writer_of(backend).message_recap(messages("Ann left.")[0])


async def test_no_document_of_memories_holds_words_of_its_request() -> None:
    backend = Backend(lambda prompt: f"Ann hired Bo at the old mill. {prompt.splitlines()[-1]}")
    model = writer_of(backend).memory
    with pytest.raises(AnswerUnusable, match="words from the request"):
        await model.ask(
            "memory_away", {"memory": "Ann hired Bo.", "recent": "Ann: Come!"}, read_away
        )


async def test_what_is_over_its_room_is_asked_to_lose_more_and_then_kept() -> None:
    old = Recap(tuple(f"Ann did deed {n} at the old mill by the river." for n in range(20)))
    size = estimate_tokens(old.render())
    backend = Backend(lambda prompt: '{"drop": [1], "replace": [], "add": {}}')
    written = await writer_of(backend).running_recap(
        Merge(old.render(), "S", "Bo left.", tokens=int(size / 1.3))
    )
    assert len(backend.requests) == 2
    asked = backend.requests[1].rpartition("Changes that were given")[2]
    assert re.search(r"left 20 entries, .* leave about 1\d", asked)
    assert parse_recap(written.value).developments == (*old.developments[1:], "Bo left.")
    assert not written.left_out


@pytest.mark.parametrize(
    ("sentence", "unit"),
    [
        ("Ann did deed {} at the old mill.", "words"),
        ("安娜在河边的磨坊做了第{}件事。", "characters"),
    ],
)
async def test_room_is_told_in_what_a_model_can_count(sentence: str, unit: str) -> None:
    """A share in per cent of a text cannot be seen by who writes it."""
    old = Recap(tuple(sentence.format(number) for number in range(20)))
    size = estimate_tokens(old.render())
    backend = Backend(lambda prompt: '{"drop": [1], "replace": [], "add": {}}')
    merge = Merge(old.render(), "S", sentence.format(30), tokens=size // 2)
    await writer_of(backend).running_recap(merge)
    limit = rf"have (\d+) {unit} now; what is left of them may have about (\d+) {unit}\."
    told = re.search(limit, backend.requests[0])
    assert told
    assert int(told[1]) * 0.4 < int(told[2]) < int(told[1]) * 0.6


async def test_no_more_entries_have_to_go_than_both_can_lose() -> None:
    """A long scene asked for 21 of 18, so that nothing was left of what came before it."""
    old = Recap(tuple(f"Ann did deed {n} at the old mill by the river." for n in range(18)))
    scene = Recap(tuple(f"Bo said word {n} at the new bridge." for n in range(20)))
    backend = Backend(lambda prompt: '{"drop": [1, 2], "replace": [], "add": {}}')
    for tokens in (100, 200, 350):
        await writer_of(backend).running_recap(
            Merge(old.render(), "S", scene.render(), tokens=tokens)
        )
        limits = [re.search(r"of the 38 .* at least (\d+) have to go", p) for p in backend.requests]
        assert all(limit and 1 <= int(limit[1]) <= 26 for limit in limits)
        backend.requests.clear()


async def test_a_scene_gives_way_as_well_where_there_is_no_room_for_it_all() -> None:
    old = Recap(("Ann hired Bo for six coins.",), ("Who took the lamp?",))
    scene = Recap(tuple(f"Bo said word {n} at the new bridge." for n in range(6)))
    answer = json.dumps({"drop": [4, 5], "replace": [{"entries": [6, 7, 8], "text": "Bo spoke."}]})
    backend = Backend(lambda prompt: answer)
    written = await writer_of(backend).running_recap(
        Merge(old.render(), "S", scene.render(), tokens=60)
    )
    assert "Bo said word 0 at the new bridge. [3]\n" in backend.requests[0]
    assert parse_recap(written.value).developments == (
        "Ann hired Bo for six coins.",
        "Bo said word 0 at the new bridge.",
        "Bo spoke.",
    )
    assert parse_recap(written.value).open == ("Who took the lamp?",)
    backend = Backend(lambda prompt: '{"drop": [1]}')
    await writer_of(backend).running_recap(Merge(old.render(), "S", scene.render(), tokens=900))
    assert "Bo said word 0 at the new bridge.\n" in backend.requests[0]


async def test_a_users_own_prompt_of_before_is_asked_for_the_whole(tmp_path: Path) -> None:
    text = (SHIPPED / "running_recap.md").read_text(encoding="utf-8")
    text = text.replace(", limit\n", "\n").replace("{{limit}} ", "")
    (tmp_path / "running_recap.md").write_text(text, encoding="utf-8")
    backend = Backend(lambda prompt: whole(Recap(("Ann hired Bo.", "Bo left."))))
    writer = writer_of(backend, load_prompts(tmp_path))
    written = await writer.running_recap(Merge("Ann hired Bo.", "S", "Bo left.", tokens=200))
    assert written.value == "DEVELOPMENTS\nAnn hired Bo.\nBo left."
    assert "Ann hired Bo.\n</recap>" in backend.requests[0]


def scene_answer(commands: int) -> str:
    recap = {"developments": [f"Ann did deed number {n} at the mill." for n in range(commands)]}
    return json.dumps({"name": "The mill burns", "recap": recap})


@pytest.mark.real_model(1, 13)
async def test_a_scene_recap_that_is_too_long_is_asked_for_once_more_and_kept_whole() -> None:
    backend = Backend(lambda prompt: scene_answer(40))
    written = await writer_of(backend).scene_recap(messages("x " * 200), previous="", tokens=160)
    assert len(backend.requests) == 2
    assert "had 40 entries" in backend.requests[1]
    assert "At most 8 entries" in backend.requests[0]
    assert written.value.text.count("Ann did deed") == 40, "only the prompt has a budget"


@pytest.mark.real_model(1)
async def test_the_shorter_answer_counts_and_an_unreadable_one_costs_nothing() -> None:
    for second, kept in ((scene_answer(7), 7), ("no", 40)):
        answers = [scene_answer(40), second]
        backend = Backend(lambda prompt, answers=answers: answers.pop(0))  # type: ignore[misc]
        written = await writer_of(backend).scene_recap(messages("x"), previous="", tokens=160)
        assert written.value.text.count("Ann did deed") == kept
        assert not answers


@pytest.mark.real_model(13)
async def test_an_aside_between_the_players_is_not_sent_as_story() -> None:
    backend = Backend(lambda prompt: scene_answer(2))
    said = messages("Ann lit the lamp.", "((OOC: I promise to write more tomorrow.))")
    await writer_of(backend).scene_recap(said, previous="", tokens=160)
    assert "tomorrow" not in backend.requests[0]
    await writer_of(backend).scene_recap(said[1:], previous="", tokens=160)
    assert "tomorrow" in backend.requests[1], "a scene of nothing else is read all the same"


async def test_a_model_that_never_writes_less_is_seldom_asked_to() -> None:
    """Each recap and each fold cost two requests with a model that repeats itself."""
    backend = Backend(lambda prompt: scene_answer(40))
    writer = writer_of(backend)
    asked = []
    for number in range(13):
        before = len(backend.requests)
        await writer.scene_recap(messages(f"x {number}"), previous="", tokens=160)
        asked.append(len(backend.requests) - before)
    assert asked == [2, 2, *[1] * 9, 2, 1]

    old, scene = scene_of(1), scene_of(2)
    backend = Backend(lambda prompt: '{"drop": [], "replace": [], "add": {}}')
    writer = writer_of(backend)
    merge = Merge(old.render(), "S", scene.render(), tokens=60)
    for _ in range(4):
        await writer.running_recap(merge)
    assert len(backend.requests) == 6


async def test_a_model_that_wrote_less_when_asked_goes_on_being_asked() -> None:
    backend = Backend(lambda prompt: scene_answer(7 if "Answer once more" in prompt else 40))
    writer = writer_of(backend)
    for number in range(5):
        await writer.scene_recap(messages(f"x {number}"), previous="", tokens=160)
    assert len(backend.requests) == 10
