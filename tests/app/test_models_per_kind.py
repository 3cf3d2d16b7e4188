"""A model for a kind of work: it alone does that work, and what it takes is counted as its own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from app.commands import main
from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.operations import FINISHED, OperationKind
from app.core.paths import user_folders
from app.work.models.active_model import ActiveModel
from tests.fakes import MODEL, Behaviour, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern

RUNNING, SCENES = "model_running_recap", "model_scene_recaps"


def answer(request: RecordedRequest) -> str:
    recap = {"developments": ["A lamp was lit."], "open": [], "state": []}
    return json.dumps({"name": "The lamp", "recap": recap})


@pytest.fixture
def cheap() -> Iterator[FakeLlm]:
    with FakeLlm(answer) as running:
        yield running


@pytest.fixture
def good() -> Iterator[FakeLlm]:
    with FakeLlm(answer) as running:
        yield running


def spec(llm: FakeLlm, name: str) -> str:
    return f"openai:{name}@{llm.url}"


@pytest_asyncio.fixture
async def companion(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[Companion]:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(
        folders, tavern=demo_tavern.user_folder, watch=False, keeps_memory=False
    ) as opened:
        yield opened


def tasks(llm: FakeLlm) -> set[str]:
    """Which recaps a model was asked for."""
    return {"fold" if "merged recap" in request.text else "scene" for request in llm.requests}


async def test_each_kind_of_work_is_done_by_its_model(
    companion: Companion, demo_tavern: WrittenTavern, cheap: FakeLlm, good: FakeLlm
) -> None:
    await companion.put_setting("scene_detector", "heuristic")
    await companion.put_setting("backend", spec(cheap, "cheap"))
    await companion.put_setting(RUNNING, spec(good, "good"))
    await companion.open_story(demo_tavern.chat)
    story, failures = await companion.finished(demo_tavern.chat)
    assert not failures
    assert tasks(cheap) == {"scene"}
    assert tasks(good) == {"fold"}
    current = story.running.current
    assert current is not None
    assert "good" in current.made_by
    used = {(use.task, "good" in use.backend) for use in await companion.use.uses(1)}
    assert used == {("scene_recap", False), ("running_recap", True)}


async def test_who_sets_no_model_for_a_kind_keeps_all_keys(companion: Companion) -> None:
    await companion.put_setting("backend", "ollama:m")
    writing = companion.models.writing()
    assert not writing.others
    assert writing.specs == writing.spec == "ollama:m"
    await companion.put_setting(SCENES, "ollama:m")
    assert companion.models.writing().key(OperationKind.SCENE_RECAP, "a") == writing.key(
        OperationKind.SCENE_RECAP, "a"
    )


async def test_another_model_for_one_kind_leaves_what_others_have_done(
    companion: Companion, demo_tavern: WrittenTavern, cheap: FakeLlm, good: FakeLlm
) -> None:
    await companion.put_setting("backend", spec(cheap, "cheap"))
    before = companion.models.writing()
    await companion.put_setting(RUNNING, spec(good, "good"))
    after = companion.models.writing()
    scene, fold = OperationKind.SCENE_RECAP, OperationKind.RUNNING_RECAP
    assert after.key(scene, "a") == before.key(scene, "a")
    assert after.key(fold, "a") != before.key(fold, "a")


async def test_what_waits_does_not_ask_each_time_how_models_write(
    companion: Companion, demo_tavern: WrittenTavern, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a backlog of hundreds it took nearly half of the program's time."""
    companion.work.pause()
    await companion.put_setting("backend", "ollama:m")
    await companion.open_story(demo_tavern.chat)
    asked: list[str] = []
    monkeypatch.setattr(ActiveModel, "writing", lambda model: asked.append(model.spec))
    assert len(companion.work.operations) > 3
    assert companion.work.held_back == ()
    assert asked == []


async def test_a_kind_without_a_model_costs_nothing_and_is_not_asked_about(
    demo_tavern: WrittenTavern, tmp_path: Path, good: FakeLlm
) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(
        folders, tavern=demo_tavern.user_folder, watch=False, asks_first=True
    ) as companion:
        await companion.put_setting("catch_up_scenes", 0)
        await companion.put_setting("scene_detector", "heuristic")
        await companion.put_setting("backend", spec(good, "good"))
        await companion.put_setting(SCENES, "builtin")
        await companion.put_setting(RUNNING, "builtin")
        await companion.open_story(demo_tavern.chat)
        story, failures = await companion.finished(demo_tavern.chat)
        assert not failures
        assert story.running.current is not None
        assert not good.requests
        assert companion.work.catch_up(demo_tavern.chat) is None


async def test_what_is_named_for_one_run_is_for_all_kinds_until_another_is_chosen(
    demo_tavern: WrittenTavern, tmp_path: Path, good: FakeLlm
) -> None:
    folders = user_folders(tmp_path / "own data")
    async with open_companion(folders, tavern=demo_tavern.user_folder, watch=False) as before:
        await before.put_setting(RUNNING, spec(good, "good"))
    async with open_companion(
        folders, tavern=demo_tavern.user_folder, llm="builtin", watch=False
    ) as given:
        assert not given.models.writing().others
        await given.put_setting(SCENES, spec(good, MODEL))
        assert MODEL in given.models.writer(OperationKind.SCENE_RECAP).label


async def test_a_model_that_makes_no_sense_is_refused(companion: Companion) -> None:
    with pytest.raises(UsageError):
        await companion.put_setting(RUNNING, "nonsense")
    assert companion.settings[RUNNING] == ""


def test_the_doctor_names_the_models(
    demo_tavern: WrittenTavern,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def put() -> None:
        async with open_companion(
            user_folders(tmp_path), tavern=demo_tavern.user_folder, watch=False
        ) as companion:
            await companion.put_setting(RUNNING, "ollama:good")

    asyncio.run(put())
    main(["doctor", "--data-dir", str(tmp_path), "--tavern", str(demo_tavern.user_folder)])
    told = capsys.readouterr().out
    assert "Model: builtin; Model for the running recap: ollama:good" in told


async def test_a_server_that_is_busy_is_left_alone_by_all_of_its_models(
    companion: Companion, demo_tavern: WrittenTavern
) -> None:
    def busy(_request: RecordedRequest) -> Behaviour:
        return lambda wire: wire.head(429, **{"Retry-After": "20"})

    with FakeLlm(busy) as server:
        await companion.put_setting("backend", spec(server, "good"))
        await companion.put_setting(SCENES, spec(server, "cheap"))
        companion.work.pause()
        story = await companion.open_story(demo_tavern.chat)
        await companion.edits.messages.write(demo_tavern.chat, [story.messages[1].anchor])
        companion.work.resume()
        await companion.settled(demo_tavern.chat)
        kinds = {op.spec.kind for op in companion.work.operations if op.status not in FINISHED}
        assert kinds >= {OperationKind.SCENE_RECAP, OperationKind.MESSAGE_RECAP}
        assert len(server.requests) == 1
