"""What was read is found by its words, whatever is asked and whoever wrote it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from app.commands import main
from app.core.tasks import TaskSupervisor
from app.memory.records import Ending, EndReason, Tier
from app.memory.similarity import Vectors
from app.store.search import match_of
from app.work.queries.searching import MOST_CHATS, MOST_HITS, Search
from tests.labelled import WrittenTavern
from tests.memory_world import World, opened


@pytest_asyncio.fixture
async def world(demo_tavern: WrittenTavern, tmp_path: Path) -> AsyncIterator[World]:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        yield world


def write_chat(path: Path, *texts: str) -> Path:
    header = {"user_name": "U", "character_name": "C", "chat_metadata": {"integrity": path.stem}}
    lines = [
        {"name": "C", "mes": text, "is_user": False, "send_date": f"2026-01-01T00:00:{n:02}.000Z"}
        for n, text in enumerate(texts)
    ]
    path.write_text("\n".join(json.dumps(line) for line in (header, *lines)), "utf-8")
    return path


async def found(world: World, query: str, **options: Any) -> list[str]:
    findings = await world.companion.search.find(query, **options)
    assert findings.is_complete
    return [hit.text for hit in findings.hits]


async def test_a_message_is_found_by_its_words_with_its_place(world: World) -> None:
    path = write_chat(
        world.tavern.chat.with_name("Words.jsonl"),
        "Nothing here.",
        "The cartographer burned Éloïse's maps at the quay.",
    )
    await world.open(path)
    findings = await world.companion.search.find("quay ELOISE cartograph")
    (hit,) = findings.hits
    assert (hit.chat, hit.index, hit.memory_id) == (path, 1, "")
    marked = [hit.snippet[begin:end] for begin, end in hit.marks]
    assert marked == ["cartographer", "Éloïse", "quay"]


async def test_a_find_is_shown_without_marks_of_emphasis(world: World) -> None:
    path = world.tavern.chat.with_name("Marks.jsonl")
    await world.open(write_chat(path, "*The **cartographer** burned the maps.*"))
    (hit,) = (await world.companion.search.find("cartographer")).hits
    assert hit.snippet == "The cartographer burned the maps."
    assert [hit.snippet[begin:end] for begin, end in hit.marks] == ["cartographer"]


async def test_a_memory_is_found_with_its_tier_and_its_first_message(world: World) -> None:
    over = (Ending(EndReason.RESOLVED),)
    await world.write(
        world.kept("The zanthor key opens nothing.", 7, 9),
        world.memory("Find the zanthor key.", 4, tier=Tier.ARCS, type="arc", endings=over),
    )
    findings = await world.companion.search.find("zanthor")
    by_tier = {hit.tier: hit for hit in findings.hits}
    assert by_tier["longterm"].index == 7
    assert by_tier["longterm"].is_current
    assert by_tier["arcs"].index == 4
    assert not by_tier["arcs"].is_current
    assert not (await world.companion.search.find("zanthor", memories=False)).hits


async def test_an_edited_a_deleted_and_a_forgotten_memory_are_found_as_they_are(
    world: World,
) -> None:
    await world.write(world.memory("zanthor one", 4), world.memory("zanthor two", 4))
    path, memories = world.tavern.chat, world.companion.memories
    assert set(await found(world, "zanthor")) == {"zanthor one", "zanthor two"}
    await memories.edit(path, "zanthor one", text="quibble")
    await memories.delete(path, ["zanthor two"])
    assert await found(world, "zanthor") == []
    assert await found(world, "quibble") == ["quibble"]
    await world.companion.edits.undo(path)
    await world.companion.edits.undo(path)
    assert set(await found(world, "zanthor")) == {"zanthor one", "zanthor two"}


async def test_an_edit_in_the_file_is_found_and_what_it_replaced_is_not(world: World) -> None:
    path = write_chat(world.tavern.chat.with_name("W.jsonl"), "The zanthor sings.", "Yes.")
    await world.open(path)
    assert await found(world, "zanthor") == ["The zanthor sings."]
    write_chat(path, "The quibble sings.", "Yes.")
    await world.open(path)
    assert await found(world, "zanthor") == []
    assert await found(world, "quibble") == ["The quibble sings."]


async def test_what_has_all_words_comes_before_what_has_some(world: World) -> None:
    path = write_chat(
        world.tavern.chat.with_name("W.jsonl"),
        "A zanthor, a zanthor, only a zanthor.",
        "The quibble and the zanthor met in a very long sentence with many other words in it.",
        "Neither.",
    )
    await world.open(path)
    texts = await found(world, "zanthor quibble")
    assert [text[:5] for text in texts] == ["The q", "A zan"]


async def test_where_nothing_has_all_words_what_has_more_of_them_comes_first(world: World) -> None:
    texts = [
        "A zanthor slept.",
        "The zanthor and the quibble.",
        "A quibble slept.",
        "A zanthor woke.",
    ]
    await world.open(write_chat(world.tavern.chat.with_name("Some.jsonl"), *texts))
    findings = await world.companion.search.find("zanthor quibble murfle")
    assert findings.hits[0].text == texts[1]
    scores = [hit.score for hit in findings.hits]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 2


async def test_a_branch_shows_a_message_once_and_says_where_else_it_is(world: World) -> None:
    await world.open(world.branch("branch", 20))
    story = world.companion.story(world.tavern.chat)
    assert story is not None
    word = max(story.messages[3].text.split(), key=len)
    findings = await world.companion.search.find(word)
    texts = [hit.text for hit in findings.hits if not hit.memory_id]
    assert len(texts) == len(set(texts))
    assert any(hit.elsewhere == 1 for hit in findings.hits)


async def test_a_message_that_the_open_chat_shows_is_said_to_be_there(world: World) -> None:
    await world.open(world.branch("branch", 20))
    story = world.companion.story(world.tavern.chat)
    assert story is not None
    word = max(story.messages[3].text.split(), key=len)
    for here in (world.tavern.chat, world.tavern.chat.with_name("branch.jsonl")):
        findings = await world.companion.search.find(word, here=here)
        both = [hit for hit in findings.hits if hit.elsewhere and not hit.memory_id]
        assert both
        assert {hit.chat for hit in both} == {here}


async def test_scripts_without_spaces_are_found_inside_of_sentences(world: World) -> None:
    path = write_chat(world.tavern.chat.with_name("W.jsonl"), "彼女は古い灯台の鍵を隠した。")
    await world.open(path)
    assert await found(world, "灯台") == ["彼女は古い灯台の鍵を隠した。"]
    assert await found(world, "台灯") == []
    (hit,) = (await world.companion.search.find("灯台")).hits
    assert "\u200b" not in hit.snippet


HOSTILE = (
    *('"', '""', "NEAR", "NEAR(a b)", "*", "a*", "zanthor AND", "NOT zanthor", "text:zanthor"),
    *("^zanthor", "(", ")", "{a b}: c", "-zanthor", "a + b", "zanthor'; DROP TABLE memory;--"),
    *("\0", "zan\0thor", "\ud800", "\u200b", "\ue000zanthor\ue001", "%", "_", "🗝️", "OR OR OR"),
)


@pytest.mark.parametrize("query", HOSTILE)
async def test_a_query_is_plain_words_whatever_it_holds(query: str, world: World) -> None:
    await world.open(write_chat(world.tavern.chat.with_name("W.jsonl"), "The zanthor sings."))
    findings = await world.companion.search.find(query)
    if "zanthor" in query:
        assert [h.text for h in findings.hits if h.chat.stem == "W"] == ["The zanthor sings."]


async def test_a_megabyte_of_query_is_answered_at_once(world: World) -> None:
    await world.open(write_chat(world.tavern.chat.with_name("W.jsonl"), "The zanthor sings."))
    begun = time.monotonic()
    findings = await world.companion.search.find("zanthor " + "x y z " * 170_000)
    assert time.monotonic() - begun < 3.0
    assert "The zanthor sings." in [hit.text for hit in findings.hits]


async def test_a_query_can_name_who_wrote_it_or_is_in_it(world: World) -> None:
    path = world.tavern.chat.with_name("Two.jsonl")
    write_chat(path, "The ferryman sleeps.", "The ferryman wakes.")
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines[1]["name"] = "Old Mara"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    await world.open(path)
    assert await found(world, "ferryman who:mara") == ["The ferryman sleeps."]
    assert await found(world, 'ferryman who:"old mara"') == ["The ferryman sleeps."]
    assert await found(world, "ferryman who:nobody") == []
    assert len(await found(world, "ferryman")) == 2
    await world.open()
    await world.write(world.memory("The ferryman owes a coin.", 4, entities=("Mara",)))
    owing = "The ferryman owes a coin."
    assert await found(world, "ferryman owes who:mara", messages=False) == [owing]
    assert await found(world, "ferryman owes who:dov", messages=False) == []


async def test_a_query_can_quote_leave_out_and_name_chat_and_tier(world: World) -> None:
    here = write_chat(
        world.tavern.chat.with_name("Here.jsonl"), "The zanthor quibble.", "A quibble, a zanthor."
    )
    there = write_chat(world.tavern.chat.with_name("Östlich.jsonl"), "A zanthor there.")
    for path in (here, there):
        await world.open(path)
    await world.write(world.kept("A zanthor memory.", 7))
    assert await found(world, '"zanthor quibble"') == ["The zanthor quibble."]
    assert set(await found(world, "zanthor -quibble")) == {"A zanthor there.", "A zanthor memory."}
    assert await found(world, "zanthor in:östlich") == ["A zanthor there."]
    assert await found(world, "zanthor in:here", here=there) == ["A zanthor there."]
    assert await found(world, "zanthor in:nowhere") == []
    assert await found(world, "zanthor tier:long-term") == ["A zanthor memory."]
    assert "A zanthor memory." not in await found(world, "zanthor tier:messages")


@given(query=st.text(max_size=60))
def test_words_are_always_quoted(query: str) -> None:
    match = match_of(query)
    assert match.count('"') % 2 == 0
    outside = "".join(match.split('"')[::2])
    assert set(outside) <= set(" AND*")


async def test_meaning_puts_what_was_meant_further_up(world: World) -> None:
    path = write_chat(
        world.tavern.chat.with_name("W.jsonl"),
        "zanthor zanthor zanthor",
        "The zanthor is what opens the door, said the old keeper of the tower that night.",
    )
    await world.open(path)

    async def vectors(texts: Sequence[str]) -> Vectors:
        return Vectors.of(
            {t: np.array([1.0, 0.0 if "door" in t or t == "zanthor" else 9.0], np.float32)
             for t in texts}
        )  # fmt: skip

    tasks = TaskSupervisor()
    search = Search(world.companion._store, world.companion._chats, tasks, vectors)
    by_words = [hit.text[:3] for hit in (await search.find("zanthor", by_meaning=False)).hits]
    by_meaning = [hit.text[:3] for hit in (await search.find("zanthor")).hits]
    await tasks.aclose()
    assert by_words == ["zan", "The"]
    assert by_meaning == ["The", "zan"]


def test_the_command_finds_what_an_earlier_command_read(
    demo_tavern: WrittenTavern, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    data = ["--data-dir", str(tmp_path / "own data"), "--tavern", str(demo_tavern.user_folder)]
    path = write_chat(demo_tavern.chat.with_name("W.jsonl"), "The zanthor sings.", "Yes.")
    hidden = write_chat(demo_tavern.chat.with_name("Unopened.jsonl"), "No.", "A zanthor too.")
    before = hidden.read_bytes()
    assert main(["scenes", str(path), *data[:2]]) == 0
    capfdbinary.readouterr()
    assert main(["search", "zanthor", "--json", *data]) == 0
    hits = json.loads(capfdbinary.readouterr().out)["hits"]
    assert [(hit["chat"], hit["message"]) for hit in hits] == [(str(path), 0)]
    assert main(["search", "zanthor", "--all", "--json", *data]) == 0
    hits = json.loads(capfdbinary.readouterr().out)["hits"]
    assert {(hit["chat"], hit["message"]) for hit in hits} == {(str(path), 0), (str(hidden), 1)}
    assert hidden.read_bytes() == before
    assert main(["search", "no such word at all xyzzy", *data]) == 0
    assert main(["search", " ", *data]) == 2
    assert main(["search", "a", "--limit", "0", *data]) == 2


# --- who wrote it


def write_talk(path: Path, *said: tuple[str, str]) -> Path:
    """A chat of (name, text)."""
    write_chat(path, *(text for _, text in said))
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for line, (name, _) in zip(lines[1:], said, strict=True):
        line["name"] = name
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


async def talks(world: World, count: int) -> list[Path]:
    """Chats in which Mara and Dov say the same kind of thing, indexed and closed again."""
    folder = world.tavern.chat.parent
    paths = [
        write_talk(
            folder / f"Talk {n}.jsonl", ("Mara", f"Zanthor {n}."), ("Dov", f"A zanthor {n}.")
        )
        for n in range(count)
    ]
    assert await world.companion.search.index_all(paths, lambda _done: None) == 0
    return paths


async def forget_who(world: World) -> None:
    """The database as it was before it was noted who wrote what."""
    database = world.store.speakers._database
    await world.store.run(lambda: database.execute("DELETE FROM message_speaker"))


async def is_noted(world: World, paths: Sequence[Path]) -> bool:
    def unit() -> bool:
        numbers = [number for number, path in world.store.speakers.chats() if Path(path) in paths]
        return not any(map(world.store.speakers.is_lacking, numbers))

    return await world.store.run(unit)


async def test_who_said_it_is_known_of_more_chats_than_are_read_for_it(world: World) -> None:
    paths = await talks(world, MOST_CHATS + 2)
    for path in paths:  # what is known is not read again
        path.unlink()
    hits = await found(world, "zanthor who:mara", limit=MOST_HITS)
    assert sorted(hits) == sorted(f"Zanthor {n}." for n in range(len(paths)))


async def test_the_same_words_are_found_where_the_one_asked_for_said_them(world: World) -> None:
    folder = world.tavern.chat.parent
    for name, who in (("One", "Mara"), ("Two", "Dov")):
        await world.open(write_talk(folder / f"{name}.jsonl", (who, "The zanthor sleeps.")))
    for who, name in (("mara", "One"), ("dov", "Two")):
        (hit,) = (await world.companion.search.find(f"zanthor who:{who}")).hits
        assert (hit.chat.stem, hit.elsewhere) == (name, 0)


async def test_a_character_renamed_in_the_file_is_found_by_the_new_name(world: World) -> None:
    path = write_talk(world.tavern.chat.with_name("Named.jsonl"), ("Mara", "The zanthor sleeps."))
    await world.open(path)
    write_talk(path, ("Marigold", "The zanthor sleeps."))
    await world.open(path)
    assert await found(world, "zanthor who:marigold") == ["The zanthor sleeps."]


async def test_what_was_indexed_before_is_noted_behind_a_search_and_a_stop_loses_nothing(
    demo_tavern: WrittenTavern, tmp_path: Path
) -> None:
    async with opened(demo_tavern, tmp_path / "own data") as world:
        paths = await talks(world, MOST_CHATS + 2)
        await forget_who(world)
        first = await world.companion.search.find("zanthor who:mara", limit=MOST_HITS)
        assert (len(first.hits), first.is_complete) == (MOST_CHATS, False)
        assert not any(hit.is_doubtful for hit in first.hits)
    # Closing has cut it off wherever it was.
    async with opened(demo_tavern, tmp_path / "own data") as world:
        await world.companion.search.find("zanthor who:mara")
        async with asyncio.timeout(60):
            while not await is_noted(world, paths):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        assert len(await found(world, "zanthor who:dov", limit=MOST_HITS)) == len(paths)
