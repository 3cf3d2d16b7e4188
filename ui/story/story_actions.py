"""The actions of the story page: what each is called, its key, and when it may be used."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.story.messages import MessageRecap
from app.story.scenes import Scene, SceneBreak
from app.story.story import Story
from ui.story.rows import is_folded


@dataclass(frozen=True, slots=True)
class Target:
    """What the actions act on: the current row, or the newest message when there is none.

    message: index, None on a scene's own row. scene: index, None in an empty story.
    """

    story: Story
    message: int | None
    scene: int | None
    is_chosen: bool

    def the_scene(self) -> Scene | None:
        return self.story.scenes[self.scene] if self.scene is not None else None

    def closing(self) -> SceneBreak | None:
        """The break that ends the target's scene: it holds the scene's name and fold."""
        scene = self.the_scene()
        return scene.closing if scene is not None else None

    def removable(self) -> SceneBreak | None:
        """On a scene's row the break above it, on a scene's last message the break below."""
        scene = self.the_scene()
        if scene is None or self.scene is None:
            return None
        if self.message is None:
            return self.story.scenes[self.scene - 1].closing if self.scene else None
        return scene.closing if self.message == scene.last else None

    def broken_scene(self) -> int | None:
        """Index of the scene whose break `removable` gives."""
        if self.removable() is None or self.scene is None:
            return None
        return self.scene - 1 if self.message is None else self.scene

    def break_place(self, by: int) -> int | None:
        """Message that the break would stand on, moved by so many; both scenes keep a message."""
        number = self.broken_scene()
        if number is None:
            return None
        scenes = self.story.scenes
        place = scenes[number].last + by
        most = scenes[number + 1].last - 1 if number + 1 < len(scenes) else scenes[number].last
        return place if scenes[number].first <= place <= most else None

    @property
    def redoes_message(self) -> bool:
        """Whether a redo means the message's own recap: it has one, or failed to get one."""
        recap = self.recap()
        return self.is_chosen and bool(recap.text or recap.error)

    def recap(self) -> MessageRecap:
        """The recap and marks of the target message."""
        if self.message is None:
            return MessageRecap()
        anchor = self.story.messages[self.message].anchor
        return self.story.message_recaps.get(anchor, MessageRecap())


