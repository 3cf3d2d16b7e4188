"""What the memories page says: status, validity, sources, and what the numbers mean."""

from __future__ import annotations

from app.core.translation import N_, tr, tr_in, trn
from app.memory.arcs.thread_cap import is_put_aside
from app.memory.documents.browsing import Arranged, Row, sentence_of
from app.memory.epistemic.witnessing import WAS_AWAY, WAS_THERE
from app.memory.lifecycle.decay import is_judged
from app.memory.records import (
    FIRST_CONFIDENCE,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    Review,
    Source,
    Tier,
)
from app.memory.standing import BEFORE, Ground, Standing, Status
from app.memory.tiers.table import TIERS
from app.settings.values import REGISTRY
from app.story.recaps import BUILT_IN, YOU
from ui.core.slot_words import maker_words

STATUS_WORDS = {
    Status.ACTIVE: N_("Holds"),
    Status.ENDED: N_("Ended"),
    Status.LATER: N_("Begins later"),
    Status.STALE: N_("Source changed since"),
    Status.WITHDRAWN: N_("Its message is gone"),
    Status.WAITING: N_("Waits for your review"),
    Status.REJECTED: N_("Rejected by you"),
}
_IN_ROWS = {
    Status.ENDED: N_("ended"),
    Status.LATER: N_("begins later"),
    Status.STALE: N_("source changed since"),
    Status.WITHDRAWN: N_("its message is gone"),
    Status.WAITING: N_("waits for your review"),
    Status.REJECTED: N_("rejected by you"),
}
STATUS_ICONS = {
    Status.ACTIVE: "check",
    Status.ENDED: "undo",
    Status.LATER: "clock",
    Status.STALE: "loop",
    Status.WITHDRAWN: "barred",
    Status.WAITING: "hourglass",
    Status.REJECTED: "cross",
}
END_WORDS = {
    EndReason.SUPERSEDED: N_("replaced"),
    EndReason.MERGED: N_("merged with others"),
    EndReason.RESOLVED: N_("resolved"),
    EndReason.RETIRED: N_("no longer true"),
    EndReason.OUTRANKED: N_("set aside for others"),
    EndReason.BY_HAND: N_("ended by you"),
}
_HOW_IT_ENDED = {
    EndReason.SUPERSEDED: N_("Replaced"),
    EndReason.MERGED: N_("Merged with others"),
    EndReason.RESOLVED: N_("Resolved"),
    EndReason.RETIRED: N_("No longer true"),
    EndReason.OUTRANKED: N_("Set aside for others"),
    EndReason.BY_HAND: N_("Ended by you"),
}
IMPORTANCE_WORDS = {1: N_("minor"), 2: N_("normal"), 3: N_("high")}
_IMPORTANCE = {
    1: N_("The first to go when room is short."),
    2: N_("Kept as long as there is room."),
    3: N_("One of the last to go when room is short."),
}
_LASTING = {
    Expiration.SCENE: N_("Important for its scene."),
    Expiration.SESSION: N_("Important as long as this chat goes on."),
    Expiration.PERMANENT: N_("Important for good."),
}
WITHOUT_MODEL = N_("found without a model")
FOUND_WITHOUT_MODEL = N_("Found without a model")
# Types, fields of the state ledger, strengths, what an entity is: as they are stored, with spaces.
STORED_WORDS = (
    *(N_("scene"), N_("revelation"), N_("development"), N_("detail")),
    *(N_("fact"), N_("relationship"), N_("preference"), N_("event")),
    *(N_("knows"), N_("suspects"), N_("believes"), N_("does not know"), N_("hiding")),
    *(N_("feeling"), N_("arc")),
    *(N_("saw"), N_("told"), N_("overheard"), N_("read"), N_("inferred")),
    *(N_("character"), N_("place"), N_("object"), N_("faction"), N_("concept")),
    *(N_("location"), N_("injuries"), N_("outfit disguise"), N_("mood"), N_("active goal")),
    *(N_("carried items"), N_("condition"), N_("owner"), N_("status")),
    *(N_("occupants"), N_("hazards"), N_("political control"), N_("damage"), N_("accessibility")),
    *(N_("leadership"), N_("objective"), N_("alliances"), N_("hostility level")),
    *(N_("low"), N_("medium"), N_("high")),
)
# Those that read oddly as they are stored.
_PLAIN_WORDS = {
    "arc": N_("plot thread"),
    "outfit_disguise": N_("clothes or disguise"),
    "active_goal": N_("current goal"),
    "carried_items": N_("carries"),
    "political_control": N_("ruled by"),
    "hostility_level": N_("hostility"),
}
SOURCE_LENGTH = 900  # letters of a message that are shown as proof


