"""Reads what models answer to the tasks of recaps and breaks, and refuses what is none of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from app.core.translation import N_
from app.story.answers.lenient_json import find_object
from app.story.answers.rationale import names_layout
from app.story.answers.refusals import is_refusal
from app.story.name_ends import name_ended
from app.story.recap_texts.recap_text import HEADING, Recap, clean_items, clean_line, parse_recap

LONGEST_NAME = 60
LONGEST_SENTENCE = 600
LONGEST_RATIONALE = 300
# The prompts' own placeholders: small models copy the example instead of following it.
PLACEHOLDER = re.compile(r"<(?:[A-D]|thing|place|deed|place or deed)>|^\.\.\.$")
NAME_KEYS = ("name", "scene_name", "sn", "title")
LIST_KEYS = ("developments", "open", "state", "resolved")
ITEM_KEYS = ("text", "content", "item", "entry", "description", "fact", "event", "summary")
REFUSAL = N_("with a refusal")


class Unreadable(ValueError):
    """An answer that is not what was asked for; its text ends: "the model answered …"."""


@dataclass(frozen=True, slots=True)
class BreakAnswer:
    """Where a model says that a scene ends. place: None for nowhere. rationale: one line or ""."""

    place: int | None
    rationale: str = ""


def read_scene(text: str) -> tuple[str, Recap]:
    """Name ("" when there is none) and recap of an answer to scene_recap. Raises Unreadable."""
    answer = answer_object(text, ("recap", *LIST_KEYS))
    name = next((answer[key] for key in NAME_KEYS if isinstance(answer.get(key), str)), "")
    return clean_name(name), _recap_of(answer)


def read_running(text: str) -> Recap:
    """Recap of an answer to running_recap. Raises Unreadable."""
    return _recap_of(answer_object(text, ("recap", *LIST_KEYS)))


def read_break(text: str, eligible: Collection[int], *, is_forced: bool = False) -> BreakAnswer:
    """Number of the message of an answer to detect_breaks, None for no break, and its rationale.

    "false" and "null" as words count as no break; a number that was not eligible is no answer.
    Neither is one that gives layout as its evidence (spec/auto-recap.md §4.11).
    is_forced: no break is no answer either.
    Raises Unreadable.
    """
    answer = answer_object(text, ("scenebreakat",))
    value = answer["scenebreakat"]
    if isinstance(value, str):
        digits = re.search(r"\d{1,9}", value)
        word = value.strip().lower()
        value = int(digits[0]) if digits else (None if word in _NO_WORDS else value)
    if value is None or value is False:
        if is_forced:
            raise Unreadable(N_("that no message should be chosen, although one had to be"))
        return BreakAnswer(None)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value not in eligible:
        raise Unreadable(N_("with a message it was not allowed to choose"))
    rationale = _rationale(answer)
    if names_layout(rationale):
        raise Unreadable(N_("with lines, stars or headings as evidence that do not exist"))
    return BreakAnswer(value, rationale)


def read_breaks(text: str, eligible: Collection[int]) -> tuple[BreakAnswer, ...]:
    """The ends of an answer to doubtful_breaks, in order.

    Entries may be numbers or objects. One that is not eligible, or gives layout as its evidence,
    is left out; where there is no other, the answer is none.
    Raises Unreadable.
    """
    answer = answer_object(text, ("sceneends",))
    entries = answer["sceneends"]
    if entries is None or entries is False:
        entries = []
    if not isinstance(entries, list):
        raise Unreadable(N_("with something that is not a list of messages"))
    found: dict[int, str] = {}
    for entry in entries:
        fields = entry if isinstance(entry, dict) else {"at": entry}
        value, rationale = _number(fields.get("at")), _rationale(fields)
        if value in eligible and value is not None and not names_layout(rationale):
            found.setdefault(value, rationale)
    if entries and not found:
        raise Unreadable(N_("with messages it was not allowed to choose"))
    return tuple(BreakAnswer(place, why) for place, why in sorted(found.items()))


def _number(value: object) -> int | None:
    if isinstance(value, str):
        digits = re.search(r"\d{1,9}", value)
        return int(digits[0]) if digits else None
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return None
    return int(value)


def read_sentence(text: str) -> str:
    """The sentence of an answer to message_recap, without lead-in and quotes. Raises Unreadable."""
    if not text.strip():
        raise Unreadable(N_("with nothing"))
    lines = [line for line in (clean_line(line) for line in text.splitlines()) if line]
    if len(lines) > 1 and lines[0].endswith((":", "：")):
        lines = lines[1:]
    sentence = lines[0] if lines else ""
    if sentence.startswith("{"):
        found = find_object(text, ("recap", "sentence", "summary"))
        sentence = next((str(v) for v in (found or {}).values() if isinstance(v, str)), "")
    sentence = clean_line(_unquoted(sentence.strip("*_ ")))
    if is_refusal(text) or is_refusal(sentence):
        raise Unreadable(REFUSAL)
    if not any(map(str.isalnum, sentence)) or PLACEHOLDER.search(sentence):
        raise Unreadable(N_("with something that is not a sentence"))
    if len(sentence) > LONGEST_SENTENCE:
        sentence = sentence[:LONGEST_SENTENCE].rsplit(" ", 1)[0] + "…"
    return sentence


def preview(text: str) -> str:
    """What of an answer that is still coming in can be read already; "" for nothing yet."""
    found = find_object(text, ("recap", *LIST_KEYS, "name"))
    if found is None:
        return "" if text.lstrip()[:1] in ("{", "`", "") else text.strip()
    try:
        return _recap_of(found).render()
    except Unreadable:
        return ""


def clean_name(name: str) -> str:
    """A scene's name on one line, without quotes and marks, at most 60 characters."""
    line = _unquoted(clean_line(name).strip("#*_ ")).rstrip(".")
    if PLACEHOLDER.search(line):
        return ""
    if len(line) > LONGEST_NAME:
        return name_ended(line[: LONGEST_NAME - 1].rsplit(" ", 1)[0], is_cut=True) + "…"
    return name_ended(line)


