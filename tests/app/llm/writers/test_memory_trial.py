"""The model test tries every tier, shows what came, and says what is wrong with it."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.commands.entry import DONE, FAILED, WRONG_USAGE, main
from app.companion import open_companion
from app.core.paths import Folders
from app.llm.tokenizer import counter_for
from app.llm.writers.factory import make_writer
from app.llm.writers.memory_trial import rated, trial_scene, try_memory
from app.memory.reading.answers import read_answer
from app.memory.records import Tier
from app.views.memory_trial import ORDER, TierTrial
from tests.fakes import FakeLlm, RecordedRequest, Wire

GOOD = {
    "note the long-term memory": """\
[fact:3:permanent:sources=4:entity=Corvin/character] Corvin was a warden for eleven years.
[fact:2:permanent:sources=3] Wren's mother drowned on the salt road.
[relationship:2:permanent:sources=15] Wren trusts Corvin over any of the scholars.
[event:3:permanent:sources=5] Wren lied to Magister Othmar about the glacier.
[preference:2:permanent:sources=3] Wren does not cross still water.""",
    "note the session": """[detail:2:session:sources=10] Corvin found blue wax with a heron on it.
[scene:2:session:sources=16] Two lights move on the ridge at night.
[revelation:3:session:sources=11] Lio burned a letter with the heron seal in spring.
[development:2:session:sources=19] They leave before dawn through the cellar.""",
    "note the open arcs": """[arc:sources=1] Where the apprentice Lio has gone
[arc:sources=18] Who watches the house from the ridge
[arc:sources=12] What Abbess Ruthe answers about the heron seal""",
    "note the state ledger": """[state:Sparrow:character:sources=1] outfit_disguise=guard's coat | \
injuries=cut in the thigh
[state:the iron key:object:sources=3] owner=Dunn
[state:the lower cells:place:sources=4] occupants=three guards""",
    "note who knows what": """[knows:sources=1] Maelis | that the north well holds copper
