"""The actions of the story page: what each is called, its key, and when it may be used."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, number, tr
from app.story.scenes import Scene
from ui.controls.page_commands import ON_CHOSEN
from ui.core.actions import ALSO_CALLED
from ui.story.action_specs import MESSAGE_ACTIONS, SCENE_ACTIONS, StoryActionSpec
from ui.story.messages.rows import is_folded
from ui.story.target import Target

EXCLUDE_TIP = N_("Keep this message's recap out of the prompt; the message stays. (X)")
EXCLUDE_AHEAD = N_(
    "No recap yet. One written later stays out of the prompt; the message itself stays in. (X)"
)

UNCHANGED = N_("Safe mode does not change stories. Start normally to do that.")
ONLY_SHOW = ("scene_memories", "previous_scene", "next_scene", "find", "show_in_page")


class StoryActions(QObject):
    """The page's QActions; all are added to the page, so palette and menus find them.

    Signals:
        asked: name of the action, as in the attributes.
    """

    asked = Signal(str)

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self._icons = {spec.name: spec.icon for spec in (*SCENE_ACTIONS, *MESSAGE_ACTIONS)}
        made = {spec.name: self._make(spec) for spec in (*SCENE_ACTIONS, *MESSAGE_ACTIONS)}
        self.break_here = made["break_here"]
        # The window has this action with this key as well: here the key is only shown, and the
        # column answers it itself where there is no window around it.
        self.break_here.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        self.split = made["split"]
        self.merge_previous, self.merge_next = made["merge_previous"], made["merge_next"]
        self.toggle_break, self.delete_break = made["toggle_break"], made["delete_break"]
        self.move_up, self.move_down = made["move_up"], made["move_down"]
        self.rename, self.fold, self.unfold = made["rename"], made["fold"], made["unfold"]
        self.find_breaks, self.find = made["find_breaks"], made["find"]
        self.previous_scene, self.next_scene = made["previous_scene"], made["next_scene"]
        self.redo_recap, self.rebuild = made["redo_recap"], made["rebuild"]
        self.scene_memories = made["scene_memories"]
        self.remember, self.exclude = made["remember"], made["exclude"]
        self.leave_out = made["leave_out"]
        self.recap_message, self.edit_recap = made["recap_message"], made["edit_recap"]
        self.recap_scene_messages = made["recap_scene_messages"]
        self.recap_missing, self.clear_recap = made["recap_missing"], made["clear_recap"]
        self.previous_recap, self.clear_all = made["previous_recap"], made["clear_all"]
        self.left_out: frozenset[str] = frozenset()  # anchors that memory does not read
        self.can_change = True  # not so in safe mode
        self._changing = tuple(made[name] for name in made if name not in ONLY_SHOW)
        self.take_in = made["take_in"]
        self.show_in_page = made["show_in_page"]
        for action in made.values():
            action.setProperty(ON_CHOSEN, action not in (*self.for_story(), self.find))

    def _make(self, spec: StoryActionSpec) -> QAction:
        action = QAction(tr(spec.text), self._page)
        action.setObjectName(f"story.{spec.name}")
        action.setToolTip(tr(spec.sentence))
        action.setProperty(ALSO_CALLED, tr(spec.also))
        action.setCheckable(spec.is_checkable)
        if spec.key:
            action.setShortcut(QKeySequence(spec.key))
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(self._on_triggered)
        self._page.addAction(action)
        return action

    @property
    def icons(self) -> dict[QAction, str]:
        """All of them, each with the name of its icon."""
        return {action: self.icon(action) for action in self._page.actions()}

    def icon(self, action: QAction) -> str:
        """Name of an action's icon."""
        return self._icons.get(action.objectName().removeprefix("story."), "book")

    def _on_triggered(self, _checked: bool = False) -> None:
        sender = self.sender()
        if sender is not None:
            self.asked.emit(sender.objectName().removeprefix("story."))

    def adjust(self, target: Target) -> None:
        """Enable what makes sense for the target, and name it exactly."""
        self._adjust_breaks(target)
        self._adjust_scene(target)
        self._adjust_message(target)
        self.find_breaks.setEnabled(bool(target.story.messages))
        self.clear_all.setEnabled(bool(target.story.messages))
        self.take_in.setEnabled(bool(target.story.messages))
        self.find.setEnabled(bool(target.story.messages))
        if not self.can_change:
            for action in self._changing:
                action.setEnabled(False)
                action.setToolTip(tr(UNCHANGED))

    def adjust_page(self, target: Target, *, is_shown: bool) -> None:
        """Whether one can go to the message in SillyTavern, whose page shows the chat or not."""
        self.show_in_page.setEnabled(is_shown and target.message is not None)
        self.show_in_page.setToolTip(
            tr("Scroll SillyTavern's page to this message. (Shift S)")
            if is_shown
            else tr("SillyTavern is not showing this chat right now.")
        )

    def _adjust_breaks(self, target: Target) -> None:
        scene, is_chosen = target.the_scene(), target.is_chosen
        ends_already = scene is not None and scene.is_closed and target.message == scene.last
        self.break_here.setEnabled(target.message is not None and not ends_already)
        self.break_here.setToolTip(_break_tip(target, ends_already=ends_already))
        self.split.setEnabled(is_chosen and target.splits())
        if scene is not None and target.splits():
            self.split.setText(
                tr(
                    "Split scene {number} after #{message}",
                    number=scene.number,
                    message=target.message,
                )
            )
        removable, hidden = target.removable(), target.hidden_break()
        before, after = _place_of_break(target)
        self.toggle_break.setEnabled(is_chosen and (removable or hidden) is not None)
        self.toggle_break.setText((_hide_words if hidden is None else _show_words)(before, after))
        self.delete_break.setEnabled(is_chosen and removable is not None)
        self.delete_break.setText(_delete_words(before, after))
        self.move_up.setEnabled(is_chosen and target.break_place(-1) is not None)
        self.move_down.setEnabled(is_chosen and target.break_place(1) is not None)

    def _adjust_scene(self, target: Target) -> None:
        scene, closing, place = target.the_scene(), target.closing(), target.scene
        for action, by in ((self.merge_previous, -1), (self.merge_next, 1)):
            can_merge = target.is_chosen and target.merged(by) is not None
            action.setEnabled(can_merge)
            action.setText(_merge_words(by, scene.number + by if can_merge and scene else None))
        self.scene_memories.setEnabled(scene is not None)
        self.rename.setEnabled(closing is not None)
        self.rename.setToolTip(
            tr("Give the scene a name. (F2)")
            if closing
            else tr("An open scene gets its name when it ends.")
        )
        folded = scene is not None and is_folded(scene)
        self.fold.setEnabled(closing is not None and not folded)
        self.fold.setToolTip(
            tr("Show the scene as one line. (Left)")
            if closing
            else tr("An open scene cannot be collapsed.")
        )
        self.unfold.setEnabled(folded)
        self.previous_scene.setEnabled(place is not None)
        self.next_scene.setEnabled(place is not None and place + 1 < len(target.story.scenes))
        self.rebuild.setEnabled(closing is not None and bool(target.story.running.versions))
        self.rebuild.setText(
            tr("Rebuild running recap from scene {number}", number=scene.number)
            if scene is not None and closing is not None
            else tr("Rebuild running recap from here")
        )

    def _adjust_message(self, target: Target) -> None:
        recaps = target.recaps()
        count = len(recaps)
        for action in (self.remember, self.exclude, self.leave_out, self.recap_message):
            action.setEnabled(count > 0)
        self.edit_recap.setEnabled(count == 1)
        self.remember.setText(
            tr("Remember") if count < 2 else tr("Remember {count} recaps", count=number(count))
        )
        self.remember.setChecked(count > 0 and all(recap.is_remembered for recap in recaps))
        self.exclude.setText(
            tr("Leave its recap out")
            if count < 2
            else tr("Leave {count} recaps out", count=number(count))
        )
        has_recap = any(recap.text for recap in recaps)
        self.exclude.setToolTip(tr(EXCLUDE_TIP) if has_recap else tr(EXCLUDE_AHEAD))
        self.leave_out.setText(
            tr("Leave out of memory")
            if count < 2
            else tr("Leave {count} messages out of memory", count=number(count))
        )
        anchors = target.anchors()
        self.leave_out.setChecked(bool(anchors) and self.left_out.issuperset(anchors))
        self.exclude.setChecked(count > 0 and all(recap.is_excluded for recap in recaps))
        self.recap_message.setText(
            tr("Recap this message")
            if count < 2
            else tr("Recap these {count} messages", count=number(count))
        )
        written = sum(bool(recap.text or recap.error) for recap in recaps)
        self.clear_recap.setEnabled(written > 0)
        self.clear_recap.setText(
            tr("Clear recap")
            if written < 2
            else tr("Clear {written} recaps", written=number(written))
        )
        message = target.story.messages[target.message] if target.message is not None else None
        self.previous_recap.setEnabled(count == 1 and message is not None and message.swipe > 0)
        self.redo_recap.setEnabled(
            target.closing() is not None or target.redoes_message or count > 1
        )
        own = target.redoes_message or count > 1
        self.redo_recap.setText(tr("Redo message recap") if own else tr("Redo scene recap"))
        self.recap_scene_messages.setEnabled(target.is_chosen and target.scene is not None)
        self.recap_scene_messages.setText(_scene_recaps(target.the_scene()))
        self.recap_missing.setEnabled(bool(target.story.messages))

    def forget_count(self) -> None:
        """Another chat is shown: how many of its messages lack a recap is not known yet."""
        self.recap_missing.setText(tr("Recap all messages without one"))

    def for_message(self, target: Target) -> tuple[QAction | None, ...]:
        """Menu of a message; None is a line."""
        is_single = len(target.more) < 2
        own: tuple[QAction, ...] = (self.redo_recap, self.edit_recap, self.clear_recap)
        if not is_single:
            own = (self.recap_message, self.clear_recap)
        elif not target.redoes_message:
            own = (self.recap_message, *own)
        if self.previous_recap.isEnabled():
            own = (*own, self.previous_recap)
        breaks: tuple[QAction, ...] = (self.split if target.splits() else self.break_here,)
        if target.removable() is not None:
            breaks = (self.toggle_break, self.move_up, self.move_down, self.delete_break)
        elif target.hidden_break() is not None:
            breaks = (*breaks, self.toggle_break)
        return (
            *breaks,
            None,
            self.remember,
            self.exclude,
            self.leave_out,
            None,
            *own,
            None,
            self.recap_scene_messages,
            self.recap_missing,
            None,
            self.rename,
            self.fold,
            None,
            self.show_in_page,
        )

    def for_scene(self, target: Target) -> tuple[QAction | None, ...]:
        """Menu of a divider or folded scene; None is a line."""
        return (
            self.rename,
            self.unfold if self.unfold.isEnabled() else self.fold,
            None,
            self.merge_previous,
            self.merge_next,
            self.move_up,
            self.move_down,
            self.toggle_break,
            self.delete_break,
            None,
            self.redo_recap,
            self.rebuild,
            self.recap_scene_messages,
            self.scene_memories,
            None,
            self.find_breaks,
        )

    def with_scene_keys(self) -> tuple[QAction, ...]:
        """What the menu of a scene shows a key for, whatever the scene."""
        return tuple(
            action
            for action in (
                *(self.rename, self.merge_previous, self.merge_next, self.move_up, self.move_down),
                *(self.toggle_break, self.delete_break, self.redo_recap, self.find_breaks),
            )
            if action.shortcuts()
        )

    def for_story(self) -> tuple[QAction, ...]:
        """What is done to the whole story."""
        return self.find_breaks, self.recap_missing, self.take_in, self.clear_all


