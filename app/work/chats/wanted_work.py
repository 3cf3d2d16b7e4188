"""What is wanted of a chat, and what waits before it is done; who wants it says so by a method."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from app.views.catch_up import CatchUpPlan
from app.work.chats.guarding.chat_losses import LOST_LINES, LOST_SHARE
from app.work.planning.break_planner import SearchState
from app.work.planning.memory_planner import Reading

LOOK_SECONDS = 3.0
_Marks = Collection[tuple[str, str]]


class WantedWork:
    """Changed by its methods alone.

    search: for breaks, by a model. reading_state: for memory. catch_up: what waits for the user's
    word. asked_of: anchors of the last message that this is about, and of the last that ended a
    scene, "" for none. ended_by_hand: of breaks that the user set in this run. is_planned: what it
    lacks is queued, beside what an earlier run left. is_gone: its file was not there at the last
    reading. is_cut: it lost many messages at once, and no further one was played since: they may
    well come back, and what is made meanwhile would be paid for in vain.
    """

    def __init__(self) -> None:
        self.search = SearchState()
        self.reading_state = Reading()
        self.catch_up: CatchUpPlan | None = None
        self.asked_of = ("", "")
        self.ended_by_hand: frozenset[str] = frozenset()
        self.is_planned = False
        self.is_gone = False
        self.is_cut = False
        self.keeps_memory = False

    def keep_memory(self, *, is_on: bool, to_the_end: bool) -> None:
        """Before anything is read. to_the_end: without waiting for the last message to be final."""
        self.keeps_memory = is_on
        self.reading_state = Reading(is_whole=to_the_end)

    def want_search(self, now: float) -> None:
        """The user wants all of it searched. now: seconds since the epoch."""
        self.search = replace(self.search, is_wanted=True, asked=now)
        self.is_cut = False

    def end_search(self) -> None:
        """Nothing is left to search, or the user took back what was found."""
        self.search = replace(self.search, is_wanted=False)

    def want_reading(self) -> None:
        """The user wants it read to its last message, for once."""
        self.reading_state = replace(self.reading_state, is_wanted=True)
        self.is_cut = False

    def note_read(
        self,
        read: _Marks,
        found: _Marks,
        unreadable: _Marks,
        forgotten: _Marks,
        *,
        is_paused: bool,
    ) -> None:
        """What of it was read, in the words of `Reading`."""
        self.reading_state = replace(
            self.reading_state,
            extracted=read,
            found=found,
            unreadable=unreadable,
            forgotten=forgotten,
            is_paused=is_paused,
        )

    def note_stood_for(self, anchors: frozenset[str]) -> None:
        """Which messages the queue answers for, in the words of `Reading`."""
        self.reading_state = replace(self.reading_state, stood_for=anchors)

    def end_reading(self) -> None:
        """It is read to its last message, or the user wants no more of it read."""
        self.reading_state = replace(self.reading_state, is_wanted=False)

    def set_round(self, *, is_on: bool) -> bool:
        """The members of a group answer one another, or have done so; whether that is news."""
        is_news = self.reading_state.is_in_round != is_on
        if is_news:
            self.reading_state = replace(self.reading_state, is_in_round=is_on)
        return is_news

    def offer(self, plan: CatchUpPlan | None) -> CatchUpPlan | None:
        """Let this wait for the user's word, None for nothing; gives what did before."""
        before, self.catch_up = self.catch_up, plan
        return before

    def ask_of(self, last: str = "", ending: str = "") -> None:
        """What waits for the user's word is about all until these messages, or about nothing."""
        self.asked_of = (last, ending)

    def note_ended(self, anchor: str) -> None:
        """The user ended a scene here, and waits for its recap."""
        self.ended_by_hand |= {anchor}

    def end_planning(self) -> None:
        """What it lacks is queued."""
        self.is_planned = True

    def note_length(self, before: int, now: int) -> None:
        """How many messages it held, and holds."""
        if before - now >= max(LOST_LINES, LOST_SHARE * before):
            self.is_cut = True
        elif now > before:
            self.is_cut = False

    async def until_there(self, path: Path) -> None:
        """Wait as long as its file is not there; looked for from time to time."""
        while self.is_gone:
            await asyncio.sleep(LOOK_SECONDS)
            if await asyncio.to_thread(path.exists):
                return

    def set_gone(self, *, is_gone: bool) -> bool:
        """Whether its file is there no more; gives whether it was not before."""
        before, self.is_gone = self.is_gone, is_gone
        return before
