"""Says how each part is doing, in the words of the status bar. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from app.core.model_use import CAPPED
from app.core.moments import moment_text
from app.core.operations import OFF, Operation, OperationStatus
from app.core.part_health import Health, HealthItem, Light, about
from app.core.translation import number, retold, tr, trn
from app.sillytavern.bridge.bridge_pairing import BridgeState
from app.sillytavern.bridge.bridge_socket import Page
from app.sillytavern.data_folders import Tavern
from app.story.story import Story
from app.work.planning.catch_up import CatchUpProgress


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
    unreached: Sequence[str] = (),
    bridges: Mapping[Path, BridgeState] | None = None,
    is_seeking: bool = False,
    is_writing: bool = False,
    unwritten: Sequence[str] = (),
    stopped_before: Operation | None = None,
    catching_up: Sequence[CatchUpProgress] = (),
    tokens_today: int = 0,
    no_room: str = "",
    folder_gone: str = "",
) -> Health:
    """All lights. last_read: the chat read last, when (epoch seconds), and what failed then.

    problem: what of the settings could not be followed at the start, "" when all could.
    unplaced: macros that were to tell something and stand in no prompt. unreached: sentences on
    taverns that have the bridge and cannot be told where we are. bridges: how it stands in each
    user folder. is_seeking: we have just begun, and no page had the time to come yet.
    is_writing: chats are written too, since the user wants it. unwritten: sentences on those that
    cannot be written now. no_room: a sentence while our own disk is full, folder_gone: while
    SillyTavern's folder is not there. stopped_before: the operation that the queue was to pause
    before.
    """
    return Health(
        sillytavern=(
            HealthItem("sillytavern", Light.BAD, folder_gone)
            if folder_gone
            else _sillytavern(taverns, pages, is_writing, unwritten)
        ),
        bridge=_unplaced(unplaced)
        or _bridge(pages, is_listening, unreached, bridges or {}, is_seeking),
        reading=HealthItem("reading", Light.BAD, no_room) if no_room else _reading(last_read),
        queue=_queue(operations, is_paused, pause_reason, stopped_before, catching_up),
        backend=_backend(writer_label, operations, problem, tokens_today),
    )


def _sillytavern(
    taverns: Sequence[Tavern], pages: Sequence[Page], is_writing: bool, unwritten: Sequence[str]
) -> HealthItem:
    if unwritten:
        light, sentence = Light.WORKING if pages else Light.OFF, unwritten[0]
        if more := len(unwritten) - 1:
            sentence += " " + trn("And {n} more chat.", "And {n} more chats.", more)
        return HealthItem("sillytavern", light, sentence)
    if pages and not any(page.has_server for page in pages):
        sentence = tr("SillyTavern's server does not answer, though its page is open")
        return HealthItem("sillytavern", Light.BAD, sentence)
    if pages:
        return HealthItem("sillytavern", Light.GOOD, tr("SillyTavern connected"))
    if taverns:
        sentence = (
            tr("No SillyTavern page connected, reading and writing the files")
            if is_writing
            else tr("No SillyTavern page connected, reading the files")
        )
        return HealthItem("sillytavern", Light.OFF, sentence)
    return HealthItem("sillytavern", Light.OFF, tr("No SillyTavern found"))


def _unplaced(names: Sequence[str]) -> HealthItem | None:
    if not names:
        return None
    macro, more = f"{{{{{names[0]}}}}}", len(names) - 1
    sentence = (
        trn(
            "The prompt names no {macro} and {n} more macro: what it tells is lost",
            "The prompt names no {macro} and {n} more macros: what it tells is lost",
            more,
            macro=macro,
        )
        if more
        else tr("The prompt names no {macro}: what it tells is lost", macro=macro)
    )
    return HealthItem("bridge", Light.BAD, sentence)


def _bridge(
    pages: Sequence[Page],
    is_listening: bool,
    unreached: Sequence[str],
    bridges: Mapping[Path, BridgeState],
    is_seeking: bool,
) -> HealthItem:
    if any(bridges.get(page.user_folder) is BridgeState.ABSENT for page in pages):
        sentence = tr("The bridge was taken out of SillyTavern: its page loses it when reloaded")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.ABSENT)
    if pages:
        version = pages[-1].version
        sentence = trn(
            "Bridge {version}, {n} page", "Bridge {version}, {n} pages", len(pages), version=version
        )
        return HealthItem("bridge", Light.GOOD, sentence)
    if unreached:
        return HealthItem("bridge", Light.OFF, unreached[0])
    states = set(bridges.values()) if bridges or not is_listening else {BridgeState.PAIRED}
    if BridgeState.UNPAIRED in states:
        sentence = tr("SillyTavern's page has another password than Tavernkeep: write it again")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.UNPAIRED)
    if BridgeState.PAIRED in states and is_seeking:
        return HealthItem("bridge", Light.IDLE, tr("Bridge looks for SillyTavern's page"))
    if BridgeState.PAIRED in states:
        sentence = tr("Bridge waits: open SillyTavern's page, or reload it")
        return HealthItem("bridge", Light.IDLE, sentence)
    if BridgeState.SWITCHED_OFF in states:
        sentence = tr("The bridge is switched off among SillyTavern's extensions")
        return HealthItem("bridge", Light.BAD, sentence, BridgeState.SWITCHED_OFF)
    return HealthItem("bridge", Light.OFF, tr("Bridge not installed"), BridgeState.ABSENT)


def _reading(last_read: tuple[Story, float, str] | None) -> HealthItem:
    if last_read is None:
        return HealthItem("reading", Light.OFF, tr("Nothing read yet"))
    story, moment, failure = last_read
    if failure:
        return HealthItem("reading", Light.BAD, failure)
    clock = moment_text(moment)
    sentence = (
        tr("Read to #{index}, {clock}", index=len(story.messages) - 1, clock=clock)
        if story.messages
        else tr("Empty chat")
    )
    if story.problems:
        lines = trn("{n} unreadable line", "{n} unreadable lines", len(story.problems))
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
        sentence = tr("Paused before “{label}”", label=retold(stopped_before.spec.label))
        return HealthItem("queue", Light.IDLE, sentence)
    if is_paused:
        return HealthItem("queue", Light.IDLE, tr("Paused, {n} waiting", n=len(waiting)))
    if running and catching_up:
        return HealthItem("queue", Light.WORKING, catch_up_words(catching_up[0]))
    if running:
        sentence = retold(running[0].spec.label)
        if waiting:
            sentence = tr("{label}, {n} waiting", label=sentence, n=len(waiting))
        return HealthItem("queue", Light.WORKING, sentence)
    if waiting:
        why = waiting[0].error or waiting[0].held
        sentence = (
            tr("{n} waiting: {why}", n=len(waiting), why=why)
            if why
            else tr("{n} waiting", n=len(waiting))
        )
        # What begins in a moment, and a cap that the user set, are nothing that went wrong.
        light = Light.IDLE if why in ("", tr(CAPPED), tr(OFF)) else Light.BAD
        return HealthItem("queue", light, sentence)
    return HealthItem("queue", Light.IDLE, tr("Nothing to do"))


def catch_up_words(progress: CatchUpProgress) -> str:
    """How far a catch-up is, in one short sentence."""
    if progress.is_stopping:
        return tr("Catching up stops after this one")
    ended = progress.done + progress.failed
    figures = {"n": number(ended), "all": number(ended + progress.left)}
    if progress.remaining is None:
        return tr("Catching up, {n} of {all}", **figures)
    return tr("Catching up, {n} of {all}, {time} left", **figures, time=about(progress.remaining))


def _backend(label: str, operations: Sequence[Operation], problem: str, tokens: int) -> HealthItem:
    label = retold(label)
    if problem:
        return HealthItem("backend", Light.BAD, f"{label}: {problem}")
    sentence = tr("{model}, {n} tokens today", model=label, n=number(tokens)) if tokens else label
    newest = next((op for op in operations if op.finished is not None), None)
    if newest is not None and newest.status is OperationStatus.FAILED:
        return HealthItem("backend", Light.BAD, f"{label}: {newest.error}")
    return HealthItem("backend", Light.GOOD, sentence)
