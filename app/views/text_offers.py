"""Longer texts that can be asked for, and what each takes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class TextRequest(StrEnum):
    """A text that can be asked for."""

    PROFILES = "profiles"
    CANON = "canon"
    SUMMARY = "summary"
    CONTINUITY = "continuity"


@dataclass(frozen=True, slots=True)
class TextOffer:
    """What asking for a text takes. requests: at most. tokens: of prompts and answers, about.
    why_not: a sentence where it cannot be asked for, "" where it can. reaches: index of the message
    that it tells up to where one request does not hold all that is new, None where it does; last:
    index of the last of these.
    """

    request: TextRequest
    requests: int = 0
    tokens: int = 0
    why_not: str = ""
    reaches: int | None = None
    last: int = 0
