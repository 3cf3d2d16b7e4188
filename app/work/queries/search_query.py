"""What a search asks for: words, "exact words", -left out, in: a chat, kind: of memory. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.core.errors import UsageError
from app.core.translation import tr
from app.memory.documents.search_words import letters_of, place_called, with_fields
from app.memory.records import Tier
from app.memory.tiers.table import TIERS

HERE = "here"  # in:here means the chat that is shown
MESSAGES = "messages"  # kind:messages means no memory at all
LONGEST = 2_000
_PART = re.compile(
    r'(?:(?P<key>in|kind|tier|who):)?(?P<minus>(?<![^\s])-)?(?:"(?P<quoted>[^"]*)"|(?P<plain>[^\s"]+))',
    re.I,
)


@dataclass(frozen=True, slots=True)
class Query:
    """words: all wanted, in any order. phrases: wanted as they stand. without: in no find. chats:
    parts of names, casefolded. people: parts of their names, casefolded; one of them has said it or
    is in it. tiers: of memories; with any, no messages are meant.
    """

    words: str = ""
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    chats: tuple[str, ...] = ()
    tiers: tuple[Tier, ...] = ()
    only_messages: bool = False
    people: tuple[str, ...] = ()


def read_query(text: str) -> Query:
    """The query that is meant; whatever is none of its forms is plain words.

    Raises UsageError for a kind of memory that there is not.
    """
    words: list[str] = []
    phrases: list[str] = []
    without: list[str] = []
    chats: list[str] = []
    tiers: list[Tier] = []
    people: list[str] = []
    only_messages = False
    for part in _PART.finditer(with_fields(text[:LONGEST])):
        key, quoted = (part["key"] or "").lower(), part["quoted"]
        is_kind = key in ("kind", "tier")
        said = part["plain"] if quoted is None else quoted
        if key == "in" or is_kind:
            said = place_called(said)
        if key == "in" and said.strip():
            chats.append(" ".join(said.casefold().split()))
        elif key == "who" and said.strip():
            people.append(" ".join(said.casefold().split()))
        elif is_kind and said.strip():
            if MESSAGES.startswith(said.lower()):
                only_messages = True
            else:
                tiers.append(_tier(said))
        elif part["minus"]:
            without.append(said)
        elif quoted is not None:
            phrases.append(said)
        else:
            words.append(f"{key}:{said}" if key else said)
    if not words and not phrases:
        words = list(people)
    if not words and not phrases:  # nothing to leave anything out of
        words, without = without, []
    return Query(
        " ".join(words),
        tuple(phrases),
        tuple(without),
        tuple(chats),
        tuple(tiers),
        only_messages,
        tuple(people),
    )


def _tier(said: str) -> Tier:
    wanted = letters_of(said)
    for tier in Tier:
        called = (tier.value, TIERS[tier].also or tier.value, tr(TIERS[tier].words.name))
        if wanted and any(letters_of(name).startswith(wanted) for name in called):
            return tier
    names = ", ".join(tr(TIERS[tier].words.name).lower().replace(" ", "-") for tier in Tier)
    raise UsageError(
        tr(
            "There is no kind of memory called “{said}”. There are: {names}, messages.",
            said=said,
            names=names,
        )
    )
