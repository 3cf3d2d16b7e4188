"""What Smart Memory makes of the same memory: resources/spec/smart-memory.md §16 and §11.

It is given what the program holds at that moment (what ended is out, as its own consolidation has
it at its best), its default budgets, and where a total is smaller than these together, each in
proportion.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from app.memory.names import folded
from app.memory.ranking import ranked, utilities
from app.memory.records import LEDGER_FIELDS, Memory, Tier
from app.story.recap_texts.recap_text import parse_recap
from app.views.memory_view import MemoryView
from tests.answers.rivals import Count

# In the order of the prompt, with the default budget of each (§16).
BUDGETS: Mapping[str, int] = {
    "short": 2000,
    "long": 500,
    "scenes": 300,
    "relationships": 250,
    "session": 400,
    "arcs": 700,
    "epistemic": 200,
    "state_ledger": 200,
}
HEADERS: Mapping[str, str] = {
    "short": "Story so far:",
    "long": "Memories from previous conversations:",
    "scenes": "Previous scenes:",
    "relationships": "Relationship history:",
    "session": "",
    "arcs": "Active story threads:",
    "epistemic": "",
    "state_ledger": "Current state:",
}
SCENE_STATE = {
    "scene": "Setting",
    "development": "Shift",
    "detail": "Continuity",
    "revelation": "New",
}
KNOWING = {
    "knows": "Knows",
    "suspects": "Suspects (unconfirmed)",
    "unaware": "Does not know",
    "believes": "Believes (but is false)",
    "hiding": "Concealing",
}
PRESENT_IN = 10  # messages in which whoever is there is named
FEWEST_SHARES = 40  # steps by which the shares are looked for


def injected(view: MemoryView, responder: str, total: int, count: Count) -> str:
    """All slots' text within so many tokens."""
    sections = dict(_sections(view, responder))
    best = ""
    for step in range(1, FEWEST_SHARES + 1):
        share = step / FEWEST_SHARES
        text = "\n\n".join(
            filter(
                None,
                (
                    _within(name, sections.get(name, ()), int(budget * share), count)
                    for name, budget in BUDGETS.items()
                ),
            )
        )
        if count(text) > total:
            break
        best = text
    return best


def _sections(view: MemoryView, responder: str) -> Iterator[tuple[str, Sequence[tuple[int, str]]]]:
    """Of each slot its lines, each with its place in the ranking, the first the last to go."""
    active = [s for s in view.memories if s.is_active]

    def of(tier: Tier) -> list[Memory]:
        return [s.memory for s in active if s.memory.tier is tier]

    yield "short", _last_first(_summary(view))
    yield "long", _by_utility(of(Tier.LONG_TERM), responder)
    yield "scenes", _last_first(_scenes(view))
    yield "relationships", tuple(enumerate(_feelings(of(Tier.RELATIONSHIPS), view)))
    yield "session", _session(of(Tier.SESSION))
    yield "arcs", _last_first(f"- {memory.text}" for memory in of(Tier.ARCS))
    yield "epistemic", tuple(enumerate(_knowing(of(Tier.EPISTEMIC), responder)))
    yield "state_ledger", tuple(enumerate(_ledger(of(Tier.STATE_LEDGER))))


def _summary(view: MemoryView) -> Iterator[str]:
    version = view.story.running.current
    recap = parse_recap(version.content if version else "")
    yield from (*recap.developments, *recap.open, *recap.state)


def _scenes(view: MemoryView) -> Iterator[str]:
    for scene in view.story.scenes:
        anchor = scene.closing.anchor if scene.closing else ""
        recaps = [r for r in view.story.recaps.get(anchor, ()) if r.is_current]
        if recaps:
            recap = parse_recap(recaps[-1].text)
            yield f"Scene {scene.number}: {' '.join((*recap.developments, *recap.state))}"


def _by_utility(memories: Sequence[Memory], responder: str) -> tuple[tuple[int, str], ...]:
    best_first = ranked(memories, utilities(memories, frozenset()))
    ranks = {memory.id: rank for rank, memory in enumerate(best_first)}
    return tuple((ranks[memory.id], f"- {_told(memory, responder)}") for memory in memories)


def _told(memory: Memory, responder: str) -> str:
    witnesses = {folded(name) for name in memory.witnessed_by}
    is_there = not witnesses or folded(responder) in witnesses
    return memory.text if is_there else f"[secondhand] {memory.text}"


def _session(memories: Sequence[Memory]) -> tuple[tuple[int, str], ...]:
    newest = {memory.type: memory.text for memory in memories}
    state = [f"{label}: {newest[type_]}" for type_, label in SCENE_STATE.items() if type_ in newest]
    listed = _by_utility(memories, "")
    heads = ["The scene now:", *state, "Details from this session:"]
    return (*((-1, head) for head in heads), *listed) if memories else ()


def _feelings(memories: Iterable[Memory], view: MemoryView) -> Iterator[str]:
    said = folded(" ".join(f"{m.name} {m.text}" for m in view.story.messages[-PRESENT_IN:]))
    pairs: dict[tuple[str, str], list[str]] = {}
    for memory in memories:
        if folded(memory.subject) in said or folded(memory.target) in said:
            told = f"{memory.text}({memory.magnitude or 'medium'})"
            pairs.setdefault((memory.subject, memory.target), []).append(told)
    for (subject, target), told_of in pairs.items():
        yield f"{subject}→{target}: {', '.join(told_of)}"


def _knowing(memories: Sequence[Memory], responder: str) -> Iterator[str]:
    own = [memory for memory in memories if folded(memory.subject) == folded(responder)]
    if own:
        yield f"What {responder} knows and does not know:"
    for type_, head in KNOWING.items():
        listed = [memory for memory in own if memory.type == type_]
        if listed:
            yield f"{head}:"
        for memory in listed:
            whom = f"from {memory.target}: " if type_ == "hiding" else ""
            yield f"- {whom}{memory.text}"


def _ledger(memories: Sequence[Memory]) -> Iterator[str]:
    cards: dict[tuple[str, str], list[str]] = {}
    for memory in memories:
        cards.setdefault((memory.type, memory.subject), []).append(memory.text)
    for type_ in LEDGER_FIELDS:
        for (kind, subject), values in cards.items():
            if kind == type_:
                yield f"{subject} [{kind}]: {' | '.join(values)}"


def _last_first(lines: Iterable[str]) -> tuple[tuple[int, str], ...]:
    """Lines of which the oldest go first."""
    told = list(lines)
    return tuple((len(told) - place, line) for place, line in enumerate(told))


def _within(
    name: str, lines: Sequence[tuple[int, str]], budget: int, count: Callable[[str], int]
) -> str:
    """The lines of a slot that fit, in their order; nothing without a line."""
    kept = sorted(rank for rank, _ in lines)
    while kept:
        least = kept[-1]
        told = "\n".join(line for rank, line in lines if rank <= least)
        if count(told) <= budget:
            return f"{HEADERS[name]}\n{told}".strip()
        kept.pop()
    return ""


def prompt_beside(slots: str, newest: str) -> str:
    """What a model is sent: the slots, then the messages."""
    return f"{slots}\n\n=== The newest messages\n{newest}"


def moments_of(story: Mapping[str, Any], count: int) -> tuple[int, ...]:
    """So many places of a story, spread over its later three quarters."""
    last = len(story["messages"]) - 1
    first = len(story["messages"]) // 4
    return tuple(first + (last - first) * (n + 1) // count for n in range(count))
