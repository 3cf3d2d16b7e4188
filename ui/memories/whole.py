"""What is done with all that a chat or its character remembers, and what may be remembered."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from app.core.translation import N_, tr, trn
from app.memory.lifecycle.clearing import FORGET, FRESH
from app.memory.lifecycle.policy import Policy
from app.memory.records import Tier
from app.memory.tiers.table import TIERS
from ui.controls.labels import menu_text
from ui.core.actions import ALSO_CALLED
from ui.core.session import Session
from ui.offers.clearing import joined
from ui.shell.notice import Notice
from ui.shell.plan_words import again_sentence

KEY = "memories: "  # of offers in the notice
AGAIN = "again"
DISCARD = "discard"
READ_AGAIN = N_("The story is read again from its beginning.")
NOTHING = N_("There is nothing of this kind to clear.")
POLICY_NAMES = {
    Policy.FULL: N_("Share memories of {} across chats"),
    Policy.CHAT_LOCAL: N_("Keep memories of {} within each chat"),
    Policy.READ_ONLY: N_("Use memories of {}, add none"),
    Policy.OFF: N_("Neither use nor add memories of {}"),
}
POLICY_DONE = {
    Policy.FULL: N_("Memories of {} are shared across chats."),
    Policy.CHAT_LOCAL: N_("Each chat with {} has its own memories."),
    Policy.READ_ONLY: N_("Memories of {} are used, and none is added."),
    Policy.OFF: N_("Memories of {} are neither used nor added."),
}


class WholeCommands(QObject):
    """The actions, for a menu and the command palette. Those that take something away say first
    how much that is, and ask; all can be undone.
    """

    def __init__(self, session: Session, notice: Notice, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._notice = notice
        self.icons: dict[QAction, str] = {}
        self.again = self._command(
            tr("Read this story again from its beginning"), "loop", self._on_again
        )
        self.pause = self._command(
            tr("Remember nothing for now"),
            "pause",
            self._on_pause,
            also=tr("read-only pause memory"),
        )
        self.commit = self._command(
            tr("Remember what was played since"),
            "play",
            self._on_commit,
            also=tr("read-only commit"),
        )
        self.discard = self._command(
            tr("Skip what was played meanwhile"),
            "eye-off",
            self._on_discard,
            also=tr("read-only discard"),
        )
        self.forget = self._command(tr("Forget this chat"), "trash", self._on_forget)
        self.fresh = self._command(
            tr("Fresh start"), "sun", self._on_fresh, also=tr("forget everything")
        )
        self.clear = {
            tier: self._command(
                tr("Clear: {tier}", tier=tr(TIERS[tier].words.name)),
                "trash",
                partial(self._on_clear, tier.value),
            )
            for tier in Tier
        }
        one_of = QActionGroup(self)
        self.policies: dict[Policy, QAction] = {}
        for policy in Policy:
            action = self._command(
                "", "person", partial(self._on_policy, policy), also=tr("policy")
            )
            action.setCheckable(True)
            one_of.addAction(action)
            self.policies[policy] = action
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)
        session.story_changed.connect(self.refresh)
        self.refresh()

    def _command(self, name: str, icon: str, slot: Any, *, also: str = "") -> QAction:
        action = QAction(name, self)
        action.setProperty(ALSO_CALLED, also)
        action.triggered.connect(slot)
        self.icons[action] = icon
        return action

    def menu(self, parent: QWidget, first: Sequence[QAction] = ()) -> QMenu:
        """A menu of all of it. first: what stands at its head."""
        self.refresh()
        menu = QMenu(parent)
        menu.addActions([*first, self.again])
        menu.addSeparator()
        for action in (self.pause, self.commit, self.discard):
            if action.isEnabled():
                menu.addAction(action)
        keeper = self._keeper
        if keeper:
            policies = menu.addMenu(menu_text(tr("Memories of {keeper}", keeper=keeper)))
            policies.addActions(list(self.policies.values()))
        menu.addSeparator()
        kinds = menu.addMenu(tr("Clear one kind of memory"))
        kinds.addActions(list(self.clear.values()))
        menu.addActions([self.forget, self.fresh])
        return menu

    def refresh(self, _change: object = None) -> None:
        """Enable what can be done in the chat that is shown."""
        path = self._session.path
        companion = self._session.companion
        # A chat that was renamed is open under its new name a moment before it is shown so.
        is_open = path is not None and companion.story(path) is not None
        can_change = is_open and not companion.is_reading_only
        kept = companion.memories.kept(path) if path is not None and is_open else None
        is_paused = kept is not None and kept.pause is not None
        self._keeper = kept.keeper if kept is not None else ""
        for action in self.icons:
            action.setEnabled(can_change)
        self.pause.setEnabled(can_change and not is_paused)
        for action in (self.commit, self.discard):
            action.setEnabled(can_change and is_paused)
        name = self._keeper
        fresh = tr("Fresh start with {name}", name=name) if name else tr("Fresh start")
        self.fresh.setText(menu_text(fresh))
        for policy, action in self.policies.items():
            action.setText(menu_text(tr(POLICY_NAMES[policy]).format(name or tr("this chat"))))
            action.setEnabled(can_change and bool(name))
            action.setChecked(kept is not None and kept.policy is policy)

    # What is done at once

    def _do(self, path: Path, command: Coroutine[Any, Any, None], told: str, *, name: str) -> None:
        async def do() -> None:
            await command
            self._session.told.emit(told)

        self._session.do(do(), name=name)

    def _on_pause(self) -> None:
        path, memories = self._session.path, self._session.companion.memories
        if path is not None:
            told = tr("From here on, nothing is added to this chat's memory.")
            self._do(path, memories.pause(path), told, name=N_("pausing memory"))

    def _on_commit(self) -> None:
        path, memories = self._session.path, self._session.companion.memories
        if path is not None:
            told = tr("What was played meanwhile is read, and remembering goes on.")
            self._do(path, memories.commit(path), told, name=N_("going on with memory"))

    def _on_policy(self, policy: Policy) -> None:
        path, memories = self._session.path, self._session.companion.memories
        if path is not None:
            told = tr(POLICY_DONE[policy]).format(self._keeper)
            self._do(
                path, memories.set_policy(path, policy), told, name=N_("choosing what is kept")
            )

    # What is asked about first

    def _on_again(self) -> None:
        path = self._session.path
        if path is not None:
            self._session.do(self._ask_again(path), name=N_("reading the story again"))

    async def _ask_again(self, path: Path) -> None:
        plan = await self._session.companion.work.reading(path, again=True)
        if plan is None:  # nobody is asked
            await self._read_again(path)
            self._session.told.emit(tr(READ_AGAIN))
        elif path == self._session.path:
            self._offer(AGAIN, again_sentence(plan), tr("Read it again"))

    async def _read_again(self, path: Path) -> None:
        """All of it, at once: it was said what that takes."""
        companion = self._session.companion
        await companion.memories.read_again(path)
        await companion.remembered.read_now(path)

    def _on_discard(self) -> None:
        path = self._session.path
        if path is not None:
            count = self._session.companion.memories.played_since(path)
            self._offer(
                DISCARD,
                trn(
                    "{n} message played meanwhile will not be read for memory. The chat itself "
                    "stays, and this can be undone.",
                    "{n} messages played meanwhile will not be read for memory. The chat itself "
                    "stays, and this can be undone.",
                    count,
                ),
                tr("Leave them unread"),
            )

    def _on_forget(self) -> None:
        if self._keeper:
            stays = tr("What {keeper} remembers and the current state stay.", keeper=self._keeper)
        else:
            stays = tr("The current state stays.")
        self._offer_gone(
            FORGET,
            lambda gone: f"{tr('This forgets {gone} of this chat.', gone=gone)} {stays}",
            tr("Forget them"),
        )

    def _on_fresh(self) -> None:
        keeper = self._keeper

        def sentence(gone: str) -> str:
            if not keeper:
                return tr("A fresh start deletes all memories of this chat: {gone}.", gone=gone)
            return tr(
                "A fresh start deletes all memories of this chat, and everything {keeper} "
                "remembers from any chat: {gone}.",
                keeper=keeper,
                gone=gone,
            )

        self._offer_gone(FRESH, sentence, tr("Start afresh"))

    def _on_clear(self, tier: str) -> None:
        self._offer_gone(tier, lambda gone: tr("This clears {gone}.", gone=gone), tr("Clear"))

    def _offer_gone(self, key: str, sentence: Callable[[str], str], way_on: str) -> None:
        path = self._session.path
        if path is None:
            return
        parts = self._session.companion.memories.at_stake(path, key)
        if parts:
            told = sentence(joined(parts))
            self._offer(key, f"{told} {tr('This can be undone.')}", way_on)
        else:
            self._session.told.emit(tr(NOTHING))

    def _offer(self, key: str, sentence: str, way_on: str) -> None:
        self._withdraw()
        self._notice.offer(f"{KEY}{key}", sentence, way_on=way_on)

    def _withdraw(self) -> None:
        for key in (AGAIN, DISCARD, FORGET, FRESH, *(tier.value for tier in Tier)):
            self._notice.withdraw(f"{KEY}{key}")

    def _on_acted(self, offered: str) -> None:
        path, memories = self._session.path, self._session.companion.memories
        if path is None or not offered.startswith(KEY):
            return
        command: Coroutine[Any, Any, None]
        match offered.removeprefix(KEY):
            case "again":
                command, told = self._read_again(path), tr(READ_AGAIN)
            case "discard":
                command, told = memories.discard(path), tr("What was played meanwhile is skipped.")
            case "forget":
                command, told = memories.forget_chat(path), tr("This chat is forgotten.")
            case "fresh":
                command, told = (
                    memories.fresh_start(path),
                    tr("Everything is forgotten: a fresh start."),
                )
            case tier:
                name = tr(TIERS[Tier(tier)].words.name)
                command = memories.clear_tier(path, Tier(tier))
                told = tr("Cleared: {name}.", name=name)
        self._do(path, command, told, name=N_("clearing memories"))

    def _on_chat_opened(self, _story: object) -> None:
        self._withdraw()
        self.refresh()
