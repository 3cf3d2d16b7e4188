"""What a companion tells whoever shows it: its signals, in one place."""

from __future__ import annotations

from pathlib import Path

from app.core.operations import Operation
from app.core.part_health import Health
from app.core.signals import Signal
from app.story.story import ChatRef
from app.views.away_recap import AwayRecap
from app.views.chat_copies import ChatAlarm
from app.views.queued_work import OperationProgress
from app.views.story_change import StoryChange


class News:
    """Signals, all emitted on the event loop's thread.

    library_changed: taverns, characters or chats came, went or were renamed.
    story_changed: an open chat became different.
    operations_changed: unfinished operations, then the newest finished ones.
    progress: text of the running operation as it comes.
    health_changed: what the status bar says.
    slots_changed: the chat whose next prompt changed.
    settings_changed: the name of one that has another value now, though no prompt may differ by it.
    catch_up_changed: the chat whose backlog waits for the user's word or no longer does, or whose
        catch-up began or ended.
    chat_renamed: (old path, new path) an open chat goes on under another name.
    away_recap: what happened before, for somebody who comes back to a story.
    away_recap_over: the chat whose story goes on after that.
    chat_alarm: a chat lost messages, cannot be read any more, or is gone; a copy is there.
    chat_alarm_over: the path of such a chat that has all again.
    trouble: (path, sentence) a chat that could not be read; nothing was lost.
    trouble_over: a chat of which that was said can be read again.
    """

    def __init__(self) -> None:
        self.library_changed: Signal[None] = Signal("library_changed")
        self.story_changed: Signal[StoryChange] = Signal("story_changed")
        self.operations_changed: Signal[tuple[Operation, ...]] = Signal("operations_changed")
        self.progress: Signal[OperationProgress] = Signal("progress")
        self.health_changed: Signal[Health] = Signal("health_changed")
        self.slots_changed: Signal[Path] = Signal("slots_changed")
        self.settings_changed: Signal[str] = Signal("settings_changed")
        self.catch_up_changed: Signal[ChatRef] = Signal("catch_up_changed")
        self.chat_renamed: Signal[tuple[Path, Path]] = Signal("chat_renamed")
        self.away_recap: Signal[AwayRecap] = Signal("away_recap")
        self.away_recap_over: Signal[Path] = Signal("away_recap_over")
        self.chat_alarm: Signal[ChatAlarm] = Signal("chat_alarm")
        self.chat_alarm_over: Signal[Path] = Signal("chat_alarm_over")
        self.trouble: Signal[tuple[Path, str]] = Signal("trouble")
        self.trouble_over: Signal[Path] = Signal("trouble_over")
