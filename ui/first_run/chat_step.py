"""Step four: the first chat, with the plan of what is done for it before it is done."""

from __future__ import annotations

import asyncio
from datetime import datetime
from pathlib import Path

from PySide6.QtCore import QLocale, Signal
from PySide6.QtWidgets import QButtonGroup, QVBoxLayout

from app.core.operations import ALL, MEMORY, RECAPS
from app.core.translation import N_, roughly, tr, trn
from app.llm.backends.specs import BUILTIN, parse_spec
from app.memory.records import SMART_MEMORY
from app.settings.program import ProgramSettings
from app.story.recaps import IMPORTED, MESSAGE_SUMMARIZE, OTHER_EXTENSIONS
from app.story.scenes import BreakOrigin
from app.story.story import ChatRef, Story
from app.views.catch_up import CatchUpPlan
from app.views.memory_view import MemoryView
from ui.controls.dates import moment_words
from ui.controls.fields import ChoiceCard, Segments
from ui.controls.labels import Label, body, meta
from ui.controls.surfaces import Surface
from ui.core.chat_words import chat_title, chat_words, owner_words
from ui.core.session import Session
from ui.first_run.step import Step
from ui.first_run.welcome import newest_chats
from ui.shell.plan_words import detail_sentence, total_sentence
from ui.theme.fonts import SEMIBOLD, ui_font

LONGEST_COMMAND = 64  # characters
IMPORTERS = OTHER_EXTENSIONS | {IMPORTED}
FREE = N_("Without a model this takes seconds and costs nothing.")
MANY_TIMES = 3
BESIDE = N_(
    "That is more than the story's {tokens} tokens, because each request also carries its "
    "instructions and what is known so far."
)
NO_CHATS = N_("None of your chats was found yet. Try the demo story, or open Tavernkeep as it is.")
PLANNED_LATER = N_("{messages}. The plan appears once all of them are read.")
LATER = N_("Nothing to catch up on. From now on scenes are recapped while you play.")


