"""Reading what ST-Auto-Recap and its ancestors left in a chat (spec/auto-recap.md §12)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.chat_file import read_chat
from app.sillytavern.chat_line import ChatLine, LineDecoder
from app.sillytavern.extensions.message_extras import (
    RunningExtraVersion,
    message_recap,
    message_recaps,
    other_swipe_recaps,
    running_extra,
    scene_extra,
)
from app.sillytavern.extensions.string_hash import string_hashes
from app.story.messages import MessageRecap, digest
from tests.chat_files import jsonl, message, swiped

NEW, OLD, QVINK = "auto_recap_memory", "auto_summarize_memory", "qvink_memory"
WRITERS = {NEW: "", OLD: "", QVINK: "MessageSummarize"}  # what we write ourselves names nobody


def line(extra: Mapping[str, object] | None = None, text: str = "She came.") -> ChatLine:
    made, flaw = LineDecoder().decode(jsonl([message(1, text, extra=dict(extra or {}))]))
    assert flaw == ""
    return made


# --- message recaps


def test_a_message_without_blocks_has_nothing() -> None:
    assert message_recap(line()) is None
    assert scene_extra(line()) is None


@pytest.mark.parametrize("namespace", [NEW, OLD, QVINK])
def test_a_recap_with_all_its_marks(namespace: str) -> None:
    block = {
        "memory": "A recap.",
        "exclude": True,
        "remember": True,
        "edited": True,
        "lagging": True,
        "error": "too long",
        "include": "Recap of message(s)",
    }
    assert message_recap(line({namespace: block})) == MessageRecap(
        "A recap.", True, True, True, True, "too long", taken_from=WRITERS[namespace]
    )


@pytest.mark.parametrize("namespace", [NEW, OLD, QVINK])
def test_reasoning_and_prefill_come_with_a_recap(namespace: str) -> None:
    block = {"memory": "A recap.", "reasoning": "because", "prefill": "In this scene: "}
    found = message_recap(line({namespace: block}))
    told, taken_from = "In this scene: ", WRITERS[namespace]
    wanted = MessageRecap("A recap.", reasoning="because", prefill=told, taken_from=taken_from)
    assert found == wanted
    assert found.shown_text(with_prefill=True) == "In this scene: A recap."
    assert message_recap(line({namespace: {**block, "memory": None}})) is None
    odd = message_recap(line({namespace: {**block, "reasoning": 7, "prefill": None}}))
    assert odd == MessageRecap("A recap.", taken_from=taken_from)


def test_a_recap_is_of_the_extension_whose_words_it_has() -> None:
    theirs = {"memory": "By MessageSummarize.", "remember": True}
    only_marks = line({NEW: {"exclude": True}, QVINK: theirs})
    found = message_recap(only_marks)
    assert found is not None
    assert (found.text, found.taken_from) == ("By MessageSummarize.", "MessageSummarize")
    both = message_recap(line({NEW: {"memory": "By ST-Auto-Recap."}, QVINK: theirs}))
    assert both is not None
    assert (both.text, both.taken_from) == ("By ST-Auto-Recap.", "")


def test_a_message_that_message_summarize_failed_at_keeps_its_marks_and_the_reason() -> None:
    """As its version 1.3.24 leaves a message whose summary could not be made."""
    block = {
        "memory": None,
        "error": "No connection",
        "edited": False,
        "prefill": None,
        "reasoning": None,
        "lagging": False,
        "include": None,
        "exclude": True,
    }
    assert message_recap(line({QVINK: block})) == MessageRecap(
        is_excluded=True, error="No connection"
    )


def test_nulls_and_wrong_types_are_no_marks() -> None:
    block = {"memory": None, "exclude": None, "remember": 0, "edited": "", "error": None}
    assert message_recap(line({NEW: block})) is None
    assert message_recap(line({NEW: {"memory": 7, "exclude": "true"}})) == MessageRecap(
        is_excluded=True
    )
    assert message_recap(line({NEW: "text"})) is None


def test_the_new_namespace_goes_before_the_old_ones_key_by_key() -> None:
    found = message_recap(line({OLD: {"memory": "old", "remember": True}, NEW: {"memory": "new"}}))
    assert found == MessageRecap("new", is_remembered=True)


def test_a_recap_knows_whether_its_text_is_still_the_same() -> None:
    (number,) = string_hashes(["She came."])
    same = message_recap(line({OLD: {"memory": "r", "hash": number}}, "She came."))
    other = message_recap(line({OLD: {"memory": "r", "hash": number}}, "She left."))
    unknown = message_recap(line({OLD: {"memory": "r"}}, "She left."))
    assert same is not None
    assert other is not None
    assert unknown is not None
    assert same.source_hash == digest("She came.")
    assert other.source_hash not in ("", digest("She left."), digest("She came."))
    assert unknown.source_hash == ""


def test_recaps_of_a_whole_chat_by_index() -> None:
    lines = [line(), line({NEW: {"memory": "r"}}), line({NEW: {"scene_break": True}})]
    assert message_recaps(lines) == {1: MessageRecap("r")}


def test_other_swipes_have_recaps_of_their_own() -> None:
    raw = swiped(1, "one", "two", "three", shown=1)
    raw["extra"] = {NEW: {"memory": "of two"}}
    raw["swipe_info"][0]["extra"] = {NEW: {"memory": "of one", "exclude": True}}
    raw["swipe_info"][1]["extra"] = {NEW: {"memory": "of two"}}
    raw["swipe_info"][2] = None
    assert other_swipe_recaps(jsonl([raw])) == (
        MessageRecap("of one", is_excluded=True, source_hash=digest("one")),
    )
    for rest in (b"", b"1]", b'"swipes":1,"swipe_info":2}', b'"swipes":[1],"swipe_info":[1]}'):
        assert other_swipe_recaps(b'{"auto_recap_memory":1,' + rest) == ()
    assert other_swipe_recaps(b'["auto_recap_memory"]') == ()


# --- scenes

SCENE = {
    "scene_break": True,
    "scene_break_visible": True,
    "scene_break_collapsed": True,
    "scene_break_name": "Ambush at the ford 12-41",
    "scene_break_recap": "second",
    "scene_recap_memory": "second",
    "scene_recap_versions": ["first", json.dumps({"stage3": {"developments": ["They won."]}})],
    "scene_recap_current_index": 1,
    "scene_recap_hash": "1k3zq9",
    "scene_recap_metadata": {"1": {"timestamp": 1764900000000, "startIdx": 12, "endIdx": 41}},
}


def test_a_scene_with_its_versions() -> None:
    scene = scene_extra(line({NEW: SCENE}))
    assert scene is not None
    assert (scene.is_break, scene.is_visible, scene.is_collapsed) == (True, True, True)
    assert (scene.name, scene.recap_hash) == ("Ambush at the ford 12-41", "1k3zq9")
    assert (scene.versions[0], scene.current) == ("first", 1)
    assert scene.text == "DEVELOPMENTS\nThey won."
    assert scene.metadata[1]["endIdx"] == 41


@pytest.mark.parametrize(
    ("stored", "is_visible"),
    [
        ({}, True),
        ({"scene_break_visible": None}, True),
        ({"scene_break_visible": True}, True),
        ({"scene_break_visible": False}, False),
    ],
)
@pytest.mark.weakness(12)
def test_only_false_hides_a_break(stored: dict[str, Any], is_visible: bool) -> None:
    scene = scene_extra(line({NEW: {"scene_break": True, **stored}}))
    assert scene is not None
    assert scene.is_visible is is_visible


def test_old_key_names_are_read() -> None:
    block = {
        "scene_break": True,
        "scene_summary_memory": "two",
        "scene_summary_versions": ["one", "two"],
        "scene_summary_current_index": 1,
        "scene_summary_hash": "x",
    }
    scene = scene_extra(line({OLD: block}))
    assert scene is not None
    assert (scene.versions, scene.text, scene.recap_hash) == (("one", "two"), "two", "x")


def test_versions_may_be_objects() -> None:
    versions = [{"recap": "a"}, {"content": "b"}, {"text": "c"}, {"memory": "d"}, {"x": 1}, None]
    scene = scene_extra(line({NEW: {"scene_break": True, "scene_recap_versions": versions}}))
    assert scene is not None
    assert scene.versions == ("a", "b", "c", "d", '{"x": 1}', "")


@pytest.mark.parametrize("key", ["scene_recap_memory", "scene_break_recap"])
def test_a_recap_without_versions_is_the_only_version(key: str) -> None:
    scene = scene_extra(line({NEW: {"scene_break": True, key: "text", "scene_recap_versions": []}}))
    assert scene is not None
    assert (scene.versions, scene.current) == (("text",), 0)


@pytest.mark.parametrize(("stored", "current"), [(7, 1), (-3, 0), ("1", 1), (None, 0), ([], 0)])
def test_an_index_out_of_range_is_clamped(stored: object, current: int) -> None:
    block = {"scene_recap_versions": ["a", "b"], "scene_recap_current_index": stored}
    scene = scene_extra(line({NEW: block}))
    assert scene is not None
    assert scene.current == current


def test_a_bookmark_has_no_text() -> None:
    scene = scene_extra(line({NEW: {"scene_break": True}}))
    assert scene is not None
    assert (scene.versions, scene.current, scene.text) == ((), -1, "")


def test_flat_metadata_is_that_of_version_0() -> None:
    scene = scene_extra(line({NEW: {"scene_recap_metadata": {"startIdx": 3, "timestamp": 1}}}))
    assert scene is not None
    assert scene.metadata == {0: {"startIdx": 3, "timestamp": 1}}


# --- the running recap


def test_a_chat_without_a_running_recap_has_none() -> None:
    assert running_extra({}) is None
    assert running_extra({"auto_recap_running_scene_recaps": "?"}) is None


def test_a_running_recap_as_the_extension_writes_it() -> None:
    stored = {
        "chat_id": "Mira - 2026",
        "current_version": 1,
        "versions": [
            {"version": 0, "content": "a"},
            {
                "version": 1,
                "timestamp": 1764900000000,
                "content": "b",
                "scene_count": 2,
                "excluded_count": 1,
                "prev_scene_index": 5,
                "new_scene_index": 41,
                "event_keys": ["0:name:hash"],
            },
        ],
    }
    running = running_extra({"auto_recap_running_scene_recaps": stored})
    assert running is not None
    assert (running.chat_id, running.current_version) == ("Mira - 2026", 1)
    assert running.versions == (
        RunningExtraVersion(0, "a"),
        RunningExtraVersion(1, "b", 1764900000000, 2, 1, 5, 41),
    )


def test_what_the_buttons_of_the_extension_leave_is_read() -> None:
    edited = [
        {"version": 2, "content": "first two"},
        {"version": "0", "content": "zero", "exclude_count": 3},
        {"version": 2, "content": "second two"},
        "no version",
    ]
    running = running_extra({"auto_recap_running_scene_recaps": {"versions": edited}})
    assert running is not None
    assert [(v.version, v.content, v.excluded_count) for v in running.versions] == [
        (0, "zero", 3),
        (2, "second two", 0),
    ]
    cleared = running_extra(
        {"auto_recap_running_scene_recaps": {"current_version": 0, "versions": []}}
    )
    assert cleared is not None
    assert (cleared.chat_id, cleared.versions) == ("", ())


def test_the_old_key_of_the_running_recap_is_read() -> None:
    old = {"auto_summarize_running_scene_summaries": {"versions": [{"content": "a"}]}}
    running = running_extra(old)
    assert running is not None
    assert running.versions == (RunningExtraVersion(0, "a"),)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*SCENE, "0", "version", "versions", "memory", "hash"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=15,
)


@given(anything)
def test_nothing_stored_makes_it_fail(stored: Any) -> None:
    made = line({NEW: stored, OLD: stored})
    message_recap(made)
    scene = scene_extra(made)
    assert scene is None or isinstance(scene.text, str)
    running_extra({"auto_recap_running_scene_recaps": stored})


def test_a_whole_chat_of_the_extension() -> None:
    snapshot = read_chat(Path(__file__).parents[3] / "data" / "chats" / "auto-recap.jsonl")
    assert snapshot.problems == ()
    assert message_recaps(snapshot.lines) == {
        1: MessageRecap("Mira greets Ana.", is_remembered=True)
    }
    scenes = {index: scene_extra(line) for index, line in enumerate(snapshot.lines)}
    found = {index: scene for index, scene in scenes.items() if scene is not None}
    assert list(found) == [3, 5]
    assert len(found[3].versions) == 2
    assert found[3].text.startswith("DEVELOPMENTS\nAna and Mira crossed the ford.\n\nOPEN\n")
    assert found[3].metadata[1]["combined_at"]
    assert not found[5].is_visible
    running = running_extra(snapshot.chat_metadata)
    assert running is not None
    assert [version.version for version in running.versions] == [0, 1]
