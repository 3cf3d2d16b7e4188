"""Cuts messages into sentences that can stand alone: who says or does it, without markup."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from app.story.messages import Message, MessageKind

LONGEST_MESSAGE = 20_000  # characters that are read of one message
LONGEST_TAG = 160
LONGEST_SENTENCE = 400  # characters; a longer one is cut at a comma or a word

OPENING = '"“„«‹「『»'
CLOSING = '"”“»›」』«'
CURLY = "“”"
MARKS = (CURLY, "„“", "«»", "「」", "『』")
INWARD = re.compile(r"»\w[^«»\n]*«")  # German and Danish print it so
MOST_READ = 200  # messages whose marks are counted
PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』", "‹": "›"}
QUOTES = "".join(PAIRS) + "".join(PAIRS.values()) + " "
END = re.compile(
    r"(?:[.!?…]+|[。！？｡।؟۔]+)"  # the end itself
    r"[\"'”“’»«›」』)\]]{0,3}"  # closing quotes and brackets belong to it
    r"(?:(?<=[。！？｡」』])|(?=\s)|\Z)"
)
# Before a period these mean that the sentence goes on; most other abbreviations show it by the
# small letter or the number that follows.
ABBREVIATIONS = frozenset(
    {"mr", "mrs", "ms", "mx", "dr", "st", "prof", "sr", "jr", "sra", "sto", "hr", "fr", "mme"}
    | {"mlle", "lt", "capt", "cpt", "sgt", "col", "gen", "rev", "hon", "vs", "bzw"}
    | {"z.b", "d.h", "u.a", "e.g", "i.e"}
)
NUMBERED = frozenset({"no", "nr", "nº", "vol", "art", "abs", "bd", "p", "pp"})  # only before digits
# German writes ordinals with a period and the noun behind them with a capital: "zum 2628. Mal".
BEFORE_ORDINALS = frozenset(
    {"der", "die", "das", "dem", "den", "des", "am", "im", "zum", "zur", "vom", "beim"}
    | {"jeder", "jede", "jedes", "jeden", "jedem", "dieser", "diese", "dieses", "diesem", "diesen"}
    | {"sein", "seine", "seinem", "seinen", "seiner", "ihr", "ihre", "ihrem", "ihren", "ihrer"}
    | {"mein", "meine", "meinem", "meinen", "meiner", "dein", "deine", "deinem", "deinen"}
)
# Behind a number these begin a sentence: "Er wohnt in der 12. Sie auch."
NO_NOUNS = frozenset({"er", "sie", "es", "ich", "wir", "du", "dann", "aber", "und", "doch", "da"})
MONTHS = frozenset(
    {"januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august"}
    | {"september", "oktober", "november", "dezember"}
)
FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
TAG = re.compile(r"<[/!]?[A-Za-z][^<>]{0,300}>")
IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,500}\)")
LINK = re.compile(r"\[([^\[\]]{1,300})\]\([^()\s]{0,500}\)")
ASIDE = re.compile(
    r"\(\([^()]{0,2000}\)\)|\[\s?OOC\b[^\[\]]{0,2000}\]|\(\s?OOC\b[^()]{0,2000}\)", re.IGNORECASE
)
LINE_MARK = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-+][ \t]+(?=\S)|[-*_=~][-*_=~ \t]{2,}$)", re.MULTILINE
)
EMPHASIS = re.compile(r"\*{1,3}([^*\n]{1,2000})\*{1,3}")
LEFT_MARKS = re.compile(r"[*`~]+|(?<!\w)_+|_+(?!\w)")
WORD = re.compile(r"\w+(?:['’-]\w+)*")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a scene. message: index into the scene. speaker: "" for the narrator.

    is_speech: the speaker's words alone; text then has no quotes. marks: the story's own quotation
    marks, which they are told in.
    """

    text: str
    speaker: str
    message: int
    is_speech: bool = False
    marks: str = CURLY

    def rendered(self, with_speaker: bool = True) -> str:
        """The sentence so that it can be understood alone: `Name: "…"`, or `Name: does this`."""
        text = _in_marks(self.text, self.marks) if self.is_speech else self.text
        if not self.speaker or not with_speaker:
            return text
        if not self.is_speech and _mentions(self.text, self.speaker):
            return text
        return f"{self.speaker}: {text}"


