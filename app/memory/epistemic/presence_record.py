"""How presence is kept: one text for each reading, without words of its own, its lines by message.

What a message said goes with it: of one that was deleted, or reads otherwise now, nothing counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from app.memory.epistemic.presence import Event
from app.memory.lifecycle.derived_documents import all_of, made
from app.memory.reading.extraction import Work
from app.memory.reading.presence_lines import MOVES, OPEN
from app.memory.reading.windows import Window
from app.memory.records import Document, DocumentKind, Source
from app.memory.standing import BEFORE, Ground
from app.memory.tiers.claims import PresenceLine
from app.story.messages import combined_digest


class _Kept(msgspec.Struct, frozen=True):
    kind: str
    who: str
    place: str = ""
    whom: tuple[str, ...] = ()
    text: str = ""
    hash: str = ""
    order: int = 0


_DECODER = msgspec.json.Decoder(tuple[_Kept, ...])


def presence_document(
    lines: Sequence[PresenceLine], window: Window, work: Work, *, part: int = 0
) -> Document | None:
    """The text that keeps lines of one answer, None where none of them cites its window.

    part: number of the answer, where the work has several.
    """
    kept: dict[str, list[_Kept]] = {}
    for order, line in enumerate(lines):
        cited = window.sources(line.sources)
        if not cited:
            continue
        last = cited[-1]  # only there all of it was told
        kept.setdefault(last.anchor, []).append(
            _Kept(line.kind, line.who, line.place, line.whom, line.text, last.content_hash, order)
        )
    if not kept:
        return None
    sections = {anchor: msgspec.json.encode(told).decode() for anchor, told in kept.items()}
    subject = combined_digest("presence", work.key, str(part))
    return made(work, DocumentKind.PRESENCE, "", subject=subject, sections=sections)


def events_of(documents: Iterable[Document], ground: Ground) -> tuple[Event, ...]:
    """What still holds of all that was kept, in the story's order.

    Of a message that was read twice the later reading counts.
    """
    told: dict[str, tuple[Event, ...]] = {}
    for document in all_of(documents, DocumentKind.PRESENCE):
        for anchor, text in document.sections.items():
            events = tuple(_read(document.chat, anchor, text, ground))
            if events:
                told[anchor] = events
    return tuple(sorted((e for events in told.values() for e in events), key=lambda e: e.at))


def _read(chat: int, anchor: str, text: str, ground: Ground) -> Iterator[Event]:
    try:
        kept = _DECODER.decode(text)
    except msgspec.MsgspecError:  # written by a later version
        return
    for one in sorted(kept, key=lambda one: one.order):
        source = Source(chat, anchor, one.hash)
        at = ground.place(source)
        if at != BEFORE and one.kind in (*MOVES, *OPEN) and ground.reads_as_then(source):
            yield Event(one.kind, one.who, at, one.place, one.whom, one.text, anchor, one.hash)
