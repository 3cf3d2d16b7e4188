"""What is mirrored into a chat: the shapes of spec/auto-recap.md §1 and §12, and no more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.sillytavern.chat_edit import ChatEdit, LineEdit, edited
from app.sillytavern.chat_line import ChatLine, LineDecoder
from app.sillytavern.extensions.extras_writing import (
    INCLUDED,
    NAMESPACE,
    Mirrored,
    cleared_values,
    message_values,
    mirrored,
)
from app.sillytavern.extensions.message_extras import message_recap, other_swipe_recaps, scene_extra
from app.sillytavern.extensions.scene_writing import scene_values, stored_recap
from app.sillytavern.extensions.stored_recap import display_text
from app.sillytavern.extensions.string_hash import recap_hash, string_hashes
from app.story.clearance import Forgotten
from app.story.inclusion import Inclusion, InclusionState
from app.story.messages import Message, MessageRecap, digest
from app.story.recaps import IMPORTED, SceneRecap
from app.story.scenes import BreakOrigin, Scene, SceneBreak, automatic_name, scenes_of
from app.story.story import ChatKind, ChatRef, Story
from tests.chat_files import jsonl, message, swiped

TEXT = "She came."
HEADED = "DEVELOPMENTS\nThey met.\nThey left.\n\nSTATE\nIt rains."
MARK = SceneBreak("a", BreakOrigin.HAND, "hand")
SCENE = Scene(1, 3, 17, MARK)
WHOLE_SCENE_GROUP = {
    "scene_break",
    "scene_break_visible",
    "scene_break_collapsed",
    "scene_break_name",
    "scene_break_recap",
    "scene_recap_memory",
    "scene_recap_versions",
    "scene_recap_current_index",
    "scene_recap_hash",
    "scene_recap_metadata",
}
WHOLE_MESSAGE_GROUP = {"memory", "error", "reasoning", "prefill", "edited", "exclude"}


def line_of(raw: dict[str, Any]) -> ChatLine:
    return LineDecoder().decode(jsonl([raw]))[0]


def line(**block: Any) -> ChatLine:
    return line_of(message(1, TEXT, extra={NAMESPACE: block} if block else {}))


def recap(version: int, text: str, **more: Any) -> SceneRecap:
    made = SceneRecap("a", version, "The ford", text, "digest", "built-in", 1764900000.5)
    return replace(made, **{"is_current": False, **more})


def written(held: ChatLine | None, *recaps: SceneRecap, mark: SceneBreak = MARK) -> dict[str, Any]:
    return dict(scene_values(held or line(), mark, SCENE, recaps, 17))


def read_back(values: dict[str, Any], **held: Any) -> ChatLine:
    return line(**{**held, **json.loads(json.dumps(values))})


# --- scenes


@pytest.mark.weakness(10)
def test_a_recapped_scene_gets_the_whole_group() -> None:
    values = written(None, recap(0, "They met."), recap(1, HEADED, is_current=True))
    stored = values["scene_recap_versions"][1]
    assert set(values) == WHOLE_SCENE_GROUP
    assert json.loads(stored) == {
        "scene_name": "The ford",
        "stage3": {
            "developments": ["They met.", "They left."],
            "open": [],
            "state": ["It rains."],
            "resolved": [],
        },
    }
    assert values["scene_recap_versions"][0] == "They met."
    assert values["scene_recap_current_index"] == 1
    assert values["scene_recap_memory"] == values["scene_break_recap"] == stored
    assert values["scene_recap_hash"] == recap_hash(stored)
    assert values["scene_break_name"] == "The ford 3-17"
    assert set(values["scene_recap_metadata"]) == {"0", "1"}
    metadata = values["scene_recap_metadata"]["1"]
    assert metadata["timestamp"] == 1764900000500
    assert (metadata["startIdx"], metadata["endIdx"]) == (3, 17)
    assert metadata["sceneMessageCount"] == 15
    assert metadata["allEntries"] == metadata["entries"] == metadata["created_entry_uids"] == []


@pytest.mark.weakness(30)
def test_what_was_written_says_the_same_and_is_not_written_again() -> None:
    recaps = (recap(0, HEADED), recap(1, "They met.", is_current=True), recap(2, HEADED))
    held = read_back(written(None, *recaps))
    assert written(held, *recaps) == {}
    extra = scene_extra(held)
    assert extra is not None
    assert [display_text(version) for version in extra.versions] == [HEADED, "They met.", HEADED]


@pytest.mark.weakness(52)
def test_recaps_whose_hashes_are_the_same_are_two_recaps() -> None:
    """The extension's hash is of 32 bits; these two share it."""
    assert recap_hash("Aa") == recap_hash("BB")
    held = read_back(written(None, recap(0, "Aa", is_current=True)))
    values = written(held, recap(0, "BB", is_current=True))
    assert values["scene_recap_versions"] == ["Aa", "BB"]
    assert values["scene_recap_current_index"] == 1


