"""The slots of the recaps: the running recap, and the included recaps of single messages. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from app.memory.withheld import NOTHING_WITHHELD, Withheld
from app.prompt.framing import framed, shortened
from app.prompt.secrets import lines_kept_secret
from app.prompt.slots import MESSAGE_RECAPS_KEY, RUNNING_RECAP_KEY, Position, Role, Slot
from app.story.inclusion import InclusionState
from app.story.recaps import injected_version
from app.story.story import Story

Count = Callable[[str], int]

_INCLUDED = frozenset({InclusionState.INCLUDED, InclusionState.LONG_TERM})


def running_recap_slot(
    story: Story,
    settings: Mapping[str, Any],
    *,
    budget: int,
    count: Count,
    spare: Sequence[str] = (),
    withheld: Withheld = NOTHING_WITHHELD,
) -> Slot:
    """The running recap, cut to its budget, frame included; empty when switched off. spare: parts
    of which other slots tell: they go first. withheld: what its reader does not know.

    A branch or a shortened chat gets the version that tells nothing of what it does not hold.
    """
    version = injected_version(story.running, story.places)
    content = version.content if version and settings["running_recap_enabled"] else ""
    content = lines_kept_secret(content, withheld)
    return _slot(RUNNING_RECAP_KEY, "running_recap", content, settings, budget, count, spare)


def message_recaps_slot(
    lines: str, settings: Mapping[str, Any], *, budget: int, count: Count
) -> Slot:
    """The included message recaps; the oldest go first when cut. lines: as `included_recaps`."""
    return _slot(MESSAGE_RECAPS_KEY, "message_recaps", lines, settings, budget, count)


def included_recaps(story: Story, settings: Mapping[str, Any]) -> str:
    """The message recaps that count, oldest first, a line each."""
    with_prefill = bool(settings["message_recap_prefill_shown"])
    recaps = story.message_recaps
    return "\n".join(
        " ".join(recaps[message.anchor].shown_text(with_prefill=with_prefill).split())
        for message, inclusion in zip(story.messages, story.inclusion, strict=True)
        if inclusion.state in _INCLUDED
    )


def _slot(
    key: str,
    name: str,
    content: str,
    settings: Mapping[str, Any],
    budget: int,
    count: Count,
    spare: Sequence[str] = (),
) -> Slot:
    """A slot by its settings, which all begin with `name`."""
    template = str(settings[f"{name}_template"])
    placeholder = f"{{{{{name}}}}}"

    def count_framed(text: str) -> int:
        return count(framed(text, template, placeholder))

    text = framed(content, template, placeholder)
    full_tokens = count(text)
    if full_tokens > budget:
        cut = shortened(content, budget, count_framed, spare=spare)
        text = framed(cut, template, placeholder)
    return Slot(
        key=key,
        position=Position(settings[f"{name}_position"]),
        depth=int(settings[f"{name}_depth"]),
        role=Role(settings[f"{name}_role"]),
        scan=bool(settings[f"{name}_scan"]),
        text=text,
        tokens=count(text),
        budget=budget,
        full_tokens=full_tokens,
    )
