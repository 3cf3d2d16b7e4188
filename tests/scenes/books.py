"""Turns a book of Standard Ebooks into a chat whose scene breaks its author marked.

A book is a git repository of XHTML files. What the author set between scenes (a rule, a numbered
part of a chapter, a new chapter) becomes a label; rules and headings are left out of the text.
Everything follows from the text alone: the same book always gives the same chat.
"""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

Json = dict[str, Any]

LEAST_WORDS, MOST_WORDS = 60, 260  # of a message
_LEAST_WEIGHT = 30  # words that a paragraph counts as at least: talk has many short ones
_XHTML = "{http://www.w3.org/1999/xhtml}"
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_FOLDER = "src/epub/"
_SKIPPED = frozenset({"header", "hgroup", "h1", "h2", "h3", "h4", "h5", "h6", "figure", "table"})
_QUOTE = re.compile(r"“[^“”]*[”]?")
_I_WORDS = {
    "I was": "you were", "I am": "you are", "I’m": "you’re", "I’ve": "you’ve", "I’d": "you’d",
    "I’ll": "you’ll", "I": "you", "me": "you", "my": "your", "My": "Your", "mine": "yours",
    "myself": "yourself",
}  # fmt: skip
_I = re.compile(r"\b(?:I was|I am|I’m|I’ve|I’d|I’ll|I|me|my|My|mine|myself)\b")


class Break(NamedTuple):
    """An end of a scene: rule, part (of a chapter) or chapter."""

    cue: str


@dataclass(frozen=True, slots=True)
class Style:
    """How a book is told as a chat.

    asterisks: narration stands between them. second_person: who tells is called "you".
    turns: the user's messages are short, one or two paragraphs. narrator: what is not said by
    anybody is written by a narrator's card.
    """

    asterisks: bool = False
    second_person: bool = False
    turns: bool = False
    narrator: bool = False


PLAIN = Style()


def chat_of(repository: Path, style: Style = PLAIN, *, most: int | None = None) -> Json:
    """The chat of a book. most: messages at most, from the beginning."""
    units = list(_units(repository))
    messages, breaks = _told(units, style, random.Random(repository.name))
    if most is not None and len(messages) > most:
        messages = messages[:most]
    breaks = [each for each in breaks if each["last_message"] < len(messages) - 1]
    return {
        "title": repository.name,
        "language": "en",
        "user_name": "Author",
        "characters": [{"name": "Narrator", "description": ""}],
        "group": False,
        "messages": messages,
        "gold": {"scene_breaks": breaks, "decoys": []},
    }


def _git(repository: Path, *arguments: str) -> str:
    told = subprocess.run(
        ["git", "-C", str(repository), *arguments], capture_output=True, check=True
    )
    return told.stdout.decode()


def _units(repository: Path) -> Iterator[str | Break]:
    """Paragraphs and breaks in the order of reading."""
    files = set(_git(repository, "ls-tree", "-r", "--name-only", "HEAD").split("\n"))
    package = ElementTree.fromstring(_git(repository, "show", f"HEAD:{_FOLDER}content.opf"))
    for reference in package.iter():
        name = f"{_FOLDER}text/{reference.get('idref')}"
        if not reference.tag.endswith("itemref") or name not in files:
            continue
        body = ElementTree.fromstring(_git(repository, "show", f"HEAD:{name}")).find(
            f"{_XHTML}body"
        )
        if body is None or "bodymatter" not in body.get(_EPUB_TYPE, ""):
            continue
        yield Break("chapter")
        yield from _inside(body)


def _inside(element: ElementTree.Element) -> Iterator[str | Break]:
    for child in element:
        tag = child.tag.removeprefix(_XHTML)
        if tag == "hr":
            yield Break("rule")
        elif tag == "p":
            text = " ".join("".join(_words(child)).replace("\u2060", "").split())
            if text:
                yield text
        elif tag not in _SKIPPED:
            if tag == "section":
                yield Break("part")
            yield from _inside(child)


