"""What a scene recap in stages needs of the store and of the story so far."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from app.store.store import Store
from app.story.lore_entries.lore import LoreEntry, stored_entries
from app.story.messages import combined_digest, digest
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import Scene
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class KeptInStore:
    """Answers kept beside the results of operations.

    again: of the operation; work that was asked for anew does not find the answers of before.
    """

    store: Store
    again: str = ""

    async def get(self, key: str) -> str | None:
        """See KeptAnswers."""
        kept = await self.store.run(lambda: self.store.operations.result(self._key(key)))
        return kept["answer"] if isinstance(kept, dict) else None

    async def keep(self, key: str, answer: str) -> None:
        """See KeptAnswers."""
        value = {"answer": answer}
        await self.store.run(lambda: self.store.operations.save_result(self._key(key), value))

    def _key(self, key: str) -> str:
        return combined_digest(key, self.again)


def known_lore(story: Story, scene: Scene) -> tuple[LoreEntry, ...]:
    """The lore kept with the recaps of the scenes before this one, oldest first."""
    recaps = (story.scene_recap(other) for other in story.scenes if other.last < scene.first)
    return tuple(entry for recap in recaps if recap for entry in stored_entries(recap.stored))


def adds_nothing(recap: SceneRecap, base: RunningVersion | None) -> bool:
    """Whether a scene was found to tell nothing that this very running recap does not."""
    if base is None or '"known_from"' not in recap.stored:
        return False
    try:
        stored = msgspec.json.decode(recap.stored)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return False
    return isinstance(stored, dict) and stored.get("known_from") == digest(base.content)
