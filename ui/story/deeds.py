"""What a reader does to the story, as calls of the Companion."""

from __future__ import annotations

from collections.abc import Coroutine
from operator import attrgetter
from typing import Any

from app.errors import UsageError
from app.story.message_data import Mark
from app.story.messages import Message
from app.story.scenes import Scene
from app.story.story import Story
from app.translation import N_
from ui.session import Session
from ui.story.rows import is_folded
from ui.story.target import Target

MARKS = {"remember": Mark.REMEMBERED, "exclude": Mark.EXCLUDED}
INJECTS = "message_recaps_inject"
DEED = N_("changing the story")


class StoryDeeds:
    """Asks for one change of one story at a time; failures are told by the session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def ask(self, story: Story, deed: str, *arguments: Any, **options: Any) -> None:
        """Ask the Companion's edits for a deed, by its name: "mark_break", "scenes.move"."""
        call = attrgetter(deed)(self._session.companion.edits)
        coroutine: Coroutine[Any, Any, object] = call(story.chat.path, *arguments, **options)
        self._session.do(coroutine, name=DEED)

    def act(self, name: str, target: Target) -> None:
        """Do what an action of StoryActions is called, where that changes the story."""
        if name == "redo_recap" and len(target.more) > 1:
            self.ask(target.story, "messages.write", target.anchors())
        elif name in ("redo_recap", "rebuild"):
            self._on_scene(name, target)
        elif name in ("merge_previous", "merge_next", "toggle_break", "delete_break"):
            self._on_break(name, target)
        elif name == "recap_missing":
            self.ask(target.story, "messages.write_missing")
        elif name == "recap_scene_messages" and (scene := target.the_scene()) is not None:
            shown = target.story.messages[scene.first : scene.last + 1]
            self.ask(target.story, "messages.write", tuple(message.anchor for message in shown))
        elif name in MARKS:
            self.ask(target.story, "messages.mark", target.anchors(), MARKS[name])
        elif name == "recap_message":
            self.ask(target.story, "messages.write", target.anchors())
        elif name == "clear_recap":
            self.ask(target.story, "messages.clear", target.anchors())
        elif target.message is not None:
            self._on_message(name, target, target.story.messages[target.message])

    def _on_message(self, name: str, target: Target, message: Message) -> None:
        story = target.story
        match name:
            case "break_here" | "split":
                self.ask(story, "scenes.split" if target.splits() else "mark_break", message.anchor)
            case "previous_recap":
                self.ask(story, "messages.take_from_previous_swipe", message.anchor)
            case "show_in_page":
                go = self._session.companion.page.go_to(story.chat.path, message.anchor)
                self._session.do(go, name=N_("going to the message in SillyTavern"))

    def _on_break(self, name: str, target: Target) -> None:
        story, removable, hidden = target.story, target.removable(), target.hidden_break()
        if name.startswith("merge"):
            merged = target.merged(1 if name == "merge_next" else -1)
            if merged is not None:
                self.ask(story, "scenes.merge", merged.anchor)
        elif removable is not None:
            deed = "scenes.delete" if name == "delete_break" else "remove_break"
            self.ask(story, deed, removable.anchor)
        elif hidden is not None and name == "toggle_break":
            self.ask(story, "mark_break", hidden.anchor)

    def _on_scene(self, name: str, target: Target) -> None:
        closing = target.closing()
        if name == "redo_recap" and target.redoes_message and target.message is not None:
            # The message's own recap where it has one or failed to get one, else the scene's.
            anchor = target.story.messages[target.message].anchor
            self.ask(target.story, "messages.write", (anchor,))
        elif closing is not None:
            deed = "redo_scene_recap" if name == "redo_recap" else "rebuild_running_recap"
            self.ask(target.story, deed, closing.anchor)

    def redo_scene(self, story: Story, scene: int) -> None:
        """Write a closed scene's recap anew."""
        closing = story.scenes[scene].closing
        if closing is not None:
            self.ask(story, "redo_scene_recap", closing.anchor)

    def fold(self, story: Story, scene: int, folds: bool) -> None:
        """Fold a closed scene, or unfold it; nothing where it is so already."""
        shown = story.scenes[scene]
        if shown.closing is not None and is_folded(shown) != folds:
            self.ask(story, "collapse_scene", shown.closing.anchor, folds)

    def rename(self, story: Story, scene: int, name: str) -> None:
        """Name a closed scene; nothing for one that is gone."""
        closing = story.scenes[scene].closing if scene < len(story.scenes) else None
        if closing is not None:
            self.ask(story, "rename_scene", closing.anchor, name)

    def missing_recaps(self, story: Story) -> int:
        """How many messages lack a recap of their own."""
        return self._session.companion.edits.messages.missing(story.chat.path)

    def is_scene_stale(self, story: Story, scene: Scene) -> bool:
        """Whether a closed scene changed since its recap was made."""
        edits = self._session.companion.edits
        try:
            return scene.closing is not None and edits.is_scene_recap_stale(
                story.chat.path, scene.closing.anchor
            )
        except UsageError:  # the story moved on, and the next state of it is on its way
            return False

    def is_in_page(self, story: Story) -> bool:
        """Whether SillyTavern's page shows a story."""
        return self._session.companion.page.shows(story.chat.path)

    def injects_recaps(self, story: Story) -> bool:
        """Whether message recaps of a story go into its prompt; yes where there is no story."""
        if not story.messages:
            return True
        try:
            value = self._session.companion.setting(INJECTS, path=story.chat.path).value
        except UsageError:  # another chat took its place, and is shown at once
            return True
        return bool(value)
