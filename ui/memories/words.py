"""What the memories page says: status, validity, sources, and what the numbers mean."""

from __future__ import annotations

from app.memory.browsing import BUILTIN, sentence_of
from app.memory.records import (
    FEELING,
    EndReason,
    Expiration,
    Grounding,
    Memory,
    Review,
    Source,
    Tier,
)
from app.memory.standing import BEFORE, Ground, Standing, Status
from app.story.messages import Message
from ui.inspector.words import maker_words

# Names of the hues in ui/theme/tokens.py.
TIER_HUES = {
    Tier.LONG_TERM: "long-term",
    Tier.SESSION: "session",
    Tier.ARCS: "arcs",
    Tier.RELATIONSHIPS: "relations",
    Tier.EPISTEMIC: "who knows",
    Tier.STATE_LEDGER: "ledger",
}
TIER_SENTENCES = {
    Tier.LONG_TERM: "Facts, relationships, preferences and events that last.",
    Tier.SESSION: "Details that matter while this chat lasts.",
    Tier.ARCS: "Open threads of the plot, until they are resolved.",
    Tier.RELATIONSHIPS: "Who feels what toward whom.",
    Tier.EPISTEMIC: "Secrets, beliefs, and what nobody told whom.",
    Tier.STATE_LEDGER: "Where people and things are, and how.",
}
STATUS_WORDS = {
    Status.ACTIVE: "Holds",
    Status.ENDED: "Ended",
    Status.LATER: "Begins later",
    Status.STALE: "Source changed since",
    Status.WITHDRAWN: "Its message is gone",
    Status.WAITING: "Waits for your review",
    Status.REJECTED: "Rejected by you",
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
    EndReason.SUPERSEDED: "replaced",
    EndReason.MERGED: "merged with others",
    EndReason.RESOLVED: "resolved",
    EndReason.RETIRED: "no longer so",
    EndReason.OUTRANKED: "others mattered more",
    EndReason.BY_HAND: "ended by you",
}
IMPORTANCE_WORDS = {1: "minor", 2: "normal", 3: "high"}
_IMPORTANCE = {
    1: "The first to go when room is short.",
    2: "Kept as long as there is room.",
    3: "Among the last to go when room is short.",
}
_LASTING = {
    Expiration.SCENE: "Matters for its scene.",
    Expiration.SESSION: "Matters while this chat lasts.",
    Expiration.PERMANENT: "Matters for good.",
}
PLAIN_KINDS = {Tier.ARCS: "open", Tier.RELATIONSHIPS: "feeling"}
WITHOUT_MODEL = "found without a model"
SOURCE_LENGTH = 900  # letters of a message that are shown as proof


def kind_words(memory: Memory) -> str:
    """What it is, in one word or two; "" where its tier says it already."""
    if memory.tier in (Tier.ARCS, Tier.RELATIONSHIPS) or memory.type == FEELING:
        return ""
    if memory.type == "unaware":
        return "does not know"
    return memory.type


def standing_words(standing: Standing) -> str:
    """Why it does not simply hold, "" when it does."""
    if standing.status is Status.ACTIVE:
        return ""
    if standing.status is Status.ENDED and standing.ending is not None:
        words = END_WORDS[standing.ending.reason]
        return f"{words}: {standing.ending.text}" if standing.ending.text else words
    return STATUS_WORDS[standing.status].lower()


def is_without_model(memory: Memory) -> bool:
    """Whether no model had a part in it."""
    return memory.made_by == BUILTIN


def validity_words(standing: Standing) -> str:
    """From where to where it holds: "from #12 until #40"."""
    start = "from the beginning" if standing.start == BEFORE else f"from #{standing.start}"
    if standing.end is None:
        return f"{start} on"
    if standing.end <= BEFORE:
        return f"{start}, ended by you"
    return f"{start} until #{standing.end}"


def place_of(source: Source, ground: Ground) -> int | None:
    """Index of the message in this chat, None when it is not in it."""
    return ground.places.get(source.anchor) if source.chat == ground.chat else None


