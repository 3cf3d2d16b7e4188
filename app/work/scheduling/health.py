"""Says how each part is doing, in the words of the status bar. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from app.core.model_use import CAPPED
from app.core.moments import moment_text
from app.core.operations import FOLDS, OFF, Operation, OperationStatus
from app.core.part_health import COPIES, HealthItem, Light, about
from app.core.translation import N_, number, retold, tr, trn
from app.sillytavern.bridge.bridge_socket import Page
from app.story.recaps import BUILT_IN
from app.story.story import Story
from app.views.catch_up import CatchUpProgress
from app.views.taverns import Tavern
from app.work.queue.patience import BEGINS_SOON
from app.work.queue.waiting import is_free, surroundings
from app.work.queue.worker import Halt

# With an error beside it, that which counts as done gave nothing either.
CAME_TO_NOTHING = (OperationStatus.FAILED, OperationStatus.DONE)
TOLD_SECONDS = 60.0  # that an error of work that ended is told beside how things stand
BY_ITSELF = N_("It is tried again by itself.")

SILENT = N_("its drive does not report changes, so it is checked every few seconds")


def sillytavern_health(
    taverns: Sequence[Tavern],
    pages: Sequence[Page],
    *,
    is_writing: bool,
    unwritten: Sequence[str],
    folder_gone: str,
    is_silent: bool = False,
) -> HealthItem:
    """How SillyTavern itself is doing.

    is_writing: chats are written too, since the user wants it. unwritten: sentences on those that
    cannot be written now. folder_gone: a sentence while its folder is not there, "" else.
    is_silent: changes in it have to be looked for.
    """
    item = _sillytavern(
        taverns, pages, is_writing=is_writing, unwritten=unwritten, folder_gone=folder_gone
    )
    if not is_silent or item.light is Light.BAD:
        return item
    return replace(item, sentence=f"{item.sentence}; {tr(SILENT)}")


def _sillytavern(
    taverns: Sequence[Tavern],
    pages: Sequence[Page],
    *,
    is_writing: bool,
    unwritten: Sequence[str],
    folder_gone: str,
) -> HealthItem:
    if folder_gone:
        return HealthItem("sillytavern", Light.BAD, folder_gone)
    if unwritten:
        light, sentence = Light.WORKING if pages else Light.OFF, unwritten[0]
        if more := len(unwritten) - 1:
            sentence += " " + trn("And {n} more chat.", "And {n} more chats.", more)
        return HealthItem("sillytavern", light, sentence)
    if pages and not any(page.has_server for page in pages):
        sentence = tr("SillyTavern's server does not answer, although its page is open")
        return HealthItem("sillytavern", Light.BAD, sentence)
    if pages:
        return HealthItem("sillytavern", Light.GOOD, tr("SillyTavern connected"))
    if taverns:
        sentence = (
            tr("No SillyTavern page connected; files are read and written")
            if is_writing
            else tr("No SillyTavern page connected; files are read")
        )
        return HealthItem("sillytavern", Light.OFF, sentence)
    return HealthItem("sillytavern", Light.OFF, tr("No SillyTavern found"))


def reading_health(
    last_read: tuple[Story, float, str] | None, no_room: str, lost: str = ""
) -> HealthItem:
    """How reading chats is doing.

    last_read: the chat read last, when (epoch seconds), and what failed then. no_room: a sentence
    while our own disk is full, "" else. lost: a sentence on a chat that lost something, until its
    copies were looked at.
    """
    if no_room:
        return HealthItem("reading", Light.BAD, no_room)
    if lost:
        return HealthItem("reading", Light.BAD, lost, cause=COPIES)
    if last_read is None:
        return HealthItem("reading", Light.OFF, tr("Nothing read yet"))
    story, moment, failure = last_read
    if failure:
        return HealthItem("reading", Light.BAD, failure)
    clock = moment_text(moment)
    sentence = (
        trn(
            "Up to date with the chat: {n} message, {clock}",
            "Up to date with the chat: {n} messages, {clock}",
            len(story.messages),
            clock=clock,
        )
        if story.messages
        else tr("Empty chat")
    )
    if story.problems:
        lines = trn("{n} unreadable line", "{n} unreadable lines", len(story.problems))
        return HealthItem("reading", Light.BAD, f"{sentence}; {lines}")
    return HealthItem("reading", Light.GOOD, sentence)


def queue_health(
    operations: Sequence[Operation],
    halt: Halt | None = None,
    catching_up: Sequence[CatchUpProgress] = (),
    *,
    to_do: int | None = None,
    is_offered: bool = False,
    now: float = 0.0,
) -> HealthItem:
    """How the queue is doing. to_do: what is left, as the page Work counts it; None: operations.
    is_offered: a backlog waits for the user's answer. now: seconds since the epoch.
    """
    running = [op for op in operations if op.status is OperationStatus.RUNNING]
    waiting = [
        op for op in operations if op.status in (OperationStatus.PENDING, OperationStatus.WAITING)
    ]
    left = len(waiting) if to_do is None else max(len(waiting), to_do - len(running))
    if halt is not None and halt.reason:
        return HealthItem("queue", Light.BAD, halt.reason)
    if halt is not None and halt.before is not None:
        sentence = tr("Paused before “{label}”", label=retold(halt.before.spec.label))
        return HealthItem("queue", Light.IDLE, sentence)
    if halt is not None:
        return HealthItem(
            "queue", Light.IDLE, trn("Paused, {n} waiting", "Paused, {n} waiting", left)
        )
    why = _why_waiting(operations, waiting)
    # Between two requests, and while the files of its chat are away, nothing waits in the queue.
    on = [one for one in catching_up if one.left or running or waiting]
    if on and (running or not why):
        going = next((one for one in on if not one.why), None)
        if going is not None:
            words, more = catch_up_words(going), left + len(running) - sum(one.left for one in on)
            if to_do is not None and more > 0:
                words = trn(
                    "{words}, {n} more waiting", "{words}, {n} more waiting", more, words=words
                )
            return HealthItem("queue", Light.WORKING, words)
        if not running and not waiting:
            sentence = tr("Catching up waits: {why}", why=on[0].why)
            return HealthItem("queue", Light.IDLE, sentence)
    if running:
        sentence = retold(running[0].spec.label)
        if waiting:
            label = sentence
            sentence = trn("{label}, {n} waiting", "{label}, {n} waiting", left, label=label)
        return HealthItem("queue", Light.WORKING, sentence)
    if waiting:
        sentence = (
            trn("{n} to do: {why}", "{n} to do: {why}", left, why=why)
            if why
            else trn("{n} waiting", "{n} waiting", left)
        )
        if why and _goes_on(waiting):
            sentence = f"{sentence} {tr(BY_ITSELF)}"
        # What begins in a moment, and a cap that the user set, are nothing that went wrong.
        calm = ("", tr(CAPPED), tr(OFF), tr(BEGINS_SOON))
        light = Light.IDLE if why in calm else Light.BAD
        return HealthItem("queue", light, sentence)
    return _idle(operations, is_offered=is_offered, now=now)


def _idle(operations: Sequence[Operation], *, is_offered: bool, now: float) -> HealthItem:
    """What is said while nothing runs or waits; an offer that waits for an answer is to do."""
    failed = sum(operation.status is OperationStatus.FAILED for operation in operations)
    vain = failed_last(operations, now=now)
    if failed and is_offered:
        sentence = trn("{n} failed, nothing in progress", "{n} failed, nothing in progress", failed)
    elif failed:
        sentence = trn("{n} failed, nothing else to do", "{n} failed, nothing else to do", failed)
    elif vain is not None:  # why is told of the model, which may be long
        label = retold(vain.spec.label)
        sentence = (
            tr("Nothing in progress. {label} gave no result.", label=label)
            if is_offered
            else tr("Nothing else to do. {label} gave no result.", label=label)
        )
    else:
        sentence = tr("Nothing in progress") if is_offered else tr("Nothing to do")
    return HealthItem("queue", Light.IDLE, sentence)


def _newest(operations: Sequence[Operation]) -> Operation | None:
    """The one that ended last."""
    ended = (op for op in operations if op.finished is not None)
    return max(ended, key=lambda op: op.finished or 0.0, default=None)


def failed_last(operations: Sequence[Operation], *, now: float) -> Operation | None:
    """The one that ended last, where nothing came of it: for a while, and until something else is
    begun. now: seconds since the epoch.
    """
    newest = _newest(operations)
    if newest is None or not newest.error or newest.status not in CAME_TO_NOTHING:
        return None
    ended = newest.finished or 0.0
    is_over = any(
        op.status is OperationStatus.RUNNING and (op.started or 0.0) >= ended for op in operations
    )
    return None if is_over or now > ended + TOLD_SECONDS else newest


def _goes_on(waiting: Sequence[Operation]) -> bool:
    """Whether what is in the way is tried again without a word of the user's."""
    first = surroundings(waiting, {}).first_of(waiting[0])
    why = first.error or first.held
    return any(op.status is OperationStatus.WAITING and op.error == why for op in waiting)


