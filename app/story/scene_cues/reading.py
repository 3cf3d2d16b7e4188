"""What one message shows by itself: how it opens, how it closes, which words it uses."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from app.story.messages import Message, MessageKind
from app.story.scene_cues.headers import Header, split_header
from app.story.scene_cues.language import Hit, LanguagePack, tokens_of
from app.story.scene_cues.narration import WINDOW, Span, Voice, split_voices

_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\s*]+|(?<=[。！？])|\n+")
_RULE = re.compile(r"^[ \t]*(?:[*\-_=~#•·◇◆⁂❖—–+oO][ \t]*){3,60}$", re.MULTILINE)
_OPENING = 600  # characters of narration that are searched for an opening
_CLOSING = 300  # and for a closing
_SENTENCES = 5
_PARAGRAPHS = 12  # of a message that are searched for a leap in time
_QUOTED = re.compile(r"\s*\**\s*[\"“”„«»「『‘—–-]")
_STEM = 6

# A leap in time that is remembered, usual, planned or only a moment long is none.
VETO = frozenset({"past", "habit", "future", "soon"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A narrated sentence: its words and the phrases found in them."""

    text: str
    tokens: tuple[str, ...]
    cues: frozenset[str]
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read.

    opening, closing: the first and last narrated sentences. last_words: cues in what is said
    last. aside: cues in what is said out of character. lead: characters of narration before the
    first speech. rule_at, turn_at: where a separator or a paragraph with a leap in time stands,
    0 to 1 of the text, -1 for none. stems: of all words; head_stems: of the opening, in order.
    """

    speaker: str
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


def is_story(message: Message) -> bool:
    """Whether a message belongs to the story; hidden ones do, notices and empty ones do not."""
    return message.kind is not MessageKind.NOTICE and bool(message.text.strip())


def ends_of(text: str) -> str:
    """The first and last WINDOW characters of a text: cues live there, and huge texts stay cheap."""
    return text if len(text) <= 2 * WINDOW else f"{text[:WINDOW]}\n{text[-WINDOW:]}"


def read(
    message: Message,
    pack: LanguagePack | None,
    *,
    stopwords: Container[str],
    names: Container[str],
    header_keys: Mapping[str, str],
) -> Reading:
    """Read a message. names: casefolded words that were used as names before."""
    header, text = split_header(ends_of(message.text), header_keys)
    rule = _RULE.search(text)
    spans = split_voices(text)
    told = [span for span in spans if span.voice is not Voice.ASIDE]
    opening = _sentences(_narrated(spans, _OPENING, from_end=False), pack)[:_SENTENCES]
    closing = _sentences(_narrated(spans, _CLOSING, from_end=True), pack)[-_SENTENCES:]
    last_speech = next((s.text for s in reversed(told) if s.voice is Voice.SPEECH), "")[-200:]
    aside = " ".join(span.text for span in spans if span.voice is Voice.ASIDE)
    return Reading(
        speaker=message.name,
        size=len(text),
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
        rule_at=rule.start() / len(text) if rule else -1.0,
        turn_at=_turn(text, pack),
        stems=frozenset(_stems(tokens_of(text), stopwords)),
        head_stems=tuple(tuple(_stems(s.tokens, stopwords)) for s in opening),
    )


def _lead(told: Sequence[Span]) -> int:
    lead = 0
    for span in told:
        if span.voice is Voice.SPEECH:
            break
        lead += len(span.text)
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


def _sentences(text: str, pack: LanguagePack | None) -> list[Sentence]:
    sentences = []
    for part in _SENTENCE.split(text):
        if part and (tokens := tokens_of(part)):
            hits = tuple(pack.find(tokens)) if pack else ()
            cues = frozenset(hit.cue for hit in hits)
            sentences.append(Sentence(part.strip(), tuple(tokens), cues, hits))
    return sentences


def _cues(tokens: Sequence[str], pack: LanguagePack | None) -> frozenset[str]:
    return frozenset(hit.cue for hit in pack.find(tokens)) if pack and tokens else frozenset()


def _stems(words: Sequence[str], stopwords: Container[str]) -> list[str]:
    return [w[:_STEM] for w in words if len(w) > 2 and w not in stopwords]
