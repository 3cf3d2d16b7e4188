"""The registry of everybody and everything with a name: who is meant, and one spelling for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from app.memory.entities.name_finder import NameFinder, bare
from app.memory.entities.naming import CHARACTER, UNKNOWN, Directory
from app.memory.names import name_in
from app.memory.reading.extraction import Work, grounded
from app.memory.reading.windows import Window
from app.memory.records import ENTITY_TYPES, Entity, Memory, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd, Mention, ReadAnswer
from app.memory.tiers.table import TIERS
from app.story.messages import Message, MessageKind, combined_digest

MOST_ALIASES = 24
MOST_NAMES = 40  # that a model is shown


class Seen(NamedTuple):
    """Something with a name, and the numbers of the window's messages that have it."""

    mention: Mention
    numbers: tuple[int, ...]


class Resolved(NamedTuple):
    """An answer with one spelling for each name, and what is new in the registry."""

    answer: ReadAnswer
    entities: tuple[Entity, ...]


def canonical_roster(speakers: Iterable[str], messages: Sequence[Message]) -> tuple[str, ...]:
    """The names that are beyond doubt (spec/smart-memory.md §21.4): of cards, and of personas.

    speakers: of the chat's cards; where there are none, whoever speaks.
    """
    personas = _names(messages, is_user=True)
    roster: dict[str, str] = {}
    for raw in (*(tuple(speakers) or _names(messages, is_user=False)), *personas):
        name = name_in(raw)
        if name:
            roster.setdefault(bare(name), name)
    return tuple(roster.values())


def _names(messages: Iterable[Message], *, is_user: bool) -> dict[str, None]:
    chat = MessageKind.CHAT
    return dict.fromkeys(m.name for m in messages if m.is_user == is_user and m.kind is chat)


# 8 parameters: an answer and all that names are looked up in.
def resolved_claims(
    answer: ReadAnswer,
    registry: Iterable[Entity],
    roster: Iterable[str],
    window: Window,
    work: Work,
    *,
    titles: Collection[str] = (),
    places: Mapping[str, int] | None = None,
    found: Sequence[Seen] = (),
) -> Resolved:
    """Give each name in an answer its one spelling, and note who is new and who was seen.

    Only claims that cite what they come from bring in new names; the others wait, and so do their
    names. titles: words before people's names. places: index by anchor, of all messages of the
    chat. found: what was found without a model beside the answer.
    """
    apart = _apart(answer.claims)
    resolver = _Resolver(registry, roster, window, work, titles, places, apart)
    seen = [*_seen(answer.claims, window), *found]
    # "Mara" is told to be "Mara Quill" only when the whole name is known.
    for mention, numbers in sorted(seen, key=lambda s: -len(s.mention.name.split())):
        resolver.note(mention, numbers)
    resolver.look_around()
    claims = tuple(filter(_makes_sense, map(resolver.claim, answer.claims)))
    ends = tuple(map(resolver.end, answer.ends))
    return Resolved(replace(answer, claims=claims, ends=ends), resolver.changed())


def known_names(
    entities: Iterable[Entity],
    base: Sequence[Memory],
    places: Mapping[str, int],
    before: int,
    roster: Iterable[str] = (),
) -> tuple[Mention, ...]:
    """The names that a model is shown: cards first, then by how much is remembered of them.

    Names that were first seen at message `before` or later are left out, so that the list is the
    same as long as a block begins at the same message. base: what held then. roster: names beyond
    doubt, see `canonical_roster`; the first reading of a story knows them already.
    """
    entities = list(entities)
    listed = {bare(name) for entity in entities for name in (entity.name, *entity.aliases)}
    entities += (
        Entity(name, 0, name, CHARACTER, is_locked=True)
        for name in roster
        if bare(name) not in listed
    )
    told = Counter(bare(name) for memory in base for name in names_of(memory))
    worth = {
        entity.id: sum(told[bare(name)] for name in (entity.name, *entity.aliases))
        for entity in entities
    }
    known = [
        entity
        for entity in entities
        if entity.is_locked or (worth[entity.id] and places.get(entity.first_seen, -1) < before)
    ]
    known.sort(key=lambda e: (not e.is_locked, -worth[e.id], bare(e.name)))
    return tuple(Mention(entity.name, entity.type) for entity in known[:MOST_NAMES])


