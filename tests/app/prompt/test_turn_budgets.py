"""The budgets of one turn: bounded, lent, tuned, and those of the head by the turns before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from app.memory.records import Tier
from app.prompt.generation import Turn
from app.prompt.slots import Slot, TurnKind
from app.settings.slot_table import SlotName
from tests.app.prompt.remembered import memory, prompt, slot, story, text_of


def test_the_head_goes_by_what_the_turns_that_it_tells_of_were_like() -> None:
    held = [memory(f"Fact {n} of the old harbour", id=f"{n}", hash="") for n in range(60)]

    def told(*runs: int, kind: TurnKind | None = None) -> Slot:
        lines = (f"He runs, line {n}." if n in runs else f"Line {n}." for n in range(40))
        found = slot(prompt(held, of=story(*lines), turn=Turn(kind=kind)), SlotName.LONG)
        assert found is not None
        return found

    assert told().budget == 597  # of dialogues
    assert told(39).text == told().text  # one wild turn changes nothing that a provider has read
    assert told(*range(20, 40)).text == told().text  # nor twenty, before the head is renewed
    assert told(*range(20)).budget == 400  # of fights
    assert 400 < told(*range(16, 20)).budget < 597
    assert told(kind=TurnKind.ACTION).budget == 400  # asked for


def test_the_context_of_the_turn_bounds_all_slots() -> None:
    held = [memory(f"Fact {n} of the old harbour town", id=f"{n}") for n in range(40)]
    of = story(running="\n".join(f"Thing {n} happened." for n in range(100)))
    of = replace(of, message_tokens=(1000,) * len(of.messages))
    told = prompt(held, of=of, turn=Turn(context=600))
    assert 250 < told.total_tokens <= 300
    assert text_of(told, SlotName.LONG)
    assert told.slots[0].text


def test_what_one_tier_leaves_others_use_but_not_at_the_head_of_the_prompt() -> None:
    held = [
        memory(f"room {n}", Tier.STATE_LEDGER, id=f"{n}", subject=f"Guest {n}", field="location")
        for n in range(60)
    ]
    facts = [memory(f"Fact {n} of the old harbour town", id=f"f{n}") for n in range(90)]
    lent = prompt([*held, *facts], budgets_adaptive=False)
    alone = prompt([*held, *facts], budgets_adaptive=False, budgets_lend=False)
    ledger, own = slot(lent, SlotName.STATE_LEDGER), slot(alone, SlotName.STATE_LEDGER)
    assert ledger is not None
    assert own is not None
    assert own.tokens <= own.budget == 200 < ledger.tokens == ledger.budget
    assert text_of(lent, SlotName.LONG) == text_of(alone, SlotName.LONG)


def test_auto_tune_follows_the_most_that_was_wanted_and_says_so() -> None:
    facts = [memory(f"Fact {n} of the old harbour town", id=f"f{n}") for n in range(90)]
    values: dict[str, Any] = {
        "budgets_auto_tune": True,
        "budget_mode": "advanced",
        "budgets_adaptive": False,
    }
    tuned = prompt(facts, **values)
    long = slot(tuned, SlotName.LONG)
    assert long is not None
    assert long.tokens == long.full_tokens < long.budget
    assert tuned.notes
    fewer = prompt(facts[:2], full=dict(tuned.full), **values)
    assert fewer.full == tuned.full