def test_a_recap_that_was_folded_in_is_locked_in_the_chat() -> None:
    held = read_back(written(None, recap(0, HEADED), recap(1, "They met.", is_current=True)))
    folded = (recap(0, HEADED), recap(1, "They met.", is_current=True, combined_at=1764900001.5))
    values = written(held, *folded)
    assert set(values) == {"scene_recap_metadata"}
    metadata = values["scene_recap_metadata"]
    assert metadata["1"]["combined_at"] == 1764900001500
    assert "combined_at" not in metadata["0"]
    assert written(read_back(values, **json.loads(held.recaps[0])), *folded) == {}
    assert written(None, *folded)["scene_recap_metadata"]["1"]["combined_at"] == 1764900001500


def test_a_version_without_metadata_is_not_locked_in_the_chat() -> None:
    held = line(
        scene_break=True, scene_break_visible=True, scene_break_name="The ford",
        scene_recap_versions=["They met."], scene_recap_memory="They met.",
    )  # fmt: skip
    mark = replace(MARK, name="The ford")
    folded = recap(0, "They met.", is_current=True, combined_at=1.0, made_by=IMPORTED)
    assert written(held, folded, mark=mark) == {}


def test_versions_that_were_put_away_leave_the_chat_and_those_of_others_stay() -> None:
    block = written(None, recap(0, HEADED, is_current=True))
    held, gone = read_back(block), (recap(0, HEADED),)
    emptied = scene_values(held, replace(MARK, is_visible=False), None, (), 17, gone)
    extra = scene_extra(read_back(dict(emptied), **block))
    assert extra is not None
    assert (extra.is_visible, extra.versions, extra.metadata) == (False, (), {})
    anew = scene_values(held, MARK, SCENE, (recap(1, "Anew.", is_current=True),), 17, gone)
    assert anew["scene_recap_versions"] == ["Anew."]
    assert set(anew["scene_recap_metadata"]) == {"0"}
    theirs = read_back({**block, "scene_recap_versions": [stored_recap(recap(0, HEADED)), "More"]})
    kept = scene_values(theirs, replace(MARK, is_visible=False), None, (), 17, gone)
    assert "scene_recap_versions" not in kept


def test_a_break_without_a_recap_is_a_bookmark() -> None:
    assert written(None, mark=replace(MARK, name="The ford")) == {
        "scene_break": True,
        "scene_break_visible": True,
        "scene_break_collapsed": False,
        "scene_break_name": "The ford",
    }


def test_a_hidden_break_keeps_its_data_and_one_nobody_knows_of_is_not_told() -> None:
    hidden = replace(MARK, is_visible=False)
    held = line(scene_break=True, scene_recap_memory="They met.", scene_break_name="N")
    values = scene_values(held, hidden, None, [recap(0, "They met.", is_current=True)], 17)
    assert values == {
        "scene_break": True,
        "scene_break_visible": False,
        "scene_break_collapsed": False,
    }
    assert scene_values(line(), hidden, None, (), 17) == {}


@pytest.mark.parametrize(
    "held",
    [
        {"scene_break": True},
        {"scene_break": True, "scene_break_visible": None, "scene_break_collapsed": None},
        {"scene_break": True, "scene_break_visible": True, "auto_scene_break_checked": True},
    ],
)
def test_keys_that_are_missing_and_their_defaults_are_the_same(held: dict[str, Any]) -> None:
    assert written(line(**held)) == {}


