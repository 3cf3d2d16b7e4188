"""A prompt as rows from its beginning to its end: slots, and SillyTavern's own parts between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from app.core.translation import N_, tr, trn
from app.prompt.order import Own, Stand, layout, ordered, wire_of
from app.prompt.slot_names import slot_name
from app.prompt.slots import RUNNING_RECAP_KEY, Reason, Slot, SlotContent, SlotSet
from app.prompt.turns import Piece, SentTurn, Share, Wire, missing_slots, pieces_of
from app.settings.slot_table import Position, Role
from ui.core.slot_words import recap_words, size_words, untold_words
from ui.prompt.words import OWN_NAMES, messages_words

Count = Callable[[str], int]
OWN_TEXT = N_("SillyTavern's own text")
NOT_SENT = N_("did not reach the prompt")
LONGEST_TEXT = 60_000  # characters of the chat that are shown at once


@dataclass(frozen=True, slots=True)
class PromptRow:
    """One row. slot: None for SillyTavern's own. tokens: None where they are not known. text: ""
    where it is not. note: what is said of it. is_missing: the slot stands nowhere in what was sent.
    """

    title: str
    share: Share
    tokens: int | None = None
    text: str = ""
    note: str = ""
    slot: Slot | None = None
    content: SlotContent | None = None
    is_missing: bool = False

    @property
    def weight(self) -> int:
        """Tokens, for drawing."""
        return self.tokens or 0


def coming_rows(slots: SlotSet, messages: int, wire: Wire) -> tuple[PromptRow, ...]:
    """The coming prompt, as SillyTavern will put it together."""
    rows = _planned(slots.slots, slots.contents, messages, wire)
    by_key = {content.key: content for content in slots.contents}
    rows += tuple(
        _slot_row(slot, by_key)
        for slot in slots.slots
        if slot.key == RUNNING_RECAP_KEY and slots.whole_recap and not slot.full_tokens
    )
    return tuple(
        replace(row, note=_recap_note(slots, row.slot))
        if row.slot and row.slot.key == RUNNING_RECAP_KEY
        else row
        for row in rows
    )


def _recap_note(slots: SlotSet, slot: Slot) -> str:
    """What of the running recap is told, and by what else."""
    if slots.recap is None:
        return untold_words(slots, slot)
    return f"{recap_words(slots.recap)} {size_words(slots.recap, slot)}".strip()


def sent_rows(turn: SentTurn, count: Count) -> tuple[PromptRow, ...]:
    """A prompt as it was sent; where only its slots are kept, in the order they must have had."""
    pieces = pieces_of(turn)
    if not pieces:
        return _planned(turn.slots, turn.contents, turn.messages, wire_of((turn,)))
    contents = {content.key: content for content in turn.contents}
    rows: list[PromptRow] = []
    group: list[Piece] = []
    for piece in pieces:
        if group and (piece.slot is not None or piece.share is not group[0].share):
            rows.append(_group_row(group, count))
            group = []
        if piece.slot is None:
            group.append(piece)
        else:
            rows.append(_slot_row(piece.slot, contents))
    if group:
        rows.append(_group_row(group, count))
    rows += _told_no_more(turn.contents)
    for slot in missing_slots(turn, pieces):
        row = _slot_row(slot, contents)
        rows.append(PromptRow(row.title, row.share, 0, slot.text, tr(NOT_SENT), slot, None, True))
    return tuple(rows)


def _planned(
    slots: Iterable[Slot], contents: Sequence[SlotContent], messages: int, wire: Wire
) -> tuple[PromptRow, ...]:
    by_key = {content.key: content for content in contents}
    slots = tuple(slots)
    stands = layout(slots, messages, wire)
    rows = [_stand_row(stand, by_key) for stand in stands]
    # What is cut altogether has no text and no place, but is to be seen.
    empty = [slot for slot in slots if not slot.text and slot.full_tokens]
    return (*rows, *(_slot_row(slot, by_key) for slot in empty), *_told_no_more(contents))


def _told_no_more(contents: Iterable[SlotContent]) -> Iterator[PromptRow]:
    """Slots that have nothing to tell but what is of an earlier scene: what became of it is said,
    since it fell out without anybody's doing.
    """
    for content in contents:
        is_empty = not content.tokens and not content.full_tokens
        if is_empty and any(one.reason is Reason.PAST for one in content.left_out):
            place = (Position.NONE, 0, Role.SYSTEM)
            slot = Slot(content.key, *place, False, "", 0, content.budget, 0)
            yield _slot_row(slot, {content.key: content})


def _stand_row(stand: Stand, contents: dict[str, SlotContent]) -> PromptRow:
    if stand.slot is not None:
        return _slot_row(stand.slot, contents)
    assert stand.own is not None
    if stand.own is Own.CHAT:
        words = messages_words(stand.count, is_last=stand.is_last)
        return PromptRow(tr("Chat"), Share.CHAT, note=words)
    return PromptRow(tr(OWN_NAMES[stand.own]), Share.OWN)


def _slot_row(slot: Slot, contents: dict[str, SlotContent]) -> PromptRow:
    content = contents.get(slot.key)
    return PromptRow("", Share.SLOT, slot.tokens, slot.text, "", slot, content)


def _group_row(group: Sequence[Piece], count: Count) -> PromptRow:
    tokens = sum(count(one.text) if one.text else one.length // 4 for one in group)
    text = "\n\n".join(_said(one) for one in group)
    if len(text) > LONGEST_TEXT:
        text = f"{text[: LONGEST_TEXT // 2]}\n\n[…]\n\n{text[-LONGEST_TEXT // 2 :]}"
    if group[0].share is Share.CHAT:
        return PromptRow(tr("Chat"), Share.CHAT, tokens, text, messages_words(len(group)))
    return PromptRow(tr(OWN_TEXT), Share.OWN, tokens, text)


def _said(piece: Piece) -> str:
    words = piece.text.strip() or trn(
        "[{n} character, not kept]", "[{n} characters, not kept]", piece.length
    )
    return f"{piece.role}: {words}" if piece.share is Share.CHAT and piece.role else words


def whole_text(turn: SentTurn) -> str:
    """The prompt of a turn as one text, message by message; its slots where it is not kept."""
    if turn.prompt is None:
        return slots_text(turn.slots, wire_of((turn,)))
    return "\n\n".join(
        (f"{part.role}\n" if part.role else "")
        + (
            part.text.strip()
            or trn("[{n} character, not kept]", "[{n} characters, not kept]", part.length)
        )
        for part in turn.prompt.parts
    )


def slots_text(slots: Iterable[Slot], wire: Wire) -> str:
    """All slots as one text, in the order of the prompt, each under its name."""
    told = ordered(slots, wire)
    return "\n\n".join(f"{slot_name(slot.key)}\n{slot.text.strip()}" for slot in told)
