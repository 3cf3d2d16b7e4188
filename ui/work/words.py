"""What the work page says of a catch-up, and of what was cleared."""

from __future__ import annotations

from app.health import about, count_of
from app.work.agenda import Cleared
from app.work.catch_up import CatchUpProgress
from ui.work.model import duration_words


def progress_title(progress: CatchUpProgress) -> str:
    """Whose backlog is worked off."""
    if progress.is_stopping:
        return f"Catching up {progress.title} stops after this one"
    return f"Catching up {progress.title}"


def progress_facts(progress: CatchUpProgress, *, is_paused: bool) -> str:
    """How far it is, how long it has worked, and how long it goes on."""
    ended = progress.done + progress.failed
    parts = [f"{ended:,} of {ended + progress.left:,} done"]
    if progress.failed:
        parts[0] += f", {progress.failed:,} of them failed"
    parts.append(f"{duration_words(progress.elapsed)} of work")
    if is_paused:
        parts.append("paused")
    elif progress.remaining is not None and progress.left:
        parts.append(f"{about(progress.remaining)} left")
    elif progress.left:
        parts.append("how long it takes shows with the first")
    return ", ".join(parts)


def cleared_sentence(cleared: Cleared) -> str:
    """What a clearing did, and what comes of it."""
    count = len(cleared.operations)
    was, they = ("was", "It is") if count == 1 else ("were", "They are")
    sentence = f"{count_of(count, 'operation')} {was} taken out of the queue. {they} not planned"
    sentence += " again before the next start; what your stories still lack is then."
    return sentence
