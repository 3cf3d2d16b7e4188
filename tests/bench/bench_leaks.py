"""Who says what they cannot know: leaking and clean replies put into noted stories."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from app.languages import load_packs
from app.llm.backends.embedded import EmbeddedEmbedder
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leaks import Leak, LeakCheck, LeakKind, stopwords_of
from app.memory.lifecycle.state_change import Wording
from app.memory.reading.answers import read_answer
from app.memory.reading.extraction import Work, proposed
from app.memory.reading.windows import Window
from app.memory.records import (
    LONG_TERM_TYPES,
    SESSION_TYPES,
    Ending,
    EndReason,
    Memory,
    Tier,
)
from app.memory.similarity import Floats, Vectors
from app.memory.standing import Ground, standings
from app.story.messages import Message, MessageKind, digest
from tests.answers.notes import Note, notes_path, read_notes

DATA = Path(__file__).parent.parent / "data"
KEPT_OUT = frozenset(
    {"hallgrund", "night-ferry", "perihelion", "relojes", "saltflat", "slow-river", "yukimi"}
)
PACKS = load_packs()
Embed = Callable[[Sequence[str]], Vectors]
STEPS = (-0.12, -0.06, 0.0, 0.06, 0.12)
CHARACTER = re.compile(r"(?<=[=,])([^=,/]+)/character")
TELLING = (Tier.LONG_TERM, Tier.SESSION)
STATES = ("knows", "suspects", "believes", "unaware", "hiding")


@dataclass(frozen=True, slots=True)
class Reply:
    """Said after message `at` of a story. leaks: whether its speaker cannot know it."""

    story: str
    at: int
    name: str
    text: str
    leaks: bool


def replies() -> tuple[Reply, ...]:
    """All that are labelled."""
    data = json.loads((DATA / "leaks" / "replies.json").read_text(encoding="utf-8"))
    return tuple(Reply(**one) for one in data)


def found_in(reply: Reply, embed: Embed | None = None, stricter: float = 0.0) -> tuple[Leak, ...]:
    """What the check accuses somebody of in a reply. embed: None for words alone."""
    story = _story(reply.story)
    told, memories = story.messages, story.memories
    messages = (*told[: reply.at + 1], _message(reply.at + 1, reply.name, reply.text))
    packs = Wording.of_story(PACKS, " ".join(m.text for m in messages[-60:])).packs
    noted = standings(memories, Ground.of(1, messages))
    holders = (memory.subject for memory in memories if memory.subject)
    names = [*(message.name for message in told), *holders, *story.characters]
    known = EpistemicMap(
        noted, participants=tuple(dict.fromkeys(names)), stopwords=stopwords_of(packs)
    )
    check, last = LeakCheck(known, messages, packs=packs, stricter=stricter), len(messages) - 1
    memories_told = (s for s in noted if s.memory.tier in TELLING)
    openings = [first for first in story.openings if first <= reply.at]
    check.look_for_absences(memories_told, openings)
    if embed is not None:
        check.compare_by(embed(check.texts_at(last)))
    return tuple(leak for leak in check.at(last) if leak.kind is not LeakKind.TOLD)


def embedding() -> Embed:
    """Vectors by the encoder that comes along; of each text once."""
    embedder, known = EmbeddedEmbedder(), dict[str, Floats]()

    def embed(texts: Sequence[str]) -> Vectors:
        missing = [text for text in texts if text not in known]
        if missing:
            known.update(zip(missing, asyncio.run(embedder.embed(missing)), strict=True))
        return Vectors.of({text: known[text] for text in texts})

    return embed


@dataclass(frozen=True, slots=True)
class _Noted:
    """A story and what was noted of it. openings: first messages of scenes but the first."""

    messages: tuple[Message, ...]
    memories: tuple[Memory, ...]
    characters: tuple[str, ...]
    openings: tuple[int, ...]


@cache
def _story(name: str) -> _Noted:
    path = next((DATA / "stories").rglob(f"{name}.json"))
    story: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    messages = tuple(
        _message(n, m["name"], m["mes"], is_notice=m["kind"] == "system")
        for n, m in enumerate(story["messages"])
    )
    kinds = (*STATES, "retire", *LONG_TERM_TYPES, *SESSION_TYPES)
    notes = [n for n in read_notes(notes_path(path)).notes if n.kind in kinds]
    breaks: Sequence[Mapping[str, Any]] = story["gold"].get("scene_breaks") or ()
    openings = tuple(one["last_message"] + 1 for one in breaks)
    characters = tuple(name for note in notes for name in CHARACTER.findall(note.tag))
    return _Noted(messages, tuple(_memories(notes, messages)), characters, openings)


def _memories(notes: Sequence[Note], messages: tuple[Message, ...]) -> Iterator[Memory]:
    """The entries that the notes make, and where they end."""
    window = Window(1, messages)
    ends: dict[str, tuple[int, ...]] = {}
    for note in notes:
        if note.kind == "retire":
            ends |= dict.fromkeys(map(_key, note.ends or ()), note.sources)
    for number, note in enumerate(notes):
        if note.kind == "retire":
            continue
        head, _, rest = note.tag.partition(":")
        cited = ",".join(str(source + 1) for source in note.sources)
        tag = ":".join(filter(None, (head, f"sources={cited}", rest)))
        answer = read_answer(f"[{tag}] {note.text}", (Tier.EPISTEMIC, *TELLING))
        for memory in proposed(answer, window, Work(f"{number}", 1, "", "model", 1.0)):
            over = ends.get(_key(f"[{memory.type}] {_holder(memory)} | {memory.text}"))
            if over:
                told = window.sources(source + 1 for source in over) or ()
                memory = replace(memory, endings=(Ending(EndReason.RETIRED, sources=told),))
            yield memory


def _holder(memory: Memory) -> str:
    return f"{memory.subject} from {memory.target}" if memory.target else memory.subject


def _key(entry: str) -> str:
    return " ".join(entry.casefold().replace(".", " ").split())


def _message(number: int, name: str, text: str, *, is_notice: bool = False) -> Message:
    kind = MessageKind.NOTICE if is_notice else MessageKind.CHAT
    return Message(f"m{number}", digest(text), name, text, kind=kind)


def report() -> None:
    """Leaks found and clean replies accused: by words, by meaning as well, and both kinds of error
    where the limits were lower or higher.
    """
    embed = embedding()
    for is_kept_out in (False, True):
        chosen = [reply for reply in replies() if (reply.story in KEPT_OUT) is is_kept_out]
        print(f"stories {'kept out' if is_kept_out else 'for tuning'}:")  # noqa: T201
        print(f"  by words: {errors(chosen)}")  # noqa: T201
        for stricter in STEPS:
            print(f"  and meaning, {stricter:+.2f}: {errors(chosen, embed, stricter)}")  # noqa: T201
        for line in _wrong(chosen, embed):
            print(line)  # noqa: T201


def errors(chosen: Sequence[Reply], embed: Embed | None = None, stricter: float = 0.0) -> str:
    """How many leaks are found, and how many clean replies accused."""
    found = {reply: bool(found_in(reply, embed, stricter)) for reply in chosen}
    leaking = [reply for reply in chosen if reply.leaks]
    clean = [reply for reply in chosen if not reply.leaks]
    return (
        f"{sum(found[r] for r in leaking)} of {len(leaking)} leaks found, "
        f"{sum(found[r] for r in clean)} of {len(clean)} clean replies accused"
    )


def _wrong(chosen: Sequence[Reply], embed: Embed) -> Iterator[str]:
    for reply in chosen:
        leaks = found_in(reply, embed)
        if bool(leaks) is not reply.leaks:
            why = "missed" if reply.leaks else f"accused ({leaks[0].entry.memory.text})"
            yield f"  {why}: {reply.story} after {reply.at}, {reply.name}: {reply.text}"