def source_words(standing: Standing, ground: Ground, *, most: int = 2) -> str:
    """ "#1, #46, +1": the messages that it comes from."""
    sources = standing.memory.sources
    if not sources:
        return "yours" if standing.memory.grounding is Grounding.YOURS else ""
    known = sorted(p for p in (place_of(source, ground) for source in sources) if p is not None)
    elsewhere = sum(source.chat != ground.chat for source in sources)
    words = [f"#{place}" for place in known[:most]]
    rest = len(known) - len(words)
    if rest:
        words.append(f"+{rest}")
    if elsewhere:
        words.append("other chat")
    return ", ".join(words) or "gone"


def history_words(standing: Standing) -> str:
    """Why a memory of a chain gave way, and where."""
    ending = standing.ending
    if ending is None:
        return "Holds now" if standing.is_active else STATUS_WORDS[standing.status]
    words = END_WORDS[ending.reason].capitalize()
    if standing.end is not None and standing.end > BEFORE:
        words += f" at #{standing.end}"
    return f"{words}: {ending.text}" if ending.text else words


def importance_words(memory: Memory) -> str:
    """What the importance means for it."""
    said = _IMPORTANCE.get(memory.importance, "")
    if memory.is_pinned:
        return "Pinned by you: it stays, whatever its importance."
    return f"{said} {_LASTING[memory.expiration]}"


def confidence_words(memory: Memory) -> str:
    """How the confidence comes about."""
    passes = memory.unconfirmed_passes
    match memory.grounding:
        case Grounding.YOURS:
            return "You wrote it."
        case Grounding.IMPORTED:
            return "Taken over from another program, without a message of this chat."
        case Grounding.UNGROUNDED:
            return "No message was found that says it."
        case Grounding.DERIVED:
            said = "Merged from memories that cite messages."
        case _:
            said = "It cites the messages below."
    if passes:
        readings = "reading" if passes == 1 else "readings"
        return f"{said} Not mentioned again in the last {passes} {readings}."
    return f"{said} Confirmed by the last reading."


def made_words(memory: Memory) -> str:
    """Who found or wrote it."""
    if memory.grounding is Grounding.YOURS or memory.made_by == "you":
        return "Written by you"
    if is_without_model(memory):
        return WITHOUT_MODEL.capitalize()
    said = f"Found by {maker_words(memory.made_by)}"
    return f"{said}, approved by you" if memory.review is Review.APPROVED else said


def learned_words(memory: Memory) -> str:
    """How somebody came to know it, "" where nothing is known of that."""
    if memory.told_by:
        return f"Told by {memory.told_by}" + (f", {memory.channel}" if memory.channel else "")
    return {
        "saw": "Saw it",
        "told": "Was told",
        "overheard": "Overheard it",
        "read": "Read it",
        "inferred": "Worked it out",
    }.get(memory.channel, "")


def spoken_row(standing: Standing, ground: Ground) -> str:
    """A row as a screen reader says it."""
    memory = standing.memory
    parts = [
        sentence_of(memory),
        kind_words(memory),
        standing_words(standing) or "holds",
        "pinned" if memory.is_pinned else "",
        WITHOUT_MODEL if is_without_model(memory) else "",
        f"importance {memory.importance} of 3",
        f"confidence {percent(memory)}",
        validity_words(standing),
        f"sources {source_words(standing, ground, most=5)}" if memory.sources else "",
    ]
    return ", ".join(filter(None, parts))


def percent(memory: Memory) -> int:
    """Confidence of 100."""
    return round(max(0.0, min(1.0, memory.confidence)) * 100)


def excerpt(message: Message) -> str:
    """The beginning of a message, as proof; without the marks of emphasis."""
    text = " ".join(message.text.replace("*", "").split())
    return text if len(text) <= SOURCE_LENGTH else text[: SOURCE_LENGTH - 1].rstrip() + "…"


def count_words(count: int, one: str, many: str = "") -> str:
    """ "1 memory", "1,204 memories"."""
    return f"1 {one}" if count == 1 else f"{count:,} {many or one + 's'}"
