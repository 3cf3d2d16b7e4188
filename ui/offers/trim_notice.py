"""Says once for each chat, over all starts, that memory does not fit its budgets."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.translation import N_, number, tr, trn
from app.prompt.slot_names import slot_name
from app.prompt.slots import SlotSet
from app.settings.slot_table import SlotName
from ui.core.session import Session
from ui.shell.notice import Notice

TRIMMED = "trimmed"
PAGES = ("story", "prompt")  # which do not say it themselves
SECONDS = 60.0
SEE = N_("See what is cut")
# A correction stands for one turn only, and what is called up is chosen anew for each.
NOT_TOLD = frozenset({SlotName.REPAIR.key, SlotName.TRIGGERED.key})
MOST_NAMED = 3
MOST_REMEMBERED = 200  # chats


class TrimNotice(QObject):
    """Stands with its chat until it is closed or taken up, or nothing is cut any more; the next
    turn's cuts are no news then, nor those of the next start.

    Signals:
        see_wanted: the user wants to see what is cut; the name of the slot that is cut most.
    """

    see_wanted = Signal(str)

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self.told: list[str] = []  # paths of the chats of which it was said, also in earlier runs
        self._most = ""  # cut of all slots
        self._standing: Path | None = None
        session.slots_changed.connect(self._on_slots)
        session.chat_opened.connect(self._on_chat_opened)
        notice.closed.connect(self._on_closed)
        notice.acted.connect(self._on_acted)

    def _on_chat_opened(self, _story: object) -> None:
        self._notice.withdraw(TRIMMED)
        self._standing = None

    def _on_slots(self, slots: SlotSet) -> None:
        path, sentence = self._session.path, trim_sentence(slots)
        if path is None:
            return
        self._most = next(iter(_cuts(slots)), "")
        if not sentence:
            if self._standing == path:
                self._notice.withdraw(TRIMMED)
                self._standing = None
        elif str(path) not in self.told:
            self.told = [*self.told, str(path)][-MOST_REMEMBERED:]
            self._standing = path
            self._notice.offer(TRIMMED, sentence, way_on=tr(SEE), pages=PAGES, seconds=SECONDS)
        elif self._standing == path:
            self._notice.amend(TRIMMED, sentence)

    def _on_closed(self, key: str) -> None:
        if key == TRIMMED:
            self._standing = None

    def _on_acted(self, key: str) -> None:
        if key == TRIMMED:
            self._notice.withdraw(TRIMMED)
            self._standing = None
            names = (name.value for name in SlotName if name.key == self._most)
            self.see_wanted.emit(next(names, ""))


def trim_sentence(slots: SlotSet) -> str:
    """Which slots are cut and by how much, the most cut first; "" where none is."""
    cuts = _cuts(slots)
    if not cuts:
        return ""
    words = [f"{slot_name(key)} {number(cut)}" for key, cut in [*cuts.items()][:MOST_NAMED]]
    rest = len(cuts) - MOST_NAMED
    if rest > 0:
        words.append(trn("{n} more", "{n} more", rest))
    return tr(
        "Not everything fits into its budget. Cut, in tokens: {slots}.", slots=", ".join(words)
    )


def _cuts(slots: SlotSet) -> dict[str, int]:
    """Tokens that fall out of each slot that is cut, by its key, the most first."""
    cuts = {
        slot.key: slot.full_tokens - slot.tokens
        for slot in slots.slots
        if slot.key not in NOT_TOLD and slot.full_tokens > slot.tokens
    }
    return dict(sorted(cuts.items(), key=lambda cut: -cut[1]))
