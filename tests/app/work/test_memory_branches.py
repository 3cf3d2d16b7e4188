"""What branches, copies, renamed chats and looks back remember of the story that they share."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.memory.arcs.arc_summaries import (
    arc_digest,
    earlier_arc_digest,
    resolved_arcs,
    summaries,
    without_summary,
)
from app.memory.documents.canon import canon_digest, is_canon_of
from app.memory.documents.profiles import outdated, subjects
from app.memory.lifecycle.policy import Policy
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Entity,
    Memory,
    MemoryChange,
    Source,
    Tier,
)
from app.memory.standing import Status
from app.store.memory.memories import FORGOTTEN, PASS
from tests.labelled import WrittenTavern
from tests.memory_world import World, active, opened, texts

LATE = 40  # messages from here on are the parent's own


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


async def test_a_branch_begins_with_the_memories_whose_messages_it_shares(world: World) -> None:
    early, both = world.memory("early", 5), world.memory("both", 5, LATE + 2)
    await world.write(early, world.memory("late", LATE + 2), both, world.memory("by hand"))
    branch = await world.open(world.branch("branch", LATE))
    assert active(branch) == texts(branch) == {"early", "by hand"}
    (copy,) = (s.memory for s in branch.memories if s.memory.text == "early")
    assert copy.chat == branch.ground.chat != world.chat
    assert copy.sources == (Source(branch.ground.chat, world.anchors[5]),)
    assert active(await world.open()) == {"early", "late", "both", "by hand"}


async def test_what_the_parents_future_ended_holds_in_the_branch(world: World) -> None:
    new = world.memory("new", LATE + 3)
    resolved = Ending(EndReason.RESOLVED, sources=(world.source(LATE + 3),))
    old = world.memory("old", 5, endings=(Ending(EndReason.SUPERSEDED, by="new"),))
    arc = world.memory("arc", 6, tier=Tier.ARCS, type="arc", endings=(resolved,))
    closed = Ending(EndReason.RESOLVED, sources=(world.source(20),))
    over = world.memory("over", 6, tier=Tier.ARCS, type="arc", endings=(closed,))
    await world.write(new, old, arc, over)
    assert active(await world.open()) == {"new"}
    branch = await world.open(world.branch("branch", LATE))
    assert active(branch) == {"old", "arc"}
    assert texts(branch) == {"old", "arc", "over"}


async def test_what_the_parent_reads_after_the_branch_was_made_is_taken_over(
    world: World,
) -> None:
    """The branch offered to read the very messages that the parent was reading."""
    await world.write(world.memory("kept", 3), world.memory("over", 4))
    path = world.branch("branch", LATE)
    branch = await world.open(path)
    target = branch.ground.chat
    (copy,) = (s.memory for s in branch.memories if s.memory.text == "kept")
    mine = replace(copy, text="as I want it")
    ending = Ending(EndReason.RESOLVED, sources=(world.source(9),))
    late = world.memory("late", LATE + 2)
    ended = world.memory("over", 4, endings=(ending,))
    await world.write(mine, ended, world.memory("new", 8), late)

    def take() -> None:
        world.store.branching.take_newer(world.chat, target, world.owner)

    for _ in range(2):
        await world.store.run(take)
        await world.refreshed()
        branch = await world.open(path)
        assert texts(branch) == {"as I want it", "new", "over"}
        over = next(s.memory for s in branch.memories if s.memory.text == "over")
        assert len(over.endings) == 1


async def test_a_chain_of_memories_is_a_chain_in_the_branch(world: World) -> None:
    new = world.memory("new", 9, supersedes=("old",))
    old = world.memory("old", 5, endings=(Ending(EndReason.SUPERSEDED, by="new"),))
    await world.write(new, old)
    branch = await world.open(world.branch("branch", LATE))
    assert active(branch) == {"new"}
    by_text = {standing.memory.text: standing.memory for standing in branch.memories}
    assert by_text["new"].supersedes == (by_text["old"].id,)
    assert by_text["old"].id != "old"


async def test_what_a_character_keeps_of_the_parents_future_is_unknown_in_the_branch(
    world: World,
) -> None:
    await world.write(world.kept("early", 5), world.kept("late", 5, LATE + 2))
    branch = await world.open(world.branch("branch", LATE))
    assert texts(branch) == {"early"}
    (standing,) = branch.memories
    assert standing.memory.id == "early"  # the same row: the character has it once
    assert standing.start == 5
    elsewhere = world.tavern.chat.with_name("Another story.jsonl")
    lines = world.tavern.chat.read_text("utf-8").splitlines()
    other = [line.replace("2026", "2031") for line in lines[1:9]]
    header = {"user_name": "U", "character_name": "C", "chat_metadata": {"integrity": "other"}}
    elsewhere.write_text("\n".join([json.dumps(header), *other]), "utf-8")
    assert active(await world.open(elsewhere)) == {"early", "late"}


async def test_an_edit_in_the_branch_leaves_the_parents_memory_as_it_is(world: World) -> None:
    story = (await world.open()).story
    hashes = {m.anchor: m.content_hash for m in story.messages}
    source = Source(world.chat, world.anchors[5], hashes[world.anchors[5]])
    kept = Memory("kept", world.chat, Tier.LONG_TERM, "fact", "kept", character=world.owner)
    await world.write(Memory(**{**_fields(kept), "sources": (source,)}))
    path = world.branch("branch", LATE)
    assert active(await world.open(path)) == {"kept"}
    lines = path.read_text("utf-8").splitlines()
    message = json.loads(lines[6])
    message["mes"] = "Something else was said."
    message.pop("swipes", None)
    path.write_text("\n".join([*lines[:6], json.dumps(message), *lines[7:]]), "utf-8")
    branch = await world.open(path)
    assert [standing.status for standing in branch.memories] == [Status.STALE]
    assert active(await world.open()) == {"kept"}


async def test_a_branch_is_not_read_again_where_its_parent_was(world: World) -> None:
    hashes = {m.anchor: m.content_hash for m in (await world.open()).story.messages}
    marks = [(anchor, hashes[anchor]) for anchor in world.anchors[: LATE + 5]]
    await world.store.run(lambda: world.store.memories.set_extracted(world.chat, marks, PASS))
    branch = (await world.open(world.branch("branch", LATE))).ground.chat
    read = await world.store.run(lambda: world.store.memories.read(branch))
    assert read == set(marks[:LATE])


async def test_what_a_parent_has_read_is_not_read_again_under_a_name_that_was_used(
    world: World,
) -> None:
    """A branch got the name of one that was deleted, and 3,007 messages were paid for again."""
    marks = [(m.anchor, m.content_hash) for m in (await world.open()).story.messages]
    path = world.branch("branch", LATE)
    branch = (await world.open(path)).ground.chat
    memories = world.store.memories

    def read_meanwhile() -> None:
        memories.set_extracted(world.chat, marks[: LATE + 20])
        memories.set_extracted(branch, marks[:2])  # which has read these for itself

    await world.store.run(read_meanwhile)
    await world.write(
        world.memory("own reading", 1), world.memory("read", 9), world.memory("late", LATE + 15)
    )
    path.unlink()
    world.branch("branch", LATE + 10)
    view = await world.open(path)
    assert view.ground.chat == branch
    await world.companion.settled(path)
    assert active(world.companion.memory(path)) == {"read"}
    read = await world.store.run(lambda: memories.read(branch))
    assert read == set(marks[: LATE + 10])


async def test_what_the_user_had_forgotten_in_a_branch_is_not_taken_from_its_parent(
    world: World,
) -> None:
    marks = [(m.anchor, m.content_hash) for m in (await world.open()).story.messages]
    branch = (await world.open(world.branch("branch", LATE))).ground.chat
    memories = world.store.memories

    def forgotten() -> bool:
        memories.set_extracted(world.chat, marks)
        memories.set_extracted(branch, marks[:LATE], FORGOTTEN)
        return world.store.branching.take_unread(branch, world.owner)

    await world.write(world.memory("read", 9))
    assert not await world.store.run(forgotten)


async def test_entities_and_texts_of_the_future_stay_behind(world: World) -> None:
    entities = tuple(
        Entity(name, world.chat, name, first_seen=world.anchors[at], last_seen=world.anchors[-1])
        for name, at in (("Early", 5), ("Late", LATE + 1))
    )
    documents = tuple(
        Document(
            text, world.chat, DocumentKind.SUMMARY, text, character=who, until=world.anchors[at]
        )
        for text, who, at in (
            ("early", "", 9),
            ("late", "", LATE + 1),
            ("canon", world.owner, LATE + 1),
        )
    )
    await world.write(entities=entities, documents=documents)
    branch = await world.open(world.branch("branch", LATE))
    assert [(e.name, e.last_seen) for e in branch.entities] == [("Early", world.anchors[5])]
    assert [d.text for d in branch.documents] == ["early"]
    assert branch.documents[0].chat == branch.ground.chat


@pytest.mark.parametrize("digest_of", [arc_digest, earlier_arc_digest])
async def test_what_was_made_of_shared_memories_is_not_made_again(
    world: World, digest_of: Callable[[Memory, Ending], str]
) -> None:
    """The same threads were summed up and paid for once more for a copy of the chat."""
    closed = Ending(EndReason.RESOLVED, text="It was found.", sources=(world.source(20),))
    arcs = [
        world.memory(f"arc {n}", 6 + n, tier=Tier.ARCS, type="arc", endings=(closed,))
        for n in range(2)
    ]
    facts = [world.memory(f"Mira likes {n}", 9, entities=("Mira",)) for n in range(5)]
    await world.write(*arcs, *facts)
    parent = await world.open()
    (mira,) = subjects(["Mira"], [s.memory for s in parent.memories])

    def made(kind: DocumentKind, text: str, subject: str, inputs: str) -> Document:
        until = world.anchors[20]
        return Document(text, world.chat, kind, text, subject=subject, inputs=inputs, until=until)

    texts_ = [
        made(
            DocumentKind.ARC_SUMMARY,
            f"Text {n}.",
            arc.memory.id,
            digest_of(arc.memory, arc.ending),
        )
        for n, arc in enumerate(resolved_arcs(arcs, parent.ground))
    ]
    canon = made(DocumentKind.CANON, "Canon.", "Mira", canon_digest(texts_))
    portrait = made(DocumentKind.PROFILE, "Mira.", "Mira", mira.digest)
    await world.write(documents=(*texts_, canon, portrait))
    branch = await world.open(world.branch("branch", LATE))
    memories = [standing.memory for standing in branch.memories]
    found = resolved_arcs(memories, branch.ground)
    assert [arc.memory.text for arc in found] == ["arc 0", "arc 1"]
    assert without_summary(found, branch.documents) == ()
    told = summaries(branch.documents, found, branch.ground.chat)
    assert [document.text for document in told] == ["Text 0.", "Text 1."]
    (kept,) = (d for d in branch.documents if d.kind is DocumentKind.CANON)
    assert is_canon_of(kept, told if digest_of is arc_digest else texts_)
    assert outdated(subjects(["Mira"], memories), branch.documents) == ()


async def test_a_look_back_knows_what_was_known_then_and_keeps_to_itself(world: World) -> None:
    await world.write(
        world.kept("early", 5), world.kept("late", LATE + 2), world.memory("session", 6)
    )
    view = await world.open(until=LATE - 1)
    assert active(view) == texts(view) == {"early", "session"}
    assert {standing.memory.character for standing in view.memories} == {""}
    again = [s.memory for s in view.memories]
    await world.write(world.kept("between", 7), removed=frozenset({"early"}))
    await world.store.run(
        lambda: world.store.memories.write(MemoryChange(removed=frozenset({again[0].id})))
    )
    assert active(await world.open()) == {"late", "session", "between"}


async def test_a_renamed_chat_and_a_renamed_character_keep_their_memories(world: World) -> None:
    await world.write(world.kept("kept", 5), world.memory("own", 6))
    modes = world.store.memory_modes
    await world.store.run(lambda: modes.set_policy(world.owner, Policy.READ_ONLY))
    old = world.tavern.chat
    user = world.tavern.user_folder
    card = user / "characters" / f"{old.parent.name}.png"
    folder = old.parent.with_name("Somebody Else")
    card.rename(card.with_name("Somebody Else.png"))
    shutil.move(old.parent, folder)
    view = await world.open(folder / old.name)
    assert view.ground.chat == world.chat
    assert active(view) == {"kept", "own"}
    owner = view.story.chat.owner_key
    assert owner != world.owner
    assert await world.store.run(lambda: modes.policy(owner)) is Policy.READ_ONLY


async def test_a_file_under_a_name_that_was_known_loses_nothing_that_is_kept(
    world: World,
) -> None:
    chats = world.store.chats  # of files that nobody has open, so that no work of theirs is lost
    known = await world.store.run(lambda: chats.id_of("known.jsonl"))
    other = await world.store.run(lambda: chats.id_of("other.jsonl"))
    await world.write(
        replace(world.kept("kept"), chat=known), replace(world.memory("own"), chat=known)
    )
    await world.store.run(lambda: chats.move(other, "known.jsonl"))
    found = await world.store.run(lambda: world.store.memories.load(other, [world.owner]))
    assert [memory.text for memory in found.memories] == ["kept"]


async def test_a_copy_for_another_character_gives_it_what_it_shares(world: World) -> None:
    await world.write(world.kept("early", 5), world.kept("late", LATE + 2))
    folder = world.tavern.user_folder / "chats" / "Twin"
    folder.mkdir()
    card = world.tavern.user_folder / "characters" / f"{world.tavern.chat.parent.name}.png"
    shutil.copy(card, card.with_name("Twin.png"))
    branch = world.branch("branch", LATE)
    shutil.move(branch, folder / branch.name)
    view = await world.open(folder / branch.name)
    assert active(view) == {"early"}
    assert view.memories[0].memory.character == view.story.chat.owner_key != world.owner


def _fields(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in Memory.__dataclass_fields__}


async def test_what_was_looked_through_is_known_in_the_branch(world: World) -> None:
    old = world.memory("old", 5)
    looked = Document(
        "looked",
        world.chat,
        DocumentKind.UPKEEP,
        "",
        sections={"old": "It is over."},
        until=world.anchors[20],
    )
    await world.write(old, documents=(looked,))
    branch = await world.open(world.branch("branch", LATE))
    (copy,) = (s.memory for s in branch.memories)
    (kept,) = (d for d in branch.documents if d.kind is DocumentKind.UPKEEP)
    assert kept.sections == {copy.id: "It is over."}