def names_of(memory: Memory) -> Iterator[str]:
    """The names that a memory holds in its fields."""
    yield from filter(None, (*memory.entities, memory.subject, memory.target, memory.told_by))


def _seen(claims: Iterable[Claim], window: Window) -> Iterator[Seen]:
    """The names in claims that cite what they come from, each with where it was."""
    for claim in claims:
        _, note = grounded(claim, window)
        if note:
            continue
        yield from (Seen(mention, claim.sources) for mention in claim.entities)
        for name, kind in _fields(claim):
            yield Seen(Mention(name, kind), claim.sources)


def _apart(claims: Iterable[Claim]) -> dict[str, set[str]]:
    """Names by others that mean somebody else: nobody feels something toward themselves, or hides
    it from themselves. All bare.
    """
    found: dict[str, set[str]] = {}
    for claim in claims:
        if TIERS[claim.tier].is_of_entity:
            continue
        names = {bare(name) for name in (claim.subject, claim.target) if name}
        for name in names:
            found.setdefault(name, set()).update(names - {name})
    return found


def _fields(claim: Claim) -> Iterator[tuple[str, str]]:
    """The names in the fields of a claim, with what they are names of."""
    if TIERS[claim.tier].is_of_entity:
        yield claim.subject, claim.type
        return
    for name in (claim.subject, claim.target, claim.told_by):
        if name:
            yield name, CHARACTER


def _makes_sense(claim: Claim) -> bool:
    """Nobody feels something toward themselves, or hides it from themselves."""
    is_toward = claim.tier is Tier.RELATIONSHIPS or bool(claim.target)
    return not is_toward or bare(claim.subject) != bare(claim.target)


@dataclass(slots=True)
class _Notes:
    """What one window says of an entity: kinds that it was called, messages that have it."""

    kinds: Counter[str] = field(default_factory=Counter)
    numbers: set[int] = field(default_factory=set)


