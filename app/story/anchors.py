"""Message anchors: who is who between two readings of a chat."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, Protocol
from zlib import crc32

import msgspec

from app.story.messages import combined_digest

# Characters that a message keeps when SillyTavern's "continue" appends to it.
OPENING_CHARACTERS = 48

_CHUNK = 1024
_FEW = 4
_identity = attrgetter("identity")
_anchor = attrgetter("anchor")


class Fingerprint(Protocol):
    """What a message is recognised by (design.md, "message anchor").

    identity: digest of first swipe's date, name, is_user and first swipe's text.
    weak_identity: what of it outlives an edit or a "continue". content_hash: of the text shown.
    opening: checksum of speaker and the first characters of the first swipe's text, as in the weak
    identity; "" when that text is not at hand.
    """

    @property
    def identity(self) -> str: ...
    @property
    def weak_identity(self) -> str: ...
    @property
    def content_hash(self) -> str: ...
    def opening(self, characters: int) -> str: ...


class KnownMessage(msgspec.Struct, frozen=True, gc=False):
    """A message of the last reading, with the anchor it was given."""

    anchor: str
    identity: str
    weak_identity: str
    content_hash: str


def identities_of(
    first_sent: str, name: str, is_user: bool, first_text: str, first_hash: str
) -> tuple[str, str]:
    """The identity and the weak identity of a message.

    first_sent, first_text: of its first swipe. first_hash: content hash of first_text. Both are
    opaque: the identity is first_hash with a checksum of date and speaker; the weak one has a
    letter for how exact the date is (e exact, c to the minute), that checksum, one of speaker and
    opening, and the length of a text that is shorter than an opening. Checksums will do, since they
    only tell apart what has the same text, or propose among the few messages that nothing better
    was found for.
    """
    # Runs for each message of a first reading, hence `opening_of` in line.
    speaker = _speaker(name, is_user)
    dated = f"{crc32(first_sent.encode('utf-8', 'surrogatepass'), speaker):08x}"
    words = first_text[:OPENING_CHARACTERS].encode("utf-8", "surrogatepass")
    opening = f"{crc32(words, speaker):08x}"
    if len(first_text) < OPENING_CHARACTERS:
        opening = f"{opening}{len(first_text):02x}"
    # "2026-11-20T23:38:00.000Z" is exact, "November 20, 2026 11:38pm" is not.
    grain = "e" if first_sent[4:5] == "-" and first_sent.count(":") > 1 else "c"
    return first_hash + dated, grain + dated + opening


def opening_of(name: str, is_user: bool, text: str, characters: int) -> str:
    """Checksum of speaker and the first characters of a text."""
    words = text[:characters].encode("utf-8", "surrogatepass")
    return f"{crc32(words, _speaker(name, is_user)):08x}"


@lru_cache(maxsize=64)
def _speaker(name: str, is_user: bool) -> int:
    return crc32(f"{name}\0{is_user:d}".encode("utf-8", "surrogatepass"))


def align(
    known: Sequence[KnownMessage],
    current: Sequence[Fingerprint],
    retired: Iterable[KnownMessage] = (),
) -> tuple[str, ...]:
    """The anchor of each current message.

    A message keeps its anchor through edit, swipe, hide, "continue", a move, and whatever is
    inserted or deleted around it; a regenerated reply is a new message. New messages get a
    deterministic anchor that no known or retired one has. retired: messages that were known once
    and are gone; one that returns (an undone deletion) gets its anchor back. For a branch, `known`
    is what was known of its parent. Where dates are only exact to the minute, a reply deleted and
    written anew within the minute counts as edited.
    """
    return align_behind(lambda: (), frozenset(), known, current, retired)


def align_behind(
    before: Callable[[], Iterable[Fingerprint]],
    anchors_before: Container[str],
    known: Sequence[KnownMessage],
    current: Sequence[Fingerprint],
    retired: Iterable[KnownMessage] = (),
) -> tuple[str, ...]:
    """What `align` gives of the last messages of a chat, where all those before are as they were.

    before: gives those; anchors_before: theirs, to be asked for one, with any others. known,
    current: of the last messages.
    """
    old, new = list(map(_identity, known)), list(map(_identity, current))
    same, tail = common_ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    anchors = list(map(_anchor, known))
    if same == new_end:
        return (*anchors[:same], *anchors[old_end:])
    gap = _Gap(known[same:old_end], current[same:new_end])
    gap.match()
    middle = [None if at is None else anchors[same + at] for at in gap.pairs]
    unknown = [i for i, at in zip(new[same:new_end], gap.pairs, strict=True) if at is None]
    present = frozenset(anchors)
    fresh = _fresh_anchors(
        unknown,
        lambda identity: sum(m.identity == identity for m in before()) + old.count(identity),
        lambda anchor: anchor in present or anchor in anchors_before,
        retired,
    )
    named = iter(fresh)
    return (
        *anchors[:same],
        *(next(named) if anchor is None else anchor for anchor in middle),
        *anchors[old_end:],
    )


def known_after(anchors: Iterable[str], current: Iterable[Fingerprint]) -> tuple[KnownMessage, ...]:
    """What is known after a reading: the `known` of the next `align`."""
    return tuple(
        KnownMessage(anchor, c.identity, c.weak_identity, c.content_hash)
        for anchor, c in zip(anchors, current, strict=True)
    )


def retired_after(
    known: Sequence[KnownMessage], retired: Iterable[KnownMessage], anchors: Iterable[str]
) -> tuple[KnownMessage, ...]:
    """The `retired` of the next `align`: all that had an anchor once and is not in the chat.

    known, anchors: before and now; of both what begins alike may be left out.
    """
    before, now = list(map(_anchor, known)), list(anchors)
    # What begins alike is there: a long chat mostly grows at its end.
    head, _ = common_ends(before, now)
    present = set(now[head:])
    gone = {message.anchor: message for message in retired}
    gone.update((message.anchor, message) for message in known[head:])
    return tuple(message for anchor, message in gone.items() if anchor not in present)


def common_ends(first: Sequence[Any], second: Sequence[Any]) -> tuple[int, int]:
    """How many items agree at the start, and at the end behind that; they never overlap."""
    limit = min(len(first), len(second))
    head = 0
    # Slices compare in C, and a chunk is short enough to let other threads in between.
    while head < limit and first[head : head + _CHUNK] == second[head : head + _CHUNK]:
        head = min(head + _CHUNK, limit)
    while head < limit and first[head] == second[head]:
        head += 1
    tail, rest = 0, limit - head
    a, b = len(first), len(second)
    while tail + _CHUNK <= rest and (
        first[a - tail - _CHUNK : a - tail] == second[b - tail - _CHUNK : b - tail]
    ):
        tail += _CHUNK
    while tail < rest and first[a - tail - 1] == second[b - tail - 1]:
        tail += 1
    return head, tail


class _Gap:
    """What lies between the parts that did not change; pairs[i] is the old place of new i."""

    def __init__(self, old: Sequence[KnownMessage], new: Sequence[Fingerprint]) -> None:
        self.old, self.new = old, new
        self.pairs: list[int | None] = [None] * len(new)
        self._free = [True] * len(old)

    def match(self) -> None:
        """Pair by the strongest evidence first; each message at most once."""
        if not self.old:
            return
        self._match_unique(_identity)
        self._match_neighbours()
        self._match_in_order(lambda message, _: message.identity)
        self._match_in_order(lambda message, place: (place, message.content_hash))
        self._match_unique(_exact_date)
        self._match_in_order(lambda message, place: (place, _opening(message)))
        self._match_continued()
        self._match_in_order(lambda message, place: (place, _date(message)))

    def _pair(self, new: int, old: int) -> None:
        self.pairs[new] = old
        self._free[old] = False

    def _match_unique(self, key: Callable[[Any], str | None]) -> None:
        """Pair messages whose key nobody else has on either side, wherever they stand."""
        old = _unique((key(m), i) for i, m in enumerate(self.old) if self._free[i])
        new = _unique((key(m), i) for i, m in enumerate(self.new) if self.pairs[i] is None)
        for text, at in new.items():
            there = old.get(text)
            if there is not None and at is not None:
                self._pair(at, there)

    def _match_neighbours(self) -> None:
        """Of twins, take the one that stands beside the same message as before."""
        for step, places in ((1, range(len(self.new))), (-1, range(len(self.new) - 1, -1, -1))):
            for at in places:
                if self.pairs[at] is not None or not 0 <= at - step < len(self.new):
                    continue
                beside = self.pairs[at - step]
                if beside is None or not 0 <= beside + step < len(self.old):
                    continue
                there = beside + step
                if self._free[there] and self.old[there].identity == self.new[at].identity:
                    self._pair(at, there)

    def _match_continued(self) -> None:
        """Pair a reply that was shorter than an opening with the same reply gone on.

        Only what stood at the end can be continued, so few come into question.
        """
        for there in range(len(self.old) - 1, max(-1, len(self.old) - 1 - _FEW), -1):
            opening, length = _opening(self.old[there])[:8], _opening(self.old[there])[8:]
            if not self._free[there] or not length.strip("0"):
                continue
            place = max((i for i in range(there) if not self._free[i]), default=-1)
            behind = -1
            for at, new in enumerate(self.new):
                pair = self.pairs[at]
                if pair is not None:
                    behind = pair
                elif behind == place and new.opening(int(length, 16)) == opening:
                    self._pair(at, there)
                    break

    def _match_in_order(self, key: Callable[[Any, int], object]) -> None:
        """Pair messages of one key, first with first. `place`: the old message they follow."""
        waiting: dict[object, list[int]] = {}
        place = -1
        for at, old in enumerate(self.old):
            if self._free[at]:
                waiting.setdefault(key(old, place), []).append(at)
            else:
                place = at
        if not waiting:
            return
        for queue in waiting.values():
            queue.reverse()
        place = -1
        for at, new in enumerate(self.new):
            there = self.pairs[at]
            if there is not None:
                place = there
            elif left := waiting.get(key(new, place)):
                # `place` stays: the old ones were filed before this pair was known.
                self._pair(at, left.pop())


def _unique(items: Iterable[tuple[str | None, int]]) -> dict[str, int | None]:
    """Each key with its place, None for those that come more than once."""
    places: dict[str, int | None] = {}
    for key, place in items:
        if key is not None:
            places[key] = None if key in places else place
    return places


def _date(message: KnownMessage | Fingerprint) -> str:
    return message.weak_identity[:9]


def _opening(message: KnownMessage | Fingerprint) -> str:
    return message.weak_identity[9:]


def _exact_date(message: KnownMessage | Fingerprint) -> str | None:
    return _date(message) if message.weak_identity.startswith("e") else None


def _fresh_anchors(
    unknown: Sequence[str],
    twins: Callable[[str], int],
    is_present: Callable[[str], bool],
    retired: Iterable[KnownMessage],
) -> list[str]:
    """Anchors for the identities that nobody knows: a retired one, else a new one.

    twins: how many known messages have an identity. is_present: whether one has an anchor.
    """
    if not unknown:
        return []
    counts: dict[str, int] = {}
    taken: set[str] = set()
    returning: dict[str, deque[str]] = {}
    for message in retired:
        taken.add(message.anchor)
        returning.setdefault(message.identity, deque()).append(message.anchor)
    fresh: list[str] = []
    for identity in unknown:
        waiting = returning.get(identity)
        while waiting and is_present(waiting[0]):
            waiting.popleft()
        if waiting:
            fresh.append(waiting.popleft())
            continue
        while True:
            number = counts.get(identity, 0)
            anchor = combined_digest(identity, str(number))
            counts[identity] = number + 1
            if anchor not in taken and not is_present(anchor):
                break
            if number == 0:
                # Twins are numbered on from where the known ones end: to search from 0 for each
                # would take for ever in a chat of nothing but twins.
                counts[identity] = max(1, twins(identity))
        fresh.append(anchor)
    return fresh
