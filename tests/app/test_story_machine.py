"""Memory follows the chat: a machine that does to chats what people do, and looks after each deed.

TAVERNKEEP_TEST_LONG=1 runs it for about twenty times as long.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from app.story.message_data import Mark, cleared
from app.story.recaps import injected_version
from app.story.scenes import BreakOrigin, Scene
from app.story.story import Story
from tests.story_world import (
    OPENINGS,
    TWIN,
    Followed,
    StoryWorld,
    assert_others_stay,
    assert_same,
    positions,
)

IS_LONG = os.environ.get("TAVERNKEEP_TEST_LONG") == "1"

places = st.integers(0, 99)  # of the messages there are
openings = st.integers(0, len(OPENINGS) - 1)


class StoryMachine(StoryWorld, RuleBasedStateMachine):
    """Deeds in SillyTavern and in Tavernkeep, in any order, on a few chats."""

    @initialize(
        first=st.lists(openings, min_size=6, max_size=30), is_exact=st.sampled_from((True, False))
    )
    def begin(self, first: list[int], is_exact: bool) -> None:
        self.begin_with(first, is_exact=is_exact)

    def teardown(self) -> None:
        self.end()

    @invariant()
    def all_holds(self) -> None:
        self.check()

    # --- what is done in SillyTavern

    @rule(opening=openings, answer=openings)
    def send(self, opening: int, answer: int) -> None:
        self.page.send(self.text(opening), self.text(answer))
        self.saved()

    @rule()
    def send_twins(self) -> None:
        self.page.send(TWIN, TWIN)
        self.page.send(TWIN, TWIN)
        self.saved()

    @rule(place=places, opening=openings)
    def edit(self, place: int, opening: int) -> None:
        at = self.at(place)
        self.page.edit(at, self.text(opening))
        self.saved(self.page.messages[at].who)

    @rule(opening=openings)
    def swipe_last(self, opening: int) -> None:
        self.page.swipe(len(self.page.messages) - 1, self.text(opening))
        self.saved(self.page.messages[-1].who)

    @rule(place=places, opening=openings)
    def swipe_older(self, place: int, opening: int) -> None:
        at = self.at(place)
        self.page.swipe(at, self.text(opening))
        self.saved(self.page.messages[at].who)

    @rule(place=places, swipe=st.integers(0, 5))
    def swipe_back(self, place: int, swipe: int) -> None:
        swiped = [i for i, m in enumerate(self.page.messages) if "swipes" in m.data]
        if swiped:
            at = swiped[place % len(swiped)]
            self.page.swipe_to(at, swipe % len(self.page.messages[at].data["swipes"]))
            self.saved(self.page.messages[at].who)

    @precondition(lambda self: len(self.page.messages) > 6)
    @rule(number=st.integers(1, 12))
    def delete_last(self, number: int) -> None:
        del self.page.messages[max(2, len(self.page.messages) - number) :]
        self.saved()

    @precondition(lambda self: len(self.page.messages) > 3)
    @rule(place=places)
    def delete(self, place: int) -> None:
        del self.page.messages[self.at(place)]
        self.saved()

    @precondition(lambda self: len(self.page.messages) > 3)
    @rule(place=places)
    def delete_and_put_back(self, place: int) -> None:
        at = self.at(place)
        held = self.page.messages.pop(at)
        self.saved()
        self.page.messages.insert(at, held)
        self.saved()

    @rule(place=places, opening=openings, is_user=st.booleans())
    def insert(self, place: int, opening: int, is_user: bool) -> None:
        self.page.insert(self.at(place), self.text(opening), is_user=is_user)
        self.saved()

    @rule(place=places, by=st.sampled_from((-3, -1, 1, 2)))
    def move(self, place: int, by: int) -> None:
        at = self.at(place)
        self.page.move(at, min(max(at + by, 0), len(self.page.messages) - 1))
        self.saved()

    @rule(place=places, is_hidden=st.booleans())
    def hide(self, place: int, is_hidden: bool) -> None:
        self.page.hide(self.at(place), is_hidden=is_hidden)
        self.saved()

    @rule()
    def continue_reply(self) -> None:
        self.page.continue_reply(" And then she smiles.")
        self.saved(self.page.messages[-1].who)

    @rule(opening=openings)
    def regenerate(self, opening: int) -> None:
        self.page.regenerate(self.text(opening))
        self.saved()

    @rule()
    def rename(self) -> None:
        self.page.rename(self.page.path.with_name(f"Renamed {next(self.names)}.jsonl"))
        self.saved()

    @precondition(lambda self: len(self.chats) < 4)
    @rule(place=places, is_old=st.booleans(), is_shown=st.booleans())
    def branch(self, place: int, is_old: bool, is_shown: bool) -> None:
        """is_old: as 1.18 and older, where a branch shares its parent's integrity slug."""
        number = next(self.names)
        length = max(2, self.at(place) + 1)
        path = self.page.path.with_name(f"{self.page.path.stem} - Branch #{number}.jsonl")
        slug = self.page.integrity if is_old else f"integrity {number}"
        made = Followed(self.page.branch(path, length, integrity=slug))
        # Seen later, it knows what its parent knows then; and nobody can tell an old branch from
        # a deleted one that ended at the same message and was renamed.
        if self.is_running and is_shown and not (is_old and self.has_deleted):
            whose = {held.who for held in made.page.messages}
            known = self.chat.anchors.items()
            made.anchors = {who: anchor for who, anchor in known if who in whose}
            made.seen = {held.who: held.looks for held in made.page.messages}
            breaks = {
                anchor: mark
                for anchor, mark in self.story.breaks.items()
                if anchor in made.anchors.values()
            }
            made.story = Story(self.story.chat, breaks=breaks)
        made.page.save()
        self.chats.append(made)
        if is_shown:
            self.active = len(self.chats) - 1
        if self.is_running and is_shown:
            self.look()

    @precondition(lambda self: len(self.chats) > 1)
    @rule(which=st.integers(0, 9))
    def delete_chat(self, which: int) -> None:
        gone = self.chats.pop(which % len(self.chats))
        gone.page.path.unlink()
        self.has_deleted = True
        self.active = 0
        if self.is_running:
            self.look()

    @precondition(lambda self: len(self.chats) > 1)
    @rule(which=st.integers(0, 9))
    def switch(self, which: int) -> None:
        self.active = which % len(self.chats)
        if self.is_running:
            self.look()

    @rule()
    def stop_or_start(self) -> None:
        if self.is_running:
            self.stop()
        else:
            self.start()
            self.look()

    @precondition(lambda self: self.is_running)
    @rule()
    def restart(self) -> None:
        before = self.story
        self.stop()
        self.start()
        self.look()
        assert_same(before, self.story)

    # --- what is done in Tavernkeep

    @precondition(lambda self: self.is_running)
    @rule(place=places, name=st.sampled_from(("", "By hand")))
    def mark_break(self, place: int, name: str) -> None:
        anchor, before = self.story.messages[self.at(place)].anchor, self.story
        after = self.deed(lambda c, path: c.edits.scenes.mark(path, anchor, name=name))
        assert after.breaks[anchor].is_visible
        assert not name or after.breaks[anchor].name == name
        assert_others_stay(before, after, anchor)

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def remove_break(self, place: int) -> None:
        if anchor := self.marked(place, is_visible=True):
            before = self.story
            after = self.deed(lambda c, path: c.edits.scenes.hide(path, anchor))
            assert not after.breaks[anchor].is_visible
            assert_others_stay(before, after, anchor)

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def rename_scene(self, place: int) -> None:
        if anchor := self.marked(place):
            before, name = self.story, f"Scene {next(self.names)}"
            after = self.deed(lambda c, path: c.edits.scenes.rename(path, anchor, name))
            assert after.breaks[anchor].name == name
            assert_others_stay(before, after, anchor)

    @precondition(lambda self: self.is_running)
    @rule(place=places, to=places)
    def move_break(self, place: int, to: int) -> None:
        if (anchor := self.marked(place, is_visible=True)) and self.companion:
            allowed = self.companion.edits.scenes.places(self.page.path, anchor)
            there = self.story.messages[allowed[to % len(allowed)]].anchor
            if there != anchor:
                before = self.story
                after = self.deed(lambda c, path: c.edits.scenes.move(path, anchor, there))
                assert after.breaks[there].name == before.breaks[anchor].name
                assert len(closed(after)) == len(closed(before))

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def split_scene(self, place: int) -> None:
        at = self.at(place)
        scene = self.story.scene_at(at)
        if scene is not None and at != scene.last:
            before, anchor = self.story, self.story.messages[at].anchor
            after = self.deed(lambda c, path: c.edits.scenes.split(path, anchor, name="Half"))
            assert len(after.scenes) == len(before.scenes) + 1
            assert_others_stay(before, after, anchor)

    @precondition(lambda self: self.is_running and len(self.story.scenes) > 1)
    @rule(place=places)
    def merge_scenes(self, place: int) -> None:
        before = self.story
        closing = before.scenes[place % (len(before.scenes) - 1)].closing
        assert closing is not None
        after = self.deed(lambda c, path: c.edits.scenes.merge(path, closing.anchor))
        assert len(after.scenes) == len(before.scenes) - 1

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def delete_break(self, place: int) -> None:
        if anchor := self.marked(place, is_visible=True):
            after = self.deed(lambda c, path: c.edits.scenes.delete(path, anchor))
            assert not after.breaks[anchor].is_visible
            assert anchor not in after.recaps

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def edit_message_recap(self, place: int) -> None:
        anchor, text = self.story.messages[self.at(place)].anchor, f"My {next(self.names)} words."
        after = self.deed(lambda c, path: c.edits.messages.edit(path, anchor, text))
        assert after.message_recaps[anchor].text == text

    @precondition(lambda self: self.is_running)
    @rule(place=places, number=st.integers(1, 4))
    def clear_message_recaps(self, place: int, number: int) -> None:
        at = self.at(place)
        messages = self.story.messages[at : at + number]
        held = self.story.message_recaps
        if all(held.get(message.anchor) == cleared(message) for message in messages):
            return  # nothing to delete, and so nothing to take back
        anchors = [message.anchor for message in messages]
        after = self.deed(lambda c, path: c.edits.messages.clear(path, anchors))
        assert not any(after.message_recaps[anchor].text for anchor in anchors)

    @precondition(lambda self: self.is_running)
    @rule(place=places, number=st.integers(1, 4), mark=st.sampled_from(Mark))
    def mark_messages(self, place: int, number: int, mark: Mark) -> None:
        at, before = self.at(place), self.story
        anchors = [m.anchor for m in before.messages[at : at + number]]
        after = self.deed(lambda c, path: c.edits.messages.mark(path, anchors, mark))
        assert len({getattr(after.message_recaps[anchor], mark) for anchor in anchors}) == 1
        assert_others_stay(before, after, *anchors)

    @precondition(lambda self: self.is_running and bool(self.story.breaks))
    @rule()
    def clear_all(self) -> None:
        after = self.deed(lambda c, path: c.edits.clear_all(path))
        assert all(mark.origin is BreakOrigin.HEURISTIC for mark in after.breaks.values())
        assert after.running.versions == ()

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def edit_scene_recap(self, place: int) -> None:
        ended = closed(self.story)
        if ended:
            scene, text = ended[place % len(ended)], f"My {next(self.names)} words."
            assert scene.closing is not None
            anchor = scene.closing.anchor
            after = self.deed(lambda c, path: c.edits.edit_scene_recap(path, anchor, text))
            recap = after.scene_recap(scene)
            assert recap is not None
            assert recap.text == text

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def redo_scene_recap(self, place: int) -> None:
        ended = closed(self.story)
        if ended:
            closing = ended[place % len(ended)].closing
            assert closing is not None
            self.work(lambda c, path: c.edits.redo_scene_recap(path, closing.anchor))

    @precondition(lambda self: self.is_running)
    @rule(place=places, number=st.integers(1, 3))
    def recap_messages_anew(self, place: int, number: int) -> None:
        at = self.at(place)
        anchors = [m.anchor for m in self.story.messages[at : at + number]]
        self.work(lambda c, path: c.edits.messages.write(path, anchors))

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def select_scene_recap(self, place: int) -> None:
        versions = [recap for recaps in self.story.recaps.values() for recap in recaps[:-1]]
        ends = {scene.closing.anchor for scene in self.story.scenes if scene.closing}
        versions = [recap for recap in versions if recap.anchor in ends]
        if versions:
            old = versions[place % len(versions)]
            after = self.deed(
                lambda c, path: c.edits.select_scene_recap_version(path, old.anchor, old.version)
            )
            assert [r.version for r in after.recaps[old.anchor] if r.is_current] == [old.version]

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def take_recap_of_the_swipe_before(self, place: int) -> None:
        assert self.companion is not None
        anchor, path = self.story.messages[self.at(place)].anchor, self.page.path
        found = self.run(self.companion.edits.messages.previous_swipe(path, anchor))
        if found is not None and found.text:
            after = self.deed(
                lambda c, path: c.edits.messages.take_from_previous_swipe(path, anchor)
            )
            assert after.message_recaps[anchor].text == found.text

    @precondition(lambda self: self.is_running)
    @rule(place=places, is_folded=st.booleans())
    def fold_scene(self, place: int, is_folded: bool) -> None:
        ended = closed(self.story)
        if ended:
            closing = ended[place % len(ended)].closing
            assert closing is not None
            after = self.deed(
                lambda c, path: c.edits.scenes.collapse(path, closing.anchor, is_folded)
            )
            assert after.breaks[closing.anchor].is_collapsed is is_folded

    @precondition(lambda self: self.is_running and self.injected() is not None)
    @rule()
    def edit_running_recap(self) -> None:
        text = f"The lamp went out, {next(self.names)}."
        after = self.deed(lambda c, path: c.edits.edit_running_recap(path, text))
        version = injected_version(after.running, positions(after))
        assert version is not None
        assert version.content == text

    @precondition(lambda self: self.is_running and bool(self.story.running.versions))
    @rule(place=places)
    def select_version(self, place: int) -> None:
        versions = self.story.running.versions
        version = versions[place % len(versions)].version
        self.deed(lambda c, path: c.edits.select_running_version(path, version))

    @precondition(lambda self: self.is_running and bool(self.story.running.versions))
    @rule(place=places)
    def delete_version(self, place: int) -> None:
        versions = self.story.running.versions
        version = versions[place % len(versions)]
        after = self.deed(lambda c, path: c.edits.delete_running_version(path, version.version))
        assert version not in after.running.versions

    @precondition(lambda self: self.is_running and bool(self.story.running.versions))
    @rule()
    def clear_running_recap(self) -> None:
        after = self.deed(lambda c, path: c.edits.clear_running_recap(path))
        assert after.running.versions == ()

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def restore_version(self, place: int) -> None:
        assert self.companion is not None
        deleted = self.run(self.companion.edits.deleted_running_versions(self.page.path))
        if deleted:
            version = deleted[place % len(deleted)]
            after = self.deed(
                lambda c, path: c.edits.restore_running_version(path, version.version)
            )
            assert version in after.running.versions

    @precondition(lambda self: self.is_running)
    @rule(place=places)
    def rebuild(self, place: int) -> None:
        ended = [scene.closing for scene in closed(self.story) if scene.closing]
        if ended:
            anchor = ended[place % len(ended)].anchor
            self.deed(lambda c, path: c.edits.rebuild_running_recap(path, anchor))

    @precondition(lambda self: self.is_running)
    @rule(steps=st.integers(1, 3))
    def undo(self, steps: int) -> None:
        assert self.companion is not None
        for _ in range(steps):
            self.run(self.companion.edits.undo(self.page.path))
        self.settle()

    @precondition(lambda self: self.is_running)
    @rule()
    def redo(self) -> None:
        assert self.companion is not None
        self.run(self.companion.edits.redo(self.page.path))
        self.settle()


def closed(story: Story) -> list[Scene]:
    return [scene for scene in story.scenes if scene.closing]


TestStoryMachine = pytest.mark.timeout(1800 if IS_LONG else 240)(StoryMachine.TestCase)
TestStoryMachine.settings = settings(
    max_examples=300 if IS_LONG else 20,
    stateful_step_count=50 if IS_LONG else 30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
