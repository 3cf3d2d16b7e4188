"""The story bible: a story with its people, secrets and threads, as parts that a file is made of.

Pure. What is told stands in `bible_of`; how it is written in `bible_files`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from app.core.translation import N_, tr, tr_in, trn
from app.memory.documents.bible_parts import (
    EVERYTHING,
    Bible,
    Block,
    Item,
    Known,
    Part,
    Telling,
    place,
    scene_title,
    with_ending,
)
from app.memory.documents.bible_people import people_part
from app.memory.documents.bible_timeline import timeline_part
from app.memory.documents.browsing import sentence_of
from app.memory.epistemic.map_view import Attitude, Topic
from app.memory.records import DocumentKind, Tier
from app.memory.standing import Status
from app.memory.tiers.table import THREADS
from app.story.recap_texts.recap_text import parse_recap
from app.story.scenes import Scene

ATTITUDES = {
    Attitude.HIDING: N_("keeps it"),
    Attitude.KNOWS: N_("knows it"),
    Attitude.SUSPECTS: N_("suspects it"),
    Attitude.BELIEVES: N_("is wrong about it"),
    Attitude.UNAWARE: N_("does not know it"),
    Attitude.KEPT: N_("must not know it"),
}
ONLY_KNOWN = N_(
    "Told as {person} knows it: what they did not see, hear or learn is left out. A recap that "
    "tells a secret in very different words may still give it away."
)


def bible_of(known: Known, telling: Telling = EVERYTHING) -> Bible:
    """Everything told of a story; parts with nothing in them are left out.

    telling: what may be told.
    """
    parts = (
        _story_part(known, telling),
        _scenes_part(known, telling),
        people_part(known, telling),
        _things_part(known, telling),
        _facts_part(known, telling),
        timeline_part(known, telling),
        _threads_part(known, telling),
        _secrets_part(known, telling),
    )
    chat = known.story.chat
    title = chat.owner_name or chat.title
    return Bible(title, _about(known, telling), tuple(p for p in parts if p is not None))


def _about(known: Known, telling: Telling) -> tuple[str, ...]:
    story, at = known.story, known.at
    facts = [
        trn(
            "{title}, up to message #{at}, {n} scene.",
            "{title}, up to message #{at}, {n} scenes.",
            len(_scenes(known)),
            title=story.chat.title,
            at=at,
        )
    ]
    if telling.person:
        facts.append(tr(ONLY_KNOWN, person=telling.person))
    return tuple(facts)


def _scenes(known: Known) -> tuple[Scene, ...]:
    return tuple(scene for scene in known.story.scenes if scene.first <= known.at)


def recap_blocks(text: str, telling: Telling) -> Iterator[Block]:
    """A recap's headed blocks, without the lines that may not be told."""
    recap = parse_recap(text)
    titles = {  # as the recap itself is headed
        "developments": "",
        "open": tr("Open"),
        "state": tr("State"),
        "resolved": tr_in("a heading of a recap", "Resolved"),
    }
    for field, title in titles.items():
        lines = [line for line in getattr(recap, field) if telling.allows_text(line)]
        if lines:
            yield Block(title, items=tuple(Item(line) for line in lines))


def _story_part(known: Known, telling: Telling) -> Part | None:
    running = known.story.running.current
    blocks = list(recap_blocks(running.content, telling)) if running is not None else []
    if not blocks and not telling.person:
        summary = [d for d in known.documents if d.kind is DocumentKind.SUMMARY and d.text]
        blocks = [Block(text=(summary[-1].text,))] if summary else []
    return Part(tr("The story so far"), tuple(blocks)) if blocks else None


