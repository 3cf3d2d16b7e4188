"""What a scene's recap is folded into, and with what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.core.operations import OperationSpec
from app.llm.writers.writer import Merge
from app.settings.program import ProgramSettings
from app.story.recap_texts.by_hand import by_hand, within
from app.story.recap_texts.pinned import Pin, pins_in
from app.story.recaps import RunningVersion, SceneRecap
from app.story.scenes import Scene
from app.work.chats.open_chat import OpenChat
from app.work.planning.folding import fold_base


@dataclass(frozen=True, slots=True)
class FoldMaterial:
    """A scene's recap on its way into the running one. base: what it is folded into, None for the
    first. pins: what stays of that.
    """

    base: RunningVersion | None
    merge: Merge
    pins: tuple[Pin, ...]


def fold_material(
    spec: OperationSpec,
    chat: OpenChat,
    scene: Scene,
    recap: SceneRecap,
    count: Callable[[str], int],
) -> FoldMaterial:
    """What an operation folds in, as the story is now."""
    story, tokens = chat.story, int(spec.params["tokens"])
    base = fold_base(story, scene.first + 1)
    written = by_hand(story.running.versions, base) if base is not None else ()
    rebuilt = story.running.current
    if rebuilt is not None and rebuilt.is_retired and not is_behind(chat, spec.anchor, rebuilt):
        # Whoever has it made again of other recaps keeps what they wrote themselves; a version that
        # reaches less far, as a branch may tell it, says nothing of what comes behind it.
        written = (*written, *by_hand(story.running.versions, rebuilt))
        written = tuple(dict.fromkeys(written))
    pins = (*pins_until(chat, spec.anchor), *map(Pin, within(written, tokens, count)))
    previous, name = base.content if base else "", story.scene_name(scene) or recap.name
    merge = Merge(previous, name, recap.text, tokens, [pin.text for pin in pins])
    return FoldMaterial(base, merge, pins)


def is_behind(chat: OpenChat, anchor: str, running: RunningVersion) -> bool:
    """Whether a version that reaches to this message tells fewer scenes than another one. Scenes
    whose end is gone do not count.
    """
    start = chat.index_of(anchor) or 0
    reach = chat.index_of(running.last_anchor) or 0
    ends = (scene.last for scene in chat.story.scenes if scene.closing is not None)
    return any(start < end <= reach for end in ends)


def pins_until(chat: OpenChat, anchor: str) -> list[Pin]:
    """What is pinned of the running recap, and was told by the scene that this message closes."""
    last = chat.index_of(anchor) or 0

    def is_told(pin: Pin) -> bool:
        place = chat.index_of(pin.until) if pin.until else 0
        return not pin.subject and place is not None and place <= last

    pins = pins_in(ProgramSettings(chat.settings()).recap_pins)
    return [pin for pin in pins if is_told(pin)]
