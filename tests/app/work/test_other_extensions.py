"""Somebody comes from MessageSummarize, MemoryBooks, BakemonoMemory or CharMemory."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from app.companion import Companion, open_companion
from app.core.paths import user_folders
from app.memory.records import Grounding
from app.story.story import Story
from tests.chat_files import HEADER, jsonl, message, save_like_sillytavern
from tests.extension_data import bakemono_summary, memory_entry, without, write_lorebook

BOUND = {"world_info": "Harbour memories"}


class Tavern:
    """A user folder of SillyTavern's with one chat."""

    def __init__(self, folder: Path) -> None:
        self.user = folder / "default-user"
        self.chat = self.user / "chats" / "Mira" / "Harbour.jsonl"
        self.chat.parent.mkdir(parents=True)
        (self.user / "settings.json").write_text("{}")
        self.messages = [message(n) for n in range(30)]
        self.write()

    def write(self, **metadata: Any) -> None:
        header = {**HEADER, "chat_metadata": {**HEADER["chat_metadata"], **metadata}}
        content = jsonl([header, *self.messages])
        if self.chat.exists():
            save_like_sillytavern(self.chat, content)
        else:
            self.chat.write_bytes(content)

    def give_char_memory(self, text: str, name: str = "Mira-memories.md") -> None:
        files = self.user / "user" / "files"
        files.mkdir(parents=True, exist_ok=True)
        (files / "1720.txt").write_text(text, "utf-8")
        attachment = {"url": "/user/files/1720.txt", "size": 9, "name": name, "created": 1720}
        held = {"extension_settings": {"character_attachments": {"Mira.png": [attachment]}}}
        (self.user / "settings.json").write_text(json.dumps(held))

    def files(self) -> dict[Path, bytes]:
        """All of SillyTavern's files as they are."""
        return {path: path.read_bytes() for path in self.user.rglob("*") if path.is_file()}


@asynccontextmanager
async def program(tmp_path: Path) -> AsyncIterator[Companion]:
    own = user_folders(tmp_path / "own")
    async with open_companion(own, watch=False, keeps_memory=True) as made:
        for task in ("scene_recaps", "running_recap", "message_recaps", "memory"):
            await made.put_setting(f"{task}_auto", False)
        await made.put_setting("scene_breaks_auto", False)
        yield made


def told(story: Story) -> list[tuple[int, int, str, list[str]]]:
    """First and last message of each closed scene, its name, and its recaps."""
    return [
        (s.first, s.last, s.name, [r.text for r in story.recaps.get(s.closing.anchor, ())])
        for s in story.scenes
        if s.closing is not None
    ]


SCENES = [
    (0, 9, "Scene 1", ["What happened in scene 1."]),
    (10, 19, "Scene 2", ["What happened in scene 2."]),
]


