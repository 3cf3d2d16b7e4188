"""What one message shows by itself: how it opens, how it closes, which words it uses."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Container, Sequence
from itertools import pairwise

import msgspec

from app.story.messages import Message, MessageKind
from app.story.scene_cues.headers import Header, split_header
from app.story.scene_cues.language import (
    Hit,
    LanguagePack,
    count_ideographs,
    tokens_of,
)
from app.story.scene_cues.narration import WINDOW, Span, Voice, speaks_unquoted, split_voices
from app.story.scene_cues.phrasing import NOTHING_LEARNED, PHRASINGS, head_of, tail_of
from app.story.scene_cues.quotations import mark_quotations
from app.story.scene_cues.wording import log_number, names_within, split_title

_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\s*]+|(?<=[。！？])|\n+")
_RULE = re.compile(r"^[ \t]*(?:[*\-_=~#•·◇◆⁂❖—–+][ \t]*){3,60}$", re.MULTILINE)
RECENT = 16  # messages that tell the language and the speakers' names
_SAMPLE = 60  # words of a message that are looked at for it
_TELLING = 8  # words that tell a message's own language
_LEAST_SHARE = 0.15  # common words among them that a pack must know
_OPENING = 600  # characters of narration that are searched for an opening
_CLOSING = 300  # and for a closing
_LAST_WORDS = 120  # characters of what is said last
_OPENING_SENTENCES = 3
_CLOSING_SENTENCES = 2
_WORDY = re.compile(r"[^\W_]")
_WORD = re.compile(r"\w+")
_PARAGRAPHS = 12  # of a message that are searched for a leap in time
_QUOTED = re.compile(r"\s*\**\s*[\"“”„«»「『‘—–-]")
STEM = 6  # letters of a word that tell it from others, whatever its ending

_AFTER_COLON = " \n*_—–-⁠"

# A leap in time that is remembered, usual, planned or only a moment long is none.
VETO = frozenset({"past", "habit", "future", "soon"})


# Made for each message, and never part of a circle: the collector need not look at them.
class Sentence(msgspec.Struct, frozen=True, gc=False):
    """A narrated sentence: its words and the phrases found in them."""

    text: str
    tokens: tuple[str, ...]
    cues: frozenset[str]
    hits: tuple[Hit, ...] = ()


class Reading(msgspec.Struct, frozen=True, gc=False):
    """One message, read.

    language: code of the pack that it was read with, "" for none.
    opening, closing: the first and last narrated sentences. last_words: cues in what is said
    last. aside: cues in what is said out of character. lead: characters of narration before the
    first speech. rule_at, turn_at: where a separator or a paragraph with a leap in time stands,
    0 to 1 of the text, -1 for none. stems: of all words; head_stems: of the opening, in order.
    sites: stems of the kinds of places that its first sentences name; names: of what they write
    with a capital within. told: share of the text that is narrated. cast: stems of the names in
    all of it. log: number of the entry of a log that it is. ends_open: it ends with a colon.
    first_paragraph: characters of it. is_starred: something stands between asterisks. title: the
    line that it stands under. head, tail: what is looked at of its text for phrases.
    """

    speaker: str
    language: str
    size: int
    is_narrator: bool
    header: Header | None
    opening: tuple[Sentence, ...]
    closing: tuple[Sentence, ...]
    last_words: frozenset[str]
    aside: frozenset[str]
    is_aside: bool
    starts_with_speech: bool
    ends_with_question: bool
    ends_told: bool
    first_is_name: bool
    lead: int
    rule_at: float
    turn_at: float
    stems: frozenset[str]
    head_stems: tuple[tuple[str, ...], ...]
    sites: frozenset[str]
    names: frozenset[str]
    told: float
    spans: tuple[Span, ...]
    cast: frozenset[str] = frozenset()
    log: int | None = None
    ends_open: bool = False
    is_starred: bool = False
    first_paragraph: int = 0
    title: str = ""
    head: str = ""
    tail: str = ""

    # Only asked where it counts, since it takes long.
    @property
    def opens(self) -> float:
        """How much it begins like a scene."""
        return PHRASINGS.get(self.language, NOTHING_LEARNED).opens(self.head)

    @property
    def closes(self) -> float:
        """How much it ends like one."""
        return PHRASINGS.get(self.language, NOTHING_LEARNED).closes(self.tail)


def is_story(message: Message) -> bool:
    """Whether a message belongs to the story; hidden ones do, notices and empty ones do not."""
    return message.kind is not MessageKind.NOTICE and _WORDY.search(message.text) is not None


def ends_of(text: str) -> str:
    """The first and last WINDOW characters: cues live there, and huge texts stay cheap."""
    return text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"


def read_all(messages: Sequence[Message], packs: Sequence[LanguagePack]) -> list[Reading]:
    """Read messages of one chat, in order.

    A message is read with the pack of the language that was written most around it, with none
    when the words fit no pack. What one reading says depends on at most RECENT messages before.
    """
    reader = Reader(CommonWords(packs))
    return [reader.read(message) for message in messages]


class Reader:
    """Reads the messages of one chat one after the other."""

    def __init__(self, words: CommonWords) -> None:
        self._words = words
        self._recent = _Recent(words)

    def read(self, message: Message) -> Reading:
        """The next message; see `read_all`."""
        recent, known = self._recent, self._words
        header, text = split_header(ends_of(message.text), known.header_keys)
        title, text = split_title(text, recent.names)
        text = mark_quotations(text)
        words = tokens_of(text)
        recent.add(message.name, words)
        spans = split_voices(text, plain=recent.plain_voice)
        recent.add_style(text, spans)
        return _read(
            message, header, title, text, spans, words, recent.pack, known.stopwords, recent.names
        )


class CommonWords:
    """What packs know of words. numbers: of the packs in which a common word is, by the word."""

    def __init__(self, packs: Sequence[LanguagePack]) -> None:
        self.packs = packs
        self.stopwords: frozenset[str] = frozenset().union(*(pack.stopwords for pack in packs))
        self.header_keys = {
            word: field for pack in packs for word, field in pack.header_keys.items()
        }
        self.numbers: dict[str, list[int]] = {}
        for number, pack in enumerate(packs):
            for word in pack.stopwords:
                self.numbers.setdefault(word, []).append(number)


class _Recent:
    """Language, style and speakers of the last RECENT messages."""

    def __init__(self, words: CommonWords) -> None:
        self._packs = packs = words.packs
        self._packs_of = words.numbers
        # Sample size, then each pack's words; of each message, and summed up.
        self._counts: deque[list[int]] = deque()
        self._sums = [0] * (len(packs) + 1)
        self._speakers: deque[str] = deque(maxlen=RECENT)
        self.names: frozenset[str] = frozenset()  # casefolded words of the speakers' names
        self._unquoted: deque[bool] = deque(maxlen=RECENT)

    def add(self, name: str, words: Sequence[str]) -> None:
        sample = words[:_SAMPLE]
        new = [len(sample), *[0] * len(self._packs)]
        for word in sample:
            if word in self._packs_of:
                for number in self._packs_of[word]:
                    new[number + 1] += 1
        old = self._counts.popleft() if len(self._counts) == RECENT else [0] * len(new)
        self._counts.append(new)
        self._sums = [s + n - o for s, n, o in zip(self._sums, new, old, strict=True)]
        before = set(self._speakers)
        self._speakers.append(name)
        speakers = set(self._speakers)
        if speakers != before:
            self.names = frozenset(word for each in speakers for word in tokens_of(each))

    def add_style(self, text: str, spans: Sequence[Span]) -> None:
        if "*" in text:
            self._unquoted.append(speaks_unquoted(text, spans))

    @property
    def pack(self) -> LanguagePack | None:
        """The pack of the newest message, None when its words fit no pack.

        Short and mixed messages are taken for the language that is written most around them.
        """
        newest = self._counts[-1]
        size, *counts = self._sums
        if newest[0] >= _TELLING and max(newest[1:], default=0) >= 2 * _LEAST_SHARE * newest[0]:
            size, *counts = newest
        if not counts or max(counts) < _LEAST_SHARE * size:
            return None
        return self._packs[counts.index(max(counts))]

    @property
    def plain_voice(self) -> Voice:
        """What a message without any mark is."""
        count = sum(self._unquoted)
        is_speech = count > 1 and 2 * count >= len(self._unquoted)
        return Voice.SPEECH if is_speech else Voice.NARRATION


# 9 parameters: what is known of a message before it is read.
def _read(
    message: Message,
    header: Header | None,
    title: str,
    text: str,
    spans: tuple[Span, ...],
    words: Sequence[str],
    pack: LanguagePack | None,
    stopwords: Container[str],
    names: Container[str],
) -> Reading:
    rule = _separator(text)
    ideographs = count_ideographs(text)
    paired = 4 * ideographs > len(text)
    told = [span for span in spans if span.voice is not Voice.ASIDE]
    opening, closing = _ends(spans, pack)
    last_speech = next((s.text for s in reversed(told) if s.voice is Voice.SPEECH), "")[
        -_LAST_WORDS:
    ]
    aside = " ".join(span.text for span in spans if span.voice is Voice.ASIDE)
    return Reading(
        speaker=message.name,
        language=pack.code if pack else "",
        size=len(text) + ideographs,
        is_narrator=message.kind is MessageKind.NARRATOR,
        header=header,
        opening=tuple(opening),
        closing=tuple(closing),
        last_words=_cues(tokens_of(last_speech), pack),
        aside=_cues(tokens_of(aside), pack),
        is_aside=bool(aside) and not told,
        starts_with_speech=bool(told) and told[0].voice is Voice.SPEECH,
        ends_with_question=bool(told)
        and told[-1].voice is Voice.SPEECH
        and told[-1].text.rstrip().endswith(("?", "？")),
        ends_told=bool(told) and told[-1].voice is Voice.NARRATION,
        first_is_name=bool(opening) and opening[0].tokens[0] in names,
        lead=_lead(told),
        rule_at=rule / len(text) if rule >= 0 else -1.0,
        turn_at=_turn(text, pack),
        stems=frozenset(_stems(words, stopwords, paired=paired)),
        head_stems=tuple(tuple(_stems(s.tokens, stopwords, paired=paired)) for s in opening),
        sites=_sites(opening[:2], pack, paired=paired),
        names=frozenset() if pack and pack.capital_nouns else _names(opening),
        told=_share_told(spans),
        spans=spans,
        cast=frozenset() if pack and pack.capital_nouns else names_within(text),
        log=log_number(text, pack.logs) if pack else None,
        ends_open=text.rstrip(_AFTER_COLON).endswith((":", "：")),
        is_starred=text.count("*") > 1,
        first_paragraph=text.strip().find("\n") % (len(text) + 1),
        title=title,
        head=head_of(text),
        tail=tail_of(text),
    )


def _ends(
    spans: Sequence[Span], pack: LanguagePack | None
) -> tuple[list[Sentence], list[Sentence]]:
    """The first and the last narrated sentences."""
    first = _parts(_narrated(spans, _OPENING, from_end=False))[:_OPENING_SENTENCES]
    last = _parts(_narrated(spans, _CLOSING, from_end=True))[-_CLOSING_SENTENCES:]
    # In a short message the first are the last, too.
    read = {part: _sentence(part, pack) for part in dict.fromkeys((*first, *last))}
    return [read[part] for part in first], [read[part] for part in last]


def _separator(text: str) -> int:
    """Where a separator stands, -1 for none; two with a text between them quote a document."""
    rules = list(_RULE.finditer(text))
    if not rules:
        return -1
    if len(rules) == 2:
        first, last = rules
        around = text[: first.start()] + text[last.end() :]
        if _WORDY.search(text[first.end() : last.start()]) and _WORDY.search(around):
            return -1
    return rules[0].start()


def _sites(
    sentences: Sequence[Sentence], pack: LanguagePack | None, *, paired: bool
) -> frozenset[str]:
    if pack is None:
        return frozenset()
    kinds = pack.place_kinds
    if paired:  # a kind of place is the last sign of a word
        pairs = (pair for s in sentences for pair in pairwise(s.tokens))
        return frozenset(one + two for one, two in pairs if two in kinds and len(one) == 1)
    return frozenset(t[:STEM] for s in sentences for t in s.tokens if t in kinds)


def _names(sentences: Sequence[Sentence]) -> frozenset[str]:
    """Stems of the words with a capital, but for those that open a sentence or are all capitals."""
    return frozenset(
        word.casefold()[:STEM]
        for sentence in sentences
        if not sentence.text[1:].islower()
        for word in _WORD.findall(sentence.text)[1:]
        if len(word) > 2 and word[0].isupper() and not word.isupper()
    )


def _share_told(spans: Sequence[Span]) -> float:
    size = sum(len(span.text) for span in spans)
    narrated = sum(len(span.text) for span in spans if span.voice is Voice.NARRATION)
    return narrated / size if size else 0.0


def _lead(told: Sequence[Span]) -> int:
    lead = 0
    for span in told:
        if span.voice is Voice.SPEECH:
            break
        lead += len(span.text) + count_ideographs(span.text)
    return lead


def _turn(text: str, pack: LanguagePack | None) -> float:
    """Where a paragraph after the first opens with a leap in time."""
    at = text.find("\n")
    for _ in range(_PARAGRAPHS):
        if pack is None or at < 0:
            break
        begin, at = at + 1, text.find("\n", at + 1)
        line = text[begin : begin + 80]
        if not line.strip() or _QUOTED.match(line):
            continue
        hits = pack.find(tokens_of(line)[:10])
        if any(hit.cue == "jump" and hit.start <= 1 for hit in hits) and not any(
            hit.cue in VETO for hit in hits
        ):
            return begin / len(text)
    return -1.0


def _narrated(spans: Sequence[Span], limit: int, *, from_end: bool) -> str:
    parts: list[str] = []
    size = 0
    for span in reversed(spans) if from_end else spans:
        if span.voice is Voice.NARRATION:
            parts.append(span.text[-limit:] if from_end else span.text[:limit])
            size += len(span.text)
            if size >= limit:
                break
    return "\n".join(reversed(parts) if from_end else parts)


def _parts(text: str) -> list[str]:
    return [part for part in _SENTENCE.split(text) if part and _WORDY.search(part)]


def _sentence(text: str, pack: LanguagePack | None) -> Sentence:
    tokens = tokens_of(text)
    hits = tuple(pack.find(tokens)) if pack else ()
    return Sentence(text.strip(), tuple(tokens), frozenset(hit.cue for hit in hits), hits)


def _cues(tokens: Sequence[str], pack: LanguagePack | None) -> frozenset[str]:
    return frozenset(hit.cue for hit in pack.find(tokens)) if pack and tokens else frozenset()


def _stems(words: Sequence[str], stopwords: Container[str], *, paired: bool) -> list[str]:
    """Words without their endings; paired: single characters by twos."""
    stems = [word[:STEM] for word in words if len(word) > 2 and word not in stopwords]
    if paired:
        stems += [one + two for one, two in pairwise(words) if len(one) == len(two) == 1]
    return stems
