"""The lantern story before a program that asks first, with a model that answers from its labels."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from app.companion import Companion, open_companion
from app.core.paths import Folders
from tests.fakes import FakeLlm, RecordedRequest
from tests.labelled import write_tavern
from tests.oracle.gold import Gold
from tests.oracle.server import Oracle

STORY = Path(__file__).parents[1] / "data" / "stories" / "lantern-district.json"
Reply = Callable[[RecordedRequest], str]


def cut_to(chat: Path, lines: int) -> list[bytes]:
    """Leave so many lines of a chat's file; all that there were."""
    whole = chat.read_bytes().splitlines(keepends=True)
    chat.write_bytes(b"".join(whole[:lines]))
    return whole


@asynccontextmanager
async def asking_first(
    folder: Path,
    *,
    answer: Callable[[Reply], Reply] = lambda reply: reply,
    model: str = "m",
) -> AsyncIterator[tuple[Companion, Path, FakeLlm]]:
    """A companion, the chat, which is not open yet, and the server.

    answer: makes another reply of that from the labels. In the same folder it is the next run.
    """
    gold = Gold.read(STORY)
    written = write_tavern(gold.story, folder / "data" / "default-user")
    (folder / "own").mkdir(exist_ok=True)
    with FakeLlm(answer(Oracle(gold).reply)) as llm:
        async with open_companion(
            Folders(folder / "own", folder / "own"),
            tavern=written.user_folder,
            llm=f"openai:{model}@{llm.url}",
            watch=False,
            asks_first=True,
            keeps_memory=True,
        ) as companion:
            yield companion, written.chat, llm
