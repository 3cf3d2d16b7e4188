"""A chat's copy takes what a page sends in any order of changes, and nothing else."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import CopyRefused
from app.sillytavern.remote import page_answers
from app.sillytavern.remote.chat_draft import HEADER, ChatDraft, CopiedChat, encoded_lines
from app.sillytavern.remote.page_answers import (
    BATCH_BYTES,
    MOST_CHAT_BYTES,
    MOST_LINE_BYTES,
    MOST_MESSAGES,
    ChatLines,
    ChatState,
    PageCompany,
    PageMember,
    check_line,
    mark_of,
    read_answer,
)

CHAT = {"kind": "solo", "avatar": "Ada.png", "chat": "Evening"}
ANSWERS = (ChatState, ChatLines, PageMember, PageCompany)


def line(text: str) -> bytes:
    return json.dumps({"name": "Ada", "mes": text}, ensure_ascii=False).encode()


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
chats = st.builds(
    CopiedChat,
    st.builds(line, texts),
    st.lists(st.builds(line, texts), max_size=12).map(tuple),
)


def brought(page: CopiedChat, have: CopiedChat | None) -> tuple[CopiedChat, int]:
    """The copy after it was brought up to date, and how many lines had to be asked for."""
    draft = ChatDraft(mark_of(page.header), [mark_of(one) for one in page.lines], have)
    asked = 0
    for batch in tuple(draft.batches()):
        of_all = (page.header, *page.lines)
        start = batch.first - HEADER
        sent = of_all[start : start + batch.count]
        assert batch.bytes == sum(map(len, sent))
        assert draft.take(batch, sent)
        asked += batch.count
    assert draft.missing == 0
    return draft.done(), asked


@given(chats, st.none() | chats)
def test_a_copy_becomes_the_pages_chat_whatever_it_was_before(
    page: CopiedChat, have: CopiedChat | None
) -> None:
    assert brought(page, have)[0] == page


@given(chats, st.data())
def test_only_what_is_new_is_asked_for(page: CopiedChat, data: st.DataObject) -> None:
    lines = list(page.lines)
    if lines:
        del lines[data.draw(st.integers(0, len(lines) - 1))]
    assert brought(CopiedChat(page.header, tuple(lines)), page) == (
        CopiedChat(page.header, tuple(lines)),
        0,
    )
    more = CopiedChat(
        page.header, (*page.lines, line("this is new, and longer than any before it"))
    )
    assert brought(more, page)[1] == 1


def test_batches_are_bounded_and_a_long_line_is_alone() -> None:
    long = line("x" * (BATCH_BYTES + 1))
    page = CopiedChat(line("h"), (*[line("y" * 100_000)] * 7, long, line("z")))
    draft = ChatDraft(mark_of(page.header), [mark_of(one) for one in page.lines], None)
    batches = list(draft.batches())
    assert batches[0].first == HEADER
    assert batches[0].count == 1
    assert all(batch.is_whole or batch.count == 1 for batch in batches)
    assert [batch.is_whole for batch in batches].count(False) == 1


def test_a_chat_that_changed_meanwhile_is_asked_for_again() -> None:
    draft = ChatDraft(mark_of(line("h")), [mark_of(line("one"))], None)
    header, first = draft.batches()
    assert draft.take(header, [line("h")])
    assert not draft.take(first, [line("two")])
    assert draft.missing == 1
    with pytest.raises(ValueError, match="missing"):
        draft.done()


@pytest.mark.parametrize("lines", [[], [line("one"), line("two")]])
def test_more_or_fewer_messages_than_were_asked_for_are_refused(lines: list[bytes]) -> None:
    draft = ChatDraft(mark_of(line("h")), [mark_of(line("one"))], None)
    with pytest.raises(CopyRefused, match="not asked for"):
        draft.take(list(draft.batches())[1], lines)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (b'{"mes": "a"}\n{"mes": "forged"}', "imitate"),
        (b'{"mes": "a\r"}', "imitate"),
        (b"[]", "is not a message"),
        (b'"mes"', "is not a message"),
        (b'{"mes": "a"', "is not a message"),
        (b'{"mes": "a"} {"mes": "b"}', "is not a message"),
        (b"[" * 100_000, "is not a message"),
        (b'{"mes": "\xff"}', "is not a message"),
        (b'{"mes": "' + b"x" * MOST_LINE_BYTES + b'"}', "too large"),
    ],
)
def test_what_is_no_message_is_refused(sent: bytes, sentence: str) -> None:
    with pytest.raises(CopyRefused, match=sentence):
        check_line(sent)


def test_half_a_sign_is_refused() -> None:
    with pytest.raises(CopyRefused):
        encoded_lines(['{"mes": "\ud83d"}'])


def test_a_chat_that_is_too_large_is_refused_before_anything_is_asked_for() -> None:
    many = MOST_CHAT_BYTES // MOST_LINE_BYTES + 1
    with pytest.raises(CopyRefused, match="too large"):
        ChatDraft((1, 2), [(1, MOST_LINE_BYTES)] * many, None)


def state(**changes: Any) -> dict[str, Any]:
    """An answer about a chat, but for `changes`."""
    marks = [[1, 20], [2, 30]]
    return {"chat": CHAT, "first": 0, "length": 2, "header": [3, 2], "marks": marks} | changes


def test_an_answer_is_read() -> None:
    read = read_answer(ChatState, state())
    assert read.chat.chat == "Evening"
    assert read.marks == ((1, 20), (2, 30))


@pytest.mark.parametrize(
    "changes",
    [
        {"chat": CHAT | {"chat": "../../settings"}},
        {"chat": CHAT | {"avatar": "..\\x.png"}},
        {"chat": CHAT | {"chat": ""}},
        {"chat": None},
        {"length": MOST_MESSAGES + 1},
        {"length": -1},
        {"length": 1.5},
        {"first": -1},
        {"marks": [[1, MOST_LINE_BYTES + 1]]},
        {"marks": [[1, 0]]},
        {"marks": [[-1, 20]]},
        {"marks": [[2**32, 20]]},
        {"marks": [[1]]},
        {"marks": [[1, 20]] * (page_answers.MARKS_AT_ONCE + 1)},
        {"marks": "all"},
        {"header": []},
    ],
)
def test_an_answer_of_another_shape_is_refused_without_a_word_of_it(
    changes: dict[str, Any],
) -> None:
    with pytest.raises(CopyRefused) as caught:
        read_answer(ChatState, state(**changes))
    assert str(caught.value) == "The page described its chat in a form that makes no sense."
    assert caught.value.__cause__ is None


@given(
    st.sampled_from(ANSWERS),
    st.dictionaries(
        st.sampled_from(["chat", "first", "length", "header", "marks", "lines", "members", "group"])
        | st.text(max_size=5),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.just(CHAT),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(st.text(max_size=5), inner, max_size=4)
            ),
            max_leaves=10,
        ),
        max_size=6,
    ),
)
def test_no_answer_raises_anything_but_our_own_sentence(
    kind: type[Any], answer: dict[str, Any]
) -> None:
    with contextlib.suppress(CopyRefused):
        read_answer(kind, answer)
