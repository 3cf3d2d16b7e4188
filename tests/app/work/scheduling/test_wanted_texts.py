"""What SillyTavern's page is told when it asks for a longer text that cannot be written next."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from app.companion import Companion, open_companion
from app.core.model_use import CAPPED
from app.core.paths import user_folders
from app.llm.writers.meter import RequestUse
from app.views.text_offers import TextRequest
from app.work.scheduling.orders import PAUSED
from app.work.scheduling.text_requests import MEMORY
from app.work.scheduling.wanted_texts import IN_PARTS
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern


@pytest.fixture
def llm() -> Iterator[FakeLlm]:
    with FakeLlm(lambda _: "[]") as model:
        yield model


@pytest.fixture
async def companion(
    demo_tavern: WrittenTavern, tmp_path: Path, llm: FakeLlm
) -> AsyncIterator[Companion]:
    """Beside the demo's chat, which is open and at rest."""
    async with open_companion(
        user_folders(tmp_path / "own"),
        tavern=demo_tavern.user_folder.parent,
        llm=f"openai:{MODEL}@{llm.url}",
        keeps_memory=True,
        asks_first=True,
    ) as opened:
        await opened.open_story(demo_tavern.chat)
        await opened.settled(demo_tavern.chat)
        yield opened


async def test_the_page_hears_that_a_text_waits_for_midnight_or_for_work_to_go_on(
    demo_tavern: WrittenTavern, companion: Companion, llm: FakeLlm
) -> None:
    """It said "Tavernkeep writes it next", and nothing came that day."""
    texts = companion.wanted_texts
    companion.work.pause()
    assert await texts.ask(demo_tavern.chat, MEMORY, "en") == PAUSED
    await companion.put_setting("daily_cap", 1)
    await companion.use.took(RequestUse("memory_pass", "m", 10, 10))
    assert await texts.ask(demo_tavern.chat, MEMORY, "en") == CAPPED
    assert await texts.ask(demo_tavern.chat, MEMORY, "de") != CAPPED
    assert not llm.requests


async def test_the_page_hears_how_far_one_request_for_the_summary_gets(
    demo_tavern: WrittenTavern, companion: Companion
) -> None:
    """Of 3,025 messages 170 were summed up, "bring the summary up to date" had been said."""
    path, texts = demo_tavern.chat, companion.wanted_texts
    (offer,) = (one for one in companion.texts.offers(path) if one.request is TextRequest.SUMMARY)
    said = await texts.ask(path, TextRequest.SUMMARY.value, "en")
    assert offer.reaches is not None
    assert said == IN_PARTS.format(reaches=offer.reaches, last=offer.last)