def _words(element: ElementTree.Element) -> Iterator[str]:
    if "noteref" not in element.get(_EPUB_TYPE, ""):
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""


def _told(
    units: Sequence[str | Break], style: Style, dice: random.Random
) -> tuple[list[Json], list[Json]]:
    messages: list[Json] = []
    breaks: list[Json] = []
    paragraphs: list[str] = []
    for unit in (*units, Break("end")):
        if isinstance(unit, str):
            paragraphs.append(unit)
            continue
        for part in _shared_out(paragraphs, len(messages), style, dice):
            messages.append(_message(part, len(messages), style))
        paragraphs = []
        if messages and (not breaks or breaks[-1]["last_message"] < len(messages) - 1):
            breaks.append({"last_message": len(messages) - 1, "cue": unit.cue, "tolerance": 1})
    return messages, breaks


def _shared_out(
    paragraphs: Sequence[str], first: int, style: Style, dice: random.Random
) -> Iterator[list[str]]:
    """A scene's paragraphs as messages.

    The sizes drawn are stretched to the scene: were the rest of a scene its last message, a short
    message would give away that a break follows. first: number of the first message.
    """
    weights = [max(len(paragraph.split()), _LEAST_WEIGHT) for paragraph in paragraphs]
    ends: list[float] = []
    total = 0.0
    while total < sum(weights):
        total += _wanted(style, first + len(ends), dice)
        ends.append(total)
    if len(ends) > 1 and total - sum(weights) > (ends[-1] - ends[-2]) / 2:
        ends.pop()
    stretch = sum(weights) / ends[-1] if ends else 1.0
    part: list[str] = []
    done = 0.0
    for paragraph, weight in zip(paragraphs, weights, strict=True):
        if part and done + weight / 2 > ends[0] * stretch:
            yield part
            part = []
            while len(ends) > 1 and done + weight / 2 > ends[0] * stretch:
                del ends[0]
        part.append(paragraph)
        done += weight
    if part:
        yield part


def _wanted(style: Style, number: int, dice: random.Random) -> int:
    """Words that a message has, about."""
    if style.turns and number % 2:
        return dice.randint(5, 70)
    return dice.randint(LEAST_WORDS, MOST_WORDS)


def _message(paragraphs: Sequence[str], number: int, style: Style) -> Json:
    is_user = number % 2 == 1
    is_told = not any("“" in paragraph for paragraph in paragraphs)
    if style.second_person:
        paragraphs = [_to_you(paragraph) for paragraph in paragraphs]
    if style.asterisks:
        paragraphs = [_starred(paragraph) for paragraph in paragraphs]
    return {
        "name": "Author" if is_user else "Narrator",
        "is_user": is_user,
        "mes": "\n\n".join(paragraphs),
        "kind": "narrator" if style.narrator and is_told and not is_user else "chat",
    }


def _pieces(paragraph: str) -> Iterator[tuple[bool, str]]:
    """Whether it is said, and the text, of each piece."""
    at = 0
    for quote in _QUOTE.finditer(paragraph):
        if quote.start() > at:
            yield False, paragraph[at : quote.start()]
        yield True, quote.group()
        at = quote.end()
    if at < len(paragraph):
        yield False, paragraph[at:]


def _to_you(paragraph: str) -> str:
    told = []
    for is_said, piece in _pieces(paragraph):
        text = piece if is_said else _I.sub(lambda found: _I_WORDS[found.group()], piece)
        told.append(text)
    text = "".join(told)
    return text[:1].upper() + text[1:]


def _starred(paragraph: str) -> str:
    told = []
    for is_said, piece in _pieces(paragraph):
        plain = piece.replace("*", "")
        bare = plain.strip()
        if is_said or not re.search(r"\w", bare):
            told.append(plain)
        else:
            told.append(plain.replace(bare, f"*{bare}*"))
    return "".join(told)
