"""What no model has read of a story: it keeps room for it, and notes in few words what of it the
prompt itself does not hold. Pure.

Memory tells what was read, recaps tell scenes that have ended; between them and the messages that
still fit the prompt there is a gap, and without a model it is wide.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from app.memory.names import folded
from app.memory.records import Entity
from app.memory.similarity import words
from app.memory.state_change import Wording
from app.memory.windows import is_told
from app.prompt.drafts import Entry
from app.prompt.framing import one_line
from app.story.messages import Message
from app.story.scene_cues.language import LanguagePack
from app.story.sentences import split_sentences, without_markup
from app.story.story import Story

# Percent of a total that is kept for them at most. Measured with tests/answers: less loses what was
# just said, more loses what memory knows.
SHARE_OF_MESSAGES = 40
SHARE_OF_STORY = 90  # the same for a story of which all fits
LONGEST_READ = 20_000  # characters of one message
MOST_NOTED = 6_000  # tokens of messages; no budget holds the notes of more
MOST_NAMES = 40
ENDS = (".", "?", "!", "…")
NEGATION = "not"  # cue of words that turn a sentence round
_MARKS = re.compile(r"[*_~`\"“”„«»「」『』]+")
# The status line that some characters put above each message: it says the same again and again.
_STATUS = re.compile(r"\A\s*\[[^\[\]\n]{0,200}\|[^\[\]\n]{0,200}\]")
_WORD = re.compile(r"[^\s—–]+")
_EDGES = ".,;:!?…()[]"


@dataclass(frozen=True, slots=True)
class Unread:
    """Messages that no model has read. first, end: indexes of those that the prompt itself does
    not hold. little: words that tell nothing by themselves, in the story's language.
    """

    first: int = 0
    end: int = 0
    little: frozenset[str] = frozenset()

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
    story: Story, unread_from: int | None, room: int, packs: Sequence[LanguagePack]
) -> Unread:
    """What no model has read and what does not fit the room that the newest messages have."""
    if unread_from is None:
        return ALL_READ
    end = len(story.messages)
    while end > unread_from and room >= (tokens := _tokens(story, end - 1)):
        room -= tokens
        end -= 1
    first, left = end, MOST_NOTED
    while first > unread_from and left > 0:
        first -= 1
        left -= _tokens(story, first)
    if first == end:
        return ALL_READ
    text = " ".join(message.text[:LONGEST_READ] for message in story.messages[max(0, end - 20) :])
    return Unread(first, end, little_words(Wording.of_story(packs, text).packs))


def little_words(packs: Sequence[LanguagePack]) -> frozenset[str]:
    """Very common words, but for those that turn a sentence round."""
    return frozenset(
        word
        for pack in packs
        for word in (*pack.stopwords, *pack.articles)
        if NEGATION not in pack.statements.cues_of(word)
    )


def notes_of(story: Story, unread: Unread) -> Iterator[Entry]:
    """What these messages say in few words, the newest message first."""
    for index in range(unread.end - 1, unread.first - 1, -1):
        message = story.messages[index]
        if not is_told(message):
            continue
        head = f"{one_line(message.name)}: " if message.name.strip() else ""
        for place, text in enumerate(_sentences(message)):
            short = one_line(in_few_words(text, unread.little))
            if short:
                yield Entry(short, (1, index, place), row=str(index), head=head)


def names_told(
    entities: Sequence[Entity], visible: Sequence[Message], head: str = "Also in this story: "
) -> Iterator[Entry]:
    """Names of the story that the messages of the prompt do not say."""
    said = words(" ".join(f"{m.name} {m.text[:LONGEST_READ]}" for m in visible))
    names = [
        one_line(entity.name)
        for entity in entities
        if folded(entity.name) and not words(entity.name) <= said
    ]
    if names:
        yield Entry(", ".join(names[:MOST_NAMES]) + ".", (0,), row="names", head=head)


def in_few_words(text: str, little: Collection[str]) -> str:
    """A sentence without words that tell nothing by themselves; names and negations stay."""
    plain = _MARKS.sub(" ", text).rstrip()
    kept = [
        word
        for word in _WORD.findall(plain)
        if (bare := word.strip(_EDGES).casefold().replace("’", "'")) and bare not in little
    ]
    short, end = " ".join(kept), plain[-1:]
    return short + end if short and end in ENDS and not short.endswith(tuple(_EDGES)) else short


def _sentences(message: Message) -> list[str]:
    text = _STATUS.sub("", message.text[:LONGEST_READ])
    return split_sentences(without_markup(text))


def _tokens(story: Story, index: int) -> int:
    if story.messages[index].is_hidden or index >= len(story.message_tokens):
        return 0
    return story.message_tokens[index]
