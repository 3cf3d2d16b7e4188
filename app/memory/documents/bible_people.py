"""The people of a story bible: how each is doing, what they feel, and what each knows."""

from __future__ import annotations

from collections.abc import Iterator

from app.core.translation import N_, tr, tr_in
from app.memory.documents.bible_parts import Block, Item, Known, Part, Telling, place
from app.memory.documents.profiles import without_figures
from app.memory.epistemic.epistemic_map import World
from app.memory.epistemic.map_view import STATE_WORDS
from app.memory.names import folded
from app.memory.records import DocumentKind, Tier
from app.memory.standing import Standing
from app.memory.tiers.epistemic import title_of

SECTIONS = {
    "character_state": N_("character state"),
    "world_state": N_("world state"),
    "relationship_matrix": N_("relationships"),
}


def people_part(known: Known, telling: Telling) -> Part | None:
    """Everybody of whom something is known, in the order in which they came up."""
    parts = []
    for key, name in _people(known).items():
        if not telling.has_met(name):
            continue
        blocks = tuple(block for block in _blocks(known, telling, key, name) if block is not None)
        if blocks:
            parts.append(Part(name, blocks))
    return Part(tr("People"), parts=tuple(parts)) if parts else None


def _people(known: Known) -> dict[str, str]:
    """Names by key: who speaks, who is an entity, who knows or feels something."""
    minds = known.minds
    names = [m.name for m in known.story.messages[: known.at + 1] if m.name]
    names = list(dict.fromkeys(names))
    names += [entity.name for entity in known.entities if entity.type == "character"]
    names += [person.name for person in minds.people]
    names += [standing.memory.subject for standing in known.active(Tier.RELATIONSHIPS)]
    found: dict[str, str] = {}
    for name in names:
        key = minds.key(name) or folded(name)
        if key:
            found.setdefault(key, minds.name(key) or name)
    return found


def _blocks(known: Known, telling: Telling, key: str, name: str) -> Iterator[Block | None]:
    is_self = bool(telling.person) and known.minds.key(telling.person) == key
    if not telling.person:
        yield _also_called(known, key, name)
        yield from _profile(known, name)
    yield _state(known, telling, key)
    yield _feelings(known, telling, key)
    if not telling.person or is_self:
        yield from _mind(known, telling, known.minds.world(key, known.at))
    else:
        yield _as_thought_of(known, telling, key)


def _also_called(known: Known, key: str, name: str) -> Block | None:
    aliases = [
        alias
        for entity in known.entities
        if entity.type == "character" and known.minds.key(entity.name) == key
        for alias in entity.aliases
        if folded(alias) != folded(name)
    ]
    if not aliases:
        return None
    return Block(text=(tr("Also called {names}.", names=", ".join(dict.fromkeys(aliases))),))


def _profile(known: Known, name: str) -> Iterator[Block]:
    """The newest portrait of somebody, part by part."""
    fitting = [
        document
        for document in known.documents
        if document.kind is DocumentKind.PROFILE and folded(document.subject) == folded(name)
    ]
    if not fitting:
        return
    newest = fitting[-1]
    if not newest.sections:
        if newest.text.strip():
            yield Block(tr("Portrait"), text=(without_figures(newest.text),))
        return
    items = tuple(
        Item(without_figures(text), tr(SECTIONS.get(section, section.replace("_", " "))))
        for section, text in newest.sections.items()
        if text
    )
    if items:
        yield Block(tr("Portrait"), items=items)


def _state(known: Known, telling: Telling, key: str) -> Block | None:
    items = tuple(
        Item(standing.memory.text, tr(standing.memory.field.replace("_", " ")), place(standing))
        for standing in known.active(Tier.STATE_LEDGER)
        if known.minds.key(standing.memory.subject) == key and telling.allows(standing)
    )
    return Block(tr("How they are"), items=items) if items else None


def _feelings(known: Known, telling: Telling, key: str) -> Block | None:
    items = []
    for standing in known.active(Tier.RELATIONSHIPS):
        memory = standing.memory
        if known.minds.key(memory.subject) == key and telling.allows(standing):
            degree = f" ({tr(memory.magnitude)})" if memory.magnitude else ""
            whom = tr_in("a feeling", "to {name}", name=memory.target)
            items.append(Item(f"{memory.text}{degree}", whom, place(standing)))
    return Block(tr("What they feel"), items=tuple(items)) if items else None


def _mind(known: Known, telling: Telling, world: World) -> Iterator[Block | None]:
    """What somebody knows, suspects, is wrong about, does not know, and hides.

    Whoever is told only their own mind does not learn that they are wrong, or what they miss.
    """
    if telling.person:
        yield _list(tr("Knows"), (*world.knows, *world.believes))
        yield _list(tr("Suspects"), world.suspects)
        yield _hidden(world)
        return
    yield _list(tr("Knows"), world.knows)
    yield _list(tr("Suspects"), world.suspects)
    yield _list(tr("Wrongly believes"), world.believes)
    yield _list(tr("Does not know"), world.unaware)
    yield _hidden(world)
    kept = tuple(Item(title_of(s.memory.text), s.memory.subject) for s in world.kept_from)
    yield Block(tr("Hidden from them by"), items=kept) if kept else None


def _list(title: str, standings: tuple[Standing, ...]) -> Block | None:
    items = []
    for standing in standings:
        memory = standing.memory
        how = memory.channel and tr(memory.channel)
        if memory.told_by:
            how = tr_in("told by", "from {name}", name=memory.told_by)
        note = ", ".join(filter(None, (how, place(standing))))
        items.append(Item(title_of(memory.text), note=note))
    return Block(title, items=tuple(items)) if items else None


def _hidden(world: World) -> Block | None:
    items = []
    for standing in world.hides:
        whom = standing.memory.target
        lead = tr_in("hidden", "from {name}", name=whom) if whom else ""
        items.append(Item(title_of(standing.memory.text), lead, place(standing)))
    return Block(tr("Hides"), items=tuple(items)) if items else None


def _as_thought_of(known: Known, telling: Telling, key: str) -> Block | None:
    """What the one who may be told thinks of another's mind."""
    minds = known.minds
    world = minds.knowledge.world_of(telling.person, known.at)
    items = tuple(
        Item(title_of(inner.text), tr(STATE_WORDS.get(inner.state, inner.state)))
        for inner in world.minds
        if minds.key(inner.holder) == key
    )
    return Block(tr("As {person} thinks", person=telling.person), items=items) if items else None
