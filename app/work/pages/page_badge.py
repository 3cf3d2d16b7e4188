"""How Tavernkeep is doing, in the few words that SillyTavern's page has room for. Pure."""

from __future__ import annotations

import msgspec

from app.core.part_health import Health, Light

LONGEST_SENTENCE = 300


class PageBadge(msgspec.Struct, frozen=True):
    """state: ready, working or trouble. waiting: what is to do and has not begun."""

    state: str = "ready"
    waiting: int = 0
    sentence: str = ""


def badge_of(health: Health, to_do: int) -> PageBadge:
    """The badge; of what is wrong it tells what keeps the work from going on.

    to_do: what is left, as the page Work counts it.
    """
    waiting = max(0, to_do - (health.queue.light is Light.WORKING))
    parts = (health.sillytavern, health.queue, health.reading, health.backend)
    wrong = [item for item in parts if _is_bad(item.light)]
    if wrong == [health.backend]:  # how things stand is never cut off by what went wrong once
        sentence = " · ".join((health.queue.sentence, health.backend.sentence))
        return PageBadge("trouble", waiting, sentence[:LONGEST_SENTENCE])
    if wrong:
        return PageBadge("trouble", waiting, wrong[0].sentence[:LONGEST_SENTENCE])
    state = "working" if health.queue.light is Light.WORKING else "ready"
    return PageBadge(state, waiting, health.queue.sentence[:LONGEST_SENTENCE])


def _is_bad(light: Light) -> bool:
    return light is Light.BAD
