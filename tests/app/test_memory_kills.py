"""A program killed at any moment of its reading remembers in the end what it would have."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sqlite3
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from app.companion import open_companion
from app.core.paths import Folders
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.killing import ANSWER_SECONDS, kill_sometime, start, undisturbed
from tests.labelled import WrittenTavern
from tests.oracle.gold import Gold
from tests.oracle.server import Oracle

STORY = Path(__file__).parents[1] / "data" / "stories" / "lantern-district.json"
IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"
KILLS = 200 if IS_LONG else 40
TIMES = "(SELECT json_remove(body, '$.created'))"


def prepared(folder: Path) -> Path:
    """A data folder in which each tier is asked for by itself: a run of many requests."""
    folder.mkdir()

    async def prepare() -> None:
        async with open_companion(Folders(folder, folder), watch=False) as companion:
            await companion.put_setting("memory_requests", "separate")
            await companion.put_setting("scene_detector", "heuristic")

    asyncio.run(prepare())
    return folder


def finished(chat: Path, data: Path, model: FakeLlm) -> dict[str, Any]:
    """What a run prints that nobody disturbs."""
    out = undisturbed(start("memory", chat, data, f"openai:{MODEL}@{model.url}"))
    told: dict[str, Any] = json.loads(out)
    return told


def stored(data: Path) -> list[tuple[Any, ...]]:
    """Every memory, entity and text in the database, without the times at which it was made."""
    columns = {
        "memory": f"memory_id, character, tier, type, text, {TIMES}, endings, review, confidence",
        "entity": "entity_id, character, name, type, aliases, first_seen, last_seen, is_deleted",
        "document": "kind, subject, character, text, sections, until",
        "extracted": "task, anchor, content_hash, ''",
    }
    database = sqlite3.connect(data / "tavernkeep.sqlite3")
    try:
        return [
            (table, *row)
            for table, names in columns.items()
            for row in database.execute(f"SELECT {names} FROM {table} ORDER BY 1, 2, 3")
        ]
    finally:
        database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.timeout(1500 if IS_LONG else 300)
def test_memory_that_was_killed_again_and_again_is_what_it_would_have_been(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    chat, rng = demo_tavern.chat, random.Random(20261122)
    oracle = Oracle(Gold.read(STORY), is_talkative=True)

    def answer(request: RecordedRequest) -> str:
        time.sleep(ANSWER_SECONDS)
        return oracle.reply(request)

    with FakeLlm(answer) as model:
        calm = prepared(tmp_path / "undisturbed")
        wanted = finished(chat, calm, model)
        prompts = Counter(request.text for request in model.requests)
        assert set(prompts.values()) == {1}
        total = kills = 0
        number = 0
        while kills < KILLS:
            number += 1
            data = prepared(tmp_path / f"killed-{number}")
            model.requests.clear()
            here = 0
            while kills < KILLS:
                program = start("memory", chat, data, f"openai:{MODEL}@{model.url}")
                if not kill_sometime(program, model, rng):
                    break
                here, kills = here + 1, kills + 1
            assert finished(chat, data, model) == wanted
            assert stored(data) == stored(calm)
            asked = Counter(request.text for request in model.requests)
            assert set(asked) == set(prompts)
            # Only what was under way when it died is asked for once more.
            assert asked.total() <= len(prompts) + here
            total += here
        assert total == kills
