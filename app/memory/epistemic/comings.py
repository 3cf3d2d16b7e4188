"""Who comes and goes by the story's own words: a name, and right behind it a verb that says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from app.memory.epistemic.presence import HERE, Event
from app.memory.reading.presence_lines import ENTER, LEAVE
from app.story.messages import Message, MessageKind
from app.story.recap_texts.sentences import split_sentences
from app.story.scene_cues.language import Hit, LanguagePack, tokens_of
from app.story.scene_cues.narration import Voice, split_voices

LONGEST = 20_000  # characters read of a message
FIRST_WORDS = 3  # of a sentence, among which the name begins
NEAR = 3  # words between a name and its verb
BEHIND = 4  # words behind a verb, among which the place stands
NEEDS_PLACE = {"leave_place": LEAVE, "enter_place": ENTER}  # "leaves the letter" is no going
SURE = {"leave": LEAVE, "enter": ENTER}


def comings_in(
    message: Message, at: int, names: Mapping[str, Sequence[str]], packs: Sequence[LanguagePack]
) -> Iterator[Event]:
    """Who comes and goes in what a message narrates. names: the words of each person's name.

    Only sentences that begin with the name count; what people say of others is not looked at.
    """
    if message.kind is MessageKind.NOTICE:
        return
    for span in split_voices(message.text[:LONGEST]):
        if span.voice is not Voice.NARRATION:
            continue
        for sentence in split_sentences(span.text):
            tokens = tokens_of(sentence)
            found = _first_name(tokens, names)
            if found is None:
                continue
            name, end = found
            for pack in packs:
                move = _move(tokens, end, pack)
                if move is not None:
                    kind, place = move
                    yield Event(
                        kind,
                        name,
                        at,
                        place,
                        anchor=message.anchor,
                        content_hash=message.content_hash,
                    )
                    break


def _first_name(
    tokens: Sequence[str], names: Mapping[str, Sequence[str]]
) -> tuple[str, int] | None:
    """Who a sentence begins with, and the place behind the name."""
    for start, token in enumerate(tokens[:FIRST_WORDS]):
        for name, words in names.items():
            if token in words:
                end = start + 1
                while end < len(tokens) and tokens[end] in words:
                    end += 1
                return name, end
    return None


def _move(tokens: Sequence[str], start: int, pack: LanguagePack) -> tuple[str, str] | None:
    """What a sentence says of its name's coming or going, and where."""
    hits: Iterable[Hit] = pack.moves.find(tokens)
    near = [hit for hit in hits if start <= hit.start <= start + NEAR]
    if any(hit.cue == "not" for hit in near):
        return None
    for hit in near:
        place = _place(tokens[hit.end : hit.end + BEHIND], pack)
        if hit.cue in SURE:
            return SURE[hit.cue], place
        if hit.cue in NEEDS_PLACE and (place or hit.end == len(tokens)):
            return NEEDS_PLACE[hit.cue], place
    return None


def _place(tokens: Sequence[str], pack: LanguagePack) -> str:
    return next((token for token in tokens if token in pack.place_kinds), HERE)
