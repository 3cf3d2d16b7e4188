"""Keeps a break that is moved the current row: its key can be pressed again."""

from __future__ import annotations

from app.story.story import Story
from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_model import MessageModel
from ui.story.target import Target


class MovedBreak:
    """Knows which break was asked to move, until the story shows it at its new place."""

    def __init__(self, view: ChatView, model: MessageModel) -> None:
        self._view = view
        self._model = model
        self._scene: int | None = None
        self._is_message = False

    def ask(self, target: Target, by: int) -> tuple[str, str] | None:
        """Anchors from and to which the target's break goes; None where it cannot."""
        removable, place, number = target.removable(), target.break_place(by), target.broken_scene()
        if removable is None or place is None or number is None:
            return None
        # On a message the row stays the last of its scene, on a divider that below the break.
        self._is_message = target.message is not None
        self._scene = number if self._is_message else number + 1
        return removable.anchor, target.story.messages[place].anchor

    def place(self, story: Story, scene: int, last: int) -> tuple[str, str] | None:
        """Anchors from and to which the break goes that ends a scene; None when it is gone.

        scene: index. last: index of the message that ends the scene from then on.
        """
        closing = story.scenes[scene].closing if scene < len(story.scenes) else None
        if closing is None or last >= len(story.messages):
            return None
        self._is_message, self._scene = False, scene + 1
        return closing.anchor, story.messages[last].anchor

    def follow(self, story: Story) -> None:
        """Another state is shown: make the row current that the break stands on now."""
        number, self._scene = self._scene, None
        if number is None or number >= len(story.scenes):
            return
        layout = self._model.layout
        if self._is_message:
            self._view.select_row(layout.row_of_message(story.scenes[number].last))
        else:
            self._view.select_row(layout.row_of_scene(number))
