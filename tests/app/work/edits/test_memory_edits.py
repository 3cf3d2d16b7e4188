"""What the user does to memories is done at once, whole, and taken back exactly."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.core.operations import OperationKind
from app.core.paths import user_folders
from app.memory.lifecycle.policy import Policy
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Expiration,
    Grounding,
    MemoryChange,
    Review,
    Tier,
)
from app.memory.standing import Status
from app.store.folder_lock import FolderLock
from app.store.memory.memories import PASS
from app.views.story_change import StoryChange
from app.work.planning.memory_planner import Reading, next_pass
from app.work.planning.writing import Writing
from tests.labelled import WrittenTavern
from tests.memory_world import World, active, opened, texts

TABLES = ("memory", "entity", "document", "extracted", "memory_pause", "memory_policy")


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


async def filled(world: World) -> None:
    """Something of everything."""
    now = world.memory
    kept = world.kept
    arc: dict[str, Any] = {"tier": Tier.ARCS, "type": "arc"}
    await world.write(
        now("session", 3),
        now("arc", 4, **arc),
        now("pinned arc", 4, **arc, is_pinned=True, character=world.owner),
        now("closed arc", 4, **arc, endings=(Ending(EndReason.RESOLVED),)),
        now("waiting", 5, review=Review.WAITING, grounding=Grounding.UNGROUNDED),
        now("deep", tier=Tier.STATE_LEDGER, type="object", subject="Well", field="condition"),
        now("at home", tier=Tier.STATE_LEDGER, type="object", subject="Well", field="owner"),
        kept("fact", 3),
        kept("warm", 3, tier=Tier.RELATIONSHIPS, type="feeling", subject="A", target="B"),
        kept("a secret", 3, tier=Tier.EPISTEMIC, type="knows", subject="A"),
        entities=(Entity("well", world.chat, "Well", "object", aliases=("the pit",)),),
        documents=(
            Document("summary", world.chat, DocumentKind.SUMMARY, "A summary."),
            Document("canon", world.chat, DocumentKind.CANON, "A canon.", character=world.owner),
        ),
    )
    hashes = [(m.anchor, m.content_hash) for m in (await world.open()).story.messages[:20]]
    await world.store.run(lambda: world.store.memories.set_extracted(world.chat, hashes, PASS))
    await world.refreshed()


def rows(world: World) -> dict[str, list[tuple[Any, ...]]]:
    """All that is kept, as it counts: what undo put away as never made is as if it were not."""
    path = world.companion.folders.database
    with closing(sqlite3.connect(path)) as database:
        state = {}
        for table in TABLES:
            names = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
            where = " WHERE is_deleted <> 2" if "is_deleted" in names else ""
            columns = ", ".join(n for n in names if n != "id" or table == "memory")
            state[table] = sorted(database.execute(f"SELECT {columns} FROM {table}{where}"))
        return state


def ids(view: Any) -> dict[str, str]:
    return {standing.memory.text: standing.memory.id for standing in view.memories}


async def deed(world: World, name: str, pick: int) -> None:
    """One deed by name; UsageError where it makes no sense now."""
    memories, path = world.companion.memories, world.tavern.chat
    view = world.companion.memory(path)
    some = [s.memory.id for s in view.memories] or ["nothing"]
    one = some[pick % len(some)]
    match name:
        case "add":
            await memories.add(path, Tier.SESSION, "detail", f"New {pick}.", importance=3)
        case "edit":
            await memories.edit(path, one, text=f"Otherwise {pick}.", importance=1 + pick % 3)
        case "expiration":
            await memories.edit(path, one, expiration=Expiration.SCENE)
        case "delete":
            await memories.delete(path, [one])
        case "delete all":
            await memories.delete(path, some)
        case "pin" | "unpin":
            await memories.pin(path, one, pinned=name == "pin")
        case "resolve":
            await memories.resolve(path, one, "So it went.")
        case "reopen":
            await memories.reopen(path, one)
        case "approve":
            await memories.approve(path, [one])
        case "reject":
            await memories.reject(path, [one])
        case "entity":
            await memories.set_entity_type(path, "well", ("place", "concept", "object")[pick % 3])
        case "text":
            words = "" if pick % 2 else f"Words {pick}."
            await memories.edit_text(path, DocumentKind.SUMMARY, words)
        case "forget":
            await memories.forget_chat(path)
        case "fresh":
            await memories.fresh_start(path)
        case "clear":
            await memories.clear_tier(path, list(Tier)[pick % len(Tier)])
        case "again":
            await memories.read_again(path)
        case "pause":
            await memories.pause(path)
        case "commit":
            await memories.commit(path)
        case "discard":
            await memories.discard(path)
        case "policy":
            await memories.set_policy(path, list(Policy)[pick % len(Policy)])
        case _:
            raise AssertionError(name)


DEEDS = (
    *("add", "edit", "expiration", "delete", "delete all", "pin", "unpin", "resolve", "reopen"),
    *("approve", "reject", "entity", "text", "forget", "fresh", "clear", "again"),
    *("pause", "commit", "discard", "policy"),
)


@example(commands=[("fresh", 25), ("pause", 13), ("commit", 18)])
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    commands=st.lists(st.tuples(st.sampled_from(DEEDS), st.integers(0, 30)), min_size=1, max_size=7)
)
async def test_undo_brings_back_every_state_exactly_and_redo_the_next(
    commands: list[tuple[str, int]], world: World
) -> None:
    path, edits = world.tavern.chat, world.companion.edits
    world.companion.work.pause()  # what a deed makes due to be read is not the deed
    if not world.companion.memory(path).memories:
        await filled(world)
    states, labels = [rows(world)], []
    for name, pick in commands:
        before, shown = (await edits.undo_labels(path))[0], rows(world)
        try:
            await deed(world, name, pick)
        except UsageError:
            assert rows(world) == shown
            assert (await edits.undo_labels(path))[0] == before
            continue
        if rows(world) != shown:
            labels.append((await edits.undo_labels(path))[0])
            states.append(rows(world))
    for state, label in zip(reversed(states[:-1]), reversed(labels), strict=True):
        assert await edits.undo(path) == label
        assert rows(world) == state
    for state, label in zip(states[1:], labels, strict=True):
        assert await edits.redo(path) == label
        assert rows(world) == state
    for _ in labels:
        await edits.undo(path)


class Ears:
    def __init__(self) -> None:
        self.heard: list[StoryChange] = []

    def hear(self, change: StoryChange) -> None:
        self.heard.append(change)


@pytest.mark.parametrize("name", DEEDS)
async def test_each_deed_tells_whoever_shows_the_chat(name: str, world: World) -> None:
    await filled(world)
    if name in ("commit", "discard"):
        await world.companion.memories.pause(world.tavern.chat)
    ears = Ears()
    world.companion.story_changed.connect(ears.hear)
    for pick in range(12):  # until one fits
        try:
            await deed(world, name, pick)
        except UsageError:
            continue
        if any(change.memories for change in ears.heard):
            break
    if name != "again":  # which changes what is read, and nothing that is shown
        assert any(change.memories for change in ears.heard)


async def test_a_memory_in_the_users_words_holds_and_is_said_to_be_theirs(world: World) -> None:
    path, memories = world.tavern.chat, world.companion.memories
    made = await memories.add(path, Tier.LONG_TERM, "fact", "  The well is deep. ")
    (standing,) = world.companion.memory(path).memories
    assert standing.memory.id == made
    assert standing.is_active
    assert standing.memory.text == "The well is deep."
    assert (standing.memory.grounding, standing.memory.confidence) == (Grounding.YOURS, 1.0)
    assert standing.memory.character == world.owner
    knows = await memories.add(
        path, Tier.EPISTEMIC, "knows", "the way", subject="A", anchor=world.anchors[30]
    )
    at = {s.memory.id: s for s in world.companion.memory(path, at=29).memories}
    assert at[knows].status is Status.LATER


@pytest.mark.parametrize(
    ("tier", "type_", "fields"),
    [
        (Tier.SESSION, "fact", {}),
        (Tier.SESSION, "detail", {"importance": 4}),
        (Tier.SESSION, "detail", {"nonsense": 1}),
        (Tier.EPISTEMIC, "knows", {}),
        (Tier.EPISTEMIC, "hiding", {"subject": "A"}),
        (Tier.RELATIONSHIPS, "feeling", {"subject": "A", "target": "B"}),
        (Tier.STATE_LEDGER, "object", {"subject": "Well", "field": "mood"}),
    ],
)
async def test_what_makes_no_sense_is_refused_in_words(
    world: World, tier: Tier, type_: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match=r"\.$"):
        await world.companion.memories.add(world.tavern.chat, tier, type_, "Words.", **fields)
    assert not world.companion.memory(world.tavern.chat).memories


@pytest.mark.pitfall(57)
async def test_a_correction_for_the_next_reply_is_changed_and_taken_back(world: World) -> None:
    path, companion = world.tavern.chat, world.companion
    story = companion.memory(path).story
    reply = next(m for m in reversed(story.messages) if not m.is_user)
    note = Document(
        "note",
        world.chat,
        DocumentKind.REPAIR,
        "The well is dry.",
        until=reply.anchor,
        inputs=reply.content_hash,
    )
    await world.write(documents=(note,))

    async def told() -> str:
        return " ".join(s.text for s in (await companion.slots(path)).slots if "repair" in s.key)

    assert "The well is dry." in await told()
    await companion.memories.edit_text(path, DocumentKind.REPAIR, "The well is deep.")
    assert "The well is deep." in await told()
    await companion.memories.edit_text(path, DocumentKind.REPAIR, "")
    assert await told() == ""
    await companion.edits.undo(path)
    assert "The well is deep." in await told()


@pytest.mark.pitfall(31)
async def test_a_pinned_arc_is_open_in_all_chats_of_its_character(world: World) -> None:
    path, memories = world.tavern.chat, world.companion.memories
    await world.write(world.memory("arc", 4, tier=Tier.ARCS, type="arc"))
    other = path.with_name("Another.jsonl")
    other.write_text('{"user_name":"U","character_name":"C","chat_metadata":{}}\n', "utf-8")
    assert texts(await world.open(other)) == set()
    await memories.pin(path, "arc")
    assert active(world.companion.memory(other)) == {"arc"}  # without opening it again
    await memories.resolve(other, "arc", "It was found.")
    assert active(world.companion.memory(path)) == set()
    await world.companion.edits.undo(other)
    assert active(world.companion.memory(path)) == {"arc"}
    await memories.pin(path, "arc", pinned=False)
    assert texts(world.companion.memory(other)) == set()
    assert active(world.companion.memory(path)) == {"arc"}


async def test_an_arc_is_not_opened_twice(world: World) -> None:
    arc: dict[str, Any] = {"tier": Tier.ARCS, "type": "arc"}
    closed = world.memory("closed", 4, **arc, endings=(Ending(EndReason.RESOLVED),))
    await world.write(closed, world.memory("open", 4, **arc, text="  CLOSED"))
    with pytest.raises(UsageError, match="already exists"):
        await world.companion.memories.reopen(world.tavern.chat, "closed")


async def test_forget_this_chat_keeps_what_the_character_keeps_and_the_ledger(
    world: World,
) -> None:
    await filled(world)
    view = world.companion.memory(world.tavern.chat)
    await world.companion.memories.forget_chat(world.tavern.chat)
    view = world.companion.memory(world.tavern.chat)
    assert texts(view) == {"pinned arc", "deep", "at home", "fact", "warm", "a secret"}
    assert [d.text for d in view.documents] == ["A canon."]
    assert not view.entities


async def test_a_fresh_start_leaves_nothing_of_chat_and_character(world: World) -> None:
    await filled(world)
    branch = world.branch("branch", 30)
    assert "fact" in texts(await world.open(branch))
    await world.companion.memories.fresh_start(world.tavern.chat)
    view = world.companion.memory(world.tavern.chat)
    assert (view.memories, view.entities, view.documents) == ((), (), ())
    assert "fact" not in texts(world.companion.memory(branch))


@pytest.mark.pitfall(23)
async def test_names_go_with_the_tier_that_alone_spoke_of_them(world: World) -> None:
    """Spec §23: what was cleared left its names behind."""
    await world.write(
        world.memory("Orrin limps.", 3, entities=("Orrin",)),
        world.memory("Nessa went to the well.", 3),
        world.kept("The well is deep.", 3, entities=("Well",)),
        entities=tuple(
            Entity(name.lower(), world.chat, name, is_locked=name == "Ash")
            for name in ("Orrin", "Nessa", "Well", "Unspoken", "Ash")
        ),
    )
    path, memories = world.tavern.chat, world.companion.memories

    def names() -> set[str]:
        return {entity.name for entity in world.companion.memory(path).entities}

    assert memories.at_stake(path, Tier.SESSION) == ("2 session memories", "2 names")
    await memories.clear_tier(path, Tier.SESSION)
    assert names() == {"Well", "Unspoken", "Ash"}
    await world.companion.edits.undo(path)
    assert names() == {"Orrin", "Nessa", "Well", "Unspoken", "Ash"}


@pytest.mark.pitfall(6)
async def test_what_was_forgotten_is_not_read_again_unasked_and_may_come_back_when_asked(
    world: World,
) -> None:
    await filled(world)
    path, store = world.tavern.chat, world.store
    await world.companion.memories.forget_chat(path)
    chat = world.companion._chats.required(path)
    story, writing = chat.story, Writing("openai:x@http://localhost", "1", is_free=False)
    reading = replace(chat.reading_state, is_wanted=True)
    assert next_pass(story, world.chat, chat.settings(), writing, reading) is None
    await world.companion.memories.read_again(path)
    reading = replace(chat.reading_state, is_wanted=True)
    spec = next_pass(story, world.chat, chat.settings(), writing, reading)
    assert spec is not None
    assert spec.anchor in world.anchors[:25]
    await store.run(lambda: store.memories.write(MemoryChange((world.memory("session", 3),))))
    await world.refreshed()
    assert "session" in active(world.companion.memory(path))


async def test_what_a_reading_changes_does_not_undo_what_the_user_did_meanwhile(
    world: World,
) -> None:
    arc = world.memory("arc", 4, tier=Tier.ARCS, type="arc")
    gone, old = world.memory("gone", 3), world.memory("old", 3)
    await world.write(arc, gone, old)
    path, memories, store = world.tavern.chat, world.companion.memories, world.store
    await memories.edit(path, "old", text="New words.", importance=3)
    await memories.resolve(path, "arc")
    await memories.clear_tier(path, Tier.SESSION)
    await world.companion.edits.undo(path)
    await memories.delete(path, ["gone"])
    by_model = Ending(EndReason.RETIRED, sources=(world.source(20),))
    change = MemoryChange(
        (
            replace(old, confidence=0.9),
            replace(arc, endings=(by_model,)),
            replace(gone, confidence=0.9),
        )
    )
    await store.run(lambda: store.memories.write(change, base=(arc, gone, old)))
    found = await store.run(lambda: store.memories.load(world.chat))
    by_id = {memory.id: memory for memory in found.memories}
    assert by_id.keys() == {"arc", "old"}
    assert (by_id["old"].text, by_id["old"].importance) == ("New words.", 3)
    assert by_id["old"].confidence == 0.9
    assert [e.reason for e in by_id["arc"].endings] == [EndReason.RESOLVED, EndReason.RETIRED]


async def test_a_read_only_chat_is_not_read_until_it_is_committed(world: World) -> None:
    path, memories = world.tavern.chat, world.companion.memories
    chat = world.companion._chats.required(path)
    writing = Writing("openai:x@http://localhost", "1", is_free=False)
    await memories.pause(path)
    assert world.companion.memory(path).pause is not None
    wanted = replace(chat.reading_state, is_wanted=True)
    assert next_pass(chat.story, world.chat, chat.settings(), writing, wanted) is None
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"name":"U","is_user":true,"mes":"Played on.","send_date":"2026-11-21"}')
    await world.open()
    assert memories.played_since(path) == 1
    await memories.commit(path)
    assert chat.pause is None
    assert next_pass(chat.story, world.chat, chat.settings(), writing, chat.reading_state)


async def test_what_is_discarded_stays_unread_and_the_file_as_it_is(world: World) -> None:
    path, memories, store = world.tavern.chat, world.companion.memories, world.store
    chat = world.companion._chats.required(path)
    read = [(m.anchor, m.content_hash) for m in chat.story.messages[:-1]]
    await store.run(lambda: store.memories.set_extracted(world.chat, read, PASS))
    await memories.pause(path)
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"name":"U","is_user":true,"mes":"Played on.","send_date":"2026-11-21"}')
    await world.open()
    before = path.read_bytes()
    await memories.discard(path)
    assert path.read_bytes() == before
    assert chat.pause is None
    writing = Writing("openai:x@http://localhost", "1", is_free=False)
    spec = next_pass(
        chat.story, world.chat, chat.settings(), writing, Reading(chat.reading_state.extracted)
    )
    wanted = replace(chat.reading_state, is_wanted=True)
    spec = next_pass(chat.story, world.chat, chat.settings(), writing, wanted)
    assert spec is not None  # the message before it was never read
    assert spec.params["anchors"] == [world.anchors[-1]]
    await memories.read_again(path)  # what was discarded is not even then
    spec = next_pass(chat.story, world.chat, chat.settings(), writing, wanted)
    assert spec is not None
    with pytest.raises(UsageError, match="not read-only"):
        await memories.discard(path)


async def test_chat_local_begins_empty_and_keeps_to_its_chat(world: World) -> None:
    await filled(world)
    path, memories = world.tavern.chat, world.companion.memories
    await memories.set_policy(path, Policy.CHAT_LOCAL)
    assert texts(world.companion.memory(path)).isdisjoint({"fact", "warm", "a secret"})
    await memories.add(path, Tier.LONG_TERM, "fact", "Here only.")
    chat = world.companion._chats.required(path)
    assert chat.character == ""
    assert chat.settings()["longterm_enabled"]
    await memories.set_policy(path, Policy.FULL)
    assert "fact" in texts(world.companion.memory(path))
    other = await world.open(world.branch("other", 2))
    assert "Here only." in texts(world.companion.memory(path))
    assert "fact" not in texts(other)


@pytest.mark.parametrize("policy", [Policy.READ_ONLY, Policy.OFF])
async def test_where_nothing_may_be_added_tiers_of_the_character_are_not_asked_for(
    world: World, policy: Policy
) -> None:
    await filled(world)
    path, memories = world.tavern.chat, world.companion.memories
    await memories.set_policy(path, policy)
    view = world.companion.memory(path)
    assert view.policy is policy
    assert ("fact" in texts(view)) is (policy is Policy.READ_ONLY)
    assert {"session", "arc", "deep"} <= texts(view)
    chat = world.companion._chats.required(path)
    writing = Writing("openai:x@http://localhost", "1", is_free=False)
    wanted = replace(chat.reading_state, is_wanted=True)
    spec = next_pass(chat.story, world.chat, chat.settings(), writing, wanted)
    assert spec is not None
    assert spec.kind is OperationKind.MEMORY_PASS
    on = {name: chat.settings()[f"{name}_enabled"] for name in ("longterm", "epistemic", "arcs")}
    assert on == {"longterm": False, "epistemic": False, "arcs": True}
    with pytest.raises(UsageError, match=policy.value):
        await memories.add(path, Tier.LONG_TERM, "fact", "More.")
    await memories.add(path, Tier.SESSION, "detail", "More.")
    # What is there and may be read is told in the prompt, too.
    told = [slot.text for slot in (await world.companion.slots(path)).slots]
    assert any("fact" in text for text in told) is (policy is Policy.READ_ONLY)


async def test_an_entitys_ledger_follows_its_type_where_it_fits(world: World) -> None:
    await filled(world)
    path = world.tavern.chat
    await world.companion.memories.set_entity_type(path, "well", "place")
    view = world.companion.memory(path)
    assert [e.type for e in view.entities] == ["place"]
    ledger = [s.memory for s in view.of(Tier.STATE_LEDGER)]
    assert [(m.type, m.field) for m in ledger] == [("place", "condition")]


@pytest.mark.pitfall(26)
async def test_names_are_merged_renamed_and_deleted_and_all_of_it_comes_back(world: World) -> None:
    await filled(world)
    path, memories, edits = world.tavern.chat, world.companion.memories, world.companion.edits
    await world.write(entities=(Entity("spring", world.chat, "The Spring", "object"),))
    at_first = rows(world)
    await memories.merge_entities(path, "well", "spring")
    view = world.companion.memory(path)
    assert [(e.name, e.aliases) for e in view.entities] == [("The Spring", ("Well", "the pit"))]
    assert {s.memory.subject for s in view.of(Tier.STATE_LEDGER)} == {"The Spring"}
    await memories.rename_entity(path, "spring", "The Fountain")
    view = world.companion.memory(path)
    assert {s.memory.subject for s in view.of(Tier.STATE_LEDGER)} == {"The Fountain"}
    await memories.delete_entity(path, "spring")
    assert world.companion.memory(path).entities == ()
    assert [await edits.undo(path) for _ in range(3)] == ["delete a name", "rename", "merge names"]
    assert rows(world) == at_first
    with pytest.raises(UsageError, match="no longer known"):
        await memories.merge_entities(path, "nobody", "spring")


async def test_nothing_is_changed_where_another_program_works(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    folders = user_folders(tmp_path / "own data")
    lock = FolderLock(folders.data)
    assert lock.acquire("program")
    try:
        async with opened(demo_tavern, tmp_path / "own data") as world:
            await filled(world)
            memories, before = world.companion.memories, rows(world)
            with pytest.raises(UsageError, match="Another Tavernkeep"):
                await memories.forget_chat(demo_tavern.chat)
            with pytest.raises(UsageError, match="Another Tavernkeep"):
                await memories.add(demo_tavern.chat, Tier.SESSION, "detail", "More.")
            assert rows(world) == before
    finally:
        lock.release()


async def test_a_deed_that_fails_half_way_changes_nothing(world: World) -> None:
    await filled(world)
    before = rows(world)
    with pytest.raises(UsageError, match="no longer exists"):
        await world.companion.memories.delete(world.tavern.chat, ["session", "no such"])
    assert rows(world) == before
    assert (await world.companion.edits.undo_labels(world.tavern.chat)) == ("", "")


@pytest.mark.parametrize("is_so", [True, False])
async def test_what_three_readings_brought_word_for_word_is_one_answer(
    world: World, is_so: bool
) -> None:
    waits: dict[str, Any] = {"review": Review.WAITING, "grounding": Grounding.UNGROUNDED}
    said = {"text": "Mira has a lamp.", **waits}
    await world.write(
        world.memory("one", 3, **said),
        world.memory("two", 4, **said),
        world.memory("three", 5, **said),
        world.memory("other", 5, **waits),
    )
    await world.refreshed()
    memories, path = world.companion.memories, world.tavern.chat
    review = world.companion.memory(path).review
    assert [s.memory.text for s in review] == ["Mira has a lamp.", "other"]
    before = rows(world)
    command = memories.approve if is_so else memories.reject
    await command(path, [review[0].memory.id])
    view = world.companion.memory(path)
    assert [s.memory.text for s in view.review] == ["other"]
    told = [standing.memory.text for standing in view.of(Tier.SESSION)]
    assert told == (["Mira has a lamp."] if is_so else [])
    await world.companion.edits.undo(path)
    assert rows(world) == before


async def test_other_words_for_one_answer_what_came_in_the_old_ones_as_well(world: World) -> None:
    """Who gave a memory other words and approved it was asked for its old words again."""
    waits: dict[str, Any] = {"review": Review.WAITING, "grounding": Grounding.UNGROUNDED}
    said = {"text": "Mira has a lamp.", **waits}
    await world.write(world.memory("one", 3, **said), world.memory("two", 4, **said))
    await world.refreshed()
    memories, path = world.companion.memories, world.tavern.chat
    before = rows(world)
    await memories.edit(path, "one", text="Mira has a lantern.")
    await memories.approve(path, ["one"])
    view = world.companion.memory(path)
    assert view.review == ()
    assert [s.memory.text for s in view.of(Tier.SESSION)] == ["Mira has a lantern."]
    await world.companion.edits.undo(path)
    await world.companion.edits.undo(path)
    assert rows(world) == before
