"""Stories with memories for the tests of prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from app.languages import load_packs
from app.llm.tokenizer import counter_for
from app.memory.records import (
    LEDGER_FIELDS,
    Document,
    DocumentKind,
    Memory,
    Source,
    Tier,
)
from app.memory.standing import Ground, standings
from app.memory.tiers.table import TIERS
from app.prompt.assembly import prepared
from app.prompt.generation import Turn
from app.prompt.material import Means
from app.prompt.recollection import Recollection
from app.prompt.slots import Slot, SlotSet
from app.recall.meanings import Meant
from app.recall.messages import MessageIndex
from app.recall.words import Words
from app.settings.slot_table import SlotName
from app.settings.values import REGISTRY
from app.story.messages import Message, digest
from app.story.recaps import RunningRecap, RunningVersion
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story

CHAT = 1
PACKS = load_packs()
COUNTER = counter_for()
TYPES = {tier: spec.types for tier, spec in TIERS.items()}
LINES = ("Vera opens the gate.", "“Who is there?” asks Odo.", "Vera and Odo go on.", "It rains.")


def settings(**values: Any) -> dict[str, Any]:
    assert values.keys() <= REGISTRY.keys()
    return {name: setting.default for name, setting in REGISTRY.items()} | values


def story(*lines: str, running: str = "", kind: ChatKind = ChatKind.SOLO) -> Story:
    """A chat of Vera, and of Odo where it is a group's, with somebody called You."""
    names = ("Vera", "You") if kind is ChatKind.SOLO else ("Vera", "Odo", "You")
    lines = lines or LINES
    messages = tuple(
        Message(f"m{n}", digest(line), names[n % len(names)], line, names[n % len(names)] == "You")
        for n, line in enumerate(lines)
    )
    versions = (RunningVersion(0, running, 1, "", "m0", "model", 1.0),) if running else ()
    chat = ChatRef(Path("chat.jsonl"), kind, "chat", "owner", names[0], names[:-1])
    return Story(
        chat,
        messages=messages,
        running=RunningRecap(versions, 0 if versions else None),
        message_tokens=tuple(COUNTER.count(line) for line in lines),
    )


def long_story(length: int) -> Story:
    return story(*(f"Line {n} of the day." for n in range(length)))


def in_scenes(length: int, *ends: int) -> Story:
    of = long_story(length)
    breaks = {f"m{end}": SceneBreak(f"m{end}", BreakOrigin.HAND) for end in ends}
    return replace(of, scenes=scenes_of(of.messages, breaks))


def memory(text: str, tier: Tier = Tier.LONG_TERM, *, at: int = 0, **given: Any) -> Memory:
    """A memory of message `at`. Its id is its text unless another one is given."""
    values: dict[str, Any] = {"id": text, "type": TYPES[tier][0], "created": float(at)} | given
    anchor = f"m{at}"
    hashed = digest(LINES[at]) if at < len(LINES) else ""
    source = Source(CHAT, anchor, values.pop("hash", hashed))
    values.setdefault("sources", (source,))
    return Memory(chat=CHAT, tier=tier, text=text, **values)


OF_ALL_TIERS = [
    memory("Odo fears dogs."),
    memory("The lamp went out.", Tier.SESSION),
    memory("Who took the key?", Tier.ARCS),
    memory("fond", Tier.RELATIONSHIPS, subject="Vera", target="You"),
    memory("the key", Tier.EPISTEMIC, subject="Vera"),
    memory("cellar", Tier.STATE_LEDGER, subject="Vera", field="location"),
]


def document(kind: DocumentKind, text: str, **values: Any) -> Document:
    return Document(f"{kind}{text}", CHAT, kind, text, **values)


def assembled(of: Story, values: Mapping[str, Any], means: Means, **turn: Any) -> SlotSet:
    """The slots of a turn under the budgets of these settings; `turn` as for `prepared`."""
    return prepared(of, values, means, **turn).under(values)


def prompt(
    memories: Sequence[Memory] = (),
    *,
    of: Story | None = None,
    documents: Sequence[Document] = (),
    turn: Turn | None = None,
    total: int | None = None,
    full: dict[str, int] | None = None,
    is_indexed: bool = False,
    meant: Meant | None = None,
    **values: Any,
) -> SlotSet:
    of = of or story()
    ground = Ground.of(CHAT, of.messages)
    told = Recollection(standings(memories, ground), (), tuple(documents), CHAT)
    index = index_of(of) if is_indexed else None
    means = Means(COUNTER.count, PACKS, full or {}, index=index, meant=meant)
    return assembled(of, settings(**values), means, told=told, turn=turn or Turn(), total=total)


def index_of(of: Story) -> MessageIndex:
    """The words of a story, as they are kept for recall."""
    index = MessageIndex(Words(PACKS, " ".join(message.text for message in of.messages)))
    index.follow(of.messages, 0)
    return index


def slot(slots: SlotSet, name: SlotName) -> Slot | None:
    return next((slot for slot in slots.slots if slot.key == name.key), None)


def text_of(slots: SlotSet, name: SlotName) -> str:
    found = slot(slots, name)
    return found.text if found else ""


def whole(slots: SlotSet) -> str:
    return "\n".join(slot.text for slot in slots.slots)


@st.composite
def memories(draw: st.DrawFn, most: int = 14) -> tuple[Memory, ...]:
    """Any memories of all tiers, hostile texts among them."""
    words = st.text(alphabet="abc XY{}\n.|[]→", min_size=1, max_size=40)
    made = []
    for number in range(draw(st.integers(1, most))):
        tier = draw(st.sampled_from(list(TYPES)))
        type_ = draw(st.sampled_from(TYPES[tier]))
        one = memory(
            draw(words),
            tier,
            at=draw(st.integers(0, 3)),
            id=f"id{number}",
            type=type_,
            importance=draw(st.integers(1, 3)),
            subject=draw(st.sampled_from(["Vera", "You", "Odo", "No{{one}}"])),
            target=draw(st.sampled_from(["", "Vera", "You"])),
            is_pinned=draw(st.booleans()),
            witnessed_by=draw(st.sampled_from([(), ("Vera",), ("You",)])),
        )
        if tier is Tier.STATE_LEDGER:
            one = replace(one, field=draw(st.sampled_from(LEDGER_FIELDS[type_])))
        made.append(one)
    return tuple(made)
