"""Tells apart what is narrated, said aloud and said out of character in a message."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

import msgspec

WINDOW = 1500  # characters at each end of a message; cues live there, and huge texts stay cheap

_ASIDE = re.compile(
    r"\(\([^()]{0,600}\)\)|[(\[]\s*/?(?:ooc|o\.o\.c\.|hrp|hors rp)\b[^()\[\]]{0,600}[)\]]"
    r"|^[ \t]*(?:ooc|hrp)[ \t]*[:;\-][^\n]{0,600}|^[ \t]*//[^\n]{0,600}",
    re.IGNORECASE | re.MULTILINE,
)
_MARKUP = re.compile(r"<[^<>\n]{1,200}>|!\[[^\]\n]{0,200}\]\([^)\n]{0,300}\)|\*\*|__|[`~#>|]+")
_MARKED = (">", "![", "**", "__", "`", "~", "#", "|")  # all markup has one of them
_DELIMITER = re.compile(r"[*\"“”„«»「」『』‘’_\n]")
_DASH_LINE = re.compile(r"\s*[—–―-]\s*(?=[^\W\d_]|[¿¡«…])")
_DASH = re.compile(r"(?<=\s)[—–―](?=\S)|(?<=\S)[—–―](?=[\s.,;:!?]|$)|\s[—–―]\s")
_ACTED = re.compile(r"[—–―-]\s*\*|\*[^*\s]+\s[^*]*\*")  # more than a word that is stressed
_WORD = re.compile(r"\w+")
_QUOTE = re.compile(r"[\"“”„«»「」『』]")
_CLOSERS = {
    '"': '"', "“": "”\"", "”": "”", "„": "“”\"", "«": "»", "»": "«", "「": "」", "『": "』",
    "‘": "’",
}  # fmt: skip


class Voice(StrEnum):
    """How a piece of text speaks."""

    NARRATION = "narration"
    SPEECH = "speech"
    THOUGHT = "thought"
    ASIDE = "aside"


class Span(msgspec.Struct, frozen=True, gc=False):
    """A run of text in one voice."""

    voice: Voice
    text: str


def split_voices(text: str, *, plain: Voice = Voice.NARRATION) -> tuple[Span, ...]:
    """Narration, speech and asides of a text, in order, without their quotes and asterisks.

    Understands *narration* between asterisks as well as plain prose, all quote marks of the
    European and CJK styles, and speech that opens with a dash. Unclosed marks end with their
    paragraph. Linear in the length of the text.

    plain: the voice of a text without any mark; in a chat that puts its narration between
    asterisks and its speech between nothing, that is SPEECH.
    """
    asides = [Span(Voice.ASIDE, found.group()) for found in _ASIDE.finditer(text)]
    if asides:
        text = _ASIDE.sub("\n", text)
    raw = _scan(_MARKUP.sub(" ", text) if any(mark in text for mark in _MARKED) else text)
    return (*_settle(raw, plain), *asides)


def speaks_unquoted(text: str, spans: Sequence[Span]) -> bool:
    """Whether narration stands between asterisks here, and speech between nothing."""
    is_spoken = any(span.voice is Voice.SPEECH for span in spans)
    return is_spoken and "*" in text and _QUOTE.search(text) is None


def _scan(text: str) -> list[tuple[str, str]]:
    """Pieces as (kind, text): "star", "loose" or "speech"."""
    pieces: list[tuple[str, str]] = []
    for line in text.split("\n"):
        if not line.strip():
            continue
        dash = _DASH_LINE.match(line)
        if dash and _ACTED.search(line):
            _scan_acted(line[dash.end() :], pieces)
        elif dash and not any(mark in line for mark in '"“”„*'):
            for number, part in enumerate(_DASH.split(line[dash.end() :])):
                pieces.append(("loose" if number % 2 else "speech", part))
        else:
            _scan_line(line, pieces)
        pieces.append((pieces[-1][0] if pieces else "loose", "\n"))
    return [piece for piece in pieces if piece[1]]


def _scan_acted(line: str, pieces: list[tuple[str, str]]) -> None:
    """Of "—Yes —*she says.*— Go.": between asterisks it is told, outside of them said."""
    for number, part in enumerate(line.split("*")):
        if _WORD.search(part):
            pieces.append(("star" if number % 2 else "speech", part))


def _scan_line(line: str, pieces: list[tuple[str, str]]) -> None:
    starred, closer, begin = False, "", 0

    def take(end: int) -> None:
        part = line[begin:end]
        if part:
            pieces.append(("speech" if closer else "star" if starred else "loose", part))

    for found in _DELIMITER.finditer(line):
        mark, at = found.group(), found.start()
        if closer:
            if mark not in closer or (mark == "’" and line[at + 1 : at + 2].isalpha()):
                continue
            take(at)
            closer, begin = "", at + 1
        elif mark == "*":
            take(at)
            starred, begin = not starred, at + 1
        elif mark in _CLOSERS and not (mark == "”" and not line[at + 1 : at + 2].strip()):
            take(at)
            closer, begin = _CLOSERS[mark], at + 1
    take(len(line))


def _settle(pieces: list[tuple[str, str]], plain: Voice) -> list[Span]:
    """Decide what stars and loose text are in this message."""
    size = {"star": 0, "loose": 0, "speech": 0}
    words = {"star": 0, "loose": 0, "speech": 0}
    for kind, part in pieces:
        size[kind] += len(part.strip())
        words[kind] += len(part.split())
    stars = sum(kind == "star" for kind, _ in pieces)
    # "*nods* Yes" tells an action, "so *very* tired" stresses a word.
    acts = bool(pieces) and pieces[0][0] == "star" and not size["speech"]
    is_emphasis = not acts and words["star"] < 2 * max(1, stars)
    if not size["star"] and not size["speech"]:
        voices = {"star": plain, "loose": plain}
    elif is_emphasis and not (words["star"] and words["loose"] <= words["star"]):
        voices = {"star": Voice.NARRATION, "loose": Voice.NARRATION}
    elif not size["speech"]:
        voices = {"star": Voice.NARRATION, "loose": Voice.SPEECH}
    elif size["loose"] > size["star"]:
        voices = {"star": Voice.THOUGHT, "loose": Voice.NARRATION}
    else:
        voices = {"star": Voice.NARRATION, "loose": Voice.THOUGHT}
    voices["speech"] = Voice.SPEECH
    spans: list[Span] = []
    for kind, part in pieces:
        voice = voices[kind]
        if spans and (spans[-1].voice is voice or not _WORD.search(part)):
            spans[-1] = Span(
                spans[-1].voice,
                f"{spans[-1].text} {part}" if part != "\n" else spans[-1].text + "\n",
            )
        elif _WORD.search(part):
            spans.append(Span(voice, part))
    return spans