def _why_waiting(operations: Sequence[Operation], waiting: Sequence[Operation]) -> str:
    """What is in the way of the one that is next, "" for nothing, or what others got past since."""
    if not waiting or any(is_free(op) for op in waiting):
        return ""
    # A merge that waits for a recap is not the reason: that nobody answers there is.
    first = surroundings(waiting, {}).first_of(waiting[0])
    ended = (op.finished or 0.0 for op in operations if op.status is OperationStatus.DONE)
    is_overcome = (first.started or 0.0) < max(ended, default=0.0)
    if first.error and is_overcome:
        return ""
    # In the language of now, whatever it was kept in.
    return retold(first.error) if first.error else first.held


def catch_up_words(progress: CatchUpProgress) -> str:
    """How far a catch-up is, in one short sentence."""
    is_rebuild = progress.part == FOLDS
    if progress.is_stopping and is_rebuild:
        return tr("Making the running recap again stops after this job")
    if progress.is_stopping:
        return tr("Catching up stops after this job")
    ended = progress.done + progress.failed
    # As the page Work says it: what failed is not done.
    figures = {"n": number(progress.done), "all": number(ended + progress.left)}
    if progress.remaining is None:
        return (
            tr("Running recap made again, {n} of {all} requests", **figures)
            if is_rebuild
            else tr("Catching up, {n} of {all} requests", **figures)
        )
    figures["time"] = about(progress.remaining)
    return (
        tr("Running recap made again, {n} of {all} requests, {time} left", **figures)
        if is_rebuild
        else tr("Catching up, {n} of {all} requests, {time} left", **figures)
    )


