"""What is set is taken back with the deed that set it."""

from __future__ import annotations

from pathlib import Path

from app.store.store import Store


async def of_chat(store: Store, chat_id: int) -> dict[str, object]:
    return await store.run(lambda: store.settings.of_chat(chat_id))


async def test_what_was_set_for_a_chat_is_taken_back_and_made_again(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    scope = ("chat", str(chat_id))
    await store.run(lambda: store.settings.save(*scope, "budget_long", 500))
    await store.run(lambda: store.settings.save(*scope, "budget_arcs", 700))

    def deed() -> None:
        store.settings.save(*scope, "budget_long", 850)  # another value
        store.settings.save(*scope, "budget_canon", 900)  # one where there was none
        store.settings.reset(*scope, "budget_arcs")  # none where there was one

    await store.run_undoable(chat_id, "budgets", deed)
    done = {"budget_long": 850, "budget_canon": 900}
    assert await of_chat(store, chat_id) == done
    assert await store.run(lambda: store.undo.undo(chat_id)) == "budgets"
    assert await of_chat(store, chat_id) == {"budget_long": 500, "budget_arcs": 700}
    assert await store.run(lambda: store.undo.redo(chat_id)) == "budgets"
    assert await of_chat(store, chat_id) == done


async def test_it_is_taken_back_after_a_restart_too(tmp_path: Path) -> None:
    path = tmp_path / "story.sqlite3"
    store = Store(path)
    await store.open()
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    text = 'It\'s \u0000 "quoted"; DROP TABLE setting'
    await store.run_undoable(
        chat_id,
        "frame",
        lambda: store.settings.save("chat", str(chat_id), "slot_long_template", text),
    )
    await store.aclose()
    store = Store(path)
    await store.open()
    await store.run(lambda: store.undo.undo(chat_id))
    assert await of_chat(store, chat_id) == {}
    await store.run(lambda: store.undo.redo(chat_id))
    assert await of_chat(store, chat_id) == {"slot_long_template": text}
    await store.aclose()


async def test_undo_leaves_alone_what_was_set_since(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))

    def save(value: int) -> None:
        store.settings.save("chat", str(chat_id), "budget_long", value)

    await store.run_undoable(chat_id, "budget", lambda: save(850))
    await store.run(lambda: save(600))  # on another page, where nothing is recorded
    await store.run(lambda: store.undo.undo(chat_id))
    assert await of_chat(store, chat_id) == {"budget_long": 600}


async def test_what_a_deed_sets_for_all_chats_is_taken_back_with_it(store: Store) -> None:
    chat_id = await store.run(lambda: store.chats.id_of("chat"))
    await store.run(lambda: store.settings.save("global", "", "contrast", "high"))
    await store.run_undoable(
        chat_id, "import", lambda: store.settings.save("global", "", "theme", "dark")
    )
    await store.run(lambda: store.undo.undo(chat_id))
    loaded = await store.run(store.settings.load)
    assert loaded == {("global", "", "contrast"): "high"}
    await store.run(lambda: store.undo.redo(chat_id))
    assert await store.run(store.settings.moved) == {"theme": "dark"}
    assert await store.run(store.settings.moved) == {}
