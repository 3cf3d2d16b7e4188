"""What is remembered of messages that we hid."""

from __future__ import annotations

from app.store.store import Store
from app.story.anchors import KnownMessage
from app.story.auto_hide import HideState


async def test_states_are_replaced_as_a_whole_and_only_of_their_chat(store: Store) -> None:
    one = await store.run(lambda: store.chats.id_of("one"))
    two = await store.run(lambda: store.chats.id_of("two"))
    first = {"a": HideState.ASKED, "b": HideState.RELEASED}
    await store.run(lambda: store.hiding.save(one, first))
    await store.run(lambda: store.hiding.save(two, first))
    await store.run(lambda: store.hiding.save(one, {"a": HideState.HIDDEN}))
    assert await store.run(lambda: store.hiding.states(one)) == {"a": HideState.HIDDEN}
    assert await store.run(lambda: store.hiding.states(two)) == first


async def test_a_branch_knows_which_of_its_messages_we_hid(store: Store) -> None:
    def unit() -> dict[str, HideState]:
        source, branch = store.chats.id_of("source"), store.chats.id_of("branch")
        known = [(n, KnownMessage(a, f"i{a}", "w", "c")) for n, a in enumerate("abc")]
        store.chats.save_known(source, known)
        store.hiding.save(source, {"a": HideState.HIDDEN, "c": HideState.HIDDEN})
        store.chats.copy_knowledge(source, branch, before=2)
        return store.hiding.states(branch)

    assert await store.run(unit) == {"a": HideState.HIDDEN}