# 7 parameters: what there is to say of a model, most with a default.
def backend_health(
    label: str,
    operations: Sequence[Operation],
    problem: str,
    tokens: int,
    *,
    others: Collection[str] = (),
    since: float = 0.0,
    now: float = 0.0,
) -> HealthItem:
    """How the model is doing. now: seconds since the epoch.

    label: of the writer. problem: what of the settings cannot be followed, "" when all can.
    tokens: spent today. others: labels of the writers of some kinds of work. since: when all these
    began to write (seconds since the epoch); what another answered before is no fault of theirs.
    """
    asked, label = label, tr("No model") if label == BUILT_IN else retold(label)
    if problem:
        return HealthItem("backend", Light.BAD, f"{label}: {problem}")
    sentence = tr("{model}, {n} tokens today", model=label, n=number(tokens)) if tokens else label
    newest = failed_last(operations, now=now)
    if newest is not None:
        if newest.backend in (asked, *others):
            return HealthItem("backend", Light.BAD, f"{retold(newest.backend)}: {newest.error}")
        if not newest.backend and (newest.finished or 0.0) >= since:  # nobody was reached
            return HealthItem("backend", Light.BAD, f"{label}: {newest.error}")
    light = Light.OFF if asked == BUILT_IN else Light.GOOD
    return HealthItem("backend", light, sentence)
