"""Undo takes back exactly what an action did, by name, also after a restart."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from app.core.errors import UsageError
from app.store.store import Store
from app.story.messages import MessageRecap
from app.story.recaps import RunningVersion
from app.story.scenes import BreakOrigin, SceneBreak
from app.views.journal import AT_FIRST


def version(content: str) -> RunningVersion:
    return RunningVersion(0, content, 1, "", "anchor", "built-in", 1.0)


async def state_of(store: Store, chat_id: int) -> Any:
    return await store.run(
        lambda: (
            store.scenes.breaks(chat_id),
            store.recaps.scene_recaps(chat_id),
            store.recaps.running(chat_id),
            store.recaps.message_recaps(chat_id),
        )
    )


async def test_undo_and_redo_by_name_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    store = Store(path)
    await store.open()
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    empty = await state_of(store, chat_id)
    mark = SceneBreak("a", BreakOrigin.HAND, "hand", name='It\'s the "quay"; DROP TABLE chat')
    await store.run_undoable(chat_id, "scene break", lambda: store.scenes.save(chat_id, [mark]))
    marked = await state_of(store, chat_id)
    await store.aclose()

    store = Store(path)
    await store.open()
    assert await store.run(lambda: store.undo.label(chat_id)) == "scene break"
    assert await store.run(lambda: store.undo.undo(chat_id)) == "scene break"
    assert await state_of(store, chat_id) == empty
    assert await store.run(lambda: store.undo.redo(chat_id)) == "scene break"
    assert await state_of(store, chat_id) == marked
    assert await store.run(lambda: store.undo.redo(chat_id)) == ""
    await store.aclose()


async def test_undo_keeps_what_the_pipeline_did_meanwhile(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    mark = SceneBreak("a", BreakOrigin.HEURISTIC, "time", 0.5, "Old name")
    await store.run(lambda: store.scenes.save(chat_id, [mark]))
    renamed = SceneBreak("a", BreakOrigin.HEURISTIC, "time", 0.5, "New name")
    await store.run_undoable(chat_id, "scene name", lambda: store.scenes.save(chat_id, [renamed]))
    surer = SceneBreak("a", BreakOrigin.HEURISTIC, "time", 0.9, "New name")
    await store.run(lambda: store.scenes.save(chat_id, [surer]))
    await store.run(lambda: store.recaps.add_running_version(chat_id, version("folded")))
    await store.run(lambda: store.undo.undo(chat_id))
    breaks, _, running, _ = await state_of(store, chat_id)
    assert breaks["a"] == SceneBreak("a", BreakOrigin.HEURISTIC, "time", 0.9, "Old name")
    assert running.current is not None


async def test_what_comes_bit_by_bit_is_one_action_until_something_else_is_done(
    store: Store,
) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))

    async def part(anchor: str, label: str = "recaps", when: float = 5.0) -> None:
        recap = {anchor: MessageRecap(text=f"of {anchor}")}
        save = store.recaps.save_message_recaps
        await store.run(
            lambda: store.undo.record_part(chat_id, label, when, lambda: save(chat_id, recap))
        )

    async def texts() -> set[str]:
        return set((await state_of(store, chat_id))[3])

    for anchor in "ab":
        await part(anchor)
    await store.run(lambda: store.undo.record_part(chat_id, "nothing", 6.0, lambda: None))
    await part("c", when=7.0)
    await part("d", label="others")
    await part("e")
    entries = await store.run(lambda: store.undo.entries(chat_id))
    assert [(e.label, e.when) for e in entries] == [
        ("recaps", 5.0),
        ("others", 5.0),
        ("recaps", 7.0),
        ("recaps", 5.0),
    ]
    for left in ("abcd", "abc", "ab", ""):
        await store.run(lambda: store.undo.undo(chat_id))
        assert await texts() == set(left)
    await store.run(lambda: store.undo.redo(chat_id))
    assert await texts() == set("ab")
    await part("f")
    assert await store.run(lambda: store.undo.redo(chat_id)) == ""
    assert await texts() == set("abf")


async def test_a_new_action_ends_what_could_be_done_again(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    for number in (1, 2):
        recap = {"a": MessageRecap(text=str(number))}
        await store.run_undoable(
            chat_id, f"edit {number}", partial(store.recaps.save_message_recaps, chat_id, recap)
        )
    await store.run(lambda: store.undo.undo(chat_id))
    await store.run_undoable(
        chat_id, "other", lambda: store.recaps.save_message_recaps(chat_id, {"b": MessageRecap()})
    )
    assert await store.run(lambda: store.undo.redo(chat_id)) == ""
    assert await store.run(lambda: store.undo.label(chat_id)) == "other"


async def test_chats_have_journals_of_their_own(store: Store) -> None:
    one = await store.run(lambda: store.chats.id_of("one"))
    two = await store.run(lambda: store.chats.id_of("two"))
    mark = SceneBreak("a", BreakOrigin.HAND)
    await store.run_undoable(one, "break", lambda: store.scenes.save(one, [mark]))
    assert await store.run(lambda: store.undo.undo(two)) == ""
    assert await store.run(lambda: store.undo.undo(one)) == "break"


_numbers = count()
_anchor = st.sampled_from("abc")
_text = st.text(max_size=20)
_action = st.one_of(
    st.tuples(st.just("break"), _anchor, _text, st.booleans()),
    st.tuples(st.just("message"), _anchor, _text, st.booleans()),
    st.tuples(st.just("running"), _text),
    st.tuples(st.just("choose"), st.integers(0, 3)),
)


def perform(store: Store, chat_id: int, action: Any) -> None:
    match action:
        case ("break", anchor, name, visible):
            store.scenes.save(
                chat_id, [SceneBreak(anchor, BreakOrigin.HAND, name=name, is_visible=visible)]
            )
        case ("message", anchor, text, excluded):
            recap = MessageRecap(text=text, is_excluded=excluded)
            store.recaps.save_message_recaps(chat_id, {anchor: recap})
        case ("running", content):
            store.recaps.add_running_version(chat_id, version(content))
        case ("choose", number):
            store.recaps.choose_running(chat_id, number)


@settings(
    max_examples=40,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(actions=st.lists(_action, min_size=1, max_size=8))
@example(actions=[("running", "\0 and more"), ("message", "a", "'\0\"", True)])
async def test_undoing_everything_restores_every_state_on_the_way(
    actions: list[Any], store: Store
) -> None:
    name = str(next(_numbers))  # a chat of its own for each example
    chat_id = await store.run(lambda: store.chats.id_of(name))
    states = [await state_of(store, chat_id)]
    for action in actions:
        await store.run_undoable(chat_id, "step", partial(perform, store, chat_id, action))
        states.append(await state_of(store, chat_id))
    for state in reversed(states[:-1]):
        await store.run(lambda: store.undo.undo(chat_id))
        assert await state_of(store, chat_id) == state
    for state in states[1:]:
        await store.run(lambda: store.undo.redo(chat_id))
        assert await state_of(store, chat_id) == state


async def test_the_journal_goes_to_any_change_and_back_with_its_times(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    states = [await state_of(store, chat_id)]
    for text in ("one", "two", "three"):
        await store.run_undoable(
            chat_id,
            text,
            partial(store.recaps.add_running_version, chat_id, version(text)),
        )
        states.append(await state_of(store, chat_id))
    first = await store.run(lambda: store.undo.entries(chat_id))
    assert [(entry.label, entry.is_undone) for entry in first] == [
        ("three", False),
        ("two", False),
        ("one", False),
    ]
    assert await store.run(lambda: store.undo.go_to(chat_id, first[2].id)) == 2
    assert await state_of(store, chat_id) == states[1]
    back = await store.run(lambda: store.undo.entries(chat_id))
    assert [(entry.label, entry.is_undone) for entry in back] == [
        ("three", True),
        ("two", True),
        ("one", False),
    ]
    assert [entry.when for entry in back] == [entry.when for entry in first]
    assert await store.run(lambda: store.undo.go_to(chat_id, back[0].id)) == 2
    assert await state_of(store, chat_id) == states[3]
    assert await store.run(lambda: store.undo.go_to(chat_id, AT_FIRST)) == 3
    assert await state_of(store, chat_id) == states[0]
    with pytest.raises(UsageError):
        await store.run(lambda: store.undo.go_to(chat_id, first[0].id))
