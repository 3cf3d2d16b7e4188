"""How many tokens all slots of a prompt are worth together. Pure.

What the messages in a prompt say themselves need not be told beside them: a story that is little
longer than the prompt is better told by itself than by what was noted of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.memory.standing import Standing
from app.prompt.occasion import Occasion
from app.prompt.tokens import estimate_tokens
from app.settings.slot_table import SlotName
from app.story.recaps import FOLD

# Percent of a text's tokens that tell what matters of it. Measured with tests/answers.
TELLING = 45
LEAST_WORTH = 100  # tokens: who knows what, and what is open, is worth telling of any story
LINE_COSTS = 4  # tokens of a line beside its words
# Tokens that slots take of a total before the newest messages get any, and percent of what is more.
# Measured with what language models remembered of five stories: in the recap that they kept, the
# same tokens answer more than the messages before the last ones.
FIRST_TO_SLOTS, MORE_TO_SLOTS = 900, 60
# The running recap's least share of the room, in a prompt of so many tokens or fewer, or more.
SMALL_PROMPT, RECAP_SHARES = (1_000, 2_000), (1 / 8, 1 / 2)
# Lines of each slot that hardly wait for others: in a prompt of any size, and in one that is not
# small.
FLOORS = {SlotName.RELATIONSHIPS: (0, 2), SlotName.EPISTEMIC: (0, 2)}
STEPS = 8  # parts of a prompt by which the room grows, so that the prompt's head seldom changes
SLACK = 32  # one part in so many of a prompt stays free: SillyTavern may count more of a message


def worth_telling(occasion: Occasion, whole: int, *, takes_free: bool = False) -> int | None:
    """Tokens that all slots are worth, with `whole` tokens for them and the messages: what it takes
    to tell of the messages that do not fit beside them, and what comes from elsewhere. None where
    that is no less than the whole, or where not all messages are counted. takes_free: what the
    messages leave is theirs, too.
    """
    messages, sizes = occasion.story.messages, occasion.story.message_tokens
    if len(sizes) < len(messages):
        return None
    shown = hidden = worth = 0
    for message, tokens in zip(reversed(messages), reversed(sizes), strict=False):
        if message.is_hidden:
            hidden += tokens
        else:
            shown += tokens
        pushed = TELLING * (shown - whole) // (100 - TELLING)
        worth = max(TELLING * hidden // 100, pushed, LEAST_WORTH)
        if worth >= whole:
            return None
    step = max(1, whole // STEPS)
    free = max(0, whole - shown) // step * step if takes_free else 0
    return max(free, -(-(worth + _from_elsewhere(occasion)) // step) * step)


def free_beside(occasion: Occasion, room: int, whole: int) -> int:
    """Tokens that are left beside so much room for slots and all messages. whole: as above."""
    messages, sizes = occasion.story.messages, occasion.story.message_tokens
    if len(sizes) < len(messages):
        return 0
    shown = sum(n for m, n in zip(messages, sizes, strict=False) if not m.is_hidden)
    return max(0, whole - shown - room - whole // SLACK)


def most_of_total(total: int) -> int:
    """Tokens that slots take at most of a total that they share with the newest messages."""
    more = max(0, total - FIRST_TO_SLOTS) * MORE_TO_SLOTS // 100
    return min(total, FIRST_TO_SLOTS + more)


def least_for_recap(room: int, whole: int) -> int:
    """Tokens of the slots' room that a running recap has at least: the more, the larger the prompt,
    as in a small one single memories answer more, and a recap of three lines tells no story. whole:
    tokens for slots and messages.
    """
    low, high = SMALL_PROMPT
    grown = min(1.0, max(0, whole - low) / (high - low))
    first, last = RECAP_SHARES
    return int(room * (first + (last - first) * grown))


def floors_in(whole: int) -> Mapping[SlotName, int]:
    """How many lines of each slot hardly wait. whole: as above."""
    return {name: few if whole <= SMALL_PROMPT[0] else more for name, (few, more) in FLOORS.items()}


def _from_elsewhere(occasion: Occasion) -> int:
    """Tokens of what no message of this story says: of other chats, imported, or the user's own."""
    told, running = occasion.told, occasion.story.running.current
    texts = [s.memory.text for s in told.standings if s.is_active and not _is_here(occasion, s)]
    texts += [document.text for document in told.documents if document.chat != told.chat]
    if running is not None and running.reason != FOLD:
        texts.append(running.content)
    return sum(estimate_tokens(text) + LINE_COSTS for text in texts)


def _is_here(occasion: Occasion, standing: Standing) -> bool:
    told, places = occasion.told, occasion.places
    return any(s.chat == told.chat and s.anchor in places for s in standing.memory.sources)