def _scenes_part(known: Known, telling: Telling) -> Part | None:
    parts = []
    for scene in _scenes(known):
        name = known.story.scene_name(scene)
        if not telling.saw_scene(scene):
            absent = Block(text=(tr("{name} was not there.", name=telling.person),))
            title = tr("Scene {number}, elsewhere", number=scene.number)
            parts.append(Part(title, (absent,), note=_range(scene)))
            continue
        if not telling.allows_text(name):
            name = ""
        recap = known.story.scene_recap(scene)
        blocks = tuple(recap_blocks(recap.text, telling)) if recap is not None else ()
        if not blocks:
            state = tr("No recap.") if scene.is_closed else tr("It goes on.")
            blocks = (Block(text=(state,)),)
        parts.append(Part(scene_title(scene, name), blocks, note=_range(scene)))
    return Part(tr("Scenes"), parts=tuple(parts)) if parts else None


def _range(scene: Scene) -> str:
    if scene.last == scene.first:
        return f"#{scene.first}"
    return tr("#{first} to #{last}", first=scene.first, last=scene.last)


def _things_part(known: Known, telling: Telling) -> Part | None:
    """Places, objects and factions with their state."""
    people = {known.minds.key(person.name) for person in known.minds.people}
    lines: dict[str, list[Item]] = {}
    for standing in known.active(Tier.STATE_LEDGER):
        memory = standing.memory
        is_person = memory.type == "character" or known.minds.key(memory.subject) in people
        if is_person or not telling.allows(standing):
            continue
        item = Item(memory.text, tr(memory.field.replace("_", " ")), place(standing))
        lines.setdefault(memory.subject, []).append(item)
    parts = tuple(Part(name, (Block(items=tuple(items)),)) for name, items in lines.items())
    return Part(tr("Places and things"), parts=parts) if parts else None


def _facts_part(known: Known, telling: Telling) -> Part | None:
    blocks = []
    for tier, title in ((Tier.LONG_TERM, tr("For good")), (Tier.SESSION, tr("Recently"))):
        items = tuple(
            Item(sentence_of(standing.memory), note=place(standing))
            for standing in known.active(tier)
            if telling.allows(standing)
        )
        if items:
            blocks.append(Block(title, items=items))
    return Part(tr("What is remembered"), tuple(blocks)) if blocks else None


def _threads_part(known: Known, telling: Telling) -> Part | None:
    is_open, settled = [], []
    for standing in known.memories:
        memory = standing.memory
        if memory.tier not in THREADS or not telling.allows(standing):
            continue
        if standing.status is Status.ACTIVE:
            is_open.append(Item(sentence_of(memory), note=place(standing)))
        elif standing.status is Status.ENDED and standing.ending is not None:
            how = standing.ending.text
            how = how if telling.allows_text(how) else ""
            settled.append(Item(with_ending(sentence_of(memory), how), note=place(standing)))
    blocks = [Block(tr("Open"), items=tuple(is_open))] if is_open else []
    if settled:
        blocks.append(Block(tr("Settled"), items=tuple(settled)))
    return Part(tr("Open threads"), tuple(blocks)) if blocks else None


def _secrets_part(known: Known, telling: Telling) -> Part | None:
    """Who stands how to each secret; only of those that may be told."""
    parts = []
    by_id = {standing.memory.id: standing for standing in known.memories}
    for topic in known.minds.topics:
        # Who else knows is for nobody in the story to know.
        if not topic.is_secret or topic.first > known.at or telling.person:
            continue
        items = tuple(_stances(known, topic))
        if items:
            note = place(by_id[topic.key]) if topic.first < 0 and topic.key in by_id else ""
            parts.append(Part(topic.title, (Block(items=items),), note=note))
    return Part(tr("Secrets and errors"), parts=tuple(parts)) if parts else None


def _stances(known: Known, topic: Topic) -> Iterator[Item]:
    minds = known.minds
    proposition = minds.knowledge.propositions[topic.number]
    by_attitude: Mapping[Attitude, list[str]] = {attitude: [] for attitude in Attitude}
    for stance in minds.stances_to(proposition, known.at):
        by_attitude[stance.attitude].append(minds.name(stance.person))
    for attitude, names in by_attitude.items():
        if names:
            yield Item(listed(names), tr(ATTITUDES[attitude]))


def listed(names: Iterable[str]) -> str:
    """Names in a row, each once."""
    return ", ".join(dict.fromkeys(names))
