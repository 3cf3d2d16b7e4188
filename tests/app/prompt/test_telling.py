"""What the head of the prompt tells: it changes in steps, and what waits is told elsewhere."""

from __future__ import annotations

from app.memory.records import Ending, EndReason, Memory, Source
from app.settings.slot_table import SlotName
from tests.app.prompt.remembered import (
    LINES,
    long_story,
    memory,
    prompt,
    slot,
    story,
    text_of,
    whole,
)


def test_the_head_of_the_prompt_stays_while_nothing_was_learned() -> None:
    held = [memory(f"Fact {n} of the old harbour town", id=f"{n}") for n in range(40)]
    first = prompt(held, of=story(*LINES))
    later = prompt(held, of=story(*LINES, "Fact 39 of the harbour, says You.", "Vera nods."))
    assert first.turn == later.turn
    assert text_of(first, SlotName.LONG) == text_of(later, SlotName.LONG)


def test_the_head_takes_in_what_is_new_in_steps_and_nothing_waits_untold() -> None:
    held = [memory(f"Fact {n} of the harbour", id=f"{n}", at=n, hash="") for n in range(0, 60, 2)]
    heads = []
    for length in range(40, 60):
        told = prompt([m for m in held if int(m.id) < length - 6], of=long_story(length))
        heads.append(text_of(told, SlotName.LONG))
        shown = {one for content in told.contents for one in content.shown}
        assert shown == {m.id for m in held if int(m.id) < length - 6}
    assert len(set(heads)) == 2
    at_once = prompt(held, of=long_story(60), slots_head_every=0)
    assert slot(at_once, SlotName.TRIGGERED) is None
    assert len(text_of(at_once, SlotName.LONG).splitlines()) == 31


def test_the_head_of_a_young_chat_tells_of_its_beginning_only() -> None:
    held = [memory(f"Fact {n} of the harbour", id=f"{n}", at=n, hash="") for n in range(30)]
    told = [
        prompt([m for m in held if int(m.id) < length - 2], of=long_story(length))
        for length in range(7, 30)
    ]
    assert len({text_of(one, SlotName.LONG) for one in told}) == 1
    assert text_of(told[-1], SlotName.LONG).count("Fact") == 5
    for length, one in zip(range(7, 30), told, strict=True):
        shown = {memory for content in one.contents for memory in content.shown}
        assert len(shown) == length - 2


def test_what_gave_way_to_others_stays_at_the_head_until_it_is_renewed() -> None:
    def ended(reason: EndReason, at: int) -> Memory:
        ending = Ending(reason, sources=(Source(1, f"m{at}", ""),))
        return memory("The lamp is green.", endings=(ending,), hash="")

    outranked = [ended(EndReason.OUTRANKED, 30)]
    assert "green" in text_of(prompt(outranked, of=long_story(45)), SlotName.LONG)
    assert "green" not in whole(prompt(outranked, of=long_story(50)))
    assert "green" not in whole(prompt(outranked, of=long_story(45), slots_head_every=0))
    untrue = [ended(EndReason.SUPERSEDED, 30)]
    assert "green" not in whole(prompt(untrue, of=long_story(45)))
