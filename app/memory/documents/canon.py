"""Canon: what a character has lived through, over all chats (spec §9, PD2)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from app.core.translation import N_
from app.memory.documents.profiles import concerns, marked
from app.memory.documents.summary import cut_to
from app.memory.ranking import ranked, utilities
from app.memory.reading.prose import (
    CountTokens,
    cleaned,
    is_unchanged,
    is_unknown,
    newest_within,
    prose,
    sections,
    within,
)
from app.memory.records import Document, Memory, Tier
from app.memory.tiers.lines import is_copied
from app.story.answers.task_answers import Unreadable
from app.story.messages import combined_digest

TITLES: Mapping[str, str] = {"identity": "Identity", "history": "History", "now": "Now"}
NAMES: Mapping[str, str] = {
    **{name: name for name in TITLES},
    **dict.fromkeys(("who they are", "character", "background"), "identity"),
    **dict.fromkeys(("past", "story", "life", "what happened"), "history"),
    **dict.fromkeys(("current state", "current", "present", "current situation", "state"), "now"),
}
MOST_MEMORIES = 30
LEAST_IMPORTANCE = 2
OWN_WEIGHS = 125.0  # more than a step of importance: the history is theirs
REVELATION = "revelation"
SHORTEST = 30  # signs of a usable canon
NOTHING_YET = "Nothing yet."


def canon_digest(summaries: Iterable[Document]) -> str:
    """What a canon is made from: it is due again when an arc was added, not at each memory; the
    same in a branch or a copy, where arcs have ids of their own.
    """
    return combined_digest(*sorted(d.inputs for d in summaries))


def is_canon_of(canon: Document, summaries: Sequence[Document]) -> bool:
    """Whether a canon was made from these."""
    earlier = combined_digest(*sorted(f"{d.subject}\0{d.inputs}" for d in summaries))
    return canon.inputs in (canon_digest(summaries), earlier)  # as versions before wrote it


# 8 parameters: a canon's inputs, each another thing.
def canon_inputs(
    name: str,
    canon: str,
    summaries: Sequence[Document],
    memories: Sequence[Memory],
    *,
    room: int,
    tokens: int,
    count: CountTokens,
    past: Collection[str] = (),
) -> dict[str, str]:
    """What a request is given. summaries: of resolved arcs, oldest first; the newest stay where
    there is too little room, as the canon so far tells of the others. memories: that hold. past:
    ids of those that tell how things were.
    """
    canon = cut_to(canon, min(tokens * 3 // 2, room // 3), count) if canon else NOTHING_YET
    room -= count(canon)
    arcs = newest_within([f"- {' '.join(d.text.split())}" for d in summaries], room * 2 // 3, count)
    room -= sum(map(count, arcs))
    weighty = [m for m in memories if _lasts(m) and m.importance >= LEAST_IMPORTANCE]
    worth = utilities(weighty)
    worth |= {m.id: worth[m.id] + OWN_WEIGHS for m in weighty if concerns(m, name)}
    best = ranked(weighty, worth)[:MOST_MEMORIES]
    lines = within((marked(_line(m), m, past) for m in best), room, count)
    return {
        "name": name,
        "canon": canon,
        "arcs": "\n".join(arcs),
        "memories": "\n".join(lines) or NOTHING_YET,
        "tokens": str(tokens),
    }


def _lasts(memory: Memory) -> bool:
    """Whether it outlasts its story. What came to light does, though a model may note it for the
    session only.
    """
    is_told = memory.tier is Tier.SESSION and memory.type == REVELATION
    return is_told or memory.tier is Tier.LONG_TERM


def _line(memory: Memory) -> str:
    return f"- [{memory.type}] {' '.join(memory.text.split())}"


def read_canon(text: str, previous: str = "") -> dict[str, str]:
    """The paragraphs of an answer. previous: the canon so far; what it says stands for a
    paragraph that is left out or called unchanged.

    Three paragraphs without labels are taken in their order. Raises Unreadable for less.
    """
    found = sections(cleaned(text), NAMES)
    if not found:
        blocks = [block for block in prose(text).split("\n\n") if block.strip()]
        found = dict(zip(TITLES, blocks, strict=True)) if len(blocks) == len(TITLES) else {}
    own = {
        name: " ".join(body.replace("**", "").split())
        for name, body in found.items()
        if not (is_unchanged(body) or is_unknown(body) or is_copied(body))
    }
    if not own or sum(map(len, own.values())) < SHORTEST:
        raise Unreadable(N_("with something other than three paragraphs"))
    old = sections(cleaned(previous), NAMES)
    if len(own) < 2 and not old:
        raise Unreadable(N_("with something other than three paragraphs"))
    told = {name: own.get(name) or old.get(name, "") for name in TITLES}
    return {name: body for name, body in told.items() if body}


def rendered(parts: Mapping[str, str]) -> str:
    """The canon as one text."""
    return "\n\n".join(f"{TITLES[name]}: {parts[name]}" for name in TITLES if parts.get(name))


def paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """The paragraphs of a canon, each with the title that it begins with, "" for none."""
    for paragraph in text.splitlines():
        head = next((f"{t}: " for t in TITLES.values() if paragraph.startswith(f"{t}: ")), "")
        yield head, paragraph.removeprefix(head)
