"""Stories for the tests of the window: small and readable, or large and quick to make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap, digest
from app.story.recaps import SceneRecap
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story

State = InclusionState

LINES = (
    '"Is it ready?" *She wipes the bench and does not look up.* "You said by noon."',
    "*The kettle hums. Nobody takes it off the stove, and it goes on humming while the rain "
    'finds the one loose slate.*\n\n"I said by noon if the glass held. It didn\'t hold."\n\n'
    '*He lays the two halves on the cloth.* "So. **Now** what?"',
    '"Now you pay for `two` panes." *A pause.* "And supper."',
    "*Somewhere below a door closes. The stairs creak, one step, then the next, then none.* "
    '"Did you hear that?" *She puts the lamp out with two fingers.* "Stay away from the window. '
    'If he asks, we never met, and you came about the clock."',
)
CUES = ("place", "time", "cast", "fade", "separator")


def message(index: int, text: str | None = None, *, name: str = "") -> Message:
    """The message at `index`, its text from a small stock unless given."""
    text = LINES[index % len(LINES)] if text is None else text
    return Message(
        anchor=f"a{index:06d}",
        content_hash=digest(text),
        name=name or ("Wren" if index % 2 else "Master Ode"),
        text=text,
        is_user=bool(index % 2),
    )


def story(
    count: int = 40,
    breaks: tuple[int, ...] = (9, 19, 29),
    *,
    folded: tuple[int, ...] = (),
    path: str = "story.jsonl",
    messages: tuple[Message, ...] | None = None,
    state: InclusionState = State.NONE,
) -> Story:
    """A story with breaks after the given messages, those in `folded` collapsed."""
    shown = messages or tuple(message(i) for i in range(count))
    marks = {
        shown[i].anchor: SceneBreak(
            shown[i].anchor,
            BreakOrigin.HEURISTIC,
            cue=CUES[n % len(CUES)],
            name=f"Scene name {n + 1}",
            is_collapsed=i in folded,
        )
        for n, i in enumerate(breaks)
        if i < len(shown)
    }
    return Story(
        chat=ChatRef(Path(path), ChatKind.FILE, path),
        messages=shown,
        breaks=marks,
        scenes=scenes_of(shown, marks),
        inclusion=(Inclusion(state, ""),) * len(shown),
        message_tokens=tuple(max(1, len(m.text) // 4) for m in shown),
    )


def with_states(plain: Story) -> Story:
    """The same story with every state of inclusion in it, as a long one looks."""
    inclusion: list[Inclusion] = []
    recaps: dict[str, MessageRecap] = {}
    count = len(plain.messages)
    for index, shown in enumerate(plain.messages):
        state = _state_at(index, count)
        is_stale = index in (count - 14, count // 2, count // 2 + 1)
        edited = index in (count - 15, count - 14)
        text = (
            " ".join(shown.text.replace("*", "").replace('"', "").split())[:90].rstrip(" ,.") + "."
        )
        if state is not State.LAGGING:
            recaps[shown.anchor] = MessageRecap(
                text="" if state is State.FAILED else text,
                is_excluded=state is State.EXCLUDED,
                is_remembered=state is State.LONG_TERM,
                is_edited=edited,
                error="The model answered with nothing, twice." if state is State.FAILED else "",
            )
        inclusion.append(Inclusion(state, _reason(state), 12, is_stale, edited))
    scene_recaps: dict[str, tuple[SceneRecap, ...]] = {
        scene.closing.anchor: (
            SceneRecap(
                scene.closing.anchor,
                0,
                scene.name,
                "She wrote the letter. The book was never burned.",
                "",
                "built in",
                0.0,
            ),
        )
        for scene in plain.scenes
        if scene.closing
    }
    return replace(plain, inclusion=tuple(inclusion), message_recaps=recaps, recaps=scene_recaps)


def _state_at(index: int, count: int) -> InclusionState:
    if index >= count - 8:
        return State.LAGGING
    if index == count - 11:
        return State.FAILED
    if index in (count - 13, 14, 39):
        return State.EXCLUDED
    if index % 9 == 1:
        return State.LONG_TERM
    return State.OUT_OF_BUDGET if index < count * 0.4 else State.INCLUDED


def _reason(state: InclusionState) -> str:
    return {
        State.INCLUDED: "Fits the budget of recent recaps.",
        State.OUT_OF_BUDGET: "Older than what fits the budget.",
        State.LONG_TERM: "Remembered by you.",
        State.EXCLUDED: "You left its recap out.",
        State.LAGGING: "Its recap waits until more messages have followed.",
        State.FAILED: "The model answered with nothing, twice.",
        State.NONE: "No recap yet.",
    }[state]


def labelled_story(file: Path, *, until: int | None = None) -> Story:
    """A story from a labelled chat: its messages, and its gold scene breaks as the breaks."""
    data = msgspec.json.decode(file.read_bytes())
    shown = tuple(
        Message(f"a{i:06d}", digest(m["mes"]), m["name"], m["mes"], is_user=m["is_user"])
        for i, m in enumerate(data["messages"][:until])
    )
    marks = {}
    for gold in data["gold"]["scene_breaks"]:
        last = gold["last_message"]
        if last < len(shown):
            anchor = shown[last].anchor
            marks[anchor] = SceneBreak(
                anchor, BreakOrigin.HEURISTIC, cue=gold["cue"], name=gold["title"]
            )
    return Story(
        chat=ChatRef(file, ChatKind.SOLO, data["title"]),
        messages=shown,
        breaks=marks,
        scenes=scenes_of(shown, marks),
        inclusion=(Inclusion(State.NONE, ""),) * len(shown),
        message_tokens=tuple(max(1, len(m.text) // 4) for m in shown),
    )
