"""The queue follows what is wanted; a backlog is asked about, followed, stopped and taken up."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from random import Random

import pytest

from app.companion import Companion, open_companion
from app.core.operations import Operation, OperationKind, OperationStatus
from app.core.paths import user_folders
from app.prompt.generation import Turn
from app.settings.slot_table import SlotName
from app.work.pages.page_badge import badge_of
from app.work.queue.operation_queue import OperationQueue
from app.work.queue.outcomes import TIMES_DONE_AT_MOST
from tests.chat_files import append, message, save_like_sillytavern
from tests.fakes import MODEL, FakeLlm, RecordedRequest
from tests.labelled import WrittenTavern


def recap(request: RecordedRequest) -> str:
    """The same prompt gets the same words, and every other prompt others."""
    event = f"Event {Random(request.text).randrange(10**9)} happened."
    answer = {"name": event[:12], "recap": {"developments": [event]}}
    if BESIDE in request.text:
        answer["changes"] = {"drop": [], "replace": [], "add": {}}
    return json.dumps(answer)


SHORT_KEY = SlotName.SHORT.key
BESIDE = "<earlier>"  # and what only one for a recap and a fold says
FOLDS = "running recap"  # what only the request of a fold says


@dataclass
class Place:
    """A story with a backlog, and a model that answers when `gate` lets it."""

    tavern: WrittenTavern
    data: Path
    model: FakeLlm

    @property
    def chat(self) -> Path:
        return self.tavern.chat

    @property
    def spec(self) -> str:
        return f"openai:{MODEL}@{self.model.url}"

    def readings(self) -> int:
        """How many requests read messages for memory."""
        return sum("<messages>" in request.text for request in self.model.requests)

    @asynccontextmanager
    async def opened(
        self, *, llm: str | None = None, asks_first: bool = True
    ) -> AsyncIterator[Companion]:
        async with open_companion(
            user_folders(self.data),
            tavern=self.tavern.user_folder,
            llm=llm or self.spec,
            watch=False,
            asks_first=asks_first,
        ) as companion:
            companion.settings.put("scene_detector", "heuristic")
            yield companion


@pytest.fixture
def place(demo_tavern: WrittenTavern, tmp_path: Path) -> Iterator[Place]:
    with FakeLlm(recap) as model:
        yield Place(demo_tavern, tmp_path / "own data", model)


def waiting(companion: Companion, kind: OperationKind | None = None) -> list[Operation]:
    return [
        operation
        for operation in companion.work.operations
        if operation.status is OperationStatus.PENDING and kind in (None, operation.spec.kind)
    ]


async def until(companion: Companion, holds: Callable[[], bool]) -> None:
    """Wait for the operations to be so."""
    changed = asyncio.Event()
    companion.operations_changed.connect(lambda _: changed.set())
    async with asyncio.timeout(30):
        while not holds():
            changed.clear()
            await changed.wait()


def done(companion: Companion) -> int:
    return sum(operation.status is OperationStatus.DONE for operation in companion.work.operations)


# --- what is not wanted any more


async def test_a_chat_that_lost_half_its_messages_is_given_no_model_until_it_goes_on(
    place: Place,
) -> None:
    """A profile of the half was paid for, and stood in for the good one when all was back."""
    whole = place.chat.read_bytes()
    half = b"".join(whole.splitlines(keepends=True)[:60])
    further = whole.splitlines(keepends=True)[60].replace(b'"mes":"', b'"mes":"And then. ')
    async with place.opened(asks_first=False) as companion:
        companion.work.pause()

        async def read(data: bytes) -> list[str]:
            save_like_sillytavern(place.chat, data)
            await companion.open_story(place.chat)
            await companion.settled(place.chat)
            return [op.spec.anchor for op in waiting(companion)]

        before = await read(whole)
        assert before
        assert await read(half) == []
        story = companion.story(place.chat)
        assert story is not None
        closing = story.scenes[0].closing
        assert closing is not None
        why = companion.work.why_unwritten(place.chat, closing.anchor)
        assert "Many messages of this chat are gone at once" in why
        assert await read(whole) == before
        assert await read(half) == []
        some = await read(half + further)
        assert 0 < len(some) < len(before)


async def test_recaps_are_written_in_the_order_of_the_story_also_of_scenes_found_meanwhile(
    place: Place,
) -> None:
    """90 scenes of 280 were recapped before the first ones, whose search was over last: none of
    them knew what came before, and each took a request of its own to be folded in.
    """
    async with place.opened(asks_first=False) as companion:
        companion.work.pause()
        story = await companion.open_story(place.chat)
        moved = waiting(companion, OperationKind.SCENE_RECAP)[-1]
        await companion.work.move_up(moved.id, first=True)
        found = story.scenes[1].closing
        assert found is not None
        await companion.edits.scenes.hide(place.chat, found.anchor)  # two scenes are one
        await companion.settled(place.chat)
        now = companion.story(place.chat)
        assert now is not None
        closed = [scene.closing.anchor for scene in now.scenes if scene.closing]
        queued = [op.spec for op in waiting(companion, OperationKind.SCENE_RECAP)]
        assert [spec.anchor for spec in queued] == [moved.spec.anchor, *closed[:-1]]
        assert [spec.label for spec in queued[1:]] == [
            f"Recap of scene {number}" for number in range(1, len(closed))
        ]
        companion.work.resume()
        await companion.settled(place.chat)
    texts = [request.text for request in place.model.requests]
    assert sum(FOLDS in text and BESIDE not in text for text in texts) <= 1


@pytest.mark.weakness(56)
async def test_another_model_takes_over_at_once_what_waited_for_the_first(place: Place) -> None:
    async with place.opened(asks_first=False) as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        before = waiting(companion)
        assert len(before) > 3
        with FakeLlm(recap) as other:
            companion.settings.put("scene_detector", "heuristic")
            await companion.put_setting("backend", f"openai:{MODEL}@{other.url}")
            after = waiting(companion)
            assert {op.spec.anchor for op in after} == {op.spec.anchor for op in before}
            assert not {op.spec.key for op in after} & {op.spec.key for op in before}
            assert len(after) == len(before)
            await companion.put_setting("backend", "builtin")
            kept = {op.spec.key for op in waiting(companion, OperationKind.SCENE_RECAP)}
            assert kept
            assert not kept & {op.spec.key for op in after}
            assert not other.requests
        assert not place.model.requests


async def test_a_setting_that_changes_what_is_written_replaces_what_waits(place: Place) -> None:
    async with place.opened(asks_first=False) as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        before = {op.spec.anchor: op.spec.key for op in waiting(companion)}
        await companion.put_setting("scene_recap_tokens", 222)
        after = {op.spec.anchor: op.spec.key for op in waiting(companion)}
        assert before.keys() == after.keys()
        assert not set(before.values()) & set(after.values())
        await companion.put_setting("scene_recaps_auto", False)
        assert waiting(companion) == []


async def test_message_recaps_wait_no_longer_when_they_are_switched_off(place: Place) -> None:
    async with place.opened(asks_first=False) as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.put_setting("message_recaps_model", True)
        assert waiting(companion, OperationKind.MESSAGE_RECAP)
        # Those that wait are fewer than this by and by: they are wanted none the less.
        await companion.put_setting("message_recap_batch", 50)
        assert waiting(companion, OperationKind.MESSAGE_RECAP)
        await companion.put_setting("message_recaps_model", False)
        assert not waiting(companion, OperationKind.MESSAGE_RECAP)


async def test_what_the_user_asked_for_goes_over_to_the_other_model(place: Place) -> None:
    async with place.opened(asks_first=False) as companion:
        await companion.open_story(place.chat)
        story = await companion.settled(place.chat)
        closing = story.scenes[0].closing
        assert closing is not None
        companion.work.pause()
        await companion.edits.redo_scene_recap(place.chat, closing.anchor)
        await companion.edits.messages.write(place.chat, [m.anchor for m in story.messages[:3]])
        asked = waiting(companion)
        assert len(asked) == 4
        with FakeLlm(lambda _: '{"name": "Other", "recap": {"state": ["Other words."]}}') as other:
            companion.settings.put("scene_detector", "heuristic")
            await companion.put_setting("backend", f"openai:{MODEL}@{other.url}")
            now = waiting(companion)
            assert [op.spec.anchor for op in now] == [op.spec.anchor for op in asked]
            assert not {op.spec.key for op in now} & {op.spec.key for op in asked}
            companion.work.resume()
            story = await companion.settled(place.chat)
            assert len(other.requests) == 4
        assert len(story.recaps[closing.anchor]) == 2


async def test_a_scene_is_folded_in_after_its_recap_is_made_anew(place: Place) -> None:
    async with place.opened(asks_first=False) as companion:
        await companion.open_story(place.chat)
        await companion.put_setting("running_recap_auto", False)
        await companion.settled(place.chat)
        companion.work.pause()
        # All recaps are outdated by this, and the first of them would be folded in.
        await companion.put_setting("scene_recap_messages", "character")
        await companion.put_setting("running_recap_auto", True)
        (fold,) = waiting(companion, OperationKind.RUNNING_RECAP)
        assert fold.held.startswith("Waits for “Recap of scene 1”")
        companion.work.resume()
        story = await companion.settled(place.chat)
        assert companion.work.left(place.chat) is None
        assert all(len(versions) == 2 for versions in story.recaps.values())


async def test_a_fold_that_was_refused_is_asked_for_again_though_rules_stand_in_for_it(
    place: Place,
) -> None:
    place.chat.write_bytes(b"".join(place.chat.read_bytes().splitlines(keepends=True)[:70]))
    refusing = True

    def answer(request: RecordedRequest) -> str:
        is_fold = FOLDS in request.text
        return "I'm sorry, but I can't help with that." if refusing and is_fold else recap(request)

    with FakeLlm(answer) as model:
        async with place.opened(llm=f"openai:{MODEL}@{model.url}", asks_first=False) as companion:
            await companion.open_story(place.chat)
            story = await companion.settled(place.chat)
            folds = [v for v in story.running.versions if v.is_stand_in]
            failed = [o for o in companion.work.operations if o.status is OperationStatus.FAILED]
            assert {operation.spec.kind for operation in failed} == {OperationKind.RUNNING_RECAP}
            assert len(folds) == len(failed) > 1
            asked = len(model.requests)
            assert len(story.made_without_model) == len(folds)
            await companion.work.retry_all()
            await companion.settled(place.chat)
            assert len(model.requests) >= asked + len(failed)
            again = (await companion.settled(place.chat)).running.versions
            assert [v for v in again if v.is_stand_in] == folds  # as bad again, it stands in once
            refusing = False
            await companion.work.retry_all()
            story = await companion.settled(place.chat)
            current = story.running.current
            assert current is not None
            assert (current.made_by, current.last_anchor) == (MODEL, folds[-1].last_anchor)
            assert story.made_without_model == ()


async def test_what_was_written_without_a_model_is_written_by_one_when_asked(place: Place) -> None:
    place.chat.write_bytes(b"".join(place.chat.read_bytes().splitlines(keepends=True)[:40]))
    async with place.opened(llm="builtin") as companion:
        await companion.open_story(place.chat)
        story = await companion.settled(place.chat)
        assert story.running.versions
        closed = [scene for scene in story.scenes if scene.is_closed]
        assert len(story.made_without_model) == len(closed)
        first = closed[0].closing
        assert first is not None
        await companion.edits.edit_scene_recap(place.chat, first.anchor, "As I tell it.")
        await companion.put_setting("backend", place.spec)
        await companion.settled(place.chat)
        assert place.model.requests == []  # what there is stays, until somebody asks
        await companion.edits.redo_made_without_model(place.chat)
        story = await companion.settled(place.chat)
        assert story.made_without_model == ()
        kept = story.scene_recap(story.scenes[0])
        assert kept is not None
        assert kept.text == "As I tell it."
        newest = story.running.versions[-1]
        assert newest.made_by == MODEL
        for scene in closed[1 : newest.scene_count]:
            recap_ = story.scene_recap(scene)
            assert recap_ is not None
            assert recap_.is_locked


# --- catching up


async def test_a_plan_says_time_and_price_when_they_are_known(place: Place) -> None:
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        assert plan.price is None
        assert plan.is_guessed, "nothing was measured, and it says minutes all the same"
        assert plan.seconds is not None
        assert plan.operations == plan.scenes + plan.folds
        assert plan.requests == plan.scenes, "each asks for the fold before it, too"
        await companion.put_setting("price_prompt_tokens", 2.0)
        await companion.put_setting("price_output_tokens", 10.0)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        wanted = (2.0 * plan.prompt_tokens + 10.0 * plan.output_tokens) / 1_000_000
        assert plan.price == pytest.approx(wanted)
        closing = companion.story(place.chat).scenes[0].closing  # type: ignore[union-attr]
        assert closing is not None
        await companion.edits.redo_scene_recap(place.chat, closing.anchor)
        await companion.settled(place.chat)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        assert plan.seconds is not None
        assert plan.seconds > 0
        assert not plan.is_guessed


async def test_stopped_after_this_one_what_is_done_stays_and_the_rest_is_offered(
    place: Place,
) -> None:
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        first = companion.work.catch_up(place.chat)
        assert first is not None
        go_on = threading.Event()

        def slow(request: RecordedRequest) -> str:
            if len(place.model.requests) == 3:
                go_on.wait(20)
            return recap(request)

        place.model.reply = slow
        await companion.work.start_catch_up(place.chat)
        assert companion.work.catch_up(place.chat) is None
        await asyncio.to_thread(place.model.wait_for_request, 2)
        (progress,) = companion.work.catching_up
        assert progress.done == 2
        assert progress.done + progress.left == first.requests
        assert progress.remaining is not None
        assert "Catching up, 2 of" in companion.health.queue.sentence
        await companion.work.stop_catch_up(progress.chat)
        (progress,) = companion.work.catching_up
        assert progress.is_stopping
        assert not waiting(companion)
        go_on.set()
        await companion.settled(place.chat)
        assert companion.work.catching_up == ()
        assert len(place.model.requests) == 3
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        assert companion.health.queue.sentence == "Nothing in progress", "an answer is waited for"
        assert rest.operations == first.operations - 3 - 1, "the first scene is copied"
        await companion.work.start_catch_up(place.chat)
        story = await companion.settled(place.chat)
        assert len(place.model.requests) == first.requests
        assert companion.work.catching_up == ()
        assert len(story.running.versions) == first.folds


async def test_stopped_at_once_what_runs_is_dropped_and_may_be_taken_up_again(
    place: Place,
) -> None:
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        never = threading.Event()

        def stuck(request: RecordedRequest) -> str:
            if len(place.model.requests) == 2:
                never.wait(20)
            return recap(request)

        place.model.reply = stuck
        await companion.work.start_catch_up(place.chat)
        await asyncio.to_thread(place.model.wait_for_request, 1)
        (progress,) = companion.work.catching_up
        async with asyncio.timeout(30):
            await companion.work.stop_catch_up(progress.chat, at_once=True)
            await companion.settled(place.chat)
        assert companion.work.catching_up == ()
        assert done(companion) == 1 + 1, "a recap, and the fold that copied it"
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        never.set()
        place.model.reply = recap
        await companion.work.start_catch_up(place.chat)
        story = await companion.settled(place.chat)
        assert companion.work.catch_up(place.chat) is None
        assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)


async def test_a_stop_holds_over_the_end_of_the_program_however_little_is_left(
    place: Place,
) -> None:
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        await companion.put_setting("catch_up_scenes", 1)
        await companion.work.start_catch_up(place.chat)
        await until(companion, lambda: companion.work.catching_up[0].left <= 3)
        await companion.work.stop_catch_up(companion.work.catching_up[0].chat)
        await companion.settled(place.chat)
        asked = len(place.model.requests)
        await companion.put_setting("catch_up_scenes", 100)
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        await companion.settled(place.chat)
        assert companion.work.catch_up(place.chat) is not None
        assert len(place.model.requests) == asked
        await companion.work.start_catch_up(place.chat)
        await companion.settled(place.chat)
        assert len(place.model.requests) > asked


async def test_a_catch_up_goes_on_by_itself_in_the_next_run_and_counts_on(place: Place) -> None:
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        await companion.work.start_catch_up(place.chat)
        await until(companion, lambda: done(companion) == 4)
        companion.work.pause()
    made = len(place.model.requests)
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        assert companion.work.catch_up(place.chat) is None
        (progress,) = companion.work.catching_up
        assert progress.done >= 3
        # The fold that was answered with the last recap may be under way.
        assert 0 <= progress.done + progress.left - plan.requests <= 1
        assert progress.elapsed > 0
        companion.work.resume()
        await companion.settled(place.chat)
        assert companion.work.catching_up == ()
    # Only what was under way when the first run ended is asked for once more.
    assert plan.requests <= len(place.model.requests) <= plan.requests + 1
    assert made < plan.requests


async def test_another_model_is_not_given_the_backlog_that_the_first_was_to_do(
    place: Place,
) -> None:
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        assert waiting(companion)
        with FakeLlm(recap) as other:
            companion.settings.put("scene_detector", "heuristic")
            await companion.put_setting("backend", f"openai:{MODEL}@{other.url}")
            assert not waiting(companion)
            assert companion.work.catch_up(place.chat) is not None
            assert companion.work.catching_up == ()
            await companion.put_setting("backend", "builtin")


async def test_a_catch_up_ends_although_a_scene_fails(place: Place) -> None:
    def reply(request: RecordedRequest) -> str:
        return "" if "Drowned Bell" in request.text.rpartition("<scene>")[2] else recap(request)

    place.model.reply = reply
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        await companion.settled(place.chat)
        assert companion.work.catching_up == ()


async def test_a_catch_up_ends_although_a_scene_is_wanted_for_ever(place: Place) -> None:
    """What was done too often is queued no more, and stood as the last one to do for good."""
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        again = waiting(companion, OperationKind.SCENE_RECAP)[-1].spec
        await companion.work.stop_catch_up(again.chat, at_once=True)
        companion._queue.ended._times[again.work] = TIMES_DONE_AT_MOST
        await companion.work.start_catch_up(place.chat)
        companion.work.resume()
        await companion.settled(place.chat)
        assert place.model.requests
        assert companion.work.catching_up == ()
        assert companion.work.to_do == 0


async def test_what_is_found_far_beyond_what_was_agreed_is_asked_about_anew(place: Place) -> None:
    """140 requests were agreed to, and 191 asked."""
    async with place.opened() as companion:
        companion.settings.put("catch_up_scenes", 1)
        companion.work.pause()
        story = await companion.open_story(place.chat)
        offered = companion.work.catch_up(place.chat)
        assert offered is not None
        for scene in story.scenes[2:-2]:  # few scenes are known at first
            assert scene.closing is not None
            await companion.edits.scenes.hide(place.chat, scene.closing.anchor)
        first = companion.work.catch_up(place.chat)
        assert first is not None
        agreed = first.requests
        assert agreed < offered.requests / 2
        await companion.work.start_catch_up(place.chat)
        while (await companion.edits.undo(place.chat)) != "":
            pass
        companion.work.resume()
        await companion.settled(place.chat)
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        assert rest.agreed == agreed
        assert companion.work.catching_up == ()
        assert agreed < len(place.model.requests) < offered.requests
        await companion.work.start_catch_up(place.chat)
        await companion.settled(place.chat)
        assert companion.work.catch_up(place.chat) is None
        assert companion.work.catching_up == ()


async def test_what_takes_far_more_tokens_than_agreed_is_asked_about_anew(place: Place) -> None:
    """128 requests and 434,000 tokens were agreed to; 229 with 612,000 were taken, unasked."""
    asked = count()

    def at_the_second_time(request: RecordedRequest) -> str:
        return recap(request) if next(asked) % 2 else "Gladly."

    place.model.reply = at_the_second_time
    async with place.opened() as companion:
        companion.settings.put("catch_up_scenes", 1)
        await companion.open_story(place.chat)
        offered = companion.work.catch_up(place.chat)
        assert offered is not None
        await companion.work.start_catch_up(place.chat)
        await companion.settled(place.chat)
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        assert rest.agreed == offered.requests
        assert rest.requests < offered.requests
        assert companion.work.catching_up == ()
        place.model.reply = recap
        await companion.work.start_catch_up(place.chat)
        await companion.settled(place.chat)
        assert companion.work.catch_up(place.chat) is None


async def test_what_is_cleared_is_offered_again_and_can_be_put_back(place: Place) -> None:
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        before = [op.spec.key for op in waiting(companion)]
        cleared = await companion.work.clear_waiting(place.chat)
        assert [op.spec.key for op in cleared.operations] == before
        assert waiting(companion) == []
        assert companion.work.catching_up == ()
        assert companion.work.catch_up(place.chat) is not None
        await companion.work.put_back(cleared)
        assert [op.spec.key for op in waiting(companion)] == before
        assert companion.work.catch_up(place.chat) is None
        assert len(companion.work.catching_up) == 1
        await companion.work.clear_waiting()
        assert waiting(companion) == []
        companion.work.resume()
        await companion.settled(place.chat)
        assert not place.model.requests


async def test_recaps_or_memory_may_be_had_alone_and_the_other_is_offered_then(
    place: Place,
) -> None:
    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        both = companion.work.catch_up(place.chat)
        assert both is not None
        assert both.scenes
        assert both.reading.requests
        assert both.seconds is not None
        await companion.work.start_catch_up(place.chat, "recaps")
        story = await companion.settled(place.chat)
        assert all(story.scene_recap(scene) for scene in story.scenes if scene.is_closed)
        assert not any("<messages>" in request.text for request in place.model.requests)
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        assert (rest.scenes, rest.reading) == (0, both.reading)
    place.model.requests.clear()


async def test_a_prompt_tells_what_fell_out_of_it_though_no_model_has_read_the_story_yet(
    place: Place,
) -> None:
    """The first replies of a long chat had no memory at all until the catch-up came so far."""
    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        assert companion.work.catch_up(place.chat) is not None
        made = await companion.slots(place.chat, turn=Turn(context=2_400, fixed=400))
    assert made.total_tokens > 300
    assert [slot.key for slot in made.slots if slot.tokens] == [SHORT_KEY]
    assert not place.model.requests


async def test_a_stop_ends_the_reading_that_was_asked_for_by_itself_as_well(place: Place) -> None:
    """Work said that there was nothing to do, and the reading went on and was paid for."""
    place.model.reply = lambda request: recap(request) if "<scene>" in request.text else "NONE"

    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat, "memory")
        await companion.remembered.read_now(place.chat)
        await asyncio.to_thread(place.model.wait_for_request, 1)
        await companion.work.stop_catch_up(companion.work.catching_up[0].chat, at_once=True)
        so_far = place.readings()
        await companion.settled(place.chat)
        assert place.readings() == so_far
        assert companion.work.catch_up(place.chat) is not None


async def test_a_reading_up_to_the_last_message_is_wanted_once(place: Place) -> None:
    """After one /tk-memory each new message was read by a request of its own."""
    place.model.reply = lambda request: recap(request) if "<scene>" in request.text else "NONE"

    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        chat = companion._chats.required(place.chat)
        chat.reading_state = replace(chat.reading_state, is_whole=False)  # as while one plays
        await companion.remembered.read_now(place.chat)
        await companion.finished(place.chat)
        so_far = place.readings()
        assert so_far > 0
        assert chat.reading_state.waits
        last = len(chat.story.messages)
        append(place.chat, message(last), message(last + 1))
        await companion._chats.refresh(chat)
        await companion.finished(place.chat)
        assert len(chat.story.messages) == last + 2
        assert place.readings() == so_far


async def test_a_catch_up_outlasts_a_round_of_a_group_in_which_nothing_is_read(
    place: Place,
) -> None:
    """Half a minute after "All of it" the same messages were asked about again."""
    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        companion.work.pause()
        await companion.work.start_catch_up(place.chat, "memory")
        (before,) = companion.work.catching_up
        chat = companion._chats.required(place.chat)
        chat.reading_state = replace(chat.reading_state, is_whole=False)  # as while one plays
        for is_on in (True, False):
            chat.set_round(is_on=is_on)
            await companion._chats.plan_again({chat.chat_id})
            await companion.settled(place.chat)
            assert [progress.left for progress in companion.work.catching_up] == [before.left]
        assert len(waiting(companion, OperationKind.MEMORY_PASS)) == 1


async def test_memory_alone_leaves_the_recaps_for_later(place: Place) -> None:
    place.model.reply = lambda request: recap(request) if "<scene>" in request.text else "NONE"
    async with place.opened() as companion:
        companion._chats.keeps_memory = True
        await companion.open_story(place.chat)
        both = companion.work.catch_up(place.chat)
        assert both is not None
        await companion.work.start_catch_up(place.chat, "memory")
        await companion.settled(place.chat)
        assert not any("<scene>" in request.text for request in place.model.requests)
        assert any("<messages>" in request.text for request in place.model.requests)
        rest = companion.work.catch_up(place.chat)
        assert rest is not None
        assert (rest.scenes, rest.reading.requests) == (both.scenes, 0)


async def test_a_test_of_the_model_says_how_long_the_backlog_takes(place: Place) -> None:
    place.model.reply = lambda _: "Ada paid the miller for a bed and hid the letter from him."
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        assert plan.is_guessed
        changed = asyncio.Event()
        companion.catch_up_changed.connect(lambda _: changed.set())
        await companion.models.test(companion.models.spec)
        async with asyncio.timeout(30):
            await changed.wait()
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        assert plan.is_tested


async def test_what_is_left_to_do_is_one_number(place: Place) -> None:
    """The plan said 530 requests, its progress 491 of some, and the page Work 150 to do."""
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        plan = companion.work.catch_up(place.chat)
        assert plan is not None
        companion.work.pause()
        await companion.work.start_catch_up(place.chat)
        (progress,) = companion.work.catching_up
        assert progress.left == plan.requests == companion.work.to_do
        # Nor the status bar 250 of what the page Work says are 699.
        said = companion.health.queue.sentence
        assert said == f"Paused, {plan.requests} waiting"
        assert badge_of(companion.health, companion.work.to_do).waiting == plan.requests


async def test_there_is_something_to_do_while_anything_runs(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the last request of a catch-up under way the page Work had nothing to do."""
    async with place.opened() as companion:
        await companion.open_story(place.chat)
        companion.work.pause()
        await companion.work.start_catch_up(place.chat)
        (progress,) = companion.work.catching_up
        last = (replace(progress, left=0),)
        monkeypatch.setattr(type(companion.work), "catching_up", property(lambda _: last))
        assert companion.work.to_do == 1


async def test_nobody_is_said_to_be_silent_who_has_answered_since(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that had broken a minute ago stood for answers that were of no use."""
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        one, other, *_ = companion.work.operations
        why = "The connection broke."
        broke = replace(one, status=OperationStatus.WAITING, error=why, started=10.0)
        useless = replace(other, status=OperationStatus.FAILED, error="No.", output_tokens=5)
        shown: list[Operation] = []
        monkeypatch.setattr(OperationQueue, "operations", property(lambda _: tuple(shown)))
        for finished, is_held in ((5.0, True), (20.0, False)):
            shown[:] = (broke, replace(useless, finished=finished))
            assert [on.is_held for on in companion.work.catching_up] == [is_held]
        monkeypatch.undo()


async def test_a_catch_up_says_that_it_waits_for_the_chats_file(place: Place) -> None:
    async with place.opened() as companion:
        companion.work.pause()
        await companion.open_story(place.chat)
        await companion.work.start_catch_up(place.chat)
        assert companion.work.catching_up[0].why == ""
        companion._chats.required(place.chat).set_gone(is_gone=True)
        assert companion.work.catching_up[0].why == "The chat's file is missing."
