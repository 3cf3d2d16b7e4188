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
from app.work.scheduling.wanted_texts import ADDS_NOTHING, ALL_READ, IN_PARTS
from tests.chat_files import message
from tests.fakes import MODEL, FakeLlm
from tests.labelled import WrittenTavern
from tests.scripted_memory import Script, gated, new_in, playing


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


async def test_the_page_hears_what_comes_of_reading_and_what_failed_is_tried_again(
    tmp_path: Path,
) -> None:
    """After a failed reading /tk-memory did nothing, and said nothing."""
    script = Script()
    async with playing(tmp_path, script, memory_every=10) as play:
        texts = play.companion.wanted_texts
        play.llm.reply = lambda _: "A tale of its own, and no line of it fits what was asked for."
        await play.add(*(f"{n} lamps burn in the hall." for n in range(4)))
        said = await texts.ask(play.path, MEMORY, "en")
        assert said.startswith("This story ")
        await play.companion.settled(play.path)
        play.llm.reply = script.reply
        count = len(play.readings)
        said = await texts.ask(play.path, MEMORY, "en")
        assert said == "This story will be read when its turn comes: Memories from #0 to #3."
        await play.companion.settled(play.path)
        assert [len(new_in(request)) for request in play.readings[count:]] == [4]
        assert await texts.ask(play.path, MEMORY, "en") == ALL_READ
        assert await texts.ask(play.path, MEMORY, "de") != ALL_READ
        gate = gated(play.llm, script, "9 lamps")
        play.messages.append(message(4, "9 lamps burn in the hall."))
        await play.show()
        await texts.ask(play.path, MEMORY, "en")
        await gate.reached()
        (running,) = (op for op in play.companion.work.operations if op.status == "running")
        await play.companion.work.cancel(running.id)
        gate.opened.set()
        await play.companion.settled(play.path)
        await texts.ask(play.path, MEMORY, "en")
        await play.companion.settled(play.path)
        assert await texts.ask(play.path, MEMORY, "en") == ALL_READ
        assert [len(new_in(request)) for request in play.readings[count:]] == [4, 1, 1]
        await play.companion.memories.pause(play.path)
        assert await texts.ask(play.path, MEMORY, "en") == ADDS_NOTHING
