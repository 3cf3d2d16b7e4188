"""Where messages stand: the index of each by its anchor, made once for a chat that grows."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from operator import attrgetter
from typing import Protocol, TypeVar, overload

from app.story.anchors import common_ends
from app.story.messages import Message

T = TypeVar("T")
Test = Callable[[Message], bool]


class CeasingTest(Protocol):
    """A test that a message passes until it does not any more."""

    def __call__(self, message: Message, /) -> bool: ...

    def still(self, messages: Iterable[Message], /) -> Iterable[bool]:
        """Whether each of these, which passed it once, passes it now; asked of many at a time."""
        ...


_ANCHOR = attrgetter("anchor")
_QUESTIONS = 8  # of which the answers are kept
_SPARE = 1024  # anchors of messages that are gone, beside as many as there are messages


class Places(Mapping[str, int]):
    """Index by anchor of messages that never change, made when it is first asked for.

    The places of the same chat a message later share its table: it may hold anchors that came
    later, or went, so each answer is compared with the message that stands there.
    """

    __slots__ = ("_before", "_digests", "_found", "_head", "_lasts", "_table", "messages")

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self.messages = messages
        self._table: dict[str, int] | None = None
        self._before: Sequence[Message] = ()
        self._head = 0
        self._lasts: list[tuple[Collection[str], int]] = []
        self._found: list[tuple[Test, array[int]]] = []
        self._digests: dict[tuple[int, int, Hashable], str] = {}

    def after(self, messages: Sequence[Message], head: int) -> Places:
        """Those of other messages, of which the first `head` are the same."""
        places = Places(messages)
        places._before, places._head = self.messages, head
        places._found = [
            (test, found[: bisect_left(found, head)] + _passing(test, messages, head))
            for test, found in self._found
        ]
        places._digests = {at: known for at, known in self._digests.items() if at[1] < head}
        table = self._table
        if table is None or len(table) > 2 * len(messages) + _SPARE:
            return places
        new = list(map(_ANCHOR, messages[head:]))
        # Who still asks for the old places must not be told of an anchor's new one.
        if all(table.get(anchor, index) == index for index, anchor in enumerate(new, head)):
            table.update(zip(new, range(head, len(messages)), strict=True))
            places._table = table
        places._lasts = [
            (anchors, max(last, _last_in(new, anchors, head)))
            for anchors, last in self._lasts
            if last < head
        ]
        return places

    def head_of(self, messages: Sequence[Message]) -> int:
        """How many messages, from the first, are those of another chat or moment."""
        if messages is self.messages:
            return len(messages)
        head = self._head if messages is self._before else 0
        return head + common_ends(self.messages[head:], messages[head:])[0]

    def last_of(self, anchors: Collection[str]) -> int:
        """The highest index of any of these anchors, -1 where none is there.

        anchors: never changed; asked for again, and for the same a message later, it is known.
        """
        for asked, last in self._lasts:
            if asked is anchors:
                return last
        last = max((self.get(anchor, -1) for anchor in anchors), default=-1)
        self._lasts = [*self._lasts[1 - _QUESTIONS :], (anchors, last)]
        return last

    def where(self, test: Test) -> Sequence[int]:
        """Indexes of the messages that pass a test, ascending.

        What it says of a message depends on that alone; asked again, the same test (by ==) is made
        of new messages only.
        """
        for asked, known in self._found:
            if asked == test:
                return known
        found = _passing(test, self.messages, 0)
        self._keep(test, found)
        return found

    def still(self, test: CeasingTest) -> Sequence[int]:
        """The same for a test that a message may cease to pass: then it never does again."""
        known = self.where(test)
        found = array("q", compress(known, test.still(map(self.messages.__getitem__, known))))
        if len(found) < len(known):
            self._keep(test, found)
        return found

    def digest_of(
        self, first: int, last: int, kind: Hashable, make: Callable[[Sequence[Message]], str]
    ) -> str:
        """A digest of messages `first` to `last`, made once until one of them changes.

        kind: names what `make` takes of them; whoever gives the same kind makes the same of them.
        """
        at = (first, last, kind)
        known = self._digests.get(at)
        if known is None:
            known = self._digests[at] = make(self.messages[first : last + 1])
        return known

    def _keep(self, test: Test, found: array[int]) -> None:
        others = [(asked, known) for asked, known in self._found if asked != test]
        self._found = [*others[1 - _QUESTIONS :], (test, found)]

    def _made(self) -> dict[str, int]:
        table = self._table
        if table is None:
            anchors = map(_ANCHOR, self.messages)
            table = self._table = dict(zip(anchors, range(len(self.messages)), strict=True))
        return table

    def __getitem__(self, anchor: str) -> int:
        index = self.get(anchor)
        if index is None:
            raise KeyError(anchor)
        return index

    @overload
    def get(self, anchor: str, /) -> int | None: ...
    @overload
    def get(self, anchor: str, /, default: int | T) -> int | T: ...
    def get(self, anchor: str, /, default: object = None) -> object:
        """The index of a message, `default` for one that is not there."""
        messages = self.messages
        index = self._made().get(anchor)
        if index is not None and index < len(messages) and messages[index].anchor == anchor:
            return index
        return default

    def __contains__(self, anchor: object) -> bool:
        index = self._made().get(anchor) if isinstance(anchor, str) else None
        messages = self.messages
        return index is not None and index < len(messages) and messages[index].anchor == anchor

    def __iter__(self) -> Iterator[str]:
        return map(_ANCHOR, self.messages)

    def __len__(self) -> int:
        return len(self.messages)

    @property
    def hashes(self) -> Mapping[str, str]:
        """Content hash by anchor."""
        return _Hashes(self)


def _passing(test: Test, messages: Sequence[Message], head: int) -> array[int]:
    new = enumerate(messages[head:], head)
    return array("q", [index for index, message in new if test(message)])


def _last_in(new: Sequence[str], anchors: Collection[str], head: int) -> int:
    found = (index for index in range(len(new) - 1, -1, -1) if new[index] in anchors)
    return next((head + index for index in found), -1)


class _Hashes(Mapping[str, str]):
    """Content hash by anchor of the messages of some places."""

    __slots__ = ("_places",)

    def __init__(self, places: Places) -> None:
        self._places = places

    def __getitem__(self, anchor: str) -> str:
        return self._places.messages[self._places[anchor]].content_hash

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