async def test_memory_books_scenes_are_there_at_first_sight(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    write_lorebook(tavern.user, "Harbour memories", memory_entry(1, 0, 9), memory_entry(2, 10, 19))
    tavern.write(**BOUND)
    before = tavern.files()
    async with program(tmp_path) as made:
        story = await made.open_story(tavern.chat)
        assert told(story) == SCENES
        assert {r.made_by for versions in story.recaps.values() for r in versions} == {
            "MemoryBooks"
        }
        assert not await made.edits.extension.found(tavern.chat), "it is taken once"
    async with program(tmp_path) as made:
        assert told(await made.open_story(tavern.chat)) == SCENES
    assert tavern.files() == before


async def test_what_memory_books_wrote_later_is_offered_and_undone(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    async with program(tmp_path) as made:
        before = await made.open_story(tavern.chat)
        assert told(before) == []
        entries = (
            *(memory_entry(1, 0, 9), memory_entry(2, 10, 19)),
            without(memory_entry(3, 20, 29), "STMB_start", "STMB_end"),
            memory_entry(4, 20, 99),
        )
        write_lorebook(tavern.user, "Harbour memories", *entries)
        tavern.write(**BOUND)
        assert told(await made.open_story(tavern.chat)) == [], "nothing is taken in unasked"
        extension = made.edits.extension
        (found,) = (await extension.found(tavern.chat)).of
        assert found.whose == "MemoryBooks"
        assert found.parts == ("2 scene breaks", "2 scene recaps")
        assert found.reasons == (
            "1 that does not name its messages",
            "1 about messages this chat does not have",
        )
        await extension.take_in(tavern.chat)
        story = made.story(tavern.chat)
        assert story is not None
        assert told(story) == SCENES
        assert not await extension.found(tavern.chat)
        assert await made.edits.undo(tavern.chat) == "import from other extensions"
        again = made.story(tavern.chat)
        assert again is not None
        assert (again.breaks, again.recaps) == (before.breaks, before.recaps)
        assert (await extension.found(tavern.chat)).of == (found,) or (
            await extension.found(tavern.chat)
        ).parts == found.parts
        await made.edits.redo(tavern.chat)
        assert not await extension.found(tavern.chat)


async def test_breaks_that_were_found_here_give_way_and_are_back_after_undo(
    tmp_path: Path,
) -> None:
    tavern = Tavern(tmp_path)
    for index in (3, 12, 24):
        text = "***\n\nThe next morning, at the mill, nobody was there any more."
        tavern.messages[index + 1]["mes"] = text
    tavern.write()
    async with program(tmp_path) as made:
        await made.put_setting("scene_breaks_auto", True)
        before = await made.open_story(tavern.chat)
        assert [scene.last for scene in before.scenes if scene.is_closed] == [3, 12, 24]
        await made.edits.scenes.rename(tavern.chat, before.messages[24].anchor, "Mine")
        named = made.story(tavern.chat)
        assert named is not None
        entries = (memory_entry(1, 0, 9), memory_entry(2, 16, 19))
        write_lorebook(tavern.user, "Harbour memories", *entries)
        tavern.write(**BOUND)
        await made.open_story(tavern.chat)
        (found,) = (await made.edits.extension.take_in(tavern.chat)).of
        assert found.parts[2:] == ("1 scene break found here, which is replaced",)
        assert found.reasons == ("1 about messages divided into other scenes here",)
        story = made.story(tavern.chat)
        assert story is not None
        assert [scene.last for scene in story.scenes if scene.is_closed] == [9, 12, 24]
        await made.edits.undo(tavern.chat)
        after = made.story(tavern.chat)
        assert after is not None
        assert after.breaks == named.breaks


async def test_message_summarize_counts_at_first_sight_and_later_on_a_word(tmp_path: Path) -> None:
    """Blocks as its version 1.3.24 writes them."""
    block = {
        "lagging": False,
        "include": "short",
        "memory": "She came.",
        "hash": 1,
        "error": None,
        "edited": False,
        "prefill": "",
        "reasoning": "",
    }
    tavern = Tavern(tmp_path)
    tavern.messages[3]["extra"] = {"qvink_memory": block | {"remember": True, "exclude": False}}
    tavern.messages[4]["extra"] = {"qvink_memory": {"exclude": True, "remember": False}}
    tavern.write()
    async with program(tmp_path) as made:
        story = await made.open_story(tavern.chat)
        recaps = [story.message_recaps.get(m.anchor) for m in story.messages]
        assert recaps[3] is not None
        assert (recaps[3].text, recaps[3].is_remembered) == ("She came.", True)
        assert recaps[3].taken_from == "MessageSummarize"
        assert recaps[4] is not None
        assert recaps[4].is_excluded
        tavern.messages[5]["extra"] = {"qvink_memory": block | {"memory": "He left."}}
        tavern.write()
        await made.open_story(tavern.chat)
        found = await made.edits.extension.take_in(tavern.chat)
        assert [(one.whose, one.parts) for one in found.of] == [
            ("MessageSummarize", ("1 message recap",))
        ]
        after = made.story(tavern.chat)
        assert after is not None
        assert after.message_recaps[after.messages[5].anchor].taken_from == "MessageSummarize"
        await made.edits.undo(tavern.chat)
        undone = made.story(tavern.chat)
        assert undone is not None
        assert undone.message_recaps == story.message_recaps
        mine = story.messages[3].anchor
        await made.edits.messages.edit(tavern.chat, mine, "By hand.")
        edited = made.story(tavern.chat)
        assert edited is not None
        assert edited.message_recaps[mine].taken_from == ""


async def test_bakemono_summaries_are_scenes_beside_those_of_memory_books(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    write_lorebook(tavern.user, "Harbour memories", memory_entry(1, 12, 19))
    held = {
        "storySummaries": [bakemono_summary("story", 1, [0, 1, 2, 3])],
        "stageSummaries": [bakemono_summary("stage", 1, [0, 9])],
        "epicSummaries": [],
    }
    tavern.write(**BOUND, bakemonoMemory=held)
    async with program(tmp_path) as made:
        assert told(await made.open_story(tavern.chat)) == [
            (0, 3, "story 1", ["Plot\nTold story 1."]),
            (4, 11, "", []),
            (12, 19, "Scene 1", ["What happened in scene 1."]),
        ]


CHAR_MEMORY = """<memory chat="Harbour" date="2026-05-01 14:30">
- [Mira, Jon — the quay]
- The lantern broke.
- Jon owes her a boat.
</memory>

<memory chat="An earlier chat" date="2026-04-01 09:00">
- They met at sea.
</memory>"""


async def test_what_char_memory_remembers_is_offered_and_undone(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    tavern.give_char_memory(CHAR_MEMORY)
    before = tavern.files()
    async with program(tmp_path) as made:
        await made.open_story(tavern.chat)

        def remembered() -> list[str]:
            view = made.remembered.view(tavern.chat)
            return sorted(one.memory.text for one in view.memories)

        assert remembered() == [], "nothing is taken in unasked"
        found = await made.edits.extension.take_in(tavern.chat)
        assert [(one.whose, one.parts) for one in found.of] == [("CharMemory", ("3 memories",))]
        assert remembered() == ["Jon owes her a boat.", "The lantern broke.", "They met at sea."]
        view = made.remembered.view(tavern.chat)
        assert {one.memory.made_by for one in view.memories} == {"CharMemory"}
        assert {one.memory.grounding for one in view.memories} == {Grounding.IMPORTED}
        assert not await made.edits.extension.found(tavern.chat), "it is taken once"
        await made.edits.undo(tavern.chat)
        assert remembered() == []
        assert (await made.edits.extension.take_in(tavern.chat)).parts == ("3 memories",)
        assert len(remembered()) == 3
        await made.edits.undo(tavern.chat)
        assert remembered() == []
        await made.edits.redo(tavern.chat)
        first = made.remembered.view(tavern.chat).memories[0].memory.id
        await made.memories.delete(tavern.chat, [first])
        assert not await made.edits.extension.found(tavern.chat), "what is deleted stays so"
    assert tavern.files() == before


async def test_another_chats_own_char_memory_stays_there(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    tavern.give_char_memory(CHAR_MEMORY, "Mira-chatAnother-memories.md")
    async with program(tmp_path) as made:
        await made.open_story(tavern.chat)
        assert not await made.edits.extension.found(tavern.chat)
    tavern.give_char_memory(CHAR_MEMORY, "Mira-chatHarbour-memories.md")
    async with program(tmp_path) as made:
        await made.open_story(tavern.chat)
        assert await made.edits.extension.found(tavern.chat)


def give_settings(tavern: Tavern, **changed: Any) -> None:
    held = {"extension_settings": {"smart_memory": {"enabled": True, **changed}}}
    (tavern.user / "settings.json").write_text(json.dumps(held))


async def test_smart_memorys_settings_are_offered_taken_and_undone(tmp_path: Path) -> None:
    tavern = Tavern(tmp_path)
    give_settings(tavern, arcs_enabled=False, longterm_max_memories=40, session_max_memories=9_999)
    before = tavern.files()
    async with program(tmp_path) as made:
        await made.open_story(tavern.chat)
        assert made.settings["arcs_enabled"] is True, "nothing is taken over unasked"
        found = await made.their_settings.found(tavern.chat)
        assert (found.values, found.left_out) == ({"arcs_enabled": False, "longterm_max": 40}, 1)
        await made.their_settings.take_over(tavern.chat)
        assert (made.settings["arcs_enabled"], made.settings["longterm_max"]) == (False, 40)
        assert not await made.their_settings.found(tavern.chat), "they are taken once"
        assert await made.edits.undo(tavern.chat) == "import of settings"
        assert (made.settings["arcs_enabled"], made.settings["longterm_max"]) == (True, 25)
    assert tavern.files() == before


async def test_a_branch_has_its_parents_scenes_and_recaps_with_their_writers(
    tmp_path: Path,
) -> None:
    """Of the lorebook, which names the parent, it takes nothing by itself: what the parent played
    on since is not its own.
    """
    tavern = Tavern(tmp_path)
    write_lorebook(tavern.user, "Harbour memories", memory_entry(1, 0, 9), memory_entry(2, 10, 19))
    tavern.messages[3]["extra"] = {"qvink_memory": {"memory": "She came."}}
    tavern.write(**BOUND)
    parent = tavern.chat
    async with program(tmp_path) as made:
        await made.open_story(parent)
        del tavern.messages[3]["extra"]
        del tavern.messages[15:]
        tavern.messages += [message(n) for n in range(65, 80)]
        tavern.chat = parent.with_name("Harbour - Branch #1.jsonl")
        tavern.write(**BOUND, main_chat="Harbour")
        story = await made.open_story(tavern.chat)
        assert told(story) == SCENES[:1]
        assert story.message_recaps[story.messages[3].anchor].taken_from == "MessageSummarize"
        found = await made.edits.extension.found(tavern.chat)
        assert not found
        assert [one.reasons for one in found.of] == [("2 of other chats",)]
