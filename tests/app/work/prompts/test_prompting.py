"""What is remembered of an open chat reaches its slots, and leaves them with its ground."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest_asyncio

from app.companion import open_companion
from app.core.paths import user_folders
from app.memory.records import Document, DocumentKind, Review, Source, Tier
from app.prompt.generation import Turn
from app.prompt.slots import SlotContent, SlotSet, TurnKind
from app.settings.slot_table import SlotName
from tests.character_card import write_card
from tests.chat_files import message, write_chat
from tests.labelled import WrittenTavern, write_tavern
from tests.memory_world import World, opened

LONG, SECRETS = "smart_memory_long", "smart_memory_epistemic"
CANON = SlotName.CANON.key


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


async def slots(world: World, turn: Turn | None = None, *, total: int | None = None) -> SlotSet:
    return await world.companion.slots(world.tavern.chat, turn=turn, total=total)


def of(found: SlotSet, key: str) -> SlotContent:
    return next(content for content in found.contents if content.key == key)


def texts(found: SlotSet) -> dict[str, str]:
    return {slot.key: slot.text for slot in found.slots}


async def test_a_memory_is_in_the_next_prompt_as_long_as_it_holds(world: World) -> None:
    assert LONG not in texts(await slots(world))
    revisions: list[Path] = []

    def hear(path: Path) -> None:
        revisions.append(path)

    world.companion.slots_changed.connect(hear)
    await world.write(
        world.kept("The well is deep.", 3),
        world.kept("The well is dry, perhaps.", 3, review=Review.WAITING),
    )
    assert "- The well is deep." in texts(await slots(world))[LONG]
    assert "perhaps" not in texts(await slots(world))[LONG]
    # Texts that are derived from memories may follow and change the slots again.
    assert set(revisions) == {world.tavern.chat}
    await world.companion.memories.delete(world.tavern.chat, ["The well is deep."])
    assert LONG not in texts(await slots(world))


async def test_memories_of_other_chats_are_counted_and_can_be_left_out_of_one_chat(
    world: World,
) -> None:
    """A chat was told at once what its character remembers of unrelated ones, unasked."""
    other = write_chat(
        world.tavern.chat.with_name("Elsewhere.jsonl"), [message(n) for n in range(6)]
    )
    view = await world.open(other)
    here = view.ground.chat
    own = Source(here, view.story.messages[1].anchor)
    canon = Document(
        "canon", world.chat, DocumentKind.CANON, "She is old.", world.owner, subject="Midge"
    )
    await world.write(
        world.kept("The well is deep.", 3),
        world.kept("The mill burnt down.", 4, is_pinned=True),
        replace(world.kept("The ford is closed."), chat=here, sources=(own,)),
        documents=(canon,),
    )

    async def told(path: Path) -> SlotSet:
        return await world.companion.slots(path, turn=Turn("Midge"))

    found = await told(other)
    assert "- The well is deep." in texts(found)[LONG]
    assert "She is old." in texts(found)[CANON]
    assert {*of(found, LONG).elsewhere} == {"- The well is deep.", "- The mill burnt down."}
    assert found.of_other_chats == 3  # the canon is one
    await world.companion.put_setting("other_chats_enabled", False, path=other)
    found = await told(other)
    assert (texts(found)[LONG].count("- "), found.of_other_chats) == (1, 0)
    assert "- The ford is closed." in texts(found)[LONG]
    assert CANON not in texts(found)
    assert "- The well is deep." in texts(await told(world.tavern.chat))[LONG]


async def test_what_is_left_out_of_a_chat_is_on_no_map_of_it(world: World) -> None:
    """The map began with matters of another story, joined to the people of this one."""
    other = write_chat(
        world.tavern.chat.with_name("Elsewhere.jsonl"), [message(n) for n in range(6)]
    )
    view = await world.open(other)
    here = view.ground.chat
    secret = {"tier": Tier.EPISTEMIC, "type": "knows", "subject": "Midge"}
    own = Source(here, view.story.messages[1].anchor)
    await world.write(
        world.kept("that the well is deep", 3, **secret),
        replace(world.kept("that the ford is closed", 3, **secret), chat=here, sources=(own,)),
    )

    def matters() -> list[str]:
        topics = world.companion.remembered.minds(other).map.topics
        return sorted(topic.title for topic in topics)

    assert matters() == ["The ford is closed", "The well is deep"]
    await world.companion.put_setting("other_chats_enabled", False, path=other)
    assert matters() == ["The ford is closed"]
    assert world.companion.memory(other).is_alone
    assert len(world.companion.memory(other).memories) == 2


async def test_a_branch_tells_nothing_of_another_chat(world: World) -> None:
    await world.write(world.kept("The well is deep.", 3))
    branch = world.branch("Branch", 12)
    await world.open(branch)
    assert (await slots(world)).of_other_chats == 0
    await world.companion.put_setting("other_chats_enabled", False, path=branch)
    found = await world.companion.slots(branch)
    assert "- The well is deep." in texts(found)[LONG]
    assert found.of_other_chats == 0


async def test_each_one_who_answers_gets_its_own_slots(world: World) -> None:
    secret = {"tier": Tier.EPISTEMIC, "type": "knows"}
    await world.write(
        world.kept("where the oil is", 3, **secret, subject="Midge"),
        world.kept("who has the key", 3, **secret, subject="Dov"),
    )
    midge = texts(await slots(world, Turn("Midge")))[SECRETS]
    assert "where the oil is" in midge
    assert "who has the key" not in midge
    assert SECRETS not in texts(await slots(world))


async def test_the_kind_of_turn_moves_budgets(world: World) -> None:
    await world.write(world.kept("The well is deep.", 3))
    for kind, budget in ((TurnKind.ACTION, 400), (TurnKind.DIALOGUE, 597)):
        made = await slots(world, Turn(kind=kind))
        assert made.turn is kind
        (long,) = (slot for slot in made.slots if slot.key == LONG)
        assert long.budget == budget


async def test_the_total_bounds_recaps_and_memories_together(world: World) -> None:
    await world.write(*(world.kept(f"Fact {n} about the old well.", 3) for n in range(40)))
    # Nothing else tells of the newest messages as yet: a part of the total is theirs.
    made = await slots(world, total=400)
    assert 150 < made.total_tokens <= 240
    assert texts(made)[LONG]


async def test_a_card_decides_by_its_file_until_the_page_has_said_what_it_uses(
    world: World,
) -> None:
    await world.write(world.kept("The well is deep.", 3))
    (card,) = world.tavern.cards
    named = "A keeper. {{smartmemory-longterm}}"
    write_card(card, name=card.stem, description=named)
    await world.companion.put_setting("tavern", str(world.tavern.user_folder))

    async def macro(turn: Turn | None = None) -> str:
        made = await slots(world, turn)
        (long,) = (slot for slot in made.slots if slot.key == LONG)
        assert long.text
        return long.macro

    assert await macro() == "smartmemory-longterm"
    assert await macro(Turn(card=())) == ""
    assert await macro() == ""  # as the page said
    assert await macro(Turn(card=("smartmemory-longterm",))) == "smartmemory-longterm"
    assert await macro() == "smartmemory-longterm"
    assert await macro(Turn(serves_macros=False)) == ""


async def test_of_a_group_the_next_prompt_is_that_of_who_spoke_last(tmp_path: Path) -> None:
    names = ("Ana", "Mira", "Oswin")
    story = {
        "title": "Lanterns",
        "user_name": "Ana",
        "characters": [{"name": name, "description": "Of Vell."} for name in names[1:]],
        "group": True,
        "messages": [
            {
                "name": names[n % 3],
                "is_user": not n % 3,
                "kind": "chat",
                "mes": f"We carried {n} lanterns to the harbour.",
            }
            for n in range(11)
        ],
    }
    written = write_tavern(story, tmp_path / "data" / "default-user")
    own, root = user_folders(tmp_path / "own"), written.user_folder.parent
    async with open_companion(own, tavern=root, llm="builtin", watch=False) as companion:
        await companion.open_story(written.chat)
        chat = companion._chats.required(written.chat)
        chat.context_tokens = 8_000  # as a turn says it
        turn = companion._next_prompts._prompting.expected_turn(chat)
        assert turn is not None
        assert turn.responder == "Mira"
