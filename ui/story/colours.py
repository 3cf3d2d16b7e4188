"""What the colours of strip, ticks and marks show: ways into the prompt, or recaps' states."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject

from app.prompt.reach import Reach, unrecapped_scenes
from app.story.story import Story
from ui.core.session import Session
from ui.story.commands import StoryCommands
from ui.story.messages.chat_view import ChatView
from ui.story.messages.message_model import MessageModel, empty_story
from ui.story.scenes.bars import Bars, amounts_by_reach, bars_of, no_bars, of_reach, reach_bars
from ui.story.scenes.navigator import PROMPT, Navigator
from ui.story.scenes.strip import Strip

MOST_KNOWN = 3  # chats whose bars are kept, so that one goes back and forth at once


class StoryColours(QObject):
    """Draws one story in one of two views, which is remembered."""

    def __init__(
        self,
        session: Session,
        commands: StoryCommands,
        view: ChatView,
        strip: Strip,
        scenes: Navigator,
    ) -> None:
        super().__init__(view)
        self._session = session
        self._commands = commands
        self._view = view
        self._strip = strip
        self._scenes = scenes
        self._story = empty_story()
        self.bars = no_bars()  # of the recaps' states, whatever is shown
        self._known: dict[Path, tuple[Story, Bars]] = {}  # of the chats shown last, newest last
        self.shown = no_bars()
        self._kind = commands.colours()
        scenes.set_view(self._kind)
        scenes.view_chosen.connect(self._on_view_chosen)
        scenes.reach_legend.recaps_wanted.connect(self._on_recaps_wanted)
        session.reach_changed.connect(self._on_reach_changed)

    @property
    def _model(self) -> MessageModel:
        return self._view.rows

    def show_story(self, story: Story) -> None:
        """Show another state of the story; of what did not change nothing is counted again."""
        path, self._story = story.chat.path, story
        before, known = self._known.pop(path, (empty_story(), no_bars()))
        self.bars = bars_of(story, known, before)
        self._known[path] = story, self.bars
        while len(self._known) > MOST_KNOWN:
            del self._known[next(iter(self._known))]
        self._scenes.set_story(story, self.bars)
        self._draw()

    def choose(self, reach: Reach, go_to: Callable[[int], None]) -> None:
        """Choose all messages that reach the prompt in one way, and go to the next of them."""
        found = of_reach(self.shown, reach)
        if not found:
            return
        after = self._view.current_message()
        go_to(found[bisect_right(found, -1 if after is None else after) % len(found)])
        self._view.choose(found)

    def _draw(self) -> None:
        shown, reach = self.bars, self._session.reach
        is_of_prompt = self._kind == PROMPT
        self._model.reach = reach if is_of_prompt else None
        if is_of_prompt:
            shown = reach_bars(reach, self.bars)
            self._scenes.reach_legend.show_amounts(
                amounts_by_reach(shown),
                is_seen=reach.is_seen,
                was_sent=reach.was_sent,
                scenes=len(unrecapped_scenes(self._story, reach)),
            )
        self.shown = shown
        self._strip.set_story(self._story, shown)
        self._scenes.list.set_bars(shown)
        self._view.viewport().update()

    def _on_reach_changed(self, _reach: object) -> None:
        if self._kind == PROMPT:
            self._draw()

    def _on_view_chosen(self, kind: str) -> None:
        self._kind = kind
        self._commands.keep_colours(kind)
        self._scenes.set_view(kind)
        self._draw()

    def _on_recaps_wanted(self) -> None:
        scenes = unrecapped_scenes(self._story, self._session.reach)
        self._commands.recap_scenes(self._story, scenes)
