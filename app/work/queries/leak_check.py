"""Who knows what in an open chat, and who says what they cannot know."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from app.core.translation import N_, tr
from app.memory.epistemic.epistemic_map import EpistemicMap
from app.memory.epistemic.leaks import Leak, LeakCheck, LeakKind, stopwords_of
from app.memory.epistemic.word_counts import WordCounts
from app.memory.lifecycle.state_change import Wording
from app.memory.records import Tier
from app.memory.similarity import Vectors
from app.memory.tiers.epistemic import title_of
from app.story.messages import MessageKind
from app.story.scene_cues.language import LanguagePack
from app.views.memory_view import MemoryView
from app.work.queries.derived_knowledge import derived

VectorsOf = Callable[[Sequence[str]], Awaitable[Vectors]]

TELLING = (Tier.LONG_TERM, Tier.SESSION)  # of what was told, that somebody may have missed
SAMPLE = 60  # messages by which the languages of a story are told

WHY = {
    LeakKind.UNAWARE: N_("{speaker} does not know it"),
    LeakKind.HIDDEN: N_("{holder} hides it from {speaker}"),
    LeakKind.SUSPECTED: N_("{speaker} only suspects it"),
    LeakKind.CONTRARY: N_("{speaker} believes otherwise"),
    LeakKind.ABSENT: N_("{speaker} was not there"),
}


def epistemic_map(view: MemoryView, packs: Sequence[LanguagePack]) -> EpistemicMap:
    """The map of a chat, to be asked for any of its messages; of what counts in it."""
    view = replace(view, memories=view.counting)
    speakers = (
        message.name
        for message in view.story.messages
        if message.kind in (MessageKind.CHAT, MessageKind.THOUGHT)
    )
    characters = [entity for entity in view.entities if entity.type == "character"]
    names = [*speakers, *(entity.name for entity in characters)]
    presence = derived(view, packs)
    return EpistemicMap(
        (*view.memories, *presence.entries),
        witnessing=presence.witnessing,
        participants=tuple(dict.fromkeys(names)),
        aliases=view.aliases,
        stopwords=stopwords_of(_spoken(view, packs)),
    )


async def leaks_in(
    view: MemoryView,
    packs: Sequence[LanguagePack],
    message: int,
    counts: WordCounts,
    vectors_of: VectorsOf,
) -> tuple[Leak, ...]:
    """What somebody says in a message and cannot know by the map, and what keepers tell there.
    counts: of this chat. vectors_of: texts by meaning, none where there is no embedding model.
    """
    check = await asyncio.to_thread(_check_of, view, packs, counts)
    texts = await asyncio.to_thread(check.texts_at, message)
    check.compare_by(await vectors_of(texts))
    return await asyncio.to_thread(check.at, message)


def _check_of(view: MemoryView, packs: Sequence[LanguagePack], counts: WordCounts) -> LeakCheck:
    return _check_by(epistemic_map(view, packs), view, packs, counts)


def _check_by(
    known: EpistemicMap, view: MemoryView, packs: Sequence[LanguagePack], counts: WordCounts
) -> LeakCheck:
    messages = view.story.messages
    frequency = counts.of(messages)
    check = LeakCheck(known, messages, packs=_spoken(view, packs), frequency=frequency)
    told = [s for tier in TELLING for s in view.of(tier)]
    check.look_for_absences(told, [scene.first for scene in view.story.scenes])
    return check


def leaks_by(
    known: EpistemicMap,
    view: MemoryView,
    packs: Sequence[LanguagePack],
    message: int,
    counts: WordCounts,
) -> tuple[Leak, ...]:
    """The same by a map that is at hand."""
    return _check_by(known, view, packs, counts).at(message)


def leak_sentence(leak: Leak) -> str:
    """Why it is a leak, or that a keeper tells the secret."""
    memory = leak.entry.memory
    if leak.kind is LeakKind.TOLD:
        return tr(
            "{speaker} reveals what they hid from {whom}: {what}",
            speaker=leak.speaker,
            whom=memory.target,
            what=title_of(memory.text),
        )
    why = tr(WHY[leak.kind], speaker=leak.speaker, holder=memory.subject)
    where = (
        tr("Nobody has learned it yet.")
        if leak.learned_at is None
        else tr("Others learned it in message {n}.", n=leak.learned_at)
    )
    return tr(
        "{speaker} cannot know this: {why} ({what}). {where}",
        speaker=leak.speaker,
        why=why,
        what=title_of(memory.text),
        where=where,
    )


def _spoken(view: MemoryView, packs: Sequence[LanguagePack]) -> Sequence[LanguagePack]:
    text = " ".join(message.text for message in view.story.messages[-SAMPLE:])
    return Wording.of_story(packs, text).packs
