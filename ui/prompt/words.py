"""What the prompt page says of turns, of the parts of a prompt, and of its unchanged beginning."""

from __future__ import annotations

from dataclasses import replace

from app.core.translation import N_, number, tr, trn
from app.prompt.order import Own
from app.prompt.prefix import PrefixBreak, prefix_break
from app.prompt.slot_names import slot_name
from app.prompt.slots import PassageShown, Reason, SlotContent, SlotSet
from app.prompt.turns import SentTurn, Share
from app.views.turn_view import TurnView
from ui.budgets.words import TURNS_IN_SENTENCES

GENERATIONS = {
    "normal": N_("Reply"),
    "swipe": N_("Swipe"),
    "regenerate": N_("Reply regenerated"),
    "continue": N_("Reply continued"),
    "impersonate": N_("Written for you"),
    "quiet": N_("In the background"),
}
OWN_NAMES = {
    Own.MAIN: N_("Main prompt"),
    Own.CARD: N_("Character, persona, lore and examples"),
    Own.CHAT: N_("Chat"),
    Own.MACRO: N_("Wherever the macro stands"),
}
REASONS = {
    Reason.BUDGET: N_("over the budget"),
    Reason.TOTAL: N_("no room left"),
    Reason.ELSEWHERE: N_("already told elsewhere"),
    Reason.VISIBLE: N_("can still be read in the chat"),
    Reason.SECONDHAND: N_("did not witness it"),
    Reason.ABSENT: N_("about nobody who is present"),
    Reason.UNKNOWN: N_("the one who answers does not know it"),
    Reason.PAST: N_("of an earlier scene"),
}


def generation_words(turn: SentTurn) -> str:
    """Reply; SillyTavern's word where it is none of ours."""
    if turn.generation in GENERATIONS:
        return tr(GENERATIONS[turn.generation])
    return turn.generation.capitalize() or tr("Reply")


def tokens_words(count: int) -> str:
    """1,234 tokens."""
    return trn("{n} token", "{n} tokens", count)


def messages_words(count: int, *, is_last: bool = False) -> str:
    """The last 3 messages."""
    if is_last:
        return trn("the last message", "the last {n} messages", count)
    return trn("{n} message", "{n} messages", count)


def turn_facts(turn: SentTurn) -> str:
    """For whom, what kind of turn, how much room there was."""
    facts = [generation_words(turn)]
    if turn.responder:
        facts.append(tr("for {name}", name=turn.responder))
    if turn.kind is not None:
        facts.append(tr(TURNS_IN_SENTENCES[turn.kind]))
    if turn.context:
        facts.append(tr("the prompt could take {tokens}", tokens=tokens_words(turn.context)))
    return ", ".join(facts)


def break_place(broken: PrefixBreak, *, starts: bool = False) -> str:
    """What begins to differ. starts: it begins a sentence."""
    if broken.slot is not None:
        return slot_name(broken.slot.key)
    if broken.share is Share.CHAT:
        return tr("The chat") if starts else tr("the chat")
    if broken.before is not None:
        place = N_("Where {slot} stood") if starts else N_("where {slot} stood")
        return tr(place, slot=slot_name(broken.before.key))
    return tr("SillyTavern's own text")


def break_sentence(view: TurnView) -> str:
    """How much of the prompt a provider had read before, and what ended that; "" for nothing."""
    broken, turn = view.break_, view.turn
    if view.before is None:
        return ""
    if broken is None:
        if turn.prompt is not None and view.before.prompt is not None:
            return tr("The prompt is the same as in the turn before.")
        return tr("The memory is the same as in the turn before.")
    if broken.kept is None or broken.total is None:
        return tr(
            "Compared with the turn before, {place} is the first part to change.",
            place=break_place(broken),
        )
    total, kept = broken.total, broken.kept
    share = round(100 * kept / total) if total else 0
    start = tr(
        "The first {kept} of {tokens} ({share} %) are the same as in the turn before.",
        kept=number(kept),
        tokens=tokens_words(total),
        share=share,
    )
    if not kept:
        start = tr("Nothing at the start of the prompt is the same as in the turn before.")
    place = break_place(broken, starts=True)
    if broken.again:
        tokens = tokens_words(broken.again)
        cause = tr(
            "{place} changes first: after that {tokens} are read again, and {new} are new.",
            place=place,
            tokens=tokens,
            new=number(broken.new or 0),
        )
    else:
        cause = tr("{place} changes first; everything after it is new.", place=place)
    return f"{start} {cause}"


def coming_sentence(last: SentTurn, slots: SlotSet) -> str:
    """Whether the slots are as they were in the last turn, as far as can be told now."""
    coming = replace(last, slots=slots.slots, prompt=None)
    broken = prefix_break(last, coming, len)
    if broken is None:
        return tr("All parts are the same as in the last turn.")
    return tr(
        "Compared with the last turn, {place} is the first part to change. What comes before it "
        "need not be read again.",
        place=break_place(broken),
    )


def left_out_words(content: SlotContent) -> str:
    """3 left out."""
    count = len(content.left_out)
    return trn("{n} left out", "{n} left out", count) if count else ""


def left_out_lines(content: SlotContent) -> str:
    """Each with its reason."""
    return "\n".join(f"{one.text.strip()}  ({tr(REASONS[one.reason])})" for one in content.left_out)


def elsewhere_words(content: SlotContent) -> str:
    """How much of what is shown other chats say, "" for nothing."""
    count = content.of_other_chats
    if not count:
        return ""
    if not content.shown:
        return tr("This text was written in another chat.")
    return trn(
        "{n} memory of another chat, in italics.",
        "{n} memories of other chats, in italics.",
        count,
    )


def passage_lines(content: SlotContent) -> str:
    """Of each old passage its message and why it was called up, by lines; "" for none."""
    return "\n".join(map(_passage_line, content.passages))


def _passage_line(passage: PassageShown) -> str:
    words = ", ".join(passage.words)
    fields = {"message": number(passage.index), "words": words}
    if passage.is_asked and not words:
        return tr("From message #{message}: close in meaning to the question", **fields)
    if passage.is_asked:
        return tr("From message #{message}: asks about {words}", **fields)
    return tr("From message #{message}: speaks of {words}", **fields)
