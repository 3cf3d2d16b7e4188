"""Recaps of runs of messages, as an extension left them, become scenes with recaps. Pure."""

from __future__ import annotations

import time
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from app.sillytavern.extensions.ranged_recaps import RangedRecap, RangedRecaps
from app.story.clearance import Forgotten
from app.story.messages import Message, places_of
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak, scene_digest
from app.views.findings import Left, Omission
from app.work.planning.planner import recapped_messages

Versions = Mapping[str, Sequence[SceneRecap]]
_FOUND = (BreakOrigin.HEURISTIC, BreakOrigin.MODEL)


@dataclass(frozen=True, slots=True)
class Held:
    """What is known of the chat's scenes already. speakers: whose messages recaps are made from."""

    messages: Sequence[Message]
    breaks: Mapping[str, SceneBreak]
    recaps: Versions
    forgotten: Forgotten = field(default_factory=Forgotten)
    speakers: str = "both"


def scenes_from(found: RangedRecaps, held: Held) -> tuple[Left, Mapping[Omission, int]]:
    """What of it is new here, and how many were left out, by reason.

    A scene that the user or an extension marked, and one that the user or a model recapped, stays
    as it is: what would cut or join it is left out. Breaks that were found here give way.
    """
    taking = _Taking(found.made_by, held)
    for (first, last), versions in groupby(found.recaps, key=lambda one: (one.first, one.last)):
        taking.take(first, last, tuple(versions))
    return taking.left, dict(Counter(found.left_out) + taking.left_out)


class _Taking:
    """Goes through them in their order, and cuts the story as it goes."""

    def __init__(self, made_by: str, held: Held) -> None:
        self._made_by = made_by
        self._held = held
        self._breaks = dict(held.breaks)
        places = places_of(held.messages, self._breaks)
        # Indexes at which a scene ends, in their order.
        self._ends = [index for anchor, index in places.items() if self._breaks[anchor].is_visible]
        self._new: dict[str, SceneBreak] = {}
        self._hidden: dict[str, SceneBreak] = {}
        self._recaps: list[SceneRecap] = []
        self.left_out: Counter[Omission] = Counter()

    @property
    def left(self) -> Left:
        """What there is to take in."""
        breaks, hidden = tuple(self._new.values()), tuple(self._hidden.values())
        return Left(breaks, tuple(self._recaps), hidden=hidden)

    def take(self, first: int, last: int, versions: Sequence[RangedRecap]) -> None:
        """One scene with all that was ever told of it."""
        anchor = self._held.messages[last].anchor
        told = (*self._held.recaps.get(anchor, ()), *self._put_away(anchor))
        known = {recap.text for recap in told}
        new = [version for version in versions if version.text not in known]
        if anchor in self._held.forgotten.scenes or not new:
            return
        if self._crosses(first, last):
            self.left_out[Omission.CROSSES] += len(new)
            return
        for index in self._ends_in(first, last):
            mark = self._breaks[self._held.messages[index].anchor]
            self._hidden[mark.anchor] = replace(mark, is_visible=False)
            self._ends.remove(index)
        name = next((version.name for version in reversed(versions) if version.name), "")
        self._end(last, name)
        if first:
            self._end(first - 1, "")
        self._recaps += self._versions(first, last, anchor, new)

    def _put_away(self, anchor: str) -> Sequence[SceneRecap]:
        return self._held.forgotten.scene_recaps.get(anchor, ())

    def _crosses(self, first: int, last: int) -> bool:
        """Whether a scene that is to stay as it is would be cut or joined with others."""
        for start, end in self._scenes_in(first, last):
            is_same = (start, end) == (first, last)
            if not is_same and self._is_settled(self._held.messages[end].anchor):
                return True
        # Where the user took a break away, none is set again.
        return any(self._is_taken_away(index) for index in (last, first - 1) if index >= 0)

    def _scenes_in(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """First and last message of each closed scene that shares messages with a run."""
        at = bisect_left(self._ends, first)
        start = self._ends[at - 1] + 1 if at else 0
        while at < len(self._ends) and start <= last:
            yield start, self._ends[at]
            start, at = self._ends[at] + 1, at + 1

    def _is_settled(self, anchor: str) -> bool:
        recaps = self._held.recaps.get(anchor, ())
        if self._breaks[anchor].origin not in _FOUND or self._breaks[anchor].is_named:
            return True
        return any(not recap.is_without_model for recap in recaps)

    def _is_taken_away(self, index: int) -> bool:
        mark = self._breaks.get(self._held.messages[index].anchor)
        return mark is not None and not mark.is_visible and mark.origin not in _FOUND

    def _ends_in(self, first: int, last: int) -> list[int]:
        """Where scenes end within a run, but not at its own end."""
        return self._ends[bisect_left(self._ends, first) : bisect_left(self._ends, last)]

    def _end(self, index: int, name: str) -> None:
        """Let a scene end here, where none does."""
        at = bisect_left(self._ends, index)
        if at < len(self._ends) and self._ends[at] == index:
            return
        insort(self._ends, index)
        anchor = self._held.messages[index].anchor
        mark = SceneBreak(anchor, BreakOrigin.IMPORT, cue="import", name=name)
        self._breaks[anchor] = self._new[anchor] = mark
        self._hidden.pop(anchor, None)

    def _versions(
        self, first: int, last: int, anchor: str, new: Sequence[RangedRecap]
    ) -> Iterator[SceneRecap]:
        held = self._held
        scene = Scene(1, first, last, self._breaks[anchor])
        source = scene_digest(recapped_messages(held.messages, scene, held.speakers))
        before = held.recaps.get(anchor, ())
        # What the user or a model wrote here goes on to count.
        is_first = all(recap.is_without_model for recap in before)
        for place, version in enumerate(new):
            yield SceneRecap(
                anchor=anchor,
                version=place,
                name=version.name,
                text=version.text,
                source_digest=source,
                made_by=self._made_by,
                created=version.created or time.time(),
                is_current=is_first and version is new[-1],
            )
