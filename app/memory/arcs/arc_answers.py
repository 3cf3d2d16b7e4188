"""What models write about arcs in place of the lines that were asked for. Pure.

Read leniently: JSON with a text inside is the text. Taken strictly: what tells of no arc, but
refuses, lists, repeats the request or is still JSON, is no summary.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from app.memory.similarity import normalised
from app.memory.tiers.lines import is_copied
from app.story.answers.lenient_json import find_object
from app.story.answers.refusals import is_refusal

TEXT_KEYS = ("summary", "text", "content", "description", "outcome", "resolution", "paragraph")
VERDICT_KEYS = ("verdict", "status", "state", "result")
NUMBER_KEYS = ("number", "thread", "arc", "id", "index", "no", "n")
LIST_KEYS = ("threads", "arcs", "summaries", "results", "answers", "items", "response", "answer")
LISTED = "items"
MOST_ITEMS = 20
MOST_COPIED = 0.5  # of an answer, in words of the request
ECHO = 24  # signs of a sentence that is looked for in the request

_JSON = re.compile(r"[{}]|\"\s?:|^\s{0,8}\[\s{0,8}(?:\"|\])", re.MULTILINE)
_FENCES = re.compile(r"`{3}[a-z]{0,10}", re.IGNORECASE)
_LISTED = re.compile(r"^[ \t]{0,8}(?:[-*•+][ \t]|\(?\d{1,2}[.):\]]|\[|\||#)", re.MULTILINE)
_OPEN = re.compile(
    r"\b(?:still[ _](?:open|unresolved|ongoing)|unresolved|not (?:yet )?(?:been )?resolved"
    r"|insufficient[ _]evidence|remains? open)\b",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"</?(?:threads|messages|memories|scenes)>|said to have ended|for each thread|the threads:",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+")


def unwrapped(text: str) -> str:
    """An answer in JSON as the lines that were asked for, any other as it is."""
    bare = _FENCES.sub("", text).strip()
    if bare[:1] not in ("{", "["):
        return text
    if bare.startswith("[") and not re.match(r"\[\s*[{\"\]]", bare):
        return text
    found = _parsed(bare)
    lines = list(_lines(found, ""))[:MOST_ITEMS] if found is not None else []
    return "\n".join(lines) or text


def is_account(body: str, *, is_tagged: bool) -> bool:
    """Whether a text may tell how an arc went. is_tagged: behind a number and a verdict."""
    if is_copied(body) or is_refusal(body) or _JSON.search(body) or _ASKED.search(body):
        return False
    return is_tagged or not (_LISTED.search(body) or _OPEN.search(body))


def repeats(body: str, shown: str) -> bool:
    """Whether most of a text stands in what the model was shown, word for word."""
    told, copied = 0, 0
    whole = normalised(shown)
    for found in _SENTENCE.finditer(body):
        sentence = normalised(found[0]).strip()
        told += len(sentence)
        copied += len(sentence) if len(sentence) >= ECHO and sentence in whole else 0
    return copied > told * MOST_COPIED


def _parsed(bare: str) -> Any:
    try:
        return json.loads(bare)
    except (ValueError, RecursionError):
        if bare.startswith("["):
            bare = f'{{"{LISTED}": {bare}}}'
        keys = (*TEXT_KEYS, *VERDICT_KEYS, *LIST_KEYS, *map(str, range(1, 10)))
        return find_object(bare, keys)


def _lines(value: Any, number: str, depth: int = 0) -> Iterator[str]:
    """The lines that a value stands for. number: of the arc, where something said it."""
    if depth > 4:
        return
    if isinstance(value, list):
        for place, item in enumerate(value[:MOST_ITEMS], 1):
            yield from _lines(item, str(place) if len(value) > 1 else number, depth + 1)
    elif isinstance(value, dict):
        lowered = {str(key).strip().lower(): item for key, item in value.items()}
        text, verdict = _first(lowered, TEXT_KEYS), _first(lowered, VERDICT_KEYS)
        if text or verdict:
            number = _first(lowered, NUMBER_KEYS) or number or "1"
            head = f"[{number}: {verdict}]" if verdict else ""
            yield f"{head} {' '.join(text.split())}".strip()
            return
        for key, item in list(lowered.items())[:MOST_ITEMS]:
            digits = re.search(r"\d{1,2}", key)
            yield from _lines(item, digits[0] if digits else number, depth + 1)
    elif isinstance(value, str):
        text = " ".join(value.split())
        begins = re.match(r"\[?(?:RESOLVED|STILL.OPEN|ABANDONED|SUPERSEDED|INSUFF)", text)
        yield f"[{number}: {text.lstrip('[').replace(']', '', 1)}" if number and begins else text


def _first(found: dict[str, Any], keys: tuple[str, ...]) -> str:
    """The first of these that holds a word or a number."""
    for key in keys:
        value = found.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""