class _Resolver:
    """Resolves the names of one window against the registry, and keeps the registry's news."""

    # 7 parameters: as of `resolved_claims`.
    def __init__(
        self,
        registry: Iterable[Entity],
        roster: Iterable[str],
        window: Window,
        work: Work,
        titles: Collection[str],
        places: Mapping[str, int] | None,
        apart: Mapping[str, Collection[str]],
    ) -> None:
        self._window = window
        self._work = work
        here = {message.anchor: place for place, message in enumerate(window.messages)}
        self._places = here if places is None else places
        self._before = {entity.id: entity for entity in registry}
        self._directory = Directory.of(self._before.values(), titles, apart)
        self._notes: dict[str, _Notes] = {}
        self._said: dict[str, bool] = {}
        self._text = "\n".join(f"{message.name}: {message.text}" for message in window.messages)
        for name in roster:
            self._seed(name)

    def note(self, mention: Mention, numbers: Iterable[int]) -> None:
        """Somebody or something is named in these messages: find it, or put it in."""
        name = name_in(mention.name)
        if not name:
            return
        kind = mention.type if mention.type in ENTITY_TYPES else UNKNOWN
        entity = self._directory.find(name, kind, self._is_said)
        entity = self._made(name, kind) if entity is None else self._known_as(entity, name)
        notes = self._notes.setdefault(entity.id, _Notes())
        notes.numbers.update(numbers)
        if kind != UNKNOWN:
            notes.kinds[kind] += 1

    def look_around(self) -> None:
        """Note who speaks and what is named in the new messages, of all that is known."""
        entities = self._directory.entities.values()
        finder = NameFinder((name, e.id) for e in entities for name in (e.name, *e.aliases))
        for number in range(self._window.new_from, len(self._window.messages) + 1):
            message = self._window.messages[number - 1]
            for entity_id in finder.find(f"{message.name}\n{message.text}"):
                self._notes.setdefault(entity_id, _Notes()).numbers.add(number)

    def claim(self, claim: Claim) -> Claim:
        """The claim with every name as it is spelled here."""
        mentions = dict.fromkeys(
            Mention(self._spelled(mention.name, mention.type), mention.type)
            for mention in claim.entities
        )
        kind = claim.type if TIERS[claim.tier].is_of_entity else CHARACTER
        return replace(
            claim,
            entities=tuple(mentions),
            subject=self._spelled(claim.subject, kind),
            target=self._spelled(claim.target, CHARACTER),
            told_by=self._spelled(claim.told_by, CHARACTER),
        )

    def end(self, end: ClaimedEnd) -> ClaimedEnd:
        """The same for what no longer holds."""
        kind = (end.type or UNKNOWN) if TIERS[end.tier].is_of_entity else CHARACTER
        return replace(
            end,
            subject=self._spelled(end.subject, kind),
            target=self._spelled(end.target, CHARACTER),
        )

    def changed(self) -> tuple[Entity, ...]:
        """The entities that are new or otherwise than before."""
        after = (self._with_notes(entity) for entity in self._directory.entities.values())
        return tuple(entity for entity in after if self._before.get(entity.id) != entity)

    def _spelled(self, name: str, kind: str) -> str:
        if not name_in(name):
            return name  # "the others" are nobody, and stay as they are
        entity = self._directory.find(name, kind, self._is_said)
        return name if entity is None else entity.name

    def _seed(self, name: str) -> None:
        """A card or persona is there from the beginning, and nobody takes its place."""
        known = self._directory.find(name, CHARACTER, lambda _: False)
        if known is None or bare(known.name) != bare(name):
            known = self._made(name, CHARACTER)
        if not known.is_locked or known.type != CHARACTER:
            self._directory.put(replace(known, is_locked=True, type=CHARACTER))

    def _made(self, name: str, kind: str) -> Entity:
        work = self._work
        owner = work.character or f"chat {work.chat}"
        entity_id = combined_digest("entity", owner, bare(name), kind)
        entity = Entity(entity_id, work.chat, name, kind, work.character)
        self._directory.put(entity)
        return entity

    def _known_as(self, entity: Entity, name: str) -> Entity:
        """The entity, by this name too."""
        names = {bare(known) for known in (entity.name, *entity.aliases)}
        if bare(name) in names or len(entity.aliases) >= MOST_ALIASES:
            return entity
        entity = replace(entity, aliases=(*entity.aliases, name))
        self._directory.put(entity)
        return entity

    def _is_said(self, name: str) -> bool:
        if name not in self._said:
            self._said[name] = bool(NameFinder([(name, name)]).find(self._text))
        return self._said[name]

    def _with_notes(self, entity: Entity) -> Entity:
        notes = self._notes.get(entity.id)
        if notes is None:
            return entity
        if entity.type == UNKNOWN and notes.kinds:
            entity = replace(entity, type=notes.kinds.most_common(1)[0][0])
        messages = self._window.messages
        seen = {messages[n - 1].anchor for n in notes.numbers if 1 <= n <= len(messages)}
        return self._with_span(entity, seen)

    def _with_span(self, entity: Entity, seen: Collection[str]) -> Entity:
        """First and last seen, in the order of the story; other chats came before this one."""
        places = self._places
        here = {a for a in (*seen, entity.first_seen, entity.last_seen) if a in places}
        if not here:
            return entity
        first = min(here, key=places.__getitem__)
        if entity.chat != self._work.chat and entity.first_seen:
            first = entity.first_seen
        return replace(entity, first_seen=first, last_seen=max(here, key=places.__getitem__))
