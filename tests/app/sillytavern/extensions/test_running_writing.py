"""The running recap as it is mirrored into chat_metadata (spec/auto-recap.md §1.5 and §12)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.sillytavern.extensions.message_extras import OWN_KEY
from app.sillytavern.extensions.running_writing import RUNNING_KEY, running_values
from app.story.recaps import RunningRecap, RunningVersion

POSITIONS = {"a": 10, "b": 30}


def version(number: int, content: str, first: str, last: str, **more: Any) -> RunningVersion:
    made = RunningVersion(number, content, number + 1, first, last, "built-in", 1764900000.0)
    return replace(made, **more)


RUNNING = RunningRecap((version(0, "One.", "", "a"), version(1, "Two.", "a", "b")), 1)


def running(metadata: dict[str, Any], recap: RunningRecap = RUNNING, **more: Any) -> dict[str, Any]:
    return running_values(metadata, recap, POSITIONS, name="Harbour", **more)


@pytest.mark.weakness(7)
def test_a_running_version_has_exactly_eight_keys() -> None:
    storage = running({}, leave_out=1)[RUNNING_KEY]
    assert list(storage) == ["chat_id", "current_version", "versions"]
    assert (storage["chat_id"], storage["current_version"]) == ("Harbour", 1)
    assert storage["versions"][1] == {
        "version": 1,
        "timestamp": 1764900000000,
        "content": "Two.",
        "scene_count": 2,
        "excluded_count": 1,
        "prev_scene_index": 10,
        "new_scene_index": 30,
        "event_keys": [],
    }
    assert running({RUNNING_KEY: storage}) == {}


def test_without_versions_nothing_is_written() -> None:
    assert running({}, RunningRecap()) == {}
    assert running({RUNNING_KEY: {"current_version": 0, "versions": []}}, RunningRecap()) == {}


@pytest.mark.weakness(6)
def test_a_cleared_running_recap_still_says_whose_it_is() -> None:
    (stored,) = running({}, replace(RUNNING, versions=RUNNING.versions[:1]))[RUNNING_KEY][
        "versions"
    ]
    held = {"current_version": 0, "versions": [stored]}  # as the extension's own Clear leaves it
    storage = running({RUNNING_KEY: held}, RunningRecap(), deleted=RUNNING.versions)[RUNNING_KEY]
    assert storage == {"chat_id": "Harbour", "current_version": 0, "versions": []}
    assert running({RUNNING_KEY: storage}, RunningRecap(), deleted=RUNNING.versions) == {}


@pytest.mark.weakness(5)
def test_moved_messages_move_the_indexes_and_keep_all_else() -> None:
    stored = running({})[RUNNING_KEY]
    stored["versions"][0] |= {"event_keys": ["0:x:y"], "mine": 1.5, "new_scene_index": 8}
    stored["other"] = True
    storage = running({RUNNING_KEY: stored})[RUNNING_KEY]
    assert storage["versions"][0] == {**stored["versions"][0], "new_scene_index": 10}
    assert storage["other"] is True


def test_numbers_that_come_twice_and_versions_of_others_stay() -> None:
    old = [
        {"version": 0, "content": "One.", "scene_count": 1, "new_scene_index": 10},
        {"version": 2, "content": "Theirs, too.", "exclude_count": 1},
        {"version": 1, "content": "Before."},
        {"version": 1, "content": "Two.", "scene_count": 2, "prev_scene_index": 10,
         "new_scene_index": 30},
        "nonsense",
    ]  # fmt: skip
    held = {"chat_id": "Harbour", "current_version": 1, "versions": old}
    assert running({RUNNING_KEY: held}) == {}


def test_what_was_deleted_goes_and_what_others_gave_its_number_stays() -> None:
    stored = running({})[RUNNING_KEY]
    theirs = {"version": 1, "content": "Theirs.", "new_scene_index": 30}
    stored["versions"].insert(0, theirs)
    left = RunningRecap(RUNNING.versions[:1], 0)
    storage = running({RUNNING_KEY: stored}, left, deleted=RUNNING.versions[1:])[RUNNING_KEY]
    assert storage["versions"] == [theirs, stored["versions"][1]]
    assert storage["current_version"] == 0


def test_a_number_that_others_gave_too_is_ours_and_theirs_is_set_aside() -> None:
    theirs = {"version": 1, "content": "Theirs.", "new_scene_index": 30}
    held = {"chat_id": "Harbour", "current_version": 1, "versions": [theirs]}
    values = running({RUNNING_KEY: held})
    assert [v["content"] for v in values[RUNNING_KEY]["versions"]] == ["One.", "Two."]
    assert values[OWN_KEY]["set_aside"] == [{"chat_id": "Harbour", "versions": [theirs]}]
    assert running(values) == {}


def test_a_foreign_running_recap_is_set_aside_and_what_is_shared_stays() -> None:
    known = {"version": 0, "content": "One.", "scene_count": 1, "new_scene_index": 10, "x": 1}
    future = {"version": 9, "content": "The future.", "new_scene_index": 99}
    held = {"chat_id": "Parent", "current_version": 9, "versions": [known, future]}
    values = running({RUNNING_KEY: held, OWN_KEY: {"mine": 1}})
    assert values[OWN_KEY] == {"mine": 1, "set_aside": [held]}
    storage = values[RUNNING_KEY]
    assert storage["chat_id"] == "Harbour"
    assert [v["version"] for v in storage["versions"]] == [0, 1]
    assert storage["versions"][0] == known
    assert running(values) == {}


def test_versions_of_another_chat_come_in_only_when_they_are_chosen() -> None:
    held = {"chat_id": "Other", "current_version": 4, "versions": [{"version": 4, "content": "F."}]}
    foreign = version(4, "F.", "", "a", reason="foreign", scene_count=0)
    values = running({RUNNING_KEY: held}, RunningRecap((foreign,), None))
    assert values[OWN_KEY] == {"set_aside": [held]}
    assert values[RUNNING_KEY] == {"chat_id": "Harbour", "current_version": 0, "versions": []}
    assert running(values, RunningRecap((foreign,), None)) == {}
    chosen = running(values, RunningRecap((foreign,), 4))[RUNNING_KEY]
    assert (chosen["current_version"], chosen["versions"][0]["content"]) == (4, "F.")


def test_a_renamed_chat_only_gets_its_new_name() -> None:
    stored = running({})[RUNNING_KEY] | {"chat_id": "Old name"}
    values = running({RUNNING_KEY: stored})
    assert values == {RUNNING_KEY: stored | {"chat_id": "Harbour"}}


@pytest.mark.weakness(4)
def test_the_future_is_not_told_and_not_chosen() -> None:
    later = RunningRecap((*RUNNING.versions, version(2, "Later.", "b", "gone")), 2)
    storage = running({}, later)[RUNNING_KEY]
    assert [v["version"] for v in storage["versions"]] == [0, 1]
    assert storage["current_version"] == 1
