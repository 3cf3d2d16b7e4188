"""Says how each part is doing, in the words of the status bar. Pure."""

from __future__ import annotations

import time
from collections.abc import Sequence

from app.health import Health, HealthItem, Light, about, count_of
from app.model_use import CAPPED
from app.operations import Operation, OperationStatus
from app.sillytavern.bridge_socket import Page
from app.sillytavern.data_folders import Tavern
from app.story.story import Story
from app.work.catch_up import CatchUpProgress


def health_of(
    *,
    taverns: Sequence[Tavern],
    pages: Sequence[Page],
    is_listening: bool,
    last_read: tuple[Story, float, str] | None,
    operations: Sequence[Operation],
    is_paused: bool,
    pause_reason: str,
    problem: str,
    writer_label: str,
    unplaced: Sequence[str] = (),
    is_writing: bool = False,
    unwritten: Sequence[str] = (),
    stopped_before: Operation | None = None,
    catching_up: Sequence[CatchUpProgress] = (),
    tokens_today: int = 0,
) -> Health:
    """All lights. last_read: the chat read last, when (epoch seconds), and what failed then.

    problem: what of the settings could not be followed at the start, "" when all could.
    unplaced: macros that were to tell something and stand in no prompt.
    is_writing: chats are written too, since the user wants it. unwritten: sentences on those that
    cannot be written now. stopped_before: the operation that the queue was to pause before.
    """
    return Health(
        sillytavern=_sillytavern(taverns, pages, is_writing, unwritten),
        bridge=_bridge(pages, is_listening, unplaced),
        reading=_reading(last_read),
        queue=_queue(operations, is_paused, pause_reason, stopped_before, catching_up),
        backend=_backend(writer_label, operations, problem, tokens_today),
    )


def _sillytavern(
    taverns: Sequence[Tavern], pages: Sequence[Page], is_writing: bool, unwritten: Sequence[str]
) -> HealthItem:
    if unwritten:
        light = Light.WORKING if pages else Light.OFF
        more = f" And {count_of(len(unwritten) - 1, 'more chat')}." if len(unwritten) > 1 else ""
        return HealthItem("sillytavern", light, unwritten[0] + more)
    if pages:
        return HealthItem("sillytavern", Light.GOOD, "SillyTavern connected")
    if taverns:
        doing = "reading and writing the files" if is_writing else "reading the files"
        sentence = f"No SillyTavern page connected, {doing}"
        return HealthItem("sillytavern", Light.OFF, sentence)
    return HealthItem("sillytavern", Light.OFF, "No SillyTavern found")


def _bridge(pages: Sequence[Page], is_listening: bool, unplaced: Sequence[str]) -> HealthItem:
    if unplaced:
        more = f" and {count_of(len(unplaced) - 1, 'more macro')}" if len(unplaced) > 1 else ""
        sentence = f"The prompt names no {{{{{unplaced[0]}}}}}{more}: what it tells is lost"
        return HealthItem("bridge", Light.BAD, sentence)
    if pages:
        version = pages[-1].version
        shown = count_of(len(pages), "page")
        return HealthItem("bridge", Light.GOOD, f"Bridge {version}, {shown}")
    if is_listening:
        return HealthItem("bridge", Light.IDLE, "Bridge waits: reload SillyTavern's page")
    return HealthItem("bridge", Light.OFF, "Bridge not installed")


def _reading(last_read: tuple[Story, float, str] | None) -> HealthItem:
    if last_read is None:
        return HealthItem("reading", Light.OFF, "Nothing read yet")
    story, moment, failure = last_read
    if failure:
        return HealthItem("reading", Light.BAD, failure)
    clock = time.strftime("%H:%M", time.localtime(moment))
    sentence = f"Read to #{len(story.messages) - 1}, {clock}" if story.messages else "Empty chat"
    if story.problems:
        lines = count_of(len(story.problems), "unreadable line")
        return HealthItem("reading", Light.BAD, f"{sentence}; {lines}")
    return HealthItem("reading", Light.GOOD, sentence)


def _queue(
    operations: Sequence[Operation],
    is_paused: bool,
    pause_reason: str,
    stopped_before: Operation | None,
    catching_up: Sequence[CatchUpProgress],
) -> HealthItem:
    running = [op for op in operations if op.status is OperationStatus.RUNNING]
    waiting = [
        op for op in operations if op.status in (OperationStatus.PENDING, OperationStatus.WAITING)
    ]
    if pause_reason:
        return HealthItem("queue", Light.BAD, pause_reason)
    if stopped_before is not None:
        sentence = f"Paused before “{stopped_before.spec.label}”"
        return HealthItem("queue", Light.IDLE, sentence)
    if is_paused:
        return HealthItem("queue", Light.IDLE, f"Paused, {len(waiting)} waiting")
    if running and catching_up:
        return HealthItem("queue", Light.WORKING, catch_up_words(catching_up[0]))
    if running:
        sentence = running[0].spec.label
        if waiting:
            sentence += f", {len(waiting)} waiting"
        return HealthItem("queue", Light.WORKING, sentence)
    if waiting:
        why = waiting[0].error or waiting[0].held
        sentence = f"{len(waiting)} waiting: {why}" if why else f"{len(waiting)} waiting"
        # A cap that the user set is nothing that went wrong.
        light = Light.IDLE if why == CAPPED else Light.BAD
        return HealthItem("queue", light, sentence)
    return HealthItem("queue", Light.IDLE, "Nothing to do")


def catch_up_words(progress: CatchUpProgress) -> str:
    """How far a catch-up is, in one short sentence."""
    if progress.is_stopping:
        return "Catching up stops after this one"
    ended = progress.done + progress.failed
    words = f"Catching up, {ended:,} of {ended + progress.left:,}"
    if progress.remaining is not None:
        words += f", {about(progress.remaining)} left"
    return words


def _backend(label: str, operations: Sequence[Operation], problem: str, tokens: int) -> HealthItem:
    if problem:
        return HealthItem("backend", Light.BAD, f"{label}: {problem}")
    sentence = f"{label}, {tokens:,} tokens today" if tokens else label
    newest = next((op for op in operations if op.finished is not None), None)
    if newest is not None and newest.status is OperationStatus.FAILED:
        return HealthItem("backend", Light.BAD, f"{label}: {newest.error}")
    return HealthItem("backend", Light.GOOD, sentence)
