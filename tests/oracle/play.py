"""Plays a labelled story message by message through the program, with the oracle as its model."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from app.companion import open_companion
from app.core.paths import Folders
from app.views.memory_view import MemoryView
from tests.fakes import FakeLlm, RecordedRequest
from tests.labelled import write_tavern
from tests.oracle.gold import Gold
from tests.oracle.score import Score, compare
from tests.oracle.server import Oracle

TIERS = ("epistemic", "state_ledger", "arcs")


@dataclass(frozen=True, slots=True)
class Played:
    """How a story went. scores: by tier. requests: all that the model was asked."""

    scores: dict[str, Score]
    requests: tuple[RecordedRequest, ...]
    last: MemoryView


async def play(
    gold: Gold,
    *,
    sloppiness: float = 0.0,
    seed: int = 7,
    model: str = "openai",
    recaps: bool = False,
    step: int = 1,
    settings: dict[str, object] | None = None,
    is_talkative: bool = False,
    context: int = 0,
) -> Played:
    """Write the story message by message, let the program follow, and compare at each label.

    model: kind of the backend's spec, "ollama" for profile A. recaps: write those too. step:
    messages that come between two looks of the program. is_talkative: of the oracle. context:
    tokens that the model says it takes, 0 for one that does not say.
    """
    oracle = Oracle(gold, sloppiness=sloppiness, seed=seed, is_talkative=is_talkative)
    with tempfile.TemporaryDirectory() as folder, FakeLlm(oracle.reply) as llm:
        written = write_tavern(gold.story, Path(folder) / "data" / "default-user")
        llm.context, llm.other_models = context, ("oracle",)
        (written.user_folder / "chats").mkdir(exist_ok=True)  # a group's folder has none yet
        lines = written.chat.read_bytes().split(b"\n")
        home = Path(folder) / "own"
        home.mkdir()
        folders = Folders(home, home / "logs")
        url = llm.url if model == "openai" else llm.url.removesuffix("/v1")
        async with open_companion(
            folders,
            tavern=written.user_folder,
            llm=f"{model}:oracle@{url}",
            watch=False,
            keeps_memory=True,
            reads_to_the_end=False,
        ) as companion:
            wanted = {"memory_auto": True, **(settings or {})}
            if not recaps:
                wanted |= {"scene_recaps_auto": False, "running_recap_auto": False}
            for name, value in wanted.items():
                await companion.put_setting(name, value)
            for count in range(2, len(lines), step):
                written.chat.write_bytes(b"\n".join(lines[:count]))
                await companion.open_story(written.chat)
                await companion.settled(written.chat)
            written.chat.write_bytes(b"\n".join(lines))
            await companion.open_story(written.chat)
            await companion.remembered.read_now(written.chat)
            story, failures = await companion.finished(written.chat)
            assert not failures, failures
            assert len(story.messages) == len(gold.messages)
            scores = {tier: Score() for tier in TIERS}
            for place in gold.places:
                compare(scores, gold, companion.memory(written.chat, at=place))
            return Played(scores, tuple(llm.requests), companion.memory(written.chat))
