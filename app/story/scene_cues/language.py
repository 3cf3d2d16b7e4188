"""Language packs: the phrases by which one language marks time, place, sleep and farewell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.errors import UsageError

# One token per word; scripts without spaces give one token per character, so that phrases of
# theirs can be found anywhere.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_PLAIN_WORD = re.compile(r"[a-z0-9]+")
_PIECE = re.compile(r"<([a-z_]+)>|([^\s<>]+)")
_MAX_PHRASE = 10  # tokens of the longest phrase that is tried
NUMBER = "number"  # the class that takes digits too


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    prefixes: dict[str, _Node] = field(default_factory=dict)
    classes: dict[str, _Node] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)
    # Texts repeat their words, so each step is looked up once.
    seen: dict[str, tuple[_Node, ...]] = field(default_factory=dict)


class Hit(NamedTuple):
    """A phrase found in a list of tokens: its cue and where it stands (end exclusive)."""

    cue: str
    start: int
    end: int


# What can begin with a token: the cues that it is alone, and where longer phrases go on.
_Start = tuple[tuple[str, ...], tuple[_Node, ...]]


@dataclass(frozen=True, slots=True)
class LanguagePack:
    """The phrases of one language, ready to be searched.

    code: ISO 639-1. stopwords: very common words, by which the language is recognised.
    header_keys: casefolded header word -> "place", "time" or "day".
    """

    code: str
    name: str
    stopwords: frozenset[str]
    header_keys: Mapping[str, str]
    classes: Mapping[str, frozenset[str]]
    _root: _Node = field(repr=False)
    _starts: dict[str, _Start] = field(default_factory=dict, repr=False, compare=False)

    def find(self, tokens: Sequence[str]) -> list[Hit]:
        """Every phrase in the tokens (see `tokens_of`), by start; of each cue the longest."""
        hits: list[Hit] = []
        starts = self._starts
        for start, token in enumerate(tokens):
            known = starts.get(token)
            if known is None:
                known = self._start(token)
                if len(starts) < 50_000:  # a bound for hostile text; a novel has 20,000 words
                    starts[token] = known
            cues, nodes = known
            if nodes:
                hits += self._longest(known, tokens, start)
            elif cues:
                hits += [Hit(cue, start, start + 1) for cue in cues]
        return hits

    def _start(self, token: str) -> _Start:
        nodes = self._step(self._root, token)
        cues = tuple(dict.fromkeys(cue for node in nodes for cue in node.cues))
        return cues, tuple(node for node in nodes if node.words or node.prefixes or node.classes)

    def _longest(self, known: _Start, tokens: Sequence[str], start: int) -> list[Hit]:
        cues, nodes = known
        end = start + 1
        longest = dict.fromkeys(cues, end)
        stop = min(len(tokens), start + _MAX_PHRASE)
        while nodes and end < stop:
            token = tokens[end]
            end += 1
            if len(nodes) == 1:
                nodes = self._after(nodes[0], token)
            else:
                nodes = tuple(after for node in nodes for after in self._after(node, token))
            for node in nodes:
                for cue in node.cues:
                    longest[cue] = end
        return [Hit(cue, start, stop) for cue, stop in longest.items()]

    def _after(self, node: _Node, token: str) -> tuple[_Node, ...]:
        after = node.seen.get(token)
        if after is None:
            after = tuple(self._step(node, token))
            if len(node.seen) < 5_000:
                node.seen[token] = after
        return after

    def _step(self, node: _Node, token: str) -> list[_Node]:
        after = []
        if token in node.words:
            after.append(node.words[token])
        for prefix, child in node.prefixes.items():
            if token.startswith(prefix):
                after.append(child)
        for name, child in node.classes.items():
            if token in self.classes[name] or (name == NUMBER and token.isdecimal()):
                after.append(child)
        return after


def tokens_of(text: str) -> list[str]:
    """The words of a text, casefolded, without punctuation."""
    words = _PLAIN_WORD if text.isascii() else _WORD
    return words.findall(text.casefold())


def parse_pack(source: str) -> LanguagePack:
    """A language pack from its TOML text.

    Keys: code, name, stopwords; [headers] field = words; [classes] name = words; [cues] cue =
    phrases. A phrase is words, `stem*` and `<class>`, each one token; `(word)` may be absent.
    Raises UsageError for text that is no pack.
    """
    try:
        data = tomllib.loads(source)
        classes = {
            name: frozenset(word.casefold() for word in words)
            for name, words in data.get("classes", {}).items()
        }
        classes.setdefault(NUMBER, frozenset())
        root = _Node()
        for cue, phrases in data["cues"].items():
            for phrase in phrases:
                _add(root, phrase, cue, classes)
        return LanguagePack(
            code=data["code"],
            name=data["name"],
            stopwords=frozenset(word.casefold() for word in data["stopwords"]),
            header_keys={
                word.casefold(): key
                for key, words in data.get("headers", {}).items()
                for word in words
            },
            classes=classes,
            _root=root,
        )
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
        raise UsageError(f"This language pack cannot be read: {error}") from error


def _add(root: _Node, phrase: str, cue: str, classes: Mapping[str, frozenset[str]]) -> None:
    ends = [root]
    for piece in phrase.split():
        optional = piece.startswith("(") and piece.endswith(")")
        body = piece[1:-1] if optional else piece
        after = [_child(node, body, classes) for node in ends]
        ends = [*ends, *after] if optional else after
    for node in ends:
        if node is root:
            raise KeyError(f"an empty phrase under {cue}")
        if cue not in node.cues:
            node.cues.append(cue)


def _child(node: _Node, piece: str, classes: Mapping[str, frozenset[str]]) -> _Node:
    matched = _PIECE.fullmatch(piece)
    if matched is None:
        raise KeyError(piece)
    if matched[1]:
        if matched[1] not in classes:
            raise KeyError(piece)
        return node.classes.setdefault(matched[1], _Node())
    if piece.endswith("*"):
        return node.prefixes.setdefault(piece[:-1].casefold(), _Node())
    tokens = tokens_of(piece)
    for token in tokens:  # "o'clock" is two tokens
        node = node.words.setdefault(token, _Node())
    return node


def common_words(tokens: Sequence[str], packs: Sequence[LanguagePack]) -> list[int]:
    """How many of the tokens are common words of each pack's language."""
    return [sum(map(pack.stopwords.__contains__, tokens)) for pack in packs]