def marks_of(messages: Sequence[Message]) -> str:
    """The quotation marks that most speech in a story stands in, opening and closing; “” where
    nothing stands in any but straight ones. Of more than `MOST_READ` messages the last ones.
    """
    told = "".join(message.text[:LONGEST_MESSAGE] for message in messages[-MOST_READ:])
    counts = {marks: told.count(marks[0]) for marks in MARKS}
    counts[CURLY] -= counts["„“"]  # what closes there opens here
    counts["»«"] = counts["«»"] if INWARD.search(told) else 0
    counts["«»"] -= counts["»«"]
    return max(counts, key=lambda marks: counts[marks])


def sentences_of(message: Message, index: int, marks: str = CURLY) -> list[Sentence]:
    """The sentences of one message in order. Notices and out-of-character asides have none.

    marks: as `marks_of` its story.
    """
    if message.kind is MessageKind.NOTICE:
        return []
    speaker = "" if message.kind is MessageKind.NARRATOR else " ".join(message.name.split())
    text = without_markup(message.text[:LONGEST_MESSAGE])
    found: list[Sentence] = []
    for run, is_narration in _runs(text):
        for sentence, is_speech in _cut_run(run, is_narration):
            before = found[-1] if found else None
            if before is not None and before.is_speech and _is_tag(sentence, is_speech):
                # “Go.” *says she* is one sentence: the tag tells nothing by itself.
                found[-1] = replace(before, text=_tagged(before, sentence), is_speech=False)
            else:
                found.append(Sentence(sentence, speaker, index, is_speech, marks))
    return found


def _tagged(speech: Sentence, tag: str) -> str:
    return f"{_in_marks(speech.text, speech.marks)} {tag}"


def _in_marks(text: str, marks: str) -> str:
    return f"{marks[0]}{text}{marks[1]}"


def without_markup(text: str) -> str:
    """The text without code, tags, images, marks of lines and out-of-character asides.

    Asterisks stay: they tell commands from words.
    """
    for pattern in (FENCED, TAG, IMAGE, ASIDE):
        text = pattern.sub(" ", text)
    text = LINK.sub(r"\1", text)
    return LINE_MARK.sub("", text)


def split_sentences(text: str) -> list[str]:
    """Cut plain text at the ends of sentences; quotes that a cut opens are closed again."""
    sentences = [line[begin:end] for line in text.splitlines() for begin, end in spans_in(line)]
    return [piece for sentence in sentences for piece in _bounded(" ".join(sentence.split()))]


def spans_in(line: str) -> list[tuple[int, int]]:
    """Where each sentence of a line begins and ends, in characters; together they are the line."""
    found, start = [], 0
    for end in END.finditer(line):
        if not _goes_on(line, start, end):
            found.append((start, end.end()))
            start = end.end()
    return [*found, (start, len(line))]


def open_quote(text: str, opener: str = "") -> str:
    """The quote that is still open behind a text, "" for none. opener: that was open before it."""
    return [opener, *(behind for _, behind in _along(text, opener))][-1]


def _along(text: str, opener: str) -> Iterator[tuple[bool, str]]:
    """Of each sign whether it is a letter or mark outside of all quotes, and the quote that is open
    behind it.
    """
    for sign in text:
        is_outside = False
        if opener:
            if sign == PAIRS[opener]:
                opener = ""
        elif sign in PAIRS:
            opener = sign
        else:
            is_outside = not sign.isspace()
        yield is_outside, opener


def is_inside_quotes(before: str, after: str) -> bool:
    """Whether a quote is open behind `before` which closes in `after`. before: from the beginning
    of a sentence on.
    """
    opened: list[str] = []
    for sign in before:
        if opened and sign == opened[-1]:
            opened.pop()
        elif sign in PAIRS:
            opened.append("«" if sign == "»" else PAIRS[sign])
    return bool(opened) and opened[-1] in after


