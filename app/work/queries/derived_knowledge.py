"""Who is where in an open chat, and what its people know by having been there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.memory.epistemic.comings import comings_in
from app.memory.epistemic.epistemic_map import PUBLIC
from app.memory.epistemic.missed_changes import SeenChanges, behind_their_backs
from app.memory.epistemic.presence import Event, Whereabouts, witnesses
from app.memory.epistemic.presence_record import events_of
from app.memory.epistemic.propositions import People
from app.memory.epistemic.shared_sights import shared_sights
from app.memory.epistemic.witnessing import Witnessing
from app.memory.names import folded
from app.memory.records import Document, Entity, Memory, Tier
from app.memory.standing import BEFORE, Ground, Standing
from app.story.messages import MessageKind
from app.story.scene_cues.language import LanguagePack, tokens_of
from app.story.story import ChatKind, Story
from app.views.memory_view import MemoryView

MOST_LOOKED_AT = 2_000  # messages, the newest; a prompt waits for what follows of them


def whereabouts(
    story: Story,
    ground: Ground,
    documents: Iterable[Document],
    entities: Iterable[Entity],
    packs: Sequence[LanguagePack],
    *,
    since: int = 0,
) -> Whereabouts:
    """Who is where, by what a reading noted, by who speaks, and by the story's own words.

    since: index of a message; of those before only the scene that it is in is looked at.
    """
    scene = next((s for s in story.scenes if s.first <= since <= s.last), None)
    first = scene.first if scene else since
    events = [event for event in events_of(documents, ground) if event.at >= first]
    characters = [entity for entity in entities if entity.type == "character"]
    told = [(n, m) for n, m in enumerate(story.messages[first:], first) if _is_of_somebody(m.kind)]
    names = dict.fromkeys(
        [*(m.name for _, m in told), *(e.name for e in characters), *_named_in(events)]
    )
    people = People.of(names, {alias: e.name for e in characters for alias in e.aliases})
    noted = {event.at for event in events}
    words = {name: tuple(tokens_of(name)) for name in names if name.strip()}
    for at, message in told:
        if packs and at not in noted:  # who read it knows better
            events += comings_in(message, at, words, packs)
    return Whereabouts(
        events,
        speakers=((at, m.name) for at, m in told if m.kind is MessageKind.CHAT),
        openings=[s.first for s in story.scenes if s.first >= first],
        people=people,
    )


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows of who was there. entries: of who knows what. witnessing: who was where, and
    what they learned there; None where no reading noted who came and went.
    """

    entries: tuple[Standing, ...] = ()
    witnessing: Witnessing | None = None


NOTHING_DERIVED = Derived()


def derived(view: MemoryView, packs: Sequence[LanguagePack]) -> Derived:
    """What people of a chat know and believe by where they were, as it stands at the view's
    message; nothing where no reading noted who came and went.
    """
    events = events_of(view.documents, view.ground)
    if not events:
        return NOTHING_DERIVED
    since = max(0, len(view.story.messages) - MOST_LOOKED_AT)
    where = whereabouts(view.story, view.ground, view.documents, view.entities, (), since=since)
    stopwords = frozenset[str]().union(*(pack.stopwords for pack in packs))
    changes = SeenChanges(view.memories, where, view.story.messages, stopwords)
    found = behind_their_backs(changes, view.at)
    stated = [s for s in view.of(Tier.EPISTEMIC) if s.status in PUBLIC]
    by_word = Witnessing(where, packs, shared_sights(stated, where, view.ground.place))
    return Derived((*found, *by_word.entries(view.ground.chat, stated)), by_word)


def witnessed(memory: Memory, where: Whereabouts, story: Story, ground: Ground) -> Memory:
    """A new memory with who was there when it was told, where that is known. In a group a reading
    goes over scenes of other people, too.
    """
    if memory.tier is not Tier.LONG_TERM or not memory.witnessed_by:
        return memory
    places = (ground.place(source) for source in memory.sources)
    cited = {at: story.messages[at].name for at in places if at != BEFORE}
    speakers = memory.witnessed_by
    if cited and story.chat.kind is ChatKind.GROUP:
        heard = [_heard_in(story, at) for at in cited]
        speakers = tuple(n for n in speakers if any(s is None or folded(n) in s for s in heard))
    return replace(memory, witnessed_by=witnesses(where, speakers, cited))


def _heard_in(story: Story, at: int) -> frozenset[str] | None:
    """Folded names of who speaks in the scene of a message, None while that goes on: who is there
    may speak yet.
    """
    scene = story.scene_at(at)
    if scene is None or scene.closing is None:
        return None
    return frozenset(folded(m.name) for m in story.messages[scene.first : scene.last + 1])


def _is_of_somebody(kind: MessageKind) -> bool:
    return kind in (MessageKind.CHAT, MessageKind.THOUGHT)


def _named_in(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        yield from (event.who, *event.whom)
