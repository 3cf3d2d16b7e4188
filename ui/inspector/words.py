"""What the inspector and the prompt page say about versions and slots."""

from __future__ import annotations

from datetime import UTC, datetime

from app.prompt.slots import RUNNING_RECAP_KEY, Position, Role, Slot
from app.story.recaps import RunningRecap, RunningVersion

SLOT_NAMES = {
    RUNNING_RECAP_KEY: "Running recap",
    "auto_recap_memory_long": "Long-term messages",
    "auto_recap_memory_short": "Recent messages",
}
SLOT_TIERS = {
    "auto_recap_memory_long": "long-term",
    "auto_recap_memory_short": "short-term",
}
REASONS = {
    "fold": "folded in",
    "edit": "your edit",
    "rebuild": "written anew",
    "restore": "taken up again",
    "import": "found in the chat",
}
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


def origin_words(version: RunningVersion, *, now: float) -> str:
    """What a version holds, when and by whom it was made."""
    if version.scene_count > 1:
        scenes = f"Scenes 1–{version.scene_count}"
    else:
        scenes = "Scene 1" if version.scene_count == 1 else "No scene"
    who = "you" if version.made_by == "you" else version.made_by or "somebody"
    return f"{scenes}, written {short_time(version.created, now=now)} by {who}"


def latest_number(running: RunningRecap) -> int | None:
    """The newest version's number."""
    return running.latest.version if running.latest else None