def _goes_on(text: str, start: int, end: re.Match[str]) -> bool:
    """Whether what looks like an end is none: an abbreviation, or a small letter follows."""
    after = text[end.end() : end.end() + 40].lstrip()
    first = after.lstrip(OPENING + "'‘’*(")[:1]
    if first.islower() and not after[:1].isupper():
        # "“Stop!” she said" is one sentence, "“stop. then go" at a bare period mostly two words
        # of a chatter: both read better uncut.
        return True
    if not end[0].startswith(".") or len(end[0].rstrip(CLOSING)) > 1:
        return False
    words = text[max(start, end.start() - 24) : end.start()].split()
    before = words[-1].lstrip(OPENING + "('‘*") if words else ""
    if not before:
        return False
    if first.isdigit() and before.lower() in NUMBERED:
        return True
    if before.isdigit() and _is_ordinal(words[:-1], after):
        return True
    is_initial = len(before) == 1 and before.isalpha() and before.isupper() and before != "I"
    return is_initial or before.lower() in ABBREVIATIONS


def _is_ordinal(before: list[str], after: str) -> bool:
    """Whether a number with a period between these is one of a row, as German writes it."""
    following = WORD.match(after)
    behind = following[0].casefold() if following is not None else ""
    if behind in MONTHS:
        return True
    word = before[-1].lstrip(OPENING + "('‘*").casefold() if before else ""
    is_english = word == "am" and before[-2:-1] == ["I"]
    return word in BEFORE_ORDINALS and bool(behind) and behind not in NO_NOUNS and not is_english


def _bounded(sentence: str) -> Iterator[str]:
    while len(sentence) > LONGEST_SENTENCE:
        at = max(sentence.rfind(sign, 40, LONGEST_SENTENCE) for sign in (", ", "; ", " – ", " — "))
        if at < 0:
            at = sentence.rfind(" ", 40, LONGEST_SENTENCE)
        at = LONGEST_SENTENCE if at < 0 else at + 1
        yield sentence[:at].strip(" ,;")
        sentence = sentence[at:].strip()
    if sentence:
        yield sentence


def _runs(text: str) -> Iterator[tuple[str, bool | None]]:
    """Runs of a message, each with whether it is narration: None where no asterisks say so."""
    spans = [span for span in EMPHASIS.finditer(text) if _is_narration(text, span)]
    has_quotes = any(sign in text for sign in '"“„«「')
    at = 0
    for span in spans:
        yield _plain(text[at : span.start()]), None if has_quotes else False
        yield _plain(span[1]), True
        at = span.end()
    # Without asterisks and quotes the message is prose; with asterisks alone the rest is speech.
    yield _plain(text[at:]), None if has_quotes or not spans else False


def _is_narration(text: str, span: re.Match[str]) -> bool:
    """Whether emphasis marks a command and not a stressed word inside of a sentence."""
    before = text[: span.start()][-40:].rstrip(" \t")
    after = text[span.end() : span.end() + 3].lstrip(" \t")
    inside = span[1].split()
    if len(inside) >= 4:
        return True
    begins = not before or before[-1] in "\n.!?…。！？*~" + CLOSING
    ends = not after or not (after[0].islower() or after[0] in ",;")
    return begins and ends


def _plain(text: str) -> str:
    return LEFT_MARKS.sub("", text)


def _cut_run(run: str, is_narration: bool | None) -> Iterator[tuple[str, bool]]:
    opener = ""
    for sentence in split_sentences(run):
        if is_narration is False:
            text, is_speech = sentence.strip(QUOTES), True
        else:
            text, is_speech, opener = _speech(sentence, opener)
        if WORD.search(text):
            yield text, is_speech


def _speech(sentence: str, opener: str) -> tuple[str, bool, str]:
    """Text, whether all of it is spoken, and the quote that is still open behind it.

    opener: the quote that was open before it, "" for none.
    """
    was_open = opener
    has_outside = not opener and sentence[:1] not in PAIRS
    for is_outside, behind in _along(sentence, opener):
        has_outside = has_outside or is_outside
        opener = behind
    if not has_outside:
        return sentence.strip(QUOTES), True, opener
    if was_open:
        sentence = was_open + sentence
    if opener:
        sentence += PAIRS[opener]
    return sentence, False, opener


def _is_tag(sentence: str, is_speech: bool) -> bool:
    return not is_speech and sentence[:1].islower() and len(sentence) < LONGEST_TAG


def _mentions(text: str, speaker: str) -> bool:
    folded = f" {' '.join(WORD.findall(text.casefold()))} "
    return any(
        f" {part} " in folded or f" {part}'s " in folded or f" {part}’s " in folded
        for part in WORD.findall(speaker.casefold())
        if len(part) > 2
    )
