"""Lets the model look for scene breaks: says what it takes, how it goes, and what was found."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.errors import UsageError
from app.core.operations import FINISHED, Operation, OperationKind, OperationStatus
from app.core.translation import N_, number, roughly, tr, trn
from app.story.break_search import SearchCost
from app.story.scenes import BreakOrigin
from app.story.story import Story
from ui.controls.timers import once
from ui.core.session import Session
from ui.shell.notice import Notice

COST, NO_MODEL, FOUND = "cost of breaks", "no model for breaks", "breaks found"
ASKS_NO_MODEL = N_(
    "No model is chosen, so none can look for scene breaks. Changes of place, time and "
    "characters are found without one."
)
READS_ONLY = N_(
    "Another Tavernkeep is using this data folder, or safe mode is on, so no model is asked here."
)
NOTHING_LEFT = N_("The model was already asked about every message. There is nothing left to ask.")
PAUSED = N_("Work is paused; this starts when you resume.")
SETTLE_MS = 300
PATIENCE = 20  # looks without any work, before what is left is taken as not to be had
LOST_PATIENCE = 3  # the same where a question failed: others may still follow it
MOST_NAMED = 4


def cost_sentence(cost: SearchCost) -> str:
    """What a search takes, before the user says yes."""
    requests = trn("{n} request", "{n} requests", cost.requests)
    messages = trn("{n} message", "{n} messages", cost.messages)
    tokens = cost.prompt_tokens + cost.output_tokens
    return tr(
        "Looking for scene breaks in {messages} takes about {requests} to the model, at most "
        "{requests_at_most}, and about {tokens} tokens.",
        messages=messages,
        requests=requests,
        requests_at_most=number(cost.requests_at_most),
        tokens=roughly(tokens),
    )


def found_sentence(found: list[int], failed: int) -> str:
    """What a search found. found: indexes of the messages that end a scene now. failed: questions
    that got no answer, or one of no use: nothing is known of what they asked about.
    """
    if not found and failed:
        said = tr("No scene break was found.")
    elif not found:
        said = tr("The model found no more scene breaks.")
    elif len(found) == 1:
        said = tr("The model found 1 scene break, after #{found}.", found=found[0])
    else:
        named = [f"#{index}" for index in found[:MOST_NAMED]]
        rest = len(found) - len(named)
        *most, last = [*named, trn("{n} more", "{n} more", rest)] if rest else named
        said = tr(
            "The model found {n} scene breaks, after {places} and {last}.",
            n=number(len(found)),
            places=", ".join(most),
            last=last,
        )
    if not failed:
        return said
    unanswered = trn(
        "{n} question got no usable answer; the page Work says why.",
        "{n} questions got no usable answer; the page Work says why.",
        failed,
    )
    return f"{said} {unanswered}"


@dataclass(slots=True)
class _Hunt:
    """A search under way. before: anchors of breaks by the model. past: operations before it."""

    path: Path
    before: frozenset[str]
    past: frozenset[int]
    idle_looks: int = 0


class ModelBreakSearch(QObject):
    """One search at a time, of the chat that is shown when it is asked for.

    Signals:
        went_on: a sentence on how it goes, for the status bar.
        model_wanted: the user wants to choose a model.
        place_wanted: index of a message to show.
    """

    went_on = Signal(str)
    model_wanted = Signal()
    place_wanted = Signal(int)

    def __init__(self, session: Session, notice: Notice) -> None:
        super().__init__(notice)
        self._session = session
        self._notice = notice
        self._hunt: _Hunt | None = None
        self._found = 0
        self._first: tuple[Path, str] | None = None
        self._settle = once(self, SETTLE_MS, self._look)
        notice.acted.connect(self._on_acted)
        session.chat_opened.connect(self._on_chat_opened)
        session.operations_changed.connect(self._on_news)
        session.story_changed.connect(self._on_news)

    def begin(self) -> None:
        """Say what it takes, and wait for the word; or say why there is nothing to ask."""
        path, companion = self._session.path, self._session.companion
        if path is None:
            return
        if companion.is_reading_only:
            self._notice.offer(FOUND, tr(READS_ONLY))
            return
        cost = companion.breaks.cost(path)
        if cost.requests:
            said = (cost_sentence(cost), tr(PAUSED) if companion.work.is_paused else "")
            self._notice.offer(COST, " ".join(said).strip(), way_on=tr("Find scene breaks"))
        else:
            self._start(path)

    def _start(self, path: Path) -> None:
        self._session.do(self._search(path), name=N_("looking for scene breaks"))

    async def _search(self, path: Path) -> None:
        companion = self._session.companion
        story = companion.story(path)
        cost = companion.breaks.cost(path)
        past = frozenset(op.id for op in companion.work.operations if op.status in FINISHED)
        try:
            await companion.breaks.begin(path)
        except UsageError:
            self._notice.offer(NO_MODEL, tr(ASKS_NO_MODEL), way_on=tr("Choose a model"))
            return
        if not cost.requests or story is None:
            self._notice.offer(FOUND, tr(NOTHING_LEFT))
            return
        self._hunt, self._found = _Hunt(path, _by_model(story), past), 0
        self.went_on.emit(tr("Looking for scene breaks"))
        self._settle.start()

    def _on_acted(self, key: str) -> None:
        path = self._session.path
        if key == COST and path is not None:
            self._start(path)
        elif key == NO_MODEL:
            self.model_wanted.emit()
        elif key == FOUND and self._first is not None and self._first[0] == path:
            index = _index_of(self._session.story, self._first[1])
            if index is not None:
                self.place_wanted.emit(index)

    def _on_chat_opened(self, _story: Story) -> None:
        for key in (COST, NO_MODEL, FOUND):
            self._notice.withdraw(key)

    def _on_news(self, _news: object) -> None:
        if self._hunt is not None:
            self._hunt.idle_looks = 0
            self._settle.start()

    def _look(self) -> None:
        """Whether it is over. Between two questions there is a moment without any."""
        hunt, companion = self._hunt, self._session.companion
        if hunt is None:
            return
        story = companion.story(hunt.path)
        if story is None:
            self._hunt = None
            return
        found = _by_model(story) - hunt.before
        if len(found) > self._found:
            self._found = len(found)
            self.went_on.emit(
                trn(
                    "The model found {n} scene break so far",
                    "The model found {n} scene breaks so far",
                    len(found),
                )
            )
        hunt.idle_looks += 1
        searches = [
            op for op in companion.work.operations if op.spec.kind is OperationKind.DETECT_BREAKS
        ]
        if any(op.status not in FINISHED for op in searches):
            return
        ended = [op for op in searches if op.id not in hunt.past]
        is_lost = any(map(_is_lost, ended))
        is_spent = hunt.idle_looks > (LOST_PATIENCE if is_lost else PATIENCE)
        if is_spent or not companion.breaks.cost(hunt.path).requests:
            self._end(hunt, story, found, sum(_is_lost(op) or _was_in_vain(op) for op in ended))
        else:
            self._settle.start()

    def _end(self, hunt: _Hunt, story: Story, found: frozenset[str], lost: int) -> None:
        self._hunt, self._first = None, None
        places = sorted((i, m.anchor) for i, m in enumerate(story.messages) if m.anchor in found)
        sentence = found_sentence([index for index, _ in places], lost)
        self.went_on.emit("")
        if hunt.path != self._session.path:
            return
        if places:
            self._first = hunt.path, places[0][1]
        self._notice.offer(FOUND, sentence, way_on=tr("Show the first") if places else "")


def _by_model(story: Story) -> frozenset[str]:
    return frozenset(
        anchor
        for anchor, mark in story.breaks.items()
        if mark.is_visible and mark.origin is BreakOrigin.MODEL
    )


def _is_lost(operation: Operation) -> bool:
    return operation.status in (OperationStatus.FAILED, OperationStatus.CANCELLED)


def _was_in_vain(operation: Operation) -> bool:
    """Whether its answer was of no use, though it counts as done: it is not asked again."""
    return operation.status is OperationStatus.DONE and bool(operation.error)


def _index_of(story: Story | None, anchor: str) -> int | None:
    messages = story.messages if story is not None else ()
    return next((i for i, message in enumerate(messages) if message.anchor == anchor), None)