def test_versions_of_others_stay_as_they_are_and_ours_come_behind() -> None:
    theirs: list[Any] = ["", '{"stage3": {"rc":"They met."}}', {"recap": "An object.", "x": 1}]
    metadata = {"1": {"timestamp": 5, "startIdx": 9, "mine": True}}
    held = line(
        scene_break=True,
        scene_break_name="Theirs",
        scene_recap_versions=theirs,
        scene_recap_current_index=1,
        scene_recap_metadata=metadata,
    )
    imported = recap(0, "They met.", stored=theirs[1])
    values = written(held, imported, recap(1, "New.", is_current=True))
    assert values["scene_recap_versions"] == [*theirs, "New."]
    assert values["scene_recap_current_index"] == 3
    assert values["scene_recap_metadata"]["1"] == metadata["1"]
    assert set(values["scene_recap_metadata"]) == {"1", "3"}
    assert "scene_break_name" not in values
    assert written(held, replace(imported, is_current=True)) == {}


def test_a_scene_of_an_earlier_form_is_written_only_when_it_differs() -> None:
    old = {"scene_break": True, "scene_summary_memory": "They met.", "scene_summary_hash": "x"}
    held = line_of(message(1, TEXT, extra={"auto_summarize_memory": old}))
    imported = recap(0, "They met.", stored="They met.", made_by=IMPORTED, is_current=True)
    assert written(held, imported) == {}
    values = written(held, replace(imported, is_current=False), recap(1, "New.", is_current=True))
    assert values["scene_recap_versions"] == ["They met.", "New."]
    assert set(values["scene_recap_metadata"]) == {"1"}


@pytest.mark.parametrize("block", [b"7", b'["no block"]'])
def test_data_that_cannot_be_read_are_left_alone(block: bytes) -> None:
    raw = jsonl([message(1, TEXT, extra={NAMESPACE: 0})]).replace(b":0}", b":" + block + b"}")
    held = LineDecoder().decode(raw)[0]
    assert held.recaps
    assert written(held, recap(0, "New.", is_current=True)) == {}
    assert message_values(held, MessageRecap("r")) == {}


def test_half_characters_stay_as_they_are_and_ours_comes_behind() -> None:
    block = rb'{"scene_break_name":"cut \ud83d","scene_recap_versions":["\ud800"]}'
    raw = jsonl([message(1, TEXT, extra={NAMESPACE: 0})]).replace(b":0}", b":" + block + b"}")
    held = LineDecoder().decode(raw)[0]
    extra = scene_extra(held)
    assert extra is not None
    assert (extra.name, extra.versions) == ("cut \ufffd", ("\ufffd",))
    values = written(held, recap(0, "New.", is_current=True))
    made = edited(raw, ChatEdit({1: LineEdit({NAMESPACE: values}, {})}))
    assert rb'"scene_recap_versions":["\ud800","New."]' in made
    assert rb'"scene_break_name":"cut \ud83d"' in made


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("x" * 60, "x" * 47 + "... 3-17"),
        ("x" * 50, "x" * 50 + " 3-17"),
        (' "The\nford" ', "The ford 3-17"),
        ('""', ""),
    ],
)
def test_automatic_names(name: str, made: str) -> None:
    assert automatic_name(name, SCENE) == made
    assert automatic_name(name) == made.removesuffix(" 3-17")


@pytest.mark.parametrize(
    "text", ["Plain.", "State of things\nx", "DEVELOPMENTS", "STATE\n- one", ""]
)
def test_text_that_would_not_come_back_the_same_stays_text(text: str) -> None:
    assert stored_recap(recap(0, text)) == text


# --- messages


def test_a_message_recap_gets_its_group() -> None:
    values = message_values(line(), MessageRecap("r", source_hash=digest(TEXT)))
    assert set(values) == WHOLE_MESSAGE_GROUP
    assert values["memory"] == "r"
    assert (values["error"], values["reasoning"], values["prefill"]) == (None, None, None)
    assert (values["edited"], values["exclude"]) == (False, False)


def test_a_failed_recap_has_its_error_and_no_text() -> None:
    values = message_values(line(), MessageRecap(error="The model said nothing."))
    assert (values["memory"], values["error"]) == (None, "The model said nothing.")


@pytest.mark.weakness(30)
def test_what_a_message_says_already_is_not_written() -> None:
    held = line(memory="r", exclude=True, include=None, error=None)
    assert message_values(held, MessageRecap("r", is_excluded=True)) == {}
    assert message_values(line(), MessageRecap(source_hash="x")) == {}
    assert message_values(line(memory="theirs", remember=True), MessageRecap("theirs")) != {}