class ChatStep(Step):
    """The newest chats; the demo story where there are none.

    Signals:
        begun: the user starts with the chat that is chosen.
    """

    begun = Signal()
    name = N_("First chat")
    hint = N_("See the plan before it runs")
    title = N_("Pick a chat")
    sentence = N_(
        "You can open your other chats later. The plan shows what would be done for this one; "
        "nothing starts before you say so."
    )

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._cards: dict[Path, ChoiceCard] = {}
        # Without a group of its own Qt counts whatever else on the step excludes others.
        self._group = QButtonGroup(self)
        self._chats: dict[Path, ChatRef] = {}
        self._wanted: Path | None = None
        self._is_picked = False  # by the user: what SillyTavern shows changes it no more
        self.is_begun = False  # nothing runs before
        self._reading: asyncio.Task[None] | None = None
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        self._plan = Surface("well", edge="line")
        column = QVBoxLayout(self._plan)
        column.setContentsMargins(16, 12, 16, 14)
        column.setSpacing(4)
        self._plan_title = Label(font=ui_font(13, SEMIBOLD))
        self._facts = body()
        self._total = Label(font=ui_font(13, SEMIBOLD), wraps=True)
        self._cost = body()
        self._taken_over = body()
        self._taken_over.hide()
        parts = {ALL: tr("All of it"), RECAPS: tr("Only the recaps"), MEMORY: tr("Only memory")}
        self.parts = Segments(tr("What will be done"), parts)
        self.parts.choose(ALL)
        self.parts.hide()
        self.parts.chosen.connect(self._on_part)
        self.part = ALL  # of the plan, as the user wants it
        # Over the sentence that they change, which would else push them from under the mouse.
        column.addWidget(self._plan_title)
        column.addWidget(self._facts)
        column.addWidget(self._taken_over)
        column.addWidget(self.parts)
        column.addWidget(self._total)
        column.addWidget(self._cost)
        self._plan.hide()
        self._heading = meta("", wraps=True)
        self.column.addWidget(self._heading)
        self.column.addLayout(self._list)
        self.column.addSpacing(8)
        self.column.addWidget(self._plan)
        self.column.addStretch(1)
        session.catch_up_offered.connect(self._on_plan)
        session.story_changed.connect(self._on_plan)
        session.health_changed.connect(self._on_page)

    @property
    def chosen(self) -> ChatRef | None:
        """The chat whose plan is shown."""
        return self._chats.get(self._wanted) if self._wanted is not None else None

    @property
    def paths(self) -> tuple[Path, ...]:
        """The chats to pick from."""
        return tuple(self._chats)

    @property
    def command(self) -> str:
        chat = self.chosen
        if chat is None:
            return tr("Start")
        name = owner_words(chat) or chat_title(chat)
        others = [one for one in self._chats.values() if one.path != chat.path]
        if any(one.owner_name == chat.owner_name for one in others):
            name = chat_words(chat)
        return tr("Start with {chat}", chat=name)[:LONGEST_COMMAND]

    @property
    def is_ready(self) -> bool:
        return self.chosen is not None and self.session.path == self._wanted

    def enter(self) -> None:
        companion = self.session.companion
        # The way to the demo stands at the left of every step: here only where nothing else is.
        shown = companion.chats_in_pages
        chats = newest_chats(companion.taverns, shown=shown) or (companion.demo,)
        self.is_begun = False
        if tuple(chats) != tuple(self._chats.values()):
            self._fill(chats)
        self._choose_by_itself()
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        """Show the chosen chat as the only one, whatever became of the cards since."""
        if self._wanted is not None:
            self._cards[self._wanted].setChecked(True)

    def _choose_by_itself(self) -> None:
        """The chat that SillyTavern shows, and the only one there is, need no choosing."""
        shown = [path for path in self._cards if path in self.session.companion.chats_in_pages]
        is_only = len(self._cards) == 1 and self.session.companion.demo.path not in self._cards
        obvious = shown[-1] if shown else next(iter(self._cards)) if is_only else None
        if obvious is not None and obvious != self._wanted and not self._is_picked:
            self.choose(obvious)

    def _on_page(self, _health: object) -> None:
        if self.isVisible():
            self.enter()

    def _fill(self, chats: tuple[ChatRef, ...]) -> None:
        for card in self._cards.values():
            self._group.removeButton(card)
            self._list.removeWidget(card)
            card.hide()
            card.deleteLater()
        demo = self.session.companion.demo.path
        is_demo_alone = [chat.path for chat in chats] == [demo]
        self._heading.setText(tr(NO_CHATS) if is_demo_alone else tr("Newest chats"))
        self._chats = {chat.path: chat for chat in chats}
        self._cards = {}
        for path, chat in self._chats.items():
            name = owner_words(chat) or chat.owner or chat_title(chat)
            fact = tr("The demo story") if path == demo else self._when(path)
            card = ChoiceCard(name, chat_title(chat), fact)
            card.clicked.connect(self._on_card)
            self._group.addButton(card)
            self._cards[path] = card
            self._list.addWidget(card)
        if self._wanted not in self._cards:
            self._wanted = None
            self._plan.hide()

    def _when(self, path: Path) -> str:
        """What tells a chat from others of its character."""
        is_shown = path in self.session.companion.chats_in_pages
        try:
            state = path.stat()
        except OSError:
            return tr("Open in SillyTavern") if is_shown else ""
        # A long story and one just begun often have the same name.
        size = QLocale().formattedDataSize(
            state.st_size, 1, QLocale.DataSizeFormat.DataSizeSIFormat
        )
        if is_shown:
            return tr("Open in SillyTavern, {size}", size=size)
        moment = datetime.fromtimestamp(state.st_mtime)  # noqa: DTZ006 (the machine's own time)
        return tr("Last written {moment}, {size}", moment=moment_words(moment), size=size)

    def _on_card(self) -> None:
        path = next((path for path, card in self._cards.items() if card is self.sender()), None)
        self._is_picked = True
        if path is not None and path != self._wanted:
            self.choose(path)

    def choose(self, path: Path) -> None:
        """Read a chat and show its plan."""
        self._wanted = path
        self._mark()
        self._plan_title.setText(tr("Reading the chat"))
        self._facts.setText("")
        self._taken_over.hide()
        self._total.setText("")
        self._cost.setText("")
        self._plan.show()
        self.changed.emit()
        if self._reading is not None:
            self._reading.cancel()
        self._reading = self.session.do(self._read(path), name=N_("reading the chat"))

    async def _read(self, path: Path) -> None:
        try:
            await self.session.open_path(path)
        except Exception:
            if path == self._wanted:
                self._plan_title.setText(tr("This chat cannot be read"))
            raise
        self._show_plan()

    def _on_plan(self, _news: object) -> None:
        if self.session.path == self._wanted and self._wanted is not None:
            self._show_plan()

    def _show_plan(self) -> None:
        story = self.session.story
        if story is None or story.chat.path != self._wanted:
            return
        companion = self.session.companion
        if not companion.work.is_read(story.chat.path):
            messages = trn("{n} message", "{n} messages", len(story.messages))
            self._facts.setText(tr(PLANNED_LATER, messages=messages))
            return
        self._plan_title.setText(tr("The plan"))
        self._facts.setText(facts_of(story))
        taken_over = taken_over_words(story, companion.remembered.view(story.chat.path))
        self._taken_over.setText(taken_over)
        self._taken_over.setVisible(bool(taken_over))
        plan = companion.work.catch_up(story.chat.path)
        if parse_spec(ProgramSettings(companion.settings).backend).kind == BUILTIN:
            plan = None
            self._cost.setText(tr(FREE))
        elif plan is None:
            self._cost.setText(tr(LATER))
        else:
            self._cost.setText(self._said_of(plan, story))
        self._total.setText("" if plan is None else total_sentence(plan.of_part(self.part)))
        self._total.setVisible(plan is not None)
        self.parts.setVisible(plan is not None and plan.has_parts)
        self.changed.emit()

    def _said_of(self, plan: CatchUpPlan, story: Story) -> str:
        """What the part takes that is chosen, and why that is more than the story has."""
        wanted = plan.of_part(self.part)
        told, sent = sum(story.message_tokens), wanted.prompt_tokens + wanted.output_tokens
        said = detail_sentence(wanted)
        return f"{said} {tr(BESIDE, tokens=roughly(told))}" if sent > MANY_TIMES * told else said

    def _on_part(self, part: str) -> None:
        self.part = part
        self._show_plan()

    def do(self) -> None:
        """Start what waits for a word, and show the story: whoever hears of it does both."""
        self.is_begun = True
        self.begun.emit()


