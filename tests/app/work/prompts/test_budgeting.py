"""Budgets are tried without a trace, set as one step, and taken back by name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.core.errors import UsageError
from app.memory.records import Tier
from app.prompt.assembly import Prepared
from app.prompt.generation import Turn
from app.prompt.reach import Sent
from app.prompt.slots import SlotSet, TurnKind
from app.settings.slot_table import SlotName
from app.work.chats.open_chat import OpenChat
from app.work.prompts.budget_history import BudgetHistory
from app.work.prompts.prompting import Prompting
from tests.chat_files import jsonl, message
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened

LONG, ARCS = SlotName.LONG.key, SlotName(Tier.ARCS).key
ADVANCED = {"budget_mode": "advanced"}


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    """A chat with more long-term memories than its budget holds."""
    async with opened(demo_tavern, tmp_path / "own data") as world:
        await world.write(
            *(world.kept(f"Fact {n} about the old well and its deep water.", n) for n in range(40)),
            world.memory("Will the well be dug again?", 5, tier=Tier.ARCS, type="arc"),
        )
        yield world


def tokens(found: SlotSet) -> dict[str, int]:
    return {slot.key: slot.tokens for slot in found.slots}


def memory(found: SlotSet) -> dict[str, str]:
    """Texts of memories alone: recaps are written meanwhile."""
    return {slot.key: slot.text for slot in found.slots if slot.key in (LONG, ARCS)}


def in_force(world: World, name: str) -> Any:
    return world.companion.setting(name, path=world.tavern.chat).value


async def undo(world: World) -> str:
    return await world.companion.edits.undo(world.tavern.chat)


async def test_a_preview_shows_what_the_prompt_would_be_and_changes_nothing(world: World) -> None:
    chat, companion = world.tavern.chat, world.companion
    await companion.put_setting("budgets_adaptive", False)
    preview = await companion.budgets.preview(chat)
    assert memory(preview.under().slots) == memory(await companion.slots(chat))
    for wanted in (150, 300, 650):
        changes = {**ADVANCED, "budget_long": wanted}
        tried = preview.under(changes)
        assert in_force(world, "budget_mode") == "simple"
        for name, value in changes.items():
            await companion.put_setting(name, value, path=chat)
        assert memory(tried.slots) == memory(await companion.slots(chat))
        assert tokens(tried.slots)[LONG] <= wanted
        for name in changes:
            await companion.reset_setting(name, path=chat)


async def test_a_preview_of_another_kind_of_turn_is_that_turn(world: World) -> None:
    preview = await world.companion.budgets.preview(world.tavern.chat)
    shown = {kind: preview.under(kind=kind).slots for kind in TurnKind}
    assert [made.turn for made in shown.values()] == list(TurnKind)
    assert tokens(shown[TurnKind.DIALOGUE])[LONG] > tokens(shown[TurnKind.ACTION])[LONG]


async def test_what_memory_takes_is_not_there_for_the_chat(world: World) -> None:
    preview = await world.companion.budgets.preview(world.tavern.chat)
    small = preview.under({**ADVANCED, "budget_long": 100})
    large = preview.under({**ADVANCED, "budget_long": 1000})
    for outlook in (small, large):
        parts = outlook.card + outlook.memory + outlook.chat + outlook.free + outlook.rest
        assert parts == outlook.context == 8000
    assert large.memory > small.memory
    assert large.newest <= small.newest
    # The newest prompt held more of the chat, since it held nothing of memory.
    last = len(preview.story.messages) - 1
    for first in (0, 1):
        full = replace(preview, context=large.card + large.memory + 500, sent=Sent(first, last))
        outlook = full.under({**ADVANCED, "budget_long": 1000})
        parts = outlook.card + outlook.memory + outlook.chat + outlook.free + outlook.rest
        assert outlook.newest
        assert parts == outlook.context


@pytest.mark.parametrize("is_adaptive", [True, False])
async def test_budgets_one_by_one_begin_as_the_total_was_dealt_out(
    world: World, *, is_adaptive: bool
) -> None:
    """It looks like another view, and 477 tokens of what the session had noted went at a click."""
    notes = (f"On day {n} the ferry brought {n} sacks of salt to Vell." for n in range(60))
    await world.write(*(world.memory(text, n, tier=Tier.SESSION) for n, text in enumerate(notes)))
    await world.companion.put_setting("budgets_adaptive", is_adaptive)
    preview = await world.companion.budgets.preview(world.tavern.chat)
    total, each = preview.under(), preview.under(ADVANCED)
    session = SlotName(Tier.SESSION).key
    assert tokens(each.slots)[session] < tokens(total.slots)[session]  # it used what others left
    switched = preview.switched("advanced")
    held = {content.key: content.tokens for content in preview.under(switched).slots.contents}
    for content in total.slots.contents:
        assert held[content.key] >= content.tokens
    back = replace(preview, settings={**preview.settings, **switched})
    assert tokens(back.under(back.switched("simple")).slots) == tokens(total.slots)
    own = replace(preview, settings={**preview.settings, "budget_session": 450})
    assert own.switched("advanced") == ADVANCED  # what was set once is not forgotten


async def test_nothing_is_free_while_older_messages_do_not_fit(world: World) -> None:
    """1,931 tokens stood there as free beside "the prompt itself has no room"."""
    preview = await world.companion.budgets.preview(world.tavern.chat)
    last = len(preview.story.messages) - 1
    now = preview.under().memory
    narrow = replace(preview, sent=Sent(last - 3, last, slots=now)).under()
    assert narrow.newest == 4
    assert narrow.free == 0
    assert narrow.rest == narrow.context - narrow.card - narrow.memory - narrow.chat > 0
    wide = replace(preview, context=90_000, sent=Sent(0, last, slots=now)).under()
    assert wide.first == 0
    assert wide.free > 0
    assert wide.rest == 0


async def test_budgets_are_set_as_one_step_and_taken_back_by_name(world: World) -> None:
    chat, budgets = world.tavern.chat, world.companion.budgets
    await world.companion.put_setting("budgets_adaptive", False)
    before = await world.companion.slots(chat)
    changes = {**ADVANCED, "budget_long": 850, "budget_arcs": 100}
    await budgets.put(chat, changes, "budget of long-term memories: 850")
    after = await world.companion.slots(chat)
    assert tokens(after)[LONG] > tokens(before)[LONG]
    assert await world.companion.edits.undo_labels(chat) == (
        "budget of long-term memories: 850",
        "",
    )
    assert await undo(world) == "budget of long-term memories: 850"
    assert memory(await world.companion.slots(chat)) == memory(before)
    assert in_force(world, "budget_mode") == "simple"
    await world.companion.edits.redo(chat)
    assert in_force(world, "budget_long") == 850
    assert memory(await world.companion.slots(chat)) == memory(after)


async def test_a_reset_lets_what_holds_for_all_chats_hold_again(world: World) -> None:
    chat, budgets = world.tavern.chat, world.companion.budgets
    await world.companion.put_setting("budget_long", 650)
    await budgets.put(chat, {"budget_long": 900}, "budget")
    await budgets.put(chat, {"budget_long": None}, "reset")
    assert in_force(world, "budget_long") == 650
    await undo(world)
    assert in_force(world, "budget_long") == 900


async def test_one_value_that_makes_no_sense_leaves_all_as_they_were(world: World) -> None:
    chat, budgets = world.tavern.chat, world.companion.budgets
    with pytest.raises(UsageError):
        await budgets.put(chat, {"budget_arcs": 500, "budget_long": 1}, "budgets")
    assert in_force(world, "budget_arcs") == 700
    assert await world.companion.edits.undo_labels(chat) == ("", "")


async def test_what_changes_nothing_is_no_step(world: World) -> None:
    chat, budgets = world.tavern.chat, world.companion.budgets
    await budgets.put(chat, {"budget_long": 900}, "once")
    await budgets.put(chat, {"budget_long": 900}, "once more")
    assert await undo(world) == "once"


@pytest.mark.pitfall(12)
async def test_auto_tune_keeps_the_users_own_values_and_gives_them_back(world: World) -> None:
    chat, budgets = world.tavern.chat, world.companion.budgets
    await budgets.put(chat, {**ADVANCED, "budget_long": 350}, "own")
    preview = await budgets.preview(chat)
    off = preview.under()
    assert off.budgets[SlotName.LONG] == 350
    (would,) = (t for t in off.tunings if t.name is SlotName.LONG)
    await budgets.put(chat, {"budgets_auto_tune": True}, "auto-tune on")
    on = (await budgets.preview(chat)).under()
    assert on.own[SlotName.LONG] == 350
    assert on.budgets[SlotName.LONG] == would.after > 350
    assert tokens(on.slots)[LONG] > tokens(off.slots)[LONG]
    assert await undo(world) == "auto-tune on"
    assert (await budgets.preview(chat)).under().budgets[SlotName.LONG] == 350


async def test_needs_tell_what_slots_would_have_taken_as_the_story_went(world: World) -> None:
    needs = await world.companion.budgets.needs(world.tavern.chat, 55)
    story = world.companion.story(world.tavern.chat)
    assert story is not None
    assert all(not story.messages[need.message].is_user for need in needs)
    long = [need.tokens.get(LONG, 0) for need in needs]
    assert long[0] < max(long) <= (await world.companion.slots(world.tavern.chat)).full[LONG]
    last = await world.companion.budgets.needs(world.tavern.chat)
    assert [need.message for need in last] == [need.message for need in needs[-24:]]
    assert [need.tokens[LONG] for need in last] == long[-24:]


async def test_needs_of_the_past_are_those_of_prompts_as_large_as_the_next(world: World) -> None:
    """A slot took 425 tokens of the next prompt, and "at most 93" of all that were sent before."""
    path = world.tavern.chat
    before = await world.companion.budgets.needs(path)
    world.companion._chats.required(path).hear_context(4_000)
    needs = await world.companion.budgets.needs(path)
    assert needs != before
    turn = Turn(context=4_000)
    then = await world.companion.slots(path, until=needs[-1].message - 1, turn=turn)
    assert needs[-1].tokens == then.full


class _Counted(Prompting):
    """Counts the prompts of the past that are made."""

    def __init__(self, of: Prompting) -> None:
        self.__dict__.update(of.__dict__)
        self.made: list[int] = []

    def prepared(self, chat: OpenChat, turn: Turn | None = None, **how: Any) -> Prepared:
        self.made.append(how["until"] + 1)
        return super().prepared(chat, turn, **how)


async def test_a_new_message_makes_one_past_prompt_and_a_new_memory_all(world: World) -> None:
    chat = world.companion._chats.required(world.tavern.chat)
    await world.companion.settled(world.tavern.chat)
    prompting = _Counted(world.companion._prompting)
    past = BudgetHistory(prompting)

    async def made() -> list[int]:
        """Indexes of the replies whose prompts were made to look back over two."""
        prompting.made = []
        await past.of(chat, 2)
        return prompting.made

    count = len(world.anchors)
    assert len(await made()) == 2
    assert await made() == []
    new = [message(count, "And then?", is_user=True)]
    new.append(message(count + 1, "Nothing.", is_user=False))
    with world.tavern.chat.open("ab") as file:
        file.write(b"\n" + jsonl(new))
    await world.open()
    assert await made() == [count + 1]
    assert await past.of(chat, 2) == await BudgetHistory(prompting).of(chat, 2)
    await world.write(world.kept("The lamp is out.", count - 9))
    assert len(await made()) == 2
