"""What the user makes of two versions: a choice for each difference, and words of their own.

No Qt: the editor shows `Merge.display` and tells `Merge.type_text` what became of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.core.translation import N_, tr
from app.story.comparison import Block, BlockKind, Choice, chosen_text, taken

OPEN_WORDS = N_("Not chosen yet: take left, take right, or write here.")
TYPING = N_("writing")
_TAKEN = {
    Choice.LEFT: N_("take left in {name}"),
    Choice.RIGHT: N_("take right in {name}"),
    Choice.BOTH: N_("take both in {name}"),
}
_ALL_TAKEN = {
    Choice.LEFT: N_("take all left"),
    Choice.RIGHT: N_("take all right"),
    Choice.BOTH: N_("take all both"),
}
STEPS_KEPT = 500


@dataclass(frozen=True, slots=True)
class Part:
    """What stands for one block. choice: None while open. own: the user's words in place of it,
    with the white space before them."""

    choice: Choice | None = None
    own: str | None = None


@dataclass(frozen=True, slots=True)
class _Step:
    """A state to go back to, and the name of what was done then. part: where, when typing."""

    parts: tuple[Part, ...]
    label: str
    part: int = -1


class Merge:
    """The choices between two texts, with their undo.

    Differences are counted from 0 in the order of the text; equal blocks are none.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = tuple(blocks)
        self.differences = tuple(
            number for number, block in enumerate(blocks) if block.kind is not BlockKind.EQUAL
        )
        self._parts = tuple(Part() for _ in blocks)
        self._done: list[_Step] = []
        self._undone: list[_Step] = []

    @property
    def open_count(self) -> int:
        """Differences that are not chosen yet."""
        return sum(self._is_open(number) for number in self.differences)

    @property
    def undo_label(self) -> str:
        """What would be taken back, "" for nothing."""
        return self._done[-1].label if self._done else ""

    @property
    def redo_label(self) -> str:
        """What would be done again, "" for nothing."""
        return self._undone[-1].label if self._undone else ""

    def choice(self, difference: int) -> Choice | None:
        """What was chosen for a difference; None while it is open or the user's own."""
        part = self._parts[self.differences[difference]]
        return part.choice if part.own is None else None

    def is_open(self, difference: int) -> bool:
        """Whether nothing stands for a difference yet."""
        return self._is_open(self.differences[difference])

    def name(self, difference: int) -> str:
        """What a difference is called: its heading, or its number."""
        return self.blocks[self.differences[difference]].heading or tr(
            "change {n}", n=difference + 1
        )

    @property
    def text(self) -> str:
        """The result; what is open is left out."""
        sides = [self._parts[number].choice for number in self.differences]
        if all(part.own is None for part in self._parts) and len(set(sides)) == 1 and sides[0]:
            # One side throughout: exactly its text, white space and all.
            return chosen_text(self.blocks, [sides[0]] * len(self.blocks))
        return "".join(self._pieces(with_open=False)).strip("\n")

    @property
    def display(self) -> str:
        """The result as it is shown: what is open says so."""
        return "".join(self._pieces())

    def open_stretches(self) -> list[tuple[int, int]]:
        """(start, end) in `display` of the words that stand where nothing is chosen."""
        found, at = [], 0
        for number, piece in enumerate(self._pieces()):
            at += len(piece)
            if self._is_open(number):
                found.append((at - len(tr(OPEN_WORDS)), at))
        return found

    def start_of(self, difference: int) -> int:
        """Where a difference begins in `display`."""
        pieces = self._pieces()
        number = self.differences[difference]
        before = sum(len(piece) for piece in pieces[:number])
        return before + len(pieces[number]) - len(pieces[number].lstrip("\n"))

    def take(self, difference: int, choice: Choice) -> None:
        """Choose a side; what the user wrote there gives way."""
        number = self.differences[difference]
        part = Part(choice)
        if self._parts[number] != part:
            self._do(tr(_TAKEN[choice], name=self.name(difference)), {number: part})

    def take_all(self, choice: Choice) -> None:
        """Choose one side for every difference."""
        parts = {number: Part(choice) for number in self.differences}
        if any(self._parts[number] != part for number, part in parts.items()):
            self._do(tr(_ALL_TAKEN[choice]), parts)

    def undo(self) -> str:
        """Go one step back; gives its name."""
        return self._step(self._done, self._undone)

    def redo(self) -> str:
        """Do again what was taken back."""
        return self._step(self._undone, self._done)

    def type_text(self, shown: str) -> int | None:
        """The editor shows other words now. Gives where its cursor belongs when what is to be
        shown is something else again: words in an open place push its notice aside."""
        before = self.display
        start, end, inserted = _change(before, shown)
        if start == end and not inserted:
            return None
        changed, cursor = self._typed(start, end, inserted)
        first = min(changed)
        last = self._done[-1] if self._done else None
        joins = last is not None and last.label == TYPING and last.part == first
        if joins and not inserted.isspace():
            self._parts = _with(self._parts, changed)
            self._undone.clear()
        else:
            self._do(TYPING, changed, first)
        return None if self.display == shown else cursor

    def _typed(self, start: int, end: int, inserted: str) -> tuple[dict[int, Part], int]:
        """The parts that an edit of `display` changes, and where it leaves the cursor."""
        changed: dict[int, Part] = {}
        cursor = start + len(inserted)
        pieces = self._pieces()
        high = 0
        for number, piece in enumerate(pieces):
            low, high = high, high + len(piece)
            is_cut = low < end and high > start
            # What is typed at a seam goes on with the words before it.
            is_typed_into = start == end and (low < start <= high or (start == 0 and bool(piece)))
            if (changed and start == end) or not (is_cut or is_typed_into):
                continue
            own = "" if changed else inserted
            if self._is_open(number):
                own = piece[: len(piece) - len(tr(OPEN_WORDS))] + own
                cursor = low + len(own)
            else:
                own = piece[: max(0, start - low)] + own + piece[max(0, end - low) :]
            changed[number] = Part(self._parts[number].choice, own)
        if not changed:  # the display was empty
            changed[0] = Part(self._parts[0].choice, inserted)
        return changed, cursor

    def _is_open(self, number: int) -> bool:
        is_equal = self.blocks[number].kind is BlockKind.EQUAL
        part = self._parts[number]
        return not is_equal and part.choice is None and part.own is None

    def _pieces(self, *, with_open: bool = True) -> list[str]:
        """The text of each part, one after the other."""
        pieces: list[str] = []
        text = ""
        for number, (block, part) in enumerate(zip(self.blocks, self._parts, strict=True)):
            piece = ""
            if part.own is not None:
                piece = part.own if text else part.own.lstrip("\n")
            elif self._is_open(number):
                piece = self._open_piece(block, bool(text)) if with_open else ""
            else:
                for passage in taken(block, part.choice or Choice.RIGHT):
                    has_before = bool(text or piece)
                    piece += _lead(passage.lead, passage.is_first, has_before) + passage.text
            pieces.append(piece)
            text = text or piece
        return pieces

    def _open_piece(self, block: Block, has_before: bool) -> str:
        passage = block.right or block.left
        assert passage is not None
        heading = f"{block.heading}\n" if block.heading else ""
        return _lead(passage.lead, passage.is_first, has_before) + heading + tr(OPEN_WORDS)

    def _do(self, label: str, changed: dict[int, Part], part: int = -1) -> None:
        self._done.append(_Step(self._parts, label, part))
        del self._done[:-STEPS_KEPT]
        self._undone.clear()
        self._parts = _with(self._parts, changed)

    def _step(self, source: list[_Step], target: list[_Step]) -> str:
        if not source:
            return ""
        step = source.pop()
        target.append(replace(step, parts=self._parts))
        self._parts = step.parts
        return step.label


def _lead(lead: str, is_first: bool, has_before: bool) -> str:
    if not has_before:
        return lead if is_first else ""
    return "\n\n" if is_first else lead


def _with(parts: tuple[Part, ...], changed: dict[int, Part]) -> tuple[Part, ...]:
    return tuple(changed.get(number, part) for number, part in enumerate(parts))


def _change(before: str, after: str) -> tuple[int, int, str]:
    """The one stretch that differs: (start, end) in `before`, and what stands there now."""
    start = 0
    shortest = min(len(before), len(after))
    while start < shortest and before[start] == after[start]:
        start += 1
    end = 0
    while end < shortest - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return start, len(before) - end, after[start : len(after) - end]
