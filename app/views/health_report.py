"""What to do next about each part, and a report on all of them that tells nobody's story. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from app.core.operations import Operation
from app.core.part_health import COPIES, PARTS, Health, HealthItem, Light
from app.settings.values import REGISTRY
from app.views.bridge import PORT_TAKEN, WAITS, BridgeState


class Remedy(StrEnum):
    """The next sensible thing to do about a part."""

    CHOOSE_FOLDER = "choose folder"
    INSTALL_BRIDGE = "install bridge"
    PAIR_AGAIN = "pair again"
    SHOW_CODE = "show code"
    SEE_PROMPT = "see prompt"
    OPEN_PAGE = "open page"
    CHOOSE_CHAT = "choose chat"
    READ_AGAIN = "read again"
    SEE_COPIES = "see copies"
    GO_ON = "go on"
    SEE_WORK = "see work"
    CHOOSE_MODEL = "choose model"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a report tells beside the lights, in numbers. versions: of what runs, by name."""

    versions: Mapping[str, str]
    taverns: int
    chats: int
    pages: int
    messages: int
    operations: Sequence[Operation]
    settings: Mapping[str, Any]


def remedy_for(item: HealthItem, *, has_tavern: bool, is_paused: bool) -> Remedy | None:
    """What to do about a part, None where nothing needs to be done."""
    match item.name:
        case "sillytavern" if not has_tavern:
            return Remedy.CHOOSE_FOLDER
        case "bridge":
            return _for_bridge(item, has_tavern=has_tavern)
        case "reading" if item.light is Light.OFF:
            return Remedy.CHOOSE_CHAT
        case "reading" if item.cause == COPIES:
            return Remedy.SEE_COPIES
        case "reading" if item.light is Light.BAD:
            return Remedy.READ_AGAIN
        case "queue" if is_paused:
            return Remedy.GO_ON
        case "queue" if item.light is Light.BAD:
            return Remedy.SEE_WORK
        case "backend" if item.light is Light.BAD:
            return Remedy.CHOOSE_MODEL
    return None


def _for_bridge(item: HealthItem, *, has_tavern: bool) -> Remedy | None:
    if item.cause == BridgeState.UNPAIRED:
        return Remedy.PAIR_AGAIN
    if item.cause == WAITS:
        return Remedy.OPEN_PAGE if has_tavern else None
    if item.cause == PORT_TAKEN:
        return Remedy.SHOW_CODE
    if item.cause == BridgeState.SWITCHED_OFF:  # only SillyTavern switches it on
        return None
    if item.cause == BridgeState.ABSENT or item.light is Light.OFF:
        return Remedy.INSTALL_BRIDGE if has_tavern else None
    return Remedy.SEE_PROMPT if item.light is Light.BAD else None


def report_of(health: Health, facts: Facts) -> str:
    """A report to send to somebody: lights, versions and numbers.

    No sentence of a part is in it, since one may name a chat, a folder or a server; of settings
    only numbers and choices that differ from the default. English in every language: whoever is
    asked for help has to understand it.
    """
    lines = ["Tavernkeep, how it is doing", ""]
    lines += [f"{name}: {version}" for name, version in facts.versions.items()]
    lines.append("")
    lines += [f"{part}: {getattr(health, part).light.value}" for part in PARTS]
    lines.append("")
    lines.append(f"user folders: {facts.taverns}, chats: {facts.chats}, pages: {facts.pages}")
    lines.append(f"messages of the chat that is shown: {facts.messages}")
    counts = Counter((op.spec.kind.value, op.status.value) for op in facts.operations)
    lines += [f"work: {kind}, {status}: {n}" for (kind, status), n in sorted(counts.items())]
    lines.append("")
    lines += [
        f"setting {name}: {value}"
        for name, value in facts.settings.items()
        if _is_telling_nothing(name, value)
    ]
    return "\n".join(lines).rstrip() + "\n"


def _is_telling_nothing(name: str, value: Any) -> bool:
    setting = REGISTRY[name]
    is_harmless = isinstance(value, int | float) or value in setting.choices
    return is_harmless and value != setting.default
