"""Memory without a model: found by itself, labelled, and given up to a model that reads it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.companion import open_companion
from app.core.paths import Folders
from app.memory.standing import Status
from app.story.recaps import BUILT_IN
from tests.fakes import FakeLlm
from tests.labelled import WrittenTavern, write_tavern

SAID = [
    (False, 'She looks at the river. "We should ask Orrin Vale about the ledger."'),
    (True, '"Orrin Vale keeps it in Harrow Mill, under the third stair, since 1804."'),
    (False, 'They walk on. "Then Orrin Vale lied to the court, and to me."'),
    (True, "*I nod at the water.* The wind is cold. Nobody is in Harrow Mill now."),
    (False, "Three days later they stand in Harrow Mill, and the stair is gone."),
    (True, '"Will you say what we do?" I laugh at the dust and at the rats.'),
]


def written(folder: Path, times: int = 3) -> WrittenTavern:
    story: dict[str, Any] = {
        "title": "The ledger",
        "user_name": "Teodor",
        "characters": [{"name": "Ilse Brandt", "description": "A clerk."}],
        "group": False,
        "messages": [
            {
                "name": "Teodor" if is_user else "Ilse Brandt",
                "is_user": is_user,
                "kind": "chat",
                "mes": f"{text} It is the {number}th time.",
            }
            for number in range(times)
            for is_user, text in SAID
        ],
        "gold": {},
    }
    return write_tavern(story, folder / "data" / "default-user")


def own(folder: Path) -> Folders:
    home = folder / "own"
    home.mkdir(exist_ok=True)
    return Folders(home, home / "logs")


@pytest.mark.asyncio
async def test_names_quotes_and_marks_of_time_are_found_and_labelled(tmp_path: Path) -> None:
    tavern = written(tmp_path)
    async with open_companion(
        own(tmp_path), tavern=tavern.user_folder, llm="builtin", watch=False, keeps_memory=True
    ) as companion:
        await companion.open_story(tavern.chat)
        _, failures = await companion.finished(tavern.chat)
        view = companion.memory(tavern.chat)
    assert not failures
    assert {s.memory.made_by for s in view.memories} == {BUILT_IN}
    assert {s.status for s in view.memories} == {Status.ACTIVE}
    texts = [s.memory.text for s in view.memories]
    assert any(text.startswith("Three days later") for text in texts)
    assert any(text.startswith("Teodor: “Orrin Vale keeps it") for text in texts)
    kinds = {entity.name: (entity.type, entity.is_locked) for entity in view.entities}
    assert kinds["Ilse Brandt"] == kinds["Teodor"] == ("character", True)
    assert kinds["Harrow Mill"] == ("place", False)
    assert "Orrin Vale" in kinds


@pytest.mark.asyncio
async def test_opening_a_chat_again_finds_nothing_twice(tmp_path: Path) -> None:
    tavern = written(tmp_path)
    seen = []
    for _ in range(2):
        async with open_companion(
            own(tmp_path), tavern=tavern.user_folder, llm="builtin", watch=False, keeps_memory=True
        ) as companion:
            await companion.open_story(tavern.chat)
            await companion.finished(tavern.chat)
            view = companion.memory(tavern.chat)
            seen.append((view.memories, set(view.entities)))
    assert seen[0] == seen[1]


@pytest.mark.asyncio
async def test_a_model_reads_it_all_the_same_and_what_was_found_gives_way(tmp_path: Path) -> None:
    tavern = written(tmp_path)
    told = "[fact:2:sources=3:entity=Orrin Vale/character] Orrin Vale lied to the court."
    with FakeLlm(lambda request: told) as llm:
        async with open_companion(
            own(tmp_path), tavern=tavern.user_folder, watch=False, keeps_memory=True
        ) as companion:
            await companion.open_story(tavern.chat)
            await companion.finished(tavern.chat)
            assert not llm.requests
            assert companion.memory(tavern.chat).memories
            await companion.put_setting("scene_recaps_auto", False)
            await companion.put_setting("running_recap_auto", False)
            await companion.put_setting("backend", f"openai:m@{llm.url}")
            await companion.open_story(tavern.chat)
            await companion.finished(tavern.chat)
            view = companion.memory(tavern.chat)
        assert llm.requests
    active = [s.memory for s in view.memories if s.is_active]
    assert active
    assert BUILT_IN not in {memory.made_by for memory in active}
