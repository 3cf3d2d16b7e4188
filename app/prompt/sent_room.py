"""What a prompt that was sent shows of the room that stories have in the next one. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.prompt.reach import sent_of
from app.prompt.turns import SentTurn, Share, fixed_tokens, pieces_of
from app.story.messages import Message, MessageKind

# Percent of a prompt's tokens with which it counts as full: others leave messages out for reasons
# of their own, and have room left then.
FULL = 80


def fixed_of(
    turn: SentTurn,
    messages: Sequence[Message],
    sizes: Sequence[int],
    count: Callable[[str], int],
    around: int = 0,
) -> int:
    """Tokens that slots and messages did not have of this prompt.

    Counted, or where SillyTavern had no room for an older message though by that count there was
    some, what that shows: it may count more of each message than we do. sizes: tokens of the
    messages. around: as in `fixed_tokens`, 0 while unknown.
    """
    counted = fixed_tokens(turn, count, around)
    if turn.prompt is None or not turn.context or len(sizes) < len(messages):
        return counted
    text = "\n".join(piece.text for piece in pieces_of(turn) if piece.share is not Share.SLOT)
    sent = sent_of(messages, text)
    if sent is None:
        return counted
    told = (index for index in range(sent.first, sent.last + 1) if not messages[index].is_hidden)
    taken = turn.total_tokens + sum(sizes[index] for index in told)
    kept_out = next((i for i in range(sent.first - 1, -1, -1) if _is_told(messages[i])), None)
    if kept_out is None or (counted + taken) * 100 < turn.context * FULL:
        return counted
    return max(counted, turn.context - taken - sizes[kept_out])


def _is_told(message: Message) -> bool:
    return not message.is_hidden and message.kind is not MessageKind.NOTICE
