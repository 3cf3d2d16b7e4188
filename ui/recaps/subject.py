"""What the recaps page looks at: the running recap, or the recap of one scene."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.core.errors import UsageError
from app.core.operations import OperationKind
from app.core.translation import N_, tr
from app.story.drafts import RUNNING_RECAP, SCENE_RECAP
from app.story.recaps import RunningVersion
from app.story.scenes import Scene
from app.story.story import Story
from app.views.asked_cost import AskedCost
from ui.core.session import Session
from ui.recaps.version_rows import VersionRow, running_rows, scene_rows

EMPTY_RUNNING = N_(
    "No version yet. A finished scene is added to the running recap once a newer one has "
    "finished, too. Every step and every edit of yours is kept here."
)
ALL_DELETED = N_("All versions are deleted. Restore one of them, or write a new one.")
EMPTY_SCENE = N_(
    "This scene has no recap yet. One is written automatically, or you can write it yourself."
)
EMPTY_SO_FAR = N_("This scene has no recap yet.")


# What it takes, and what begins it.
Ask = Callable[[AskedCost, Callable[[], Coroutine[Any, Any, object]]], None]


class RecapSubject:
    """Does to a recap what the page is asked for, whichever recap it is.

    ask: begins what would be asked of a model, many requests only at the user's word. anchor:
    message that closes the scene, "" for the running recap.
    """

    def __init__(self, session: Session, ask: Ask, anchor: str = "") -> None:
        self._session = session
        self._ask = ask
        self.anchor = anchor

    @property
    def kind(self) -> str:
        """As drafts know it."""
        return SCENE_RECAP if self.anchor else RUNNING_RECAP

    def empty_words(self, *, has_deleted: bool) -> str:
        """What to say while there is no version."""
        if self.anchor:
            path = self._session.path
            work = self._session.companion.work
            why = "" if path is None else work.why_unwritten(path, self.anchor)
            return f"{tr(EMPTY_SO_FAR)} {why}" if why else tr(EMPTY_SCENE)
        return tr(ALL_DELETED) if has_deleted else tr(EMPTY_RUNNING)

    @property
    def can_delete(self) -> bool:
        """Whether single versions can be put away."""
        return not self.anchor

    @property
    def budget(self) -> int:
        """Tokens that the text may take in the prompt, 0 for no budget of its own."""
        if self.anchor:
            return 0
        # Not that of the slot, which is less where a turn has no room for all of it.
        path = self._session.path
        return int(self._session.companion.setting("running_recap_budget", path=path).value)

    def rows(self, deleted: Sequence[RunningVersion]) -> tuple[VersionRow, ...]:
        """All versions, newest first, then `deleted` ones."""
        story = self._session.story
        if story is None:
            return ()
        shown = self._session.companion.recap_texts.shown
        path = story.chat.path
        if self.anchor:
            rows = scene_rows(story, self.anchor, is_gone=self._is_gone(story))
        else:
            rows = running_rows(story, deleted)
        is_stale = bool(self.anchor) and self._is_stale(path)
        return tuple(
            replace(row, text=shown(path, row.text), is_stale=is_stale and row.is_current)
            for row in rows
        )

    def _is_gone(self, story: Story) -> bool:
        scene = story.scene_ending_at(self.anchor)
        return scene is not None and scene.number in self._session.reach.untold

    def _is_stale(self, path: Path) -> bool:
        try:
            return self._session.companion.edits.is_scene_recap_stale(path, self.anchor)
        except UsageError:  # the story moved on, and its next state is on its way
            return False

    def keep(self, text: str, base: int | None, *, was_in_prompt: bool = False) -> None:
        """Make a text a version. base: number of the version it began from. was_in_prompt: that
        was the one in the prompt then.
        """
        companion, path = self._session.companion, self._session.path
        if path is None:
            return
        edits, kept = companion.edits, companion.recap_texts.kept
        self._do(
            edits.edit_scene_recap(path, self.anchor, kept(path, text))
            if self.anchor
            else edits.edit_running_recap(
                path, kept(path, text), base=base, was_in_prompt=was_in_prompt
            ),
            N_("saving your version"),
        )

    def use(self, number: int) -> None:
        """Inject a version, or let it count for its scene."""
        edits, path = self._session.companion.edits, self._session.path
        if path is not None:
            self._do(
                edits.select_scene_recap_version(path, self.anchor, number)
                if self.anchor
                else edits.select_running_version(path, number),
                N_("choosing a version"),
            )

    def delete(self, number: int) -> None:
        """Put a version away."""
        edits, path = self._session.companion.edits, self._session.path
        if path is not None and self.can_delete:
            self._do(edits.delete_running_version(path, number), N_("deleting a version"))

    def restore(self, number: int) -> None:
        """Take a deleted version back."""
        edits, path = self._session.companion.edits, self._session.path
        if path is not None and self.can_delete:
            self._do(edits.restore_running_version(path, number), N_("restoring a version"))

    def clear(self) -> None:
        """Put all versions away."""
        edits, path = self._session.companion.edits, self._session.path
        if path is not None and self.can_delete:
            self._do(edits.clear_running_recap(path), N_("deleting all versions"))

    def redo(self) -> None:
        """Let the recap be made again: the scene's, or the running one from the first scene on."""
        edits, path, story = self._session.companion.edits, self._session.path, self._session.story
        if path is None or story is None:
            return
        if self.anchor:
            self._do(edits.redo_scene_recap(path, self.anchor), N_("redoing the recap"))
            return
        first = next((scene.closing for scene in story.scenes if scene.closing is not None), None)
        if first is not None:
            self._rebuild(first.anchor)

    def rebuild(self) -> None:
        """Let the running recap be made again from the scene on that is looked at."""
        if self.anchor:
            self._rebuild(self.anchor)

    def _rebuild(self, anchor: str) -> None:
        path, companion = self._session.path, self._session.companion
        if path is not None:
            cost = companion.command_costs.of_rebuild(path, anchor)
            self._ask(cost, lambda: companion.edits.rebuild_running_recap(path, anchor))

    @property
    def let_go(self) -> tuple[Scene, ...]:
        """The scenes that only deleted versions of the running recap told."""
        path, companion = self._session.path, self._session.companion
        if path is None or self._session.story is None or self.anchor:
            return ()
        return companion.edits.scenes_let_go(path)

    def tell_again(self) -> None:
        """Have those folded in again."""
        scenes = self.let_go
        if scenes and scenes[0].closing is not None:
            self._rebuild(scenes[0].closing.anchor)

    @property
    def made_without_model(self) -> int:
        """Scenes whose recap rules wrote, while there is a model to do it."""
        story, writing = self._session.story, self._session.companion.models.writing()
        if story is None or writing.of(OperationKind.SCENE_RECAP).is_free:
            return 0
        return len(story.made_without_model)

    def redo_made_without_model(self) -> None:
        """Let the model write those, and what tells them."""
        path, companion = self._session.path, self._session.companion
        if path is not None:
            cost = companion.command_costs.of_made_without_model(path)
            self._ask(cost, lambda: companion.edits.redo_made_without_model(path))

    def _do(self, command: Coroutine[Any, Any, object], name: str) -> None:
        self._session.do(command, name=name)