def stored_word(name: str) -> str:
    """A type, field, strength or kind of entity as people read it."""
    return tr(_PLAIN_WORDS.get(name, name.replace("_", " ")))


def kind_words(memory: Memory) -> str:
    """What it is, in one word or two; "" where its tier says it already."""
    if len(TIERS[memory.tier].types) == 1:
        return ""
    if memory.type == "unaware":
        return tr("does not know")
    return stored_word(memory.type)


def plain_kind(tier: Tier) -> str:
    """What all of a tier are that hold, where `kind_words` is silent."""
    if TIERS[tier].is_thread:
        return tr_in("a thread", "open")
    types = TIERS[tier].types
    return stored_word(types[0]) if len(types) == 1 else ""


def status_words(standing: Standing) -> str:
    """How it stands, in a word or two."""
    return tr("Set aside") if standing.is_set_aside else tr(STATUS_WORDS[standing.status])


def standing_words(standing: Standing) -> str:
    """Why it does not simply hold, "" when it does."""
    if standing.status is Status.ACTIVE:
        return ""
    if standing.status is Status.ENDED and is_put_aside(standing.memory):
        return tr("set aside until there is room")
    if standing.status is Status.ENDED and standing.ending is not None:
        words = tr(END_WORDS[standing.ending.reason])
        return f"{words}: {standing.ending.text}" if standing.ending.text else words
    return tr(_IN_ROWS[standing.status])


def is_without_model(memory: Memory) -> bool:
    """Whether no model had a part in it."""
    return memory.made_by == BUILT_IN


def validity_words(standing: Standing) -> str:
    """From where to where it holds: "from #12 until #40"."""
    start, end = standing.start, standing.end
    if start == BEFORE:
        if end is None:
            return tr("from the beginning on")
        if end <= BEFORE:
            return tr("from the beginning, ended by you")
        return tr("from the beginning until #{end}", end=end)
    if end is None:
        return tr("from #{start} on", start=start)
    if end <= BEFORE:
        return tr("from #{start}, ended by you", start=start)
    return tr("from #{start} until #{end}", start=start, end=end)


def place_of(source: Source, ground: Ground) -> int | None:
    """Index of the message in this chat, None when it is not in it."""
    return ground.places.get(source.anchor) if ground.is_here(source) else None


def source_words(standing: Standing, ground: Ground, *, most: int = 2) -> str:
    """ "#1, #46, +1": the messages that it comes from."""
    sources = standing.memory.evidence
    if not sources:
        return tr_in("made by you", "yours") if standing.memory.grounding is Grounding.YOURS else ""
    known = sorted(p for p in (place_of(source, ground) for source in sources) if p is not None)
    elsewhere = sum(not ground.is_here(source) for source in sources)
    words = [f"#{place}" for place in known[:most]]
    rest = len(known) - len(words)
    if rest:
        words.append(f"+{rest}")
    if elsewhere:
        words.append(tr("other chat"))
    return ", ".join(words) or tr_in("a message", "gone")


def history_words(standing: Standing) -> str:
    """Why a memory of a chain gave way, and where."""
    ending = standing.ending
    if ending is None:
        return tr("Holds now") if standing.is_active else status_words(standing)
    words = tr(_HOW_IT_ENDED[ending.reason])
    if standing.end is not None and standing.end > BEFORE:
        words = tr("{how_it_ended} at #{end}", how_it_ended=words, end=standing.end)
    return f"{words}: {ending.text}" if ending.text else words


def ending_words(standing: Standing) -> tuple[str, str]:
    """A title and sentences on a memory that holds no more: how that came, and what it means where
    it gave way to others only.
    """
    how = f"{history_words(standing)}."
    if not standing.is_set_aside:
        return tr("How it ended"), how
    if is_put_aside(standing.memory):
        return tr("Set aside"), how
    cap = TIERS[standing.memory.tier].most
    if not cap:
        return tr("Set aside"), f"{how} {tr('Nothing says that it is over.')}"
    kept = tr(
        "Nothing says that it is over. The newest and the most important are kept, as many as the "
        "setting “{setting}” says.",
        setting=REGISTRY[cap].label,
    )
    if standing.memory.tier is not Tier.LONG_TERM:
        return tr("Set aside"), f"{how} {kept}"
    again = tr("This one is told again when the talk turns to it.")
    return tr("Set aside"), f"{how} {kept} {again}"


def importance_words(memory: Memory) -> str:
    """What the importance means for it."""
    said = tr(_IMPORTANCE.get(memory.importance, ""))
    if memory.is_pinned and memory.character:
        return tr("Pinned by you: it stays, whatever its importance, also in chats that share it.")
    if memory.is_pinned:
        return tr("Pinned by you: it stays, whatever its importance.")
    return f"{said} {tr(_LASTING[memory.expiration])}"


