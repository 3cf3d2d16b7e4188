"""What the inspector and the prompt page say about versions and slots."""

from __future__ import annotations

from app.core.translation import N_, number, retold, tr, tr_in, trn
from app.prompt.slots import RUNNING_RECAP_KEY, RecapShown, Slot, SlotSet
from app.settings.slot_table import SLOTS, Position, Role
from app.settings.slots import PLACES
from app.story.recaps import BUILT_IN, DEMO_AUTHORS, FOREIGN, YOU, RunningRecap, RunningVersion
from ui.controls.dates import time_words

SLOT_TIERS = {
    "auto_recap_memory_long": "long-term",
    "auto_recap_memory_short": "short-term",
    **{name.key: spec.hue for name, spec in SLOTS.items() if spec.hue},
}
SLOT_MEANINGS = {
    RUNNING_RECAP_KEY: N_(
        "The story so far, scene by scene; the newest scenes are in the chat itself."
    ),
    **{name.key: spec.meaning for name, spec in SLOTS.items() if spec.meaning},
}
REASONS = {
    "fold": N_("scene added"),
    "edit": N_("edited by you"),
    "rebuild": N_("rebuilt"),
    "restore": N_("restored"),
    "import": N_("found in the chat"),
    "foreign": N_("set aside: from another chat"),
}
TOLD_BY_CHAT = N_("The messages that are sent tell all of it.")
SAID_ALONE = ("edit", "import", "foreign")  # the reason says who made it, too
STAND_IN = ", in place of "  # as it is stored
LEFT_OUT = " older entries left out"  # as it ends where it is stored
ROLES = {Role.SYSTEM: N_("system"), Role.USER: N_("user"), Role.ASSISTANT: N_("assistant")}


def slot_meaning(key: str) -> str:
    """What the slot holds, in a sentence; "" for one that its name explains."""
    return tr(SLOT_MEANINGS[key]) if key in SLOT_MEANINGS else ""


def where_words(position: Position, depth: int) -> str:
    """Where a slot stands, in a few words: as SillyTavern counts how deep in the chat."""
    if position is not Position.IN_CHAT:
        return tr(PLACES[position])
    return tr("in the chat, depth {depth}", depth=depth) if depth else tr("at the end of the chat")


def place_words(slot: Slot) -> str:
    """Where SillyTavern puts it, and who says it."""
    if slot.position is Position.NONE:
        return tr("Not in the prompt")
    where = where_words(slot.position, slot.depth)
    return tr("{where}, as {role}", where=where[:1].upper() + where[1:], role=tr(ROLES[slot.role]))


LEFT_TO_SLOTS = {
    "open": N_("Open threads are told by other parts."),
    "state": N_("How things stand is told by other parts."),
}
BOTH_LEFT_TO_SLOTS = N_("Open threads and how things stand are told by other parts.")


def left_words(recap: RecapShown) -> str:
    """What of the running recap other slots tell, "" for nothing."""
    if len(recap.left) > 1:
        return tr(BOTH_LEFT_TO_SLOTS)
    return "".join(tr(LEFT_TO_SLOTS[part]) for part in recap.left)


def recap_words(recap: RecapShown) -> str:
    """Which version of the running recap a prompt tells, and what of it is told elsewhere."""
    version, happened = f"v{recap.version + 1}", f"v{recap.happened + 1}"
    said = tr("From version {version}.", version=version)
    if happened != version:
        said = tr(
            "From version {version}; events up to version {happened}, since the messages sent "
            "word for word tell the rest.",
            version=version,
            happened=happened,
        )
    return f"{said} {left_words(recap)}".strip()


def size_words(recap: RecapShown, slot: Slot) -> str:
    """What becomes of all tokens of the version, "" where all of them stand in the slot."""
    elsewhere, cut = recap.tokens - slot.full_tokens, slot.full_tokens - slot.tokens
    figures = {"all": number(recap.tokens), "told": number(slot.tokens)}
    if elsewhere > 0 and cut > 0:
        return tr(
            "Of its {all} tokens, {told} are in the prompt, {elsewhere} are told by the messages "
            "or by other parts, and {cut} do not fit.",
            **figures,
            elsewhere=number(elsewhere),
            cut=number(cut),
        )
    if elsewhere > 0:
        return tr(
            "Of its {all} tokens, {told} are in the prompt; {elsewhere} are told by the messages "
            "or by other parts.",
            **figures,
            elsewhere=number(elsewhere),
        )
    if cut > 0:
        return tr(
            "Of its {all} tokens, {told} are in the prompt; {cut} do not fit.",
            **figures,
            cut=number(cut),
        )
    return ""


