"""Who lived through something in a group knows it alone, and the reverse; nobody else does."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.companion import Companion, open_companion
from app.core.errors import UsageError
from app.core.paths import user_folders
from app.memory.lifecycle.policy import Policy
from app.memory.records import (
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Memory,
    MemoryChange,
    Review,
    Source,
    Tier,
)
from app.prompt.generation import Turn
from app.store.store import Store
from tests.chat_files import message, write_chat
from tests.group_files import write_card, write_group
from tests.scripted_memory import Script, playing

NAMES = ("Ash", "Midge", "Rook")
SECRET = "The gold lies under the mill."


@dataclass
class Tavern:
    """Three characters: all of them have chats of their own, and Midge and Ash a group."""

    companion: Companion
    store: Store
    folder: Path

    @property
    def crew(self) -> Path:
        return self.folder / "group chats" / "crew.jsonl"

    def solo(self, name: str) -> Path:
        return self.folder / "chats" / name / "alone.jsonl"

    def key(self, path: Path) -> str:
        story = self.companion.story(path)
        assert story is not None
        return story.chat.owner_key

    def memory(self, path: Path, id_: str, text: str = SECRET, **fields: Any) -> Memory:
        view = self.companion.memory(path)
        first = view.story.messages[0]
        base = Memory(
            id_,
            view.ground.chat,
            Tier.LONG_TERM,
            "fact",
            text,
            character=self.key(path),
            witnessed_by=("Ana", "Midge"),
            sources=(Source(view.ground.chat, first.anchor, first.content_hash),),
            created=1.0,
        )
        return replace(base, **fields)

    async def write(self, *memories: Memory, documents: tuple[Document, ...] = ()) -> None:
        change = MemoryChange(memories, documents=documents)
        await self.store.run(lambda: self.store.memories.write(change))
        await self.companion.put_setting("context_tokens", 8000)  # all are read anew

    def held(self, path: Path) -> dict[str, bool]:
        """Which memories are known in a chat, and whether they hold."""
        return {s.memory.id: s.is_active for s in self.companion.memory(path).memories}

    async def told(self, path: Path, responder: str = "") -> str:
        slots = await self.companion.slots(path, turn=Turn(responder))
        return "\n".join(slot.text for slot in slots.slots)


@asynccontextmanager
async def opened(folder: Path, data: Path) -> AsyncIterator[Tavern]:
    folders = user_folders(data)
    async with open_companion(
        folders, tavern=folder, llm="builtin", watch=False, keeps_memory=True
    ) as companion:
        await companion.put_setting("memory_auto", False)
        store = Store(folders.database)
        await store.open()
        try:
            tavern = Tavern(companion, store, folder)
            for path in (tavern.crew, *map(tavern.solo, NAMES)):
                await companion.open_story(path)
            yield tavern
        finally:
            await store.aclose()


@pytest_asyncio.fixture
async def tavern(tmp_path: Path) -> AsyncIterator[Tavern]:
    folder = tmp_path / "default-user"
    (folder / "characters").mkdir(parents=True)
    (folder / "groups").mkdir()
    for name in NAMES:
        write_card(folder, f"{name}.png", name)
        lines = [message(n, name=name if n % 2 else "Ana") for n in range(4)]
        write_chat(folder / "chats" / name / "alone.jsonl", lines)
    write_group(folder, ["Ash.png", "Midge.png"])
    lines = [message(n, name=("Ana", "Ash", "Ana", "Midge")[n]) for n in range(4)]
    write_chat(folder / "group chats" / "crew.jsonl", lines)
    async with opened(folder, tmp_path / "own") as tavern:
        yield tavern


async def test_what_she_saw_in_the_group_she_knows_alone_and_who_was_not_there_does_not(
    tavern: Tavern,
) -> None:
    ash_only = tavern.memory(tavern.crew, "ash", "Ash fears bees.", witnessed_by=("Ana", "Ash"))
    unknown = tavern.memory(tavern.crew, "who", "It rained.", witnessed_by=())
    await tavern.write(tavern.memory(tavern.crew, "seen"), ash_only, unknown)
    assert tavern.held(tavern.solo("Midge")) == {"seen": True}
    assert tavern.held(tavern.solo("Ash")) == {"ash": True}
    assert tavern.held(tavern.solo("Rook")) == {}
    assert SECRET in await tavern.told(tavern.solo("Midge"))
    assert "[secondhand]" not in await tavern.told(tavern.solo("Midge"))
    view = tavern.companion.memory(tavern.solo("Midge"))
    assert view.kept_by == {"seen": "The Crew"}


async def test_what_she_lived_through_alone_only_she_knows_in_the_group(tavern: Tavern) -> None:
    alone = tavern.solo("Midge")
    mind: dict[str, Any] = {"tier": Tier.EPISTEMIC, "type": "knows", "witnessed_by": ()}
    love: dict[str, Any] = {"tier": Tier.RELATIONSHIPS, "type": "feeling", "magnitude": "high"}
    await tavern.write(
        tavern.memory(alone, "fact"),
        tavern.memory(alone, "by hand", "She has a scar.", witnessed_by=()),
        tavern.memory(alone, "mind", "the code", **mind, subject="Midge"),
        tavern.memory(alone, "hers", "the other code", **mind, subject="Ana"),
        tavern.memory(alone, "love", "devoted", **love, subject="Midge", target="Ana"),
        tavern.memory(alone, "waits", "She stole it.", review=Review.WAITING),
        tavern.memory(alone, "here", "A detail.", tier=Tier.SESSION, type="detail", character=""),
    )
    assert tavern.held(tavern.crew).keys() == {"fact", "by hand", "mind", "love"}
    hers = await tavern.told(tavern.crew, "Midge")
    assert all(words in hers for words in (SECRET, "scar", "the code", "devoted"))
    others = [await tavern.told(tavern.crew, name) for name in ("Ash", "")]
    for words in (SECRET, "scar", "the code", "devoted"):
        assert not any(words in told for told in others)
    assert tavern.held(tavern.solo("Ash")) == {}


async def test_what_one_member_was_told_alone_no_other_is_told(tavern: Tavern) -> None:
    ours = tavern.memory(tavern.crew, "ours", "The ferry is late.", witnessed_by=("Ash", "Midge"))
    await tavern.write(tavern.memory(tavern.crew, "hers"), ours)
    hers, others = [await tavern.told(tavern.crew, name) for name in ("Midge", "Ash")]
    assert SECRET in hers
    assert SECRET not in others
    assert "The ferry is late." in hers
    assert "The ferry is late." in others


async def test_the_canon_of_a_member_goes_with_them_from_chat_to_chat(tavern: Tavern) -> None:
    def canon(path: Path, text: str, created: float) -> Document:
        chat = tavern.companion.memory(path).ground.chat
        key, kind = tavern.key(path), DocumentKind.CANON
        return Document(text, chat, kind, text, key, "Midge", created=created)

    alone, crew = tavern.solo("Midge"), tavern.crew
    await tavern.write(documents=(canon(alone, "She grew up at sea.", 1.0),))
    assert "grew up at sea" in await tavern.told(crew, "Midge")
    assert "grew up at sea" not in await tavern.told(crew, "Ash")
    await tavern.write(documents=(canon(crew, "She found the gold.", 2.0),))
    for path in (alone, crew):
        told = await tavern.told(path, "Midge")
        assert "found the gold" in told
        assert "grew up at sea" not in told
    await tavern.companion.memories.set_policy(crew, Policy.CHAT_LOCAL)
    assert "grew up at sea" in await tavern.told(alone, "Midge")


async def test_a_feeling_is_told_once_as_this_story_has_it(tavern: Tavern) -> None:
    love: dict[str, Any] = {"tier": Tier.RELATIONSHIPS, "type": "feeling", "subject": "Midge"}
    love |= {"target": "Ana", "text": "devoted"}
    await tavern.write(
        tavern.memory(tavern.crew, "here", **love, magnitude="low"),
        tavern.memory(tavern.solo("Midge"), "there", **love, magnitude="high"),
    )
    assert tavern.held(tavern.crew).keys() == {"here"}
    assert tavern.held(tavern.solo("Midge")).keys() == {"there"}


@pytest.mark.parametrize("policy", [Policy.CHAT_LOCAL, Policy.OFF])
@pytest.mark.parametrize("whose", ["group", "hers"])
async def test_what_is_to_stay_in_its_place_stays_there(
    tavern: Tavern, policy: Policy, whose: str
) -> None:
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    path = tavern.crew if whose == "group" else tavern.solo("Midge")
    await tavern.companion.memories.set_policy(path, policy)
    assert tavern.held(tavern.solo("Midge")) == {}
    await tavern.companion.edits.undo(path)
    assert tavern.held(tavern.solo("Midge")) == {"seen": True}


async def test_what_is_kept_elsewhere_is_changed_there_where_that_may_be(tavern: Tavern) -> None:
    alone, memories = tavern.solo("Midge"), tavern.companion.memories
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    await memories.edit(alone, "seen", text="The gold is gone.")
    (there,) = tavern.companion.memory(tavern.crew).memories
    assert (there.memory.text, there.memory.character) == (
        "The gold is gone.",
        tavern.key(tavern.crew),
    )
    await memories.set_policy(tavern.crew, Policy.READ_ONLY)
    assert tavern.held(alone) == {"seen": True}
    with pytest.raises(UsageError, match="Memories of The Crew are set to “read-only”"):
        await memories.delete(alone, ["seen"])
    await memories.fresh_start(alone)  # is about her own alone
    assert tavern.held(tavern.crew) == {"seen": True}


async def test_who_left_a_group_knows_it_still_but_nobody_of_the_same_name(tavern: Tavern) -> None:
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    write_group(tavern.folder, ["Ash.png"])
    await tavern.companion.put_setting("context_tokens", 9000)
    assert tavern.held(tavern.solo("Midge")) == {"seen": True}
    write_card(tavern.folder, "Midge1.png", "Midge")
    write_group(tavern.folder, ["Ash.png", "Midge1.png"])
    await tavern.companion.put_setting("context_tokens", 9500)
    assert tavern.held(tavern.solo("Midge")) == {}
    write_group(tavern.folder, ["../Midge.png", 5], name=None)  # type: ignore[list-item]
    await tavern.companion.put_setting("context_tokens", 9600)
    assert tavern.held(tavern.solo("Midge")) == {"seen": True}


async def test_what_was_lived_through_in_a_group_stays_when_the_group_is_deleted(
    tavern: Tavern,
) -> None:
    await tavern.write(
        tavern.memory(tavern.crew, "seen"),
        tavern.memory(tavern.crew, "ash", "Ash fears bees.", witnessed_by=("Ana", "Ash")),
    )
    alone = tavern.solo("Midge")
    (tavern.folder / "groups" / "7.json").unlink()
    tavern.crew.unlink()
    await tavern.companion.put_setting("context_tokens", 9000)
    assert tavern.held(alone) == {"seen": True}
    assert SECRET in await tavern.told(alone)
    assert tavern.companion.memory(alone).kept_by == {"seen": "a deleted group"}
    assert tavern.held(tavern.solo("Rook")) == {}
    # A second card of the name: nobody can say any more which of them was there.
    write_card(tavern.folder, "Midge1.png", "Midge")
    write_group(tavern.folder, ["Ash.png"], id="8", name="Another", chats=[])
    await tavern.companion.put_setting("context_tokens", 9100)
    assert tavern.held(alone) == {}


async def test_what_a_deleted_group_was_to_keep_for_itself_stays_unknown(tavern: Tavern) -> None:
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    await tavern.companion.memories.set_policy(tavern.crew, Policy.CHAT_LOCAL)
    (tavern.folder / "groups" / "7.json").unlink()
    await tavern.companion.put_setting("context_tokens", 9000)
    assert tavern.held(tavern.solo("Midge")) == {}


async def test_what_a_deleted_group_left_can_be_taken_away_where_it_is_known(
    tavern: Tavern,
) -> None:
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    alone = tavern.solo("Midge")
    (tavern.folder / "groups" / "7.json").unlink()
    await tavern.companion.put_setting("context_tokens", 9000)
    await tavern.companion.memories.delete(alone, ["seen"])
    assert tavern.held(alone) == {}
    await tavern.companion.edits.undo(alone)
    assert tavern.held(alone) == {"seen": True}


@pytest.mark.pitfall(32)
async def test_the_arcs_of_a_group_are_open_nowhere_else_also_when_it_is_gone(
    tavern: Tavern,
) -> None:
    """Spec §23: arcs of groups that were deleted came up in other chats."""
    arc = tavern.memory(tavern.crew, "arc", tier=Tier.ARCS, type="arc", is_pinned=True)
    await tavern.write(arc)
    assert tavern.held(tavern.crew) == {"arc": True}
    for _ in ("with the group", "without it"):
        assert [tavern.held(tavern.solo(name)) for name in NAMES] == [{}, {}, {}]
        (tavern.folder / "groups" / "7.json").unlink(missing_ok=True)
        await tavern.companion.put_setting("context_tokens", 9000)


async def test_what_ended_alone_has_ended_in_the_group_too(tavern: Tavern) -> None:
    alone = tavern.solo("Midge")
    new = tavern.memory(alone, "new", "The gold is in Rye now.")
    old = tavern.memory(tavern.crew, "old", endings=(Ending(EndReason.SUPERSEDED, by="new"),))
    await tavern.write(new, old)
    for path in (alone, tavern.crew):
        assert tavern.held(path) == {"new": True, "old": False}
    assert SECRET not in await tavern.told(tavern.crew, "Midge")


async def test_a_look_at_an_earlier_moment_has_nothing_from_elsewhere(tavern: Tavern) -> None:
    await tavern.write(tavern.memory(tavern.crew, "seen"))
    await tavern.companion.open_story(tavern.solo("Midge"), until=2)
    assert tavern.companion.memory(tavern.solo("Midge"), until=2).memories == ()


@pytest.mark.parametrize("may_change", [True, False])
async def test_a_reading_alone_says_nothing_twice_and_ends_what_may_be_ended(
    tmp_path: Path, may_change: bool
) -> None:
    lines = {
        "as before": "[fact:2:permanent:sources={n}] The lamp on the quay is green.",
        "repainted": "[fact:2:permanent:sources={n}] The lamp on the quay is now red.",
    }
    async with playing(tmp_path, Script(lines), longterm_max=5) as play:
        folder = play.path.parents[2]
        (folder / "groups").mkdir()
        write_card(folder, "Mira.png", "Mira")
        write_group(folder, ["Mira.png"])
        group, alone = f"{folder}/group/7", f"{folder}/solo/Mira"
        store = play.companion._store
        far = await store.run(lambda: store.chats.id_of(str(folder / "group chats" / "crew.jsonl")))
        green = Memory("lamp", far, Tier.LONG_TERM, "fact", "The lamp on the quay is green.")
        others = (Memory(f"f{n}", far, Tier.LONG_TERM, "fact", f"Stone {n}.") for n in range(9))
        kept = [replace(m, character=group, witnessed_by=("Mira",)) for m in (green, *others)]
        policy = Policy.FULL if may_change else Policy.READ_ONLY

        def unit() -> None:
            store.memories.write(MemoryChange(tuple(kept)))
            store.memory_modes.set_policy(group, policy)

        await store.run(unit)
        await play.add("All is as before.", "", "", "")
        (reading,) = play.readings
        assert green.text in reading.text
        assert {s.memory.character for s in play.view.memories} == {group}
        await play.add("The lamp is repainted.", "", "", "")
        red = play.standing("now red").memory
        assert (red.character, red.supersedes) == (alone, ("lamp",))
        assert play.standing("quay is green").is_active is not may_change
        # What is kept there is neither aged, folded nor outranked by what is read here.
        there = await store.run(lambda: store.memories.with_ids([m.id for m in kept]))
        changed = {new.id for new, old in zip(there, kept, strict=True) if new != old}
        assert changed == ({"lamp"} if may_change else set())
