"""What models write is read where it can be, and refused where it says nothing."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.story.answers.lenient_json import find_object
from app.story.answers.task_answers import (
    LONGEST_SENTENCE,
    BreakAnswer,
    Unreadable,
    preview,
    read_break,
    read_breaks,
    read_running,
    read_scene,
    read_sentence,
)
from app.story.recap_texts.recap_text import Recap

GOOD = '{"name": "The Inn", "recap": '
GOOD += '{"developments": ["Ann left."], "open": [], "state": ["Bo waits."]}}'
WANTED = ("The Inn", Recap(("Ann left.",), (), ("Bo waits.",)))


@pytest.mark.parametrize(
    "answer",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Sure! Here is {{the}} object:\n{GOOD}\nI hope that helps {{you}}.",
        GOOD.replace("}}", ",}},"),
        GOOD.replace('"', "'"),
        GOOD.replace('"', "“").replace("“name“", '"name"').replace("“", '"'),
        GOOD.replace('"open": []', '"open": null'),
        GOOD.replace('["Ann left."]', '"- Ann left.\\n"'),
        GOOD.replace('["Ann left."]', '[{"text": "Ann left."}]'),
        GOOD.replace('"name"', "name").replace('"state"', "state"),
        GOOD.replace('"name": "The Inn", ', '"scene_name": "**The Inn**", // the name\n'),
        GOOD[:-2],
        '{"recap": {"developments": ["A draft."]}} and now: ' + GOOD,
        '{"name": "The Inn", "developments": ["Ann left."], "state": "Bo waits."}',
        '{"name": "The Inn", "recap": "DEVELOPMENTS\\nAnn left.\\n\\nSTATE\\nBo waits."}',
    ],
)
def test_slips_are_forgiven(answer: str) -> None:
    assert read_scene(answer) == WANTED


def test_quotes_inside_of_a_string_are_kept() -> None:
    answer = '{"recap": {"developments": ["Ann said "no" to Bo.", "Bo said \\"yes\\"."]}}'
    assert read_running(answer).developments == ('Ann said "no" to Bo.', 'Bo said "yes".')


def test_an_answer_that_was_cut_off_keeps_its_whole_items() -> None:
    answer = '{"name": "x", "recap": {"developments": ["One.", "Two.", "Thr'
    assert read_scene(answer)[1].developments == ("One.", "Two.")


def test_headed_blocks_do_as_well_as_json() -> None:
    assert read_running("**DEVELOPMENTS:**\n- One.\n\n## STATE\n* Two.") == Recap(
        ("One.",), (), ("Two.",)
    )


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  \n",
        "I'm sorry, I can't.",
        "{}",
        "[]",
        '{"recap": {}}',
        '{"recap": {"open": []}}',
        "{",
        '{"recap": 3}',
        '{"recap": {"state": ["<A> is at <place>."]}}',
        "{" * 5000,
        "[" * 5000,
        "null",
    ],
)
def test_what_says_nothing_is_refused(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_scene(answer)


@pytest.mark.parametrize(
    ("answer", "number"),
    [
        ('{"sceneBreakAt": 4, "rationale": "dawn"}', 4),
        ('{"sceneBreakAt": "4"}', 4),
        ('{"sceneBreakAt": "Message #4"}', 4),
        ('{"sceneBreakAt": 4.0}', 4),
        ('{"scenebreakat": false}', None),
        ('{"sceneBreakAt": "false"}', None),
        ('{"sceneBreakAt": null, "rationale": "…"}', None),
        ('{"sceneBreakAt": 4, "rationale": "cut o', 4),
    ],
)
def test_a_break_is_a_number_or_none(answer: str, number: int | None) -> None:
    assert read_break(answer, {3, 4, 5}).place == number


def test_the_reason_for_a_break_is_one_short_line() -> None:
    answer = '{"sceneBreakAt": 4, "rationale": "  They part.\\n\\u0007' + "Slowly. " * 99 + '"}'
    rationale = read_break(answer, {4}).rationale
    assert rationale.startswith("They part. Slowly.")
    assert rationale.endswith("…")
    assert len(rationale) <= 300
    assert read_break('{"sceneBreakAt": 4, "rationale": ["no text"]}', {4}).rationale == ""


@pytest.mark.parametrize(
    "answer",
    [
        '{"sceneBreakAt": 9}',
        '{"sceneBreakAt": true}',
        '{"sceneBreakAt": [4]}',
        "4",
        "",
        '{"sceneBreakAt": 4',
        '{"sceneBreakAt": 4, "rationale": "A --- follows."}',
        '{"sceneBreakAt": 4, "rationale": "The *** after it separates two scenes."}',
        '{"sceneBreakAt": 4, "rationale": "There is a divider behind it."}',
        '{"sceneBreakAt": 4, "rationale": "Chapter 3 begins."}',
    ],
)
def test_a_message_that_was_not_eligible_is_no_answer(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_break(answer, {3, 4, 5})


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("Ann left the inn.", "Ann left the inn."),
        ('"Ann left the inn."', "Ann left the inn."),
        ("Here is the sentence:\n\n- Ann left the inn.", "Ann left the inn."),
        ('{"recap": "Ann left the inn."}', "Ann left the inn."),
        ("**Ann left the inn.**\nNote: …", "Ann left the inn."),
    ],
)
def test_a_sentence_stands_alone(answer: str, sentence: str) -> None:
    assert read_sentence(answer) == sentence


REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I’m sorry, I can’t.",
    "Sorry, but I am not able to continue this conversation.",
    "I cannot assist with this request.",
    "I can't summarize this message, as it holds violent content.",
    "As an AI language model, I do not take part in that.",
    "**I am unable to fulfill your request.** Please ask for something else.",
    "Es tut mir leid, aber dabei kann ich dir nicht helfen.",
    "Leider kann ich diese Nachricht nicht zusammenfassen.",
    "Je suis désolé, mais je ne peux pas répondre à cela.",
    "Lo siento, pero no puedo ayudar con eso.",
    "К сожалению, я не могу помочь с этим.",
    "申し訳ありませんが、その内容を要約することはできません。",
    "抱歉，我无法处理这个请求。",
    "죄송하지만 그 요청은 도와드릴 수 없습니다.",
)


@pytest.mark.parametrize("answer", REFUSALS)
def test_a_refusal_is_no_recap_and_said_to_be_one(answer: str) -> None:
    inside = json.dumps({"name": "", "recap": {"developments": [answer]}})
    for read, text in ((read_sentence, answer), (read_scene, answer), (read_scene, inside)):
        with pytest.raises(Unreadable, match="a refusal"):
            read(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ann said that she was sorry, but could not help him with that.",
        "“I'm sorry, I can't come with you,” Ann told him, and shut the door.",
        "I cannot open the gate, since the key broke off in its lock.",
        "I can't help Ann up the wall.",
        "Sorry for the noise, Bo closed the window.",
        "Unfortunately the boat was gone.",
        "Ich kann das Tor nicht öffnen.",
        "Leider war das Boot fort.",
        "抱歉的话他没有说出口。",
    ],
)
def test_what_people_of_a_story_cannot_do_is_no_refusal(sentence: str) -> None:
    assert read_sentence(sentence)


@pytest.mark.parametrize("answer", ["…", "...", "- ", "“”", "***"])
def test_signs_are_no_sentence(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_sentence(answer)


def test_what_came_so_far_can_be_read() -> None:
    assert preview('{"name": "x", "recap": {"developments": ["One.", "Tw') == "DEVELOPMENTS\nOne."
    assert preview('{"na') == ""
    assert preview("Plain wor") == "Plain wor"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_good_json_is_read_as_it_is(value: object) -> None:
    text = f"so: {json.dumps({'recap': value}, ensure_ascii=False)} ok"
    found = find_object(text, ("recap",))
    assert found is not None
    assert found["recap"] == value


@given(JSON, st.integers(0, 400))
def test_any_beginning_of_json_is_survived(value: object, end: int) -> None:
    text = json.dumps({"recap": value})[:end]
    for read in (read_scene, read_running, lambda t: read_break(t, {1}), read_sentence):
        try:
            read(text)
        except Unreadable:
            continue
    preview(text)


@given(st.text(alphabet="{}[]:,'\"\\ \nabc01/“”", max_size=80))
def test_any_signs_are_survived(text: str) -> None:
    found = find_object(text, ("a",))
    assert found is None or "a" in found


@pytest.mark.parametrize(
    "piece", ["{", "[", '"', "{'", '","', '{"a":', "//", '"//', '" ', "\\", "{a:", '",a', "'\n'"]
)
def test_hostile_answers_cost_linear_time(piece: str) -> None:
    text = '{"recap": [' + piece * (100_000 // len(piece))
    started = time.perf_counter()
    find_object(text, ("recap",))
    assert time.perf_counter() - started < 5.0


ENDS = (BreakAnswer(3, "Night falls."), BreakAnswer(9, ""))


@pytest.mark.parametrize(
    "answer",
    [
        '{"sceneEnds": [{"at": 3, "rationale": "Night falls."}, {"at": 9}]}',
        '{"sceneEnds": [{"at": 9}, {"at": "#3", "rationale": "Night falls."}, {"at": 9}]}',
        'Here:\n```json\n{sceneEnds: [{"at": 3.0, "rationale": "Night falls."}, 9,]}\n```',
        '{"sceneEnds": [{"at": 3, "rationale": "Night falls."}, {"at": 9}, {"at": 77}, null]}',
    ],
)
def test_several_ends_are_read_whatever_their_form(answer: str) -> None:
    assert read_breaks(answer, {2, 3, 9}) == ENDS


def test_no_end_is_an_answer_and_nothing_that_may_be_chosen_is_none() -> None:
    assert read_breaks('{"sceneEnds": []}', {3}) == ()
    assert read_breaks('{"sceneEnds": null}', {3}) == ()
    for answer in ('{"sceneEnds": [8]}', '{"sceneEnds": 3}', "{}", "none", '{"sceneEnds": [true]}'):
        with pytest.raises(Unreadable):
            read_breaks(answer, {3})
    layout = '{"sceneEnds": [{"at": 3, "rationale": "A line of *** stands there."}]}'
    with pytest.raises(Unreadable):
        read_breaks(layout, {3})


def test_a_comma_before_the_next_key_may_be_missing() -> None:
    found = find_object('{"name": "The "old" mill" "developments": ["Ann left."]}', ("name",))
    assert found == {"name": 'The "old" mill', "developments": ["Ann left."]}


def test_a_sentence_that_does_not_end_is_cut_between_words() -> None:
    cut = read_sentence("Ann " + "wandered " * 500)
    assert cut.endswith("wandered…")
    assert len(cut) <= LONGEST_SENTENCE + 1


def test_who_has_to_choose_a_message_cannot_choose_none() -> None:
    assert read_break('{"scenebreakat": null}', [1, 2]) == BreakAnswer(None)
    with pytest.raises(Unreadable):
        read_break('{"scenebreakat": null}', [1, 2], is_forced=True)


@pytest.mark.parametrize(
    ("given_", "called"),
    [
        ("Bastien wrote NEL on a", "Bastien wrote NEL"),
        ("Der Brief an den", "Der Brief"),
        ("The lamp and the", "The lamp"),
        ("Plan A", "Plan A"),
        ("What she lives on", "What she lives on"),
        ("The", "The"),
        ("x" * 40 + " walked slowly over to the harbour wall", "x" * 40 + " walked slowly…"),
    ],
)
def test_a_scenes_name_ends_with_a_word_that_a_name_can_end_with(given_: str, called: str) -> None:
    name, _ = read_scene(json.dumps({"name": given_, "recap": {"developments": ["Ann left."]}}))
    assert name == called
