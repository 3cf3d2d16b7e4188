"""Recaps without a model: the sentences of the story that tell most of it, in their own words.

Sentences are taken one by one, each time the one that adds the most weight of terms not told yet
for its length (a greedy cover). Everything is deterministic.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.story.messages import Message
from app.story.name_ends import name_ended
from app.story.recap_texts.sentences import Sentence, marks_of, sentences_of
from app.story.recap_texts.terms import WORD, Floats, TermTable, is_capital, names_in, term_table

MOST_SENTENCES_READ = 40_000  # of one scene; of more, the beginning and the end
MOST_LINES = 8
MESSAGES_PER_MORE_LINE = 15  # a long scene may have more lines, up to twice as many
TOLD_AGAIN = 0.12  # what a term still adds that was told before
LENGTH_POWER = 0.85
LONGEST_NAME = 48
LONGEST_OPENING = 40  # characters of an opening that serves as a name
SHORTEST_OPENING = 6
CLAUSE_END = re.compile(r"[.!?…。！？、，:;,]|\s[—–]\s|\s-\s")

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Extract:
    """What was taken from a scene. sentences: lines that stand alone, in the story's order."""

    name: str
    sentences: tuple[str, ...]


def extract_scene_recap(
    messages: Sequence[Message], *, tokens: int, count_tokens: CountTokens
) -> Extract:
    """The lines that tell most of a scene within `tokens`, and a name made of its own words.

    Up to eight lines, more for a long scene, at least one. Nothing for a scene without
    words.
    """
    sentences = _read(messages)
    if not sentences:
        return Extract("", ())
    table = term_table([s.text for s in sentences], [s.message for s in sentences])
    merit = _merit(sentences, len(messages))
    most = min(2 * MOST_LINES, MOST_LINES + len(messages) // MESSAGES_PER_MORE_LINE)
    chosen = _cover(sentences, table, merit, tokens, most, count_tokens)
    return Extract(scene_name(sentences, table), tuple(_joined([sentences[i] for i in chosen])))


def extract_message_recap(
    message: Message, context: Sequence[Message], *, tokens: int, count_tokens: CountTokens
) -> str:
    """The one sentence that tells most of a message; "" for one without words.

    context: messages before it, which show what its words are worth.
    """
    read = _read((*context, message))
    own = [i for i, sentence in enumerate(read) if sentence.message == len(context)]
    if not own:
        return ""
    table = term_table([s.text for s in read], [s.message for s in read])
    merit = _merit(read, len(context) + 1)
    value = table.sums(table.weights) * merit / _costs(read) ** LENGTH_POWER
    for index in sorted(own, key=lambda i: (-value[i], i)):
        line = read[index].rendered()
        if count_tokens(line) <= tokens:
            return line
    return _shortened(read[own[0]].rendered(), tokens, count_tokens)


def _read(messages: Sequence[Message]) -> list[Sentence]:
    marks = marks_of(messages)
    sentences = [s for at, message in enumerate(messages) for s in sentences_of(message, at, marks)]
    if len(sentences) > MOST_SENTENCES_READ:
        half = MOST_SENTENCES_READ // 2
        sentences = sentences[:half] + sentences[-half:]
    return sentences


def _merit(sentences: Sequence[Sentence], message_count: int) -> Floats:
    """How much a sentence is worth beyond its terms: by place and form."""
    merit = np.ones(len(sentences))
    for i, sentence in enumerate(sentences):
        words = len(WORD.findall(sentence.text))
        length = len(sentence.text)
        if words < 4 and length < 12:
            merit[i] *= 0.3
        elif words > 40:
            merit[i] *= 0.8
        if sentence.text.rstrip('"”“’»›」』)').endswith(("?", "？", "؟")):
            merit[i] *= 0.55  # a question tells less than its answer
        elif sentence.text.endswith((":", ",", ";")):
            merit[i] *= 0.6  # it goes on somewhere else
        if sentence.message == 0 and i < 3:
            merit[i] *= 1.15  # where and when
        if sentence.message >= message_count - 2:
            merit[i] *= 1.15  # how things stand in the end
    return merit


def _costs(sentences: Sequence[Sentence]) -> Floats:
    """Length in tokens, guessed: only what is taken is counted."""
    return np.array([len(s.text.encode("utf-8", "replace")) / 4 + 4 for s in sentences])


def _cover(
    sentences: Sequence[Sentence],
    table: TermTable,
    merit: Floats,
    tokens: int,
    most: int,
    count_tokens: CountTokens,
) -> list[int]:
    left = table.weights.copy()
    costs = _costs(sentences) ** LENGTH_POWER
    is_open = np.ones(len(sentences), dtype=bool)
    chosen: list[int] = []
    spent = 0
    refusals = 0
    while len(chosen) < most and refusals < 40 and is_open.any():
        value = np.where(is_open, table.sums(left) * merit / costs, -1.0)
        best = int(np.argmax(value))
        is_open[best] = False
        line_tokens = count_tokens(sentences[best].rendered()) + 1
        if spent + line_tokens > tokens:
            refusals += 1
            continue
        chosen.append(best)
        spent += line_tokens
        told = table.of(best)
        left[told] = table.weights[told] * TOLD_AGAIN
    if not chosen:
        chosen = [int(np.argmin(costs))]
    return sorted(chosen)


def _joined(sentences: Sequence[Sentence]) -> list[str]:
    """One line for neighbours of one message and kind: the name need not be said twice."""
    lines: list[str] = []
    group: list[Sentence] = []
    for sentence in sentences:
        if group and (sentence.message, sentence.is_speech) == (
            group[-1].message,
            group[-1].is_speech,
        ):
            group.append(sentence)
            continue
        if group:
            lines.append(_line(group))
        group = [sentence]
    if group:
        lines.append(_line(group))
    return lines


def _line(group: Sequence[Sentence]) -> str:
    return replace(group[0], text=" ".join(s.text for s in group)).rendered()


def _shortened(line: str, tokens: int, count_tokens: CountTokens) -> str:
    words = line.split(" ")
    while len(words) > 1 and count_tokens(" ".join(words) + "…") > tokens:
        words = words[: max(1, len(words) * 3 // 4)]
    shortened = " ".join(words)
    return shortened if shortened == line else shortened.rstrip(",;:") + "…"


def scene_name(sentences: Sequence[Sentence], table: TermTable) -> str:
    """A name of several words that the scene opens with, and the name it speaks of most; else the
    words it opens with, else its most frequent names, else its heaviest words.
    """
    speakers = {part for s in sentences for part in WORD.findall(s.speaker.casefold())}
    texts = [s.text for s in sentences]
    names = names_in(texts)
    phrases = _phrases(texts, names, speakers)
    opening = _phrases([s.text for s in sentences if s.message == 0], names, speakers)
    # A scene mostly opens with its place, which tells it apart better than who is in it.
    place = sorted(opening, key=lambda p: (-len(p.split()), -phrases[p]))[:1]
    first_words = _opening_words(sentences)
    if first_words and not any(" " in phrase for phrase in place):
        return first_words
    order = [*place, *(phrase for phrase, _ in phrases.most_common(12))]
    picked: list[str] = []
    for phrase in order:
        words = set(phrase.casefold().split())
        if not any(words & set(other.casefold().split()) for other in picked):
            picked.append(phrase)
        if len(picked) == 2:
            break
    if not picked:
        heaviest = np.argsort(-table.weights, kind="stable")[:20]
        words_left = (table.vocabulary[i] for i in heaviest)
        picked = [word for word in words_left if word not in speakers][:2]
    name = ", ".join(picked) or texts[0]
    if len(name) > LONGEST_NAME:
        name = name_ended(name[: LONGEST_NAME - 1].rsplit(" ", 1)[0], is_cut=True) + "…"
    return name[:1].upper() + name[1:]


def _opening_words(sentences: Sequence[Sentence]) -> str:
    """The first clause that the narrator tells, "" when it is one word or nobody narrates."""
    told = next((s.text for s in sentences if s.message == 0 and not s.is_speech), "")
    clause = CLAUSE_END.split(told.strip(), maxsplit=1)[0].strip(" \"'*_“”„«»—–-")
    if len(clause) < SHORTEST_OPENING or not clause[0].isalnum() or "|" in clause:
        return ""  # too little, or the status line of a character
    if len(clause) > LONGEST_OPENING:
        spaced = clause[:LONGEST_OPENING].rsplit(" ", 1)
        clause = spaced[0].rstrip(",;") + "…"
    return clause[:1].upper() + clause[1:]


def _phrases(texts: Sequence[str], names: frozenset[str], speakers: set[str]) -> Counter[str]:
    """Runs of up to three names with their counts; a run of several counts more."""
    phrases: Counter[str] = Counter()
    for text in texts:
        run: list[str] = []
        last_end = -1
        for match in WORD.finditer(text):
            word = _bare(match[0])
            folded = word.casefold()
            is_name = is_capital(word) and folded in names and folded not in speakers
            follows = text[last_end : match.start()] == " "
            if run and not (is_name and follows and len(run) < 3):
                phrases[" ".join(run)] += 2 if len(run) > 1 else 1
                run = []
            if is_name:
                run.append(word)
            # "Ann's door": the possessive ends the run, as the gap behind it is no single space.
            last_end = match.end() if word == match[0] else -1
        if run:
            phrases[" ".join(run)] += 2 if len(run) > 1 else 1
    return phrases


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")
