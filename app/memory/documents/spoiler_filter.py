"""What may be told to somebody who plays one person of the story without spoiling it. Pure."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator

from app.memory.documents.bible_parts import Known
from app.memory.epistemic.propositions import STEM, content_words
from app.memory.names import folded
from app.memory.records import Tier
from app.memory.standing import BEFORE, Ground, Standing
from app.story.recap_texts.recap_text import parse_recap
from app.story.scenes import Scene

HAVING = ("knows", "suspects", "hiding")
TOLD = 0.6  # share of a secret's words that a sentence has to have to be taken for it
FEWEST = 2
# What one does not see of another.
INNER_FIELDS = frozenset(
    {"mood", "active_goal", "carried_items", "outfit_disguise", "objective", "alliances"}
)


class SpoilerFilter:
    """Tells what one person knows, saw or heard. In doubt it says nothing.

    They were in a scene if they speak in it. What others know and they do not, in whatever words,
    is left out, and so are feelings and plans of others.
    """

    def __init__(
        self, known: Known, person: str, ground: Ground, stopwords: frozenset[str] = frozenset()
    ) -> None:
        self.person = person
        self._known = known
        self._ground = ground
        self._stopwords = stopwords
        self._key = known.minds.key(person)
        self._firsts = [scene.first for scene in known.story.scenes]
        self._seen = {scene.number for scene in known.story.scenes if self._speaks_in(scene)}
        people = known.minds.knowledge.people
        # Everything is about somebody: a name alone tells no secret.
        self._names = frozenset(word[:STEM] for key in people.names for word in people.words(key))
        self._secrets = tuple(self._secret_words())
        self._heard = self._heard_text()

    # --- Telling

    def allows(self, standing: Standing) -> bool:
        """Whether a memory may be told."""
        memory, is_own = standing.memory, self._is_self(standing.memory.subject)
        if memory.tier is Tier.EPISTEMIC:
            return is_own and memory.type != "unaware"
        if memory.tier is Tier.RELATIONSHIPS:
            return is_own
        if memory.tier is Tier.STATE_LEDGER and memory.field in INNER_FIELDS and not is_own:
            return False
        if memory.witnessed_by and not any(map(self._is_self, memory.witnessed_by)):
            return False
        told = f"{memory.subject} {memory.text} {memory.detail}"
        return self._was_there(standing) and self.allows_text(told)

    def allows_text(self, text: str) -> bool:
        """Whether a sentence says nothing of what they do not know."""
        words = self._words(text)
        return not any(_tells(words, secret) for secret in self._secrets)

    def saw_scene(self, scene: Scene) -> bool:
        """Whether they were there."""
        return scene.number in self._seen

    def has_met(self, name: str) -> bool:
        """Whether they heard the name, or saw who bears it."""
        return self._is_self(name) or bool(
            re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", self._heard)
        )

    # --- inside

    def _words(self, text: str) -> frozenset[str]:
        return content_words(text, self._stopwords)

    def _is_self(self, name: str) -> bool:
        return bool(name) and self._known.minds.key(name) == self._key

    def _speaks_in(self, scene: Scene) -> bool:
        messages = self._known.story.messages[scene.first : scene.last + 1]
        return any(message.is_user or self._is_self(message.name) for message in messages)

    def _was_there(self, standing: Standing) -> bool:
        """Whether one of the messages that it comes from stands in a scene they saw."""
        places = [self._ground.place(source) for source in standing.memory.sources]
        here = [index for index in places if index != BEFORE]
        if not here:
            return not standing.memory.sources
        scenes = self._known.story.scenes
        places_of = (bisect_right(self._firsts, index) - 1 for index in here)
        return any(at >= 0 and self.saw_scene(scenes[at]) for at in places_of)

    def _secret_words(self) -> Iterator[frozenset[str]]:
        own = [self._words(text) for text in self._own_texts()]
        for text in self._secret_texts():
            words = self._words(text)
            bare = words - self._names
            words = bare if len(bare) >= FEWEST else words
            # The same in their own words is no secret to them.
            if words and not any(_tells(known, words) for known in own):
                yield words

    def _own_texts(self) -> Iterator[str]:
        for standing in self._known.minds.knowledge.entries:
            is_had = standing.memory.type in HAVING and standing.holds_at(self._known.at)
            if is_had and self._is_self(standing.memory.subject):
                yield standing.memory.text

    def _secret_texts(self) -> Iterator[str]:
        """What others hold and they do not, and what happened where they were not."""
        for proposition in self._known.minds.knowledge.propositions:
            past = [s for s in proposition.standings if s.start <= self._known.at]
            mine = [s for s in past if self._is_self(s.memory.subject)]
            if any(s.memory.type in HAVING and s.holds_at(self._known.at) for s in mine):
                continue
            if any(self._is_self(s.memory.told_by) for s in past):
                continue
            own = {folded(s.memory.text) for s in mine if s.memory.type == "believes"}
            texts = {s.memory.text for s in past if folded(s.memory.text) not in own}
            yield from sorted(texts)
        for scene in self._known.story.scenes:
            recap = self._known.story.scene_recap(scene)
            if recap is not None and not self.saw_scene(scene):
                told = parse_recap(recap.text)
                yield from (*told.developments, *told.open, *told.state, *told.resolved)

    def _heard_text(self) -> str:
        """All that was said and told where they were, to look for names in."""
        story = self._known.story
        messages = (
            message
            for scene in story.scenes
            if self.saw_scene(scene)
            for message in story.messages[scene.first : min(scene.last, self._known.at) + 1]
        )
        return folded("\n".join(f"{message.name}\n{message.text}" for message in messages))


def _tells(words: frozenset[str], secret: frozenset[str]) -> bool:
    """Whether a text has so many of a secret's words that it gives it away."""
    needed = max(min(FEWEST, len(secret)), math.ceil(TOLD * len(secret)))
    return len(words & secret) >= needed
