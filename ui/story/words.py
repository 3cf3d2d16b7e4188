"""The words of the story page: names, ranges and states as a reader meets them."""

from __future__ import annotations

from app.core.translation import N_, tr, tr_in, trn
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap
from app.story.scene_cues.cue_words import cue_word
from app.story.scenes import BreakOrigin, Scene, SceneBreak
from app.story.story import Story

SPOKEN_CHARACTERS = 2_000
LONGEST_REASON = 600
LONGEST_TIP = 1_200

NAMELESS = (N_("Unnamed scene"), N_("Open scene"))  # a closed one, the open one

STATE_WORDS = {
    InclusionState.INCLUDED: N_("Included"),
    InclusionState.LONG_TERM: N_("Long-term"),
    InclusionState.OUT_OF_BUDGET: N_("Out of budget"),
    InclusionState.EXCLUDED: N_("Excluded"),
    InclusionState.LAGGING: N_("Waiting"),
    InclusionState.FAILED: N_("Failed"),
    InclusionState.NONE: N_("No recap"),
}

STATES_IN_A_LIST = {
    InclusionState.INCLUDED: N_("included"),
    InclusionState.LONG_TERM: N_("long-term"),
    InclusionState.OUT_OF_BUDGET: N_("out of budget"),
    InclusionState.EXCLUDED: N_("excluded"),
    InclusionState.LAGGING: N_("waiting"),
    InclusionState.FAILED: N_("failed"),
    InclusionState.NONE: N_("no recap"),
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


def state_word(state: InclusionState) -> str:
    """ "Included", "Out of budget"."""
    return tr(STATE_WORDS[state])


def scene_name(story: Story, scene: Scene) -> str:
    """A scene's title: the break's, else its recap's, else that it has none yet."""
    name = story.scene_name(scene)
    if name:
        return name
    return tr(NAMELESS[0] if scene.is_closed else NAMELESS[1])


def scene_range(scene: Scene, *, is_open_ended: bool = False) -> str:
    """Message numbers of a scene: "#89–98", a single "#4", "#99 on" for the open one."""
    if is_open_ended and not scene.is_closed:
        return tr("#{first} on", first=scene.first)
    if scene.first == scene.last:
        return f"#{scene.first}"
    return f"#{scene.first}–{scene.last}"


def break_cue(found: SceneBreak) -> str:
    """How a break was found: "Break: fade out"."""
    if found.origin is BreakOrigin.HAND:
        return tr("Break: set by hand")
    return tr("Break: {word}", word=cue_word(found))


def why_here(found: SceneBreak) -> str:
    """What the model gave as its reason for a break; "" where it gave none."""
    reason = " ".join(found.rationale[:LONGEST_REASON].split())
    return tr("Why here: {reason}", reason=reason) if reason else ""


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
    if recap is None:
        return ""
    writer, _, other = recap.made_by[:80].partition(", in place of ")
    if not other:
        return ""
    return tr(
        "{writer}, in place of {other}", writer=tr(writer[:1].upper() + writer[1:]), other=other
    )


def token_count(tokens: int) -> str:
    """ "1 token", "1,204 tokens"."""
    return trn("{n} token", "{n} tokens", tokens)


def message_count(count: int) -> str:
    """ "1 message", "104 messages"."""
    return trn("{n} message", "{n} messages", count)


def recap_tip(recap: MessageRecap) -> str:
    """A message's recap whole, whose it is, what it was begun with, and the reasoning before it."""
    told = [recap.text]
    if recap.taken_from:
        told.append(tr("Imported from {extension}.", extension=recap.taken_from))
    if recap.prefill:
        told.append(tr("Starts with: {text}", text=recap.prefill))
    if recap.reasoning:
        told.append(tr("Reasoning: {text}", text=recap.reasoning))
    return "\n".join(one if len(one) <= LONGEST_TIP else f"{one[:LONGEST_TIP]}…" for one in told)


def spoken_message(index: int, message: Message, inclusion: Inclusion, recap: MessageRecap) -> str:
    """What a screen reader says of a message."""
    parts = [tr("{name}, message {index}.", name=message.name, index=index)]
    if inclusion.state is not InclusionState.NONE:
        parts.append(f"{state_word(inclusion.state)}.")
    if inclusion.is_stale:
        parts.append(tr("Changed since its recap."))
    text = message.text[:SPOKEN_CHARACTERS]
    parts.append(text if len(message.text) <= SPOKEN_CHARACTERS else text + "…")
    if recap.text:
        parts.append(tr("Recap: {text}", text=recap.text[:SPOKEN_CHARACTERS]))
    return " ".join(parts)


def spoken_scene(scene: Scene, name: str, is_folded: bool) -> str:
    """What a screen reader says of a scene."""
    if is_folded:
        state = tr("collapsed")
    else:
        state = tr("finished") if scene.is_closed else tr_in("a scene", "open")
    count = message_count(scene.length)
    return tr(
        "Scene {number}, {name}, {state}, {count}, {first} to {last}.",
        number=scene.number,
        name=name,
        state=state,
        count=count,
        first=scene.first,
        last=scene.last,
    )
