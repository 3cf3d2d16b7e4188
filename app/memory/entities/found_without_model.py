"""What a story gives away without a model: who is there, where and when scenes are, what is said.

Everything is in the story's own words and cites its message; few things and sure ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.memory.entities.found_names import found_names
from app.memory.entities.name_finder import NameFinder
from app.memory.entities.registry import Seen, resolved_claims
from app.memory.names import name_in
from app.memory.reading.extraction import Work, proposed
from app.memory.reading.windows import Window
from app.memory.records import (
    Ending,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    MemoryChange,
    Remembered,
    Review,
    Tier,
)
from app.memory.tiers.claims import Claim, Mention, ReadAnswer
from app.story.messages import MessageKind
from app.story.recap_texts.sentences import Sentence, marks_of, sentences_of
from app.story.recap_texts.terms import WORD, term_table
from app.story.recaps import BUILT_IN
from app.story.scene_cues.language import LanguagePack
from app.story.scene_cues.reading import VETO, Reading, read_all
from app.story.scene_cues.reading import Sentence as ToldSentence

MESSAGES_PER_QUOTE = 10
QUOTE_WORDS = (5, 32)
LONGEST_MARK = 240  # characters of a sentence that is kept
OPENING_SENTENCES = 2
STANDS_OUT = 1.25  # of the mean weight, from where on a quote is worth keeping


@dataclass(frozen=True, slots=True)
class Found:
    """What was found in a window. answer: claims of the session tier, as a model would
    give them. names: with where they are.
    """

    answer: ReadAnswer
    names: tuple[Seen, ...]


def found(
    window: Window, packs: Sequence[LanguagePack], openings: Collection[str], known: Iterable[str]
) -> Found:
    """Look through the new messages of a window.

    openings: anchors of messages that open a scene. known: names that the story has already.
    """
    messages = window.messages
    readings = read_all(messages, packs)
    languages = {pack.code: pack for pack in packs}
    in_force = [languages.get(reading.language) for reading in readings]
    texts = [message.text for message in messages]
    names = list(_speaking(window))
    mentions = found_names(texts, in_force)
    surnames = _surnames((*known, *window.speakers, *(mention.name for mention, _ in mentions)))
    names += [
        Seen(mention, kept)
        for mention, numbers in mentions
        if mention.name.casefold() not in surnames
        and (kept := tuple(n for n in numbers if n >= window.new_from))
    ]
    called = dict.fromkeys((*known, *(seen.mention.name for seen in names)))
    finder = NameFinder((name, name) for name in called)
    claims = [
        *_marks(window, readings, openings, finder),
        *_quotes(window, finder),
    ]
    claims.sort(key=lambda claim: claim.sources)
    return Found(ReadAnswer(tuple(claims), is_none=not claims), tuple(names))


# 8 parameters: what finding without a model goes by, the rest by name.
def found_change(
    window: Window,
    remembered: Remembered,
    roster: Sequence[str],
    work: Work,
    *,
    packs: Sequence[LanguagePack],
    openings: Collection[str],
    places: Mapping[str, int],
    is_session: bool = True,
) -> MemoryChange:
    """What is found in the new messages of a window, as memories and names.

    openings, places: see `found` and `resolved_claims`. is_session: memories of the session are
    wanted; else only names are kept. What is remembered in the same words is not kept twice.
    """
    known = [*roster, *(entity.name for entity in remembered.entities)]
    looked = found(window, packs, openings, known)
    titles = frozenset[str]().union(*(pack.titles for pack in packs))
    resolved = resolved_claims(
        looked.answer,
        remembered.entities,
        roster,
        window,
        work,
        titles=titles,
        places=places,
        found=looked.names,
    )
    if not is_session:
        return MemoryChange(entities=resolved.entities)
    told = {(m.text, m.sources) for m in remembered.of(Tier.SESSION)}
    new = (m for m in proposed(resolved.answer, window, work) if m.review is not Review.WAITING)
    return MemoryChange(tuple(m for m in new if (m.text, m.sources) not in told), resolved.entities)


def read_better(memories: Iterable[Memory], window: Window) -> tuple[Memory, ...]:
    """What was found without a model in messages that one has read now: it gives way.

    What the user pinned or wrote anew stays.
    """
    read = {message.anchor for message in window.new}
    newest = window.sources([len(window.messages)]) or ()
    ending = Ending(EndReason.OUTRANKED, sources=newest)
    return tuple(
        replace(memory, endings=(*memory.endings, ending))
        for memory in memories
        if memory.made_by == BUILT_IN
        and not memory.is_pinned
        and memory.grounding is Grounding.DIRECT
        and read.issuperset(source.anchor for source in memory.sources)
    )


def _surnames(names: Iterable[str]) -> frozenset[str]:
    """Last words of longer names: by itself such a word may mean any of a family."""
    return frozenset(words[-1] for name in names if len(words := name.casefold().split()) > 1)


def _speaking(window: Window) -> Iterator[Seen]:
    """Who speaks in the new messages, and in which."""
    spoke: dict[str, list[int]] = {}
    for number, message in enumerate(window.messages, 1):
        name = name_in(message.name) if message.kind is MessageKind.CHAT else ""
        if name and number >= window.new_from:
            spoke.setdefault(name, []).append(number)
    for name, numbers in spoke.items():
        yield Seen(Mention(name, "character"), tuple(numbers))


def _marks(
    window: Window, readings: Sequence[Reading], openings: Collection[str], finder: NameFinder[str]
) -> Iterator[Claim]:
    """Where and when: the status line where it changes, else the sentence that says so."""
    shown = ""
    for number, (message, reading) in enumerate(zip(window.messages, readings, strict=True), 1):
        header = reading.header
        line = " · ".join(filter(None, (header.place_text, header.time_text))) if header else ""
        place = header.place_text if header else ""
        is_new, shown = place != shown and bool(place), place or shown
        if number < window.new_from or reading.is_aside:
            continue
        opens = message.anchor in openings
        if line and (is_new or opens):
            yield _scene(line, number, [Mention(place, "place")] if place else [])
            continue
        for sentence in reading.opening[:OPENING_SENTENCES]:
            if _says_when(sentence, opens=opens) and len(sentence.text) <= LONGEST_MARK:
                yield _scene(sentence.text, number, _named(sentence.text, finder))
                break


def _says_when(sentence: ToldSentence, *, opens: bool) -> bool:
    """A leap in time, or at the opening of a scene its hour; not one that is only talked about."""
    if sentence.cues & VETO or len(sentence.tokens) < 3:
        return False
    wanted = {"jump", "when"} if opens else {"jump"}
    return any(hit.cue in wanted and (opens or hit.start <= 1) for hit in sentence.hits)


def _quotes(window: Window, finder: NameFinder[str]) -> Iterator[Claim]:
    """What is said and stands out by its words, about one in so many messages."""
    marks = marks_of(window.messages)
    spoken = [
        sentence
        for index in range(window.new_from - 1, len(window.messages))
        for sentence in sentences_of(window.messages[index], index, marks)
    ]
    if not spoken:
        return
    table = term_table([s.text for s in spoken], [s.message - spoken[0].message for s in spoken])
    weights = table.sums(table.weights) / (np.diff(table.starts) + 3)
    usual = float(np.mean(weights))
    best: dict[int, tuple[float, Sentence, list[Mention]]] = {}
    for sentence, weight in zip(spoken, weights.tolist(), strict=True):
        if weight < STANDS_OUT * usual or not _is_quotable(sentence):
            continue
        named = _named(sentence.text, finder)
        if not named and not any(map(str.isdigit, sentence.text)):
            continue
        stretch = sentence.message // MESSAGES_PER_QUOTE
        if stretch not in best or weight > best[stretch][0]:
            best[stretch] = (weight, sentence, named)
    for _, sentence, named in best.values():
        yield Claim(
            Tier.SESSION,
            "detail",
            sentence.rendered(),
            importance=1,
            expiration=Expiration.SESSION,
            entities=tuple(dict.fromkeys((Mention(sentence.speaker, "character"), *named))),
            sources=(sentence.message + 1,),
        )


def _is_quotable(sentence: Sentence) -> bool:
    least, most = QUOTE_WORDS
    return (
        sentence.is_speech
        and bool(sentence.speaker)
        and least <= len(WORD.findall(sentence.text)) <= most
        and sentence.text.rstrip().endswith((".", "!", "…", "。", "！"))
    )


def _scene(text: str, number: int, mentions: Iterable[Mention]) -> Claim:
    return Claim(
        Tier.SESSION,
        "scene",
        " ".join(text.split()),
        importance=2,
        expiration=Expiration.SCENE,
        entities=tuple(mentions),
        sources=(number,),
    )


def _named(text: str, finder: NameFinder[str]) -> list[Mention]:
    return [Mention(name) for name in finder.find(text)]
