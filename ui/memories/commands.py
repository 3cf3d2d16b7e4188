"""What can be done with memories, each command once: for buttons, menus, keys and the palette."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from app.core.translation import N_, tr
from app.memory.records import Review
from app.memory.standing import Standing, Status
from app.memory.tiers.table import THREADS
from app.views.text_offers import TextRequest
from ui.controls.page_commands import PageCommands
from ui.memories.words import IMPORTANCE_WORDS


@dataclass(frozen=True, slots=True)
class TextCommand:
    """What asks for a longer text. also: other words that the palette finds it by."""

    name: str
    sentence: str
    icon: str
    also: str


TEXT_COMMANDS: Mapping[TextRequest, TextCommand] = {
    TextRequest.PROFILES: TextCommand(
        N_("Write profiles"), N_("A portrait of everyone who speaks."), "people", N_("portraits")
    ),
    TextRequest.CANON: TextCommand(
        N_("Write the canon"),
        N_("Everything the character has lived through."),
        "book",
        N_("history"),
    ),
    TextRequest.SUMMARY: TextCommand(
        N_("Write the summary"),
        N_("Add new messages to the summary."),
        "document",
        N_("summarize compaction story so far"),
    ),
    TextRequest.CONTINUITY: TextCommand(
        N_("Check the newest reply"),
        N_("Whether it contradicts what happened before."),
        "question",
        N_("continuity contradiction conflict correct repair"),
    ),
}


class MemoryCommands(PageCommands):
    """The actions of the page; who owns the page connects them.

    Those of chosen memories are enabled for what is chosen.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.add = self._command(tr("Add a memory"), tr("Write a memory yourself."), "plus", "N")
        self.find = self._command(
            tr("Find memories"), tr("By words, people and types."), "search", "Ctrl+F"
        )
        self.edit = self._command(
            tr("Edit"), tr("Change the words of this memory."), "pencil", "F2"
        )
        self.pin = self._command(
            tr("Pin"), tr("Keep it, whatever else has to go."), "bookmark", "P"
        )
        self.resolve = self._command(tr("Resolve"), tr("This plot thread has ended."), "check")
        self.reopen = self._command(tr("Reopen"), tr("Counts as true again."), "undo")
        self.approve = self._command(tr("Approve"), tr("This is true: let it count."), "check")
        self.reject = self._command(
            tr("Reject"), tr("This is not true: leave it out for good."), "cross"
        )
        self.delete = self._command(
            tr("Delete"), tr("Remove it; undo brings it back."), "trash", "Del"
        )
        self.jump = self._command(
            tr("Go to its message"), tr("Show the message it comes from."), "arrow-right"
        )
        self.copy = self._command(tr("Copy"), tr("Copy what is chosen as text."), "copy", "Ctrl+C")
        self.read_now = self._command(
            tr("Read this story now"), tr("Look for memories up to the latest message."), "pulse"
        )
        self.review = self._command(
            tr("Go to the review"), tr("What waits for your decision."), "hourglass"
        )
        self.texts = {
            request: self._command(tr(spec.name), tr(spec.sentence), spec.icon)
            for request, spec in TEXT_COMMANDS.items()
        }
        self.importance = self._levels()
        self._act_on_chosen(
            self.edit,
            self.pin,
            self.resolve,
            self.reopen,
            self.approve,
            self.reject,
            self.delete,
            self.jump,
            self.copy,
            *self.importance,
        )
        self.can_change = False

    def _levels(self) -> tuple[QAction, ...]:
        """A command for each importance, the highest first."""
        found = []
        for level, word in ((3, tr("High")), (2, tr("Normal")), (1, tr("Minor"))):
            words = tr(
                "Importance {level}, {importance}",
                level=level,
                importance=tr(IMPORTANCE_WORDS[level]),
            )
            found.append(self._command(words, tr("How long it is kept."), "star"))
            found[-1].setIconText(word)
        return tuple(found)

    @property
    def in_palette(self) -> dict[QAction, str]:
        """All but those that ask for texts: the palette has these on every page."""
        texts = set(self.texts.values())
        return {action: icon for action, icon in self.icons.items() if action not in texts}

    @property
    def changing(self) -> tuple[QAction, ...]:
        """All that change something."""
        return (
            self.add,
            self.edit,
            self.pin,
            self.resolve,
            self.reopen,
            self.approve,
            self.reject,
            self.delete,
            *self.importance,
        )

    def of_chosen(self) -> tuple[QAction, ...]:
        """What may be done with what is chosen now, in the order of a menu."""
        commands = (
            self.approve,
            self.reject,
            self.edit,
            self.pin,
            self.resolve,
            self.reopen,
            self.jump,
            self.copy,
            self.delete,
        )
        return tuple(command for command in commands if command.isEnabled())

    def follow(self, chosen: Sequence[Standing], *, can_change: bool) -> None:
        """Enable what can be done with these memories."""
        self.can_change = can_change
        threads = [s for s in chosen if s.memory.tier in THREADS]
        is_one = len(chosen) == 1
        all_pinned = bool(chosen) and all(s.memory.is_pinned for s in chosen)
        waiting = [s for s in chosen if s.memory.review is Review.WAITING]
        refused = [s for s in chosen if s.status is Status.REJECTED]
        self.pin.setText(tr("Unpin") if all_pinned else tr("Pin"))
        self.copy.setEnabled(bool(chosen))
        self.jump.setEnabled(is_one and bool(chosen[0].memory.evidence))
        wishes = {
            self.add: True,
            self.edit: is_one,
            self.pin: bool(chosen),
            self.resolve: is_one and len(threads) == 1 and threads[0].is_active,
            self.reopen: is_one and chosen[0].status is Status.ENDED,
            self.approve: bool(waiting or refused),
            self.reject: bool(waiting),
            self.delete: bool(chosen),
            **dict.fromkeys(self.importance, bool(chosen)),
        }
        for action, is_wanted in wishes.items():
            action.setEnabled(is_wanted and can_change)