def facts_of(story: Story) -> str:
    """What was found in a chat."""
    closed = sum(scene.is_closed for scene in story.scenes)
    messages = trn("{n} message", "{n} messages", len(story.messages))
    if not closed:
        return tr(
            "{messages}; no scene is finished yet. Finished scenes get a recap; you can change "
            "every scene.",
            messages=messages,
        )
    words = f"{messages}, {trn('{n} scene', '{n} scenes', len(story.scenes))}"
    return tr(
        "{words} found, {closed} of them finished. Finished scenes get a recap; you can change "
        "every scene.",
        words=words,
        closed=closed,
    )


def taken_over_words(story: Story, remembered: MemoryView) -> str:
    """What of another extension was found and goes on to count, "" for nothing."""
    said = []
    scenes = scenes_taken_over(story)
    if own := scenes.pop(IMPORTED, 0):
        said.append(
            trn(
                "{n} scene was taken over from ST-Auto-Recap, with its recaps.",
                "{n} scenes were taken over from ST-Auto-Recap, with their recaps.",
                own,
            )
        )
    for extension, count in scenes.items():
        said.append(
            trn(
                "{n} scene was taken over from {extension}, with its recap.",
                "{n} scenes were taken over from {extension}, with their recaps.",
                count,
                extension=extension,
            )
        )
    recaps = sum(one.taken_from == MESSAGE_SUMMARIZE for one in story.message_recaps.values())
    if recaps:
        said.append(
            trn(
                "{n} recap of a message was taken over from MessageSummarize.",
                "{n} recaps of messages were taken over from MessageSummarize.",
                recaps,
            )
        )
    memories = sum(standing.memory.made_by == SMART_MEMORY for standing in remembered.memories)
    if memories:
        said.append(
            trn(
                "{n} memory was taken over from Smart Memory.",
                "{n} memories were taken over from Smart Memory.",
                memories,
            )
        )
    if said:
        said.append(tr("Switch that extension off: both would fill the same places in the prompt."))
    return " ".join(said)


def scenes_taken_over(story: Story) -> dict[str, int]:
    """How many scenes are another extension's, by the extension."""
    counted: dict[str, int] = {}
    bare = 0
    for scene in story.scenes:
        if scene.closing is None or scene.closing.origin is not BreakOrigin.IMPORT:
            continue
        writers = {recap.made_by for recap in story.recaps.get(scene.closing.anchor, ())}
        if not writers & IMPORTERS:
            bare += 1
        for writer in writers & IMPORTERS:
            counted[writer] = counted.get(writer, 0) + 1
    # Without a recap: a bookmark of ST-Auto-Recap's, or what lies between the others' scenes.
    if bare and not counted.keys() & OTHER_EXTENSIONS:
        counted[IMPORTED] = counted.get(IMPORTED, 0) + bare
    return counted