class StoryActions(QObject):
    """The page's QActions; all are added to the page, so palette and menus find them.

    Signals:
        asked: name of the action, as in the attributes.
    """

    asked = Signal(str)

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.break_here = self._make(
            "break_here", "Break scene here", "B", "End the scene with this message. (B)"
        )
        # The window has this action with this key as well: here the key is only shown, and the
        # column answers it itself where there is no window around it.
        self.break_here.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.remove_break = self._make(
            "remove_break", "Remove break", "", "Join the two scenes at this break."
        )
        self.move_up = self._make(
            "move_up", "Move break up", "Alt+Shift+Up", "End the scene one message earlier."
        )
        self.move_down = self._make(
            "move_down", "Move break down", "Alt+Shift+Down", "End the scene one message later."
        )
        self.delete_break = self._make(
            "delete_break",
            "Delete break and its recaps",
            "",
            "Join the two scenes and put the recaps away that end here.",
        )
        self.rename = self._make("rename", "Rename scene", "F2", "Give the scene a name. (F2)")
        self.fold = self._make("fold", "Fold scene", "", "Show the scene as one line. (Left)")
        self.unfold = self._make("unfold", "Unfold scene", "", "Show its messages. (Right)")
        self.previous_scene = self._make(
            "previous_scene", "Previous scene", "Alt+Up", "Go to the scene before. (Alt Up)"
        )
        self.next_scene = self._make(
            "next_scene", "Next scene", "Alt+Down", "Go to the scene after. (Alt Down)"
        )
        self.remember = self._make(
            "remember",
            "Remember",
            "M",
            "Keep this message's recap even when the budget is full. (M)",
            checkable=True,
        )
        self.exclude = self._make(
            "exclude", "Exclude", "X", "Leave this message's recap out. (X)", checkable=True
        )
        self.redo_recap = self._make(
            "redo_recap", "Redo scene recap", "R", "Write the recap anew. (R)"
        )
        self.recap_message = self._make(
            "recap_message", "Recap this message", "Shift+R", "Write its recap now. (Shift R)"
        )
        self.recap_missing = self._make(
            "recap_missing",
            "Recap all messages without one",
            "",
            "Write the recaps of all messages that lack one.",
        )
        self.rebuild = self._make(
            "rebuild",
            "Rebuild running recap from here",
            "",
            "Fold the scenes in anew, from this one on. The versions there are stay.",
        )
        self.edit_recap = self._make(
            "edit_recap", "Edit recap", "E", "Write this message's recap yourself. (E)"
        )
        self.find = self._make("find", "Find in chat", "Ctrl+F", "Find a text. (Ctrl F)")

    def _make(
        self, name: str, text: str, key: str, tip: str, *, checkable: bool = False
    ) -> QAction:
        action = QAction(text, self._page)
        action.setObjectName(f"story.{name}")
        action.setToolTip(tip)
        action.setCheckable(checkable)
        if key:
            action.setShortcut(QKeySequence(key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self._on_triggered)
        self._page.addAction(action)
        return action

    def _on_triggered(self, _checked: bool = False) -> None:
        sender = self.sender()
        if sender is not None:
            self.asked.emit(sender.objectName().removeprefix("story."))

    def adjust(self, target: Target) -> None:
        """Enable what makes sense for the target, and name it exactly."""
        scene, closing = target.the_scene(), target.closing()
        has_message = target.message is not None and target.is_chosen
        ends_already = scene is not None and closing is not None and target.message == scene.last
        self.break_here.setEnabled(target.message is not None and not ends_already)
        self.break_here.setToolTip(_break_tip(target, ends_already=ends_already))
        removable = target.removable()
        self.remove_break.setEnabled(removable is not None and target.is_chosen)
        above = target.message is None
        self.remove_break.setText(
            _removal(target.story, target.scene, above) if removable else "Remove break"
        )
        self.delete_break.setEnabled(removable is not None and target.is_chosen)
        self.move_up.setEnabled(target.is_chosen and target.break_place(-1) is not None)
        self.move_down.setEnabled(target.is_chosen and target.break_place(1) is not None)
        self.rename.setEnabled(closing is not None)
        self.rename.setToolTip(
            "Give the scene a name. (F2)" if closing else "An open scene is named when it closes."
        )
        folded = scene is not None and is_folded(scene)
        self.fold.setEnabled(closing is not None and not folded)
        self.fold.setToolTip(
            "Show the scene as one line. (Left)" if closing else "An open scene cannot be folded."
        )
        self.unfold.setEnabled(folded)
        self.previous_scene.setEnabled(target.scene is not None)
        self.next_scene.setEnabled(
            target.scene is not None and target.scene + 1 < len(target.story.scenes)
        )
        recap = target.recap()
        self.remember.setEnabled(has_message)
        self.remember.setChecked(recap.is_remembered)
        self.exclude.setEnabled(has_message)
        self.exclude.setChecked(recap.is_excluded)
        self.redo_recap.setEnabled(closing is not None or target.redoes_message)
        self.redo_recap.setText(
            "Redo message recap" if target.redoes_message else "Redo scene recap"
        )
        self.recap_message.setEnabled(has_message)
        self.recap_missing.setEnabled(bool(target.story.messages))
        self.rebuild.setEnabled(closing is not None and bool(target.story.running.versions))
        self.rebuild.setText(
            f"Rebuild running recap from scene {scene.number}"
            if scene is not None and closing is not None
            else "Rebuild running recap from here"
        )
        self.edit_recap.setEnabled(has_message)
        self.find.setEnabled(bool(target.story.messages))

    def for_message(self, target: Target) -> tuple[QAction | None, ...]:
        """Menu of a message; None is a line."""
        own = () if target.redoes_message else (self.recap_message,)
        return (
            self.break_here,
            self.remove_break,
            self.move_up,
            self.move_down,
            None,
            self.remember,
            self.exclude,
            self.edit_recap,
            *own,
            self.redo_recap,
            self.recap_missing,
            None,
            self.rename,
            self.fold,
        )

    def for_scene(self) -> tuple[QAction | None, ...]:
        """Menu of a divider or folded scene; None is a line."""
        return (
            self.rename,
            self.fold,
            self.unfold,
            None,
            self.redo_recap,
            self.rebuild,
            None,
            self.move_up,
            self.move_down,
            self.remove_break,
            self.delete_break,
        )


def _break_tip(target: Target, *, ends_already: bool) -> str:
    if target.message is None:
        return "Choose the message that ends the scene first."
    if ends_already:
        return f"The scene ends with #{target.message} already."
    return f"End the scene with #{target.message}. (B)"


def _removal(story: Story, scene: int | None, is_above: bool) -> str:
    """ "Remove break before #89" or "after #98"."""
    if scene is None:
        return "Remove break"
    shown = story.scenes[scene]
    return (
        f"Remove break before #{shown.first}" if is_above else f"Remove break after #{shown.last}"
    )
