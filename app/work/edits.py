"""What the user does to a story: each deed is one step that can be taken back by name."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.errors import UsageError
from app.operations import OperationSpec
from app.store.store import Store
from app.store.undo import REDO, UNDO
from app.story import message_data
from app.story.message_data import Mark
from app.story.messages import MessageRecap
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak, scene_digest
from app.work.open_chat import OpenChat
from app.work.open_chats import OpenChats
from app.work.planner import (
    PRIORITY_ASKED,
    Writing,
    message_recap_specs,
    recapped_messages,
    scene_recap_spec,
)


class StoryEdits:
    """Changes open stories for the user; `path` is always that of an open chat.

    Raises UsageError for a chat that is not open, and for what is not there.
    """

    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        enqueue: Callable[[Sequence[OperationSpec]], Awaitable[None]],
        writing: Callable[[], Writing],
    ) -> None:
        self._store = store
        self._chats = chats
        self._enqueue = enqueue
        self._writing = writing

    async def mark_break(self, path: Path, anchor: str, *, name: str = "") -> None:
        """Set a scene break by hand on the last message of a scene, or show a hidden one again."""
        chat, breaks = self._open(path), self._store.scenes
        old = chat.story.breaks.get(anchor)
        mark = (
            replace(old, is_visible=True) if old else SceneBreak(anchor, BreakOrigin.HAND, "hand")
        )
        mark = replace(mark, name=name or mark.name, origin=BreakOrigin.HAND)
        await self._do(chat, "scene break", lambda: breaks.save(chat.chat_id, [mark]))

    async def remove_break(self, path: Path, anchor: str) -> None:
        """Hide a scene break: its scene joins the next. What hangs on it is kept."""
        await self._change_break(
            path, anchor, "removed scene break", is_visible=False, origin=BreakOrigin.HAND
        )

    async def rename_scene(self, path: Path, anchor: str, name: str) -> None:
        """Give the scene that ends at `anchor` a name."""
        await self._change_break(path, anchor, "scene name", name=name.strip())

    async def collapse_scene(self, path: Path, anchor: str, collapsed: bool) -> None:
        """Fold a scene in the story view, or unfold it."""
        await self._change_break(path, anchor, "fold", is_collapsed=collapsed)

    async def _change_break(self, path: Path, anchor: str, label: str, **values: Any) -> None:
        chat = self._open(path)
        old = chat.story.breaks.get(anchor)
        if old is None:
            raise UsageError("There is no scene break on this message.")
        mark = replace(old, **values)
        await self._do(chat, label, lambda: self._store.scenes.save(chat.chat_id, [mark]))

    async def select_running_version(self, path: Path, version: int) -> None:
        """Inject this version of the running recap from now on."""
        chat = self._open(path)
        if all(v.version != version for v in chat.story.running.versions):
            raise UsageError(f"There is no version {version} of the running recap.")
        recaps, label = self._store.recaps, f"running recap v{version}"
        await self._do(chat, label, lambda: recaps.choose_running(chat.chat_id, version))

    async def edit_running_recap(self, path: Path, text: str) -> None:
        """Keep the text as a new version of the running recap, covering what the current covers."""
        chat = self._open(path)
        current = chat.story.running.current
        if current is None:
            raise UsageError("There is no running recap to edit yet.")
        edited = replace(current, content=text, made_by="you", created=time.time(), reason="edit")
        recaps = self._store.recaps
        await self._do(
            chat,
            "edit of the running recap",
            lambda: recaps.add_running_version(chat.chat_id, edited),
        )

    async def rebuild_running_recap(self, path: Path, anchor: str) -> None:
        """Fold the scenes in anew from the one that ends at `anchor` on.

        The versions until then are kept; the one in the prompt stays there until the new ones
        reach as far as it does.
        """
        chat = self._open(path)
        scene = self._closed_scene(chat, anchor)
        versions = [
            version.version
            for version in chat.story.running.versions
            if (chat.index_of(version.last_anchor) or -1) >= scene.first
        ]
        recaps, label = self._store.recaps, f"rebuilding from scene {scene.number}"
        await self._do(chat, label, lambda: recaps.retire_running(chat.chat_id, versions))

    def _closed_scene(self, chat: OpenChat, anchor: str) -> Scene:
        for scene in chat.story.scenes:
            if scene.closing is not None and scene.closing.anchor == anchor:
                return scene
        raise UsageError("No scene ends at this message.")

    async def edit_scene_recap(self, path: Path, anchor: str, text: str) -> None:
        """Keep the text as a new version of a scene's recap."""
        chat = self._open(path)
        scene = self._closed_scene(chat, anchor)
        old = chat.story.scene_recap(scene)
        recap = SceneRecap(
            anchor=anchor,
            version=0,
            name=old.name if old else scene.name,
            text=text,
            source_digest=scene_digest(recapped_messages(chat.story.messages, scene)),
            made_by="you",
            created=time.time(),
        )
        recaps = self._store.recaps
        label = f"edit of the recap of scene {scene.number}"
        await self._do(chat, label, lambda: recaps.add_scene_recap(chat.chat_id, recap))

    async def redo_scene_recap(self, path: Path, anchor: str) -> None:
        """Write a scene's recap anew; the versions before it are kept."""
        chat = self._open(path)
        scene = self._closed_scene(chat, anchor)
        spec = scene_recap_spec(
            chat.story,
            chat.chat_id,
            scene,
            chat.settings(),
            self._writing(),
            priority=PRIORITY_ASKED,
            again=str(time.time_ns()),
        )
        await self._enqueue([spec])

    async def set_message_mark(
        self,
        path: Path,
        anchor: str,
        *,
        excluded: bool | None = None,
        remembered: bool | None = None,
    ) -> None:
        """Leave a message's recap out of the prompt, or keep it in; None leaves a mark as it is."""
        chat = self._open(path)
        recap = chat.story.message_recaps.get(anchor, MessageRecap())
        index = chat.index_of(anchor)
        if index is None:
            return
        for mark, value in ((Mark.EXCLUDED, excluded), (Mark.REMEMBERED, remembered)):
            if value is not None:
                recap = message_data.marked(recap, mark, value, chat.story.messages[index])
        label = "leave out" if excluded else "remember" if remembered else "message mark"
        recaps = self._store.recaps
        await self._do(
            chat, label, lambda: recaps.save_message_recaps(chat.chat_id, {anchor: recap})
        )

    async def recap_messages(self, path: Path, anchors: Sequence[str]) -> None:
        """Write the recaps of these messages anew, whatever the settings say."""
        chat = self._open(path)
        wanted = frozenset(anchors)
        messages = [m for m in chat.story.messages if m.anchor in wanted]
        again = str(time.time_ns())
        specs = message_recap_specs(
            messages, chat.chat_id, self._writing(), priority=PRIORITY_ASKED, again=again
        )
        await self._enqueue(specs)

    async def edit_message_recap(self, path: Path, anchor: str, text: str) -> None:
        """Put the user's own words in place of a message's recap; "" removes it."""
        chat = self._open(path)
        old = chat.story.message_recaps.get(anchor, MessageRecap())
        index = chat.index_of(anchor)
        if text == old.text or index is None:
            return
        recap = message_data.edited(old, text, chat.story.messages[index])
        recaps = self._store.recaps
        await self._do(
            chat,
            "edit of a message's recap",
            lambda: recaps.save_message_recaps(chat.chat_id, {anchor: recap}),
        )

    async def undo(self, path: Path) -> str:
        """Take back what was done last in a chat; gives its name."""
        chat = self._open(path)
        label = await self._store.run(lambda: self._store.undo.undo(chat.chat_id))
        await self._chats.refresh(chat)
        return label

    async def redo(self, path: Path) -> str:
        """Do again what was taken back last in a chat; gives its name."""
        chat = self._open(path)
        label = await self._store.run(lambda: self._store.undo.redo(chat.chat_id))
        await self._chats.refresh(chat)
        return label

    async def undo_labels(self, path: Path) -> tuple[str, str]:
        """Names of what undo and redo would do in a chat, "" for nothing."""
        chat, journal = self._open(path), self._store.undo
        return await self._store.run(
            lambda: (journal.label(chat.chat_id, UNDO), journal.label(chat.chat_id, REDO))
        )

    async def _do(self, chat: OpenChat, label: str, unit: Callable[[], Any]) -> None:
        await self._store.run_undoable(chat.chat_id, label, unit)
        await self._chats.refresh(chat)

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)
