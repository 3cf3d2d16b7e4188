"""Whom a name means: in full, by an alias, by the first name alone, by a title and the last."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from app.memory.entities.name_finder import bare
from app.memory.names import folded
from app.memory.records import Entity

CHARACTER, UNKNOWN = "character", "unknown"
PERSONAL = frozenset({CHARACTER, UNKNOWN})


def all_names(name: str, entities: Iterable[Entity]) -> frozenset[str]:
    """All names of somebody, folded; none for ""."""
    own = folded(name)
    if not own:
        return frozenset()
    return frozenset({own}).union(
        *(
            map(folded, (entity.name, *entity.aliases))
            for entity in entities
            if folded(entity.name) == own and entity.type in PERSONAL
        )
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """A person's name cut up: titles before it, and its words."""

    titles: frozenset[str]
    words: tuple[str, ...]


@dataclass(slots=True)
class Directory:
    """Entities by all names that they go by. titles: words before people's names, casefolded.

    The order of asking (spec/smart-memory.md §21.4): a card or persona in full, its alias, any
    other entity in full or by alias, then the one person whom a first name, or a title with a last
    name, can mean. What fits several, or adds a surname that the story does not say, means nobody
    known: people who share a name are kept apart. apart: names that are known to mean others than a
    name does, all bare: Mrs Flett is not the Teddy Flett who hides something from her.
    """

    titles: frozenset[str] = frozenset()
    apart: Mapping[str, Collection[str]] = field(default_factory=lambda: MappingProxyType({}))
    entities: dict[str, Entity] = field(default_factory=dict)
    _by_name: dict[str, dict[str, None]] = field(default_factory=dict)
    _by_word: dict[str, dict[str, None]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        entities: Iterable[Entity],
        titles: Iterable[str] = (),
        apart: Mapping[str, Collection[str]] | None = None,
    ) -> Directory:
        """A directory of these."""
        directory = cls(frozenset(titles), apart or {})
        for entity in entities:
            directory.put(entity)
        return directory

    def put(self, entity: Entity) -> None:
        """Add an entity, or its new state; a name that it had stays its own."""
        self.entities[entity.id] = entity
        for name in (entity.name, *entity.aliases):
            self._by_name.setdefault(bare(name), {})[entity.id] = None
            words = self._cut(name).words
            for word in {words[0], words[-1]} if words else ():
                self._by_word.setdefault(word, {})[entity.id] = None

    def find(self, name: str, kind: str, is_said: Callable[[str], bool]) -> Entity | None:
        """Whom or what a name means, None for nobody known.

        kind: of ENTITY_TYPES. is_said: whether the story has these words, one behind the other.
        """
        named = self._named(name, kind)
        if named is not None:
            return named
        return self._meant(name, is_said) if kind in PERSONAL else None

    def _named(self, name: str, kind: str) -> Entity | None:
        known = [self.entities[entity_id] for entity_id in self._by_name.get(bare(name), ())]
        fitting = [e for e in known if _may_be(e, kind) and not self._is_apart(name, e)]
        return min(
            fitting,
            key=lambda e: (
                not (e.is_locked and bare(e.name) == bare(name)),
                not e.is_locked,
                bare(e.name) != bare(name),
                e.type != kind,
            ),
            default=None,
        )

    def _meant(self, name: str, is_said: Callable[[str], bool]) -> Entity | None:
        """The one person whom a shorter or longer form of a name can mean."""
        asked = self._cut(name)
        if not asked.words:
            return None
        near = self._by_word.get(asked.words[0], {}) | self._by_word.get(asked.words[-1], {})
        fitting = {
            entity_id: is_certain
            for entity_id in near
            if self.entities[entity_id].type in PERSONAL
            and not self._is_apart(name, self.entities[entity_id])
            and (is_certain := self._fits(asked, self.entities[entity_id])) is not None
        }
        if len(fitting) != 1:
            return None
        entity_id, is_certain = next(iter(fitting.items()))
        entity = self.entities[entity_id]
        if entity.type != CHARACTER:
            return None
        return entity if is_certain or is_said(name) else None

    def _is_apart(self, name: str, entity: Entity) -> bool:
        """Whether a title with a last name means another of the family."""
        others = self.apart.get(bare(name), ())
        if not others or not self._cut(name).titles or bare(name) == bare(entity.name):
            return False
        names = {bare(one) for one in (entity.name, *entity.aliases)} - {bare(name)}
        return not names.isdisjoint(others)

    def _fits(self, asked: _Parts, entity: Entity) -> bool | None:
        """Whether a name may mean a person; True for certain, False if the story says it so."""
        own = [self._cut(name) for name in (entity.name, *entity.aliases)]
        titles = frozenset().union(*(parts.titles for parts in own))
        if asked.titles and titles and not asked.titles & titles:
            return None  # Captain Brandt is not Lady Brandt
        full = [parts for parts in own if len(parts.words) > 1]
        if len(asked.words) > 1 and full:
            own = full  # Gus Merrit is not Gus Tallow, whom all call Gus
        results = [result for parts in own if (result := _form(asked, parts)) is not None]
        return max(results, default=None)

    def _cut(self, name: str) -> _Parts:
        words = bare(name).split()
        count = 0
        while count < len(words) and words[count] in self.titles:
            count += 1
        return _Parts(frozenset(words[:count]), tuple(words[count:]))


def _may_be(entity: Entity, kind: str) -> bool:
    """Whether one thing can be both: a person is no ship of that name."""
    if UNKNOWN in (entity.type, kind):
        return True
    return (entity.type == CHARACTER) == (kind == CHARACTER)


def _form(asked: _Parts, own: _Parts) -> bool | None:
    """Whether the one is a form of the other: True for certain, False if the story says it so."""
    ours, theirs = asked.words, own.words
    if not theirs:
        return None
    if ours == theirs:
        return True
    if len(ours) == 1:
        if theirs[0] == ours[0]:
            return True
        return True if asked.titles and theirs[-1] == ours[0] else None
    if theirs[0] != ours[0]:
        return None
    if len(theirs) == 1:
        return False  # a surname that the card does not have
    if theirs[-1] != ours[-1]:
        return None
    return True if _is_within(ours, theirs) else False if _is_within(theirs, ours) else None


def _is_within(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the long one has all words of the short one, in their order."""
    rest = iter(long)
    return all(word in rest for word in short)
