"""What a reader does to the story, as calls of the Companion."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.core.errors import UsageError
from app.core.translation import N_, trn
from app.story.message_data import Mark
from app.story.messages import Message
from app.story.scenes import Scene
from app.story.story import Story
from app.views.asked_cost import AskedCost
from ui.core.session import Session
from ui.story.messages.rows import is_folded
from ui.story.target import Target

if TYPE_CHECKING:
    from app.companion import Companion

MARKS = {"remember": Mark.REMEMBERED, "exclude": Mark.EXCLUDED}
INJECTS = "message_recaps_inject"
COLOURS = "story_colours"
COMMAND = N_("changing the story")

# What it takes, and what begins it.
Ask = Callable[[AskedCost, Callable[[], Coroutine[Any, Any, object]]], None]


class StoryCommands:
    """Asks for one change of one story at a time; failures are told by the session.

    ask: begins what would be asked of a model, many requests only at the user's word.
    """

    def __init__(self, session: Session, ask: Ask) -> None:
        self._session = session
        self._ask = ask

    @property
    def _companion(self) -> Companion:
        return self._session.companion

    @property
    def can_change(self) -> bool:
        """Whether stories can be changed at all: not in safe mode."""
        return not self._companion.is_reading_only

    def _do(self, command: Coroutine[Any, Any, object]) -> None:
        self._session.do(command, name=COMMAND)

    def act(self, name: str, target: Target) -> None:
        """Do what an action of StoryActions is called, where that changes the story."""
        path, recaps = target.story.chat.path, self._companion.edits.messages
        if name == "redo_recap" and len(target.more) > 1:
            self._write(path, target.anchors())
        elif name in ("redo_recap", "rebuild"):
            self._on_scene(name, target)
        elif name in ("merge_previous", "merge_next", "toggle_break", "delete_break"):
            self._on_break(name, target)
        elif name == "recap_missing":
            cost = self._companion.command_costs.of_messages(path)
            self._ask(cost, lambda: recaps.write_missing(path))
        elif name == "recap_scene_messages" and (scene := target.the_scene()) is not None:
            shown = target.story.messages[scene.first : scene.last + 1]
            self._write(path, tuple(message.anchor for message in shown))
        elif name == "leave_out":
            self._do(self._leave_out(path, target.anchors()))
        elif name in MARKS:
            self._do(recaps.mark(path, target.anchors(), MARKS[name]))
        elif name == "recap_message":
            self._write(path, target.anchors())
        elif name == "clear_recap":
            self._do(recaps.clear(path, target.anchors()))
        elif target.message is not None:
            self._on_message(name, target, target.story.messages[target.message])

    async def _leave_out(self, path: Path, anchors: Sequence[str]) -> None:
        stays = await self._companion.reading_bounds.toggle(path, anchors)
        if stays:
            said = trn(
                "Not read any more. {n} memory that comes from there stays until you delete it.",
                "Not read any more. {n} memories that come from there stay until you delete them.",
                stays,
            )
            self._session.told.emit(said)

    def _write(self, path: Path, anchors: Sequence[str]) -> None:
        cost = self._companion.command_costs.of_messages(path, anchors)
        self._ask(cost, lambda: self._companion.edits.messages.write(path, anchors))

    def _on_message(self, name: str, target: Target, message: Message) -> None:
        path, edits = target.story.chat.path, self._companion.edits
        match name:
            case "break_here" | "split":
                end = edits.scenes.split if target.splits() else edits.scenes.mark
                self._do(end(path, message.anchor))
            case "previous_recap":
                self._do(edits.messages.take_from_previous_swipe(path, message.anchor))
            case "show_in_page":
                go = self._session.companion.page.go_to(path, message.anchor)
                self._session.do(go, name=N_("going to the message in SillyTavern"))

    def _on_break(self, name: str, target: Target) -> None:
        path, scenes = target.story.chat.path, self._companion.edits.scenes
        removable, hidden = target.removable(), target.hidden_break()
        if name.startswith("merge"):
            merged = target.merged(1 if name == "merge_next" else -1)
            if merged is not None:
                self._do(scenes.merge(path, merged.anchor))
        elif removable is not None:
            take = scenes.delete if name == "delete_break" else scenes.hide
            self._do(take(path, removable.anchor))
        elif hidden is not None and name == "toggle_break":
            self._do(scenes.mark(path, hidden.anchor))

    def _on_scene(self, name: str, target: Target) -> None:
        path, edits, closing = target.story.chat.path, self._companion.edits, target.closing()
        if name == "redo_recap" and target.redoes_message and target.message is not None:
            # The message's own recap where it has one or failed to get one, else the scene's.
            anchor = target.story.messages[target.message].anchor
            self._do(edits.messages.write(path, (anchor,)))
        elif closing is not None:
            self._on_closed_scene(name, path, closing.anchor)

    def _on_closed_scene(self, name: str, path: Path, anchor: str) -> None:
        if name == "redo_recap":
            self._do(self._companion.edits.redo_scene_recap(path, anchor))
        else:
            self.rebuild(path, anchor)

    def rebuild(self, path: Path, anchor: str) -> None:
        """Make the running recap again from the scene on that ends at a message."""
        edits = self._companion.edits
        cost = self._companion.command_costs.of_rebuild(path, anchor)
        self._ask(cost, lambda: edits.rebuild_running_recap(path, anchor))

    def redo_scene(self, story: Story, scene: int) -> None:
        """Write a closed scene's recap anew."""
        closing = story.scenes[scene].closing
        if closing is not None:
            self._do(self._companion.edits.redo_scene_recap(story.chat.path, closing.anchor))

    def fold(self, story: Story, scene: int, folds: bool) -> None:
        """Fold a closed scene, or unfold it; nothing where it is so already."""
        shown = story.scenes[scene]
        if shown.closing is not None and is_folded(shown) != folds:
            self._do(
                self._companion.edits.scenes.collapse(story.chat.path, shown.closing.anchor, folds)
            )

    def rename(self, story: Story, scene: int, name: str) -> None:
        """Name a closed scene; nothing for one that is gone."""
        closing = story.scenes[scene].closing if scene < len(story.scenes) else None
        if closing is not None:
            self._do(self._companion.edits.scenes.rename(story.chat.path, closing.anchor, name))

    def move(self, story: Story, anchor: str, to: str) -> None:
        """Let the scene that ends at one message end at another."""
        self._do(self._companion.edits.scenes.move(story.chat.path, anchor, to))

    def write_recap(self, story: Story, index: int, text: str) -> None:
        """Put the reader's words in place of a message's recap; nothing for one that is gone."""
        if index < len(story.messages):
            anchor = story.messages[index].anchor
            self._do(self._companion.edits.messages.edit(story.chat.path, anchor, text))

    def missing_recaps(self, story: Story) -> int:
        """How many messages lack a recap of their own."""
        return self._companion.edits.messages.missing(story.chat.path)

    def is_scene_stale(self, story: Story, scene: Scene) -> bool:
        """Whether a closed scene changed since its recap was made."""
        try:
            return scene.closing is not None and self._companion.edits.is_scene_recap_stale(
                story.chat.path, scene.closing.anchor
            )
        except UsageError:  # the story moved on, and the next state of it is on its way
            return False

    def is_in_page(self, story: Story) -> bool:
        """Whether SillyTavern's page shows a story."""
        return self._session.companion.page.shows(story.chat.path)

    def left_out(self, story: Story) -> frozenset[str]:
        """Anchors of the messages of a story that memory does not read."""
        if not story.messages:
            return frozenset()
        try:
            return self._session.companion.reading_bounds.left_out(story.chat.path)
        except UsageError:  # another chat took its place, and is shown at once
            return frozenset()

    def colours(self) -> str:
        """What the colours of the story show, a value of the setting."""
        return str(self._session.companion.setting(COLOURS).value)

    def keep_colours(self, view: str) -> None:
        """Remember what the colours of the story are to show."""
        self._do(self._session.companion.put_setting(COLOURS, view))

    def recap_scenes(self, story: Story, scenes: Sequence[Scene]) -> None:
        """Have recaps written of closed scenes, the oldest first."""
        path = story.chat.path
        anchors = [scene.closing.anchor for scene in scenes if scene.closing is not None]

        async def begin() -> None:
            for anchor in anchors:
                await self._companion.edits.redo_scene_recap(path, anchor)

        if anchors:
            self._ask(self._companion.command_costs.of_scenes(path, anchors), begin)

    def injects_recaps(self, story: Story) -> bool:
        """Whether message recaps of a story go into its prompt; yes where there is no story."""
        if not story.messages:
            return True
        try:
            value = self._session.companion.setting(INJECTS, path=story.chat.path).value
        except UsageError:  # another chat took its place, and is shown at once
            return True
        return bool(value)
