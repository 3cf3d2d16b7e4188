"""Breaks that cues give leave alone what stands in the store already."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from app.languages import load_packs
from app.settings.values import Settings
from app.store.store import Store
from app.story.messages import Message, digest
from app.story.scenes import BreakOrigin, SceneBreak
from app.work.chats.found_breaks import CueBreaks
from tests.app.prompt.remembered import story

TEXTS = (
    "*The valve hisses.* “Hand me that wrench, will you?”",
    "“Which one?” *Ben holds up two.* “They both look broken.”",
    "*Ada takes the smaller.* “They are both broken. Hold the lamp.”",
    "“Holding.” *It flickers.* “Should it drip like that?”",
)
NEXT_DAY = "*The next morning finds the harbour under ice. Gulls walk about on it like landlords.*"


async def test_a_break_that_undo_hid_again_during_the_search_stays_hidden(tmp_path: Path) -> None:
    """All was cleared and brought back while it was searched anew: a hundred scenes were cut in
    two where a model had seen none, and their recaps were asked for.
    """
    texts = [text for _ in range(6) for text in (*TEXTS, NEXT_DAY)]
    told = tuple(
        Message(f"m{n}", digest(f"{text} {n}"), "Ada", f"{text} {n}", n % 2 == 0)
        for n, text in enumerate(texts)
    )
    of = replace(story(), messages=told)
    store = Store(tmp_path / "store.sqlite3")
    await store.open()
    try:
        chat = await store.run(lambda: store.chats.id_of("chat.jsonl"))
        search, settings = CueBreaks(store, load_packs()), Settings().for_all()
        found = await search.far(of, settings)
        assert found
        hidden = {
            told[one.last].anchor: SceneBreak(
                told[one.last].anchor, BreakOrigin.HEURISTIC, is_visible=False
            )
            for one in found
        }
        await store.run(lambda: store.scenes.save(chat, hidden.values()))
        await search.keep(chat, found, told, of)
        await CueBreaks(store, load_packs()).with_new(chat, of, {}, settings)
        kept = await store.run(lambda: store.scenes.breaks(chat))
        assert kept == hidden
    finally:
        await store.aclose()
