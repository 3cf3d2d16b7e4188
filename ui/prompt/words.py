"""What the prompt page says of turns, of the parts of a prompt, and of its unchanged beginning."""

from __future__ import annotations

from dataclasses import replace

from app.prompt.order import Own
from app.prompt.prefix import PrefixBreak, prefix_break
from app.prompt.slots import Reason, SlotContent, SlotSet
from app.prompt.turns import SentTurn, Share
from app.work.turn_history import TurnView
from ui.inspector.words import slot_name

GENERATIONS = {
    "normal": "Reply",
    "swipe": "Swipe",
    "regenerate": "Reply written anew",
    "continue": "Reply continued",
    "impersonate": "Written for you",
    "quiet": "In the background",
}
OWN_NAMES = {
    Own.MAIN: "Main prompt",
    Own.CARD: "Character, persona, lore and examples",
    Own.CHAT: "Chat",
    Own.MACRO: "Wherever the macro stands",
}
REASONS = {
    Reason.BUDGET: "over the budget",
    Reason.TOTAL: "over the total",
    Reason.ELSEWHERE: "told elsewhere",
    Reason.VISIBLE: "can still be read in the chat",
    Reason.SECONDHAND: "did not witness it",
    Reason.ABSENT: "about nobody who is there",
}


def generation_words(turn: SentTurn) -> str:
    """Reply; SillyTavern's word where it is none of ours."""
    return GENERATIONS.get(turn.generation, turn.generation.capitalize() or "Reply")


def tokens_words(count: int) -> str:
    """1,234 tokens."""
    return f"{count:,} token" + ("" if count == 1 else "s")


def messages_words(count: int, *, is_last: bool = False) -> str:
    """The last 3 messages."""
    if is_last:
        return "the last message" if count == 1 else f"the last {count:,} messages"
    return "1 message" if count == 1 else f"{count:,} messages"


def turn_facts(turn: SentTurn) -> str:
    """For whom, what kind of turn, how much room there was."""
    facts = [generation_words(turn)]
    if turn.responder:
        facts.append(f"for {turn.responder}")
    if turn.kind is not None:
        facts.append(str(turn.kind.value))
    if turn.context:
        facts.append(f"the prompt could take {tokens_words(turn.context)}")
    return ", ".join(facts)


def break_place(broken: PrefixBreak) -> str:
    """What begins to differ."""
    if broken.slot is not None:
        return slot_name(broken.slot.key)
    if broken.share is Share.CHAT:
        return "the chat"
    if broken.before is not None:
        return f"where {slot_name(broken.before.key)} stood"
    return "SillyTavern's own text"


def break_sentence(view: TurnView) -> str:
    """How much of the prompt a provider had read before, and what ended that; "" for nothing."""
    broken, turn = view.break_, view.turn
    if view.before is None:
        return ""
    if broken is None:
        same = "prompt" if turn.prompt is not None and view.before.prompt is not None else "memory"
        return f"The {same} is the same as in the turn before."
    if broken.kept is None or broken.total is None:
        return f"Since the turn before, {_lower(break_place(broken))} is the first to differ."
    total, kept = broken.total, broken.kept
    share = round(100 * kept / total) if total else 0
    start = f"The first {kept:,} of {tokens_words(total)} ({share} %) are as in the turn before."
    if not kept:
        start = "Nothing at the beginning of the prompt is as in the turn before."
    cause = f" {_upper(break_place(broken))} is the first to differ"
    if broken.again:
        return f"{start}{cause}: {tokens_words(broken.again)} behind it are read again."
    return f"{start}{cause}; all behind it is new."


def coming_sentence(last: SentTurn, slots: SlotSet) -> str:
    """Whether the slots are as they were in the last turn, as far as can be told now."""
    coming = replace(last, slots=slots.slots, prompt=None)
    broken = prefix_break(last, coming, len)
    if broken is None:
        return "All slots are as they were in the last turn."
    return (
        f"Since the last turn, {_lower(break_place(broken))} is the first slot to differ. What "
        "stands before it in the prompt need not be read anew."
    )


def left_out_words(content: SlotContent) -> str:
    """3 left out."""
    count = len(content.left_out)
    return f"{count:,} left out" if count else ""


def left_out_lines(content: SlotContent) -> str:
    """Each with its reason."""
    return "\n".join(f"{one.text.strip()}  ({REASONS[one.reason]})" for one in content.left_out)


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:] if not words.startswith("SillyTavern") else words


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
