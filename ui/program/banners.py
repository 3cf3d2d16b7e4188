"""What the window says over every page: offers, warnings, and the sign at a page's button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.core.translation import number, tr
from app.views.catch_up import CatchUpPlan
from ui.copies.alarm import ChatCopies
from ui.core.actions import Actions
from ui.core.session import Session
from ui.memories.pane.waiting import WaitingCount
from ui.offers.asked_recaps import AskedRecaps
from ui.offers.away_recap import AwayRecaps
from ui.offers.break_search import ModelBreakSearch
from ui.offers.cap_notice import CapNotice
from ui.offers.clearing import Clearing
from ui.offers.correction_notice import CorrectionNotice
from ui.offers.first_steps import FirstSteps
from ui.offers.off_banner import OffBanner
from ui.offers.other_chats import OtherChats
from ui.offers.outside_trouble import OutsideTrouble
from ui.offers.page_chat import PageCall, PageChat
from ui.offers.recap_import import RecapImportOffer
from ui.offers.replacing import Replacement
from ui.offers.set_aside import SetAside
from ui.offers.story_reading import StoryReading
from ui.offers.trim_notice import TrimNotice
from ui.offers.undone import UndoneNotice
from ui.shell.frame import Frame
from ui.shell.plan_words import offer_sentence, plan_command
from ui.shell.setting_entries import API_KEY

CATCH_UP, PART = "catch up", "part"
RECOVERED = 600.0  # seconds that the window says what was recovered at the start


class Banners(QObject):
    """Each offer says by itself when it is due; here they get their places.

    Signals:
        budget_wanted: key of a row of the budgets to show, "" for none in particular.
        folder_wanted: the user wants to name SillyTavern's folder.
        list_wanted: the list of chats.
        message_wanted, place_wanted: anchor, or index, of a message to show in the story.
        page_wanted: key of a page to show.
        setting_wanted: name of a setting to show.
        texts_wanted: the longer texts on the page of memories.
    """

    budget_wanted = Signal(str)
    folder_wanted = Signal()
    list_wanted = Signal()
    message_wanted = Signal(str)
    place_wanted = Signal(int)
    page_wanted = Signal(str)
    setting_wanted = Signal(str)
    texts_wanted = Signal()

    def __init__(self, session: Session, frame: Frame, actions: Actions, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._frame = session, frame
        self._page = "story"
        self._closed_plan: CatchUpPlan | None = None
        self._in_review = 0
        notice = frame.notice
        session.catch_up_offered.connect(self._on_catch_up_offered)
        notice.acted.connect(self._on_notice_acted)
        notice.chosen.connect(self._on_part_wanted)
        notice.closed.connect(self._on_notice_closed)
        self.first_steps = FirstSteps(session, notice)
        self._outside = OutsideTrouble(session, notice)
        self.page_chat = PageChat(session, frame.banner)
        self._page_call = PageCall(session, window)
        self._away_recaps = AwayRecaps(session, notice)
        self._set_aside = SetAside(session, notice)
        self.trim_notice = TrimNotice(session, notice)
        self._off_banner = OffBanner(session, frame.banner, actions["off"])
        self._other_chats = OtherChats(session, notice)
        self._correction = CorrectionNotice(session, notice)
        self.cap_notice = CapNotice(session, notice, lambda: self._page == "work")
        if session.companion.recovery:
            notice.offer("recovery", session.companion.recovery, seconds=RECOVERED)
        self._waiting = WaitingCount(session, frame)
        self.copies = ChatCopies(session, notice)
        frame.status.item_pressed.connect(self.copies.on_status_pressed)
        self.replacement = Replacement(session, window)
        self._undone = UndoneNotice(session, notice)
        self.clearing = Clearing(session, notice)
        self.asked_recaps = AskedRecaps(session, notice)
        self._story_reading = StoryReading(session, notice)
        self.recap_import = RecapImportOffer(session, notice)
        self.break_hunt = ModelBreakSearch(session, notice)
        self._connect()

    @property
    def wants(self) -> dict[str, Callable[..., object]]:
        """What follows signals of pages that lead to a notice, by their names."""
        return {
            "breaks_wanted": self.break_hunt.begin,
            "recaps_asked": self.asked_recaps.ask,
            "clearing_wanted": self.clearing.begin,
            "recap_import_wanted": self.recap_import.begin,
        }

    def _connect(self) -> None:
        self.first_steps.folder_wanted.connect(self.folder_wanted)
        self.first_steps.list_wanted.connect(self.list_wanted)
        self._outside.folder_wanted.connect(self.folder_wanted)
        self._outside.key_wanted.connect(self._on_key_wanted)
        self._outside.model_wanted.connect(self._on_model_wanted)
        self._page_call.message_wanted.connect(self.message_wanted)
        self.trim_notice.see_wanted.connect(self.budget_wanted)
        self._story_reading.work_wanted.connect(self._on_work_wanted)
        self._correction.edit_wanted.connect(self.texts_wanted)
        self._correction.changed.connect(self._show_waiting)
        self._waiting.changed.connect(self.show_in_review)
        self.break_hunt.went_on.connect(self._frame.status.keep_telling)
        self.break_hunt.model_wanted.connect(self._on_model_wanted)
        self.break_hunt.place_wanted.connect(self.place_wanted)

    def follow_page(self, key: str) -> None:
        """Another page is shown: some of it is said there in a place of its own."""
        self._page = key
        self._frame.notice.follow_page(key)
        self.cap_notice.look()

    def leave_counting(self) -> None:
        """The page of memories is there, and says itself how many wait for review."""
        self._waiting.stop()

    def show_in_review(self, count: int) -> None:
        """So many memories wait for review."""
        self._in_review = count
        self._show_waiting()

    def _show_waiting(self, _count: int = 0) -> None:
        """Memories that wait for review, and a correction that waits for a word."""
        count = self._in_review + self._correction.count
        self._frame.page_buttons["memories"].set_badge(number(count) if count else "")

    def _on_work_wanted(self) -> None:
        self.page_wanted.emit("work")

    def _on_key_wanted(self) -> None:
        self.setting_wanted.emit(API_KEY)

    def _on_model_wanted(self) -> None:
        self.page_wanted.emit("settings")

    def _on_catch_up_offered(self, plan: CatchUpPlan | None) -> None:
        notice = self._frame.notice
        # Beside the story alone, not over what another page shows; Work has a place for it. Who has
        # closed it was not mistaken.
        if plan is not None and plan != self._closed_plan:
            notice.offer(
                CATCH_UP,
                offer_sentence(plan),
                way_on=plan_command(plan),
                choices={PART: tr("Choose a part")} if plan.has_parts else {},
                pages=("story",),
            )
        else:
            notice.withdraw(CATCH_UP)

    def _on_notice_closed(self, key: str) -> None:
        if key == CATCH_UP:
            self._closed_plan = self._session.plan

    def _on_notice_acted(self, key: str) -> None:
        if key == CATCH_UP:
            self._session.catch_up()

    def _on_part_wanted(self, key: str, _choice: str) -> None:
        if key == CATCH_UP:  # the page Work has a button for each
            self.page_wanted.emit("work")
