"""Where somebody takes a thing to be, by all that the map of an open chat shows of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum

from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.second_order import inner_of
from app.memory.records import Tier
from app.views.memory_view import MemoryView
from tests.bench.belief_chats import plain
from tests.bench.tomi import Asked

LOCATION = "location"
# Words before a place at which the thing is said not to be, or not any more.
LEFT = re.compile(
    r"\b(?:from|out of|off|instead of|rather than"
    r"|(?:not|n't|n’t|longer|never)(?: \w+){0,2} (?:in|on|at|inside|under))\s+"
    r"(?:in\s+|inside\s+)?(?:(?:the|a|an|its|his|her|their)\s+)?$"
)


class Outcome(StrEnum):
    """How an answer compares with what the data says."""

    RIGHT = "right"
    OTHER = "another place"
    SEVERAL = "several places"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Answer:
    """What is shown of one question. texts: by which it is so. places: that they name."""

    places: frozenset[str]
    texts: tuple[str, ...]

    def outcome(self, told: str) -> Outcome:
        """told: the place that the data gives."""
        if not self.places:
            return Outcome.NOTHING
        if len(self.places) > 1:
            return Outcome.SEVERAL
        return Outcome.RIGHT if plain(told).casefold() in self.places else Outcome.OTHER


@dataclass(frozen=True, slots=True)
class Shown:
    """What a chat's map shows at its last message. places: where the thing lies at any time."""

    known: EpistemicMap
    view: MemoryView
    places: frozenset[str]

    def of(self, asked: Asked) -> Answer:
        """By the map alone: what was noted of them, and what follows from who was there."""
        world = self.known.world_of(asked.who, self.view.at)
        if asked.of:
            key = self.known.people.key(asked.of)
            minds = (m for m in world.minds if self.known.people.key(m.holder) == key)
            texts = [mind.text for mind in minds if mind.state != "unaware"]
        else:
            held = (*world.knows, *world.believes, *world.hides)
            texts = [s.memory.text for s in held if inner_of(s) is None]
        return self._answer(texts, asked.thing)

    def with_common(self, asked: Asked) -> Answer:
        """The same, and where the map shows nothing of it and nobody as unaware of it: where the
        state ledger has the thing, which everybody is told then; of others what one takes for so
        oneself.
        """
        answer = self.of(asked)
        if answer.places or self._is_unaware(asked):
            return answer
        if asked.of:
            return self.with_common(Asked(asked.who, "", asked.thing, asked.told))
        values = [
            standing.memory.text
            for standing in self.view.of(Tier.STATE_LEDGER)
            if standing.is_active
            and standing.memory.field == LOCATION
            and _names(standing.memory.subject, asked.thing)
        ]
        return Answer(_joined(values, self.places), tuple(values))

    def _is_unaware(self, asked: Asked) -> bool:
        world = self.known.world_of(asked.who, self.view.at)
        if asked.of:
            key = self.known.people.key(asked.of)
            minds = (m for m in world.minds if self.known.people.key(m.holder) == key)
            texts = [mind.text for mind in minds if mind.state == "unaware"]
        else:
            texts = [standing.memory.text for standing in world.unaware]
        return bool(self._answer(texts, asked.thing).places)

    def _answer(self, texts: Iterable[str], thing: str) -> Answer:
        about = tuple(dict.fromkeys(text for text in texts if _names(text, thing)))
        return Answer(_joined(about, self.places), about)


def places_in(text: str, places: Collection[str]) -> frozenset[str]:
    """The places that a text names, but for those from where it says the thing is gone."""
    rest, found = plain(text).casefold(), set()
    for place in sorted(map(str.casefold, places), key=len, reverse=True):
        for match in re.finditer(rf"\b{re.escape(place)}\b", rest):
            if not LEFT.search(rest[: match.start()]):
                found.add(place)
        # A place may be part of another's name: "box" of "green box".
        rest = re.sub(rf"\b{re.escape(place)}\b", "#" * len(place), rest)
    return frozenset(found)


def _joined(texts: Iterable[str], places: Collection[str]) -> frozenset[str]:
    return frozenset[str]().union(*(places_in(text, places) for text in texts))


def _names(text: str, thing: str) -> bool:
    return bool(re.search(rf"\b{re.escape(plain(thing).casefold())}\b", plain(text).casefold()))
