"""When running work is no longer about the story that it was begun with."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec import structs

from app.core.operations import OperationKind, OperationSpec
from app.settings.values import REGISTRY
from app.story.messages import Message, digest
from app.story.scenes import BreakOrigin, SceneBreak, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from app.work.planning.break_planner import SearchState, search_specs
from app.work.planning.memory_planner import Reading, next_pass
from app.work.planning.planner import plan
from app.work.planning.staleness import is_outdated
from app.work.planning.writing import Writing

WRITING = Writing("openai:m@http://127.0.0.1:1", "1", is_free=False)
SETTINGS = {name: setting.default for name, setting in REGISTRY.items()} | {
    "scene_detector": "model",
    "scene_breaks_auto": True,
    "message_recaps_auto": True,
    "message_recaps_model": True,
}
BREAK = 9  # index of the message that closes the first scene
READ = 4  # one that each of the requests reads


def message(number: int) -> Message:
    text = f"Text {number}."
    return Message(f"m{number}", digest(text), "Ana", text, is_user=number % 2 == 0)


def story_of(messages: tuple[Message, ...]) -> Story:
    marks = {f"m{BREAK}": SceneBreak(f"m{BREAK}", BreakOrigin.HAND)}
    return Story(
        ChatRef(path=None, kind=ChatKind.FILE, title="chat"),  # type: ignore[arg-type]
        messages=messages,
        breaks=marks,
        scenes=scenes_of(messages, marks),
        message_tokens=(50,) * len(messages),
    )


STORY = story_of(tuple(message(number) for number in range(60)))


def one(kind: OperationKind) -> OperationSpec:
    """The first operation of a kind that the story calls for."""
    search = search_specs(STORY, 1, SETTINGS, WRITING, SearchState(is_wanted=True))
    reading = next_pass(STORY, 1, SETTINGS, WRITING, Reading(is_whole=True))
    assert reading is not None
    specs = (*search, *plan(STORY, 1, SETTINGS, WRITING), reading)
    return next(spec for spec in specs if spec.kind is kind)


def appended(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return (*messages, message(60), message(61))


def edited(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    new = structs.replace(messages[READ], text="Other.", content_hash=digest("Other."))
    return (*messages[:READ], new, *messages[READ + 1 :])


def deleted(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    return messages[:READ] + messages[READ + 1 :]


@pytest.mark.parametrize(
    "kind", [OperationKind.SCENE_RECAP, OperationKind.MEMORY_PASS, OperationKind.DETECT_BREAKS]
)
@pytest.mark.parametrize(
    ("change", "ends"),
    [(appended, False), (edited, True), (deleted, True)],
    ids=["appended", "edited", "deleted"],
)
def test_only_a_change_of_what_it_reads_outdates_work(
    kind: OperationKind,
    change: Callable[[tuple[Message, ...]], tuple[Message, ...]],
    ends: bool,
) -> None:
    spec = one(kind)
    now = story_of(change(STORY.messages))
    assert is_outdated(spec, STORY, SETTINGS, WRITING) is False
    assert is_outdated(spec, now, SETTINGS, WRITING) is ends


def test_the_check_of_a_reply_ends_with_the_reply_and_with_nothing_else() -> None:
    reply = STORY.messages[-1]
    spec = OperationSpec(
        OperationKind.CONTINUITY,
        1,
        "key",
        reply.anchor,
        "check",
        params={"hash": reply.content_hash},
    )
    swiped = structs.replace(reply, text="Other.", content_hash=digest("Other."))
    for messages, is_gone in (
        (STORY.messages, False),
        (appended(STORY.messages), False),
        ((*STORY.messages[:-1], swiped), True),
        (STORY.messages[:-1], True),
    ):
        assert is_outdated(spec, story_of(messages), SETTINGS, WRITING) is is_gone