def test_reasoning_and_prefill_go_with_their_recap() -> None:
    told = MessageRecap("new", reasoning="because", prefill="In this scene: ")
    values = message_values(line(memory="r", reasoning="old", prefill="p"), told)
    assert (values["reasoning"], values["prefill"]) == ("because", "In this scene: ")
    assert message_recap(read_back(dict(values))) == told
    assert message_values(read_back(dict(values)), told) == {}


def test_the_same_words_made_anew_bring_their_reasoning_and_nothing_takes_another_away() -> None:
    held = line(memory="r", reasoning="old", edited=False)
    assert message_values(held, MessageRecap("r", reasoning="new")) == {
        "reasoning": "new",
        "prefill": None,
    }
    assert message_values(held, MessageRecap("r")) == {}


def test_a_mark_leaves_the_reasoning_behind_a_recap() -> None:
    held = line(memory="r", reasoning="because", prefill="p")
    values = message_values(held, MessageRecap("r", is_excluded=True))
    assert values["exclude"] is True
    assert not {"reasoning", "prefill"} & set(values)


@pytest.mark.parametrize(
    ("state", "held", "values"),
    [
        (InclusionState.INCLUDED, None, {"include": INCLUDED}),
        (InclusionState.LONG_TERM, None, {"include": INCLUDED}),
        (InclusionState.INCLUDED, "Summary of message(s)", {}),
        (InclusionState.INCLUDED, "short", {}),
        (InclusionState.LONG_TERM, "long", {}),
        (InclusionState.OUT_OF_BUDGET, INCLUDED, {"include": None}),
        (InclusionState.OUT_OF_BUDGET, None, {}),
    ],
)
@pytest.mark.weakness(23)
def test_include_is_written_only_when_it_changed(
    state: InclusionState, held: str | None, values: dict[str, Any]
) -> None:
    told = Inclusion(state, "")
    assert message_values(line(memory="r", include=held), MessageRecap("r"), told) == values


def test_the_hash_of_an_earlier_form_goes_with_a_new_recap() -> None:
    values = message_values(line(memory="r", hash="1"), MessageRecap("new"))
    assert values["hash"] == str(string_hashes([TEXT])[0])
    assert message_recap(read_back(dict(values))) == MessageRecap("new", source_hash=digest(TEXT))


def test_only_what_was_copied_from_another_swipe_is_cleared() -> None:
    other = MessageRecap("r", is_excluded=True, source_hash="of another swipe")
    values = cleared_values(line(memory="r", exclude=True, reasoning="because"), other)
    assert message_recap(read_back(dict(values))) is None
    assert values["reasoning"] is None
    assert cleared_values(line(memory="a recap of its own"), other) == {}


# --- a whole chat


def story_of(lines: list[ChatLine], **known: Any) -> Story:
    messages = tuple(
        Message(str(index), held.content_hash, held.name, held.text, swipes=held.swipes)
        for index, held in enumerate(lines)
    )
    chat = ChatRef(Path("chats/Mira/Harbour.jsonl"), ChatKind.SOLO, "Harbour")
    story = Story(chat, messages, **known)
    return replace(story, scenes=scenes_of(messages, story.breaks))


@pytest.mark.weakness(2)
def test_scene_data_go_to_all_swipes_and_the_recap_to_the_one_shown() -> None:
    raw = swiped(1, "one", "two", "three", shown=1)
    data = jsonl([raw])
    story = story_of(
        [line_of(raw)],
        breaks={"0": replace(MARK, anchor="0")},
        message_recaps={"0": MessageRecap("r", source_hash=digest("two"))},
    )
    found = mirrored(story, [line_of(raw)], {})
    made = edited(data, ChatEdit({1: found.lines[0]}))
    written_line = json.loads(made)
    blocks = [info["extra"][NAMESPACE] for info in written_line["swipe_info"]]
    assert all(block["scene_break"] is True for block in blocks)
    assert ["memory" in block for block in blocks] == [False, True, False]
    assert blocks[1] == written_line["extra"][NAMESPACE]
    again = [LineDecoder().decode(made)[0]]
    assert not mirrored(story, again, {})


