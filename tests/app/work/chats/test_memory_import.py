"""What Smart Memory remembered is taken in once, as it stands, and its files are left alone."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from app.memory.records import SMART_MEMORY, DocumentKind, EndReason, Grounding, Review, Tier
from app.memory.standing import Status
from app.sillytavern.data_folders import chat_ref_for
from app.sillytavern.extensions.smart_memory import Container, SmartMemory
from app.sillytavern.extensions.smart_memory_records import records_of
from app.story.messages import Message
from tests.labelled import WrittenTavern
from tests.memory_world import World, active, opened, texts
from tests.smart_memory_data import character_block, chat_block, memory, put


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    put_both(demo_tavern)
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


def name_of(tavern: WrittenTavern) -> str:
    return chat_ref_for(tavern.chat).owner_name


def put_both(tavern: WrittenTavern, *, of_chat: Any = None, of_character: Any = None) -> None:
    put(
        tavern.chat,
        tavern.user_folder,
        name_of(tavern),
        of_chat or chat_block(),
        of_character or character_block(tavern.chat.stem),
    )


async def test_every_tier_is_there_and_holds_and_says_where_it_came_from(world: World) -> None:
    view = await world.open()
    assert active(view) == {
        *("The well is sealed.", "They met at sea.", "warm", "wary", "proud", "distant"),
        *("who sealed the well", "the key", "The well must be opened."),
        *("A rope lies beside it.", "Dawn at the well.", "They walked all night."),
        *("Somebody follows them.", "deep", "tired"),
    }
    assert texts(view) - active(view) == {"The well is open.", "The key is lost."}
    marks = {(s.memory.grounding, s.memory.made_by, s.memory.review) for s in view.memories}
    assert marks == {(Grounding.IMPORTED, SMART_MEMORY, Review.NONE)}
    kinds = {d.kind: d for d in view.documents}
    assert kinds[DocumentKind.CANON].character == world.owner
    assert kinds[DocumentKind.SUMMARY].until == world.anchors[5]
    assert kinds[DocumentKind.PROFILE].sections["relationship_matrix"] == "B: trust 0.7"
    assert {e.name for e in view.entities} == {"The Well", "Nobody"}


async def test_fields_come_over_as_they_are_and_within_their_bounds(world: World) -> None:
    by_text = {s.memory.text: s for s in (await world.open()).memories}
    fact = by_text["The well is sealed."].memory
    assert (fact.importance, fact.confidence, fact.unconfirmed_passes) == (3, 0.85, 2)
    assert (fact.triggers, fact.witnessed_by) == (("water", "rope"), ("A", "B"))
    assert fact.entities == ("The Well",)
    assert (fact.created, fact.last_confirmed) == (1_760_000_000.0, 1_760_000_100.0)
    assert fact.character == world.owner
    old = by_text["The well is open."]
    assert old.status is Status.ENDED
    assert [e.reason for e in old.memory.endings] == [EndReason.SUPERSEDED]
    assert old.memory.endings[0].by == fact.id
    assert fact.supersedes == (old.memory.id,)
    clamped = by_text["Dawn at the well."].memory
    assert (clamped.importance, clamped.confidence) == (3, 1.0)
    assert by_text["the key"].memory.target == "everyone"
    assert by_text["wary"].memory.magnitude == "medium"
    arc = by_text["The key is lost."].memory
    assert arc.endings[0].text == "It was found in the hay."
    assert by_text["The well must be opened."].memory.is_pinned


async def test_message_ranges_become_sources_where_the_messages_are_there(world: World) -> None:
    by_text = {s.memory.text: s.memory for s in (await world.open()).memories}
    of_range = [source.anchor for source in by_text["The well is sealed."].sources]
    assert of_range == list(world.anchors[2:5])
    assert by_text["A rope lies beside it."].sources == by_text["The well is sealed."].sources
    assert by_text["They met at sea."].sources == ()


async def test_a_scene_comes_from_the_messages_of_the_memories_that_it_names(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    block = chat_block()
    later = memory("s3", "detail", "It rains.", source_messages=[[8, 9]])
    block["sessionMemories"].append(later)
    block["sceneHistory"][0]["source_memory_ids"] = ["s3", "s1", "gone", 7]
    put_both(demo_tavern, of_chat=block)
    async with opened(demo_tavern, tmp_path / "own data") as world:
        view = await world.open()
        (scene,) = [s for s in view.memories if s.memory.text == "They walked all night."]
        sources = [source.anchor for source in scene.memory.sources]
        assert sources == [world.anchors[n] for n in (2, 3, 4, 8, 9)]
        assert scene.memory.text in active(view)


async def test_nothing_is_written_back_and_nothing_comes_twice(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    put_both(demo_tavern)
    files = [demo_tavern.chat, demo_tavern.user_folder / "settings.json"]
    before = [file.read_bytes() for file in files]
    async with opened(demo_tavern, tmp_path / "own data") as world:
        first = (await world.open()).memories
        gone = next(s.memory.id for s in first if s.memory.text == "They met at sea.")
        await world.companion.memories.delete(world.tavern.chat, [gone])
        chat, store = world.chat, world.store
        await store.run(
            lambda: store._database.execute("UPDATE chat SET has_foreign_memory = 0", ())
        )
    async with opened(demo_tavern, tmp_path / "own data") as world:
        again = (await world.open()).memories
        assert [s.memory for s in again] == [s.memory for s in first if s.memory.id != gone]
        assert world.chat == chat
    assert [file.read_bytes() for file in files] == before


async def test_another_chat_of_the_character_brings_the_messages_of_its_own(world: World) -> None:
    other = world.tavern.chat.with_name("An earlier chat.jsonl")
    lines = [line.replace("2026", "2024") for line in world.tavern.chat.read_text().splitlines()]
    header = {"user_name": "U", "character_name": "C", "chat_metadata": {"integrity": "other"}}
    other.write_text("\n".join([json.dumps(header), *lines[1:9]]), "utf-8")
    view = await world.open(other)
    by_text = {s.memory.text: s.memory for s in view.memories}
    assert {s.chat for s in by_text["They met at sea."].sources} == {view.ground.chat}
    assert "A rope lies beside it." not in by_text
    assert len([s for s in view.memories if s.memory.text == "They met at sea."]) == 1


@pytest.mark.parametrize("where", ["chat", "character"])
async def test_newer_data_are_refused_in_words_and_nothing_is_changed(
    demo_tavern: WrittenTavern, tmp_path: Path, where: str
) -> None:
    of_chat, of_character = chat_block(), character_block(demo_tavern.chat.stem)
    (of_chat if where == "chat" else of_character)["schema_version"] = 10
    put_both(demo_tavern, of_chat=of_chat, of_character=of_character)
    async with opened(demo_tavern, tmp_path / "own data") as world:
        view = await world.open()
        assert (view.memories, view.entities, view.documents) == ((), (), ())
        assert "have version 10" in view.problem
    put_both(demo_tavern)
    async with opened(demo_tavern, tmp_path / "own data") as world:
        assert active(await world.open())  # once a version that is known is there


@pytest.mark.parametrize("version", [None, *range(10)])
@pytest.mark.pitfall(29)
def test_every_version_is_read(version: int | None) -> None:
    """Fields that a version did not have yet are absent, and others have their old names."""
    character, chat = character_block("t"), chat_block()
    number = version or 0
    if number < 1:
        for record in (*character["memories"], *chat["sessionMemories"]):
            for name in ("supersedes", "superseded_by", "entities", "valid_from", "valid_to"):
                record.pop(name)
        character.pop("entities")
    if number < 2:
        for record in (*character["memories"], *chat["sessionMemories"]):
            record.pop("confidence")
    if number < 3:
        chat["profiles"] = {"character_state": "flat", "world_state": "flat"}
    if number < 4:
        character.pop("persistent_arcs")
    if number < 5:
        chat["entities"] = chat.pop("sessionEntities")
    if number < 7:
        character["relationship_history"] = {"A→B": ["warm", "wary"]}
    if number < 8:
        character.pop("epistemic_knowledge")
    if number < 9:
        chat.pop("state_ledger")
    for block in (character, chat):
        block["schema_version"] = number
        if version is None:
            del block["schema_version"]
    change = read(chat, character)
    found = {memory.text: memory for memory in change.memories}
    assert {"The well is sealed.", "A rope lies beside it.", "warm", "wary"} <= found.keys()
    assert found["The well is sealed."].confidence == (0.85 if number >= 2 else 0.7)
    assert any(e.name == "The Well" for e in change.entities)
    profiles = [d for d in change.documents if d.kind is DocumentKind.PROFILE]
    assert len(profiles) == (number >= 3)
    assert any(m.tier is Tier.STATE_LEDGER for m in change.memories) is (number >= 9)


def read(chat: Any, character: Any) -> Any:
    messages = [Message(f"a{n}", f"h{n}", "A", f"Text {n}.") for n in range(10)]
    found = SmartMemory(Container("t", chat), (Container("A", character),), ({"content": 3}, 4))
    return records_of(found, 1, "t", "owner", messages, is_only_chat=True)


@pytest.mark.pitfall(30)
def test_reading_changes_nothing_of_what_was_read() -> None:
    chat, character = chat_block(), character_block("t")
    before = json.dumps([chat, character])
    first = read(chat, character)
    assert json.dumps([chat, character]) == before
    assert read(chat, character) == first
    assert len({m.id for m in first.memories}) == len(first.memories)


_anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)


@settings(max_examples=150)
@given(data=st.data())
def test_malformed_parts_are_left_out_and_never_a_failure(data: st.DataObject) -> None:
    chat, character = chat_block(), character_block("t")
    for _ in range(data.draw(st.integers(1, 4))):
        place: Any = data.draw(st.sampled_from([chat, character]))
        while isinstance(place, dict | list) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = data.draw(st.sampled_from(keys))
            if data.draw(st.booleans()) or not isinstance(place[key], dict | list):
                place[key] = data.draw(_anything)
                break
            place = place[key]
    change = read(chat, character)
    for one in change.memories:
        assert one.text
        one.text.encode()
        assert 1 <= one.importance <= 3
        assert 0 <= one.confidence <= 1
