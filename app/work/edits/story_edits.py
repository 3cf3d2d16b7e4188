"""What the user does to a story: each command is one step that can be taken back by name."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.operations import PRIORITY_ASKED, OperationSpec
from app.core.translation import N_, tr
from app.store.store import Store
from app.store.undo import REDO, UNDO
from app.story.clearance import Clearance
from app.story.drafts import RUNNING_RECAP, SCENE_RECAP
from app.story.recap_texts.by_hand import carried
from app.story.recaps import YOU, RunningVersion, SceneRecap, injected_version
from app.story.scenes import Scene
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats
from app.work.edits.asked_recaps import NEW_RECAPS, AskedRecaps
from app.work.edits.change_history import ChangeHistory
from app.work.edits.drafts import StoryDrafts
from app.work.edits.message_edits import MessageEdits
from app.work.edits.recap_import import RecapImport
from app.work.edits.scene_edits import SceneEdits, closed_scene
from app.work.planning.folding import brought_back, scenes_let_go
from app.work.planning.planner import is_scene_recap_stale, scene_recap_spec, source_digest
from app.work.planning.writing import Writing

CLEARED = N_("clear everything")


class StoryEdits:
    """Changes open stories for the user; `path` is always that of an open chat.

    drafts: what the user is writing and has not kept. scenes: where scenes end. messages: their
    recaps. extension: what other extensions left. history: all that was done, to go back to.
    hold: lets what a chat lacks now wait for the user's word. takes_in: who else looks at what undo
    may have changed, as the settings do.

    Raises UsageError for a chat that is not open, and for what is not there.
    """

    # 7 parameters: wiring.py alone makes it.
    def __init__(
        self,
        store: Store,
        chats: OpenChats,
        enqueue: Callable[[Sequence[OperationSpec]], Awaitable[None]],
        writing: Callable[[], Writing],
        asked: AskedRecaps,
        hold: Callable[[OpenChat], Awaitable[None]],
        takes_in: Sequence[Callable[[OpenChat], Awaitable[None]]] = (),
    ) -> None:
        self._store = store
        self._chats = chats
        self._enqueue = enqueue
        self._writing = writing
        self._asked = asked
        self._hold = hold
        self._takes_in = takes_in
        self.drafts = StoryDrafts(store, chats)
        self.scenes = SceneEdits(store, chats, self._do)
        self.messages = MessageEdits(store, chats, enqueue, writing, self._do)
        self.extension = RecapImport(store, chats, self._do)
        self.history = ChangeHistory(store, chats, self._take_in)

    async def select_running_version(self, path: Path, version: int) -> None:
        """Inject this version of the running recap from now on."""
        chat = self._open(path)
        if all(v.version != version for v in chat.story.running.versions):
            raise UsageError(
                tr("There is no version {version} of the running recap.", version=version + 1)
            )
        recaps = self._store.recaps
        label = N_("running recap v{version}").format(version=version + 1)
        await self._do(chat, label, lambda: recaps.choose_running(chat.chat_id, version))

    async def edit_running_recap(
        self, path: Path, text: str, *, base: int | None = None, was_in_prompt: bool = False
    ) -> None:
        """Keep the text as a new version of the running recap, and forget its draft.

        base: number of the version whose scenes it covers, None for the one in the prompt. Where
        there is none, it covers none, and scenes are folded into it. was_in_prompt: that version
        was the one in the prompt when the writing began; what was folded in meanwhile stays, with
        what the user changed.
        """
        chat, store = self._open(path), self._store
        running = chat.story.running
        positions = {message.anchor: index for index, message in enumerate(chat.story.messages)}
        now = injected_version(running, positions) or RunningVersion(0, "", 0, "", "", "", 0.0)
        old = next((v for v in running.versions if v.version == base), now)
        if was_in_prompt and now.version > old.version:
            old, text = now, carried(old.content, text, now.content)
        edited = replace(
            old, content=text, made_by=YOU, created=time.time(), reason="edit", is_retired=False
        )

        def unit() -> None:
            store.recaps.add_running_version(chat.chat_id, edited)
            store.drafts.discard(chat.chat_id, RUNNING_RECAP, "")

        await self._do(chat, N_("edit of the running recap"), unit)

    async def deleted_running_versions(self, path: Path) -> tuple[RunningVersion, ...]:
        """The versions of the running recap that the user deleted, oldest first."""
        chat, recaps = self._open(path), self._store.recaps
        return await self._store.run(lambda: recaps.deleted_running(chat.chat_id))

    async def next_recap_version(self, path: Path, anchor: str = "") -> int:
        """The number that the next version gets, of a scene's recap or with "" of the running."""
        chat, recaps = self._open(path), self._store.recaps
        return await self._store.run(
            lambda: (
                recaps.next_scene_recap(chat.chat_id, anchor)
                if anchor
                else recaps.next_running(chat.chat_id)
            )
        )

    async def delete_running_version(self, path: Path, version: int) -> None:
        """Put a version away; where it was the current one, the highest left takes its place.

        Its number is never given again. The scenes it folded in are not folded in anew.
        """
        chat, recaps = self._open(path), self._store.recaps
        if all(v.version != version for v in chat.story.running.versions):
            raise UsageError(
                tr("There is no version {version} of the running recap.", version=version + 1)
            )
        label = N_("delete running recap v{version}").format(version=version + 1)
        await self._do(chat, label, lambda: recaps.delete_running(chat.chat_id, [version]))

    async def restore_running_version(self, path: Path, version: int) -> None:
        """Take a deleted version back among the others; the current one stays current."""
        chat, recaps = self._open(path), self._store.recaps
        deleted = await self.deleted_running_versions(path)
        if all(v.version != version for v in deleted):
            raise UsageError(
                tr(
                    "There is no deleted version {version} of the running recap.",
                    version=version + 1,
                )
            )
        label = N_("restore running recap v{version}").format(version=version + 1)
        await self._do(chat, label, lambda: recaps.restore_running(chat.chat_id, version))

    async def clear_running_recap(self, path: Path) -> None:
        """Put all versions away: the prompt gets none until a further scene closes."""
        chat, recaps = self._open(path), self._store.recaps
        numbers = [v.version for v in chat.story.running.versions]
        if numbers:
            label = N_("clear the running recap")
            await self._do(chat, label, lambda: recaps.delete_running(chat.chat_id, numbers))

    async def rebuild_running_recap(self, path: Path, anchor: str) -> None:
        """Fold the scenes in anew from the one that ends at `anchor` on.

        The versions until then are kept; the one in the prompt stays there until the new ones
        reach as far as it does. Undo brings it back there, whatever was folded in since.
        """
        chat = self._open(path)
        scene = closed_scene(chat, anchor)
        deleted = await self.deleted_running_versions(path)
        versions = [
            version.version
            for version in (*chat.story.running.versions, *deleted)
            if chat.story.places.get(version.last_anchor, -1) >= scene.first
        ]
        recaps = self._store.recaps
        label = N_("rebuilding from scene {n}").format(n=scene.number)
        behind = [s.closing.anchor for s in chat.story.scenes if s.closing and s.last >= scene.last]
        now = time.time()
        await self._do(
            chat, label, lambda: recaps.rebuild_running(chat.chat_id, versions, behind, now)
        )

    def scenes_let_go(self, path: Path) -> tuple[Scene, ...]:
        """The scenes that the running recap tells no more, as the user deleted what did; a rebuild
        from the first of them on tells them again, and so does the next scene that is folded in.
        """
        chat = self._open(path)
        return tuple(scenes_let_go(chat.story, chat.settings()))

    def is_scene_recap_stale(self, path: Path, anchor: str) -> bool:
        """Whether the scene that ends here changed since its recap was made."""
        chat = self._open(path)
        scene = closed_scene(chat, anchor)
        return is_scene_recap_stale(chat.story, scene, chat.settings())

    async def edit_scene_recap(self, path: Path, anchor: str, text: str) -> None:
        """Keep the text as a new version of a scene's recap, and forget its draft."""
        chat, store = self._open(path), self._store
        scene = closed_scene(chat, anchor)
        old = chat.story.scene_recap(scene)
        recap = SceneRecap(
            anchor=anchor,
            version=0,
            name=old.name if old else scene.name,
            text=text,
            source_digest=source_digest(chat.story, scene, chat.settings()),
            made_by=YOU,
            created=time.time(),
        )

        def unit() -> None:
            store.recaps.add_scene_recap(chat.chat_id, recap)
            store.drafts.discard(chat.chat_id, SCENE_RECAP, anchor)

        await self._do(chat, N_("edit of the recap of scene {n}").format(n=scene.number), unit)

    async def select_scene_recap_version(self, path: Path, anchor: str, version: int) -> None:
        """Let this version of a scene's recap count from now on."""
        chat, recaps = self._open(path), self._store.recaps
        scene = closed_scene(chat, anchor)
        if all(recap.version != version for recap in chat.story.recaps.get(anchor, ())):
            raise UsageError(
                tr("There is no version {version} of this scene's recap.", version=version + 1)
            )
        label = N_("recap of scene {n} v{version}").format(n=scene.number, version=version + 1)
        await self._do(
            chat, label, lambda: recaps.choose_scene_recap(chat.chat_id, anchor, version)
        )

    async def redo_scene_recap(self, path: Path, anchor: str) -> None:
        """Write a scene's recap anew; the versions before it are kept."""
        chat = self._open(path)
        await self._enqueue([self._again(chat, anchor)])

    async def redo_made_without_model(self, path: Path) -> None:
        """Let the model in force write what rules wrote: each such recap of a scene, and then the
        running recap from the first of them on, or from what rules folded in. All versions are
        kept.
        """
        chat = self._open(path)
        anchors = chat.story.made_without_model
        if anchors:
            recaps = ((anchor, chat.story.recaps[anchor]) for anchor in anchors)
            await self._enqueue(
                [
                    self._again(chat, anchor)
                    for anchor, versions in recaps
                    if any(recap.is_current and recap.is_without_model for recap in versions)
                ]
            )
            await self.rebuild_running_recap(path, anchors[0])

    def _again(self, chat: OpenChat, anchor: str) -> OperationSpec:
        """The recap of a scene that has one, to be written before all that waits."""
        return scene_recap_spec(
            chat.story,
            chat.chat_id,
            closed_scene(chat, anchor),
            chat.settings(),
            self._writing(),
            priority=PRIORITY_ASKED,
            again=str(time.time_ns()),
        )

    async def clearance(self, path: Path) -> Clearance:
        """What `clear_all` would take away."""
        chat, clearing = self._open(path), self._store.clearing
        return await self._store.run(lambda: clearing.counts(chat.chat_id))

    async def clear_all(self, path: Path) -> Clearance:
        """Forget all recaps, breaks and marks of a chat, the running recap too; gives what went.

        What the settings make by themselves is then made anew, as far as it costs nothing. One step
        for undo, which brings back exactly what there was, in place of what was made since.
        """
        chat, clearing = self._open(path), self._store.clearing
        gone = await self.clearance(path)
        if gone:
            await self._hold(chat)
            await self._do(chat, CLEARED, lambda: clearing.clear(chat.chat_id))
        return gone

    async def undo(self, path: Path) -> str:
        """Take back what was done last in a chat; gives its name.

        Of recaps that were asked for, those that are not written yet are written no more.
        """
        chat = self._open(path)
        asked, last = await self._last(chat)
        await self._asked.take_out(chat.chat_id, {max(asked, last)})
        if asked > last:
            return NEW_RECAPS
        label = await self._store.run(lambda: self._store.undo.undo(chat.chat_id))
        await self._take_in(chat)
        return label

    async def redo(self, path: Path) -> str:
        """Do again what was taken back last in a chat; gives its name."""
        chat = self._open(path)
        label = await self._store.run(lambda: self._store.undo.redo(chat.chat_id))
        self._asked.be_patient(chat.chat_id)
        await self._take_in(chat, [label])
        return label

    async def undo_labels(self, path: Path) -> tuple[str, str]:
        """Names of what undo and redo would do in a chat, "" for nothing."""
        chat, journal = self._open(path), self._store.undo
        undo, redo = await self._store.run(
            lambda: (journal.label(chat.chat_id, UNDO), journal.label(chat.chat_id, REDO))
        )
        asked, last = await self._last(chat)
        return NEW_RECAPS if asked > last else undo, redo

    async def _last(self, chat: OpenChat) -> tuple[float, float]:
        """When recaps were asked for of which some wait, and when something was done last (seconds
        since the epoch); 0.0 for never.
        """
        asked = self._asked.newest(chat.chat_id)
        return asked, await self._store.run(lambda: self._store.undo.newest(chat.chat_id))

    async def _take_in(self, chat: OpenChat, again: Collection[str] = ()) -> None:
        """Show what undo and redo put into the database; nothing more is written of what went.
        again: names of what was done again.
        """
        if CLEARED in again:
            await self._hold(chat)
        entries = await self._store.run(lambda: self._store.undo.entries(chat.chat_id))
        await self._asked.take_out(chat.chat_id, {e.when for e in entries if e.is_undone})
        for take_in in self._takes_in:
            await take_in(chat)
        await self._chats.refresh_all_of(chat)
        version = brought_back(chat.story)
        if version is not None:
            number, recaps = version.version, self._store.recaps
            await self._store.run(lambda: recaps.choose_running(chat.chat_id, number))
            await self._chats.refresh_all_of(chat)

    async def _do(self, chat: OpenChat, label: str, unit: Callable[[], Any]) -> None:
        await self._store.run_undoable(chat.chat_id, label, unit)
        self._asked.be_patient(chat.chat_id)
        await self._chats.refresh(chat)

    def _open(self, path: Path) -> OpenChat:
        return self._chats.required(path)
