"""Stories of ToMi told as roleplay chats, and what of them is asked."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from app.story.messages import combined_digest
from tests.bench import tomi
from tests.bench.tomi import LIES, MOVED, ROOM, BeliefStory

POOL = 450  # stories to choose from
SEED, AGAIN = 14, 15  # of the stories that were looked at, and of those that were not
NARRATOR, READER = "Narrator", "Reader"
CARD = "The narrator of short stories, which the reader and the narrator tell in turns."
MOST_SENTENCES = 3  # of one message
# Of each kind so many: whether somebody is wrong about the thing, and about what another thinks.
WANTED: Mapping[tuple[bool, bool], int] = MappingProxyType(
    {(True, True): 14, (False, True): 8, (False, False): 8}
)


def chosen(folder: Path, seed: int = SEED) -> tuple[BeliefStory, ...]:
    """The stories that are read, always the same and mixed; those alone whose labels are sound.

    folder: that holds ToMi. Raises ValueError where too few of a kind were drawn.
    """
    found = of_each_kind(tomi.tomi(folder, POOL, seed))
    random.Random(seed).shuffle(found)
    return tuple(found)


def of_each_kind(stories: Iterable[BeliefStory]) -> list[BeliefStory]:
    """The first stories of each kind, as many as are wanted. Raises ValueError for too few."""
    found: list[BeliefStory] = []
    left, seen = Counter(WANTED), set()
    for story in stories:
        kind = (_is_false(story, of_another=False), _is_false(story, of_another=True))
        if story.is_sound and story.told not in seen and left[kind] > 0:
            seen.add(story.told)
            left[kind] -= 1
            found.append(story)
    if left.total():
        raise ValueError(f"ToMi's generator gave {left.total()} stories too few: {dict(left)}")
    return found


def chat_of(story: BeliefStory, number: int, seed: int = SEED) -> dict[str, Any]:
    """The story as a labelled one: a narrator's card and the user tell it in turns."""
    dice = random.Random(f"{seed} {number}")
    sentences = [plain(sentence).rstrip(".") + "." for sentence in story.told]
    messages: list[dict[str, Any]] = []
    while sentences:
        count = dice.randint(1, MOST_SENTENCES)
        is_user = len(messages) % 2 == 1
        messages.append(
            {
                "name": READER if is_user else NARRATOR,
                "is_user": is_user,
                "kind": "chat",
                "mes": " ".join(sentences[:count]),
            }
        )
        del sentences[:count]
    return {
        "title": f"Story {number}",
        "language": "en",
        "user_name": READER,
        "characters": [{"name": NARRATOR, "description": CARD}],
        "group": False,
        "messages": messages,
    }


def digest_of(chat: Mapping[str, Any]) -> str:
    """By which a chat is known again."""
    return combined_digest(*(f"{one['name']}: {one['mes']}" for one in chat["messages"]))[:16]


def places_of(story: BeliefStory, thing: str) -> frozenset[str]:
    """Where a thing lies in the course of a story."""
    found = [LIES.match(line) or MOVED.match(line) for line in story.told]
    return frozenset(plain(one["to"]) for one in found if one and one["thing"] == thing)


def comes_back(story: BeliefStory) -> bool:
    """Whether somebody comes into a place once more: ToMi then takes them to see into whatever the
    thing lies in, without a word of it in the story.
    """
    rooms = [found for line in story.told if (found := ROOM.match(line))]
    came = Counter((f["who"], f["place"]) for f in rooms if f["verb"] != "exited")
    return max(came.values(), default=0) > 1


def plain(text: str) -> str:
    """A text of ToMi's as people write it: its names of places have underscores for spaces."""
    return str(text).replace("_", " ")


def _is_false(story: BeliefStory, *, of_another: bool) -> bool:
    return any(one.is_false for one in story.questions if bool(one.of) is of_another)
