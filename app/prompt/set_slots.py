"""What became of each slot's draft, and the slots as SillyTavern is told to set them. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.placement import IN_BLOCK, MACROS, Placement
from app.prompt.slots import LeftOut, Reason, Slot, SlotContent
from app.settings.slot_table import Position, SlotName
from app.settings.slots import Place, SlotSettings

MARK = re.compile(r"\A- (?:\[[^\[\]]*\] )?")  # of a line, and of one that was only heard
REPAIR_AT = Place(Position.IN_CHAT)
SEPARATOR, SEPARATOR_TOKENS = "\n\n", 2  # between texts in one block

Count = Callable[[str], int]


def words_of(entry: Entry) -> str:
    """What an entry says, "" for one that says nothing by itself."""
    if entry.row and not entry.is_whole:
        return ""
    return MARK.sub("", entry.text).casefold()


# 6 parameters: what is dealt out to a draft, and what it is measured by.
def content_of(
    draft: Draft,
    fitting: int,
    shown: int,
    budget: int,
    count: Count,
    elsewhere: Collection[str] = (),
) -> SlotContent:
    """What became of a draft. elsewhere: ids of memories that only other chats say."""
    entries = draft.entries
    cut = [
        LeftOut(entry.head + entry.text, reason, entry.memory)
        for part, reason in (
            (entries[shown:fitting], Reason.TOTAL),
            (entries[fitting:], Reason.BUDGET),
        )
        for entry in part
    ]
    tokens = count(draft.render(shown))
    return SlotContent(
        key=draft.name.key,
        shown=tuple(entry.memory for entry in entries[:shown] if entry.memory),
        left_out=(*cut, *draft.left_out),
        tokens=tokens,
        budget=max(budget, tokens),
        full_tokens=count(draft.render(len(entries))),
        passages=tuple(entry.passage for entry in entries[:shown] if entry.passage is not None),
        scenes=_scenes_told(draft, shown),
        noted=tuple(sorted({e.message for e in entries[:shown] if e.message >= 0})),
        elsewhere=tuple(
            e.text for e in entries[:shown] if draft.is_elsewhere or e.memory in elsewhere
        ),
    )


def _scenes_told(draft: Draft, shown: int) -> tuple[int, ...]:
    """Numbers of the scenes that a draft of scene recaps tells of: a row is a scene there."""
    if draft.name is not SlotName.SCENES:
        return ()
    return tuple(sorted({int(entry.row) for entry in draft.entries[:shown] if entry.row}))


def slots_set(
    settings: Mapping[str, Any],
    placement: Placement,
    texts: Mapping[SlotName, str],
    contents: Iterable[SlotContent],
    count: Count,
) -> Iterator[Slot]:
    """The slots: each text exactly once, in its slot, in the block, or by its macro."""
    by_key = {content.key: content for content in contents}
    block = [texts[name] for name in IN_BLOCK if placement.is_unified and name in texts]
    for name in SlotName:
        content = by_key.get(name.key)
        if content is not None and content.full_tokens and not placement.is_in_block(name):
            yield _slot(
                settings,
                placement,
                name,
                texts.get(name, ""),
                (content.tokens, content.budget, content.full_tokens),
            )
    if block:
        text = SEPARATOR.join(block)
        parts = [by_key[name.key] for name in IN_BLOCK if name.key in by_key]
        sizes = (
            count(text),
            sum(part.budget for part in parts),
            sum(part.full_tokens for part in parts),
        )
        yield _slot(settings, placement, SlotName.UNIFIED, text, sizes)


def _slot(
    settings: Mapping[str, Any],
    placement: Placement,
    name: SlotName,
    text: str,
    sizes: tuple[int, int, int],
) -> Slot:
    """A slot by its settings; the repair note's place is fixed."""
    tokens, budget, full_tokens = sizes
    at = REPAIR_AT if name is SlotName.REPAIR else SlotSettings(settings).place(name)
    macro = MACROS[name] if name in placement.by_macro else ""
    return Slot(
        name.key,
        Position.NONE if macro else at.position,
        at.depth,
        at.role,
        at.scan,
        text,
        tokens,
        budget,
        full_tokens,
        macro,
    )
