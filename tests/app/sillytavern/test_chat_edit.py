"""Changing a chat's lines: only what was asked for, every other byte as it was."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sillytavern.chat_edit import ChatEdit, LineEdit, edited, edited_line, is_same_json
from tests.chat_files import HEADER, jsonl, message, swiped

NS = "auto_recap_memory"


def line_of(**more: Any) -> bytes:
    return jsonl([message(1, "She came.", **more)])


def recap(**block: Any) -> LineEdit:
    return LineEdit(extra={NS: block})


def test_a_new_namespace_is_put_behind_what_is_there() -> None:
    line = line_of(extra={"api": "openai", "other": {"a": 1.50}})
    assert edited_line(line, recap(memory="Who came?")) == line.replace(
        b"1.5}}", b'1.5},"auto_recap_memory":{"memory":"Who came?"}}'
    )


def test_unknown_keys_number_forms_escapes_and_spaces_stay() -> None:
    line = (
        rb'{ "mes" : "\u00e9\/", "extra":{"auto_recap_memory" : {"mine":1.0e+2, "memory" : "old",'
        rb'"a\u0062":[1, 2 ]}, "z":-0.0 } ,"n":12345678901234567890, "is_system": "" } '
    ) + b"\r"
    assert edited_line(line, recap(memory="new", ab=3)) == line.replace(b'"old"', b'"new"').replace(
        b"[1, 2 ]", b"3"
    )


def test_bytes_that_are_no_text_stay() -> None:
    line = b'{"mes":"caf\xe9 \xed\xa0\x80","extra":{}}'
    made = edited_line(line, recap(memory="x"))
    assert made == b'{"mes":"caf\xe9 \xed\xa0\x80","extra":{"auto_recap_memory":{"memory":"x"}}}'


def test_half_characters_are_written_as_javascript_writes_them() -> None:
    assert rb'"memory":"\ud800 \ud83d"' not in edited_line(line_of(), recap(memory="\U0001f600"))
    made = edited_line(line_of(), recap(memory="\ud800 \U0001f600 é"))
    assert '"memory":"\\ud800 \U0001f600 é"'.encode() in made


def test_of_a_member_that_comes_twice_the_last_is_changed_as_javascript_reads_it() -> None:
    line = b'{"mes":"a","extra":{"auto_recap_memory":{"memory":"1","memory":"2"}}}'
    assert edited_line(line, recap(memory="3")) == line.replace(b'"2"', b'"3"')


@pytest.mark.parametrize("extra", ["null", '"text"', "[1]", "7"])
def test_extra_that_is_no_object(extra: str) -> None:
    line = b'{"mes":"a","extra":' + extra.encode() + b"}"
    made = edited_line(line, recap(memory="m"))
    if extra == "null":
        assert made == b'{"mes":"a","extra":{"auto_recap_memory":{"memory":"m"}}}'
    else:
        assert made == line


def test_a_message_without_extra_gets_one() -> None:
    assert edited_line(b'{"mes":"a"}', recap(memory=None)) == (
        b'{"mes":"a","extra":{"auto_recap_memory":{"memory":null}}}'
    )
    assert edited_line(b"{ }", recap(memory=None)).startswith(b'{ "extra"')


@pytest.mark.parametrize(
    "line", [b"", b"[1]", b'{"mes":', b"{,}", b'{"a" 1}', b"nonsense", b"[" * 9999]
)
def test_a_line_that_cannot_be_read_comes_back_as_it_is(line: bytes) -> None:
    assert edited_line(line, recap(memory="m")) == line


@pytest.mark.parametrize("shown", [0, 1])
def test_a_recap_goes_to_the_swipe_shown_also_to_the_first_and_to_no_other(shown: int) -> None:
    line = jsonl([swiped(1, "one", "two", shown=shown)])
    made = json.loads(edited_line(line, recap(memory="m")))
    assert made["extra"][NS] == {"memory": "m"}
    assert made["swipe_info"][shown]["extra"][NS] == {"memory": "m"}
    assert NS not in made["swipe_info"][1 - shown]["extra"]


def test_the_swipe_shown_gets_the_whole_namespace_and_the_others_keep_theirs() -> None:
    raw = swiped(1, "one", "two", "three", shown=1)
    raw["extra"] = {NS: {"memory": "two's", "mine": [1]}}
    raw["swipe_info"][0]["extra"] = {NS: {"memory": "one's"}}
    raw["swipe_info"][2] = None
    scene = {NS: {"scene_break": True}}
    made = json.loads(edited_line(jsonl([raw]), LineEdit(extra=scene, every_swipe=scene)))
    whole = {"memory": "two's", "mine": [1], "scene_break": True}
    assert made["extra"][NS] == made["swipe_info"][1]["extra"][NS] == whole
    assert made["swipe_info"][0]["extra"][NS] == {"memory": "one's", "scene_break": True}
    assert made["swipe_info"][2] is None


def test_swipe_info_is_never_made() -> None:
    raw = swiped(1, "one", "two", shown=1)
    del raw["swipe_info"]
    made = edited_line(jsonl([raw]), LineEdit(extra={NS: {"a": 1}}, every_swipe={NS: {"a": 1}}))
    assert b"swipe_info" not in made
    raw["swipe_info"] = []
    made = edited_line(jsonl([raw]), LineEdit(extra={NS: {"a": 1}}, every_swipe={NS: {"a": 1}}))
    assert json.loads(made)["swipe_info"] == []


@pytest.mark.parametrize(
    ("stored", "hidden", "written"),
    [("true", True, "true"), ('""', False, '""'), ("false", True, "true"), ("1", False, "false")],
)
def test_hiding_writes_only_what_differs(stored: str, hidden: bool, written: str) -> None:
    line = f'{{"is_system": {stored},"mes":"a"}}'.encode()
    made = edited_line(line, LineEdit(is_hidden=hidden))
    assert made == f'{{"is_system": {written},"mes":"a"}}'.encode()


def test_metadata_go_into_the_header_and_lines_are_counted_as_in_the_file() -> None:
    data = b"\xef\xbb\xbf" + jsonl([HEADER, message(0), message(1)]) + b"\n\n"
    made = edited(data, ChatEdit({3: recap(memory="m")}, {"auto_recap_x": {"versions": []}}))
    before, after = data.split(b"\n"), made.split(b"\n")
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True, False, True, True]
    assert after[0] == before[0].replace(b'"}', b'","auto_recap_x":{"versions":[]}}', 1).replace(
        b'"",', b'",'
    )


def test_a_chat_without_a_header_and_lines_that_are_not_there_are_left_alone() -> None:
    data = jsonl([message(0), message(1)])
    assert edited(data, ChatEdit({0: recap(a=1), 3: recap(a=1)}, {"key": 1})) == data


def test_truth_is_no_number() -> None:
    assert not is_same_json(True, 1)
    assert not is_same_json([0], [False])
    assert is_same_json({"a": [1, {"b": None}]}, {"a": [1.0, {"b": None}]})


texts = st.text(st.characters(codec=None), max_size=8)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53), 2**53),
    st.floats(allow_nan=False, width=32),
    texts,
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
blocks = st.dictionaries(texts, values, max_size=4)


@st.composite
def raw_messages(draw: st.DrawFn) -> dict[str, Any]:
    raw: dict[str, Any] = {"mes": draw(texts), **draw(blocks)}
    if draw(st.booleans()):
        raw["extra"] = draw(st.one_of(blocks, blocks.map(lambda block: {NS: block}), st.none()))
    if draw(st.booleans()):
        infos = st.one_of(st.none(), st.fixed_dictionaries({"extra": blocks}), blocks)
        raw["swipe_info"] = draw(st.lists(infos, max_size=3))
        raw["swipe_id"] = draw(st.one_of(st.integers(-1, 3), st.none()))
    return raw


def without_ours(raw: Any, edit: LineEdit) -> Any:
    """The message without all that an edit may write."""
    raw = json.loads(json.dumps(raw))
    infos = raw["swipe_info"] if isinstance(raw.get("swipe_info"), list) else []
    for holder in [raw, *(info for info in infos if isinstance(info, dict))]:
        if isinstance(holder.get("extra"), dict):
            block = holder["extra"].get(NS)
            if isinstance(block, dict):
                for key in {*edit.extra.get(NS, ()), *edit.every_swipe.get(NS, ())}:
                    block.pop(key, None)
            if holder is not raw or not block:
                holder["extra"].pop(NS, None)
        if not holder.get("extra"):
            holder.pop("extra", None)
    return raw


@given(raw_messages(), blocks, blocks, st.booleans(), st.integers(0, 3))
def test_only_our_keys_differ_and_twice_is_once(
    raw: dict[str, Any], ours: dict[str, Any], everywhere: dict[str, Any], pretty: bool, indent: int
) -> None:
    text = json.dumps(raw, ensure_ascii=pretty, separators=(", ", ": ") if pretty else None)
    line = text.encode("utf-8", "surrogatepass" if not pretty else "strict")
    edit = LineEdit(extra={NS: ours} if ours else {}, every_swipe={NS: everywhere})
    once = edited_line(line, edit)
    assert edited_line(once, edit) == once
    before = json.loads(line.decode("utf-8", "surrogateescape"))
    after = json.loads(once.decode("utf-8", "surrogateescape"))
    assert is_same_json(without_ours(after, edit), without_ours(before, edit))
    held = after.get("extra")
    if not isinstance(before.get("extra", {}) or {}, dict):
        assert held == before["extra"]
    elif ours and isinstance((before.get("extra") or {}).get(NS, {}) or {}, dict):
        assert {key: held[NS][key] for key in ours} == ours or any(
            "\ud800" <= sign <= "\udfff" for sign in text + json.dumps(ours, ensure_ascii=False)
        )


@given(st.lists(raw_messages(), min_size=1, max_size=5), st.data())
def test_lines_without_an_edit_stay_byte_for_byte(
    messages: list[dict[str, Any]], data: st.DataObject
) -> None:
    lines = jsonl([HEADER, *messages])
    touched = data.draw(st.sets(st.integers(2, len(messages) + 1)))
    made = edited(lines, ChatEdit({number: recap(memory="!") for number in touched}))
    for number, (before, after) in enumerate(
        zip(lines.split(b"\n"), made.split(b"\n"), strict=True), 1
    ):
        assert number in touched or before == after
