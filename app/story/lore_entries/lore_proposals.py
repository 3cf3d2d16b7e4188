"""The lore that scenes gave, as it is offered to the user for a lorebook."""

from __future__ import annotations

from dataclasses import dataclass

from app.story.lore_entries.lore import LoreEntry, stored_entries
from app.story.messages import combined_digest
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class LoreProposal:
    """An entry that a scene gave. key: the same for the same words, whichever recap holds them.

    scene: number of the scene. is_done: the user took it over, or does not want it.
    """

    key: str
    scene: int
    scene_name: str
    entry: LoreEntry
    is_done: bool = False


def proposals(story: Story, done: frozenset[str] = frozenset()) -> tuple[LoreProposal, ...]:
    """The lore in the recaps that count now, in the order of the story, each entry once.

    done: keys. What ST-Auto-Recap found is left out: it keeps a lorebook of it.
    """
    found: dict[str, LoreProposal] = {}
    for scene in story.scenes:
        recap = story.scene_recap(scene)
        if recap is None or recap.is_imported:
            continue
        for entry in stored_entries(recap.stored):
            key = key_of(entry)
            name = story.scene_name(scene)
            found.setdefault(key, LoreProposal(key, scene.number, name, entry, key in done))
    return tuple(found.values())


def key_of(entry: LoreEntry) -> str:
    """What tells one entry from another, by its words alone."""
    return combined_digest(entry.type.casefold(), entry.name.casefold(), *entry.content)[:16]
