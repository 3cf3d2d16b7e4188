"""Language packs: the phrases by which one language marks time, place, sleep and farewell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.errors import UsageError

# One token per word; scripts without spaces give one token per character, so that phrases of
# theirs can be found anywhere.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_PIECE = re.compile(r"<([a-z_]+)>|([^\s<>]+)")
_MAX_PHRASE = 10  # tokens of the longest phrase that is tried
NUMBER = "number"  # the class that takes digits too


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    prefixes: dict[str, _Node] = field(default_factory=dict)
    classes: dict[str, _Node] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Hit:
    """A phrase found in a list of tokens: its cue and where it stands (end exclusive)."""

    cue: str
    start: int
    end: int


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
    # Which phrases can begin with a token: nearly always none, and then nothing else is tried.
    _starts: dict[str, tuple[_Node, ...]] = field(default_factory=dict, repr=False, compare=False)

    def find(self, tokens: Sequence[str]) -> list[Hit]:
        """Every phrase in the tokens (see `tokens_of`), by start; of each cue the longest."""
        hits: list[Hit] = []
        starts = self._starts
        for start, token in enumerate(tokens):
            nodes = starts.get(token)
            if nodes is None:
                nodes = self._step(self._root, token)
                if len(starts) < 50_000:  # a bound for hostile text; a novel has 20,000 words
                    starts[token] = nodes
            if nodes:
                hits += self._longest(nodes, tokens, start)
        return hits

    def _longest(self, nodes: tuple[_Node, ...], tokens: Sequence[str], start: int) -> list[Hit]:
        longest: dict[str, int] = {}
        end = start + 1
        while nodes:
            for node in nodes:
                for cue in node.cues:
                    longest[cue] = end
            if end == len(tokens) or end - start == _MAX_PHRASE:
                break
            token = tokens[end]
            nodes = tuple(after for node in nodes for after in self._step(node, token))
            end += 1
        return [Hit(cue, start, stop) for cue, stop in longest.items()]

    def _step(self, node: _Node, token: str) -> tuple[_Node, ...]:
        after = []
        if token in node.words:
            after.append(node.words[token])
        after += [child for prefix, child in node.prefixes.items() if token.startswith(prefix)]
        for name, child in node.classes.items():
            if token in self.classes[name] or (name == NUMBER and token.isdecimal()):
                after.append(child)
        return tuple(after)


def tokens_of(text: str) -> list[str]:
    """The words of a text, casefolded, without punctuation."""
    return _WORD.findall(text.casefold())


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


def language_shares(tokens: Iterable[str], packs: Sequence[LanguagePack]) -> list[int]:
    """How many of the tokens are common words of each pack's language."""
    words = list(tokens)
    return [sum(map(pack.stopwords.__contains__, words)) for pack in packs]
