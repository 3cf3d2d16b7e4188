"""What no model has read of a story, and the room that is kept for it in a prompt. Pure.

Memory tells what was read, recaps tell scenes that have ended; between them and the messages that
still fit the prompt there is a gap, and without a model it is wide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.memory.lifecycle.state_change import Wording
from app.story.scene_cues.language import NUMBER, LanguagePack
from app.story.story import Story

# Percent of a total that is kept for them at most. Measured with tests/answers: less loses what was
# just said, more loses what memory knows.
SHARE_OF_MESSAGES = 40
SHARE_OF_STORY = 90  # the same for a story of which all fits
LONGEST_READ = 20_000  # characters of one message
MOST_NOTED = 24_000  # tokens of messages of which notes are made, and their number
MOST_MESSAGES_NOTED = 250
# Tokens of slots and messages below which sentences lose their little words: more of them fit,
# and it reads like a telegram. Measured with tests/answers: above it whole ones tell as much.
BRIEF_BELOW = 1_500
NEGATION = "not"  # cue of words that turn a sentence round


@dataclass(frozen=True, slots=True)
class Unread:
    """Messages that no model has read. first, end: indexes of those that the prompt itself does
    not hold. pushed: the first of those that it would hold without any slots. little: words that
    tell nothing by themselves, in the story's language. numbers: its words for them. is_brief: what
    they say is told without the little words.
    """

    first: int = 0
    end: int = 0
    pushed: int = 0
    little: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    is_brief: bool = False

    def __bool__(self) -> bool:
        return self.first < self.end


ALL_READ = Unread()


def kept_for_messages(story: Story, unread_from: int | None, total: int) -> int:
    """Tokens of a total that stay for the newest messages, as nothing else tells of them. A whole
    story that fits is better told by itself than by notes of it.
    """
    if unread_from is None:
        return 0
    most, tokens = total * SHARE_OF_STORY // 100, 0
    for index in range(len(story.messages) - 1, unread_from - 1, -1):
        tokens += _tokens(story, index)
        if tokens > most:
            break
    is_whole = unread_from == 0 and tokens <= most
    return tokens if is_whole else min(tokens, total * SHARE_OF_MESSAGES // 100)


def fallen_out(
    story: Story,
    unread_from: int | None,
    room: int,
    packs: Sequence[LanguagePack],
    *,
    total: int = 0,
    whole: int = 0,
) -> Unread:
    """What no model has read and what does not fit the room that the newest messages have. total:
    what they and all slots have together where that is bound, whole: what they have in any case.
    """
    if unread_from is None:
        return ALL_READ
    end = _fitting(story, unread_from, len(story.messages), room)
    first, left = end, MOST_NOTED
    while first > unread_from and left > 0 and end - first < MOST_MESSAGES_NOTED:
        first -= 1
        left -= _tokens(story, first)
    if first == end:
        return ALL_READ
    pushed = max(first, min(end, _fitting(story, unread_from, len(story.messages), total)))
    text = " ".join(message.text[:LONGEST_READ] for message in story.messages[max(0, end - 20) :])
    spoken = Wording.of_story(packs, text).packs
    little, numbers = _little_and_numbers(tuple(spoken))
    return Unread(first, end, pushed, little, numbers, is_brief=whole < BRIEF_BELOW)


def _fitting(story: Story, unread_from: int, end: int, room: int) -> int:
    """Index of the first of the newest messages that fit a room."""
    while end > unread_from and room >= (tokens := _tokens(story, end - 1)):
        room -= tokens
        end -= 1
    return end


# Notes are known by these, too: the same set is told from another at once.
@lru_cache(maxsize=8)
def _little_and_numbers(packs: tuple[LanguagePack, ...]) -> tuple[frozenset[str], frozenset[str]]:
    little = little_words(packs)
    return little, frozenset(word for pack in packs for word in pack.classes[NUMBER]) - little


def little_words(packs: Sequence[LanguagePack]) -> frozenset[str]:
    """Very common words, but for those that turn a sentence round."""
    return frozenset(
        word
        for pack in packs
        for word in (*pack.stopwords, *pack.fillers, *pack.articles)
        if NEGATION not in pack.statements.cues_of(word)
    )


def _tokens(story: Story, index: int) -> int:
    if story.messages[index].is_hidden or index >= len(story.message_tokens):
        return 0
    return story.message_tokens[index]
