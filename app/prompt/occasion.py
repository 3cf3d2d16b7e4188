"""What the renderers of slots are given: the story, what is remembered of it, and whose turn it
is. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from app.memory.entities.naming import all_names
from app.memory.epistemic.propositions import People
from app.memory.epistemic.withheld import NOTHING_WITHHELD, Withheld, WithheldFromAny
from app.memory.epistemic.word_counts import frequency_in
from app.memory.lifecycle.sharing import is_known_to
from app.memory.lifecycle.state_change import Wording
from app.memory.lifecycle.upkeep import said_to_be_past
from app.memory.names import folded
from app.memory.ranking import TURN_SHARE, Moment
from app.memory.reading.windows import is_told
from app.memory.records import Document, DocumentKind, Ending, EndReason, Memory, Tier
from app.memory.similarity import NO_VECTORS, Vectors
from app.memory.standing import Standing, Status
from app.memory.tiers.table import THREADS
from app.prompt.choosing.ages import lately_from
from app.prompt.choosing.drafts import Entry
from app.prompt.choosing.notes import notes_of
from app.prompt.choosing.presence import Presence, only_writer, writers
from app.prompt.choosing.unread import ALL_READ, Unread
from app.prompt.choosing.worth import (
    OUTDATED,
    VISIBLE,
    Ageing,
    Denied,
    Overtaken,
    denied,
    is_denied,
    is_overtaken,
    overtaken,
    worth,
)
from app.prompt.generation import IMPERSONATE, REPLACING, UNHEARD, Turn
from app.prompt.headings import Headings, headings_for
from app.prompt.recollection import Recollection
from app.recall.meanings import Meant
from app.recall.messages import MessageIndex
from app.recall.words import Words
from app.settings.memory import MemorySettings
from app.settings.slot_table import SlotName
from app.settings.slots import SlotSettings
from app.story.messages import Message, digest
from app.story.scene_cues.language import LanguagePack
from app.story.scenes import Scene
from app.story.story import ChatKind, Story

CALLED_UP_BY = 4  # last messages (spec/smart-memory.md §11)
PRESENT_IN = 10  # (§16, IJ7)
NOW_WITHIN = 20  # messages
LEAST_OF_OUTCOME = 4  # words by which the end of a thread says what happened
LONGEST_READ = 20_000  # characters of one message
SCENE = "Scene {number}"


@dataclass(frozen=True)
class Occasion:
    """One turn of a story. common: words that say nothing, in any language. profile: of hardware.
    packs: languages.

    visible_from: index of the first message that is still in the prompt itself. unread: messages
    that are not, and that no model has read. horizon: what
    began at this message or later is not told at the head of the prompt yet, None: all is.
    index: of the messages, None where nobody keeps one. sent_from: index of the first message that
    may still be in the prompt. meant: by what sentences mean, None where nobody keeps that.
    """

    story: Story
    told: Recollection
    turn: Turn
    settings: Mapping[str, Any]
    common: frozenset[str] = frozenset()
    vectors: Vectors = NO_VECTORS
    profile: str = "a"
    visible_from: int | None = None
    unread: Unread = ALL_READ
    horizon: int | None = None
    packs: Sequence[LanguagePack] = ()
    index: MessageIndex | None = None
    sent_from: int = 0
    meant: Meant | None = None

    def active(self, *tiers: Tier) -> tuple[Standing, ...]:
        """What holds now, of these tiers, in the order of the story."""
        return tuple(s for s in self._active if s.memory.tier in tiers)

    def at_head(self, tier: Tier) -> tuple[Standing, ...]:
        """What the head of the prompt may tell of a tier: also what only gave way to others since
        the head was renewed. It is still true, and its going would change the prompt's beginning.
        """
        return _in_order(
            standing
            for standing in self._known
            if standing.memory.tier is tier and (standing.is_active or self._gave_way(standing))
        )

    def gave_way(self, tier: Tier) -> tuple[Standing, ...]:
        """What of a tier is kept no more only since others matter more, as if it were: nothing says
        that it is over.
        """
        found = (s for s in self._known if s.memory.tier is tier and _is_outranked(s))
        return _in_order(replace(s, status=Status.ACTIVE) for s in found)

    def _gave_way(self, standing: Standing) -> bool:
        horizon = self.horizon
        return horizon is not None and _is_outranked(standing) and (standing.end or 0) > horizon

    @cached_property
    def _active(self) -> tuple[Standing, ...]:
        return _in_order(s for s in self._known if s.is_active)

    @cached_property
    def _known(self) -> tuple[Standing, ...]:
        """What the responder may be told of."""
        elsewhere, hearers = self.told.elsewhere, self.hearers
        return tuple(
            s
            for s in self.told.standings
            if s.memory.id not in elsewhere
            or (hearers and all(is_known_to(s.memory, names) for names in hearers))
        )

    @cached_property
    def outcomes(self) -> tuple[Standing, ...]:
        """How open threads ended, each told as a memory of the message that ended it. An ending in
        too few words says nothing without its question.
        """
        ended = (
            replace(s, memory=_outcome(s.memory, s.ending), status=Status.ACTIVE, start=s.end)
            for s in self._known
            if s.memory.tier in THREADS
            and self.memory.is_enabled(s.memory.tier)
            and s.status is Status.ENDED
            and s.end is not None
            and s.ending is not None
            and s.ending.reason is EndReason.RESOLVED
        )
        return _in_order(s for s in ended if len(s.memory.text.split()) >= LEAST_OF_OUTCOME)

    @property
    def slots(self) -> SlotSettings:
        return SlotSettings(self.settings)

    @property
    def memory(self) -> MemorySettings:
        return MemorySettings(self.settings)

    def scene_number(self, scene: Scene) -> str:
        """What a scene is called by its number."""
        return self.headings.of(SCENE).replace("{number}", str(scene.number))

    def frame(self, name: SlotName) -> str:
        """The frame of a slot."""
        return self.headings.in_frame(self.slots.frame(name))

    @cached_property
    def headings(self) -> Headings:
        """What the prompt's headings are called."""
        return headings_for(self.story, self.slots.headings_language, self.packs)

    @property
    def is_read(self) -> bool:
        """Whether a model has read the story, all but its end."""
        return self.told.unread_from is None or self.told.unread_from > 0

    @property
    def places(self) -> Mapping[str, int]:
        """Index by anchor."""
        return self.story.places

    @cached_property
    def last_messages(self) -> tuple[Message, ...]:
        """The messages that decide what matters now, the newest last. A reply that is about to be
        replaced is none of them, nor what came since the last choice (slots_refresh_every).
        """
        wanted = max(PRESENT_IN, CALLED_UP_BY) + self.slots.slots_refresh_every
        found: list[Message] = []
        messages = self.story.messages
        for index in range(len(messages) - 1, -1, -1):
            if is_told(messages[index]):
                found.append(messages[index])
            if len(found) > wanted:
                break
        found.reverse()
        if found and self.turn.generation in REPLACING and not found[-1].is_user:
            found.pop()
        found += self._unheard(found)
        behind = len(messages) % self.slots.slots_refresh_every
        return tuple(found[: len(found) - behind] if len(found) > behind else found)

    def _unheard(self, found: Sequence[Message]) -> Iterator[Message]:
        """Of the messages that the turn answers those that the story does not hold yet."""
        newest = {message.content_hash for message in found[-UNHEARD:]}
        for name, text, is_user in self.turn.said[-UNHEARD:]:
            message = Message("", digest(text), name, text, is_user=is_user)
            if is_told(message) and message.content_hash not in newest:
                yield message

    @property
    def last_text(self) -> str:
        """The message that the turn answers."""
        return self.last_messages[-1].text[:LONGEST_READ] if self.last_messages else ""

    @property
    def recent(self) -> tuple[str, ...]:
        """The texts that call memories up, oldest first."""
        return tuple(m.text[:LONGEST_READ] for m in self.last_messages[-CALLED_UP_BY:])

    @cached_property
    def moment(self) -> Moment:
        """What ranking goes by."""
        return Moment(
            self.recent,
            TURN_SHARE[self.profile],
            tuple(s.memory.text for s in self.active(*THREADS)),
            self.told.entities,
            self.vectors,
            self.words,
        )

    @cached_property
    def words(self) -> Words:
        """Reads texts in the story's language."""
        if self.index is not None:
            return self.index.words
        said = (m.text[:LONGEST_READ] for m in self.last_messages)
        return Words(self.packs, " ".join((*said, *(s.memory.text for s in self._active))))

    @property
    def is_by_user(self) -> bool:
        """Whether the model writes the user's next message."""
        return self.turn.generation == IMPERSONATE

    @cached_property
    def responder(self) -> str:
        """Who answers: as SillyTavern says, or the one character there is, by the card or where no
        card is known by who writes; "" when not known.
        """
        if self.is_by_user:
            return next((m.name for m in reversed(self.story.messages) if m.is_user), "")
        if self.turn.responder or self.story.chat.kind is ChatKind.GROUP:
            return self.turn.responder
        speakers = self.story.chat.speakers or only_writer(self.story)
        return speakers[0] if len(speakers) == 1 else self.story.chat.owner_name

    @cached_property
    def responder_names(self) -> frozenset[str]:
        """All names of the responder, folded."""
        return all_names(self.responder, self.told.entities)

    @cached_property
    def hearers(self) -> tuple[frozenset[str], ...]:
        """All names of each who may be given what is told, folded: of the responder; where nobody
        knows which member of a group that is, of every member.
        """
        if self.responder_names:
            return (self.responder_names,)
        if self.story.chat.kind is not ChatKind.GROUP or self.is_by_user:
            return ()
        members = self.story.chat.speakers or writers(self.story)
        return tuple(all_names(name, self.told.entities) for name in members)

    def worth(self, standing: Standing, ageing: Ageing, *, at_head: bool = False) -> float:
        """What a memory is worth for the next reply. at_head: for a place where texts change in
        steps only; there no single message decides.
        """
        now = len(self.story.messages)
        if at_head and self.horizon is not None:
            now = self.horizon
        value = worth(standing.memory, standing.start, now, ageing)
        if self.is_outdated(standing):
            value *= OUTDATED
        # What a visible message asks is what the next reply may answer, whoever reads it there.
        if standing.memory.tier not in THREADS and not at_head and self.is_visible(standing.memory):
            value *= VISIBLE
        return value

    def is_outdated(self, standing: Standing) -> bool:
        """Whether what came later tells otherwise: a value that changed, words that say so, or a
        model that looked through what is remembered.
        """
        if standing.memory.tier is Tier.LONG_TERM and standing.memory.id in self._past:
            return True
        if is_overtaken(standing, self._overtaken, self.common):
            return True
        return is_denied(standing, self._denied, self.common)

    @cached_property
    def _past(self) -> frozenset[str]:
        return said_to_be_past(self.told.documents, self.places)

    @cached_property
    def _denied(self) -> tuple[Denied, ...]:
        return denied(self._active, self.wording, self.common)

    @cached_property
    def wording(self) -> Wording:
        """Reads what texts say of the story's language."""
        said = " ".join(message.text[:LONGEST_READ] for message in self.last_messages)
        return Wording.of_story(self.packs, said)

    @cached_property
    def _overtaken(self) -> tuple[Overtaken, ...]:
        return overtaken(self.told.standings, self.common)

    @cached_property
    def withheld(self) -> Withheld:
        """What the responder must not be told; any member, where that may be each of them."""
        if not self.hearers or not self.slots.slots_keep_secrets:
            return NOTHING_WITHHELD
        known = [s.memory for s in self.active(Tier.EPISTEMIC)]
        characters = [entity for entity in self.told.entities if entity.type == "character"]
        named = (*self.story.chat.speakers, *(m.name for m in self.last_messages))
        named += (*(m.subject for m in known), *(entity.name for entity in characters))
        aliases = {alias: entity.name for entity in characters for alias in entity.aliases}
        people = People.of(dict.fromkeys(named), aliases)
        each = [
            Withheld(
                names,
                self._active,
                people,
                stopwords=self.common,
                wording=self.wording,
                said=None if self.index is None else partial(frequency_in, self.index),
            )
            for names in self.hearers
        ]
        return each[0] if self.responder_names else WithheldFromAny(each)

    @cached_property
    def present(self) -> tuple[str, ...]:
        """Folded names and texts in which whoever is there is named."""
        last = self.last_messages[-PRESENT_IN:]
        spoken = (folded(f"{m.name} {m.text[:LONGEST_READ]}") for m in last)
        members = self.story.chat.speakers if self.story.chat.kind is ChatKind.GROUP else ()
        return (*spoken, *map(folded, members), *self.responder_names)

    @cached_property
    def speaking(self) -> frozenset[str]:
        """Folded names of who speaks in the scene that goes on, and of who answers."""
        first = self.story.scenes[-1].first if self.story.scenes else 0
        last = self.story.messages[max(first, len(self.story.messages) - PRESENT_IN) :]
        return frozenset({folded(m.name) for m in last}) | self.responder_names

    def is_present(self, name: str) -> bool:
        """Whether somebody is named in the last messages, or belongs to the group."""
        wanted = folded(name)
        return bool(wanted) and any(wanted in text for text in self.present)

    def was_there(self, memory: Memory) -> bool:
        """Whether whoever may hear it witnessed what a memory tells; where nobody noted who did,
        yes.
        """
        if not memory.witnessed_by:
            return True
        witnesses = frozenset(map(folded, memory.witnessed_by))
        return all(not names.isdisjoint(witnesses) for names in self.hearers)

    @cached_property
    def notes(self) -> tuple[Entry, ...]:
        """What messages say that no model has read and the prompt does not hold, best first; none
        of those that the responder cannot know.
        """
        return tuple(notes_of(self.story, self.unread, self.knows)) if self.unread else ()

    def knows(self, index: int) -> bool:
        """Whether the responder can know a message; the user, when the turn is theirs, all."""
        return self.is_by_user or self._presence.knows(index)

    @cached_property
    def _presence(self) -> Presence:
        return Presence(self.story, self.responder_names, frozenset(self._missed()))

    def _missed(self) -> Iterator[int]:
        """Messages of which a memory says who witnessed them, and not the responder."""
        for standing in self.told.standings:
            memory = standing.memory
            if memory.witnessed_by and not self.was_there(memory):
                for source in memory.sources:
                    place = self.places.get(source.anchor)
                    if source.chat == self.told.chat and place is not None:
                        yield place

    def is_fresh(self, standing: Standing) -> bool:
        """Whether the head of the prompt does not tell of it yet."""
        return self.horizon is not None and standing.start >= self.horizon

    def is_of_now(self, standing: Standing, within: int = NOW_WITHIN) -> bool:
        """Whether a memory is of the last messages, and so of the scene as it is."""
        first = self.story.scenes[-1].first if self.story.scenes else 0
        return standing.start >= max(first, len(self.story.messages) - within)

    def is_lately(self, standing: Standing) -> bool:
        """Whether what a memory tells is so recent that it is told as of the present."""
        return standing.start >= self._lately_from

    @cached_property
    def _lately_from(self) -> int:
        return lately_from(self.story)

    def is_visible(self, memory: Memory) -> bool:
        """Whether all that a memory comes from can be read in the prompt itself."""
        if self.visible_from is None or not memory.sources:
            return False
        return all(
            source.chat == self.told.chat
            and self.places.get(source.anchor, -1) >= self.visible_from
            and not self.story.messages[self.places[source.anchor]].is_hidden
            for source in memory.sources
        )

    def document(
        self, kind: DocumentKind, *subjects: str, before: int | None = None
    ) -> Document | None:
        """The text of a kind that counts; see Recollection.document."""
        return self.told.document(kind, subjects, self.places, before)


def _is_outranked(standing: Standing) -> bool:
    ending = standing.ending
    is_ended = standing.status is Status.ENDED and ending is not None
    return is_ended and ending is not None and ending.reason is EndReason.OUTRANKED


def _outcome(arc: Memory, ending: Ending) -> Memory:
    return replace(arc, tier=Tier.SESSION, text=ending.text, sources=ending.sources, endings=())


def _in_order(found: Iterable[Standing]) -> tuple[Standing, ...]:
    """As the story went."""
    return tuple(sorted(found, key=lambda s: (s.start, s.memory.created, s.memory.id)))
