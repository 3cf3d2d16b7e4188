"""Reads what models answer to the stages of a scene recap (spec/auto-recap.md §5)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.translation import N_
from app.story.answers.lenient_json import find_object
from app.story.answers.task_answers import (
    LIST_KEYS,
    NAME_KEYS,
    Unreadable,
    answer_object,
    clean_name,
    read_items,
)
from app.story.lore_entries.lore import LoreEntry, read_entries
from app.story.recap_texts.recap_text import Recap, clean_items, parse_recap

# Of answers in several lists, in their order: what earlier forms of the extension asked for.
FACETS = (
    *("plot", "goals", "reveals", "state", "tone", "stance", "voice", "quotes", "appearance"),
    *("verbatim", "docs"),
)
EXTRACTED_KEYS = ("extracted", "chronological_items", "items", "facts")
TEXT_KEYS = ("plot", "rc", "recap")
ENTITY_KEYS = ("entities", "setting_lore")
ALIASES = {"outcomes": "developments", "threads": "open", "rc": "developments"}


@dataclass(frozen=True, slots=True)
class Extracted:
    """What stage 1 gathered. name: "" when there is none. items: never empty."""

    name: str
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Organised:
    """What stage 2 made of it. recap: never empty."""

    name: str
    recap: Recap
    lore: tuple[LoreEntry, ...] = ()


def read_extracted(text: str) -> Extracted:
    """Answer to scene_extract. Raises Unreadable."""
    array = _bare_array(text)
    if array is not None:
        answer: Mapping[str, Any] = {"extracted": array}
    else:
        answer = answer_object(text, (*EXTRACTED_KEYS, *TEXT_KEYS, *FACETS))
    keys = next(
        (keys for keys in (EXTRACTED_KEYS, TEXT_KEYS, FACETS) if any(answer.get(k) for k in keys)),
        (),
    )
    items = clean_items(item for key in keys for item in read_items(answer.get(key)))
    if not items:
        raise Unreadable(N_("that there is nothing in the scene"))
    return Extracted(_name(answer), items)


def read_organised(text: str) -> Organised:
    """Answer to scene_organise. Raises Unreadable, for an empty recap too."""
    answer = answer_object(text, ("recap", "plot", *LIST_KEYS, *ALIASES))
    inner = answer.get("recap")
    if not inner and isinstance(answer.get("plot"), str | list):
        inner = {"developments": answer["plot"]}
    recap = _recap(answer if inner is None else inner)
    if recap.is_empty:
        raise Unreadable(N_("with an empty recap"))
    lore = next((answer[key] for key in ENTITY_KEYS if isinstance(answer.get(key), list)), None)
    return Organised(_name(answer), recap, read_entries(lore))


def read_filtered(text: str) -> Recap:
    """Answer to scene_filter; an empty recap says that nothing is new. Raises Unreadable."""
    answer = answer_object(text, ("recap", *LIST_KEYS, *ALIASES))
    return _recap(answer.get("recap", answer))


def read_lore(text: str) -> tuple[LoreEntry, ...]:
    """Answer to scene_lore; none says that nothing is new. Raises Unreadable."""
    array = _bare_array(text)
    if array is not None:
        return read_entries(array)
    answer = answer_object(text, ENTITY_KEYS)
    return read_entries(next(answer[key] for key in ENTITY_KEYS if key in answer))


def _recap(value: object) -> Recap:
    if isinstance(value, str):
        return parse_recap(value)
    if isinstance(value, list):
        return Recap(developments=read_items(value))
    found: dict[str, list[str]] = {key: [] for key in LIST_KEYS}
    if isinstance(value, Mapping):
        for key, items in value.items():
            word = str(key).strip().lower()
            word = ALIASES.get(word, word)
            if word in found:
                found[word] += read_items(items)
    return Recap(**{key: clean_items(items) for key, items in found.items()})


def _name(answer: Mapping[str, Any]) -> str:
    return clean_name(next((answer[k] for k in NAME_KEYS if isinstance(answer.get(k), str)), ""))


def _bare_array(text: str) -> list[Any] | None:
    """The list of an answer that is a list and no object, None when it is none."""
    start = text.find("[")
    if start < 0 or "{" in text[:start]:
        return None
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text, start)
    except (ValueError, RecursionError):
        # The forgiving reader reads objects.
        found = find_object(f'{{"items": {text[start : text.rfind("]") + 1] or "[]"}}}', ("items",))
        value = found["items"] if found else None
    return value if isinstance(value, list) else None
