"""The rolling summary: what it is made from, part by part, and reading it (spec §6)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.translation import N_
from app.memory.reading.prose import (
    CountTokens,
    cleaned,
    is_unchanged,
    is_unknown,
    sections,
    within,
)
from app.memory.reading.windows import is_told
from app.memory.records import Document, DocumentKind, Memory, Tier
from app.memory.tiers.lines import is_copied
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message

# The nine of others without what may come next: guesses became facts (§6).
TITLES: Mapping[str, str] = {
    "scene": "Scene",
    "present": "Present",
    "events": "Events",
    "relationships": "Relationships",
    "revealed": "Revealed",
    "threads": "Threads",
    "moment": "Moment",
}
NAMES: Mapping[str, str] = {
    **{name: name for name in TITLES},
    **dict.fromkeys(("setting", "scene and setting", "scene/setting", "time and place"), "scene"),
    **dict.fromkeys(("characters", "characters present", "people", "who is there"), "present"),
    **dict.fromkeys(("key events", "what happened", "plot"), "events"),
    **dict.fromkeys(("relationship dynamics", "relations", "dynamics"), "relationships"),
    **dict.fromkeys(("revealed information", "revelations", "information", "secrets"), "revealed"),
    **dict.fromkeys(("open threads", "unresolved threads", "plot threads"), "threads"),
    **dict.fromkeys(("current moment", "now", "current state", "current situation"), "moment"),
}
LEAST_SECTIONS = 3
DIGEST_TOKENS = 400  # of memories of each tier
NOTHING_YET = "Nothing yet."
CUT = " […]"

_ANALYSIS = re.compile(r"<analysis>.*?(?:</analysis>|(?=\[SUMMARY\]|<summary>)|\Z)", re.I | re.S)
_MARKED = (
    re.compile(r"\[SUMMARY\](.*?)(?:\[/SUMMARY\]|\Z)", re.I | re.S),
    re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.I | re.S),
)
_FIRST_LINE = re.compile(r"^[ \t#*]{0,8}1[.)].*", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class SummaryInputs:
    """What one request is given. taken: how many of the messages are in `texts`."""

    texts: Mapping[str, str]
    taken: int


def read_summary(text: str, previous: Mapping[str, str] | None = None) -> dict[str, str]:
    """The sections of an answer, in their order. previous: the sections so far; they stand for
    what the answer leaves out or calls unchanged.

    Raises Unreadable for fewer than three sections of its own.
    """
    found = sections(_body(text), NAMES)
    old = {name: body for name, body in (previous or {}).items() if name in TITLES}
    own = {
        name: body for name, body in found.items() if not is_unchanged(body) and not is_copied(body)
    }
    if len(own) < LEAST_SECTIONS:
        raise Unreadable(N_("with something else than the numbered sections"))
    told = {name: own.get(name, old.get(name, "")) for name in TITLES}
    return {name: body for name, body in told.items() if body and not is_unknown(body)}


def rendered(parts: Mapping[str, str]) -> str:
    """The summary as one text, its sections numbered."""
    blocks = []
    for number, (name, title) in enumerate(TITLES.items(), 1):
        if parts.get(name):
            blocks.append(f"{number}. {title}: {parts[name]}")
    return "\n".join(blocks)


def parts_of(document: Document | None) -> dict[str, str]:
    """The sections of a summary, also of one that the user has rewritten."""
    if document is None:
        return {}
    return sections(cleaned(document.text), NAMES) or dict(document.sections)


def cut_to(text: str, room: int, count: CountTokens) -> str:
    """A text cut to so many tokens, at the end of a sentence where one is near (§6, inject)."""
    tokens = count(text)
    if tokens <= room:
        return text
    length = len(text) * room // max(1, tokens)
    while length > 0 and count(text[:length] + CUT) > room:
        length = length * 9 // 10
    kept = text[:length]
    stop = kept.rfind(".")
    return (kept[: stop + 1] if stop > length * 0.8 else kept.rstrip()) + CUT if kept else ""


def covered_until(documents: Sequence[Document], messages: Sequence[Message]) -> int:
    """Index of the last message that a summary tells of, else -1.

    A summary whose last message was deleted counts no more; the one before it does.
    """
    places = {message.anchor: index for index, message in enumerate(messages)}
    found = [d for d in documents if d.kind is DocumentKind.SUMMARY and d.until in places]
    return places[found[-1].until] if found else -1


def to_summarise(
    messages: Sequence[Message], after: int, last: int, left_out: Collection[str] = ()
) -> Iterator[int]:
    """Indexes of the messages behind `after`, up to `last`, that tell something.

    left_out: anchors of those that memory does not read.
    """
    behind = range(after + 1, last + 1)
    return (n for n in behind if is_told(messages[n]) and messages[n].anchor not in left_out)


def digest_of(memories: Sequence[Memory], limit: int, count: CountTokens) -> str:
    """What is kept elsewhere: long-term and session memories that hold, newest first to stay."""
    lines: list[str] = []
    for tier in (Tier.LONG_TERM, Tier.SESSION):
        told = [f"[{m.type}] {' '.join(m.text.split())}" for m in memories if m.tier is tier]
        lines += within(reversed(told), limit, count)[::-1]
    return "\n".join(lines) or NOTHING_YET


def summary_inputs(
    previous: str,
    memories: Sequence[Memory],
    messages: Sequence[Message],
    *,
    room: int,
    tokens: int,
    count: CountTokens,
) -> SummaryInputs:
    """What one request of at most `room` tokens is given: as many of the messages as fit, at
    least one. A message that is too long by itself is cut in its middle.
    """
    previous = cut_to(previous, min(tokens * 3 // 2, room // 2), count) if previous else NOTHING_YET
    digest = digest_of(memories, min(DIGEST_TOKENS, room // 10), count)
    room -= count(previous) + count(digest)
    told: list[str] = []
    for message in messages:
        line = f"{message.name}: {message.text.strip()}"
        cost = count(line) + 2
        if told and cost > room:
            break
        told.append(line if cost <= room else _middle_cut(line, room, count))
        room -= cost
    texts = {
        "previous": previous,
        "digest": digest,
        "events": "\n\n".join(told),
        "tokens": str(tokens),
    }
    return SummaryInputs(texts, len(told))


def _body(text: str) -> str:
    text = _ANALYSIS.sub("", text)
    for marked in _MARKED:
        found = marked.search(text)
        if found and found[1].strip():
            return cleaned(found[1])
    text = cleaned(text)
    first = _FIRST_LINE.search(text)
    return first[0] if first else text


def _middle_cut(text: str, room: int, count: CountTokens) -> str:
    size = len(text)
    while size > 40:
        size = size * 3 // 4
        shorter = text[: size // 2].rstrip() + CUT + " " + text[-(size // 2) :].lstrip()
        if count(shorter) <= room:
            return shorter
    return text[:40]
