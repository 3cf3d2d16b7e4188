"""What a slot might tell, best first, and how much of it fits. Pure.

A draft shows a beginning of its ranking: whatever is shown outranks whatever is not. Which
beginning fits depends on the budget alone, and a larger budget never gives a shorter one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from app.prompt.choosing.framing import defused, framed
from app.prompt.slots import LeftOut, PassageShown
from app.settings.slot_table import SlotName

Count = Callable[[str], int]
Place = tuple[int | float | str, ...]
ELSEWHERE = 1_000_000  # added to the rank of what another chat says


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that a slot shows or leaves out as a whole.

    text: of one line (framing.one_line). place: sorts what is shown. group: which heading it
    stands under. row: name of a line that it shares with others, "" for its own. head: how that
    line begins. memory: id. rank: what ranks lower comes later whatever it adds. worth: for the
    next reply, 1 for what is usual. gain: what it adds for its length to what is told before it,
    1 for the mean. passage: of a message, where it is one. is_whole: it is a sentence, though it
    shares its line. message: index of the one that it is a note of, -1 for none.
    """

    text: str
    place: Place
    group: int = 0
    row: str = ""
    head: str = ""
    memory: str = ""
    rank: int = 0
    worth: float = 1.0
    gain: float = 1.0
    passage: PassageShown | None = None
    is_whole: bool = False
    message: int = -1

    @property
    def is_elsewhere(self) -> bool:
        """Whether another chat says so, and it has its place behind what this one does."""
        return self.rank >= ELSEWHERE


@dataclass(frozen=True)
class Draft:
    """What a slot might tell.

    entries: best first. template, placeholder: the frame. headings: by group, "" for none.
    joiner: between entries of one line. above: groups before the first framed one, without frame.
    left_out: what is not even tried. is_elsewhere: another chat says all of it.
    """

    name: SlotName
    entries: tuple[Entry, ...]
    template: str
    placeholder: str
    headings: tuple[str, ...] = ("",)
    joiner: str = ", "
    above: int = 0
    left_out: tuple[LeftOut, ...] = ()
    is_elsewhere: bool = False

    def render(self, shown: int) -> str:
        """The text of the best `shown` entries, frame included; "" for none."""
        if shown not in self._rendered:
            self._rendered[shown] = self._text(shown)
        return self._rendered[shown]

    @cached_property
    def _rendered(self) -> dict[int, str]:
        return {}

    def _text(self, shown: int) -> str:
        rows: dict[tuple[int, str, int], list[str]] = {}
        heads: dict[tuple[int, str, int], str] = {}
        for number, entry in enumerate(sorted(self.entries[:shown], key=lambda e: e.place)):
            key = (entry.group, entry.row, 0 if entry.row else number)
            rows.setdefault(key, []).append(entry.text)
            heads.setdefault(key, entry.head)
        told: dict[int, list[str]] = {}
        for key, texts in rows.items():
            told.setdefault(key[0], []).append(heads[key] + self.joiner.join(texts))
        blocks = {
            group: "\n".join(filter(None, (self.headings[group], *told[group])))
            for group in sorted(told)
        }
        upper = [defused(text) for group, text in blocks.items() if group < self.above]
        lower = "\n".join(text for group, text in blocks.items() if group >= self.above)
        return "\n\n".join(filter(None, (*upper, framed(lower, self._frame, self.placeholder))))

    @property
    def _frame(self) -> str:
        """The frame; one that has lost its placeholder still stands above the text."""
        if not self.template.strip() or self.placeholder in self.template:
            return self.template
        return f"{self.template}\n{self.placeholder}"

    def costs(self, count: Count) -> tuple[int, ...]:
        """Tokens that the best n entries take together, for n from 1, each line counted alone."""
        if count not in self._counted:
            self._counted[count] = self._costs(count)
        return self._counted[count]

    @cached_property
    def _counted(self) -> dict[Count, tuple[int, ...]]:
        return {}

    def _costs(self, count: Count) -> tuple[int, ...]:
        seen: set[object] = set()
        added = []
        for entry in self.entries:
            if (entry.group, entry.row) in seen:
                cost = count(self.joiner + entry.text)
            else:
                cost = count(entry.head + entry.text + "\n")
            if entry.group not in seen:
                cost += count(self.headings[entry.group] + "\n")
            if entry.group >= self.above and "frame" not in seen:
                cost += count(self._frame.replace(self.placeholder, "") + "\n")
                seen.add("frame")
            seen |= {entry.group, (entry.group, entry.row)} if entry.row else {entry.group}
            added.append(cost)
        return tuple(accumulate(added))


def shown_within(draft: Draft, budget: int, count: Count) -> int:
    """How many of the best entries fit a budget, frame included."""
    costs = draft.costs(count)
    shown = sum(cost <= budget for cost in costs)
    while shown and count(draft.render(shown)) > budget:
        shown -= 1
    while shown < len(costs) and count(draft.render(shown + 1)) <= budget:
        shown += 1
    return shown


def dealt_out(
    drafts: Sequence[Draft],
    fitting: Mapping[SlotName, int],
    weights: Mapping[SlotName, int],
    total: int | None,
    count: Count,
) -> dict[SlotName, int]:
    """How many of the entries that fit its budget each draft shows, all within the total.

    Where the total is too small, entries are taken by what they add (Entry.gain) and by how much
    their draft has had already, in proportion to its weight (weighted fair queuing): so what one
    slot does not need goes to the others, a line that adds little waits, and a larger total only
    adds.
    """
    taken = dict(fitting)
    if total is None or tokens_of(drafts, taken, count) <= total:
        return taken
    queue = sorted(
        (time, number, cost)
        for number, draft in enumerate(drafts)
        for time, cost in _times(draft, fitting[draft.name], weights[draft.name], count)
    )
    taken = dict.fromkeys(fitting, 0)
    costs: dict[int, int] = {}
    order: list[SlotName] = []
    for _, number, cost in queue:
        costs[number] = cost
        if sum(costs.values()) > total:
            break
        order.append(drafts[number].name)
        taken[drafts[number].name] += 1
    while order and tokens_of(drafts, taken, count) > total:
        taken[order.pop()] -= 1
    return taken


def _times(draft: Draft, fitting: int, weight: int, count: Count) -> Iterator[tuple[float, int]]:
    """When each entry is sent, and what all up to it cost: early what adds much, and of each draft
    the sooner the less of its share it has had.
    """
    time = 0.0
    for entry, cost in zip(draft.entries[:fitting], draft.costs(count), strict=False):
        time = max(time, 1 / entry.gain + cost / max(1, weight))
        yield time, cost


def tokens_of(drafts: Iterable[Draft], taken: Mapping[SlotName, int], count: Count) -> int:
    """Tokens of so many entries of each draft."""
    return sum(count(draft.render(taken[draft.name])) for draft in drafts)
