"""Recaps in the store: a record for each text of a message, versions as others stored them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import pytest

from app.core.errors import OperationOutdated
from app.store.store import Store
from app.store.stories.chats import RETIRED
from app.story.anchors import KnownMessage
from app.story.break_search import Searched
from app.story.doubtful_breaks import ASKED
from app.story.messages import MessageRecap
from app.story.recaps import FOREIGN, YOU, RunningRecap, RunningVersion, SceneRecap


def known(content_hash: str, anchor: str = "a") -> KnownMessage:
    return KnownMessage(anchor, "identity", "weak", content_hash)


async def recap_of(store: Store, chat_id: int, content_hash: str) -> MessageRecap | None:
    def unit() -> MessageRecap | None:
        store.chats.save_known(chat_id, [(0, known(content_hash))])
        return store.recaps.message_recaps(chat_id).get("a")

    return await store.run(unit)


async def test_a_swipe_back_finds_its_own_recap_and_marks(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    first = MessageRecap("one", is_excluded=True, source_hash="1")
    second = MessageRecap("two", is_edited=True, source_hash="2")
    for recap in (first, second):
        await store.run(partial(store.recaps.save_message_recaps, chat_id, {"a": recap}))
    assert await recap_of(store, chat_id, "1") == first
    assert await recap_of(store, chat_id, "2") == second
    # A text without a record of its own shows the newest one, which is stale by its hash.
    assert await recap_of(store, chat_id, "3") == second


async def test_a_record_written_again_is_replaced_and_no_other(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))

    def save(text: str, source: str) -> None:
        recap = MessageRecap(text, source_hash=source)
        store.recaps.save_message_recaps(chat_id, {"a": recap})

    for text, source in (("one", "1"), ("two", "2"), ("one again", "1")):
        await store.run(partial(save, text, source))
    assert await recap_of(store, chat_id, "1") == MessageRecap("one again", source_hash="1")
    assert await recap_of(store, chat_id, "2") == MessageRecap("two", source_hash="2")


async def test_a_branch_takes_the_records_of_all_swipes_along(store: Store) -> None:
    source = await store.run(lambda: store.chats.id_of("source"))
    branch = await store.run(lambda: store.chats.id_of("branch"))

    def unit() -> None:
        gone = (RETIRED, known("x", "gone"))
        store.chats.save_known(source, [(0, known("1")), gone])
        for text in "12":
            recap = MessageRecap(text, source_hash=text)
            store.recaps.save_message_recaps(source, {"a": recap, "gone": recap})
        store.chats.copy_knowledge(source, branch, before=1)

    await store.run(unit)
    assert await recap_of(store, branch, "2") == MessageRecap("2", source_hash="2")
    assert set(await store.run(lambda: store.recaps.message_recaps(branch))) == {"a"}


async def test_a_branch_knows_what_was_asked_about_though_it_ends_within(store: Store) -> None:
    source = await store.run(lambda: store.chats.id_of("source"))
    branch = await store.run(lambda: store.chats.id_of("branch"))
    stretch = Searched("a", "b", "a", "c", "digest", f"{ASKED}:model")
    other = replace(stretch, last="c", by="model")  # of which all that was shown counts

    def unit() -> None:
        store.chats.save_known(source, [(0, known("1")), (1, known("2", "b"))])
        store.scenes.add_searched(source, stretch)
        store.scenes.add_searched(source, other)
        store.chats.copy_knowledge(source, branch, before=1)

    await store.run(unit)
    assert list(await store.run(lambda: store.scenes.searched(branch))) == [stretch]


@pytest.mark.parametrize("chosen", [None, 0, 1])
async def test_a_branch_has_the_running_recap_that_is_chosen(
    store: Store, chosen: int | None
) -> None:
    """A story that was restored from a copy began with what an undone rebuild had left: of 278
    scenes it told nine.
    """
    source = await store.run(lambda: store.chats.id_of("source"))
    branch = await store.run(lambda: store.chats.id_of("branch"))
    recaps = store.recaps

    def unit() -> None:
        store.chats.save_known(source, [(0, known("1", "a")), (1, known("2", "b"))])
        for end in ("a", "a", "a", "b"):
            version = RunningVersion(0, "text", 1, "", end, "built-in", 1.0)
            recaps.add_running_version(source, version)
        recaps.retire_running(source, [2])
        if chosen is not None:
            recaps.choose_running(source, chosen)
        store.chats.copy_knowledge(source, branch, before=1)

    await store.run(unit)
    running = await store.run(lambda: recaps.running(branch))
    assert [version.version for version in running.versions] == [0, 1, 2]
    # Where the chosen one tells what the branch has not: the last that counts.
    assert running.current_version == (1 if chosen is None else chosen)


async def branched(store: Store, make: Callable[[int], None]) -> list[RunningRecap]:
    """The running recap of a chat, and of its branches behind its first messages."""
    source = await store.run(lambda: store.chats.id_of("source"))

    def unit() -> list[RunningRecap]:
        messages = list(enumerate(KnownMessage(a, a, a, a) for a in "abc"))
        store.chats.save_known(source, messages)
        make(source)
        found = [store.recaps.running(source)]
        for length in (1, 2, 3):
            branch = store.chats.id_of(f"branch {length}")
            store.chats.copy_knowledge(source, branch, before=length)
            found.append(store.recaps.running(branch))
        return found

    return await store.run(unit)


def texts_in_prompt(recaps: list[RunningRecap]) -> list[str | None]:
    return [recap.current.content if recap.current else None for recap in recaps]


async def test_a_branch_made_during_a_rebuild_has_in_its_prompt_what_its_chat_has(
    store: Store,
) -> None:
    """What is built anew goes there once it reaches as far."""

    def make(chat: int) -> None:
        recaps = store.recaps
        for text, anchor in (("one", "a"), ("two", "b"), ("three", "c")):
            version = RunningVersion(0, text, 1, "", anchor, "model", 1.0)
            recaps.add_running_version(chat, version)
        recaps.retire_running(chat, [0, 1, 2])
        anew = RunningVersion(0, "anew", 1, "", "a", "model", 1.0)
        recaps.add_running_version(chat, anew, choose=False)

    assert texts_in_prompt(await branched(store, make)) == ["three", "one", "two", "three"]


async def test_a_branch_tells_nothing_that_its_chat_does_not_tell(store: Store) -> None:
    """What was written for another chat is told only where the user chose it."""

    def make(chat: int) -> None:
        foreign = RunningVersion(0, "of others", 1, "", "a", "ST-Auto-Recap", 1.0, FOREIGN)
        store.recaps.import_running(chat, [foreign], None)

    assert texts_in_prompt(await branched(store, make)) == [None, None, None, None]


async def test_a_branch_keeps_a_running_recap_by_hand_that_covers_no_scene(store: Store) -> None:
    def make(chat: int) -> None:
        by_hand = RunningVersion(0, "by hand", 0, "", "", YOU, 1.0, "edit")
        store.recaps.add_running_version(chat, by_hand)

    assert texts_in_prompt(await branched(store, make)) == ["by hand"] * 4


async def test_a_version_keeps_the_form_it_was_found_in(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    stored = '{"stage3": {"rc":"They met."}}'
    recap = SceneRecap("a", 0, "", "They met.", "", "other", 1.0, stored=stored)
    await store.run(lambda: store.recaps.add_scene_recap(chat_id, recap))
    (read,) = (await store.run(lambda: store.recaps.scene_recaps(chat_id)))["a"]
    assert read == recap


@pytest.mark.weakness(7, 57)
async def test_versions_are_numbered_max_and_one_and_the_highest_left_takes_over(
    store: Store,
) -> None:
    """The golden numbers: 0, 1, 2; without 1 the next is 3; without the current 2 it is 1."""
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    recaps, made = store.recaps, RunningVersion(0, "text", 1, "", "a", "built-in", 1.0)

    async def add() -> int:
        return (await store.run(lambda: recaps.add_running_version(chat_id, made))).version

    async def current_without(*numbers: int) -> int | None:
        await store.run(lambda: recaps.delete_running(chat_id, numbers))
        return (await store.run(lambda: recaps.running(chat_id))).current_version

    assert [await add() for _ in range(3)] == [0, 1, 2]
    assert await current_without(1) == 2
    assert await add() == 3
    assert await current_without(3) == 2
    await store.run(lambda: recaps.restore_running(chat_id, 1))
    assert await current_without(2) == 1
    assert await current_without(0, 1) is None
    assert await add() == 4  # a number is never given again


@pytest.mark.weakness(8)
async def test_a_chosen_version_that_is_not_there_gives_way_to_the_newest(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    versions = [RunningVersion(n, "text", 1, "", "a", "ST-Auto-Recap", 1.0) for n in (1, 2)]
    await store.run(lambda: store.recaps.import_running(chat_id, versions, 0))
    assert (await store.run(lambda: store.recaps.running(chat_id))).current_version == 2


async def test_what_is_written_in_bulk_for_a_chat_that_is_gone_is_outdated(store: Store) -> None:
    recaps = {"a": MessageRecap("one", source_hash="1")}
    with pytest.raises(OperationOutdated):
        await store.run(lambda: store.recaps.save_message_recaps(99, recaps))


async def test_imported_versions_are_numbered_on_and_the_current_one_is_chosen(
    store: Store,
) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))

    def recap(anchor: str, text: str, *, is_current: bool) -> SceneRecap:
        return SceneRecap(anchor, 7, "", text, "", "imported", 1.0, is_current=is_current)

    def unit() -> dict[str, tuple[SceneRecap, ...]]:
        store.recaps.add_scene_recap(chat_id, recap("a", "ours", is_current=True))
        imported = [
            recap("a", "one", is_current=True),
            recap("a", "two", is_current=False),
            recap("b", "only", is_current=False),
        ]
        store.recaps.import_scene_recaps(chat_id, imported)
        return store.recaps.scene_recaps(chat_id)

    found = await store.run(unit)
    assert [(r.version, r.text, r.is_current) for r in found["a"]] == [
        (0, "ours", False),
        (1, "one", True),
        (2, "two", False),
    ]
    assert [(r.version, r.is_current) for r in found["b"]] == [(0, True)]
