"""What happened before, for somebody who comes back after a longer absence (spec §18)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.core.translation import N_, number, tr, trn
from app.memory.documents.browsing import english_sentence_of
from app.memory.documents.summary import cut_to
from app.memory.ranking import ranked, utilities
from app.memory.reading.prose import CountTokens, newest_within, prose, within
from app.memory.reading.windows import is_told
from app.memory.records import Memory, Tier
from app.memory.tiers.lines import is_copied
from app.memory.tiers.table import THREADS
from app.story.answers.refusals import is_refusal
from app.story.answers.task_answers import REFUSAL, Unreadable
from app.story.messages import Message

LAST_MESSAGES = 6
LAST_SCENES = 3
MOST_TOKENS = 2400  # of what a request is given: it is to be there in a moment
LONGEST = 1500  # signs
SHORTEST = 30
HOUR, DAY = 3600.0, 86400.0
_JSON = re.compile(r'\{\s{0,80}"[^"\n]{0,200}"\s{0,80}:|\[\s{0,80}[{"]')


@dataclass(frozen=True, slots=True)
class Stored:
    """What is kept of a story already. recap: running recap or rolling summary, "" for neither.
    scenes: recaps of scenes, oldest first. memories: that hold. newer: of the scenes, those that
    the recap does not tell yet.
    """

    recap: str = ""
    scenes: Sequence[str] = ()
    memories: Sequence[Memory] = field(default=())
    newer: Sequence[str] = ()


def is_due(last_active: float | None, now: float, *, hours: int) -> bool:
    """Whether the absence was long enough. last_active, now: seconds since the epoch; None: never
    there, and then there is nothing to come back to.
    """
    return last_active is not None and now - last_active >= hours * HOUR


def absence(seconds: float) -> str:
    """How long somebody was away: days above one, else hours."""
    if seconds > DAY:
        days = round(seconds / DAY)
        return trn("{n} day", "{n} days", days)
    hours = number(max(0.0, seconds) / HOUR, 1)
    return tr("1 hour") if hours == number(1, 1) else tr("{hours} hours", hours=hours)


def away_inputs(
    stored: Stored, messages: Sequence[Message], *, room: int, count: CountTokens
) -> dict[str, str]:
    """What a request is given: what is stored first, then the last messages (cheaper than the
    chat). room: tokens for all of it.
    """
    room = min(room, MOST_TOKENS)
    told = [message for message in messages if is_told(message)][-LAST_MESSAGES:]
    each = max(40, room // 2 // max(1, len(told)))
    recent = [cut_to(f"{m.name}: {m.text.strip()}"[: each * 12], each, count) for m in told]
    recent = newest_within(recent, room // 2, count)
    room -= sum(map(count, recent)) + len(recent)
    return {"memory": _memory(stored, room, count), "recent": "\n\n".join(recent)}


def read_away(text: str) -> str:
    """The sentences of an answer as one paragraph. Raises Unreadable for none."""
    told = " ".join(prose(spoken(text)).split())
    if is_refusal(told):
        raise Unreadable(REFUSAL)
    if len(told) < SHORTEST or is_copied(told):
        raise Unreadable(N_("without a recap"))
    if len(told) > LONGEST:
        stop = max(told.rfind(sign, 0, LONGEST) for sign in ".!?…。")
        told = told[: stop + 1] if stop > 0 else told[:LONGEST]
    return told


def without_model(stored: Stored) -> str:
    """What can be told at once, without asking anybody: "" when nothing is stored.

    The last scene; with no recap of all before it, the last few.
    """
    scenes = [told for scene in stored.scenes if (told := spoken(scene).strip())]
    recap = spoken(stored.recap).strip()
    if recap or not scenes:
        return scenes[-1] if scenes else recap
    return "\n\n".join(scenes[-LAST_SCENES:])


def so_far(stored: Stored) -> str:
    """What happened from the beginning, for who asks that: the recap of all, and what it does not
    tell yet. Without one, as `without_model`.
    """
    recap = spoken(stored.recap).strip()
    if not recap:
        return without_model(stored)
    return "\n\n".join((recap, *(told for s in stored.newer if (told := spoken(s).strip()))))


def spoken(text: str) -> str:
    """What is said for people: of a model's JSON its longest text, "" where that says nothing."""
    found = _JSON.search(text)
    if found is None:
        return text
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, found.start())
    except (ValueError, RecursionError):
        return ""
    waiting: list[object] = [value]
    longest = ""
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str) and len(value) > len(longest):
            longest = value
    return longest if len(longest) >= SHORTEST else ""


def _memory(stored: Stored, room: int, count: CountTokens) -> str:
    parts = []
    if stored.recap:
        parts.append(cut_to(stored.recap, room // 2, count))
    scenes = newest_within(stored.scenes[-LAST_SCENES:], room // 3, count)
    parts += scenes
    room -= sum(map(count, parts))
    threads = [english_sentence_of(m) for m in stored.memories if m.tier in THREADS]
    parts.append("\n".join(within((f"Open: {' '.join(a.split())}" for a in threads), room, count)))
    if not stored.recap and not scenes:
        others = [m for m in stored.memories if m.tier in (Tier.LONG_TERM, Tier.SESSION)]
        best = ranked(others, utilities(others))
        parts.append(
            "\n".join(within((f"- {' '.join(m.text.split())}" for m in best), room, count))
        )
    return "\n\n".join(part for part in parts if part) or "Nothing yet."
