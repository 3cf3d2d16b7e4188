"""What may be kept of a character, and where a chat's memory only listens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from app.core.translation import tr
from app.memory.records import DocumentKind, Remembered
from app.memory.tiers.table import KEPT_BY_CHARACTER


class Policy(StrEnum):
    """What a character may keep (spec/smart-memory.md §21.6). What belongs to a chat alone, its
    session, arcs, ledger and summary, is kept in any case.
    """

    FULL = "full"  # across chats
    CHAT_LOCAL = "chat-local"  # each chat for itself, beginning with nothing
    READ_ONLY = "read-only"  # what is there is used, and nothing is added
    OFF = "off"  # neither used nor added

    @property
    def adds(self) -> bool:
        """Whether anything may be kept of the character."""
        return self in (Policy.FULL, Policy.CHAT_LOCAL)

    @property
    def crosses_chats(self) -> bool:
        """Whether what other chats gave is used here."""
        return self in (Policy.FULL, Policy.READ_ONLY)


@dataclass(frozen=True, slots=True)
class Pause:
    """A chat adds nothing to its memory. anchor, position: of its last message when that began;
    since: seconds since the epoch.
    """

    anchor: str
    position: int
    since: float


# What makes memories, or texts of them, that a character keeps.
_SWITCHED_OFF: Mapping[str, bool] = MappingProxyType(
    dict.fromkeys(
        (
            *(f"{tier.value}_enabled" for tier in sorted(KEPT_BY_CHARACTER)),
            "profiles_enabled",
            "canon_auto",
        ),
        False,
    )
)


def refusal(name: str, policy: Policy) -> str:
    """Why nothing is added to what somebody remembers, as a sentence."""
    return tr(
        "Memories of {name} are set to “{policy}”. Change that first.",
        name=name,
        policy=tr(policy.value),
    )


def settings_under(policy: Policy, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings, with what the policy forbids switched off."""
    return settings if policy.adds else {**settings, **_SWITCHED_OFF}


def allowed(policy: Policy, remembered: Remembered) -> Remembered:
    """What of all that is remembered may be used."""
    if policy is not Policy.OFF:
        return remembered
    kinds = (DocumentKind.PROFILE, DocumentKind.CANON)
    return replace(
        remembered,
        memories=tuple(m for m in remembered.memories if m.tier not in KEPT_BY_CHARACTER),
        documents=tuple(d for d in remembered.documents if d.kind not in kinds),
    )
