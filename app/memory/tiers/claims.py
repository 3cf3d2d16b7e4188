"""What a model says of a window, read but not yet believed."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as field_of

from app.memory.records import Expiration, Tier


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity as a model names it. type: "unknown" where it does not say."""

    name: str
    type: str = "unknown"


@dataclass(frozen=True, slots=True)
class Claim:
    """A memory that a model proposes; fields as in Memory.

    sources: numbers of messages in the window that it cites, as written, also impossible ones.
    line: its place in the answer.
    """

    tier: Tier
    type: str
    text: str
    subject: str = ""
    target: str = ""
    field: str = ""
    magnitude: str = ""
    detail: str = ""
    told_by: str = ""
    channel: str = ""
    importance: int = 2
    expiration: Expiration = Expiration.PERMANENT
    entities: tuple[Mention, ...] = ()
    triggers: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()
    line: int = field_of(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ClaimedEnd:
    """Something remembered that, says a model, no longer holds.

    numbers: of the entries in the list that it was shown (epistemic entries, arcs), from 1. text:
    the entry in words where it gives no number; how an arc was resolved goes to `resolution`.
    subject, target, field: which feeling (text: the attitude) or which value of the ledger. A tier
    of memories: one of them, in its words. line: its place in the answer.
    """

    tier: Tier
    numbers: tuple[int, ...] = ()
    text: str = ""
    subject: str = ""
    target: str = ""
    field: str = ""
    type: str = ""
    resolution: str = ""
    sources: tuple[int, ...] = ()
    line: int = field_of(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PresenceLine:
    """What a line says of one person. kind: enter, leave, present, said or shown. place: of a
    move, "" unsaid. whom: to whom somebody says or shows a thing. text: the thing. sources: numbers
    of messages, as written.
    """

    kind: str
    who: str
    place: str = ""
    whom: tuple[str, ...] = ()
    text: str = ""
    sources: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer line by line. is_none: it says that there is nothing.

    skipped: lines with text that were no entry; many of them mean a poor answer. presence: who
    comes and goes, and what is said and shown openly.
    """

    claims: tuple[Claim, ...] = ()
    ends: tuple[ClaimedEnd, ...] = ()
    skipped: tuple[str, ...] = ()
    is_none: bool = False
    presence: tuple[PresenceLine, ...] = ()

    @property
    def is_usable(self) -> bool:
        """Whether anything was understood."""
        return self.is_none or bool(self.claims or self.ends or self.presence)