def untold_words(slots: SlotSet, slot: Slot) -> str:
    """Why nothing of the running recap is told, "" for no reason. slot: its own."""
    return tr(TOLD_BY_CHAT) if slots.whole_recap and not slot.text else ""


def used_words(slot: Slot) -> str:
    """ "180 of 200 tokens"; where others lent it more, or a page counts more, what it has alone: a
    budget that is used up and more says nothing.
    """
    if slot.tokens >= slot.budget:
        return trn("{n} token", "{n} tokens", slot.tokens)
    figures = {"tokens": number(slot.tokens), "budget": number(slot.budget)}
    return tr("{tokens} of {budget} tokens", **figures)


def version_word(version: RunningVersion) -> str:
    """v7; versions count from 0 in the data and from 1 for people."""
    return f"v{version.version + 1}"


def maker_label(made_by: str) -> str:
    """The label of a model, with how much of what it wrote had no room, or of what wrote in its
    place; "" for none.
    """
    is_sentence = made_by.endswith(LEFT_OUT) or STAND_IN in made_by
    return retold(made_by) if is_sentence else tr(made_by)


def author_words(made_by: str) -> str:
    """The same for a line of facts, where it stands alone and not behind "by"."""
    if made_by == YOU:
        return tr_in("made by you", "yours")
    if made_by == DEMO_AUTHORS:
        return tr_in("made by somebody", "the demo's authors")
    return maker_label(made_by) or tr_in("made by somebody", "somebody")


def maker_words(made_by: str) -> str:
    """Who wrote a version: you, a model, the built-in way, or that in place of a model."""
    if made_by == YOU:
        return tr_in("who made it", "you")
    if STAND_IN in made_by:
        who, _, model = made_by.partition(STAND_IN)
        who = maker_words(who)
        return tr("{who}, because {model} gave nothing usable", who=who, model=model)
    if made_by == BUILT_IN:
        return tr_in("who made it", "built-in")
    return maker_label(made_by) or tr_in("who made it", "somebody")


def by_words(what: str, made_by: str) -> str:
    """What a version holds and who wrote it, for one that was written at no time to speak of."""
    return tr("{what}, by {who}", what=what, who=maker_words(made_by))


def origin_words(version: RunningVersion, *, now: float) -> str:
    """What a version holds, when and by whom it was made, and why where that is not its scene."""
    if version.scene_count > 1:
        scenes = tr("Scenes 1–{scene_count}", scene_count=version.scene_count)
    else:
        scenes = tr("Scene 1") if version.scene_count == 1 else tr("No scene")
    if version.made_by == DEMO_AUTHORS and not version.is_retired:
        return by_words(scenes, version.made_by)
    when = time_words(version.created, now=now)
    if version.is_retired and version.reason != FOREIGN:
        return tr("{scenes}, {when}, until it is rebuilt", scenes=scenes, when=when)
    if version.reason in SAID_ALONE:
        return f"{scenes}, {tr(REASONS[version.reason])}, {when}"
    return tr(
        "{scenes}, written {when} by {maker}",
        scenes=scenes,
        when=when,
        maker=maker_words(version.made_by),
    )


def change_words(tokens: int, before: int, version: RunningVersion) -> str:
    """ "+37 since v6": the difference in tokens to an older version."""
    change = tokens - before
    sign = "+" if change > 0 else "−" if change < 0 else "±"
    return tr(
        "{sign}{change} since {version}",
        sign=sign,
        change=number(abs(change)),
        version=version_word(version),
    )


def latest_number(running: RunningRecap) -> int | None:
    """The newest version's number."""
    return running.latest.version if running.latest else None


def gone_words(count: int, first: str) -> str:
    """How many scenes the running recap holds nothing of, and what helps."""
    said = trn(
        "Scene {first} is not in it any more, for want of room.",
        "{n} scenes are not in it any more, from scene {first} on, for want of room.",
        count,
        first=first,
    )
    return f"{said} {tr('Give it a larger budget and rebuild it, or pin what has to stay.')}"
