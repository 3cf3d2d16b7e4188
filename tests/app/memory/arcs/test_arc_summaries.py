"""Arcs that are said to be over: judged, summed up, or open again (spec §8.6)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.memory.arcs.arc_answers import unwrapped
from app.memory.arcs.arc_summaries import (
    ResolvedArc,
    Verdict,
    arc_inputs,
    read_arc_summaries,
    reopened,
    resolved_arcs,
    summaries,
    without_summary,
)
from app.memory.records import (
    ARC,
    Document,
    DocumentKind,
    Ending,
    EndReason,
    Memory,
    Source,
    Tier,
)
from app.memory.standing import Ground
from app.story.answers.task_answers import Unreadable
from app.story.messages import Message, digest

MESSAGES = [Message(f"m{n}", digest(f"Text {n}."), "Ann", f"Text {n}.") for n in range(8)]
GROUND = Ground.of(1, MESSAGES)
EVIDENCE = "Ann found the ring in the mill, and gave it back to Bo, who had sought it for years."
TEXT = "Bo had sought the ring for years. Ann found it in the mill and gave it back."


def source(number: int) -> Source:
    return Source(1, f"m{number}", digest(f"Text {number}."))


def arc(number: int, *, end: int = 5, how: str = "Ann gave it back.") -> Memory:
    ending = Ending(EndReason.RESOLVED, sources=(source(end),), text=how)
    return Memory(
        f"a{number}", 1, Tier.ARCS, ARC, f"Who has ring {number}?",
        sources=(source(1),), endings=(ending,),
    )  # fmt: skip


def resolved(*arcs: Memory) -> tuple[ResolvedArc, ...]:
    return resolved_arcs(arcs, GROUND)


def kept(one: ResolvedArc, text: str = TEXT, *, chat: int = 1, inputs: str = "") -> Document:
    return Document(
        f"d{one.memory.id}{chat}", chat, DocumentKind.ARC_SUMMARY, text,
        subject=one.memory.id, inputs=inputs or one.digest,
    )  # fmt: skip


def test_arcs_are_told_in_the_order_in_which_they_ended() -> None:
    found = resolved(arc(1, end=6), arc(2, end=3))
    assert [(one.memory.id, one.place) for one in found] == [("a2", 3), ("a1", 6)]


def test_an_arc_is_open_again_when_its_end_is_swiped_away() -> None:
    swiped = [*MESSAGES[:5], replace_text(MESSAGES[5], "Otherwise."), *MESSAGES[6:]]
    assert resolved_arcs([arc(1)], Ground.of(1, swiped)) == ()


def replace_text(message: Message, text: str) -> Message:
    return Message(message.anchor, digest(text), message.name, text)


def test_what_ended_otherwise_is_not_resolved() -> None:
    ended = replace(arc(1), endings=(Ending(EndReason.OUTRANKED, sources=(source(5),)),))
    assert resolved(ended) == ()


def test_each_is_asked_about_once_until_it_is_resolved_anew() -> None:
    one = resolved(arc(1))[0]
    assert without_summary([one], []) == (one,)
    assert without_summary([one], [kept(one)]) == ()
    later = resolved(arc(1, end=6))[0]
    assert without_summary([later], [kept(one)]) == (later,)


@pytest.mark.parametrize(
    "answer",
    [
        f"[1: RESOLVED] {TEXT}",
        f"- **[1: RESOLVED]** {TEXT}",
        f"1. RESOLVED: {TEXT}",
        f"[1] [RESOLVED] {TEXT}",
        f"[Arc 1: resolved]\n{TEXT}",
        f"```\n[1: RESOLVED] {TEXT}\n```",
    ],
)
def test_a_verdict_is_read_however_it_is_dressed(answer: str) -> None:
    judged = read_arc_summaries(answer, resolved(arc(1), arc(2)), EVIDENCE)
    assert [(id_, one.verdict, one.text) for id_, one in judged.items()] == [
        ("a1", Verdict.RESOLVED, TEXT)
    ]


def test_several_are_read_from_one_answer() -> None:
    answer = f"[2: STILL_OPEN]\n[1: ABANDONED] {TEXT}\n[3: insufficient evidence]\n[7: RESOLVED] x"
    judged = read_arc_summaries(answer, resolved(arc(1), arc(2), arc(3)), EVIDENCE)
    assert {id_: one.verdict for id_, one in judged.items()} == {
        "a1": Verdict.ABANDONED,
        "a2": Verdict.STILL_OPEN,
        "a3": Verdict.INSUFFICIENT_EVIDENCE,
    }
    assert judged["a2"].text == ""


def test_prose_about_a_single_arc_is_its_summary() -> None:
    assert read_arc_summaries(TEXT, resolved(arc(1)), EVIDENCE)["a1"].text == TEXT


EVIDENCE_SHOWN = f"1. Who has ring 1? | said to have ended so: Ann gave it back.\n{EVIDENCE}"


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"summary": TEXT}),
        json.dumps({"1": {"verdict": "RESOLVED", "summary": TEXT}}),
        json.dumps({"threads": [{"number": 1, "status": "resolved", "text": TEXT}]}),
        "```json\n"
        + json.dumps([{"arc": 1, "verdict": "RESOLVED", "text": TEXT}], indent=1)
        + "\n```",
        json.dumps({"1": f"RESOLVED: {TEXT}"}),
        json.dumps({"1": {"verdict": "RESOLVED", "summary": TEXT}})[:-2],
        f"RESOLVED: {TEXT}",
        f"**RESOLVED**\n{TEXT}",
    ],
)
@pytest.mark.real_model(15)
def test_a_text_inside_of_another_form_is_the_summary(answer: str) -> None:
    judged = read_arc_summaries(answer, resolved(arc(1)), EVIDENCE_SHOWN)
    assert (judged["a1"].verdict, judged["a1"].text) == (Verdict.RESOLVED, TEXT)


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"developments": ["Ann found the ring in the mill."], "open": ["Where is Bo?"]}),
        json.dumps(
            {"recap": {"state": ["Ann has the ring, and Bo seeks it in the mill for years."]}}
        ),
        "I'm sorry, but I can't summarise this story about the ring, since it has violence in it.",
        "- Who has the ring of Ann? It goes on.\n- Where is the mill? Nobody found it for years.",
        "1. The ring is given back, as Bo wanted it.\n2. The mill burns and nobody knows why.",
        "The thread is still open: Ann found the ring in the mill, but nobody has it now.",
        f"The threads:\n<threads>\n{EVIDENCE_SHOWN}\n</threads>\nFor each thread, say how it is.",
        EVIDENCE,
        "The weather was fair for many days, and all of the harvest came in before it changed.",
        "Ann met Gorlim in the old mill, and the two of them gave the ring to Faraday of Oss.",
    ],
)
@pytest.mark.real_model(15)
def test_what_tells_of_no_end_is_no_summary_of_the_only_arc(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_arc_summaries(answer, resolved(arc(1)), EVIDENCE_SHOWN)


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"summary": ["Ann", "ring"]}),
        "I cannot summarise this content.",
        "<threads> 1. Who has ring 1? | said to have ended so: Ann gave it back. </threads>",
    ],
)
def test_what_stands_behind_a_verdict_is_checked_too(body: str) -> None:
    judged = read_arc_summaries(f"[1: RESOLVED] {body}", resolved(arc(1)), EVIDENCE_SHOWN)
    assert judged["a1"].text == "Who has ring 1? Ann gave it back."


def test_an_answer_behind_our_own_example_is_the_one_that_counts() -> None:
    answer = f"[1: RESOLVED] <three to five sentences>\n[1: RESOLVED] {TEXT}"
    assert read_arc_summaries(answer, resolved(arc(1)), EVIDENCE_SHOWN)["a1"].text == TEXT


@pytest.mark.parametrize("answer", ["", "NONE", "[9: RESOLVED] " + TEXT, "Sure!"])
def test_an_answer_about_none_of_them_is_none(answer: str) -> None:
    with pytest.raises(Unreadable):
        read_arc_summaries(answer, resolved(arc(1), arc(2)), EVIDENCE)


@pytest.mark.parametrize(
    "body", ["Ann gave it to Lord Ravenholm, who rewarded her.", "<three to five sentences>", "ok"]
)
def test_a_summary_that_invents_gives_way_to_what_was_read(body: str) -> None:
    judged = read_arc_summaries(f"[1: RESOLVED] {body}", resolved(arc(1)), EVIDENCE)
    assert judged["a1"].text == "Who has ring 1? Ann gave it back."


def test_a_name_that_the_story_has_is_not_invented_where_the_request_did_not_show_it() -> None:
    told = "Ann gave it to old Ravenholm, who had lent it to Bo."
    judged = read_arc_summaries(
        f"[1: RESOLVED] {told}", resolved(arc(1)), EVIDENCE, ["Dora Ravenholm"]
    )
    assert judged["a1"].text == told


def test_languages_with_capital_nouns_invent_nothing_by_that() -> None:
    evidence = "Der Müller gab dem Mann den Ring und die Karte der Insel."
    told = "Der Müller gab am Ende dem Mann den Ring, und die Suche war damit vorbei."
    judged = read_arc_summaries(f"[1: RESOLVED] {told}", resolved(arc(1)), evidence)
    assert judged["a1"].text == told


def test_what_the_user_ended_stays_ended() -> None:
    one = resolved(arc(1))[0]
    assert reopened(one.memory, one).endings == ()
    by_hand = replace(arc(1), endings=(Ending(EndReason.RESOLVED),))
    mine = ResolvedArc(by_hand, by_hand.endings[0], 5)
    assert reopened(by_hand, mine) == by_hand


def test_summaries_count_while_their_arc_is_resolved_so_and_those_of_other_chats_always() -> None:
    one, other = resolved(arc(1), arc(2))
    elsewhere = replace(kept(other, chat=2), subject="far")
    documents = [kept(one), kept(other, inputs="stale"), elsewhere, replace(kept(one, ""), id="x")]
    assert summaries(documents[:3], [one, other], 1) == (documents[0], elsewhere)
    assert summaries(documents, [one, other], 1) == (elsewhere,)  # the newest tells nothing


def test_a_request_shows_the_ends_and_stays_within_its_room() -> None:
    memories = [
        Memory(
            f"f{n}", 1, Tier.LONG_TERM, "fact", f"The ring {n} given back.", importance=1 + n % 3
        )
        for n in range(60)
    ]
    long = [Message(m.anchor, m.content_hash, m.name, m.text + " word" * 900) for m in MESSAGES]
    scenes = [f"Scene {n}: " + "word " * 60 for n in range(9)]
    found = resolved(arc(1, end=3), arc(2, end=6))
    shown = arc_inputs(found, long, scenes, memories, room=600, count=lambda t: len(t.split()))
    assert sum(len(text.split()) for text in shown.values()) <= 600
    assert shown["arcs"].splitlines()[1].startswith("2. Who has ring 2? | said to have ended so: ")
    assert "Text 3." in shown["messages"]
    assert "Text 6." in shown["messages"]
    assert "Scene 8" in shown["scenes"]
    assert "Scene 3:" not in shown["scenes"]


def test_a_request_shows_what_is_remembered_of_an_arc_whose_words_no_spaces_part() -> None:
    ending = Ending(
        EndReason.RESOLVED, sources=(Source(1, "m3", "x"),), text="箱は岩の下にあった。"
    )
    one = replace(arc(1), text="地図の箱はどこにあるのか。", endings=(ending,))
    of_it = Memory("f1", 1, Tier.LONG_TERM, "fact", "岩の下の箱には鍵がかかっている。")
    other = Memory("f2", 1, Tier.LONG_TERM, "fact", "夕飯は六時である。")
    found = [ResolvedArc(one, ending, 3)]
    shown = arc_inputs(found, MESSAGES, (), (other, of_it), room=600, count=len)
    assert shown["memories"] == f"- [fact] {of_it.text}"


@given(st.text())
def test_any_answer_is_read_or_refused(text: str) -> None:
    try:
        judged = read_arc_summaries(text, resolved(arc(1), arc(2)), EVIDENCE)
    except Unreadable:
        return
    assert set(judged) <= {"a1", "a2"}


def test_a_list_that_breaks_off_gives_what_came_before_and_a_nest_without_end_nothing() -> None:
    whole = {"verdict": "RESOLVED", "summary": TEXT}
    broken = json.dumps([whole, whole])[: len(json.dumps(whole)) + 30]
    assert unwrapped(broken).startswith(f"[1: RESOLVED] {TEXT}")
    nest: object = whole
    for _ in range(9):
        nest = [nest]
    assert unwrapped(json.dumps(nest)) == json.dumps(nest)
