"""What of a prompt a provider has read before: its unchanged beginning, and what ended it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from app.prompt.order import ordered, wire_of
from app.prompt.slots import Slot
from app.prompt.turns import FinalPrompt, Piece, SentTurn, Share, pieces_of

Count = Callable[[str], int]
CHARACTERS_PER_TOKEN = 4  # where a text is not kept


@dataclass(frozen=True, slots=True)
class PrefixBreak:
    """Where a prompt begins to differ from that of the turn before.

    kept: tokens before that place. again: tokens behind it that stood in the prompt before too,
    and have to be read once more; new: those that are new. share, slot: what begins to differ
    there, as it is now; before: the slot that stood there before, where that is another one. All
    three numbers are None where the prompts are not kept: then only the slots were compared.
    """

    share: Share
    slot: Slot | None = None
    before: Slot | None = None
    kept: int | None = None
    again: int | None = None
    new: int | None = None

    @property
    def total(self) -> int | None:
        """Tokens of the whole prompt."""
        if self.kept is None or self.again is None or self.new is None:
            return None
        return self.kept + self.again + self.new


def prefix_break(before: SentTurn, after: SentTurn, count: Count) -> PrefixBreak | None:
    """What broke the beginning that two turns share, None where nothing did."""
    if before.prompt is None or after.prompt is None:
        return _by_slots(before, after)
    place = _first_difference(before.prompt, after.prompt)
    if place is None:
        return None
    old, new = pieces_of(before), pieces_of(after)
    at = _piece_at(new, place)
    here, there = new[at] if at < len(new) else None, _piece_in(old, place)
    first = here or there
    if first is None:  # they differ in nothing that is said
        return None
    kept = sum(_tokens(piece, count) for piece in new[:at])
    again, fresh = _behind(old, new[at:], here, place, count)
    kept += fresh[1]
    return PrefixBreak(
        first.share,
        None if here is None else here.slot,
        there.slot if there is not None and (here is None or here.slot != there.slot) else None,
        kept,
        again,
        fresh[0],
    )


def _first_difference(before: FinalPrompt, after: FinalPrompt) -> tuple[int, int] | None:
    """(part, character) from which on two prompts differ."""
    for number, part in enumerate(after.parts):
        if number >= len(before.parts):
            return number, 0
        other = before.parts[number]
        if part.identity == other.identity:
            continue
        if part.role != other.role or not (part.is_kept and other.is_kept):
            return number, 0
        return number, _common(part.text, other.text)
    return (len(after.parts), 0) if len(before.parts) > len(after.parts) else None


def _common(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _piece_at(pieces: tuple[Piece, ...], place: tuple[int, int]) -> int:
    """Number of the piece that holds a place, or of the first behind it."""
    for number, piece in enumerate(pieces):
        if (piece.part, piece.start + piece.length) > place:
            return number
    return len(pieces)


def _piece_in(pieces: tuple[Piece, ...], place: tuple[int, int]) -> Piece | None:
    number = _piece_at(pieces, place)
    return pieces[number] if number < len(pieces) else None


def _behind(
    old: tuple[Piece, ...],
    rest: tuple[Piece, ...],
    here: Piece | None,
    place: tuple[int, int],
    count: Count,
) -> tuple[int, tuple[int, int]]:
    """Tokens behind the break that were there before; (new ones, those of the broken piece that
    stand before the break).
    """
    known = Counter(piece.identity for piece in old)
    again = new = kept = 0
    for piece in rest:
        tokens = _tokens(piece, count)
        if known[piece.identity] > 0:
            known[piece.identity] -= 1
            again += tokens
        elif piece is here and piece.part == place[0] and piece.text:
            kept = count(piece.text[: max(0, place[1] - piece.start)])
            new += max(0, tokens - kept)
        else:
            new += tokens
    return again, (new, kept)


def _tokens(piece: Piece, count: Count) -> int:
    return count(piece.text) if piece.text else piece.length // CHARACTERS_PER_TOKEN


def _by_slots(before: SentTurn, after: SentTurn) -> PrefixBreak | None:
    """The first slot in the prompt's order that is another one than before."""
    wire = wire_of((after, before))
    old, new = ordered(before.slots, wire), ordered(after.slots, wire)
    for number in range(max(len(old), len(new))):
        one = new[number] if number < len(new) else None
        other = old[number] if number < len(old) else None
        if one is None or other is None or (one.key, one.text) != (other.key, other.text):
            is_same_key = one is not None and other is not None and one.key == other.key
            return PrefixBreak(Share.SLOT, one, None if is_same_key else other)
    return None