COMES_ABOUT = N_(
    "A memory begins at {first}: readings that find it again raise that, and many that do not "
    "lower it."
)


def confidence_words(memory: Memory) -> str:
    """How the confidence comes about."""
    passes = memory.unconfirmed_passes
    match memory.grounding:
        case Grounding.YOURS:
            return tr("You wrote it.")
        case Grounding.IMPORTED:
            return tr("Imported from another program, without a message of this chat.")
        case Grounding.UNGROUNDED:
            return tr("No message was found that says this.")
        case Grounding.DERIVED:
            said = tr("Merged from memories that name their messages.")
        case _:
            said = tr("It names the messages it comes from.")
    if not is_judged(memory):
        return f"{said} {tr('No later reading has confirmed or doubted it yet.')}"
    since = tr("Confirmed in the last reading.")
    if passes:
        since = trn(
            "Not mentioned in the last {n} reading.",
            "Not mentioned in the last {n} readings.",
            passes,
        )
    return f"{said} {since} {tr(COMES_ABOUT, first=round(FIRST_CONFIDENCE * 100))}"


def confidence_title(memory: Memory) -> str:
    """ "Confidence 85 of 100"; without a figure where nothing says how sure it is."""
    if not is_judged(memory):
        return tr("Confidence")
    return tr("Confidence {percent} of 100", percent=percent(memory))


def made_words(memory: Memory) -> str:
    """Who found or wrote it."""
    if memory.grounding is Grounding.YOURS or memory.made_by == YOU:
        return tr("Written by you")
    if is_without_model(memory):
        return tr(FOUND_WITHOUT_MODEL)
    maker = maker_words(memory.made_by)
    if memory.review is Review.APPROVED:
        return tr("Found by {maker}, approved by you", maker=maker)
    return tr("Found by {maker}", maker=maker)


def learned_words(memory: Memory) -> str:
    """How somebody came to know it, "" where nothing is known of that."""
    if memory.told_by and memory.channel == WAS_THERE:
        return tr("Told by {who}", who=memory.told_by)
    if memory.told_by:
        said = tr("Told by {who}", who=memory.told_by)
        return f"{said}, {tr(memory.channel)}" if memory.channel else said
    return {
        "saw": tr("Saw it"),
        "told": tr("Was told"),
        "overheard": tr("Overheard it"),
        "read": tr("Read it"),
        "inferred": tr("Worked it out"),
        WAS_THERE: tr("Was there"),
        WAS_AWAY: tr("Was not there"),
    }.get(memory.channel, "")


def head_words(row: Row) -> str:
    """The name of a group: of a tier, or of whom its memories are about."""
    return row.group if row.tier is None else tr(row.group)


def spoken_row(standing: Standing, ground: Ground) -> str:
    """A row as a screen reader says it."""
    memory = standing.memory
    parts = [
        sentence_of(memory),
        kind_words(memory),
        standing_words(standing) or tr("holds"),
        tr("pinned") if memory.is_pinned else "",
        tr(WITHOUT_MODEL) if is_without_model(memory) else "",
        tr("importance {importance} of 3", importance=memory.importance),
        tr("confidence {percent}", percent=percent(memory)) if is_judged(memory) else "",
        validity_words(standing),
        tr("sources {sources}", sources=source_words(standing, ground, most=5))
        if memory.evidence
        else "",
    ]
    return ", ".join(filter(None, parts))


def percent(memory: Memory) -> int:
    """Confidence of 100."""
    return round(max(0.0, min(1.0, memory.confidence)) * 100)


def excerpt(text: str) -> str:
    """The beginning of a message's text, as proof; without the marks of emphasis."""
    text = " ".join(text.replace("*", "").split())
    return text if len(text) <= SOURCE_LENGTH else text[: SOURCE_LENGTH - 1].rstrip() + "…"


def held_words(found: Arranged, at: int, *, is_demo: bool) -> str:
    """How many memories hold, ended, and gave way to others. at: the message looked at, -1 for the
    last.
    """
    held = sum(found.held.values())
    ended = found.statuses.get(Status.ENDED, 0) - found.aside
    if not held and not ended and not found.aside:
        return ""
    words = trn("{n} active", "{n} active", held)
    if ended:
        words += ", " + trn("{n} ended", "{n} ended", ended)
    if found.aside:
        words += ", " + trn("{n} set aside", "{n} set aside", found.aside)
    if is_demo:
        words += ", " + tr("made for the demo")
    if at >= 0:
        words = tr("{counts} at #{at}", counts=words, at=at)
    return words
