"""The words of the story page: names, ranges and states as a reader meets them."""

from __future__ import annotations

from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak
from app.story.story import Story

SPOKEN_CHARACTERS = 2_000
LONGEST_REASON = 600

NAMELESS = ("Unnamed scene", "Open scene")  # a closed one, the open one

STATE_WORDS = {
    InclusionState.INCLUDED: "Included",
    InclusionState.LONG_TERM: "Long-term",
    InclusionState.OUT_OF_BUDGET: "Out of budget",
    InclusionState.EXCLUDED: "Excluded",
    InclusionState.LAGGING: "Lagging",
    InclusionState.FAILED: "Failed",
    InclusionState.NONE: "No recap",
}

STATE_ICONS = {
    InclusionState.INCLUDED: "check",
    InclusionState.LONG_TERM: "bookmark",
    InclusionState.OUT_OF_BUDGET: "scissors",
    InclusionState.EXCLUDED: "barred",
    InclusionState.LAGGING: "hourglass",
    InclusionState.FAILED: "triangle",
}
STALE_ICON = "loop"

_CUES = {
    "time": "time",
    "place": "place",
    "cast": "cast",
    "separator": "separator line",
    "fade": "fade out",
    "shift": "change of subject",
    "soft": "change of subject",
    "hand": "by hand",
    "model": "by the model",
}
_ORIGINS = {
    BreakOrigin.HAND: "by hand",
    BreakOrigin.HEURISTIC: "found",
    BreakOrigin.MODEL: "by the model",
    BreakOrigin.IMPORT: "from the chat",
}


def scene_name(story: Story, scene: Scene) -> str:
    """A scene's title: the break's, else its recap's, else that it has none yet."""
    name = story.scene_name(scene)
    if name:
        return name
    return NAMELESS[0] if scene.is_closed else NAMELESS[1]


def scene_range(scene: Scene, *, is_open_ended: bool = False) -> str:
    """Message numbers of a scene: "#89–98", a single "#4", "#99 on" for the open one."""
    if is_open_ended and not scene.is_closed:
        return f"#{scene.first} on"
    if scene.first == scene.last:
        return f"#{scene.first}"
    return f"#{scene.first}–{scene.last}"


def break_cue(found: SceneBreak) -> str:
    """How a break was found: "Break: fade out"."""
    if found.origin is BreakOrigin.HAND:
        return "Break: by hand"
    cue = found.cue.strip()
    word = _CUES.get(cue.lower(), cue[:40]) or _ORIGINS[found.origin]
    return f"Break: {word}"


def why_here(found: SceneBreak) -> str:
    """What the model gave as its reason for a break; "" where it gave none."""
    reason = " ".join(found.rationale[:LONGEST_REASON].split())
    return f"Why here: {reason}" if reason else ""


def first_line(story: Story, scene: Scene) -> str:
    """The first line of a scene's recap, "" without one."""
    recap = story.scene_recap(scene)
    if recap is None:
        return ""
    for line in recap.text[:2_000].splitlines():
        bare = line.strip().strip("#*-•> \t")
        if bare:
            return bare
    return ""


def stand_in(story: Story, scene: Scene) -> str:
    """ "Built-in, in place of qwen3:14b" where a recap had to be written otherwise, else ""."""
    recap = story.scene_recap(scene)
    if recap is None or ", in place of " not in recap.made_by:
        return ""
    return recap.made_by[:1].upper() + recap.made_by[1:80]


def token_count(tokens: int) -> str:
    """ "1 token", "1,204 tokens"."""
    return "1 token" if tokens == 1 else f"{tokens:,} tokens"


def message_count(count: int) -> str:
    """ "1 message", "104 messages"."""
    return "1 message" if count == 1 else f"{count:,} messages"


def spoken_message(index: int, message: Message, inclusion: Inclusion, recap: MessageRecap) -> str:
    """What a screen reader says of a message."""
    parts = [f"{message.name}, message {index}."]
    if inclusion.state is not InclusionState.NONE:
        parts.append(f"{STATE_WORDS[inclusion.state]}.")
    if inclusion.is_stale:
        parts.append("Changed since its recap.")
    text = message.text[:SPOKEN_CHARACTERS]
    parts.append(text if len(message.text) <= SPOKEN_CHARACTERS else text + "…")
    if recap.text:
        parts.append(f"Recap: {recap.text[:SPOKEN_CHARACTERS]}")
    return " ".join(parts)


def spoken_scene(scene: Scene, name: str, is_folded: bool) -> str:
    """What a screen reader says of a scene."""
    state = "folded" if is_folded else "open" if not scene.is_closed else "closed"
    count = message_count(scene.length)
    return f"Scene {scene.number}, {name}, {state}, {count}, {scene.first} to {scene.last}."
