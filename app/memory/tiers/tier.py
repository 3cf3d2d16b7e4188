"""What a tier is: one value of `TierSpec` for each, in a module of its own.

A tier that needs nothing special says what it is called, how its lines are read and shown, and
leaves the rest as it is here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from app.memory.records import EndReason, Expiration, Memory, Tier
from app.memory.tiers.claims import Claim, ClaimedEnd
from app.memory.tiers.lines import Line

Entries = tuple[Collection[Claim], Collection[ClaimedEnd]]
Say = Callable[..., str]  # an English text with fields, in the language of whoever reads it


class Repeat(Enum):
    """When a claim of one answer says what an earlier one said."""

    IN_WORDS = "in words"
    # Learned twice it stands on two messages: one of them may go.
    IN_WORDS_AND_SOURCES = "in words and sources"
    VALUE = "value"  # one for each field and place in the story: the last one counts


class Identity(Enum):
    """By what an entry is the same as another one, or takes its place."""

    MEANING = "meaning"  # what it says; where that leaves doubt a model is asked
    KEY = "key"  # one value holds for each key
    THREAD = "thread"  # what is open between the same two
    ATTITUDE = "attitude"  # one of each holder to each matter


@dataclass(frozen=True, slots=True)
class TierWords:
    """What people read of a tier; all but `count` are English texts to be translated.

    name: on pages. purpose: what it holds, in a sentence. count: so many of its entries, told.
    switch, switch_help: of its setting, where these are not name and purpose. title: in the
    terminal, where it is not the name. in_sentence: as in "too weak for the state ledger".
    text, subject, target: what to write into these fields by hand; "" for fields it has not.
    """

    name: str
    purpose: str
    count: Callable[[int], str]
    switch: str = ""
    switch_help: str = ""
    title: str = ""
    in_sentence: str = ""
    text: str = ""
    subject: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class TierSlot:
    """The slot that lists a tier's entries one by one; English, to be translated.

    what: as in "budget of story arcs". meaning: what it holds, in a sentence. heading: over the
    entries in the prompt. depth: messages behind it. budget, least: tokens. pressed, by_kind: as in
    `SlotSpec`.
    """

    what: str
    meaning: str
    heading: str
    budget: int
    least: int = 100
    depth: int = 2
    pressed: int = 100
    by_kind: tuple[float, float, float, float] | None = None


THAT = "that"  # begins a clause, as in "Mara knows that it rains"


def in_english(text: str, **values: str) -> str:
    """How models and files are told: `Say` that translates nothing."""
    return text.format(**values) if values else text


def text_line(memory: Memory) -> str:
    """A memory as it is listed for a model: its words alone, on one line."""
    return " ".join(memory.text.split())


def _told_as_it_is(memory: Memory, say: Say, that: str) -> str:
    return memory.text


def _fits(memory: Memory) -> str:
    return ""


def _entry(memory: Memory) -> dict[str, Any]:
    return {"expiration": memory.expiration.value, "entities": list(memory.entities)}


@dataclass(frozen=True, slots=True)
class TierSpec:
    """All that is peculiar to one tier.

    types: of its memories. hue: its colour's name in the window's theme. slot: of its own in the
    prompt, where its entries are listed one by one. prompt: the task that asks for this tier alone.
    tags: that begin its lines; spellings: what models write for them. read: what a line with one of
    its tags claims and ends.

    heading: over its entries where a model is shown what is known; is_numbered: they have numbers,
    which an answer may mean; ended_heading: over the numbers of those that ended. line: one entry
    in such a list; listed: all of them, where not one by one. rank: what has the highest is left
    out of it first.

    identity: how entries are told apart. key, value: where one value holds for each key: the same
    again is a duplicate, another one replaces it. is_meant: whether a line that ends something of
    this tier means a memory; None where its words have to. cleared: how a value that ended without
    a new one is listed. repeats: within one answer.

    problem: why an entry written by hand makes no sense, "" when it does. told: an entry as a
    sentence for people; the last argument is what a clause begins with. entry: what JSON says of
    it beside what it says of all.

    is_plain: a sentence by itself: it ages, merges with its like, is called up by the moment, and
    may contradict another. most: the setting that bounds how many are kept. comes_back: what is
    beyond that is out of sight until there is room. is_kept_by_character: it outlives its chat.
    is_of_chat: it goes when the chat is forgotten. outlives_pinned: a pinned one outlives its chat
    and its tier. is_ranked: it is compared with the newest messages. is_open: everybody may be told
    of it, in portraits and lorebooks. is_checked: replies are held against it. is_looked_through: a
    model is asked from time to time whether it still holds. is_of_entity: its type is that of its
    subject, which may be a thing. is_thread: it is open until the story resolves it, and says how.
    gives_way_to_session: what a memory of the session tells is not noted beside it. is_witnessed:
    it notes who was there. also: another name for searches.
    """

    tier: Tier
    types: tuple[str, ...]
    words: TierWords
    hue: str
    prompt: str
    tags: tuple[str, ...]
    read: Callable[[Line, str], Entries]
    heading: str
    slot: TierSlot | None = None
    spellings: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_numbered: bool = True
    ended_heading: str = ""
    line: Callable[[Memory], str] = text_line
    listed: Callable[[Sequence[Memory]], list[str]] | None = None
    rank: int = 1
    identity: Identity = Identity.MEANING
    key: Callable[[Memory], Hashable] | None = None
    value: Callable[[Memory], object] = text_line
    is_meant: Callable[[Memory, ClaimedEnd], bool] | None = None
    cleared: Callable[[Memory], str] | None = None
    repeats: Repeat = Repeat.IN_WORDS
    problem: Callable[[Memory], str] = _fits
    told: Callable[[Memory, Say, str], str] = _told_as_it_is
    entry: Callable[[Memory], dict[str, Any]] = _entry
    lasting: Expiration = Expiration.PERMANENT
    is_plain: bool = False
    most: str = ""
    comes_back: bool = False
    is_kept_by_character: bool = False
    is_of_chat: bool = False
    outlives_pinned: bool = False
    is_ranked: bool = False
    is_open: bool = True
    is_checked: bool = False
    is_looked_through: bool = False
    is_of_entity: bool = False
    is_thread: bool = False
    gives_way_to_session: bool = False
    is_witnessed: bool = False
    also: str = ""

    @property
    def ends_as(self) -> EndReason:
        """Why an entry no longer holds that the story says is over."""
        return EndReason.RESOLVED if self.is_thread else EndReason.RETIRED
