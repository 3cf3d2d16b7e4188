"""What the actions of the story page act on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from app.story.messages import MessageRecap
from app.story.scenes import Scene, SceneBreak
from app.story.story import Story


@dataclass(frozen=True, slots=True)
class Target:
    """What the actions act on: the current row, or the newest message when there is none.

    message: index, None on a scene's own row. scene: index, None in an empty story. more: indexes
    of all messages that are chosen together with it, itself among them; empty for it alone.
    """

    story: Story
    message: int | None
    scene: int | None
    is_chosen: bool
    more: Collection[int] = range(0)

    def the_scene(self) -> Scene | None:
        return self.story.scenes[self.scene] if self.scene is not None else None

    def closing(self) -> SceneBreak | None:
        """The break that ends the target's scene: it holds the scene's name and fold."""
        scene = self.the_scene()
        return scene.closing if scene is not None else None

    def removable(self) -> SceneBreak | None:
        """On a scene's row the break above it, on a scene's last message the break below."""
        scene = self.the_scene()
        if scene is None or self.scene is None:
            return None
        if self.message is None:
            return self.story.scenes[self.scene - 1].closing if self.scene else None
        return scene.closing if self.message == scene.last else None

    def broken_scene(self) -> int | None:
        """Index of the scene whose break `removable` gives."""
        if self.removable() is None or self.scene is None:
            return None
        return self.scene - 1 if self.message is None else self.scene

    def hidden_break(self) -> SceneBreak | None:
        """The break on the target message that was taken away and can be shown again."""
        if self.message is None:
            return None
        mark = self.story.breaks.get(self.story.messages[self.message].anchor)
        return mark if mark is not None and not mark.is_visible else None

    def splits(self) -> bool:
        """Whether a break at the message cuts a scene that has an end already."""
        scene = self.the_scene()
        return (
            scene is not None
            and scene.is_closed
            and self.message is not None
            and self.message < scene.last
        )

    def merged(self, by: int) -> SceneBreak | None:
        """The break that goes when the scene joins the one before (-1) or behind it (1)."""
        if self.scene is None:
            return None
        first = self.scene if by > 0 else self.scene - 1
        is_between = 0 <= first < len(self.story.scenes) - 1
        return self.story.scenes[first].closing if is_between else None

    def break_place(self, by: int) -> int | None:
        """Message that the break would stand on, moved by so many; both scenes keep a message."""
        number = self.broken_scene()
        if number is None:
            return None
        scenes = self.story.scenes
        place = scenes[number].last + by
        most = scenes[number + 1].last - 1 if number + 1 < len(scenes) else scenes[number].last
        return place if scenes[number].first <= place <= most else None

    @property
    def redoes_message(self) -> bool:
        """Whether a redo means the message's own recap: it has one, or failed to get one."""
        recap = self.recap()
        return self.is_chosen and bool(recap.text or recap.error)

    def anchors(self) -> tuple[str, ...]:
        """Of the messages that a command on recaps means; none while no message is chosen."""
        if self.message is None or not self.is_chosen:
            return ()
        chosen = self.more or (self.message,)
        return tuple(self.story.messages[index].anchor for index in chosen)

    def recaps(self) -> list[MessageRecap]:
        """The recaps and marks of those messages."""
        known = self.story.message_recaps
        return [known.get(anchor, MessageRecap()) for anchor in self.anchors()]

    def recap(self) -> MessageRecap:
        """The recap and marks of the target message."""
        if self.message is None:
            return MessageRecap()
        anchor = self.story.messages[self.message].anchor
        return self.story.message_recaps.get(anchor, MessageRecap())
