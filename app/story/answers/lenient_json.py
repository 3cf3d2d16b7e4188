"""Reads the JSON that models write: fenced, with text around it, with slips, or cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any

CANDIDATES = 40  # places where an object may begin that are tried
LENIENT_READINGS = 6
DEEPEST = 40
# Everything in these patterns is bounded or anchored, so that hostile text costs linear time.
SPACE = re.compile(r"[\s\ufeff]*(?://[^\n]{0,200}\n\s*)?")
WORD = re.compile(r"[^\s,:\[\]{}\"']+")
QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "‘": "’"}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
LITERALS = {"true": True, "false": False, "null": None, "none": None}
VALUE_START = re.compile(
    SPACE.pattern + r"(?:[\"'“„‘\[{\]}\d-]|true|false|null|none|[a-z_]\w{0,40}\"?\s?:|\Z)",
    re.IGNORECASE,
)
NEXT_KEY = re.compile(r"[\"'“„‘]\w{1,40}[\"'“”’]\s{0,9}:")


class Cut(Exception):
    """The text ended inside of a value."""


def find_object(text: str, keys: Collection[str]) -> dict[str, Any] | None:
    """The JSON object in `text` that has one of `keys`; of several whole ones the last.

    When none can be read strictly, slips are forgiven: comments, trailing or missing commas,
    other quotes, unescaped quotes inside of strings, bare keys, and an end that is missing (then
    the value it cuts through is left out, the rest is kept). None when there is no such object.
    """
    strict: dict[str, Any] | None = None
    lenient: dict[str, Any] | None = None
    decoder = json.JSONDecoder(strict=False)
    candidates, readings = CANDIDATES, LENIENT_READINGS
    at = text.find("{")
    while at >= 0 and candidates:
        candidates -= 1
        end = at + 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            if lenient is None and readings:
                readings -= 1
                reader = _Reader(text, at)
                lenient = _with_keys(reader.read(), keys)
                if lenient is not None:
                    # What stands inside of it was read with it.
                    end = max(end, reader.at)
        else:
            strict = _with_keys(value, keys) or strict
        at = text.find("{", end)
    return strict or lenient


def is_whole(text: str, keys: Collection[str]) -> bool:
    """Whether an object in `text` that has one of `keys` can be read strictly, so that it was not
    cut off.
    """
    decoder, at = json.JSONDecoder(strict=False), text.find("{")
    for _ in range(CANDIDATES):
        if at < 0:
            break
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if _with_keys(value, keys) is not None:
                return True
        at = text.find("{", end)
    return False


def _with_keys(value: object, keys: Collection[str]) -> dict[str, Any] | None:
    if not isinstance(value, dict):
        return None
    lowered = {str(key).strip().lower(): item for key, item in value.items()}
    return lowered if any(key in lowered for key in keys) else None


class _Reader:
    """A forgiving reader of one value, in one pass."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at

    def read(self) -> Any:
        try:
            return self._value(0)
        except Cut:
            return None

    def _peek(self) -> str:
        space = SPACE.match(self._text, self.at)
        if space is not None:
            self.at = space.end()
        return self._text[self.at] if self.at < len(self._text) else ""

    def _value(self, depth: int) -> Any:
        sign = self._peek()
        if not sign or depth > DEEPEST:
            raise Cut
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in QUOTES:
            return self._string(QUOTES[sign])
        return self._bare()

    def _object(self, depth: int) -> dict[str, Any]:
        self.at += 1
        result: dict[str, Any] = {}
        while True:
            sign = self._peek()
            if not sign:
                return result
            if sign == "}":
                self.at += 1
                return result
            if sign in ",:;":
                self.at += 1
                continue
            if sign == "]":  # a bracket that closes nothing here
                return result
            try:
                key = self._string(QUOTES[sign]) if sign in QUOTES else str(self._bare())
                if self._peek() != ":":
                    continue
                self.at += 1
                result[key] = self._value(depth + 1)
            except Cut:
                return result

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        result: list[Any] = []
        while True:
            sign = self._peek()
            if not sign:
                return result
            if sign == "]":
                self.at += 1
                return result
            if sign in ",;:":
                self.at += 1
                continue
            if sign == "}":
                return result
            try:
                result.append(self._value(depth + 1))
            except Cut:
                return result

    def _string(self, closer: str) -> str:
        text = self._text
        pieces: list[str] = []
        at = self.at + 1
        while at < len(text):
            sign = text[at]
            if sign == "\\" and at + 1 < len(text):
                escaped, at = self._escape(at + 1)
                pieces.append(escaped)
                continue
            if sign == closer and self._closes(at + 1):
                self.at = at + 1
                return "".join(pieces)
            pieces.append(sign)
            at += 1
        self.at = len(text)
        raise Cut

    def _closes(self, after: int) -> bool:
        """Whether a quote is the end of its string: what follows could not be more of it."""
        text = self._text
        space = SPACE.match(text, after)
        at = space.end() if space is not None else after
        if at >= len(text) or text[at] in ":]}":
            return True
        if text[at] == ",":
            return VALUE_START.match(text, at + 1) is not None
        # The comma is forgotten between two strings on two lines, or before the next key.
        is_apart = "\n" in text[after:at] and text[at] in QUOTES
        return is_apart or (at > after and NEXT_KEY.match(text, at) is not None)

    def _escape(self, at: int) -> tuple[str, int]:
        sign = self._text[at]
        if sign == "u":
            digits = self._text[at + 1 : at + 5]
            try:
                return chr(int(digits, 16)), at + 5
            except ValueError:
                return "u", at + 1
        return ESCAPES.get(sign, sign), at + 1

    def _bare(self) -> Any:
        word = WORD.match(self._text, self.at)
        if word is None:
            self.at += 1
            return ""
        self.at = word.end()
        if self.at >= len(self._text):
            raise Cut  # 1 may have been the beginning of 12
        if word[0].lower() in LITERALS:
            return LITERALS[word[0].lower()]
        try:
            return int(word[0])
        except ValueError:
            return word[0]
