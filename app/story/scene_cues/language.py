"""Language packs: the phrases by which one language marks time, place, sleep and farewell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from app.core.errors import UsageError
from app.core.translation import tr

# One token per word; scripts without spaces give one token per character, so that phrases of
# theirs can be found anywhere.
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")
_CJK_CHARACTER = re.compile(rf"[{_CJK}]")
_PLAIN_WORD = re.compile(r"[a-z0-9]+")
_PIECE = re.compile(r"<([a-z_]+)>|([^\s<>]+)")
_MAX_PHRASE = 10  # tokens of the longest phrase that is tried
_MOST_KEPT = 20_000  # words remembered, a bound for hostile text; a novel has as many
NUMBER = "number"  # the class that takes digits too


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    prefixes: dict[str, _Node] = field(default_factory=dict)
    lengths: set[int] = field(default_factory=set)  # of the prefixes
    classes: dict[str, _Node] = field(default_factory=dict)
    cues: list[str] = field(default_factory=list)


class Hit(NamedTuple):
    """A phrase found in a list of tokens: its cue and where it stands (end exclusive)."""

    cue: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class _State:
    """What the tokens so far may be: cues of the phrases that end here, and where phrases go on.

    Texts repeat their words, so where each of them leads is looked up once: None for nowhere.
    """

    nodes: tuple[_Node, ...]
    cues: tuple[str, ...]
    after: dict[str, _State | None] = field(default_factory=dict)


# Compared as the things they are, so that what was read with them can be kept by them.
@dataclass(frozen=True, slots=True, eq=False)
class Phrases:
    """Phrases under cues, ready to be searched.

    classes: words by the name that phrases use for any of them.
    """

    classes: Mapping[str, frozenset[str]]
    _before: _State = field(repr=False)  # before the first token
    _states: dict[tuple[int, ...], _State] = field(default_factory=dict, repr=False, compare=False)

    def find(self, tokens: Sequence[str]) -> list[Hit]:
        """Every phrase in the tokens (see `tokens_of`), by start; of each cue the longest."""
        hits: list[Hit] = []
        begins = self._before.after
        size = len(tokens)
        for end, token in enumerate(tokens, 1):
            state = begins[token] if token in begins else self._after(self._before, token)
            if state is None:
                continue
            after = None
            if end < size:
                known, token = state.after, tokens[end]
                after = known[token] if token in known else self._after(state, token)
            if after is not None:
                hits += self._longest(state.cues, after, tokens, end - 1)
            elif state.cues:
                hits += [Hit(cue, end - 1, end) for cue in state.cues]
        return hits

    def cues_of(self, token: str) -> tuple[str, ...]:
        """What a word means by itself."""
        known = self._before.after
        state = known[token] if token in known else self._after(self._before, token)
        return state.cues if state else ()

    def _longest(
        self, cues: Sequence[str], state: _State | None, tokens: Sequence[str], at: int
    ) -> list[Hit]:
        """The longest phrase of each cue, given what the first two tokens may be."""
        longest = dict.fromkeys(cues, at + 1)
        end = at + 2
        stop = min(len(tokens), at + _MAX_PHRASE)
        while state is not None:
            for cue in state.cues:
                longest[cue] = end
            if end == stop:
                break
            token = tokens[end]
            state = state.after[token] if token in state.after else self._after(state, token)
            end += 1
        return [Hit(cue, at, stop) for cue, stop in longest.items()]

    def _after(self, before: _State, token: str) -> _State | None:
        nodes = tuple(after for node in before.nodes for after in self._step(node, token))
        state = self._state(nodes) if nodes else None
        if len(before.after) < _MOST_KEPT:
            before.after[token] = state
        return state

    def _state(self, nodes: tuple[_Node, ...]) -> _State:
        """The same one for the same nodes, by whatever words they are reached."""
        key = tuple(map(id, nodes))
        state = self._states.get(key)
        if state is None:
            cues = tuple(dict.fromkeys(cue for node in nodes for cue in node.cues))
            state = self._states[key] = _State(nodes, cues)
        return state

    def _step(self, node: _Node, token: str) -> list[_Node]:
        after = []
        if token in node.words:
            after.append(node.words[token])
        for length in node.lengths:
            child = node.prefixes.get(token[:length])
            if child is not None:
                after.append(child)
        for name, child in node.classes.items():
            if token in self.classes[name] or (name == NUMBER and token.isdecimal()):
                after.append(child)
        return after


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LanguagePack(Phrases):
    """The phrases of one language by which scenes end, and what else is known of the language.

    code: ISO 639-1. cues: the kinds of phrases that it knows. stopwords: very common words, by
    which the language is recognised. fillers: more words that tell nothing by themselves.
    questions: words that are only asked with. addressed: words that stand for whoever is spoken to.
    forms: irregular form -> the word that it is of.
    header_keys: casefolded header word -> "place", "time" or "day". articles, place_words: words
    that stand before nouns, and before places. similes: before what a thing is only compared to.
    titles: words before the names of people.
    place_kinds: nouns for kinds of places. logs: words before the number of an entry in a log.
    vague: nouns that are in every scene and name none. endings: of words that name none either,
    since nobody can see or touch what they say, or since they are no nouns.
    capital_nouns: all nouns are written with a capital.
    statements: phrases by which a sentence says that something changed, is not so, or may be so
    (app/memory/lifecycle/state_change.py). values: what words for numbers say. turns: words by
    which a message is of an intimate moment, a transition or action
    (app/prompt/budgeting/adaptive.py). moves: verbs
    by which somebody comes or goes (app/memory/epistemic/comings.py). headings: what prompts say in
    this language, by what they say in English (app/prompt/headings.py).
    """

    code: str
    name: str
    cues: frozenset[str]
    stopwords: frozenset[str]
    fillers: frozenset[str]
    questions: frozenset[str]
    addressed: frozenset[str]
    forms: Mapping[str, str]
    header_keys: Mapping[str, str]
    articles: frozenset[str]
    place_words: frozenset[str]
    similes: frozenset[str]
    titles: frozenset[str]
    place_kinds: frozenset[str]
    logs: frozenset[str]
    vague: frozenset[str]
    endings: tuple[str, ...]
    capital_nouns: bool
    statements: Phrases
    values: Mapping[str, int]
    turns: Phrases
    moves: Phrases
    headings: Mapping[str, str]

    def tells(self, word: str) -> bool:
        """Whether a word, casefolded, says something by itself: no number, common word or cue."""
        is_common = word in self.stopwords or word in self.fillers
        return word.isalpha() and not is_common and not self.cues_of(word)


def count_ideographs(text: str) -> int:
    """Characters of scripts without spaces in a text; one of them says as much as two letters."""
    return 0 if text.isascii() else len(_CJK_CHARACTER.findall(text))


def tokens_of(text: str) -> list[str]:
    """The words of a text, casefolded, without punctuation."""
    words = _PLAIN_WORD if text.isascii() else _WORD
    return words.findall(text.casefold())


def spans_of(text: str) -> list[tuple[int, int]]:
    """Where each of the words that `tokens_of` gives stands in a text."""
    return [found.span() for found in _WORD.finditer(text)]


def parse_pack(source: str) -> LanguagePack:
    """A language pack from its TOML text.

    Keys: code, name, stopwords, fillers, questions, addressed; forms, each a word and its irregular
    forms; [headers] field = words; [names]
    article, place, simile, titles, kinds, logs, vague and endings = words; [classes] name = words;
    [cues] cue = phrases. A phrase is words, `stem*` and `<class>`, each one token; `(word)` may be
    absent. [statements] cue = phrases; [values] word = number. [turns] kind = phrases.
    [moves] kind = phrases. [headings] English = in this language.
    Raises UsageError for text that is no pack.
    """
    try:
        data = tomllib.loads(source)
        names = data.get("names", {})
        classes = {name: _words(words) for name, words in data.get("classes", {}).items()}
        classes.setdefault(NUMBER, frozenset())
        return LanguagePack(
            code=data["code"],
            name=data["name"],
            cues=frozenset(data["cues"]),
            stopwords=_words(data["stopwords"]),
            fillers=_words(data.get("fillers", ())),
            questions=_words(data.get("questions", ())),
            addressed=_words(data.get("addressed", ())),
            forms={
                form: word
                for word, *forms in map(str.split, data.get("forms", ()))
                for form in forms
            },
            header_keys={
                word.casefold(): key
                for key, words in data.get("headers", {}).items()
                for word in words
            },
            articles=_words(names.get("article", ())),
            place_words=_words(names.get("place", ())),
            similes=_words(names.get("simile", ())),
            titles=_words(names.get("titles", ())),
            place_kinds=_words(names.get("kinds", ())),
            logs=_words(names.get("logs", ())),
            vague=_words(names.get("vague", ())),
            endings=tuple(sorted(_words(names.get("endings", ())))),
            capital_nouns=bool(names.get("capital_nouns", False)),
            statements=Phrases(classes, _tree(data.get("statements", {}), classes)),
            values={word.casefold(): int(n) for word, n in data.get("values", {}).items()},
            turns=Phrases(classes, _tree(data.get("turns", {}), classes)),
            moves=Phrases(classes, _tree(data.get("moves", {}), classes)),
            headings={str(key): str(said) for key, said in data.get("headings", {}).items()},
            classes=classes,
            _before=_tree(data["cues"], classes),
        )
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise UsageError(tr("This language pack cannot be read: {error}", error=error)) from error


def _words(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word.casefold() for word in words)


def _tree(cues: Mapping[str, Iterable[str]], classes: Mapping[str, frozenset[str]]) -> _State:
    root = _Node()
    for cue, phrases in cues.items():
        for phrase in phrases:
            _add(root, phrase, cue, classes)
    return _State((root,), ())


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
        node.lengths.add(len(piece) - 1)
        return node.prefixes.setdefault(piece[:-1].casefold(), _Node())
    tokens = tokens_of(piece)
    for token in tokens:  # "o'clock" is two tokens
        node = node.words.setdefault(token, _Node())
    return node


def common_words(tokens: Sequence[str], packs: Sequence[LanguagePack]) -> list[int]:
    """How many of the tokens are common words of each pack's language."""
    return [sum(map(pack.stopwords.__contains__, tokens)) for pack in packs]
