"""Where scenes end, as the user wants it: each command can be taken back by name."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.translation import N_, tr
from app.store.store import Store
from app.story.drafts import SCENE_RECAP
from app.story.scenes import BreakOrigin, Scene, SceneBreak, moved_break, places_of_break
from app.work.chats.open_chat import OpenChat
from app.work.chats.open_chats import OpenChats

Do = Callable[[OpenChat, str, Callable[[], Any]], Awaitable[None]]


class SceneEdits:
    """Sets, hides, names, folds, moves and deletes scene breaks; `path` is that of an open chat.

    `anchor` is always the message that a break stands on: the last of its scene. A break that is
    hidden keeps what hangs on it, and is never found again. Raises UsageError for a chat that is
    not open, and for what is not there.
    """

    def __init__(self, store: Store, chats: OpenChats, do: Do) -> None:
        self._store = store
        self._chats = chats
        self._do = do

    async def mark(self, path: Path, anchor: str, *, name: str = "") -> None:
        """Set a break, or show a hidden one again with all that hangs on it."""
        chat = self._chats.required(path)
        index = self._index(chat, anchor)
        old = chat.story.breaks.get(anchor)
        text = N_("scene break at #{n}") if old is None else N_("shown scene break at #{n}")
        chat.note_ended(anchor)
        await self._save(chat, text.format(n=index), _marked(old, anchor, name))

    async def hide(self, path: Path, anchor: str) -> None:
        """Take a break away: its scene joins the next. What hangs on it is kept."""
        chat = self._chats.required(path)
        mark = self._break(chat, anchor)
        label = N_("removed scene break at #{n}").format(n=self._index(chat, anchor))
        await self._save(chat, label, _hidden(mark))

    async def rename(self, path: Path, anchor: str, name: str) -> None:
        """Give the scene that ends here a name."""
        chat = self._chats.required(path)
        mark = self._break(chat, anchor)
        scene, given = chat.story.scene_ending_at(anchor), name.strip()
        label = N_("scene name")
        if scene is not None:
            label = N_("name of scene {n}").format(n=scene.number)
        await self._save(chat, label, replace(mark, name=given, is_named=bool(given)))

    async def collapse(self, path: Path, anchor: str, collapsed: bool) -> None:
        """Fold the scene that ends here in the story view, or unfold it."""
        chat = self._chats.required(path)
        mark = self._break(chat, anchor)
        scene = chat.story.scene_ending_at(anchor)
        label = N_("collapse") if collapsed else N_("expand")
        if scene is not None:
            text = N_("collapsing of scene {n}") if collapsed else N_("expanding of scene {n}")
            label = text.format(n=scene.number)
        await self._save(chat, label, replace(mark, is_collapsed=collapsed))

    def places(self, path: Path, anchor: str) -> range:
        """Indexes that a break may be moved to, its own among them."""
        story = self._chats.required(path).story
        return places_of_break(story.messages, story.breaks, anchor)

    async def move(self, path: Path, anchor: str, to: str) -> None:
        """Let the scene that ends at one message end at another, between its two neighbours.

        Its name, its recaps with all their versions and its draft go along; the recaps show as
        stale, since they tell of other messages. Nothing happens when it stands there already.
        """
        chat = self._chats.required(path)
        scene = closed_scene(chat, anchor)
        index = self._index(chat, to)
        if index not in self.places(path, anchor):
            raise UsageError(
                tr("A scene can end only between its own first message and the next scene.")
            )
        if to == anchor:
            return
        recaps, drafts, chat_id = self._store.recaps, self._store.drafts, chat.chat_id
        marks = moved_break(chat.story.breaks, anchor, to)

        def unit() -> None:
            self._store.scenes.save(chat_id, marks)
            recaps.move_scene_recaps(chat_id, anchor, to)
            if index < scene.last:
                # What was folded in reaches no farther than the scene does now: what was cut off
                # is folded in with the next one. A longer scene is folded in anew.
                recaps.move_running(chat_id, anchor, to)
            for draft in drafts.of(chat_id):
                if (draft.kind, draft.anchor) == (SCENE_RECAP, anchor):
                    drafts.save(chat_id, replace(draft, anchor=to))

        await self._do(chat, N_("moved end of scene {n}").format(n=scene.number), unit)

    async def split(self, path: Path, anchor: str, *, name: str = "") -> None:
        """Cut a scene in two behind a message; the first part may get a name.

        The scene's recap stays with the second part, and shows as stale.
        """
        chat = self._chats.required(path)
        scene = chat.story.scene_at(self._index(chat, anchor))
        assert scene is not None
        if chat.story.messages[scene.last].anchor == anchor:
            raise UsageError(tr("The scene already ends here, so there is nothing to split off."))
        mark = _marked(chat.story.breaks.get(anchor), anchor, name)
        chat.note_ended(anchor)
        await self._save(chat, N_("split of scene {n}").format(n=scene.number), mark)

    async def merge(self, path: Path, anchor: str) -> None:
        """Join the scene that ends here with the next one, which keeps its own name if it has one.

        The recap of the first is kept with its hidden break.
        """
        chat = self._chats.required(path)
        scene, scenes = closed_scene(chat, anchor), chat.story.scenes
        if scene.number == len(scenes):
            raise UsageError(tr("There is no scene after this one to join it with."))
        closing = scenes[scene.number].closing
        marks = [_hidden(self._break(chat, anchor))]
        if closing is not None and scene.name and not closing.name:
            given = chat.story.breaks[anchor].has_given_name
            marks.append(replace(closing, name=scene.name, is_named=given))
        label = N_("merge of scenes {first} and {second}").format(
            first=scene.number, second=scene.number + 1
        )
        await self._save(chat, label, *marks)

    async def delete(self, path: Path, anchor: str) -> None:
        """Take a break away with its name, and put the recaps away that end with it (§4.6).

        The versions are kept and not shown: a break set here again begins anew.
        """
        chat = self._chats.required(path)
        mark = self._break(chat, anchor)
        recaps, chat_id = self._store.recaps, chat.chat_id
        ending = [v.version for v in chat.story.running.versions if v.last_anchor == anchor]

        def unit() -> None:
            self._store.scenes.save(
                chat_id, [replace(_hidden(mark), name="", is_named=False, is_collapsed=False)]
            )
            recaps.delete_scene_recaps(chat_id, anchor)
            if ending:
                recaps.delete_running(chat_id, ending)

        label = N_("deleted scene break at #{n}").format(n=self._index(chat, anchor))
        await self._do(chat, label, unit)

    async def _save(self, chat: OpenChat, label: str, *marks: SceneBreak) -> None:
        await self._do(chat, label, lambda: self._store.scenes.save(chat.chat_id, marks))

    def _index(self, chat: OpenChat, anchor: str) -> int:
        index = chat.index_of(anchor)
        if index is None:
            raise UsageError(tr("This message is no longer in the chat."))
        return index

    def _break(self, chat: OpenChat, anchor: str) -> SceneBreak:
        mark = chat.story.breaks.get(anchor)
        if mark is None:
            raise UsageError(tr("There is no scene break on this message."))
        return mark


# As older versions wrote them into the history, for those who read it in another language.
OLD_LABELS = (
    N_("scene break"),
    N_("shown scene break"),
    N_("removed scene break"),
    N_("deleted scene break"),
)


def closed_scene(chat: OpenChat, anchor: str) -> Scene:
    """The scene that ends at a message. Raises UsageError where none does."""
    scene = chat.story.scene_ending_at(anchor)
    if scene is None:
        raise UsageError(tr("No scene ends at this message."))
    return scene


def _marked(old: SceneBreak | None, anchor: str, name: str) -> SceneBreak:
    if old is None:
        return SceneBreak(anchor, BreakOrigin.HAND, "hand", name=name.strip())
    shown = replace(old, is_visible=True, origin=BreakOrigin.HAND)
    return replace(shown, name=name.strip(), is_named=True) if name.strip() else shown


def _hidden(mark: SceneBreak) -> SceneBreak:
    return replace(mark, is_visible=False, origin=BreakOrigin.HAND)