_NO_WORDS = frozenset({"false", "null", "none", "no", "nil", ""})


def answer_object(text: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The object of an answer that has one of these keys. Raises Unreadable."""
    if not text.strip():
        raise Unreadable(N_("with nothing"))
    found = find_object(text, keys)
    if found is not None:
        return found
    if keys[0] == "recap" and any(HEADING.fullmatch(line.strip()) for line in text.splitlines()):
        # The blocks that were asked for, only not as JSON.
        recap = parse_recap(text)
        return {key: list(getattr(recap, key)) for key in LIST_KEYS}
    if is_refusal(text):
        raise Unreadable(REFUSAL)
    raise Unreadable(N_("with text in a different form than requested"))


def _rationale(answer: dict[str, Any]) -> str:
    value = answer.get("rationale")
    # Bullets go with clean_line, and a line of dashes is what names_layout looks for.
    line = " ".join(value.split()) if isinstance(value, str) else ""
    line = "".join(sign for sign in line if sign.isprintable())
    if len(line) > LONGEST_RATIONALE:
        line = line[: LONGEST_RATIONALE - 1].rsplit(" ", 1)[0] + "…"
    return line


def _recap_of(answer: dict[str, Any]) -> Recap:
    recap = answer.get("recap", answer)
    if isinstance(recap, str):
        parsed = parse_recap(recap)
        fields: dict[str, Any] = {key: list(getattr(parsed, key)) for key in LIST_KEYS}
    elif isinstance(recap, list):
        fields = {"developments": recap}
    elif isinstance(recap, dict):
        lowered = {str(key).strip().lower(): value for key, value in recap.items()}
        fields = {key: lowered.get(key) for key in LIST_KEYS}
    else:
        fields = {}
    result = Recap(**{key: read_items(value) for key, value in fields.items()})
    if result.is_empty:
        raise Unreadable(N_("with an empty recap"))
    if all(is_refusal(item) for key in LIST_KEYS for item in getattr(result, key)):
        raise Unreadable(REFUSAL)
    return result


def read_items(value: object) -> tuple[str, ...]:
    """Single lines out of a text, list or object, without copied placeholders."""
    return clean_items(item for item in _strings(value, 0) if not PLACEHOLDER.search(item))


def _strings(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.splitlines()
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield str(value)
    elif isinstance(value, list) and depth < 4:
        for item in value:
            yield from _strings(item, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        yield from _strings(_text_of(value), depth + 1)


def _text_of(item: dict[str, Any]) -> object:
    """The text of an item that is an object; else its words, one after the other."""
    for key in ITEM_KEYS:
        if isinstance(item.get(key), str):
            return item[key]
    return ": ".join(_words(item.values()))


def _words(values: Iterable[object]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _unquoted(text: str) -> str:
    for opener, closer in (('"', '"'), ("“", "”"), ("„", "“"), ("'", "'"), ("«", "»")):
        inside = text[1:-1]
        is_quoted = len(text) > 1 and text.startswith(opener) and text.endswith(closer)
        if is_quoted and opener not in inside and closer not in inside:
            return inside.strip()
    return text
