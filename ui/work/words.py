"""What the work page says of a catch-up, and of what was cleared."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.operations import FOLDS, Operation, OperationStatus
from app.core.part_health import about
from app.core.translation import number, roughly, tr, tr_in, trn
from app.views.catch_up import CatchUpProgress
from app.views.queued_work import Cleared
from ui.core.chat_words import chat_words
from ui.core.session import Session
from ui.work.model import duration_words

NAMED_AT_MOST = 2


def progress_title(progress: CatchUpProgress) -> str:
    """Whose backlog is worked off."""
    if progress.part == FOLDS and progress.is_stopping:
        return tr(
            "Making the running recap of {title} again stops after this job", title=progress.title
        )
    if progress.part == FOLDS:
        return tr("Making the running recap of {title} again", title=progress.title)
    if progress.is_stopping:
        return tr("Catching up {title} stops after this job", title=progress.title)
    return tr("Catching up {title}", title=progress.title)


def to_do_words(count: int, catching_up: Sequence[CatchUpProgress]) -> str:
    """How much there is to do, and how much of it the strip of the first catch-up leaves out."""
    beside = count - catching_up[0].left if catching_up else 0
    if not 0 < beside < count:
        return tr("{count} to do", count=number(count))
    return tr(
        "{count} to do, {beside} of them not part of the catching up below",
        count=number(count),
        beside=number(beside),
    )


def progress_facts(progress: CatchUpProgress, *, is_paused: bool) -> str:
    """How far it is, how long it has worked, and how long it goes on."""
    # What failed is no part of what is done; the head of the page says how much that is.
    every = progress.done + progress.failed + progress.left
    figures = {"ended": number(progress.done), "all": number(every)}
    if 0 < progress.agreed < every:  # scenes were found, or came, that nobody could plan
        first = number(progress.agreed)
        parts = [
            tr("{ended} of {all} requests done ({first} planned at first)", **figures, first=first)
        ]
    else:
        parts = [tr("{ended} of {all} planned requests done", **figures)]
    # Of what no plan can name, too, such as merging two memories, and asking once more.
    tokens = number(progress.tokens)
    if progress.requests > progress.done + progress.failed:
        requests = trn("{n} request", "{n} requests", progress.requests)
        parts.append(tr("{requests} and {tokens} tokens in all", requests=requests, tokens=tokens))
    elif progress.tokens:
        parts.append(tr("{tokens} tokens in all", tokens=tokens))
    parts.append(tr("{duration} of work", duration=duration_words(progress.elapsed)))
    if is_paused:
        parts.append(tr_in("the queue", "paused"))
    elif progress.why:
        return f"{', '.join(parts)}. {progress.why}"
    elif progress.is_held:
        parts.append(tr("no answers right now"))
    elif progress.remaining is not None and progress.left:
        parts.append(tr("{time} left", time=about(progress.remaining)))
    elif progress.left:
        is_first = not (progress.done or progress.failed)
        parts.append(
            tr("the time needed shows after the first")
            if is_first
            else tr("taking longer than usual")
        )
    return ", ".join(parts)


def newest_of(operations: Sequence[Operation]) -> frozenset[int]:
    """Ids of the operation that runs, and of the one that ended last."""
    running = {op.id for op in operations if op.status is OperationStatus.RUNNING}
    ended = max(operations, key=lambda op: op.finished or 0.0, default=None)
    return frozenset(running | ({ended.id} if ended is not None else set()))


def failed_words(session: Session, operations: Sequence[Operation]) -> str:
    """How much failed, and in which chats; "" for nothing."""
    failed = [op for op in operations if op.status is OperationStatus.FAILED]
    if not failed:
        return ""
    chats = (session.companion.work.chat_of(op.spec.chat) for op in failed)
    names = list(dict.fromkeys(chat_words(chat) for chat in chats if chat is not None))
    count = number(len(failed))
    if not names:
        said = tr("{count} failed", count=count)
    elif len(names) > NAMED_AT_MOST:
        said = tr("{count} failed in {n} chats", count=count, n=number(len(names)))
    else:
        said = tr("{count} failed in {chats}", count=count, chats="; ".join(names))
    folds = session.companion.work.folds_again
    if not folds:
        return said
    failed_recaps, costs = session.companion.work.failed_recaps, session.companion.command_costs
    tokens = sum(costs.of_folding_again(path, of).tokens for path, of in failed_recaps.items())
    again = trn(
        "trying again adds {n} scene again, about {tokens} tokens",
        "trying again adds {n} scenes again, about {tokens} tokens",
        folds,
        tokens=roughly(tokens),
    )
    return f"{said} ({again})"


def cleared_sentence(cleared: Cleared) -> str:
    """What a clearing did, and what comes of it."""
    return trn(
        "{n} request was taken out of the queue and is not done now. If "
        "your story still needs it, it is planned again at the next "
        "start.",
        "{n} requests were taken out of the queue and are not done now. "
        "What your stories still need is planned again at the next start.",
        len(cleared.operations),
    )