def _break_tip(target: Target, *, ends_already: bool) -> str:
    if target.message is None:
        return tr("First choose the message that ends the scene.")
    if ends_already:
        return tr("The scene already ends with #{message}.", message=target.message)
    return tr("End the scene with #{message}. (B)", message=target.message)


def _place_of_break(target: Target) -> tuple[int | None, int | None]:
    """The message it stands before, on a scene's row; after which, on a message; else None."""
    scene = target.the_scene()
    if scene is None or (target.removable() or target.hidden_break()) is None:
        return None, None
    return (scene.first, None) if target.message is None else (None, target.message)


def _hide_words(before: int | None, after: int | None) -> str:
    if before is not None:
        return tr("Hide break before #{message}", message=before)
    return tr("Hide break") if after is None else tr("Hide break after #{message}", message=after)


def _show_words(before: int | None, after: int | None) -> str:
    if before is not None:
        return tr("Show break before #{message}", message=before)
    return tr("Show break") if after is None else tr("Show break after #{message}", message=after)


def _delete_words(before: int | None, after: int | None) -> str:
    if before is not None:
        return tr("Delete break before #{message} and its recaps", message=before)
    if after is not None:
        return tr("Delete break after #{message} and its recaps", message=after)
    return tr("Delete break and its recaps")


def _merge_words(by: int, other: int | None) -> str:
    if other is None:
        return tr("Merge with the scene above") if by < 0 else tr("Merge with the scene below")
    if by < 0:
        return tr("Merge with scene {number} above", number=other)
    return tr("Merge with scene {number} below", number=other)


def _scene_recaps(scene: Scene | None) -> str:
    if scene is None:
        return tr("Recap the messages of this scene")
    if scene.length == 1:
        return tr("Recap the message of scene {number}", number=scene.number)
    return tr(
        "Recap the {length} messages of scene {number}",
        length=number(scene.length),
        number=scene.number,
    )
