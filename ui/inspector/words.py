"""What the inspector and the prompt page say about versions and slots."""

from __future__ import annotations

from datetime import UTC, datetime

from app.prompt.slots import RUNNING_RECAP_KEY, Position, Role, Slot, SlotName
from app.story.recaps import RunningRecap, RunningVersion

SLOT_NAMES = {
    RUNNING_RECAP_KEY: "Running recap",
    "auto_recap_memory_long": "Long-term messages",
    "auto_recap_memory_short": "Recent messages",
    SlotName.CANON.key: "Canon",
    SlotName.PROFILES.key: "Profiles",
    SlotName.LONG.key: "Long-term",
    SlotName.SHORT.key: "Summary",
    SlotName.SCENES.key: "Scenes",
    SlotName.RELATIONSHIPS.key: "Relationships",
    SlotName.TRIGGERED.key: "Called up now",
    SlotName.SESSION.key: "Session",
    SlotName.ARCS.key: "Arcs",
    SlotName.EPISTEMIC.key: "Who knows what",
    SlotName.STATE_LEDGER.key: "State ledger",
    SlotName.REPAIR.key: "Correction",
    SlotName.UNIFIED.key: "All memory in one",
}
SLOT_TIERS = {
    "auto_recap_memory_long": "long-term",
    "auto_recap_memory_short": "short-term",
    SlotName.CANON.key: "canon",
    SlotName.PROFILES.key: "profiles",
    SlotName.LONG.key: "long-term",
    SlotName.TRIGGERED.key: "long-term",
    SlotName.SHORT.key: "short-term",
    SlotName.SCENES.key: "scenes",
    SlotName.RELATIONSHIPS.key: "relations",
    SlotName.SESSION.key: "session",
    SlotName.ARCS.key: "arcs",
    SlotName.EPISTEMIC.key: "who knows",
    SlotName.STATE_LEDGER.key: "ledger",
}
REASONS = {
    "fold": "folded in",
    "edit": "edited by you",
    "rebuild": "rebuilt",
    "restore": "taken up again",
    "import": "found in the chat",
    "foreign": "set aside: of another chat",
}
SAID_ALONE = ("edit", "import", "foreign")  # the reason says who made it, too
STAND_IN = ", in place of "
ROLES = {Role.SYSTEM: "system", Role.USER: "user", Role.ASSISTANT: "assistant"}


def slot_name(key: str) -> str:
    """The slot's name for people; an unknown key with its underscores as spaces."""
    return SLOT_NAMES.get(key, key.replace("_", " ").strip().capitalize())


def place_words(slot: Slot) -> str:
    """Where SillyTavern puts it, in words."""
    role = ROLES[slot.role]
    match slot.position:
        case Position.BEFORE_PROMPT:
            return f"Before the main prompt, as {role}"
        case Position.IN_PROMPT:
            return f"After the main prompt, as {role}"
        case Position.IN_CHAT if slot.depth == 0:
            return f"At the end of the chat, as {role}"
        case Position.IN_CHAT:
            unit = "message" if slot.depth == 1 else "messages"
            return f"In the chat, {slot.depth} {unit} from the end, as {role}"
        case _:
            return "Not injected"


def short_time(seconds: float, *, now: float) -> str:
    """13:38 today, 21 Nov otherwise, in this machine's time zone."""
    moment = datetime.fromtimestamp(seconds, tz=UTC).astimezone()
    today = datetime.fromtimestamp(now, tz=UTC).astimezone().date()
    if moment.date() == today:
        return f"{moment:%H:%M}"
    return f"{moment.day} {moment:%b}" + ("" if moment.year == today.year else f" {moment.year}")


def version_word(version: RunningVersion) -> str:
    """v7; versions count from 0 in the data and from 1 for people."""
    return f"v{version.version + 1}"


def maker_words(made_by: str) -> str:
    """Who wrote a version: you, a model, the built-in way, or that in place of a model."""
    if made_by == "you":
        return "you"
    if STAND_IN in made_by:
        who, _, model = made_by.partition(STAND_IN)
        return f"{who}, since {model} gave nothing usable"
    return made_by or "somebody"


def origin_words(version: RunningVersion, *, now: float) -> str:
    """What a version holds, when and by whom it was made, and why where that is not its scene."""
    if version.scene_count > 1:
        scenes = f"Scenes 1–{version.scene_count}"
    else:
        scenes = "Scene 1" if version.scene_count == 1 else "No scene"
    when = short_time(version.created, now=now)
    if version.is_retired:
        return f"{scenes}, {when}, until it is rebuilt"
    if version.reason in SAID_ALONE:
        return f"{scenes}, {REASONS[version.reason]}, {when}"
    return f"{scenes}, written {when} by {maker_words(version.made_by)}"


def change_words(tokens: int, before: int, version: RunningVersion) -> str:
    """ "+37 since v6": the difference in tokens to an older version."""
    change = tokens - before
    sign = "+" if change > 0 else "−" if change < 0 else "±"
    return f"{sign}{abs(change):,} since {version_word(version)}"


def latest_number(running: RunningRecap) -> int | None:
    """The newest version's number."""
    return running.latest.version if running.latest else None
