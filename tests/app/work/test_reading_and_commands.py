"""What the user does while a chat is read for memory, and where what was read goes to."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import UsageError
from app.memory.lifecycle.contradictions import Keeps
from app.memory.records import DocumentKind, EndReason, Tier
from app.memory.standing import Status
from tests.chat_files import message, write_chat
from tests.fakes import RecordedRequest
from tests.scripted_memory import Script, gated, is_reading, playing

LINES = {
    "lamp is green": "[fact:2:permanent:sources={n}] The lamp on the quay is green.",
    "lamp is red": "[fact:2:permanent:sources={n}] The lamp on the quay is now red.",
    "key is gone": "[arc:sources={n}] Who stole the silver key from the abbey?\n"
    "[arc:sources={n}] Will Mira find her brother before winter?",
    "brother is here": "[resolved:sources={n}] 2 | Her brother came home.",
    "lamp is wrong": "[fact:2:permanent:sources={n}] The lamp on the quay is yellow.",
    "cites nothing": "[fact:3:permanent] The lamp is made of gold.",
    "cites too far": "[fact:3:permanent:sources=99] Mira was born under the abbey.",
    "cites others": "[fact:3:permanent:sources={n}] Nobody owns xylophones.",
}


async def told_in(play: object) -> str:
    """All that the next prompt of the chat gets."""
    slots = await play.companion.slots(play.path)  # type: ignore[attr-defined]
    return "\n".join(slot.text for slot in slots.slots)


@pytest.mark.pitfall(54)
async def test_what_ended_is_shown_to_no_model_and_put_nowhere(tmp_path: Path) -> None:
    """Spec §23: not to the reading, continuity, portraits, keywords, canon, and not into slots."""
    everything: dict[str, Any] = {
        "hardware_profile": "b",
        **dict.fromkeys(("profiles_enabled", "canon_auto", "triggers_enabled"), True),
        **dict.fromkeys(("continuity_auto", "continuity_repair"), True),
    }
    async with playing(tmp_path, Script(LINES), **everything) as play:
        await play.add("The lamp is green.", "", "")
        assert "quay is green" in await told_in(play)
        await play.add("", "The lamp is red.", "", "")
        ending = play.standing("green").ending
        assert ending is not None
        assert ending.reason is EndReason.SUPERSEDED
        text = await told_in(play)
        assert "quay is now red" in text
        assert "quay is green" not in text
        before = len(play.llm.requests)
        await play.add(*(f"Day {n} passes." for n in range(41)))  # a reply is last, and checked
        later = play.llm.requests[before:]
        for is_of_kind in (True, False):
            assert any("quay is now red" in r.text for r in later if is_reading(r) is is_of_kind)
        assert not any("quay is green" in r.text for r in later)


async def test_what_lacks_ground_waits_and_is_put_nowhere(tmp_path: Path) -> None:
    async with playing(tmp_path, Script(LINES)) as play:
        view = await play.add("It cites nothing, cites too far, cites others.", "", "", "", "")
        waiting = [s.memory for s in view.review]
        assert len(waiting) == 3
        assert {m.notes for m in waiting} == {
            ("It cites no message.",),
            ("It cites a message that was not shown.",),
            ("The message that it cites says nothing of it.",),
        }
        before = len(play.llm.requests)
        prompt = await told_in(play)
        assert not any(memory.text in prompt for memory in waiting)
        await play.add(*(f"Day {n} passes." for n in range(6)))
        assert not any(m.text in r.text for r in play.llm.requests[before:] for m in waiting)
        await play.companion.memories.approve(play.path, [waiting[0].id])
        assert waiting[0].text in await told_in(play)


@pytest.mark.pitfall(20)
async def test_an_arc_is_resolved_that_was_meant_also_when_another_went_meanwhile(
    tmp_path: Path,
) -> None:
    """Spec §23: arcs resolved by numbers of a list that had changed."""
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        await play.add("The key is gone.", "", "", "")
        first = play.standing("silver key").memory
        gate = gated(play.llm, script, "brother is here")
        play.messages += [message(4, "Her brother is here."), message(5), message(6)]
        await play.show()
        await gate.reached()
        await play.companion.memories.delete(play.path, [first.id])
        gate.opened.set()
        await play.companion.settled(play.path)
        [arc] = [s for s in play.view.memories if s.memory.tier is Tier.ARCS]
        assert "her brother" in arc.memory.text
        assert arc.ending is not None
        assert (arc.status, arc.ending.reason) == (Status.ENDED, EndReason.RESOLVED)


@pytest.mark.pitfall(21)
async def test_a_reading_does_not_take_back_what_the_user_does_meanwhile(tmp_path: Path) -> None:
    """Spec §23: the last one who writes does not win."""
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        await play.add("The lamp is green.", "The key is gone.", "", "")
        lamp, arc = play.standing("lamp").memory, play.standing("silver key").memory
        gate = gated(play.llm, script, "brother is here")
        play.messages += [
            message(4, "Her brother is here. The lamp is red."),
            message(5),
            message(6),
        ]
        await play.show()
        await gate.reached()
        commands = play.companion.memories
        await commands.edit(play.path, lamp.id, text="The lamp on the quay was always blue.")
        await commands.resolve(play.path, arc.id, "The abbot did.")
        gate.opened.set()
        await play.companion.settled(play.path)
        assert play.standing("always blue").memory.id == lamp.id
        ending = play.standing("silver key").ending
        assert ending is not None
        assert ending.text == "The abbot did."


async def test_what_a_wrong_reply_says_waits_beside_what_it_contradicts(tmp_path: Path) -> None:
    """Spec §8.2: contradictions are known by the checks of replies, and settled by the user."""
    script = Script(LINES)
    told = "The lamp on the quay is yellow, but it is green."
    lively: dict[str, Any] = {"hardware_profile": "b", "continuity_auto": True}
    async with playing(tmp_path, script, **lively) as play:
        await play.add("The lamp is green.", "", "", "", "")
        green = play.standing("quay is green").memory
        script.other["You check a passage"] = "\n".join(f"{n} | {told}" for n in range(1, 5))
        await play.add("The lamp is wrong.")
        script.other.clear()
        view = await play.add("", "", "", "")
        [yellow] = [s.memory for s in view.review]
        assert yellow.contradicts == (green.id,)
        assert "yellow" not in await told_in(play)
        memories = play.companion.memories
        await memories.settle(play.path, green.id, yellow.id, Keeps.BOTH)
        assert {"yellow" in await told_in(play), "is green" in await told_in(play)} == {True}
        with pytest.raises(UsageError, match="no longer contradict"):
            await memories.settle(play.path, green.id, yellow.id, Keeps.THIS)
        await play.companion.edits.undo(play.path)
        await memories.approve(play.path, [yellow.id])
        ending = play.standing("quay is green").ending
        assert ending is not None
        assert ending.by == yellow.id


async def test_an_arc_is_summed_up_when_the_user_closes_it_though_nothing_is_read_by_itself(
    tmp_path: Path,
) -> None:
    script = Script(LINES, {"For each thread": "[1: RESOLVED] The abbot stole it and said so."})
    async with playing(tmp_path, script) as play:
        await play.add("The key is gone.", "", "", "")
        await play.companion.put_setting("memory_auto", False)
        arc = play.standing("silver key").memory
        await play.companion.memories.resolve(play.path, arc.id, "The abbot did.")
        await play.companion.settled(play.path)
        summary = play.view.document(DocumentKind.ARC_SUMMARY, arc.id)
        assert summary is not None
        assert summary.text == "The abbot stole it and said so."


@pytest.mark.pitfall(33)
async def test_a_chat_that_only_listens_asks_nothing_and_makes_no_texts(tmp_path: Path) -> None:
    """Spec §23: what was played read-only came into portraits all the same."""
    lively: dict[str, Any] = {
        "hardware_profile": "b",
        "profiles_enabled": True,
        "continuity_auto": True,
    }
    async with playing(tmp_path, Script(LINES), **lively) as play:
        await play.add("The lamp is green.", "", "")
        await play.companion.memories.pause(play.path)
        await play.companion.settled(play.path)
        before = len(play.llm.requests)
        await play.add("The lamp is red.", *(f"Mira waits, day {n}." for n in range(30)))
        assert len(play.llm.requests) == before
        assert play.active() == ["The lamp on the quay is green."]


@pytest.mark.pitfall(1)
async def test_chats_are_read_one_request_at_a_time(tmp_path: Path) -> None:
    """Spec §23: requests side by side exhaust a small machine's memory."""
    script = Script(LINES)
    now, most, lock, crowd = 0, 0, threading.Lock(), threading.Event()

    def counted(request: RecordedRequest) -> object:
        nonlocal now, most
        with lock:
            now += 1
            most = max(most, now)
            if now > 1:
                crowd.set()
        try:
            crowd.wait(0.03)  # another one that is on its way may come in meanwhile
            return script.reply(request)
        finally:
            with lock:
                now -= 1

    async with playing(tmp_path, script, memory_requests="separate") as play:
        play.llm.reply = counted  # type: ignore[assignment]
        play.messages += [message(n, f"The lamp is green, day {n}.") for n in range(12)]
        others = [
            write_chat(
                play.path.with_name(f"Mira - {chat}.jsonl"),
                [message(n, f"In chat {chat} it is day {n}.") for n in range(12)],
                {"chat_metadata": {"integrity": f"{chat}"}},
            )
            for chat in range(3)
        ]
        await asyncio.gather(play.show(), *map(play.companion.open_story, others))
        await play.companion.settled(play.path)
        assert len(play.llm.requests) > 20
        assert most == 1


async def test_what_is_forgotten_during_a_reading_stays_forgotten(tmp_path: Path) -> None:
    script = Script(LINES)
    async with playing(tmp_path, script) as play:
        await play.add("The lamp is green.", "", "")
        gate = gated(play.llm, script, "key is gone")
        play.messages += [message(3, "The key is gone."), message(4), message(5), message(6)]
        await play.show()
        await gate.reached()
        await play.companion.memories.fresh_start(play.path)
        gate.opened.set()
        await play.companion.settled(play.path)
        assert play.active() == []
