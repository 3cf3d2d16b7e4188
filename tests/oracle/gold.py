"""What the labels of a story say is true at each of its messages."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Json = dict[str, Any]
# The labels' word for a field, and the ledger's (spec/smart-memory.md §8.7).
FIELDS = {"goal": "active_goal", "outfit": "outfit_disguise", "items": "carried_items"}


@dataclass(frozen=True, slots=True)
class Knowing:
    """One epistemic label. place: the message from which on it holds."""

    place: int
    state: str
    holder: str
    about: str
    hidden_from: str = ""
    text: str = ""

    @property
    def thing(self) -> tuple[str, str]:
        """A later label of the same holder about the same thing ends this one."""
        return folded(self.holder), folded(self.about)

    @property
    def key(self) -> tuple[str, ...]:
        """What the program has to hold."""
        target = folded(self.hidden_from) if self.state == "hiding" else ""
        return self.state, folded(self.holder), target, folded(self.about)


@dataclass(frozen=True, slots=True)
class Value:
    """One label of the state ledger."""

    place: int
    entity: str
    type: str
    field: str
    value: str

    @property
    def thing(self) -> tuple[str, str]:
        return folded(self.entity), self.field

    @property
    def key(self) -> tuple[str, ...]:
        return (*self.thing, folded(self.value))


@dataclass(frozen=True, slots=True)
class Arc:
    """One thread. resolved: None while it stays open."""

    opened: int
    thread: str
    resolved: int | None
    resolution: str


class Gold:
    """The labels of one story. until: those behind this message are left out."""

    def __init__(self, story: Mapping[str, Any], *, until: int | None = None) -> None:
        self.story = story
        self.messages: Sequence[Json] = story["messages"]
        labels = _labels_until(story["gold"], len(self.messages) if until is None else until)
        self.knowings = tuple(
            Knowing(
                e["after_message"],
                e["state"],
                e["holder"],
                e["about"],
                e.get("from") or "",
                e.get("text") or "",
            )
            for e in sorted(labels["epistemic"], key=lambda e: e["after_message"])
        )
        self.values = tuple(
            Value(
                e["after_message"],
                e["entity"],
                e["type"],
                FIELDS.get(e["field"], e["field"]),
                e["value"],
            )
            for e in sorted(labels["state"], key=lambda e: e["after_message"])
        )
        self.arcs = tuple(
            Arc(e["opened"], e["thread"], e.get("resolved"), e.get("resolution") or "")
            for e in sorted(labels["arcs"], key=lambda e: e["opened"])
        )

    @classmethod
    def read(cls, path: Path) -> Gold:
        """The labels in a file."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    @property
    def places(self) -> list[int]:
        """Messages at which any label begins to hold, or an arc ends."""
        ends = [arc.resolved for arc in self.arcs if arc.resolved is not None]
        labels = [knowing.place for knowing in self.knowings]
        labels += [value.place for value in self.values]
        return sorted({*labels, *ends, *(arc.opened for arc in self.arcs)})

    def known_at(self, place: int) -> list[Knowing]:
        """Who knows what at a message."""
        return list(
            {label.thing: label for label in self.knowings if label.place <= place}.values()
        )

    def values_at(self, place: int) -> list[Value]:
        """The ledger at a message."""
        return list({label.thing: label for label in self.values if label.place <= place}.values())

    def open_at(self, place: int) -> list[Arc]:
        """The arcs that are open at a message."""
        return [
            arc
            for arc in self.arcs
            if arc.opened <= place and (arc.resolved is None or arc.resolved > place)
        ]

    def resolved_at(self, place: int) -> list[Arc]:
        """The arcs that are resolved at a message."""
        return [arc for arc in self.arcs if arc.resolved is not None and arc.resolved <= place]

    def ended_by(self, label: Knowing) -> Iterator[Knowing]:
        """Earlier labels that this one ends."""
        earlier = [k for k in self.knowings if k.thing == label.thing and k.place < label.place]
        yield from earlier[-1:]


def _labels_until(labels: Json, last: int) -> Json:
    arcs = [arc for arc in labels.get("arcs", ()) if arc["opened"] <= last]
    return {
        "epistemic": [e for e in labels.get("epistemic", ()) if e["after_message"] <= last],
        "state": [e for e in labels.get("state", ()) if e["after_message"] <= last],
        "arcs": [
            {**arc, "resolved": None} if (arc.get("resolved") or 0) > last else arc for arc in arcs
        ],
    }


def folded(text: str) -> str:
    """A text as it is compared: letters and digits only, in lower case."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"\w+", plain))
