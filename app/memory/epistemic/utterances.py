"""Who says or thinks what in a message, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences
from app.story.scene_cues.language import tokens_of
from app.story.scene_cues.narration import Voice, split_voices

TAG_WORDS = 5  # behind what is said, among which a name says who said it
FIRST_WORDS = 3  # of a sentence on somebody's mind, among which the name stands
LONGEST = 20_000  # characters read of a message
QUESTION = re.compile(r"[?？؟;]+[\"'”’»)\]*]*\s*$|^\s*¿")


@dataclass(frozen=True, slots=True)
class Utterance:
    """A sentence that somebody says or thinks. speaker: name, "" where it is not clear who.

    is_thought: it is narrated of them. before: what they said right before it.
    """

    speaker: str
    text: str
    message: int
    is_thought: bool = False
    before: str = ""


def utterances_of(
    message: Message, index: int, names: Mapping[str, Collection[str]]
) -> Iterator[Utterance]:
    """What is said and thought in a message, sentence by sentence. names: words of each name.

    What a card says in quotes is its character's, unless the words around name somebody else: a
    narrator's card speaks for many people.
    """
    if message.kind is MessageKind.NOTICE:
        return
    text = message.text[:LONGEST]
    if message.kind is MessageKind.THOUGHT:
        for sentence in split_sentences(text):
            yield Utterance(message.name, sentence, index)
        return
    author = "" if message.kind is MessageKind.NARRATOR else message.name
    for paragraph in _paragraphs(text):
        for place, (voice, words) in enumerate(paragraph):
            if voice is Voice.ASIDE:
                continue
            if voice is Voice.NARRATION:
                if author and not message.is_user:
                    yield from _thoughts(words, author, index, names)
                continue
            speaker = author
            if not message.is_user:
                speaker = _speaker(paragraph, place, author, names)
            before = ""
            for sentence in split_sentences(words):
                yield Utterance(speaker, sentence, index, voice is Voice.THOUGHT, before)
                before = "" if QUESTION.search(sentence) else sentence


def _thoughts(
    told: str, author: str, index: int, names: Mapping[str, Collection[str]]
) -> Iterator[Utterance]:
    """What is narrated of the author's own mind: sentences that begin with the author."""
    for sentence in split_sentences(told):
        if _named(" ".join(sentence.split()[:FIRST_WORDS]), names) == [author]:
            yield Utterance(author, sentence, index, is_thought=True)


def _paragraphs(text: str) -> list[list[tuple[Voice, str]]]:
    paragraphs: list[list[tuple[Voice, str]]] = [[]]
    for span in split_voices(text):
        for number, part in enumerate(span.text.split("\n")):
            if number:
                paragraphs.append([])
            if part.strip():
                paragraphs[-1].append((span.voice, part.strip()))
    return [paragraph for paragraph in paragraphs if paragraph]


def _speaker(
    paragraph: Sequence[tuple[Voice, str]],
    place: int,
    author: str,
    names: Mapping[str, Collection[str]],
) -> str:
    """Who says a piece of a paragraph: whom the tag right behind it names; else the author, if
    nobody else is named in what is told around it; "" when it may be several.
    """
    behind = paragraph[place + 1][1] if place + 1 < len(paragraph) else ""
    tagged = _named(" ".join(behind.split()[:TAG_WORDS]), names)
    if len(tagged) == 1:
        return tagged[0]
    told = " ".join(words for voice, words in paragraph if voice is not Voice.SPEECH)
    others = [name for name in _named(told, names) if name != author]
    if not others:
        return author
    return ""


def _named(text: str, names: Mapping[str, Collection[str]]) -> list[str]:
    words = frozenset(tokens_of(text))
    return [name for name, own in names.items() if not words.isdisjoint(own)]
