"""What the window looks at: one Companion, the open chat, and Qt's signals for app's signals."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.core.errors import ChatUnreadable, TavernkeepError
from app.core.operations import ALL, Operation
from app.core.resources import RESOURCES
from app.core.tasks import TaskSupervisor
from app.core.translation import N_, retold, tr
from app.prompt.reach import NOTHING_REACHED, Reached
from app.prompt.slots import SlotSet
from app.settings.memory import MemorySettings
from app.story.story import ChatRef, Story
from ui.controls.timers import once
from ui.core.chat_words import chat_words

if TYPE_CHECKING:
    from app.companion import Companion
    from app.core.part_health import Health
    from app.views.away_recap import AwayRecap
    from app.views.catch_up import CatchUpPlan
    from app.views.chat_copies import ChatAlarm
    from app.views.queued_work import OperationProgress
    from app.views.story_change import StoryChange

log = logging.getLogger(__name__)

SETTLE_MS = 120


class Session(QObject):
    """Holds which chat is open and hands the Companion's news to the widgets.

    Signals (payloads are the Companion's own objects):
        chat_opened: Story, another chat is shown now.
        story_changed: StoryChange of the chat that is shown.
        slots_changed: SlotSet of the chat that is shown.
        reach_changed: Reached, how its messages reach the next prompt; after slots_changed.
        library_changed, health_changed, progressed: as the Companion's.
        operations_changed: the operations; they are as they were where a catch-up began or ended.
        remote_changed: a SillyTavern on another machine was paired or forgotten, or a code is over.
        replayed: something was taken back or done again.
        undone: a sentence on what undo took back.
        undo_changed: (undo, redo), names of what would be taken back or made again, "" for nothing.
        catch_up_offered: CatchUpPlan of the chat that is shown, while its backlog waits for the
            user's word; None once it does not.
        recap_told: AwayRecap of any chat, for whoever comes back to it.
        recap_over: path of a chat whose story goes on after that.
        chat_alarm: ChatAlarm, any chat lost messages. chat_alarm_over: path of one that has them
            again.
        reading: bool, a chat is being read.
        failed: a sentence for the user.
        mended: a sentence that was said by `failed` and holds no more.
        told: a sentence on what was done, for a moment.
        turns_changed: the chat that is shown had a turn.
        read_asked: the chat that is shown is to be read for its memory now.
    """

    chat_opened = Signal(object)
    story_changed = Signal(object)
    slots_changed = Signal(object)
    reach_changed = Signal(object)
    library_changed = Signal()
    remote_changed = Signal()
    operations_changed = Signal(object)
    health_changed = Signal(object)
    progressed = Signal(object)
    replayed = Signal()
    undone = Signal(str)
    undo_changed = Signal(str, str)
    catch_up_offered = Signal(object)
    recap_told = Signal(object)
    recap_over = Signal(object)
    chat_alarm = Signal(object)
    chat_alarm_over = Signal(object)
    reading = Signal(bool)
    failed = Signal(str)
    mended = Signal(str)
    told = Signal(str)
    turns_changed = Signal()
    read_asked = Signal()

    def __init__(self, companion: Companion, tasks: TaskSupervisor) -> None:
        super().__init__()
        self.companion = companion
        self._tasks = tasks
        self._path: Path | None = None
        self._story: Story | None = None
        self._slots = SlotSet()
        self.is_counted = False  # whether the slots of the chat that is shown are known
        self.chosen_scene = ""  # on the page Story: anchor of the message that closes it
        self.member = ""  # of a group, whose prompt is shown; "" for who spoke last
        self._reach = NOTHING_REACHED
        self._plan: CatchUpPlan | None = None
        self._told: set[tuple[Path, str]] = set()
        self._undo_label: tuple[Path | None, str] = None, ""  # of the chat that is shown
        self._way_back: tuple[str, Callable[[], Coroutine[Any, Any, None]]] | None = None
        self._settle = once(self, SETTLE_MS, self._fetch)
        self.replayed.connect(self.refresh)
        self._is_closed = False
        self.came_by_itself = True  # the chat that is shown: nobody chose it in the window
        for signal, receiver in self._hearing():
            signal.connect(receiver)

    def _hearing(self) -> tuple[tuple[Any, Callable[[Any], None]], ...]:
        companion = self.companion
        return (
            (companion.library_changed, self._on_library_changed),
            (companion.story_changed, self._on_story_changed),
            (companion.operations_changed, self._on_operations_changed),
            (companion.health_changed, self._on_health_changed),
            (companion.slots_changed, self._on_slots_changed),
            (companion.settings_changed, self._on_settings_changed),
            (companion.progress, self._on_progress),
            (companion.chat_renamed, self._on_chat_renamed),
            (companion.catch_up_changed, self._on_catch_up_changed),
            (companion.away_recap, self._on_away_recap),
            (companion.away_recap_over, self._on_away_recap_over),
            (companion.chat_alarm, self._on_chat_alarm),
            (companion.chat_alarm_over, self._on_chat_alarm_over),
            (companion.trouble, self._on_trouble),
            (companion.trouble_over, self._on_trouble_over),
            (companion.turns.changed, self._on_turns_changed),
            (companion.remote.changed, self._on_remote_changed),
        )

    def close(self) -> None:
        """Hear and ask nothing any more: the Companion is about to stop."""
        self._is_closed = True
        self._settle.stop()
        for signal, receiver in self._hearing():
            signal.disconnect(receiver)

    @property
    def path(self) -> Path | None:
        """File of the chat that is shown."""
        return self._path

    @property
    def is_demo(self) -> bool:
        """Whether the story that comes with Tavernkeep is shown."""
        return self._path is not None and RESOURCES in self._path.parents

    @property
    def story(self) -> Story | None:
        """Newest story of the chat that is shown."""
        return self._story

    @property
    def plan(self) -> CatchUpPlan | None:
        """What the backlog of the chat that is shown would take, while it waits for a word."""
        return self._plan

    @property
    def slots(self) -> SlotSet:
        """Newest slots of the chat that is shown."""
        return self._slots

    @property
    def reach(self) -> Reached:
        """How the messages of the chat that is shown reach the next prompt."""
        return self._reach

    def do(self, coroutine: Coroutine[Any, Any, object], *, name: str) -> asyncio.Task[None] | None:
        """Run it to its end; a failure becomes a sentence in `failed`. None at the very end."""
        if self._is_closed:
            coroutine.close()
            return None
        task = self._tasks.spawn(self._guarded(coroutine, name), name=name)
        # A task that is cancelled before its first step never gets to its coroutine.
        task.add_done_callback(lambda _task: coroutine.close())
        return task

    def open_chat(self, chat: ChatRef, *, by_itself: bool = False) -> None:
        """Read a chat and show it; see `open_path`."""
        self.do(self.open_path(chat.path, by_itself=by_itself), name=N_("open chat"))

    async def open_path(self, path: Path, *, by_itself: bool = False) -> None:
        """Read the chat at `path` and show it. Raises ChatUnreadable.

        by_itself: nobody asked for it in the window; it stands there until SillyTavern shows one.
        """
        self._told = {told for told in self._told if told[0] != path}
        self.reading.emit(True)
        try:
            story = await self.companion.open_story(path)
        except ChatUnreadable:
            if self.companion.is_away(path):
                return  # that the folder is gone is told with a way on
            raise
        finally:
            self.reading.emit(False)
        self._path, self.came_by_itself = story.chat.path, by_itself
        self._story = self.companion.story(self._path) or story
        self._slots, self._reach = SlotSet(), NOTHING_REACHED
        self.is_counted, self.chosen_scene, self.member = False, "", ""
        self._offer(None)
        self.chat_opened.emit(self._story)
        self._settle.start()

    async def _guarded(self, coroutine: Coroutine[Any, Any, object], name: str) -> None:
        try:
            await coroutine
        except TavernkeepError as error:
            self.failed.emit(str(error))
        except Exception:
            log.exception("%s failed", name)
            self.failed.emit(
                tr(
                    "{command} did not work. Nothing was lost; the log has details.",
                    command=sentence_of(name),
                )
            )

    @property
    def is_alone(self) -> bool:
        """Whether what only other chats say is left out of the chat that is shown."""
        name, path = MemorySettings.other_chats_enabled.name, self._path
        return path is not None and not self.companion.setting(name, path=path).value

    def undo(self) -> None:
        """Take back what was done last, in this chat or outside of all, and say what it was."""
        if self._way_back is not None:
            (label, way), self._way_back = self._way_back, None
            self.do(self._go_back(label, way()), name=N_("undo"))
        elif self._path is not None:
            command = self.companion.edits.undo(self._path)
            self.do(self._undo(command), name=N_("undo"))

    def redo(self) -> None:
        """Do again what was taken back, and say what it was."""
        if self._path is not None:
            command = self.companion.edits.redo(self._path)
            self.do(self._tell_label(N_("Redone: {command}"), command), name=N_("redo"))

    async def can_take_back(self, label: str, way: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """What was done outside of all chats: undo takes it back until something else is done.
        label: what it is, in English. way: does it; kept in memory only.
        """
        path = self._path
        if path is not None:  # what was done before, and is not shown yet, is nothing else
            undo, _ = await self.companion.edits.undo_labels(path)
            self._undo_label = path, undo
        self._way_back = label, way
        self.undo_changed.emit(label, "")

    async def _go_back(self, label: str, way: Coroutine[Any, Any, None]) -> None:
        await way
        self.told.emit(tr("Undone: {command}", command=retold(label)))
        self.undo_changed.emit(self._undo_label[1], "")
        self.refresh()

    async def _undo(self, command: Coroutine[Any, Any, str]) -> None:
        label = await self._tell_label(N_("Undone: {command}"), command)
        if label:
            self.undone.emit(tr("Undone: {command}", command=label))

    async def _tell_label(self, sentence: str, command: Coroutine[Any, Any, str]) -> str:
        label = retold(await command)
        if label:
            self.replayed.emit()
            self.told.emit(tr(sentence, command=label))
        return label

    def choose_member(self, name: str) -> None:
        """Show the next prompt of this member of the group."""
        self.member = name
        self.refresh()

    def refresh(self) -> None:
        """Ask anew, in a moment, for what a command changes: the next prompt, the next undo."""
        self._settle.start()

    def _fetch(self) -> None:
        if self._path is not None:
            self.do(self._load(self._path), name=N_("reading the next prompt"))

    async def _load(self, path: Path) -> None:
        member, way_back = self.member, self._way_back
        slots = await self.companion.next_prompt(path, member)
        undo, redo = await self.companion.edits.undo_labels(path)
        if path == self._path:
            if member == self.member:
                self._slots, self.is_counted = slots, True
                self.slots_changed.emit(slots)
            if self._way_back is way_back:
                if self._undo_label[0] == path and self._undo_label[1] != undo:
                    self._way_back = None
                self._undo_label = path, undo
            self.undo_changed.emit(self._way_back[0] if self._way_back else undo, redo)
            self._offer(self.companion.work.catch_up(path))
        reach = await self.companion.reaching.of(path)
        if path == self._path and reach != self._reach:
            self._reach = reach
            self.reach_changed.emit(reach)

    def _offer(self, plan: CatchUpPlan | None) -> None:
        if plan != self._plan:
            self._plan = plan
            self.catch_up_offered.emit(plan)

    def catch_up(self, part: str = ALL) -> None:
        """Let the model work off the backlog of this chat, or a part of it."""
        if self._path is not None:
            self.do(self.companion.work.start_catch_up(self._path, part), name=N_("catching up"))
            self._offer(None)

    def _on_catch_up_changed(self, chat: ChatRef) -> None:
        # When a catch-up ends, less is to do though no operation has changed since.
        self.operations_changed.emit(self.companion.work.operations)
        if chat.path == self._path:
            self._offer(self.companion.work.catch_up(chat.path))

    def _on_remote_changed(self, _payload: None) -> None:
        self.remote_changed.emit()

    def _on_library_changed(self, _payload: None) -> None:
        self.library_changed.emit()

    def _on_story_changed(self, change: StoryChange) -> None:
        path = change.chat.path
        if path == self._path:
            self._story = self.companion.story(path) or self._story
            self.story_changed.emit(change)
            self._settle.start()

    def _on_operations_changed(self, operations: tuple[Operation, ...]) -> None:
        self.operations_changed.emit(operations)

    def _on_health_changed(self, health: Health) -> None:
        self.health_changed.emit(health)

    def _on_slots_changed(self, path: Path) -> None:
        if path == self._path:
            self._settle.start()

    def _on_settings_changed(self, _name: str) -> None:
        self._settle.start()  # who shows them asks with the slots, which may be as they were

    def _on_chat_renamed(self, renamed: tuple[Path, Path]) -> None:
        old, new = renamed
        if old == self._path:
            opening = self.open_path(new, by_itself=self.came_by_itself)
            self.do(opening, name=N_("open chat"))

    def _on_away_recap(self, recap: AwayRecap) -> None:
        self.recap_told.emit(recap)

    def _on_away_recap_over(self, path: Path) -> None:
        self.recap_over.emit(path)

    def _on_chat_alarm(self, alarm: ChatAlarm) -> None:
        self.chat_alarm.emit(alarm)

    def _on_chat_alarm_over(self, chat: Path) -> None:
        self.chat_alarm_over.emit(chat)

    def _on_trouble(self, trouble: tuple[Path, str]) -> None:
        # Each reading of a chat meets the same trouble again: once is enough.
        if trouble not in self._told:
            self._told.add(trouble)
            self.failed.emit(self._told_of(*trouble))

    def _on_trouble_over(self, path: Path) -> None:
        over = {trouble for trouble in self._told if trouble[0] == path}
        self._told -= over
        for trouble in over:
            self.mended.emit(trouble[1])
            self.mended.emit(self._told_of(*trouble))

    def _told_of(self, path: Path, sentence: str) -> str:
        """With the chat's name where it is not the one that is shown."""
        other = self.companion.story(path) if path != self._path else None
        return sentence if other is None else f"{chat_words(other.chat)}: {sentence}"

    def _on_turns_changed(self, path: Path) -> None:
        if path == self._path:
            self.turns_changed.emit()
            self._settle.start()  # what the prompt held is known now

    def _on_progress(self, progress: OperationProgress) -> None:
        self.progressed.emit(progress)


def sentence_of(name: str) -> str:
    """A command's name, as `do` takes it, at the beginning of a sentence."""
    told = tr(name)
    return told[:1].upper() + told[1:]
