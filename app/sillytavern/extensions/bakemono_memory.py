"""What the extension BakemonoMemory keeps in a chat's metadata; read, never written.

Shapes, from its public code (2026): `bakemonoMemory` holds `storySummaries` (of some messages),
`stageSummaries` (of several of these, or of messages), `epicSummaries` (of stages). Each has
`title`, `content`, `sourceMessageIds` (indexes), maybe `sourceStart` and `sourceEnd`, and
`createdAt` (ISO 8601). The text stands in `<bakemono>`, maybe with `<details>` and `<summary>`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from app.sillytavern.extensions import loose_json as loose
from app.sillytavern.extensions.loose_json import Json
from app.sillytavern.extensions.ranged_recaps import (
    LONGEST_RECAP,
    MOST_MESSAGES,
    RangedRecap,
    RangedRecaps,
    apart,
    name_of,
)
from app.story.recaps import BAKEMONO_MEMORY
from app.views.findings import Omission

_KEY = "bakemonoMemory"
_WRAPPING = re.compile(r"</?(?:bakemono|details|summary|summaryDraft)\s*>", re.IGNORECASE)


def summaries_of(chat_metadata: Json, length: int) -> RangedRecaps:
    """What it tells of a chat of so many messages.

    A stage counts where its messages have no summary of their own: it was made of them.
    """
    held = loose.object_at(chat_metadata, _KEY)
    left_out: Counter[Omission] = Counter()
    stories = list(_recaps(held, "storySummaries"))
    told = sorted((story.first, story.last) for story in stories if story.first >= 0)
    starts = [first for first, _ in told]
    farthest = list(accumulate((last for _, last in told), max))
    stages = []
    for stage in _recaps(held, "stageSummaries"):
        before = bisect_right(starts, stage.last)
        if before and farthest[before - 1] >= stage.first >= 0:
            left_out[Omission.HIGHER] += 1
        else:
            stages.append(stage)
    if epics := sum(1 for _ in loose.objects(loose.list_at(held, "epicSummaries"))):
        left_out[Omission.HIGHER] += epics
    return apart(BAKEMONO_MEMORY, (*stories, *stages), left_out, length)


def _recaps(held: Json, name: str) -> Iterator[RangedRecap]:
    for entry in loose.objects(loose.list_at(held, name)):
        first, last = _range(entry)
        text = loose.text(entry.get("content"))
        if len(text) <= 2 * LONGEST_RECAP:
            text = _WRAPPING.sub("", text).strip()
        title = name_of(loose.text(entry.get("title")))
        yield RangedRecap(first, last, title, text, _moment(entry.get("createdAt")))


def _range(entry: Json) -> tuple[int, int]:
    """Its first and last message, (-1, -1) where it names none."""
    named: list[Any] = [entry.get("sourceStart"), entry.get("sourceEnd")]
    if not all(map(_is_index, named)):
        named = [one for one in loose.list_at(entry, "sourceMessageIds") if _is_index(one)]
    return (int(min(named)), int(max(named))) if named else (-1, -1)


def _is_index(value: Any) -> bool:
    return loose.is_number(value) and value == int(value) and 0 <= value <= MOST_MESSAGES


def _moment(value: Any) -> float:
    """Seconds since the epoch; 0 for what is no time."""
    try:
        moment = datetime.fromisoformat(loose.text(value)[:40])
        return max(0.0, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (ValueError, OverflowError):
        return 0.0
