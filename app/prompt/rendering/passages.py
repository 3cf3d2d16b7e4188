"""Old passages: what the messages themselves tell of what the last turns touch. Pure.

Memories hold what a model noted; what it did not, only the messages tell. A passage is a few
sentences of one message, with its scene and who was there. It is never of a message that stands in
the prompt itself, nor of one that the responder cannot know, nor does it tell what another line
tells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, islice, zip_longest

import numpy as np

from app.memory.keywords.calling import naming
from app.prompt.choosing.drafts import Draft, Entry
from app.prompt.choosing.framing import one_line
from app.prompt.choosing.presence import scene_around
from app.prompt.occasion import LONGEST_READ, Occasion
from app.prompt.rendering.passage_places import PassagePlaces
from app.prompt.rendering.passage_window import LONGEST, passage_of
from app.prompt.slots import LeftOut, PassageShown, Reason
from app.recall.meanings import Singles, standing_out
from app.recall.messages import Asked, MessageIndex
from app.recall.postings import Floats, best_first
from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences, without_markup
from app.story.scenes import Scene

HEADING = "From earlier, word for word:"
MOST_RANKED, LOOKED_AT = 400, 24  # messages, and of those that may be told
MOST_NAMES = 4
# What a sentence weighs: one of the last message that asks, any other of it, those before it.
ASKS, SAYS, BEFORE = 1.0, 0.5, (0.35, 0.2, 0.2)
# Share of what is asked for, by weight, that a passage has to have, of how many words, and how
# often what the rarest word says; without a question, the share of it that was spoken of is first.
ANSWERS, LEAST_ANSWERING, LEAST_ASKED = 0.45, 2, 0.7
SPOKEN_OF, TOUCHES, LEAST_TOUCHING = 0.25, 1.5, 3
# Cosine, and standard deviations above the others, from which a message answers by its meaning a
# question in another language; in the story's own, where words are surer, only the one that is most
# alike of all. Asked of stories for tuning (bench recall), that adds a tenth to what is found, and
# of another story's questions it calls up one of 547.
MEANS, STANDS_OUT = 0.3, 2.0
MEANS_MOST, STANDS_OUT_MOST = 0.4, 2.5
TOLD = 0.6  # share of a passage's words that a line has to have to tell it already
QUESTION_MARKS = ("?", "？")
NOTHING_MEANT: Singles = np.zeros((0, 0), dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Passage:
    """A few sentences of one message. index: of it. text: as it is shown. terms: of its words.
    words: what it was called up by, as it is spelled there. is_asked: it was asked for.
    """

    index: int
    text: str
    terms: frozenset[str]
    words: tuple[str, ...]
    is_asked: bool

    @property
    def shown(self) -> PassageShown:
        return PassageShown(self.index, self.words, self.is_asked)

    def repeats(self, other: Passage) -> bool:
        """Whether another one beside it, or of the same words elsewhere, tells as much."""
        return abs(other.index - self.index) <= 1 or other.terms == self.terms


@dataclass(frozen=True)
class _Wanted:
    """What the last turns touch. question: terms of what they ask for, () for no question. meant:
    vectors of what they ask, none where nobody keeps any. likeness: to that, of each message.
    is_foreign: it is asked in another language than the story's. before: places before this one are
    of what was said before it.
    """

    asked: Asked
    question: frozenset[str]
    meant: Singles
    likeness: Floats
    is_foreign: bool
    before: int

    def __bool__(self) -> bool:
        return bool(self.asked) or bool(len(self.meant))

    @cached_property
    def standing_out(self) -> Floats | None:
        """By how much each message stands out by its meaning from what was said before, None where
        nobody knows. What asks is so alike to itself that beside it little else stands out.
        """
        return standing_out(self.likeness, self.before) if len(self.meant) else None

    def is_meant(self, place: int) -> bool:
        """Whether a message means what is asked for."""
        out = self.standing_out
        if out is None or place >= len(out):
            return False
        least = (MEANS, STANDS_OUT)
        if not self.is_foreign:
            if place != self._most_alike or len(self.question) < LEAST_ANSWERING:
                return False
            least = (MEANS_MOST, STANDS_OUT_MOST)
        return bool(self.likeness[place] >= least[0]) and bool(out[place] >= least[1])

    @cached_property
    def _most_alike(self) -> int:
        """Which message is most alike of those before."""
        out = self.standing_out
        return int(out[: self.before].argmax()) if out is not None and self.before else -1


def passages(occasion: Occasion) -> tuple[Passage, ...]:
    """What is called up from the messages, best first."""
    index = occasion.index
    if index is None or not occasion.slots.passages_enabled or not occasion.recent:
        return ()
    wanted = _wanted(occasion, index)
    if not wanted:
        return ()
    kept: list[Passage] = []
    most = occasion.slots.passages_shown
    allowed = PassagePlaces(occasion)
    for found in islice(filter(allowed.has, _likeliest(occasion, index, wanted)), LOOKED_AT):
        is_answered = _is_answered(occasion, found) and allowed.has(found + 1)
        passage = _passage(occasion, index, wanted, found + is_answered, found)
        if passage is None or any(passage.repeats(other) for other in kept):
            continue
        kept.append(passage)
        if len(kept) == most:
            break
    return tuple(kept)


def with_passages(
    draft: Draft, found: Sequence[Passage], lines: Iterable[str], occasion: Occasion
) -> Draft:
    """The draft of what is called up with passages among its entries; what is asked for comes
    first. lines: that the prompt tells otherwise.
    """
    if not found:
        return draft
    texts = (*lines, *(entry.text for entry in draft.entries))
    told = [frozenset(occasion.words.of(text)) for text in texts]
    rows: list[Entry] = []
    left_out: list[LeftOut] = []
    group = len(draft.headings)
    for passage in found:
        if any(len(passage.terms & line) >= TOLD * len(passage.terms) for line in told):
            left_out.append(LeftOut(passage.text, Reason.ELSEWHERE))
        else:
            rows.append(Entry(passage.text, (passage.index,), group=group, passage=passage.shown))
    is_asked = any(row.passage is not None and row.passage.is_asked for row in rows)
    first, second = (rows, draft.entries) if is_asked else (draft.entries, rows)
    return replace(
        draft,
        entries=tuple(filter(None, chain.from_iterable(zip_longest(first, second)))),
        headings=(*draft.headings, occasion.headings.of(HEADING)),
        left_out=(*draft.left_out, *left_out),
    )


# --- what is looked for


def _wanted(occasion: Occasion, index: MessageIndex) -> _Wanted:
    words, recent = index.words, occasion.recent
    texts = list(zip(reversed(recent[:-1]), BEFORE, strict=False))
    texts += ((sentence, SAYS) for sentence in _sentences(recent[-1]))
    questions = questions_in(recent)
    names = set(words.of(occasion.responder)) | _speaker_terms(occasion, index)
    question = {term for sentence in questions for term in words.asked(sentence)} - names
    about: tuple[str, ...] = ()
    if sum(map(index.rarity, question)) < LEAST_ASKED * index.rarest:  # "What was it he said?"
        about = _before(index, recent, questions, names)
    texts += ((sentence, ASKS) for sentence in (*about, *questions))
    asked = naming(words, Asked.of(words, texts), occasion.told.entities)
    meant = NOTHING_MEANT if occasion.meant is None else occasion.meant.asked(questions)
    likeness = np.zeros(0)
    if occasion.meant is not None and len(meant):
        likeness = occasion.meant.meanings.likeness(meant)
    is_foreign = words.is_foreign(" ".join(questions))
    # The last reply may be about to be replaced.
    before = max(0, len(occasion.story.messages) - len(recent) - 1)
    return _Wanted(asked, frozenset(question), meant, likeness, is_foreign, before)


def questions_in(recent: Sequence[str]) -> tuple[str, ...]:
    """What the newest texts ask, the last one last: the last of them that asks anything.

    In a group the second to answer has the first one's answer before them, and the same question.
    """
    return next(filter(None, map(_questions, reversed(recent[-2:]))), ())


def _before(
    index: MessageIndex, recent: Sequence[str], questions: Sequence[str], names: Collection[str]
) -> tuple[str, ...]:
    """The sentence that a question which says little goes on from: the last that says anything."""
    for text in reversed(recent[-2:]):
        sentences = _sentences(text)
        if questions and questions[0] in sentences:
            before = reversed(sentences[: sentences.index(questions[0])])
            told = (s for s in before if not set(index.words.asked(s)) <= set(names))
            return tuple(islice(told, 1))
    return ()


def _speaker_terms(occasion: Occasion, index: MessageIndex) -> set[str]:
    """Whoever is spoken to is named, and nothing is asked of them by that."""
    speakers = {message.name for message in occasion.last_messages}
    return {term for name in speakers for term in index.words.of(name)}


# --- the best of it


def _likeliest(occasion: Occasion, index: MessageIndex, wanted: _Wanted) -> Iterator[int]:
    """Messages that hold something of it, the likeliest first."""
    scores = index.scores(wanted.asked, wanted.standing_out)
    scores = scores[: len(occasion.story.messages)]
    for place in best_first(scores, MOST_RANKED).tolist():
        held, told = index.messages[place], occasion.story.messages[place]
        # The index may be of the story a message later.
        if (held.anchor, held.content_hash) == (told.anchor, told.content_hash):
            yield place


def _passage(
    occasion: Occasion, index: MessageIndex, wanted: _Wanted, place: int, found: int
) -> Passage | None:
    """The passage of a message, None where it does not touch what is looked for enough. found: what
    it answers, where that was found; else the message itself.
    """
    messages = occasion.story.messages
    is_meant = wanted.is_meant(found) or wanted.is_meant(place)
    parts = _parts(occasion, index, wanted, place)
    terms = _terms(parts, index)
    answers = _answers(terms, wanted, index)
    if is_meant and not answers:
        parts = _parts(occasion, index, wanted, place, by_meaning=True)
        terms = _terms(parts, index)
    if not answers and not is_meant and not _touches(terms, wanted, index):
        return None
    shared = terms & wanted.asked.terms.keys()
    names = [message.name for message in messages[place + 1 - len(parts) : place + 1]]
    told = " ".join(f"{name}: {part}" for name, part in zip(names, parts, strict=True))
    text = one_line(f"- [{_head(occasion, place)}] {told}")
    telling = sorted(shared, key=lambda t: -wanted.asked.terms[t] * index.rarity(t))
    spelled = _spelled(told, telling[:3], index)
    return Passage(place, text, terms, spelled, is_asked=answers or is_meant)


def _parts(
    occasion: Occasion,
    index: MessageIndex,
    wanted: _Wanted,
    place: int,
    *,
    by_meaning: bool = False,
) -> list[str]:
    """What a passage tells of a message, behind the question that it answers. by_meaning: around
    the sentence that means what is asked for.
    """
    message, terms = occasion.story.messages[place], wanted.asked.terms
    likest = None
    if by_meaning and occasion.meant is not None:
        likest = occasion.meant.meanings.best_sentence(message, wanted.meant)
    parts = [_window(message, index, terms, likest)]
    before = occasion.story.messages[place - 1] if place else None
    if before is not None and _is_answer(before, message) and not before.is_hidden:
        parts.insert(0, _window(before, index, terms))
    return parts


def _terms(parts: Iterable[str], index: MessageIndex) -> frozenset[str]:
    return frozenset(term for part in parts for term in index.words.of(part))


def _answers(terms: frozenset[str], wanted: _Wanted, index: MessageIndex) -> bool:
    whole = sum(map(index.rarity, wanted.question))
    shared = terms & wanted.question
    if not whole or len(shared) < min(LEAST_ANSWERING, len(wanted.question)):
        return False
    weight = sum(map(index.rarity, shared))
    return weight >= max(ANSWERS * whole, LEAST_ASKED * index.rarest)


def _touches(terms: frozenset[str], wanted: _Wanted, index: MessageIndex) -> bool:
    shared = terms & wanted.asked.terms.keys()
    weight = sum(wanted.asked.terms[term] * index.rarity(term) for term in shared)
    return (
        len(shared) >= LEAST_TOUCHING
        and weight >= TOUCHES * index.rarest
        and weight >= SPOKEN_OF * sum(map(index.rarity, terms))
    )


def _is_answer(before: Message, message: Message) -> bool:
    """Whether a short message answers a short question."""
    return (
        before.name != message.name
        and any(mark in before.text for mark in QUESTION_MARKS)
        and len(before.text) + len(message.text) <= LONGEST
    )


def _is_answered(occasion: Occasion, place: int) -> bool:
    after = occasion.story.messages[place : place + 2]
    return len(after) == 2 and _is_answer(*after)


def _questions(text: str) -> tuple[str, ...]:
    return tuple(s for s in _sentences(text) if any(mark in s for mark in QUESTION_MARKS))


@lru_cache(maxsize=600)
def _sentences(text: str) -> tuple[str, ...]:
    return tuple(split_sentences(without_markup(text[:LONGEST_READ])))


def _window(
    message: Message, index: MessageIndex, asked: Mapping[str, float], likest: int | None = None
) -> str:
    """What of a message tells most of what is looked for. likest: the sentence that means it."""

    def worth(text: str) -> dict[str, float]:
        shared = set(index.words.of(text)) & asked.keys()
        return {term: asked[term] * index.rarity(term) for term in shared}

    return passage_of(message.text, worth, likest)


def _head(occasion: Occasion, place: int) -> str:
    """The scene of a message and who spoke in it."""
    story = occasion.story
    scene: Scene | None = story.scene_at(place)
    name = story.scene_name(scene) if scene is not None else ""
    if scene is not None and not name:
        name = occasion.scene_number(scene)
    around = scene_around(story, place)
    names = dict.fromkeys(
        message.name
        for message in story.messages[around.start : around.stop]
        if message.kind is MessageKind.CHAT
    )
    there = ", ".join(list(names)[:MOST_NAMES])
    return "; ".join(filter(None, (name, there)))


def _spelled(text: str, terms: Sequence[str], index: MessageIndex) -> tuple[str, ...]:
    """Words of a text by their terms, as they are spelled in it."""
    found: dict[str, str] = {}
    for word in text.split():
        for term in index.words.of(word):
            if term in terms:
                found.setdefault(term, word.strip(".,;:!?…\"'“”„‘’«»()[]*_"))
    return tuple(dict.fromkeys(found[term] for term in terms if term in found))