[hiding:sources=2] Maelis from Old Brida | that the north well holds copper
[suspects:sources=3] Tamsin | that the water is bad
[believes:sources=5] Old Brida | that Denning is a friend of the house
[unaware:sources=8] Old Brida | that Denning bought the field""",
}


def good(request: RecordedRequest) -> str:
    return next(answer for task, answer in GOOD.items() if task in request.text)


async def tried(llm: FakeLlm, **more: Any) -> dict[Tier, TierTrial]:
    writer = make_writer(f"openai:m@{llm.url}", count_tokens=counter_for().count)
    assert writer.memory is not None
    try:
        trial = await try_memory(writer.memory, **more)
    finally:
        await writer.aclose()
    return {tier.tier: tier for tier in trial.tiers}


def test_the_scenes_are_as_long_as_they_have_to_be() -> None:
    assert [len(trial_scene(name).lines) for name in ("main", "epistemic", "state")] == [30, 10, 5]
    main_scene = trial_scene("main").lines
    assert len({name for name, _ in main_scene}) == 2
    assert all(one[0] != other[0] for one, other in pairwise(main_scene))


@pytest.mark.asyncio
async def test_a_good_model_is_called_good() -> None:
    with FakeLlm(good) as llm:
        tiers = await tried(llm)
    assert list(tiers) == list(ORDER)
    assert {tier: trial.score for tier, trial in tiers.items()} == dict.fromkeys(ORDER, 1.0)
    assert all(trial.parse_rate == 1.0 and not trial.remarks for trial in tiers.values())
    assert all(trial.seconds > 0 for trial in tiers.values())


@pytest.mark.asyncio
async def test_every_tier_is_tried_after_one_that_fails() -> None:
    def reply(request: RecordedRequest) -> str:
        if "note the session" in request.text:
            return "I would rather write a poem."
        return good(request)

    with FakeLlm(reply) as llm:
        tiers = await tried(llm)
        assert len(llm.requests) == len(ORDER)
    assert tiers[Tier.SESSION].is_empty
    assert tiers[Tier.SESSION].raw == "I would rather write a poem."
    assert tiers[Tier.SESSION].skipped
    assert tiers[Tier.EPISTEMIC].score == 1.0


@pytest.mark.asyncio
async def test_reasoning_is_taken_off_and_measured() -> None:
    with FakeLlm(lambda request: f"<think>{'x' * 500}</think>{good(request)}") as llm:
        tiers = await tried(llm)
    assert {trial.reasoning_characters for trial in tiers.values()} == {500}
    assert all("x" * 20 not in trial.raw for trial in tiers.values())


def until_given_up(wire: Wire) -> None:
    wire.wait(20.0)


@pytest.mark.asyncio
async def test_an_answer_that_does_not_come_is_said_so() -> None:
    with FakeLlm() as llm:
        llm.reply = lambda request: until_given_up
        tiers = await tried(llm, seconds=0.2)
    assert {trial.error for trial in tiers.values()} == {"No answer within 0 seconds."}


@pytest.mark.asyncio
async def test_cancelling_keeps_what_was_heard() -> None:
    heard: list[Tier] = []
    with FakeLlm(good) as llm:
        writer = make_writer(f"openai:m@{llm.url}", count_tokens=counter_for().count)
        assert writer.memory is not None
        trying: asyncio.Task[object] | None = None

        def hear(trial: TierTrial) -> None:
            heard.append(trial.tier)
            if len(heard) == 2 and trying is not None:
                trying.cancel()

        async with asyncio.TaskGroup() as group:
            trying = group.create_task(try_memory(writer.memory, hear))
        assert trying.cancelled()
        await writer.aclose()
        assert len(llm.requests) <= 3
    assert heard == list(ORDER)[:2]


@pytest.mark.parametrize(
    ("tier", "scene", "raw", "remark"),
    [
        (
            Tier.ARCS,
            "main",
            GOOD["note the open arcs"] + "\n[resolved:sources=2] Lio is found",
            "resolved",
        ),
        (Tier.LONG_TERM, "main", "[fact:2:sources=4] Corvin was a warden.", "1 entry;"),
        (Tier.LONG_TERM, "main", "[fact:2] Corvin was a warden.", "does not name its source"),
        (
            Tier.STATE_LEDGER,
            "state",
            GOOD["note the state ledger"]
            + "\n[state:Captain Varro:character:sources=5] mood=merry",
            "Captain Varro",
        ),
        (
            Tier.STATE_LEDGER,
            "state",
            GOOD["note the state ledger"] + "\n[state:Dunn:character:sources=5] mood=unknown",
            "unknown",
        ),
        (Tier.EPISTEMIC, "epistemic", "[knows:sources=1] Maelis | the copper", "suspects"),
        (
            Tier.EPISTEMIC,
            "epistemic",
            GOOD["note who knows what"]
            + "\n[knows:sources=7] Old Brida | that the north well holds copper",
            "hidden from somebody who knows",
        ),
    ],
)
def test_a_fault_costs_and_is_named(tier: Tier, scene: str, raw: str, remark: str) -> None:
    score, remarks = rated(tier, read_answer(raw, (tier,)), raw, trial_scene(scene))
    assert score < 1.0
    assert any(remark in one for one in remarks), remarks


def test_a_value_that_says_nothing_makes_the_model_unsuitable_for_the_ledger() -> None:
    raw = GOOD["note the state ledger"] + "\n[state:Dunn:character:sources=5] mood=N/A"
    score, _ = rated(
        Tier.STATE_LEDGER, read_answer(raw, (Tier.STATE_LEDGER,)), raw, trial_scene("state")
    )
    assert score == 0.0


@given(st.sampled_from(list(ORDER)), st.text(max_size=400))
def test_no_answer_breaks_the_score(tier: Tier, raw: str) -> None:
    score, remarks = rated(tier, read_answer(raw, (tier,)), raw, trial_scene(ORDER[tier]))
    assert 0.0 <= score <= 1.0
    assert remarks or score == 1.0


# --- the command and the companion


def test_the_command_prints_all_and_keeps_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeLlm(good) as llm:
        options = ["--llm", f"openai:m@{llm.url}", "--json", "--data-dir", str(tmp_path / "own")]
        assert main(["model-test", *options]) == DONE
    data = json.loads(capsys.readouterr().out)
    assert [tier["tier"] for tier in data["tiers"]] == [tier.value for tier in ORDER]
    assert data["score"] == 1.0
    assert data["tiers"][0]["raw"] == GOOD["note the long-term memory"]
    assert not list(tmp_path.rglob("*.sqlite*"))
    assert not list(tmp_path.rglob("*.db*"))


def test_the_command_fails_when_the_model_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeLlm(lambda request: "NONE") as llm:
        options = ["--llm", f"openai:m@{llm.url}", "--data-dir", str(tmp_path / "own")]
        assert main(["model-test", *options]) == FAILED
    shown = capsys.readouterr()
    assert "gave nothing usable for" in shown.out
    assert "| NONE" in shown.out
    assert main(["model-test", "--llm", "builtin"]) == WRONG_USAGE


@pytest.mark.asyncio
async def test_the_companion_tries_a_model_and_tells_of_each_tier(tmp_path: Path) -> None:
    home = tmp_path / "own"
    home.mkdir()
    heard: list[Tier] = []
    with FakeLlm(good) as llm:
        async with open_companion(Folders(home, home / "logs"), watch=False) as companion:
            trial = await companion.models.test_memory(
                f"openai:m@{llm.url}", lambda tier: heard.append(tier.tier)
            )
    assert heard == list(ORDER)
    assert trial.verdict == "m can remember a story."


def test_a_server_that_breaks_is_an_error_of_each_tier() -> None:
    with FakeLlm(lambda request: lambda wire: wire.head(500)) as llm:
        tiers = asyncio.run(tried(llm))
    assert list(tiers) == list(ORDER)
    assert all(trial.error and trial.is_empty for trial in tiers.values())
