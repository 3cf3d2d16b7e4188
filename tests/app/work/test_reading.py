"""A chat that is read for memory while it is written on, swiped, edited, left and deleted from."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from app.languages import load_packs
from app.memory.records import EndReason, Tier
from app.memory.standing import Status
from app.work.queries.leak_check import epistemic_map
from tests.chat_files import message, swiped, write_chat
from tests.fakes import RecordedRequest
from tests.scripted_memory import Script, gated, new_in, playing, shown_in, task_of

LINES = {
    "lamp is green": "[fact:2:permanent:sources={n}] The lamp on the quay is green.",
    "lamp is red": "[fact:2:permanent:sources={n}] The lamp on the quay is now red.",
    "bridge fell": "[event:3:permanent:sources={n}] The old bridge fell into the river.",
    "keeps a hawk": "[detail:2:session:sources={n}] Mira keeps a hawk in the tower.",
    "who stole": "[arc:sources={n}] Who stole the silver key from the abbey?",
}
EVERY_TIER = "\n".join(
    (
        "[fact:2:permanent:sources={n}] Oswin is a ferryman of the north bank.",
        "[detail:2:session:sources={n}] Oswin left his coat in the ferry.",
        "[feels:sources={n}] Oswin -> Mira: grateful(high)",
        "[arc:sources={n}] Will Oswin find his brother before winter?",
        "[state:Oswin:character:sources={n}] location=north bank",
        "[knows:sources={n}] Oswin | where the key is",
    )
)
ALL_TIERS = set(Tier)


def plain(count: int) -> list[dict[str, object]]:
    return [message(number) for number in range(count)]


@pytest.mark.pitfall(5, 53)
async def test_a_trailing_reply_is_never_shown_before_the_user_goes_on(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES), messages=plain(7)) as play:
        await play.follow()
        play.messages.append(swiped(7, "Mira says the lamp is green.", shown=0))
        await play.follow()
        play.messages[7] = swiped(
            7, "Mira says the lamp is green.", "No, the lamp is red.", shown=1
        )
        await play.follow()
        assert not any("the lamp is" in request.text for request in play.llm.requests)
        play.messages += [message(8, "I nod."), message(9, "She waits."), message(10, "I go on.")]
        await play.follow()
        assert play.active() == ["The lamp on the quay is now red."]
        assert not any("lamp is green" in request.text for request in play.llm.requests)


@pytest.mark.pitfall(6)
async def test_messages_that_come_during_a_reading_are_read_next_and_all_once(
    tmp_path: Path,
) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        gate = gated(play.llm, script, "lamp is green")
        play.messages += [message(0, "The lamp is green."), message(1), message(2)]
        await play.show()
        await gate.reached()
        play.messages += [message(3, "The bridge fell."), message(4), message(5), message(6)]
        await play.show()
        gate.opened.set()
        await play.companion.settled(play.path)
        assert play.active() == [
            "The lamp on the quay is green.",
            "The old bridge fell into the river.",
        ]
        read = [text for request in play.readings for text in new_in(request).values()]
        assert len(read) == len(set(read)) == 7


async def test_a_memory_is_of_when_it_was_read_and_not_of_when_that_was_queued(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        play.companion.work.pause()
        play.messages += [message(0, "The lamp is green."), message(1), message(2)]
        await play.show()
        assert play.companion.work.operations
        moment = time.time()
        play.companion.work.resume()
        await play.companion.settled(play.path)
        assert play.standing("lamp").memory.created >= moment


@pytest.mark.pitfall(3)
async def test_a_chat_that_is_left_in_the_middle_of_its_reading_keeps_what_was_read(
    tmp_path: Path,
) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        other = write_chat(play.path.with_name("Mira - other.jsonl"), plain(6))
        gate = gated(play.llm, script, "lamp is green")
        play.messages += [message(0, "The lamp is green."), message(1), message(2)]
        await play.show()
        await gate.reached()
        await play.companion.open_story(other)
        gate.opened.set()
        await play.companion.settled(play.path)
        here = play.standing("lamp")
        assert here.memory.chat == play.view.ground.chat
        assert here.memory.sources[0].chat == play.view.ground.chat
        elsewhere = play.companion.memory(other)
        assert elsewhere.ground.chat != play.view.ground.chat
        for standing in elsewhere.memories:  # what the character keeps across chats, if anything
            assert standing.memory.chat == play.view.ground.chat
            assert standing.memory.tier is Tier.LONG_TERM


async def test_what_is_edited_while_it_is_read_is_read_again(tmp_path: Path) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        gate = gated(play.llm, script, "lamp is green")
        play.messages += [message(0, "The lamp is green."), message(1), message(2)]
        await play.show()
        await gate.reached()
        play.messages[0] = message(0, "The lamp is red.")
        await play.show()
        gate.opened.set()
        await play.companion.settled(play.path)
        assert play.active() == ["The lamp on the quay is now red."]


async def test_a_deleted_message_takes_its_memories_along(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        await play.add("The lamp is green.", "The bridge fell.", "", "", "")
        assert len(play.active()) == 2
        del play.messages[0]
        await play.follow()
        assert play.standing("lamp").status is Status.WITHDRAWN
        assert play.active() == ["The old bridge fell into the river."]
        play.messages.insert(0, message(0, "The lamp is green."))
        await play.follow()
        assert len(play.active()) == 2


async def test_what_waits_for_review_goes_with_its_messages_and_comes_back_with_them(
    tmp_path: Path,
) -> None:
    """Half an hour after its messages were deleted it still asked for an answer."""
    lines = {"lamp is green": "[fact:2:permanent] The lamp on the quay is green."}
    async with playing(tmp_path, Script(lines)) as play:
        await play.add("", "The lamp is green.", "", "", "")
        await play.read()
        assert play.standing("lamp").status is Status.WAITING
        whole = list(play.messages)
        del play.messages[1:]
        await play.follow()
        assert play.standing("lamp").status is Status.WITHDRAWN
        play.messages[:] = whole
        await play.follow()
        assert play.standing("lamp").status is Status.WAITING


async def test_an_edit_makes_memories_stale_and_undoing_it_revives_them_without_a_request(
    tmp_path: Path,
) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        await play.add("The lamp is green.", "", "", "", "")
        play.messages[0] = message(0, "There is no lamp.")
        await play.follow()
        assert play.standing("lamp").status is Status.STALE
        assert play.active() == []
        asked = len(play.readings)
        play.messages[0] = message(0, "The lamp is green.")
        await play.follow()
        assert play.standing("lamp").status is Status.ACTIVE
        assert len(play.readings) == asked


async def test_a_swipe_back_revives_what_the_other_swipe_said(tmp_path: Path) -> None:
    texts = ("The lamp is green.", "The bridge fell.")
    async with playing(tmp_path, Script(LINES), messages=plain(1)) as play:
        play.messages += [swiped(1, *texts, shown=0), message(2), message(3), message(4)]
        await play.follow()
        play.messages[1] = swiped(1, *texts, shown=1)
        await play.follow()
        assert play.active() == ["The old bridge fell into the river."]
        asked = len(play.llm.requests)
        play.messages[1] = swiped(1, *texts, shown=0)
        await play.follow()
        assert play.active() == ["The lamp on the quay is green."]
        assert len(play.llm.requests) == asked


@pytest.mark.pitfall(8)
async def test_where_there_is_nothing_new_nothing_is_asked_and_the_count_goes_on(
    tmp_path: Path,
) -> None:
    """Spec §23: a counter that starts anew without a reading delays the next one."""
    async with playing(tmp_path, Script(LINES), memory_every=3) as play:
        await play.add(*[""] * 6)  # three replies, the last of which may be swiped
        assert not play.readings
        for _ in range(3):
            await play.follow()
        assert not play.readings
        await play.add("")
        assert len(play.readings) == 1
        await play.follow()
        assert len(play.readings) == 1


@pytest.mark.parametrize(("context", "readings"), [(8192, 0), (600, 1)])
async def test_what_the_prompt_soon_has_no_room_for_is_read_at_once(
    tmp_path: Path, context: int, readings: int
) -> None:
    settings: dict[str, Any] = {"memory_every": 5, "context_tokens": context}
    async with playing(tmp_path, Script(LINES), **settings) as play:
        await play.add("", "The rain goes on. " * 60, "")
        assert len(play.readings) == readings


async def test_a_hidden_message_or_a_notice_counts_for_nothing(tmp_path: Path) -> None:
    settings: dict[str, Any] = {"memory_every": 2, "include_hidden_messages": False}
    async with playing(tmp_path, Script(LINES), **settings) as play:
        hidden = [message(n, "The lamp is green.", is_system=True) for n in (1, 3, 5, 7)]
        play.messages += [message(0), *hidden, message(8)]
        await play.follow()
        assert not play.readings
        await play.read()
        assert not any("lamp is green" in request.text for request in play.llm.requests)


@pytest.mark.pitfall(15, 54)
async def test_what_is_superseded_is_shown_to_no_model_again(tmp_path: Path) -> None:
    """Spec §23: retired memories leave prompts, digests, portraits and comparisons."""
    async with playing(
        tmp_path, Script(LINES), hardware_profile="b", triggers_enabled=True, memory_every=1
    ) as play:
        await play.add("The lamp is green.", "", "")
        await play.add("", "The lamp is red.", "", "")
        ending = play.standing("green").ending
        assert ending is not None
        assert ending.reason is EndReason.SUPERSEDED
        before = len(play.llm.requests)
        # Beyond the block in which it held: its messages are shown no more either.
        await play.add(*(f"Day {n} passes." for n in range(40)))
        later = play.llm.requests[before:]
        assert later
        assert all("quay is now red" in request.text for request in later)
        assert not any("quay is green" in request.text for request in later)
        # Nor does what is written back of the others take it away.
        assert play.standing("green").status is Status.ENDED


@pytest.mark.pitfall(14)
async def test_a_tier_that_fails_takes_no_other_along(tmp_path: Path) -> None:
    script = Script({"Oswin": EVERY_TIER}, {"Your task: note the open arcs": "I cannot do that."})
    async with playing(tmp_path, script, memory_requests="separate") as play:
        await play.add("Oswin tells of the north bank, his coat in the ferry.", "", "")
        assert {s.memory.tier for s in play.view.memories} == ALL_TIERS - {Tier.ARCS}


async def test_an_answer_of_all_tiers_that_does_not_hold_up_is_asked_for_one_by_one(
    tmp_path: Path,
) -> None:
    script = Script({"Oswin": EVERY_TIER}, {"Write every kind of entry": "What a lovely story!"})
    async with playing(tmp_path, script) as play:
        await play.add("Oswin tells of the north bank, his coat in the ferry.", "", "")
        assert {s.memory.tier for s in play.view.memories} == ALL_TIERS
        tasks = [task_of(request) for request in play.readings]
        assert tasks[:2] == ["", ""]
        assert len(set(tasks[2:])) == 6


async def test_a_model_that_answers_in_prose_is_not_asked_for_every_tier(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(other={"": "What a lovely story!"})) as play:
        await play.add("Oswin tells of the north bank, his coat in the ferry.", "", "")
        assert not play.view.memories
        # All at once, once more, and then two tiers by themselves.
        assert len(play.readings) == 4
        _, failures = await play.companion.finished(play.path)
        assert failures


@pytest.mark.parametrize("requests", ["one", "separate"])
async def test_prose_costs_one_request_for_each_reading_until_the_model_is_of_use_again(
    tmp_path: Path, requests: str
) -> None:
    """Ten readings: a second question once, and none after that."""
    tower = "[fact:2:permanent:sources={n}] The tower of Oss is higher than the mill."
    script = Script({"tower": tower}, other={"": "What a lovely story!"})
    async with playing(tmp_path, script, memory_requests=requests) as play:
        for number in range(10):
            await play.add(f"Oswin tells of day {number}, his coat in the ferry.", "")
            while play.companion.work.is_paused:  # after some answers of no use in a row
                play.companion.work.resume()
                await play.companion.finished(play.path)
        first = 4 if requests == "one" else 3
        passes = [op for op in play.companion.work.operations if op.finished]
        assert len(play.readings) == first + len(passes) - 1
        assert len(passes) >= 9
        del script.other[""]
        await play.add("The tower of Oss is higher than the mill.", "", "")
        assert play.active() == ["The tower of Oss is higher than the mill."]
        script.other[""] = "What a lovely story!"
        asked = len(play.readings)
        await play.add("Oswin tells of the last day, his coat in the ferry.", "")
        assert len(play.readings) == asked + first


@pytest.mark.parametrize("requests", ["one", "separate"])
@pytest.mark.parametrize("none", ["NONE", "NONE.", "**None**", "<think>Nothing.</think>\n\nNONE."])
async def test_none_in_every_task_is_an_answer_and_no_fault(
    tmp_path: Path, requests: str, none: str
) -> None:
    script = Script(other={"": none})
    async with playing(tmp_path, script, memory_requests=requests) as play:
        await play.add("", "", "")
        assert len(play.readings) == (1 if requests == "one" else 6)
        assert not play.view.memories
        _, failures = await play.companion.finished(play.path)
        assert not failures
        await play.add("", "")  # the same is never asked twice
        assert len({r.text for r in play.readings}) == len(play.readings)


REASONING = [
    "<think>\n[fact:sources=1] A plan, not a fact of the story\n</think>\n{}",
    "[fact:sources=1] A plan, not a fact of the story\n</think>\n{}",
    "<thinking>[fact:sources=1] A plan, not a fact of the story</thinking>{}",
    "<reasoning>[fact:sources=1] A plan, not a fact of the story</reasoning>\n{}",
    "[THINK][fact:sources=1] A plan, not a fact of the story[/THINK]{}",
    "◁think▷[fact:sources=1] A plan, not a fact of the story◁/think▷{}",
    "<|channel>thought\n[fact:sources=1] A plan, not a fact of the story\n<channel|>{}",
    "<|channel|>analysis<|message|>[fact:sources=1] A plan, not a fact of the story<|end|>"
    "<|start|>assistant<|channel|>final<|message|>{}",
    "<think>a <think>b</think>\n[fact:sources=1] A plan, not a fact of the story</think>{}",
    "{}\n<think>\n[fact:sources=1] A plan, not a fact of the story",
]


@pytest.mark.parametrize("form", REASONING)
@pytest.mark.pitfall(49)
async def test_reasoning_in_any_form_becomes_no_memory(tmp_path: Path, form: str) -> None:
    script = Script(other={"Write every": form.format(LINES["lamp is green"].format(n=1))})
    async with playing(tmp_path, script) as play:
        await play.add("The lamp is green. It is a plan, not a fact of the story.", "", "")
        assert play.active() == ["The lamp on the quay is green."]


@pytest.mark.pitfall(47)
async def test_the_examples_of_the_prompt_become_no_memory(tmp_path: Path) -> None:
    """Spec §23: small models copy template lines and placeholders."""
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        play.llm.reply = lambda request: request.text
        await play.add("The story begins at the quay.", "", "")
        assert not play.view.memories
        forms: list[str] = []

        def copied(request: RecordedRequest) -> str:
            found = re.findall(r"^\[[a-z]+[:\]].*$", request.text, re.MULTILINE)
            forms.extend(found)
            return "\n".join(found)

        play.llm.reply = copied
        await play.add("The story goes on.", "", "")
        assert len(forms) > 5
        assert not play.view.memories


async def test_an_endless_answer_ends_and_later_messages_are_read(tmp_path: Path) -> None:
    line = "[fact:2:sources=1] The quay number {} is wet and green and cold.\n"
    huge = "".join(line.format(number) for number in range(20_000))
    script = Script(LINES, {"This is huge": huge})
    async with playing(tmp_path, script) as play:
        await play.add("This is huge: a quay, wet and green.", "", "")
        assert len(play.view.memories) <= 400
        script.other.clear()
        await play.add("The bridge fell.", "", "")
        assert "The old bridge fell into the river." in play.active()


@pytest.mark.pitfall(4)
async def test_a_round_of_a_group_is_read_when_it_is_over(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        await play.add("The lamp is green.")
        play.companion._chats.set_round(play.path, is_on=True)
        play.messages += [message(1, "Yes.", name="Mira"), message(3, "Indeed.", name="Tam")]
        await play.follow()
        assert not play.readings
        play.companion._chats.set_round(play.path, is_on=False)
        await play.follow()
        assert set(play.standing("lamp").memory.witnessed_by) == {"Ana", "Mira"}


@pytest.mark.pitfall(4)
async def test_who_speaks_while_a_reading_waits_is_no_witness_of_what_it_reads(
    tmp_path: Path,
) -> None:
    """Spec §23: who took part in a round was looked up when the next one had begun."""
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        gate = gated(play.llm, script, "lamp is green")
        play.messages += [message(0, "The lamp is green."), message(1, "Yes."), message(2)]
        await play.show()
        await gate.reached()
        play.messages += [message(3, "Who is there?", name="Tam"), message(4)]
        await play.show()
        gate.opened.set()
        await play.companion.settled(play.path)
        assert set(play.standing("lamp").memory.witnessed_by) == {"Ana", "Mira"}


async def test_in_a_group_each_is_a_witness_of_what_they_heard(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        names = ("Mira", "Tam", "Brother Oswin")
        play.messages += [message(0, "The lamp is green."), message(1, "Yes.", name=names[0])]
        play.messages += [message(3, "Indeed.", name=names[1]), message(2)]
        await play.follow()
        assert set(play.standing("lamp").memory.witnessed_by) == {"Ana", "Mira", "Tam"}
        assert {"Ana: The lamp is green.", "Tam: Indeed."} <= set(
            shown_in(play.readings[-1]).values()
        )


async def test_in_a_group_nobody_is_a_witness_of_a_scene_that_was_played_without_them(
    tmp_path: Path,
) -> None:
    """One reading goes over several scenes, and each member was told what only others lived."""
    morning = "The next morning, in another town. Three days later the quay was empty."
    async with playing(tmp_path, Script(LINES), group=("Mira", "Tam")) as play:
        play.messages += [message(0, "The lamp is green."), message(1, "Yes.", name="Mira")]
        play.messages += [message(2, "Fine."), message(3, "Indeed.", name="Mira")]
        play.messages += [message(4, morning), message(5, "The bridge fell.", name="Tam")]
        play.messages += [message(6, "Look."), message(7, "It did.", name="Tam"), message(8)]
        await play.follow()
        view = await play.read()
        assert len(play.readings) == 1
        assert [scene.first for scene in view.story.scenes] == [0, 4]
        assert set(play.standing("lamp").memory.witnessed_by) == {"Ana", "Mira"}
        # Of a scene that goes on nobody knows yet who is there.
        assert set(play.standing("bridge").memory.witnessed_by) == {"Ana", "Mira", "Tam"}


async def test_who_had_left_is_no_witness_of_what_came_then(tmp_path: Path) -> None:
    lines = LINES | {"Tam goes": "[leave:sources={n}] Tam"}
    async with playing(tmp_path, Script(lines)) as play:
        play.messages += [message(0, "Look."), message(1, "Yes.", name="Mira")]
        play.messages += [message(3, "Farewell. Tam goes.", name="Tam"), message(2)]
        play.messages += [message(4, "The lamp is green."), message(5, "So it is.", name="Mira")]
        play.messages += [message(6)]
        await play.follow()
        assert set(play.standing("lamp").memory.witnessed_by) == {"Ana", "Mira"}


async def test_presence_that_a_reading_notes_reaches_the_map(tmp_path: Path) -> None:
    lines = {
        "all are here": "[present:sources={n}] Ana, Mira, Tam | tower",
        "Tam goes": "[leave:sources={n}] Tam | tower",
        "it is false": "[said:sources={n}] Ana | the silver key is false",
    }
    async with playing(tmp_path, Script(lines)) as play:
        await play.add("Now all are here.", "", "Tam goes.", "", "And it is false.", "", "")
        known = epistemic_map(play.view, load_packs())
        (proposition,) = known.propositions
        held = {s.memory.subject: s.memory.type for s in known.holders(proposition, 6)}
        assert held == {"Ana": "knows", "Mira": "knows", "Tam": "unaware"}