def test_what_was_cleared_leaves_the_chat_and_what_came_since_stays() -> None:
    raws = [
        message(0, extra={NAMESPACE: {"memory": "r", "include": INCLUDED, "exclude": True}}),
        message(1, extra={NAMESPACE: {"memory": "written by the extension since"}}),
        message(2, extra={NAMESPACE: {"scene_break": True, "scene_break_name": "Quay"}}),
        message(3, extra={NAMESPACE: {"memory": "r"}}),
    ]
    lines = [line_of(raw) for raw in raws]
    again = MessageRecap("anew", source_hash=lines[3].content_hash)
    story = story_of(lines, message_recaps={"3": again})
    forgotten = Forgotten(
        messages={
            "0": (MessageRecap("r", is_excluded=True),),
            "1": (MessageRecap("r"),),
            "3": (MessageRecap("r"),),
        },
        scenes=frozenset({"1", "2"}),
    )
    found = mirrored(story, lines, {}, forgotten=forgotten)
    made = edited(jsonl(raws), ChatEdit({i + 1: edit for i, edit in found.lines.items()}))
    read = [LineDecoder().decode(raw)[0] for raw in made.split(b"\n")]
    assert set(found.lines) == {0, 2, 3}
    assert message_recap(read[0]) is None
    assert json.loads(read[0].recaps[0])["include"] is None
    assert message_recap(read[1]) == MessageRecap("written by the extension since")
    extra = scene_extra(read[2])
    assert extra is not None
    assert (extra.is_break, extra.name) == (False, "")
    assert message_recap(read[3]) == MessageRecap("anew")
    assert not mirrored(story, read, {}, forgotten=forgotten)


def test_a_break_that_was_cleared_takes_no_new_recap_of_its_message_along() -> None:
    raw = message(0, extra={NAMESPACE: {"scene_break": True, "memory": "old"}})
    line = line_of(raw)
    anew = MessageRecap("anew", source_hash=line.content_hash)
    story = story_of([line], message_recaps={"0": anew})
    found = mirrored(story, [line], {}, forgotten=Forgotten(scenes=frozenset({"0"})))
    made = edited(jsonl([raw]), ChatEdit({1: found.lines[0]}))
    (read, _) = LineDecoder().decode(made)
    extra = scene_extra(read)
    assert extra is not None
    assert not extra.is_break
    assert message_recap(read) == MessageRecap("anew")


@pytest.mark.weakness(2)
def test_clearing_reaches_the_swipes_that_are_not_shown() -> None:
    raw = swiped(1, "one", "two", shown=1)
    raw["swipe_info"][0]["extra"] = {NAMESPACE: {"memory": "of one", "custom": 1}}
    lines = [line_of(raw)]
    gone = (MessageRecap("of one", source_hash=digest("one")),)

    def found(held: Sequence[MessageRecap], lines: list[ChatLine] = lines) -> Mirrored:
        forgotten = Forgotten(messages={"0": gone})
        return mirrored(
            story_of(lines), lines, {}, forgotten=forgotten, swipe_recaps=lambda _: held
        )

    assert not found((MessageRecap("written since"),))
    made = edited(jsonl([raw]), ChatEdit({1: found(gone).lines[0]}))
    block = json.loads(made)["swipe_info"][0]["extra"][NAMESPACE]
    assert (block["memory"], block["custom"]) == (None, 1)
    assert NAMESPACE not in json.loads(made)["extra"]
    assert other_swipe_recaps(made) == ()


@pytest.mark.weakness(2)
def test_a_stale_recap_stays_when_edited_and_is_cleared_when_swiped() -> None:
    raw = swiped(1, "one", "two", shown=1)
    raw["extra"] = {NAMESPACE: {"memory": "of one"}}
    lines = [line_of(raw)]
    recaps = {"0": MessageRecap("of one", source_hash=digest("one"))}
    story = story_of(lines, message_recaps=recaps)
    assert not mirrored(story, lines, {})
    found = mirrored(
        story, lines, {}, is_of_other_swipe=lambda index, text: text == digest("one") and index == 0
    )
    (edit,) = found.lines.values()
    assert isinstance(edit, LineEdit)
    assert edit.extra[NAMESPACE]["memory"] is None
    assert edit.every_swipe == {}
