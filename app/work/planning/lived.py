"""What one of a group has lived through: what they were there for, and what they learned. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from app.memory.arcs.arc_summaries import tells
from app.memory.epistemic.presence import Event, Whereabouts, is_same_place
from app.memory.epistemic.presence_record import events_of
from app.memory.epistemic.propositions import People
from app.memory.lifecycle.sharing import is_known_to, is_theirs
from app.memory.names import folded
from app.memory.reading.presence_lines import PRESENT
from app.memory.records import Memory, Remembered, Source, Tier
from app.memory.similarity import words
from app.memory.standing import BEFORE, Ground
from app.memory.tiers.table import PLAIN, TIERS
from app.prompt.choosing.presence import Presence, scene_around
from app.story.messages import MessageKind
from app.story.story import Story

LEARNED = frozenset({"knows", "hiding"})
LEAST_SHARED, SHARE = 3, 0.6  # of what somebody learned, in a text that tells it too


class Lived:
    """What somebody has lived through.

    name, names: of them, and all of theirs, folded. presence: scenes in which they speak.
    """

    def __init__(
        self,
        name: str,
        names: Collection[str],
        story: Story,
        ground: Ground,
        remembered: Remembered,
        presence: Presence,
    ) -> None:
        self._names, self._story, self._ground, self._presence = names, story, ground, presence
        self._events = events_of(remembered.documents, ground)
        characters = [entity for entity in remembered.entities if entity.type == "character"]
        known = (*story.chat.speakers, *(entity.name for entity in characters))
        moved = (who for event in self._events for who in (event.who, *event.whom))
        aliases = {alias: entity.name for entity in characters for alias in entity.aliases}
        self._people = People.of(dict.fromkeys((*known, *moved)), aliases)
        self._key = self._people.key(name)
        minds = (memory for memory in remembered.memories if memory.tier is Tier.EPISTEMIC)
        self._learned = [
            frozenset(filter(tells, words(memory.text)))
            for memory in minds
            if memory.type in LEARNED and folded(memory.subject) in names
        ]
        self._scenes: dict[int, tuple[Sequence[Event], Whereabouts]] = {}

    def has(self, memory: Memory) -> bool:
        """Whether a memory is one of theirs."""
        if memory.tier not in PLAIN:
            return is_theirs(memory, self._names)
        if self.is_learned(memory.text):
            return True
        if TIERS[memory.tier].is_witnessed and memory.witnessed_by:
            cites_none = all(self._ground.place(source) == BEFORE for source in memory.sources)
            is_there = cites_none or self.was_there(memory.sources)
            return is_there and is_known_to(memory, self._names)
        return self.was_there(memory.sources)

    def was_there(self, sources: Iterable[Source]) -> bool:
        """Whether they were there for one of the messages."""
        places = map(self._ground.place, sources)
        return any(at != BEFORE and self._is_there(at) for at in places)

    def is_learned(self, text: str) -> bool:
        """Whether they know what a text tells, however they learned it."""
        told = words(text)
        return any(len(one & told) >= max(LEAST_SHARED, SHARE * len(one)) for one in self._learned)

    def _is_there(self, at: int) -> bool:
        """Whether they were there for a message: as a reading noted, else where they speak in the
        scene.
        """
        writer = self._story.messages[at].name
        if folded(writer) in self._names:
            return True
        events, where = self._scene(at)
        spot, place = where.spot(self._key, at), where.place_of(writer, at)
        if spot is not None and spot.is_away:
            return False
        if place is not None:
            company = where.company(at, place)
            if self._key in company.there | company.away:
                return self._key in company.there
            # Who is named as being there was noted, and they were not.
            if spot is None and any(_lists(event, place, at) for event in events):
                return False
        return self._presence.knows(at)

    def _scene(self, at: int) -> tuple[Sequence[Event], Whereabouts]:
        """What was noted of the scene of a message, and who is where in it. At its beginning
        nothing is known of anybody, so each scene is looked at alone.
        """
        scene = scene_around(self._story, at)
        if scene.start not in self._scenes:
            events = [event for event in self._events if event.at in scene]
            where = Whereabouts(
                events,
                speakers=(
                    (n, self._story.messages[n].name)
                    for n in scene
                    if self._story.messages[n].kind is MessageKind.CHAT
                ),
                openings=[scene.start],
                people=self._people,
            )
            self._scenes[scene.start] = events, where
        return self._scenes[scene.start]


def _lists(event: Event, place: str, at: int) -> bool:
    """Whether an event is part of a list of who is at a place when a message begins or ends."""
    is_before = event.kind == PRESENT and event.at <= at
    return is_before and bool(event.place and place) and is_same_place(event.place, place)
