"""What one message shows by itself: how it opens, how it closes, which words it uses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from app.story.messages import Message, MessageKind
from app.story.scene_cues.language import Hit, LanguagePack, tokens_of
from app.story.scene_cues.narration import WINDOW, Span, Voice, split_voices

_SENTENCE = re.compile(r"(?<=[.!?…。！？:;])[\s*]+|(?<=[。！？])|\n+")
_RULE = re.compile(r"^[ \t]*(?:[*\-_=~#•·◇◆⁂❖—–+oO][ \t]*){3,60}$", re.MULTILINE)
_LEAD = 420  # characters of narration that count as the opening
_CLOSE = 300  # and as the closing
_SENTENCES = 3
_STEM = 6


@dataclass(frozen=True, slots=True)
class Sentence:
    """A narrated sentence: its words and the phrases found in them."""

    text: str
    tokens: tuple[str, ...]
    cues: frozenset[str]
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """One message, read. See the fields of `read`."""

    opening: tuple[Sentence, ...]
    closing: tuple[Sentence, ...]
    last_words: frozenset[str]  # cues in what is said last
    aside: frozenset[str]  # cues in what is said out of character
    starts_with_speech: bool
    ends_with_question: bool
    lead: int  # characters of narration before the first speech
    rule_at: float  # where a separator stands, 0 to 1 of the text; -1 for none
    stems: frozenset[str]
    head_stems: tuple[str, ...]
    is_aside: bool  # nothing but out of character
    has_narration: bool = field(default=False)


def read(message: Message, pack: LanguagePack | None, stopwords: frozenset[str]) -> Reading:
    """Read the first and last WINDOW characters of a message."""
    text = message.text
    head = text[:WINDOW]
    spans = split_voices(head)
    tail_spans = spans
    if len(text) > WINDOW:
        tail = text[-WINDOW:] if len(text) > 2 * WINDOW else text[WINDOW:]
        tail_spans = split_voices(tail) or spans
    told = [span for span in spans if span.voice is not Voice.ASIDE]
    lead = 0
    for span in told:
        if span.voice is Voice.SPEECH:
            break
        lead += len(span.text)
    opening = _sentences(_narrated(spans, _LEAD, from_end=False), pack)[:_SENTENCES]
    closing = _sentences(_narrated(tail_spans, _CLOSE, from_end=True), pack)[-_SENTENCES:]
    ends = [span for span in tail_spans if span.voice is not Voice.ASIDE]
    last_speech = next((s.text for s in reversed(ends) if s.voice is Voice.SPEECH), "")[-200:]
    aside = " ".join(span.text for span in spans if span.voice is Voice.ASIDE)
    words = tokens_of(head if tail_spans is spans else f"{head} {text[-WINDOW:]}")
    rules = list(_RULE.finditer(head)) or []
    rule_at = rules[0].start() / max(1, len(text)) if rules else -1.0
    return Reading(
        opening=tuple(opening),
        closing=tuple(closing),
        last_words=_cues(tokens_of(last_speech), pack),
        aside=_cues(tokens_of(aside), pack),
        starts_with_speech=bool(told) and told[0].voice is Voice.SPEECH,
        ends_with_question=bool(ends)
        and ends[-1].voice is Voice.SPEECH
        and ends[-1].text.rstrip().endswith(("?", "？")),
        lead=lead,
        rule_at=rule_at,
        stems=frozenset(_stems(words, stopwords)),
        head_stems=tuple(_stems(tokens_of(" ".join(s.text for s in opening)), stopwords)),
        is_aside=bool(aside) and not told,
        has_narration=any(s.voice is Voice.NARRATION for s in told),
    )


def is_story(message: Message) -> bool:
    """Whether a message belongs to the story; hidden ones do, notices and empty ones do not."""
    return message.kind is not MessageKind.NOTICE and bool(message.text.strip())


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


def _stems(words: Sequence[str], stopwords: frozenset[str]) -> list[str]:
    return [w[:_STEM] for w in words if len(w) > 2 and w not in stopwords]
