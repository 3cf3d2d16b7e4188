"""Arcs: open threads of the plot, and how they were resolved (spec §8.6)."""

from __future__ import annotations

import re
from typing import Any

from app.core.translation import N_, trn
from app.memory.records import ARC, Memory, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd
from app.memory.tiers.lines import Line, is_copied, numbers_in, signs_in
from app.memory.tiers.memory_lines import mentions_in
from app.memory.tiers.tier import Entries, Identity, TierSlot, TierSpec, TierWords

RESOLVED = "resolved"  # the tag of a thread that closes
SHORTEST_THREAD = 16
LONGEST_THREAD = 400
# "2", "#2 and 3", "arc 2": numbers of the list, and nothing else.
NUMBERS_ONLY = re.compile(
    r"(?:(?:arcs?|threads?|entry|entries|no\.?)\s*)?#?\d{1,4}(?:\s*(?:,|and|&|-|–)\s*#?\d{1,4})*\s*\.?",
    re.IGNORECASE,
)
NUMBER_THEN_HOW = re.compile(r"(?:(?:arc|thread)\s*)?#?(\d{1,4})\s*(?:[.):]|\s[-–—])\s+(?=\S)")


def arc_claim(line: Line) -> Claim | None:
    """The thread that a line opens; None when it is too short or copied from the prompt."""
    text = line.content
    if len(text) > LONGEST_THREAD or signs_in(text) < SHORTEST_THREAD or is_copied(text):
        return None
    return Claim(
        Tier.ARCS,
        ARC,
        line.content,
        entities=(
            *mentions_in(line.value("characters", "character"), "character"),
            *mentions_in(line.value("entity", "entities")),
        ),
        sources=line.sources,
    )


def resolved_arc(line: Line) -> ClaimedEnd | None:
    """Which thread a line resolves, and how: by number, else in words."""
    head, pipe, resolution = (part.strip() for part in line.content.partition("|"))
    positional = " ".join(line.positional)
    numbers: tuple[int, ...] = ()
    if NUMBERS_ONLY.fullmatch(head):
        numbers = numbers_in(head)
    elif not pipe and (found := NUMBER_THEN_HOW.match(head)):
        numbers, resolution = (int(found[1]),), head[found.end() :]
    elif NUMBERS_ONLY.fullmatch(positional):  # [resolved:2] how
        numbers, resolution = numbers_in(positional), resolution or head
    if is_copied(line.content) or not (numbers or any(map(str.isalnum, head))):
        return None
    return ClaimedEnd(
        Tier.ARCS,
        numbers=numbers,
        text="" if numbers else head,
        type=ARC,
        resolution=resolution,
        sources=line.sources,
    )


def _read(line: Line, tag: str) -> Entries:
    if tag == RESOLVED:
        end = resolved_arc(line)
        return [], [end] if end else []
    claim = arc_claim(line)
    return [claim] if claim else [], []


def _entry(memory: Memory) -> dict[str, Any]:
    return {"thread": memory.text, "pinned": memory.is_pinned}


ARCS = TierSpec(
    tier=Tier.ARCS,
    types=(ARC,),
    words=TierWords(
        name=N_("Plot threads"),
        purpose=N_("Open threads of the plot, until they are resolved."),
        count=lambda n: trn("{n} plot thread", "{n} plot threads", n),
        switch=N_("Plot threads"),
        in_sentence=N_("plot threads"),
        text=N_("What is open"),
    ),
    hue="arcs",
    slot=TierSlot(
        what=N_("plot threads"),
        meaning=N_("Open plot threads."),
        heading="Active story threads:",
        budget=700,
        pressed=50,
        by_kind=(1.0, 1.0, 1.3, 0.8),
    ),
    prompt="memory_arcs",
    tags=(ARC, RESOLVED),
    spellings=(
        (ARC, ("arcs", "thread", "open", "open thread")),
        (RESOLVED, ("resolve", "resolves", "closed")),
    ),
    read=_read,
    heading="Open arcs:",
    ended_heading="Arcs resolved since: ",
    rank=0,
    identity=Identity.THREAD,
    entry=_entry,
    most="arcs_max",
    comes_back=True,
    is_of_chat=True,
    outlives_pinned=True,
    is_ranked=True,
    is_thread=True,
    gives_way_to_session=True,
    is_looked_through=True,
)
