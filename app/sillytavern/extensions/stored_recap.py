"""Shows a scene recap of ST-Auto-Recap as text, whatever era wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from app.story.answers.stage_answers import FACETS

_STAGE_3 = ("developments", "open", "state", "resolved")
_STAGE_2 = ("outcomes", "threads", "state")


def display_text(stored: str) -> str:
    """The text a person reads of a stored recap (spec/auto-recap.md §5, "Reader precedence").

    Plain text is its own; of JSON the newest stage that says something, "" when none does.
    """
    try:
        recap = msgspec.json.decode(stored.encode("utf-8", "surrogatepass"))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return stored
    if not isinstance(recap, dict):
        return stored
    return next((text for text in _candidates(recap) if text), "")


def _candidates(recap: dict[str, Any]) -> Iterable[str]:
    stage1, stage2, stage3 = (_object(recap.get(f"stage{n}")) for n in (1, 2, 3))
    yield _blocks(_object(stage3.get("recap")) or stage3, _STAGE_3)
    yield _text(stage3.get("rc"))
    inner = stage2.get("recap")
    yield _blocks(_object(inner) or stage2, _STAGE_2) or _text(inner) or _text(stage2.get("plot"))
    yield _text(stage1.get("extracted"))
    yield _blocks(recap, ("developments", "open", "state", "resolved"))
    root = recap.get("recap")
    if "entities" not in recap:
        yield _blocks(_object(root), _STAGE_3) or _blocks(_object(root), _STAGE_2)
    yield _text(root)
    yield _text(recap.get("plot"))
    yield _text(recap.get("rc"))
    # Beyond the extension, which shows nothing for these forms.
    yield _text(recap.get("stage1")) or _text(stage1.get("chronological_items"))
    yield _facets(stage1)
    yield _blocks(_object(root), _STAGE_3) or _blocks(_object(root), _STAGE_2)
    yield _text(recap.get("extracted")) or _text(recap.get("chronological_items"))
    yield _facets(recap)


def _facets(fields: dict[str, Any]) -> str:
    """The plot by itself, else what there is of the facets under their names."""
    told = [name for name in FACETS if _text(fields.get(name))]
    return _text(fields.get("plot")) if told == ["plot"] else _blocks(fields, FACETS)


def _blocks(fields: dict[str, Any], names: Iterable[str]) -> str:
    """Headed blocks with a blank line between them."""
    texts = ((name, _text(fields.get(name))) for name in names)
    return "\n\n".join(f"{name.upper()}\n{text}" for name, text in texts if text)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "\n".join(filter(None, map(_item, value)))
    return ""


def _item(value: object) -> str:
    """An item of a list; of an object what it says, as of a quote and who said it."""
    if isinstance(value, dict):
        return ": ".join(part for part in value.values() if isinstance(part, str) and part)
    return value if isinstance(value, str) else ""


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
