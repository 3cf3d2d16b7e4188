"""What people think of each other's minds, as the story states it, and how what merely follows from
who was there yields to that. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from app.memory.names import name_in
from app.memory.standing import Standing
from app.memory.tiers.epistemic import NESTED, STATE_OF_VERB

ABOUT_MINDS = ("does not know", "doesn't know", "doesn’t know", "is unaware")
# "B saw him hide it": what B has learned, and somebody does not know that they have.
LEARNED = re.compile(
    r"(.{1,80}?)\s+(?:(?:already|also|secretly)\s+)?"
    r"(?:knows|saw|(?:has|had) (?:seen|heard|learned|watched|witnessed|overheard|noticed|found out)"
    r"|(?:is|was) watching|watched|witnessed|heard|overheard|noticed|learned|found out)\s+(\S.*)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Inner:
    """What somebody thinks of another's mind: holder and state are the other's (spec §7, one level
    of nesting).
    """

    standing: Standing
    holder: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class Unshared:
    """What somebody does not take another to have learned. since: the message that says so."""

    holder: str
    text: str
    since: int


def inner_of(standing: Standing) -> Inner | None:
    """What the entry says of another's mind, None when it speaks of something else. Who is unaware
    of what another knows thinks nothing of the kind.
    """
    if standing.memory.type == "unaware":
        return None
    text = _plain(standing)
    for verb in ABOUT_MINDS:
        holder, found, about = text.partition(f" {verb} ")
        if found and name_in(holder) and about.strip():
            return Inner(standing, name_in(holder), "unaware", about.removeprefix("of ").strip())
    nested = NESTED.fullmatch(text)
    if nested is None or not _is_named(nested[1]):
        return None
    return Inner(standing, name_in(nested[1]), STATE_OF_VERB[nested[2].lower()], nested[3].strip())


def unshared_of(standing: Standing) -> Unshared | None:
    """What the holder of an entry does not take another to have learned: they think so, or do not
    know that the other did. None when it speaks of something else.
    """
    inner = inner_of(standing)
    if inner is not None:
        is_unaware = inner.state == "unaware"
        return Unshared(inner.holder, inner.text, standing.start) if is_unaware else None
    if standing.memory.type != "unaware":
        return None
    learned = LEARNED.fullmatch(_plain(standing))
    if learned is None or not _is_named(learned[1]):
        return None
    return Unshared(name_in(learned[1]), learned[2].strip(), standing.start)


@dataclass(frozen=True, slots=True)
class StatedMinds:
    """What the entries of one person state of others. key: of a name.

    is_same, is_of_same: whether a stated text says what another one does; whether it says it or
    what takes its place ("the key is under the bed" that of "the key is in the box").
    """

    inner: tuple[Inner, ...]
    unshared: tuple[Unshared, ...]
    key: Callable[[str], str]
    is_same: Callable[[str, str], bool]
    is_of_same: Callable[[str, str], bool]

    def left(self, other: str, learned: Iterable[tuple[int, str]]) -> tuple[int, str] | None:
        """Which of the things that somebody learned together with another one is the last that they
        take them to hold, as far as nothing is stated; None for none.

        learned: (message, text) of one proposition, in the story's order. other: key.
        """
        found = list(learned)
        for mind in self.inner:
            if mind.state == "unaware" or self.key(mind.holder) != other:
                continue
            if any(self.is_of_same(mind.text, text) for _, text in found):
                found = [(at, text) for at, text in found if at > mind.standing.start]
        for one in self.unshared:
            if self.key(one.holder) != other:
                continue
            meant = [m for m in found if m[0] <= one.since and self.is_same(one.text, m[1])]
            found = [m for m in found if m not in meant[-1:]]
        return found[-1] if found else None


def _plain(standing: Standing) -> str:
    return standing.memory.text.removeprefix("that ").strip()


def _is_named(holder: str) -> bool:
    return bool(name_in(holder)) and holder[:1].isupper()
